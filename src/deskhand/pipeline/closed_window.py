"""Replacement of an agent's closed window by the next one of the same program."""

from typing import Final

from deskhand.commands.tools.replacement_window import APPEARS_S, Succession
from deskhand.core.command import Command, ToolType
from deskhand.core.context import Context
from deskhand.core.errors import ApplicationGone, CommandFailed, ErrorInfo
from deskhand.core.events import WindowFollowed
from deskhand.core.json import JsonObject
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.windows import ProgramState
from deskhand.pipeline.services import PipelineAgent
from deskhand.prompts.step_history import called

_GONE: Final = ApplicationGone.__name__
_MOST_TITLES: Final = 12


def is_gone(error: ErrorInfo | None) -> bool:
    """Return whether an error means that a window is gone."""
    return error is not None and error.type == _GONE


async def succession(
    agent: PipelineAgent, gone: TargetInfo, known: frozenset[str], *, wait_s: float = APPEARS_S
) -> Succession | None:
    """Return the replacement of a window; None where it cannot be determined."""
    arguments: JsonObject = {"known": [*sorted(known)], "wait_s": wait_s}
    command = Command("next_window", arguments, ToolType.DATA_COLLECTION, window=gone)
    found = (await agent.services.dispatcher.execute_commands([command]))[0].result
    return found if isinstance(found, Succession) else None


async def follow(agent: PipelineAgent, context: Context, error: CommandFailed) -> str:
    """Move an agent to the replacement of its window. Returns the note for the model.

    Raises: `error` where the window still exists; CommandFailed where there is no clear replacement.
    """
    gone = agent.root
    if gone is None or not is_gone(error.error):
        raise error
    found = await succession(agent, gone, agent.known_windows)
    if found is None or not found.gone:
        raise error
    if found.window is None:
        info = ErrorInfo(_GONE, _lost(gone, found), error.error.fix, recoverable=True, host_only=True)
        raise CommandFailed(info) from error
    agent.follow(found.window, frozenset(window.handle for window in found.windows), _told(agent, gone, found))
    context.events.emit(
        WindowFollowed(
            step=context.session_step,
            agent=agent.name,
            closed=gone.name,
            window=found.window.name,
            handle=found.window.handle,
            pid=found.window.pid,
        )
    )
    return f'Your window "{gone.name}" closed; continue in "{found.window.name}" of the same program.'


async def closed_by_it(agent: PipelineAgent) -> Succession | None:
    """Return the replacement where an agent's last action closed its window; None where it is open or unknown."""
    if agent.root is None:
        return None
    found = await succession(agent, agent.root, agent.known_windows, wait_s=0)
    return found if found is not None and found.gone else None


async def window_to_look_in(agent: PipelineAgent) -> TargetInfo | None:
    """Return an agent's window, or its replacement where it closed."""
    if agent.root is None:
        return None
    found = await succession(agent, agent.root, agent.known_windows)
    return agent.root if found is None or found.window is None else found.window


def died(gone: TargetInfo, found: Succession) -> ErrorInfo | None:
    """Return the error where a window was not closed properly; None where its program runs or ended in good order."""
    if found.program.state in {ProgramState.RUNS, ProgramState.ENDED}:
        return None
    return ErrorInfo(_GONE, _lost(gone, found), "launch it again", recoverable=True, host_only=True)


async def crash_since(agent: PipelineAgent) -> ErrorInfo | None:
    """Return the error where a program crashed after a subtask had closed its window."""
    closed = agent.services.closed
    for gone in tuple(closed.windows.values()):
        found = await succession(agent, gone, frozenset(), wait_s=0)
        if found is not None and found.program.state is ProgramState.DIED:
            closed.reported.add(gone.handle)
            return ErrorInfo(
                _GONE, _lost(gone, found), "check the result, in the program or its files", recoverable=True
            )
    return None


def note_closed(agent: PipelineAgent, found: Succession, action: str) -> None:
    """Record for the host that the agent's window closed after its last action, and the windows open now."""
    if agent.root is not None:
        agent.window_note = _closed(agent.root, action, found)
        agent.services.closed.note(agent.root)


def _told(agent: PipelineAgent, gone: TargetInfo, found: Succession) -> str:
    last = agent.steps[-1].actions if agent.steps else ()
    return _closed(gone, called(last[-1]) if last else "", found)


def _closed(gone: TargetInfo, action: str, found: Succession) -> str:
    after = f" after {action}" if action else ""
    ended = "; its program has ended" if found.program.state is ProgramState.ENDED else ""
    return f'"{gone.name}" closed{after}{ended}; now open: {_titles(found)}'


def _lost(gone: TargetInfo, found: Succession) -> str:
    """Return why the agent cannot continue: the program ended, or several windows could be the replacement."""
    match found.program.state:
        case ProgramState.DIED:
            why = f": its program died ({found.program.how})"
        case ProgramState.ENDED:
            why = ": its program has ended"
        case ProgramState.UNKNOWN:
            why = ", and it is unknown whether its program ended normally"
        case ProgramState.RUNS:
            why = ", and no window of its program clearly replaces it"
    return f'the window "{gone.name}" is gone{why}; now open: {_titles(found)}'


def _titles(found: Succession) -> str:
    titles = [f'"{window.name}"' for window in found.windows[:_MOST_TITLES]]
    more = len(found.windows) - len(titles)
    return ", ".join([*titles, *([f"and {more} more"] if more > 0 else [])]) or "nothing"
