"""Makes agents of a kind: a kind registers its class once, and nothing that exists changes for it (SPEC 3.4)."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from deskhand.agents.app import AppAgent
from deskhand.agents.basic import BasicAgent
from deskhand.core.context import RunMode
from deskhand.core.errors import StateError
from deskhand.core.ports import Model
from deskhand.core.target import TargetInfo
from deskhand.pipeline.services import Services


class MakeAgent(Protocol):
    """How one kind of sub-agent is made."""

    def __call__(
        self,
        name: str,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        window: TargetInfo,
        process_name: str,
    ) -> BasicAgent: ...


class AgentFactory:
    """Makes the sub-agents of one session."""

    def __init__(
        self,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        kinds: Mapping[str, MakeAgent] | None = None,
    ) -> None:
        self._services = services
        self._models = models
        self._mode = mode
        self._kinds: dict[str, MakeAgent] = {"app": AppAgent, **(kinds or {})}

    def create_agent(
        self,
        agent_type: str,
        name: str,
        process_name: str,
        app_root_name: str,
        *,
        window: TargetInfo,
    ) -> BasicAgent:
        """An agent for one window. Raises: StateError for a kind nobody registered."""
        make = self._kinds.get(agent_type)
        if make is None:
            known = ", ".join(sorted(self._kinds))
            raise StateError(f"no agent of kind {agent_type!r} for {app_root_name!r}; known: {known}")
        return make(name, self._services, self._models, mode=self._mode, window=window, process_name=process_name)
