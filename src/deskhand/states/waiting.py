"""The ends of PENDING and CONFIRM, the same in every machine (contract 2.4)."""

from deskhand.core.context import Context
from deskhand.core.ports import Decided
from deskhand.core.statuses import AgentStatus, Cause
from deskhand.states.base import StateAgent, redirect
from deskhand.states.moves import Asked


def redirect_after_asking(agent: StateAgent, asked: Asked) -> None:
    """Redirect the agent by one of the four ways a question ends."""
    match asked:
        case Asked.ANSWERED:
            redirect(agent, AgentStatus.CONTINUE, Cause.USER, "answered", trigger="answered")
        case Asked.OFF:
            redirect(agent, AgentStatus.CONTINUE, Cause.SYSTEM, "asking is switched off", trigger="off")
        case Asked.EVENT:
            redirect(agent, AgentStatus.CONTINUE, Cause.SYSTEM, "the awaited event arrived", trigger="event")
        case Asked.TIMEOUT:
            redirect(agent, AgentStatus.FAIL, Cause.TIMEOUT, "no answer came in time", trigger="timeout")


async def confirm_and_resume(agent: StateAgent, context: Context, *, rejected: str) -> None:
    """Ask for the approval and run the held actions where it is given. `rejected` is the status after a rejection."""
    decided = await agent.process_confirmation(context)
    match decided:
        case Decided.REJECTED:
            redirect(agent, rejected, Cause.USER, f"the user rejected {_asked(context)}", trigger="rejected")
        case Decided.TIMEOUT:
            nobody = "no user can be asked; use a terminal, or a file of decisions (--confirm)"
            late = "no decision came in time, or the file of --confirm has none left"
            why = late if context.interactor.reaches_person else nobody
            reason = f"{_asked(context)} was not approved: {why}"
            redirect(agent, AgentStatus.FAIL, Cause.TIMEOUT, reason, trigger="timeout")
        case Decided.APPROVED:
            await agent.process_resume(context)
            redirect(agent, AgentStatus.CONTINUE, Cause.USER, "approved", trigger="approved")
        case None:
            await agent.process_resume(context)
            redirect(agent, AgentStatus.CONTINUE, Cause.SYSTEM, "the safe guard is off", trigger="off")


def _asked(context: Context) -> str:
    return context.asked or "the action"
