"""A model that cannot be asked now: asked again, or another one, or given up (contract 3.2)."""

from pathlib import Path
from random import Random

import anyio
import pytest

from deskhand.core.errors import (
    DeskhandError,
    ModelBroken,
    ModelBusy,
    ModelDenied,
    ModelRefused,
    ModelSilent,
    ModelUnavailable,
    RequestTooLong,
)
from deskhand.core.events import ModelAnswered, ModelAsked, RoundFinished
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.usage import Usage
from deskhand.models.scripted import ScriptedModel, ScriptedReply
from deskhand.pipeline.retry_policy import RetryPolicy
from notes import Notes, prompt_of
from stage import Stage, stage

FAST = RetryPolicy(first_s=0.001, most_s=0.01)
DONE = ModelReply({"status": "FINISH"}, "", Usage(100, 20, 0.5))
NEVER = 1e9


def asked(replies: list[ScriptedReply], path: Path, **options: object) -> Stage:
    backup = options.pop("backup", None)
    assert backup is None or isinstance(backup, ScriptedModel)
    return stage(Notes().desktop, ScriptedModel(replies), log_path=path, retries=FAST, backup=backup, settings=options)


@pytest.mark.requires("pipeline.retries")
@pytest.mark.parametrize("error", [ModelBusy("too many"), ModelBroken("500"), ModelSilent("late")])
async def test_what_may_pass_is_tried_again_until_it_passes(tmp_path: Path, error: DeskhandError) -> None:
    it = asked([error, error, DONE], tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    calls = it.events.of(ModelAnswered)
    assert [call.attempt for call in calls] == [1, 2, 3]
    assert [call.error.type if call.error else "" for call in calls] == [type(error).__name__] * 2 + [""]
    waits = [call.retry_in_s for call in calls]
    assert [wait is not None and 0 < wait <= most for wait, most in zip(waits, (0.001, 0.002, 0), strict=True)] == [
        True,
        True,
        False,
    ]
    assert it.context.session_step == 1, "a call that is made again is no step"


@pytest.mark.requires("pipeline.retries")
async def test_after_four_calls_a_model_is_given_up_and_its_backup_asked(tmp_path: Path) -> None:
    backup = ScriptedModel([DONE], name="backup")
    it = asked([ModelBusy("too many")] * 9, tmp_path, backup=backup)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert (len(it.model.requests), len(backup.requests)) == (4, 1)
    assert [event.model for event in it.events.of(ModelAsked)] == ["scripted"] * 4 + ["backup"]


@pytest.mark.requires("pipeline.retries")
@pytest.mark.parametrize("error", [ModelDenied("wrong key"), ModelRefused("I will not")])
async def test_what_does_not_pass_goes_to_the_backup_at_once(tmp_path: Path, error: DeskhandError) -> None:
    backup = ScriptedModel([DONE], name="backup")
    it = asked([error], tmp_path, backup=backup)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert (len(it.model.requests), len(backup.requests)) == (1, 1)


@pytest.mark.requires("pipeline.retries")
async def test_a_server_that_wants_to_be_left_alone_for_long_is_not_waited_for(tmp_path: Path) -> None:
    it = asked([ModelBusy("come back tomorrow", retry_after_s=NEVER)], tmp_path)
    ending = await it.run()
    assert (ending.outcome, len(it.model.requests)) == (Outcome.ERROR, 1)
    assert "come back tomorrow" in ending.reason


@pytest.mark.requires("pipeline.retries")
async def test_no_wait_is_longer_than_what_is_left_of_the_session(tmp_path: Path) -> None:
    it = stage(
        Notes().desktop,
        ScriptedModel([ModelBusy("later", retry_after_s=30.0)]),
        log_path=tmp_path,
        retries=RetryPolicy(),
        settings={"max_seconds": 20.0},
    )
    assert (await it.run()).outcome is Outcome.ERROR
    assert [call.retry_in_s for call in it.events.of(ModelAnswered)] == [None]


@pytest.mark.requires("pipeline.retries")
async def test_a_request_that_is_too_long_is_shortened_once(tmp_path: Path) -> None:
    notes = Notes()
    it = stage(notes.desktop, ScriptedModel([RequestTooLong("8192")] * 2), log_path=tmp_path, retries=FAST)
    it.services.blackboard.save("table", "x" * 4000, application="calc", step=1)
    ending = await it.run()
    assert (ending.outcome, len(it.model.requests)) == (Outcome.ERROR, 2)
    long, short = (len(prompt_of(request)) for request in it.model.requests)
    assert short < long


@pytest.mark.requires("pipeline.call-budget")
@pytest.mark.parametrize(
    ("limits", "usage", "outcome"),
    [
        ({"max_tokens": 100}, Usage(90, 30, 0.0), Outcome.BUDGET),
        ({"max_usd": 0.2}, Usage(1, 1, 0.3), Outcome.BUDGET),
    ],
)
async def test_no_call_is_made_when_a_budget_is_spent_in_the_middle_of_a_step(
    tmp_path: Path, limits: dict[str, object], usage: Usage, outcome: Outcome
) -> None:
    """The first reply cannot be used; asking again would cost what is not there any more."""
    it = asked([ModelReply({}, "", usage), DONE], tmp_path, **limits)
    assert (await it.run()).outcome is outcome
    assert len(it.model.requests) == 1
    assert [event.outcome for event in it.events.of(RoundFinished)] == [outcome.value]


@pytest.mark.requires("pipeline.call-budget")
async def test_a_model_that_thinks_longer_than_the_session_may_last_is_not_waited_for(tmp_path: Path) -> None:
    class Slow(ScriptedModel):
        async def respond(self, request: ModelRequest) -> ModelReply:
            self.requests.append(request)
            await anyio.sleep_forever()
            raise AssertionError

    it = stage(Notes().desktop, Slow([]), log_path=tmp_path, retries=FAST, settings={"max_seconds": 0.1})

    async def time_passes() -> None:
        while not it.model.requests:
            await anyio.lowlevel.checkpoint()
        it.clock.time_s += 0.2

    async with anyio.create_task_group() as group:
        group.start_soon(time_passes)
        with anyio.fail_after(10):
            assert (await it.run()).outcome is Outcome.TIMEOUT
    (call,) = it.events.of(ModelAnswered)
    assert call.error is not None
    assert (call.error.type, call.cost_usd) == ("ModelSilent", None)


@pytest.mark.requires("pipeline.call-budget")
async def test_a_model_is_warned_when_four_fifths_of_a_budget_are_used_up(tmp_path: Path) -> None:
    looks = [ModelReply({"status": "CONTINUE"}, "", Usage(30, 12, 0.0))] * 2
    it = asked([*looks, DONE], tmp_path, max_tokens=100, max_step=3)
    assert (await it.run()).outcome is Outcome.SUCCESS
    told = [request.warnings for request in it.model.requests]
    assert told[:2] == [(), ()]
    assert "84 of 100 tokens are used up" in told[2][1]
    assert "3 of 3 steps" in told[2][0]


@pytest.mark.requires("pipeline.retries")
def test_waits_grow_are_shortened_at_random_and_end() -> None:
    policy, random = RetryPolicy(calls=6, first_s=1.0, most_s=5.0), Random(1)  # noqa: S311 - the same every time
    for failed, most in enumerate((1.0, 2.0, 4.0, 5.0, 5.0), start=1):
        waits = [policy.wait_s(ModelBusy("x"), failed, random) for _ in range(50)]
        assert all(wait and most / 2 <= wait <= most for wait in waits)
        assert len(set(waits)) > 10
    assert policy.wait_s(ModelBusy("x"), 6, random) is None
    assert policy.wait_s(ModelDenied("x"), 1, random) is None
    said = policy.wait_s(ModelBusy("x", retry_after_s=4.0), 1, random)
    assert said is not None
    assert 4.0 <= said <= 4.4
    assert policy.wait_s(ModelBusy("x", retry_after_s=5.1), 1, random) is None
    assert ModelUnavailable("x").retryable is False
