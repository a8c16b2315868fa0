"""The typed fields that the phases of one step pass on (contract 3.1, 3.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

from deskhand.core.command import Result
from deskhand.core.context import Context
from deskhand.core.errors import PipelineError
from deskhand.core.json import JsonObject
from deskhand.core.model import Healing, Message, SubtaskRecord
from deskhand.core.observation import Observation
from deskhand.core.replies import AppAgentResponse, HostAgentResponse, SaveScreenshot
from deskhand.core.statuses import StepVerdict
from deskhand.core.target import TargetInfo, TargetRegistry
from deskhand.memory import MemoryItem
from deskhand.pipeline.actions import ActionInfo, PlannedAction, PlanningGround
from deskhand.pipeline.step_picture import StepPicture

REPLY_FIELDS: Final = (
    "prompt_message",
    "response_text",
    "reply_position",
    "reply_healing",
    "llm_cost",
    "parsed_response",
    "planned_actions",
    "planning_ground",
    "thought",
    "observation_text",
    "plan",
    "comment",
    "questions",
    "result",
)
"""The fields that every agent's LLM_INTERACTION provides."""
ACTION_FIELDS: Final = ("action_info", "execution_result", "control_log", "verdict", "status", "warning")
"""The fields that every agent's ACTION_EXECUTION provides."""


@dataclass(slots=True, kw_only=True)
class ProcessingContext:
    """The fields of every agent's step. A field whose provider did not run is None.

    `confirming`: the targets of held actions while the user is asked to approve them. DATA_COLLECTION then takes their
    picture and leaves the model's observation unchanged.
    """

    GIVEN: ClassVar[tuple[str, ...]] = (
        "app_root",
        "log_path",
        "session_step",
        "request",
        "subtask",
        "plan",
        "host_message",
        "previous_subtasks",
    )

    shared: Context
    app_root: TargetInfo | None = None
    log_path: Path
    session_step: int
    request: str = ""
    subtask: str = ""
    plan: tuple[str, ...] = ()
    host_message: tuple[str, ...] = ()
    previous_subtasks: tuple[SubtaskRecord, ...] = ()
    fresh: bool = False
    state: str = ""
    confirming: tuple[TargetInfo, ...] | None = None
    confirm_screenshot_path: str | None = None

    response_text: str | None = None
    reply_position: int | None = None
    reply_healing: Healing | None = None
    llm_cost: float | None = None
    planned_actions: tuple[PlannedAction, ...] | None = None
    planning_ground: PlanningGround | None = None
    annotation_dict: dict[str, TargetInfo] | None = None
    action_info: ActionInfo | None = None
    verdict: StepVerdict | None = None
    warning: str | None = None
    phase_seconds: dict[str, float] = field(default_factory=dict[str, float])

    # Named by the contract (3.2) for strategies that plug in; no module of ours reads them.
    prompt_message: tuple[Message, ...] | None = None
    thought: str | None = None
    observation_text: str | None = None
    comment: str | None = None
    questions: tuple[str, ...] | None = None
    result: str | None = None
    execution_result: tuple[Result, ...] | None = None
    control_log: tuple[JsonObject, ...] | None = None
    status: str | None = None
    additional_memory: JsonObject | None = None
    memory_item: MemoryItem | None = None
    updated_blackboard: bool | None = None

    @classmethod
    @cache
    def field_names(cls) -> frozenset[str]:
        return frozenset(f.name for f in fields(cls))

    @classmethod
    def given_by_processor(cls) -> tuple[str, ...]:
        return cls.GIVEN

    def get_local(self, name: str) -> object:
        """Return a field of this step. Raises: PipelineError for an unknown name."""
        if name not in self.field_names():
            raise PipelineError(f"{type(self).__name__} has no field {name!r}")
        return getattr(self, name)

    def get_global(self, key: str, default: object = None) -> object:
        """Return a value of the session's context, by its name in any case; the default without one."""
        return self.shared.get(key.lower() if key.isupper() else key, default)

    def update(self, data: Mapping[str, object]) -> None:
        """Set fields. Raises: PipelineError for an unknown name."""
        for name, value in data.items():
            if name not in self.field_names():
                raise PipelineError(f"{type(self).__name__} has no field {name!r}")
            setattr(self, name, value)


@dataclass(slots=True, kw_only=True)
class AppAgentProcessorContext(ProcessingContext):
    """The fields of an AppAgent's step (contract 3.2)."""

    observation: Observation | None = None
    clean_screenshot_path: str | None = None
    clean_picture: StepPicture | None = None
    application_window_info: TargetInfo | None = None
    control_info: tuple[TargetInfo, ...] | None = None
    grounding_note: str | None = None
    followed: str | None = None
    annotated_screenshot_path: str | None = None
    annotated_picture: StepPicture | None = None
    framed: tuple[TargetInfo, ...] | None = None
    parsed_response: AppAgentResponse | None = None
    save_screenshot: SaveScreenshot | None = None

    # Named by the contract (3.2) for strategies that plug in; no module of ours reads them.
    clean_screenshot_url: str | None = None
    desktop_screenshot_path: str | None = None
    desktop_screenshot_url: str | None = None
    ui_tree_path: str | None = None
    screenshot_saved_time: float | None = None
    control_recorder: JsonObject | None = None
    control_filter_time: float | None = None
    annotated_screenshot_url: str | None = None
    action: tuple[JsonObject, ...] | None = None
    concat_screenshot_path: str | None = None
    last_control_screenshot_path: str | None = None
    control_reannotate: tuple[str, ...] | None = None
    selected_control_screenshot_path: str | None = None


@dataclass(slots=True, kw_only=True)
class HostAgentProcessorContext(ProcessingContext):
    """The fields of the HostAgent's step (contract 3.3)."""

    desktop_screenshot_path: str | None = None
    desktop_picture: StepPicture | None = None
    target_registry: TargetRegistry | None = None
    parsed_response: HostAgentResponse | None = None
