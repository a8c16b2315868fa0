"""The parts of which agents are made, for agents that plug in: strategies, and the steps of strategies.

Each is documented where it is defined. The base classes are names of `deskhand` itself.
"""

from deskhand.agents.factory import MakeAgent
from deskhand.models.sdk_errors import fault_of_sdk
from deskhand.pipeline.acting import Conclusion, act_on, failed_step, hold
from deskhand.pipeline.actions import ActionCommandInfo, ActionInfo, PlannedAction, raise_if_failed
from deskhand.pipeline.app.strategies import AppScreenshotCaptureStrategy
from deskhand.pipeline.context import ACTION_FIELDS, REPLY_FIELDS, AppAgentProcessorContext
from deskhand.pipeline.dispatching import ActionExecutor, Gate, Judgement
from deskhand.pipeline.events import tell_reply
from deskhand.pipeline.model_call import ask, ask_models, model_request
from deskhand.pipeline.observing import desktop_picture, desktop_windows, observe_window
from deskhand.pipeline.parsing import planning_ground
from deskhand.pipeline.recording import MemoryUpdateStrategy
from deskhand.pipeline.services import PipelineAgent, Services
from deskhand.pipeline.step_picture import Encoded, encoded_part
from deskhand.pipeline.step_status import after_failure, after_repeats
from deskhand.prompts import PromptFiles

__all__ = [
    "ACTION_FIELDS",
    "REPLY_FIELDS",
    "ActionCommandInfo",
    "ActionExecutor",
    "ActionInfo",
    "AppAgentProcessorContext",
    "AppScreenshotCaptureStrategy",
    "Conclusion",
    "Encoded",
    "Gate",
    "Judgement",
    "MakeAgent",
    "MemoryUpdateStrategy",
    "PipelineAgent",
    "PlannedAction",
    "PromptFiles",
    "Services",
    "act_on",
    "after_failure",
    "after_repeats",
    "ask",
    "ask_models",
    "desktop_picture",
    "desktop_windows",
    "encoded_part",
    "failed_step",
    "fault_of_sdk",
    "hold",
    "model_request",
    "observe_window",
    "planning_ground",
    "raise_if_failed",
    "tell_reply",
]
