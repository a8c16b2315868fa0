"""The phases of an OperatorAgent's step: the screen, one turn of the vendor's model, its actions one by one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol

from deskhand import (
    BaseProcessingStrategy,
    ComposedStrategy,
    ProcessingPhase,
    ProcessingResult,
    ProcessorTemplate,
    depends_on,
    provides,
)
from deskhand.agent_parts import (
    ACTION_FIELDS,
    REPLY_FIELDS,
    ActionCommandInfo,
    ActionInfo,
    AppAgentProcessorContext,
    AppScreenshotCaptureStrategy,
    Conclusion,
    MemoryUpdateStrategy,
    PipelineAgent,
    act_on,
    after_failure,
    after_repeats,
    ask_models,
    desktop_picture,
    desktop_windows,
    failed_step,
    hold,
    model_request,
    planning_ground,
    tell_reply,
)
from deskhand.core.errors import ErrorInfo, ModelRefused, ReplyDefect, RequestTooLong
from deskhand.core.model import Message, ModelReply, TextPart
from deskhand.core.replies import AppAgentResponse
from deskhand.core.statuses import AgentStatus, Cause, StepVerdict
from deskhand.operator.actions import ActionOutcome, Codec, Picture, Size, Turn
from deskhand.operator.carrying import Carrier, Done, encoded
from deskhand.operator.coordinates import ShownScreen
from deskhand.operator.loop import Loop
from deskhand.operator.words import INSTRUCTIONS, reply_of, task_of

_REFUSALS: Final = ("refus", "safety", "content_filter", "blocked", "prohibited")
_TOO_LONG: Final = "context_window"


class LoopAgent(PipelineAgent, Protocol):
    """The interface of an OperatorAgent for its strategies."""

    loop: Loop

    @property
    def codec(self) -> Codec: ...


@dataclass(slots=True, kw_only=True)
class OperatorProcessorContext(AppAgentProcessorContext):
    """`screen`: the screen as it is sent; None while the last turn is not finished."""

    screen: Picture | None = None


@depends_on("observation")
@provides("screen")
class ScreenStrategy(BaseProcessingStrategy):
    """Takes the screen's picture for the next request."""

    async def execute(self, agent: LoopAgent, context: OperatorProcessorContext) -> ProcessingResult:
        if context.confirming is not None or agent.loop.due is not None:
            return ProcessingResult(success=True, data=self.unchanged(context))
        windows = await desktop_windows(agent)
        picture = await desktop_picture(agent, context.shared)
        codec = agent.codec
        size = codec.fit(Size(picture.rect.width, picture.rect.height))
        agent.loop.shown = ShownScreen(picture.rect, size, codec.space, windows)
        return ProcessingResult(success=True, data={"screen": encoded(picture, picture.rect, size)})


@depends_on("screen")
@provides(*REPLY_FIELDS)
class TurnStrategy(BaseProcessingStrategy):
    """Asks the vendor's model for its next turn, unless actions of the last one are left."""

    async def execute(self, agent: LoopAgent, context: OperatorProcessorContext) -> ProcessingResult:
        loop = agent.loop
        ground = planning_ground(agent, {})
        fields: dict[str, object] = {"planned_actions": (), "planning_ground": ground}
        if loop.due is not None or context.screen is None:
            rest = reply_of(loop.turn) if loop.turn else None
            nothing = {"response_text": "", "reply_position": None, "reply_healing": None}
            asked = {"prompt_message": (), **nothing, "llm_cost": 0.0}
            return ProcessingResult(success=True, data={**fields, **asked, **_parts(rest)})
        _prepare(agent, context, loop)
        loop.close_turn(context.screen, agent.services.settings.max_repeats)
        request = model_request(agent, context, ground)
        request = replace(request, messages=(Message("user", (TextPart(loop.task),)),))
        answer = await ask_models(agent, context.shared, request, _turn_of(agent))
        loop.begin(answer.reply)
        return ProcessingResult(success=True, data={**fields, **answer.fields(), **_parts(reply_of(answer.reply))})


def _prepare(agent: LoopAgent, context: OperatorProcessorContext, loop: Loop) -> None:
    """Set the words for the next request."""
    if not loop.task:
        loop.instructions, loop.task = INSTRUCTIONS, task_of(context, agent.application)
    notes = [loop.note, context.followed or "", *context.shared.allowance.warnings()]
    known = agent.services.blackboard.questions
    notes += [f"The user answered {question!r}: {known[question]}" for question in agent.questions if question in known]
    agent.questions = ()
    loop.note = "\n".join(filter(None, notes))


def _parts(reply: AppAgentResponse | None) -> dict[str, object]:
    known = reply or AppAgentResponse(status="CONTINUE")
    return {
        "parsed_response": known,
        "thought": known.thought,
        "observation_text": "",
        "plan": (),
        "comment": "",
        "questions": tuple(known.questions),
        "result": known.result,
    }


def _turn_of(agent: LoopAgent) -> Callable[[ModelReply], Turn]:
    """The parser of replies. Raises: ReplyDefect, ModelRefused, RequestTooLong."""

    def parse(reply: ModelReply) -> Turn:
        turn, name = agent.codec.reply(reply.content), agent.models[0].name
        why = turn.stopped.lower()
        if any(word in why for word in _REFUSALS):
            raise ModelRefused(f"{name} declined to go on: {turn.stopped}", fix="reword the request", usage=reply.usage)
        if _TOO_LONG in why:
            raise RequestTooLong(f"{name} cannot read a conversation that long", fix="ask for less", usage=reply.usage)
        if turn.stopped:
            raise ReplyDefect(f"the reply ended early: {turn.stopped}")
        if not turn.calls and not turn.text:
            raise ReplyDefect("the reply has neither words nor an action")
        return turn

    return parse


@depends_on("parsed_response", "planned_actions", "planning_ground")
@provides(*ACTION_FIELDS)
class BatchStrategy(BaseProcessingStrategy):
    """Carries out a turn's actions in order, up to the first failure, or takes its last words as a claim."""

    async def execute(self, agent: LoopAgent, context: OperatorProcessorContext) -> ProcessingResult:
        loop, reply = agent.loop, context.parsed_response
        if loop.turn is not None and not loop.turn.calls:
            await self._release(agent, context)
            done = self._doubted(agent, context) or await act_on(agent, context, reply)
            if done.verdict.status == AgentStatus.CONTINUE:
                loop.note = f"That was not accepted: {done.verdict.reason}"
            return ProcessingResult(success=True, data=done.fields())
        if reply is not None and context.response_text:
            tell_reply(agent, context.shared, reply, context.response_text)
        infos: list[ActionCommandInfo] = []
        verdict = self._repeated(agent) or await self._batch(agent, context, infos)
        return ProcessingResult(success=True, data=Conclusion(ActionInfo(infos), verdict).fields())

    async def _batch(
        self, agent: LoopAgent, context: OperatorProcessorContext, infos: list[ActionCommandInfo]
    ) -> StepVerdict:
        loop = agent.loop
        carrier = self._carrier(agent, context)
        while (due := loop.due) is not None:
            if spent := context.shared.allowance.spent():
                loop.record(ActionOutcome(f"Not executed: {spent}", failed=True))
                return StepVerdict(AgentStatus.CONTINUE, Cause.LLM, "reply", spent)
            try:
                done = await carrier.carry_out(due.action, due.call.checks if due.unchecked else ())
            except Exception as error:
                loop.record(ActionOutcome(f"It is not known whether it was done: {error}", failed=True))
                raise
            if done.held is not None:
                return hold(agent, context.shared, carrier.executor, *done.held)
            infos += [done.info] if done.info else []
            loop.record(done.outcome)
            if done.outcome.failed:
                return _failed(agent, done)
        agent.failed_steps = 0
        return StepVerdict(AgentStatus.CONTINUE, Cause.LLM, "reply", loop.turn.text if loop.turn else "")

    @staticmethod
    def _repeated(agent: LoopAgent) -> StepVerdict | None:
        """Stop a model that goes on with the same turn after the warning; None for any other."""
        loop, allowed = agent.loop, agent.services.settings.max_repeats
        if loop.turn is None or not allowed or loop.repeats < allowed or not loop.repeats_again:
            return None
        loop.skip_rest()
        return after_repeats(allowed, ", ".join(call.name for call in loop.turn.calls))

    @staticmethod
    def _doubted(agent: LoopAgent, context: OperatorProcessorContext) -> Conclusion | None:
        """Withdraw a claim right after a turn that failed; the next one is accepted. None for any other reply."""
        reply, failure = context.parsed_response, agent.loop.failure
        if reply is None or reply.status != AgentStatus.FINISH or not failure:
            return None
        tell_reply(agent, context.shared, reply, context.response_text or "")
        agent.loop.failure = ""
        agent.failed_steps += 1
        reason = f"your last action failed: {failure} Do it in another way, or claim DONE again if it is not needed"
        error = ErrorInfo("ClaimCorrected", reason, recoverable=True)
        allowed = agent.services.settings.max_failed_steps
        return Conclusion(ActionInfo(), after_failure(error, agent.kind, agent.failed_steps, allowed))

    async def _release(self, agent: LoopAgent, context: OperatorProcessorContext) -> None:
        """Release the button and the keys that the model left down."""
        for action in agent.loop.release():
            await self._carrier(agent, context).carry_out(action)

    @staticmethod
    def _carrier(agent: LoopAgent, context: OperatorProcessorContext) -> Carrier:
        shown = agent.loop.shown
        if shown is None:
            raise ReplyDefect("no screen was shown yet")
        return Carrier(agent, context, shown, agent.codec)


def _failed(agent: LoopAgent, done: Done) -> StepVerdict:
    if done.info is not None and not done.info.done:
        return failed_step(agent, ActionInfo([done.info]))
    agent.failed_steps += 1
    error = done.error or ErrorInfo("ActionRefused", done.outcome.text, recoverable=True)
    return after_failure(error, agent.kind, agent.failed_steps, agent.services.settings.max_failed_steps)


class OperatorProcessor(ProcessorTemplate[OperatorProcessorContext]):
    """The four phases over the screen and a vendor's turns."""

    processor_context_class = OperatorProcessorContext

    @classmethod
    def build_strategies(cls) -> Mapping[ProcessingPhase, BaseProcessingStrategy]:
        looks = (AppScreenshotCaptureStrategy(), ScreenStrategy())
        return {
            ProcessingPhase.DATA_COLLECTION: ComposedStrategy(looks, "OperatorDataCollectionStrategy"),
            ProcessingPhase.LLM_INTERACTION: TurnStrategy(),
            ProcessingPhase.ACTION_EXECUTION: BatchStrategy(fail_fast=False),
            ProcessingPhase.MEMORY_UPDATE: MemoryUpdateStrategy(fail_fast=False),
        }
