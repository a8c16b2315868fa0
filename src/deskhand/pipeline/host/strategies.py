"""The HostAgent's strategies and its processor (contract 3.3)."""

from dataclasses import replace
from functools import partial

from deskhand.core.errors import ReplyDefect
from deskhand.core.replies import HostAgentResponse
from deskhand.core.target import TargetRegistry
from deskhand.pipeline.acting import act_on
from deskhand.pipeline.context import ACTION_FIELDS, REPLY_FIELDS, HostAgentProcessorContext
from deskhand.pipeline.framework import (
    BaseProcessingStrategy,
    ProcessingPhase,
    ProcessingResult,
    Strategies,
    depends_on,
    provides,
)
from deskhand.pipeline.model_call import Answer, ask, model_request
from deskhand.pipeline.observing import desktop_picture, desktop_windows, keep_confirm_picture, keep_picture
from deskhand.pipeline.parsing import UsableReply, planning_ground, usable
from deskhand.pipeline.pictures import PromptPictures, Shown, kept_pictures
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.recording import MemoryUpdateStrategy
from deskhand.pipeline.services import HostPipelineAgent
from deskhand.pipeline.step_picture import StepPicture
from deskhand.store.log_folder import LogFolder


@depends_on("log_path", "session_step")
@provides("desktop_screenshot_path", "desktop_picture", "target_registry", "annotation_dict")
class DesktopDataCollectionStrategy(BaseProcessingStrategy):
    """Takes a picture of the whole desktop and numbers its windows, and the agents without a window, from 1."""

    async def execute(self, agent: HostPipelineAgent, context: HostAgentProcessorContext) -> ProcessingResult:
        windows = await desktop_windows(agent)
        agent.services.documents.update(windows)
        agent.known_windows = frozenset(window.handle for window in windows)
        picture = await desktop_picture(agent, context.shared)
        drawing = StepPicture(lambda: picture)
        if context.confirming is not None:
            await keep_confirm_picture(agent, context, picture, windows)
            return ProcessingResult(success=True, data=self.unchanged(context))
        path = LogFolder(context.log_path).desktop(context.session_step)
        saved = await keep_picture(agent, context.shared, "desktop", path, drawing)
        registry = TargetRegistry()
        for number, target in enumerate((*windows, *agent.on_offer), start=1):
            registry.register(replace(target, id=str(number)))
        return ProcessingResult(
            success=True,
            data={
                "desktop_screenshot_path": saved,
                "desktop_picture": drawing,
                "target_registry": registry,
                "annotation_dict": dict(registry.targets),
            },
        )


@depends_on("desktop_screenshot_path", "desktop_picture", "target_registry", "annotation_dict")
@provides(*REPLY_FIELDS)
class HostLLMInteractionStrategy(BaseProcessingStrategy):
    """Asks the model for the next application and its subtask, unless it claimed FINISH with the last one."""

    async def execute(self, agent: HostPipelineAgent, context: HostAgentProcessorContext) -> ProcessingResult:
        ground = planning_ground(agent, context.annotation_dict or {})
        if (ahead := agent.finish_claimed_ahead(context.shared)) is not None:
            claimed = Answer(UsableReply(ahead, (), ground), (), "", 0.0)
            return ProcessingResult(success=True, data={**claimed.fields(), **claimed.reply.fields()})
        registry = context.target_registry or TargetRegistry()
        request = model_request(agent, context, ground, controls=registry.to_list())
        request = replace(request, picture=context.desktop_screenshot_path or "")

        check = partial(check_assignment, agent)
        shown = kept_pictures(agent)
        shown += [Shown("the desktop now", drawing)] if (drawing := context.desktop_picture) else []
        parse = usable(HostAgentResponse, request, ground, check)
        answer = await ask(agent, context.shared, request, parse, PromptPictures(shown))
        return ProcessingResult(success=True, data={**answer.fields(), **answer.reply.fields()})


def check_assignment(agent: HostPipelineAgent, reply: HostAgentResponse) -> None:
    """Raises: ReplyDefect where an ASSIGN has no subtask or no target."""
    if reply.status != "ASSIGN":
        return
    if not reply.current_subtask:
        raise ReplyDefect("status ASSIGN needs the sub-task that is handed over")
    if not agent.has_target and not reply.ordered_actions():
        raise ReplyDefect("status ASSIGN needs the label of a window or an agent; none was selected before")


@depends_on("parsed_response", "planned_actions", "planning_ground", "annotation_dict", "log_path", "session_step")
@provides(*ACTION_FIELDS)
class HostActionExecutionStrategy(BaseProcessingStrategy):
    """Selects or launches an application, or assigns an agent, under the same gate and rules as every action."""

    async def execute(self, agent: HostPipelineAgent, context: HostAgentProcessorContext) -> ProcessingResult:
        reply = context.parsed_response
        done = await act_on(agent, context, reply)
        agent.after_actions(context.shared, done.actions)
        if reply is not None and reply.current_subtask:
            agent.assign(reply.current_subtask, tuple(reply.message), is_last=reply.last)
        return ProcessingResult(success=True, data=done.fields())


class HostMemoryUpdateStrategy(MemoryUpdateStrategy):
    """Records the step."""


class HostAgentProcessor(ProcessorTemplate[HostAgentProcessorContext]):
    """The four phases over the desktop."""

    processor_context_class = HostAgentProcessorContext

    @classmethod
    def build_strategies(cls) -> Strategies:
        return {
            ProcessingPhase.DATA_COLLECTION: DesktopDataCollectionStrategy(),
            ProcessingPhase.LLM_INTERACTION: HostLLMInteractionStrategy(),
            ProcessingPhase.ACTION_EXECUTION: HostActionExecutionStrategy(fail_fast=False),
            ProcessingPhase.MEMORY_UPDATE: HostMemoryUpdateStrategy(fail_fast=False),
        }
