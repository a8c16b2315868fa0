"""Phases, strategies and the check that they fit together (contract 3.1)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from deskhand.agents import AppAgent
from deskhand.core.errors import CaptureFailed, PipelineError, ProcessingError
from deskhand.core.events import PhaseFinished, StepFinished, StepStarted
from deskhand.core.statuses import Cause, StepVerdict
from deskhand.pipeline.app.strategies import AppAgentProcessor
from deskhand.pipeline.context import AppAgentProcessorContext, ProcessingContext
from deskhand.pipeline.framework import (
    BaseProcessingStrategy,
    ComposedStrategy,
    ProcessingPhase,
    ProcessingResult,
    check_chain,
    depends_on,
    provides,
)
from deskhand.pipeline.middleware import ProcessorMiddleware
from deskhand.pipeline.services import PipelineAgent
from notes import Notes
from stage import Stage, stage

DATA, MODEL, ACTION, MEMORY = ProcessingPhase
GOOD = StepVerdict("FINISH", Cause.LLM, "reply")


class Plain(BaseProcessingStrategy):
    """Returns what it was given, or raises it; notes that it ran."""

    def __init__(
        self,
        name: str,
        log: list[str],
        gives: Mapping[str, object] | Exception | None = None,
        *,
        fail_fast: bool = True,
    ) -> None:
        super().__init__(name, fail_fast=fail_fast)
        self._log, self._gives = log, gives or {}

    async def execute(self, agent: Any, context: Any) -> ProcessingResult:
        self._log.append(self.name)
        if isinstance(self._gives, Exception):
            raise self._gives
        return ProcessingResult(success=True, data=self._gives)


@provides("verdict")
class Decides(Plain):
    pass


@provides("thought")
class Thinks(Plain):
    pass


@depends_on("thought")
@provides("comment")
class Comments(Plain):
    pass


@depends_on("comment")
@provides("thought")
class Answers(Plain):
    pass


@depends_on("thought")
@provides("thought")
class NeedsItself(Plain):
    pass


@depends_on("request", "subtask", "plan", "previous_subtasks", "app_root", "log_path", "session_step", "host_message")
class NeedsWhatIsGiven(Plain):
    pass


@depends_on("no_such_thing")
class NeedsUnknown(Plain):
    pass


@provides("no_such_thing")
class GivesUnknown(Plain):
    pass


Phases = Mapping[ProcessingPhase, BaseProcessingStrategy]


class Watching:
    """Middleware that writes down what it saw."""

    def __init__(self, log: list[str]) -> None:
        self._log = log

    def before_process(self, agent: PipelineAgent, local: ProcessingContext) -> None:
        self._log.append("before")

    def after_process(self, agent: PipelineAgent, local: ProcessingContext, result: ProcessingResult) -> None:
        self._log.append(f"after {result.success}")

    def on_error(
        self, agent: PipelineAgent, local: ProcessingContext, phase: ProcessingPhase, error: Exception
    ) -> None:
        self._log.append(f"{phase}: {error}")


class OwnProcessor(AppAgentProcessor):
    """An AppAgent's processor of a test's own strategies."""

    phases: ClassVar[Phases] = {}
    watching: ClassVar[Sequence[ProcessorMiddleware]] = ()

    @classmethod
    def build_strategies(cls) -> Phases:
        return cls.phases

    def build_middleware(self) -> Sequence[ProcessorMiddleware]:
        return (*super().build_middleware(), *self.watching)


async def on_stage(log_path: Path) -> Stage:
    notes = Notes()
    (window,) = await notes.desktop.windows()
    return stage(notes.desktop, {}, log_path=log_path, hostless=window)


def processor(it: Stage, phases: Phases, watching: Sequence[ProcessorMiddleware] = ()) -> OwnProcessor:
    class Own(OwnProcessor):
        pass

    Own.phases, Own.watching = phases, watching
    return Own(it.agent, it.context)


@pytest.mark.requires("pipeline.wiring")
@pytest.mark.parametrize(
    ("phases", "said"),
    [
        ({DATA: NeedsUnknown("x", [])}, r"x names 'no_such_thing', which AppAgentProcessorContext does not have"),
        ({DATA: GivesUnknown("x", [])}, r"x names 'no_such_thing'"),
        ({DATA: Comments("x", [])}, r"x needs 'thought', which nothing before it provides"),
        ({DATA: Comments("x", []), MODEL: Thinks("y", [])}, r"x needs 'thought'"),
        ({DATA: Thinks("x", []), MODEL: Thinks("y", [])}, r"y and x both provide 'thought'"),
        ({DATA: ComposedStrategy([Comments("inner", []), Thinks("y", [])])}, r"y comes after it"),
        ({DATA: NeedsItself("x", [])}, r"x needs 'thought', which nothing before it provides: it provides that itself"),
        ({DATA: Comments("x", []), MODEL: Answers("y", [])}, r"y does, and needs x itself: a cycle"),
        ({DATA: Thinks("x", []), MODEL: ComposedStrategy([Thinks("inner", [])])}, r"inner and x both provide"),
        ({DATA: ComposedStrategy([ComposedStrategy([NeedsUnknown("deep", [])])])}, r"deep names 'no_such_thing'"),
    ],
)
async def test_strategies_that_do_not_fit_together_are_named_when_the_processor_is_built(
    tmp_path: Path, phases: Phases, said: str
) -> None:
    it = await on_stage(tmp_path)
    with pytest.raises(PipelineError, match=said):
        processor(it, phases)


@pytest.mark.requires("pipeline.wiring")
def test_a_decorator_without_fields_or_above_something_else_is_refused_where_it_is_written() -> None:
    with pytest.raises(PipelineError, match="provides of Plain names no field"):
        provides()(Plain)
    with pytest.raises(PipelineError, match="twice"):
        depends_on("plan", "plan")(Plain)
    with pytest.raises(PipelineError, match="above <function"):
        provides("plan")(processor)  # pyright: ignore[reportArgumentType, reportUnknownMemberType] - the mistake
    assert Plain.declared_gives == ()


@pytest.mark.requires("pipeline.wiring")
def test_a_processor_whose_steps_would_have_no_status_or_whose_methods_nothing_calls_is_refused() -> None:
    class Silent(OwnProcessor):
        phases: ClassVar[Phases] = {DATA: Plain("data", [])}

    with pytest.raises(PipelineError, match="no strategy of Silent provides 'verdict'"):

        class SilentAgent(AppAgent):  # pyright: ignore[reportUnusedClass]
            processor_class = Silent

    for methods, problem in (
        ({"_setup_strategies": print}, "nothing calls _setup_strategies"),
        ({"_setup_middleware": print}, "nothing calls _setup_middleware"),
        ({"build_strategies": print}, "build_strategies of Wrong needs an object"),
    ):
        with pytest.raises(PipelineError, match=problem):
            type("Wrong", (OwnProcessor,), methods)


@pytest.mark.requires("pipeline.wiring")
def test_what_the_processor_sets_counts_as_provided_and_so_does_an_earlier_child() -> None:
    composed = ComposedStrategy([Thinks("a", []), Comments("b", [])])
    check_chain({DATA: NeedsWhatIsGiven("g", []), MODEL: composed}, AppAgentProcessorContext)
    assert (composed.needs, composed.gives) == ((), ("thought", "comment"))


@pytest.mark.requires("pipeline.phase-order")
async def test_the_phases_run_in_order_and_a_composed_child_sees_what_came_before(tmp_path: Path) -> None:
    log: list[str] = []
    phases: Phases = {
        MEMORY: Plain("memory", log),
        ACTION: Decides("action", log, {"verdict": GOOD}),
        MODEL: ComposedStrategy([Thinks("think", log, {"thought": "t"}), Comments("comment", log, {"comment": "c"})]),
        DATA: Plain("data", log),
    }
    it = await on_stage(tmp_path)
    runner = processor(it, phases)
    result = await runner.process()
    assert log == ["data", "think", "comment", "action", "memory"]
    assert (result.success, runner.processing_context.verdict) == (True, GOOD)
    assert runner.processing_context.get_local("thought") == "t"
    assert [event.phase for event in it.events.of(PhaseFinished)] == [*map(str, (DATA, MODEL, ACTION, MEMORY))]


@pytest.mark.requires("pipeline.fail-fast", "pipeline.phase-order")
@pytest.mark.parametrize("fail_fast", [True, False])
async def test_fail_fast_skips_to_memory_and_without_it_the_next_phase_runs(tmp_path: Path, fail_fast: bool) -> None:
    log: list[str] = []
    error = CaptureFailed("no picture")
    phases: Phases = {
        DATA: Plain("data", log),
        MODEL: Plain("model", log, error, fail_fast=fail_fast),
        ACTION: Decides("action", log, {"verdict": GOOD}),
        MEMORY: Plain("memory", log),
    }
    runner = processor(await on_stage(tmp_path), phases)
    result = await runner.process()
    assert log == ["data", "model", *([] if fail_fast else ["action"]), "memory"]
    assert (result.success, result.error) == (False, error)
    verdict = runner.processing_context.verdict
    assert verdict is not None
    assert (verdict.status, verdict.trigger) == ("CONTINUE", "corrected")


async def test_a_field_whose_provider_did_not_run_is_none(tmp_path: Path) -> None:
    class Remembers(Plain):
        async def execute(self, agent: Any, context: Any) -> ProcessingResult:
            self._log.append(f"{context.thought} {context.status}")
            return ProcessingResult(success=True)

    log: list[str] = []
    phases: Phases = {
        DATA: Plain("data", [], ValueError("x")),
        MODEL: Thinks("think", [], {"thought": "t"}),
        MEMORY: Remembers("memory", log),
    }
    await processor(await on_stage(tmp_path), phases).process()
    assert log == ["None ERROR"]


@pytest.mark.requires("pipeline.phase-order")
async def test_a_memory_update_that_fails_is_recorded_and_the_status_stands(tmp_path: Path) -> None:
    phases: Phases = {
        ACTION: Decides("action", [], {"verdict": GOOD}),
        MEMORY: Plain("memory", [], ValueError("no room")),
    }
    it = await on_stage(tmp_path)
    runner = processor(it, phases)
    result = await runner.process()
    assert (result.success, runner.processing_context.status) == (False, "FINISH")
    (event,) = it.events.of(StepFinished)
    assert (event.ok, event.status, event.problem) == (False, "FINISH", "memory raised ValueError: no room")


@pytest.mark.requires("pipeline.wiring")
async def test_what_was_declared_and_not_returned_is_an_error_that_names_it(tmp_path: Path) -> None:
    runner = processor(await on_stage(tmp_path), {DATA: Thinks("think", [])})
    result = await runner.process()
    assert str(result.error) == "think declared thought but did not return it"
    assert runner.processing_context.status == "ERROR"


@pytest.mark.requires("pipeline.wiring")
async def test_a_field_that_is_returned_and_not_declared_is_an_error_that_says_what_to_write(tmp_path: Path) -> None:
    runner = processor(await on_stage(tmp_path), {DATA: Thinks("think", [], {"thought": "t", "comment": "c"})})
    error = (await runner.process()).error
    assert isinstance(error, PipelineError)
    assert error.message == "think returned comment but does not declare it"
    assert error.fix == "write @provides('thought', 'comment') above it"


async def test_a_field_nobody_knows_fails_the_step_and_memory_still_runs(tmp_path: Path) -> None:
    log: list[str] = []
    phases: Phases = {DATA: Plain("data", [], {"no_such_thing": 1}), MEMORY: Plain("memory", log)}
    runner = processor(await on_stage(tmp_path), phases)
    result = await runner.process()
    assert str(result.error) == "data returned no_such_thing, which AppAgentProcessorContext lacks"
    assert (runner.processing_context.status, log) == ("ERROR", ["memory"])


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"thought": "t"}, "x returned a dict"),
        (None, "x returned a NoneType"),
        (ProcessingResult(success=False, error="no room"), "x failed: no room"),  # type: ignore[arg-type] - the mistake
    ],
)
async def test_what_is_no_result_or_has_a_text_as_its_error_fails_the_step_by_name(
    tmp_path: Path, returned: Any, message: str
) -> None:
    class Returns(Plain):
        async def execute(self, agent: Any, context: Any) -> ProcessingResult:
            return returned

    result = await processor(await on_stage(tmp_path), {DATA: Returns("x", [])}).process()
    assert (result.success, str(result.error).partition("\n")[0]) == (False, message)


@pytest.mark.requires("pipeline.wiring")
async def test_a_strategy_that_cannot_be_awaited_is_named_when_the_processor_is_built(tmp_path: Path) -> None:
    class Blocking(Plain):
        def execute(self, agent: Any, context: Any) -> ProcessingResult:  # pyright: ignore[reportIncompatibleMethodOverride] - the mistake
            return ProcessingResult(success=True)

    class TakesLess(Plain):
        async def execute(self, agent: Any) -> ProcessingResult:  # pyright: ignore[reportIncompatibleMethodOverride] - the mistake
            return ProcessingResult(success=True)

    it = await on_stage(tmp_path)
    for wrong in (Blocking("x", []), TakesLess("x", [])):
        with pytest.raises(PipelineError, match="execute of x cannot be awaited"):
            processor(it, {DATA: wrong})


async def test_a_failure_without_an_error_is_still_a_failure(tmp_path: Path) -> None:
    class Shrugs(Plain):
        async def execute(self, agent: Any, context: Any) -> ProcessingResult:
            return ProcessingResult(success=False)

    phases: Phases = {DATA: Shrugs("shrug", []), ACTION: Decides("action", [], {"verdict": GOOD})}
    runner = processor(await on_stage(tmp_path), phases)
    assert (await runner.process()).success is False
    assert runner.processing_context.status == "ERROR"


async def test_a_step_that_ends_without_a_status_is_an_error_and_no_success(tmp_path: Path) -> None:
    runner = processor(await on_stage(tmp_path), {DATA: Plain("data", [])})
    result = await runner.process()
    assert (result.success, runner.processing_context.status) == (False, "ERROR")


async def test_an_exception_that_is_not_ours_keeps_its_cause(tmp_path: Path) -> None:
    cause = ZeroDivisionError("by zero")
    result = await processor(await on_stage(tmp_path), {DATA: Plain("data", [], cause)}).process()
    assert isinstance(result.error, ProcessingError)
    assert result.error.cause is result.error.__cause__ is cause


async def test_a_composed_strategy_stops_at_a_child_that_fails_fast(tmp_path: Path) -> None:
    log: list[str] = []
    children = [Plain("a", log, ValueError("x"), fail_fast=False), Plain("b", log, ValueError("y")), Plain("c", log)]
    result = await processor(await on_stage(tmp_path), {DATA: ComposedStrategy(children)}).process()
    assert log == ["a", "b"]
    assert "x" in str(result.error)


@pytest.mark.requires("pipeline.middleware")
async def test_middleware_sees_the_step_and_every_error(tmp_path: Path) -> None:
    log: list[str] = []
    phases: Phases = {
        DATA: Plain("data", [], CaptureFailed("no picture")),
        MEMORY: Plain("memory", [], CaptureFailed("no room")),
    }
    it = await on_stage(tmp_path)
    await processor(it, phases, [Watching(log)]).process()
    assert log == ["before", "data_collection: no picture", "memory_update: no room", "after False"]
    (started,), (finished,) = it.events.of(StepStarted), it.events.of(StepFinished)
    assert (started.agent, started.application, started.state) == ("AppAgent", "notes", "CONTINUE")
    assert list(finished.phase_seconds) == ["data_collection", "memory_update"]


async def test_a_processing_context_says_what_it_does_not_know(tmp_path: Path) -> None:
    it = await on_stage(tmp_path)
    runner = processor(it, {DATA: Plain("data", [])})
    with pytest.raises(PipelineError, match="has not run a step yet"):
        _ = runner.processing_context
    await runner.execute_phase(DATA)
    with pytest.raises(PipelineError, match="no field 'nothing'"):
        runner.processing_context.get_local("nothing")


@pytest.mark.requires("pipeline.step-counts")
async def test_a_step_counts_from_its_start_whatever_becomes_of_it(tmp_path: Path) -> None:
    it = await on_stage(tmp_path)
    it.desktop.faults.fail("settle", CaptureFailed("no picture"))
    it.agent.set_state(it.agent.state_manager.get_state("CONTINUE"))
    await it.agent.process(it.context)
    counted = (it.context.session_step, it.context.current_round_step, it.agent.step)
    assert counted == (1, 1, 1)
    assert it.agent.memory.items[0].get("session_step") == 1
