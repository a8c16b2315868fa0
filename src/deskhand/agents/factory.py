"""Makes agents of a kind: a kind is registered once, and nothing that exists changes for it (SPEC 3.4)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from deskhand.agents.app import AppAgent
from deskhand.agents.basic import BasicAgent
from deskhand.commands import Tool
from deskhand.core.context import RunMode
from deskhand.core.errors import StateError
from deskhand.core.model import AgentKind
from deskhand.core.ports import Model
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.pipeline.services import Services


class MakeAgent(Protocol):
    """How one kind of sub-agent is made. `target`: the window it works in, or the agent itself as it was offered."""

    def __call__(
        self,
        name: str,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        target: TargetInfo,
        process_name: str,
    ) -> BasicAgent: ...


@dataclass(frozen=True, slots=True)
class ThirdPartyAgent:
    """A kind of agent that the host can hand a subtask to without a window (SPEC 2.2, 3.3).

    `title` is the name it is offered under, `does` what it is for, in one sentence. `tools` makes the tools that it
    brings, given the session's folder; their audience is `kind`.
    """

    kind: str
    title: str
    does: str
    make: MakeAgent
    tools: Callable[[Path], Sequence[Tool]]

    @property
    def target(self) -> TargetInfo:
        """As the host is shown it, beside the windows."""
        return TargetInfo(
            TargetKind.THIRD_PARTY_AGENT,
            self.title,
            Role.APPLICATION,
            value=self.does,
            handle=f"agent:{self.kind}",
            application=self.kind,
        )


class AgentFactory:
    """Makes the sub-agents of one session."""

    def __init__(
        self,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        third_party: Sequence[ThirdPartyAgent] = (),
        kinds: Mapping[str, MakeAgent] | None = None,
    ) -> None:
        """`kinds`: other ways of making what works in a window."""
        self._services = services
        self._models = models
        self._mode = mode
        self._third_party = tuple(third_party)
        self._kinds: dict[str, MakeAgent] = {
            AgentKind.APP: AppAgent,
            **{agent.kind: agent.make for agent in third_party},
            **(kinds or {}),
        }

    @property
    def on_offer(self) -> tuple[TargetInfo, ...]:
        """The agents that need no window, as the host is shown them."""
        return tuple(agent.target for agent in self._third_party)

    def create_agent(
        self,
        agent_type: str,
        name: str,
        process_name: str,
        app_root_name: str,
        *,
        target: TargetInfo,
    ) -> BasicAgent:
        """An agent for one window, or one that was on offer. Raises: StateError for a kind nobody registered."""
        make = self._kinds.get(agent_type)
        if make is None:
            known = ", ".join(sorted(self._kinds))
            raise StateError(f"no agent of kind {agent_type!r} for {app_root_name!r}; known: {known}")
        return make(name, self._services, self._models, mode=self._mode, target=target, process_name=process_name)
