"""The product's agents in a world of choices: everything up to the reply is scripted, what follows is the product's."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from deskhand.agents import AppAgent, HostAgent
from deskhand.core.context import Context
from deskhand.core.errors import CaptureFailed
from deskhand.core.json import JsonValue
from deskhand.core.replies import AppAgentResponse, HostAgentResponse
from deskhand.core.target import TargetInfo
from deskhand.pipeline.actions import plan
from deskhand.pipeline.app.strategies import AppActionExecutionStrategy, AppAgentProcessor
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.events import tell_arrivals
from deskhand.pipeline.framework import BaseProcessingStrategy, ProcessingPhase, ProcessingResult, provides
from deskhand.pipeline.host.strategies import HostActionExecutionStrategy, HostAgentProcessor
from deskhand.pipeline.middleware import ProcessorMiddleware
from deskhand.pipeline.parsing import planning_ground
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.states import AgentState, AgentStateManager
from states.happenings import Happening, Setting

QUESTION = "Which one? "
T = TypeVar("T")


class World(Protocol):
    """What these agents ask of their surroundings.

    `happening`: what the present step comes to; None while held actions are shown and run.
    """

    setting: Setting
    happening: Happening | None
    shown: tuple[TargetInfo, ...]

    def note_handle(self, agent: str, machine: str, state: str) -> None: ...
    def begin(self, happening: Happening) -> None: ...
    async def choose_or_cancel(self, question: str, options: Sequence[T]) -> T: ...


def noting_states(manager: type[AgentStateManager]) -> tuple[AgentState, ...]:
    """Every state of a machine, its `handle` written down in the trace before it does its work."""
    made = manager()
    return tuple(_noting(made.get_state(name)) for name in manager.names() if name)


def _noting(state: AgentState) -> AgentState:
    async def handle(self: AgentState, agent: SmallHost | SmallApp, context: Context) -> None:
        agent.world.note_handle(agent.name, agent.state_manager.machine, state.name())
        await state.handle(agent, context)

    kind: type[AgentState] = type(f"Noting{type(state).__name__}", (type(state),), {"handle": handle})
    return kind()


class SmallHost(HostAgent):
    """The HostAgent on scripted strategies."""

    world: World

    def build_processor(self, context: Context) -> ProcessorTemplate[Any]:  # Any: as in the class it extends
        return SmallHostProcessor(self, context)


class SmallApp(AppAgent):
    """The AppAgent on scripted strategies."""

    world: World

    def build_processor(self, context: Context) -> ProcessorTemplate[Any]:  # Any: as in the class it extends
        return SmallAppProcessor(self, context)


SmallT = TypeVar("SmallT", SmallHost, SmallApp)


class Looking(BaseProcessingStrategy):
    """Looking, and what the model makes of it: here it is chosen what the step comes to."""

    reply_type: ClassVar[type[AppAgentResponse | HostAgentResponse]]

    @abstractmethod
    def steps(self, setting: Setting, context: ProcessingContext) -> Sequence[Happening]:
        """What can happen now."""

    async def execute(self, agent: SmallHost | SmallApp, context: ProcessingContext) -> ProcessingResult:
        world, data = agent.world, self.unchanged(context)
        if context.confirming is not None:
            world.happening = None
            if await world.choose_or_cancel("looking before asking", ("works", "fails")) == "fails":
                raise CaptureFailed("no picture")
            return ProcessingResult(success=True, data=data)
        tell_arrivals(agent, context.shared, agent.services.external.take_arrivals())
        happening = await world.choose_or_cancel("a step", self.steps(world.setting, context))
        world.begin(happening)
        if happening.error is not None:
            raise happening.error
        reply = self.reply_type.model_validate(_said(happening, 0 if world.setting.repeats else context.session_step))
        ground = planning_ground(agent, {window.name: window for window in world.shown})
        data["parsed_response"], data["annotation_dict"] = reply, ground.targets
        data["planned_actions"], data["planning_ground"] = plan(reply.ordered_actions(), ground), ground
        return ProcessingResult(success=True, data=data)


@provides(
    "parsed_response",
    "planned_actions",
    "planning_ground",
    "annotation_dict",
    "observation",
    "clean_picture",
    "clean_screenshot_path",
    "application_window_info",
)
class LookingAtWindow(Looking):
    reply_type = AppAgentResponse

    def steps(self, setting: Setting, context: ProcessingContext) -> Sequence[Happening]:
        return setting.app_steps(context.state)


@provides("parsed_response", "planned_actions", "planning_ground", "annotation_dict")
class LookingAtDesktop(Looking):
    reply_type = HostAgentResponse

    def steps(self, setting: Setting, context: ProcessingContext) -> Sequence[Happening]:
        return setting.host_steps()


def _said(happening: Happening, number: int) -> Mapping[str, JsonValue]:
    """The model's reply; `number` makes an action or a question another one than those with other numbers."""
    said: dict[str, JsonValue] = {"status": happening.status, "function": happening.function}
    if happening.function:
        said["args"] = {"number": number}
    if happening.status == "PENDING":
        said["questions"] = [f"{QUESTION}{number}"]
    if happening.reannotate:
        said["control_reannotate"] = ["some"]
    if happening.window:
        said |= {"control_label": happening.window, "current_subtask": f"work in {happening.window}"}
    return said


class SmallAppProcessor(AppAgentProcessor):
    """Scripted up to the reply; what becomes of it is the product's."""

    @classmethod
    def build_strategies(cls) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {
            ProcessingPhase.DATA_COLLECTION: LookingAtWindow(),
            ProcessingPhase.ACTION_EXECUTION: AppActionExecutionStrategy(fail_fast=False),
        }

    def build_middleware(self) -> Sequence[ProcessorMiddleware]:
        return ()


class SmallHostProcessor(HostAgentProcessor):
    """Likewise."""

    @classmethod
    def build_strategies(cls) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        return {
            ProcessingPhase.DATA_COLLECTION: LookingAtDesktop(),
            ProcessingPhase.ACTION_EXECUTION: HostActionExecutionStrategy(fail_fast=False),
        }

    def build_middleware(self) -> Sequence[ProcessorMiddleware]:
        return ()
