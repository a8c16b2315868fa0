"""Creation of agents by kind: a new kind is registered once and changes no existing code (contract 3.4)."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from deskhand.agents.agent import BasicAgent
from deskhand.agents.app import AppAgent
from deskhand.commands import Tool
from deskhand.config.sections import PromptsSection
from deskhand.core.context import RunMode
from deskhand.core.errors import StateError
from deskhand.core.model import AgentKind
from deskhand.core.ports import Model
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.pipeline.services import Services
from deskhand.prompts import MessageConstructor, PromptFiles
from deskhand.states.base import SessionState


class MakeAgent(Protocol):
    """The constructor of one kind of sub-agent. `target`: the window it works in, or the offered agent itself."""

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


def _require_usable(make: object, kind: str) -> None:
    """Raises: StateError for anything that makes no agent, and a class that would fail in a session."""
    if not callable(make):
        raise StateError(f"{make!r} makes no agent", fix="give a class that derives from TextAgent")
    if inspect.isclass(make) and issubclass(make, BasicAgent):
        make.require_usable(kind)


def _no_tools(folder: Path) -> Sequence[Tool]:  # noqa: ARG001 - it needs none
    return ()


@runtime_checkable
class BringsAgent(Protocol):
    """A model that needs agents of its own for windows: `agent` makes them, in place of AppAgents."""

    @property
    def agent(self) -> MakeAgent: ...


@dataclass(frozen=True, slots=True)
class ThirdPartyAgent:
    """A kind of agent that the host can assign a subtask to without a window (contract 2.2, 3.3).

    `title` is the name it is offered under, `does` its purpose, in one sentence. `tools` makes its tools, given the
    session's folder; their audience is `kind`. Raises: StateError where `make` is a class that would fail in a session.
    """

    kind: str
    title: str
    does: str
    make: MakeAgent
    tools: Callable[[Path], Sequence[Tool]] = _no_tools

    def __post_init__(self) -> None:
        _require_usable(self.make, self.kind)

    @property
    def target(self) -> TargetInfo:
        """Return its entry in the host's list of windows and agents."""
        return TargetInfo(
            TargetKind.THIRD_PARTY_AGENT,
            self.title,
            Role.APPLICATION,
            value=self.does,
            handle=f"agent:{self.kind}",
            application=self.kind,
        )


class AgentFactory:
    """Creates the sub-agents of one session."""

    def __init__(  # noqa: PLR0913 - keyword options of one session
        self,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        third_party: Sequence[ThirdPartyAgent] = (),
        kinds: Mapping[str, MakeAgent] | None = None,
        prompts: PromptsSection | None = None,
        states: Sequence[SessionState] = (),
    ) -> None:
        """`kinds`: other constructors of agents that work in a window. `prompts`: the templates of AppAgents.
        `states`: added to the machines that they are for.

        Raises: ConfigurationError, where such a template is wrong.
        """
        prompts = prompts or PromptsSection()
        self._prompt_files = PromptFiles(prompts.appagent_prompt, prompts.appagent_example_prompt)
        MessageConstructor(AgentKind.APP, AppAgent.reply_type, files=self._prompt_files)
        self._services = services
        self._models = models
        self._mode = mode
        self._third_party = tuple(third_party)
        self._states = tuple(states)
        self._kinds: dict[str, MakeAgent] = {
            AgentKind.APP: AppAgent,
            **{agent.kind: agent.make for agent in third_party},
            **(kinds or {}),
        }

    @property
    def on_offer(self) -> tuple[TargetInfo, ...]:
        """The agents without a window, in the host's list."""
        return tuple(agent.target for agent in self._third_party)

    def create_agent(  # noqa: PLR0913, PLR0917 - the order of contract 3.4
        self,
        agent_type: str,
        name: str,
        process_name: str,
        app_root_name: str,
        is_visual: bool = True,
        main_prompt: str | Path | None = None,
        example_prompt: str | Path | None = None,
        *,
        target: TargetInfo | None = None,
    ) -> BasicAgent:
        """Create an agent for one window, or an offered agent.

        `agent_type`: its kind, such as `app`. `process_name` and `app_root_name`: the application and the title of its
        window, which is looked for at its first step where there is no `target`. `is_visual`: it is sent pictures,
        where its model takes any. `main_prompt`, `example_prompt`: template files in place of the configured ones.
        Raises: StateError for an unknown kind, ConfigurationError.
        """
        make = self._kinds.get(agent_type)
        if make is None:
            known = ", ".join(sorted(self._kinds))
            raise StateError(f"no agent of kind {agent_type!r} for {app_root_name!r}; known: {known}")
        if target is None:
            target = TargetInfo(TargetKind.WINDOW, app_root_name, Role.WINDOW, application=process_name)
        configured = self._prompt_files if agent_type == AgentKind.APP else PromptFiles()
        files = PromptFiles(
            Path(main_prompt) if main_prompt else configured.main,
            Path(example_prompt) if example_prompt else configured.examples,
        )
        agent = make(name, self._services, self._models, mode=self._mode, target=target, process_name=process_name)
        agent.use_prompts(files, is_visual=is_visual)
        for state in self._states:
            state.add_to(agent.state_manager)
        return agent
