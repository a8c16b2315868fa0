"""The HostAgent: splits the request, picks applications, assigns subtasks (contract 2.2, 3.3)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from deskhand.agents.agent import BasicAgent
from deskhand.agents.factory import AgentFactory
from deskhand.core.context import Context, RunMode
from deskhand.core.errors import StateError
from deskhand.core.events import SubtaskAssigned, WindowChosen
from deskhand.core.model import AgentKind
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Model
from deskhand.core.replies import HostAgentResponse
from deskhand.core.roles import Role
from deskhand.core.statuses import HostAgentStatus
from deskhand.core.target import TargetInfo, TargetKind, same_window
from deskhand.core.type_checks import pairs_of
from deskhand.pipeline.actions import ActionInfo
from deskhand.pipeline.closed_window import succession
from deskhand.pipeline.host.strategies import HostAgentProcessor
from deskhand.pipeline.observing import desktop_windows
from deskhand.pipeline.services import Services
from deskhand.states import HostAgentStateManager
from deskhand.states.moves import Assigned

AgentKey = tuple[str, str, str]


class HostAgent(BasicAgent):
    """The one agent that observes the whole desktop. Its AppAgents are cached by desktop, process and window.

    `factory` creates them.
    """

    kind: ClassVar[str] = AgentKind.HOST
    reply_type = HostAgentResponse
    manager_class = HostAgentStateManager
    processor_class = HostAgentProcessor
    templates = "host"

    def __init__(
        self,
        name: str,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        factory: AgentFactory,
        desktop: str,
    ) -> None:
        super().__init__(name, services, models, mode=mode)
        self.appagent_dict: dict[AgentKey, BasicAgent] = {}
        self.factory = factory
        self._desktop = desktop
        self._active: BasicAgent | None = None
        self._chosen: TargetInfo | None = None
        self._next_subtask = ""
        self._next_message: tuple[str, ...] = ()
        self._is_last = False

    def begin_round(self) -> None:
        """Reset the budgets and steps of the last round; memory and cache stay."""
        self.forget_subtask()
        self._chosen, self._is_last = None, False
        for agent in self.appagent_dict.values():
            agent.fails = 0

    def take_up(self, agents: Sequence[BasicAgent], active: BasicAgent | None, chosen: TargetInfo | None) -> None:
        """Continue with the sub-agents of an earlier process, and with the window chosen there."""
        for agent in agents:
            if (window := agent.root or self._offered(agent)) is not None:
                self.appagent_dict[(self._desktop, window.application, window.handle)] = agent
            agent.host = self
        self._active, self._chosen = active, chosen

    def _offered(self, agent: BasicAgent) -> TargetInfo | None:
        """Return the entry of an agent without a window."""
        return next((target for target in self.on_offer if target.name == agent.name), None)

    def create_again(self, target: TargetInfo) -> BasicAgent:
        """Create the agent that an earlier process had for a window, or that it offered. Raises: StateError."""
        agent = self._create(target)
        if target.kind is TargetKind.THIRD_PARTY_AGENT:
            agent.root = None
        return agent

    def get_active_appagent(self) -> BasicAgent | None:
        return self._active

    @property
    def has_target(self) -> bool:
        return self._chosen is not None

    @property
    def on_offer(self) -> tuple[TargetInfo, ...]:
        return self.factory.on_offer

    def after_actions(self, context: Context, done: ActionInfo) -> None:
        for action in done:
            if not action.done:
                continue
            if action.function == "select_application_window" and action.target is not None:
                self._select(context, action.target)
            if action.function == "launch_application":
                window = _launched(dict(pairs_of(action.result.result)))
                self._select(context, window)
                if file := str(action.arguments.get("file") or ""):
                    self._keep_document(context, file, window)

    def _keep_document(self, context: Context, file: str, window: TargetInfo) -> None:
        """Record a file that was opened in its own place; one that the session opened before keeps its first state."""
        documents = self.services.documents
        known = {document.copy for document in documents.shown}
        document = documents.add(Path(file), Path(file), window)
        if document.copy not in known:
            context.events.emit(documents.opened(document))

    def _select(self, context: Context, window: TargetInfo) -> None:
        self._chosen = window
        context.application_root = window.name
        context.application_process = window.application
        context.application_window = window.handle
        context.events.emit(
            WindowChosen(
                step=context.session_step,
                agent=self.name,
                window=window.name,
                handle=window.handle,
                application=window.application,
                pid=window.pid,
                is_agent=window.kind is TargetKind.THIRD_PARTY_AGENT,
            )
        )

    def assign(self, subtask: str, message: tuple[str, ...], *, is_last: bool = False) -> None:
        """Store the next ASSIGN for `create_subagent`."""
        self._next_subtask, self._next_message, self._is_last = subtask, message, is_last

    def finish_claimed_ahead(self, context: Context) -> HostAgentResponse | None:
        """Return the FINISH that the last ASSIGN claimed for the case of its success, once; None otherwise.

        A subtask that ended with a note, as on a closed window, is judged by the model.
        """
        was_last, self._is_last = self._is_last, False
        ended = context.previous_subtasks[-1] if was_last and context.previous_subtasks else None
        if ended is None or ended.outcome is not Outcome.SUCCESS or ended.note:
            return None
        return HostAgentResponse(status=HostAgentStatus.FINISH, result=ended.result)

    async def create_subagent(self, context: Context) -> Assigned:
        """Assign the stored subtask to the agent of the selected window, or to the selected agent (contract 2.2).

        Raises: StateError where nothing was selected, or the kind of agent is unknown.
        """
        if self._chosen is None:
            raise StateError("ASSIGN without a selected window", fix="select_application_window first")
        target, windows = await self._still_there(self._chosen)
        if target is None:
            return self._vanished(context, self._chosen)
        known = self._agent_of(target)
        reused = known is not None
        agent = known or self._create(target)
        self.appagent_dict[(self._desktop, target.application, target.handle)] = agent
        agent.host, agent.root = self, None if target.kind is TargetKind.THIRD_PARTY_AGENT else target
        agent.known_windows = windows
        agent.forget_subtask()
        self._active = agent
        context.subtask, context.host_message = self._next_subtask, self._next_message
        context.events.emit(
            SubtaskAssigned(
                agent=agent.name,
                subtask=context.subtask,
                application=target.application,
                window=target.name,
                reused=reused,
                handle=target.handle,
                pid=target.pid,
                is_agent=target.kind is TargetKind.THIRD_PARTY_AGENT,
                message=list(context.host_message),
                files=self.services.documents.stamps(),
                step=context.session_step,
            )
        )
        return Assigned.ASSIGNED

    def _agent_of(self, target: TargetInfo) -> BasicAgent | None:
        """Return the agent of a window, including one that continued in it when its own window closed."""
        kept = self.appagent_dict.get((self._desktop, target.application, target.handle))
        if kept is not None and (kept.root is None or kept.root.handle == target.handle):
            return kept
        return next((a for a in self.appagent_dict.values() if a.root and same_window(a.root, target)), None)

    async def _still_there(self, chosen: TargetInfo) -> tuple[TargetInfo | None, frozenset[str]]:
        """Return the selected target as it is now, or the replacement by the same program, as after a splash screen;
        None where there is none. Also returns the open windows. An agent without a window always exists.
        """
        if chosen.kind is TargetKind.THIRD_PARTY_AGENT:
            return chosen, frozenset()
        windows = await desktop_windows(self)
        target = next((window for window in windows if same_window(window, chosen)), None)
        if target is None and (found := await succession(self, chosen, self.known_windows | {chosen.handle})):
            target, windows = found.window, found.windows
        return target, frozenset(window.handle for window in windows)

    def _create(self, target: TargetInfo) -> BasicAgent:
        name, kind = f"AppAgent/{target.application}", str(AgentKind.APP)
        if target.kind is TargetKind.THIRD_PARTY_AGENT:
            name, kind = target.name, target.application
        return self.factory.create_agent(kind, name, target.application, target.name, target=target)

    def _vanished(self, context: Context, window: TargetInfo) -> Assigned:
        """Count a window that is gone before the assignment among the round's failures (contract 2.2)."""
        context.fails_of_round += 1
        self._chosen = None
        self.note_problem(f"the window {window.name!r} was gone before the hand-over")
        spent = context.fails_of_round > self.services.settings.max_fail_per_round
        return Assigned.SPENT if spent else Assigned.VANISHED


def _launched(told: Mapping[str, object]) -> TargetInfo:
    """Return the window that `launch_application` reported."""
    name, application, handle = (str(told.get(key, "")) for key in ("window", "application", "handle"))
    pid = told.get("pid")
    process = pid if isinstance(pid, int) else None
    return TargetInfo(TargetKind.WINDOW, name, Role.WINDOW, handle=handle, application=application, pid=process)
