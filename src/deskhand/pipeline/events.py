"""Replies and arrived events, written to the journal and the blackboard."""

from collections.abc import Sequence

from deskhand.core.context import Context
from deskhand.core.events import EventArrived, ReplyAccepted
from deskhand.core.model import Healing
from deskhand.core.outside_events import Arrival
from deskhand.core.replies import AgentReply, HostAgentResponse
from deskhand.pipeline.services import PipelineAgent


def tell_reply(
    agent: PipelineAgent,
    context: Context,
    reply: AgentReply,
    raw: str,
    position: int | None = None,
    healing: Healing | None = None,
) -> None:
    """Write an accepted reply to the journal. `position` and `healing`: as of `ModelReply`."""
    assignment = reply if isinstance(reply, HostAgentResponse) else None
    context.events.emit(
        ReplyAccepted(
            step=context.session_step,
            agent=agent.name,
            observation=reply.observation,
            thought=reply.thought,
            plan=list(reply.plan),
            comment=reply.comment,
            status=reply.status,
            result=reply.result,
            questions=list(reply.questions),
            subtask=assignment.current_subtask if assignment else "",
            raw=raw,
            message=list(assignment.message) if assignment else [],
            last=assignment is not None and assignment.last,
            position=position,
            healing=healing,
        )
    )


def tell_arrivals(agent: PipelineAgent, context: Context, arrivals: Sequence[Arrival]) -> None:
    """Put arrived events on the blackboard, for the next prompt, and into the journal."""
    for arrival in arrivals:
        agent.services.blackboard.arrivals.append(str(arrival))
        event = EventArrived(step=context.session_step, agent=agent.name, what=arrival.what, detail=arrival.detail)
        context.events.emit(event)
