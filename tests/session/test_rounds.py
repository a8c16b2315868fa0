"""Several rounds in one session: what is carried over, and where the next request comes from (contract 2.3)."""

from pathlib import Path

import anyio
import pytest

from deskhand.core.events import RoundFinished, RoundStarted
from deskhand.core.model import ModelReply
from deskhand.core.outcomes import Outcome
from deskhand.core.usage import Usage
from deskhand.models.scripted import ScriptedModel
from deskhand.session import NextRequest
from notes import APP, Notes, prompt_of
from stage import Stage, assign, say, stage


def requests(*more: str, asked: list[str] | None = None) -> NextRequest:
    """Somebody who wants these things, one after the other, and then nothing."""
    left = list(more)

    async def next_request() -> str:
        if asked is not None:
            asked.append("asked")
        return left.pop(0) if left else ""

    return next_request


def two_rounds(log_path: Path) -> Stage:
    host = [
        assign("Notes", "Read the counter"),
        say("FINISH", result="read"),
        assign("Notes", "Use it"),
        say("FINISH", result="used"),
    ]
    app = [
        say("CONTINUE", "texts", "Text", save_as="note"),
        say("FINISH", result="it says nothing", comment="remember this"),
        say("FINISH", result="done"),
    ]
    return stage(Notes().desktop, {"HostAgent": host, APP: app}, log_path=log_path)


@pytest.mark.requires("round.several", "memory.carried-over")
async def test_the_second_round_knows_what_the_first_one_left(tmp_path: Path) -> None:
    it = two_rounds(tmp_path)
    ending = await it.run("Read it", "Use it")
    assert ending.outcome is Outcome.SUCCESS
    host, agent = it.model.requests[4:6]
    assert (host.request, agent.request) == ("Use it", "Use it")
    for asked in (host, agent):
        assert list(asked.blackboard) == ["note"]
        for known in ("Read it", "it says nothing", "note: ", "texts"):
            assert known in prompt_of(asked)
    assert [record.result for record in agent.previous_subtasks] == ["it says nothing"]
    (app_agent,) = it.host.appagent_dict.values()
    assert [item.get("subtask") for item in app_agent.memory.items] == ["Read the counter"] * 2 + ["Use it"]
    assert [item.get("round_num") for item in it.host.memory.items] == [1, 1, 2, 2]
    assert agent.steps_done == ()


@pytest.mark.requires("round.several")
async def test_a_person_is_asked_for_the_next_request_until_there_is_none(tmp_path: Path) -> None:
    asked: list[str] = []
    it = stage(Notes().desktop, {"HostAgent": [say("FINISH")] * 3}, log_path=tmp_path)
    ending = await it.run("one", next_request=requests("two ", "three", asked=asked))
    assert [event.request for event in it.events.of(RoundStarted)] == ["one", "two", "three"]
    assert (ending.outcome, len(asked)) == (Outcome.SUCCESS, 3)


async def test_a_round_that_failed_does_not_keep_the_person_from_going_on(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {"HostAgent": [say("FAIL", comment="no"), say("FINISH")]}, log_path=tmp_path)
    ending = await it.run("one", next_request=requests("two"))
    assert [event.outcome for event in it.events.of(RoundFinished)] == ["failed", "success"]
    assert (ending.outcome, ending.reason) == (Outcome.FAILED, "no")


@pytest.mark.requires("round.budgets")
async def test_nobody_is_asked_for_a_request_that_no_round_may_take(tmp_path: Path) -> None:
    asked: list[str] = []
    it = stage(Notes().desktop, {"HostAgent": [say("FINISH")] * 2}, log_path=tmp_path, settings={"max_round": 2})
    ending = await it.run("one", next_request=requests("two", "three", asked=asked))
    assert (ending.outcome, len(asked)) == (Outcome.SUCCESS, 1)


@pytest.mark.requires("round.budgets")
@pytest.mark.parametrize("settings", [{"max_step": 1}, {"max_seconds": 30.0}, {"max_tokens": 10}, {"max_usd": 0.5}])
async def test_nobody_is_asked_for_a_request_once_a_budget_is_spent(
    tmp_path: Path, settings: dict[str, object]
) -> None:
    it: list[Stage] = []

    def slow_and_dear(_: object) -> ModelReply:
        it[0].clock.time_s += 60
        return ModelReply({"status": "FINISH"}, "", Usage(100, 50, 0.5))

    asked: list[str] = []
    it.append(stage(Notes().desktop, ScriptedModel(slow_and_dear), log_path=tmp_path, settings=settings))
    ending = await it[0].run("one", next_request=requests("two", asked=asked))
    assert (ending.outcome, asked) == (Outcome.SUCCESS, [])


@pytest.mark.requires("round.on-error")
async def test_after_an_error_nobody_is_asked_unless_the_setting_says_so(tmp_path: Path) -> None:
    for on_error, rounds in (("stop", 1), ("next_round", 2)):
        replies = {"HostAgent": [say("ERROR"), say("FINISH")]}
        it = stage(Notes().desktop, replies, log_path=tmp_path, settings={"on_error": on_error})
        ending = await it.run("one", next_request=requests("two"))
        assert (ending.outcome, len(it.events.of(RoundFinished))) == (Outcome.ERROR, rounds)


@pytest.mark.requires("round.budgets")
async def test_the_wait_for_the_next_request_is_not_counted(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {"HostAgent": [say("FINISH")] * 2}, log_path=tmp_path, settings={"max_seconds": 60.0})
    left = ["two", ""]

    async def slowly() -> str:
        it.clock.time_s += 1000
        return left.pop(0)

    assert (await it.run("one", next_request=slowly)).outcome is Outcome.SUCCESS
    assert len(it.events.of(RoundFinished)) == 2


async def test_cancelled_while_a_person_thinks_the_session_is_cancelled(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {"HostAgent": [say("FINISH")]}, log_path=tmp_path)
    with anyio.move_on_after(1) as scope:

        async def never() -> str:
            scope.cancel()
            await anyio.sleep_forever()
            return ""

        await it.run("one", next_request=never)
    assert scope.cancelled_caught
    assert [event.outcome for event in it.events.of(RoundFinished)] == ["success"]


async def test_without_any_request_nothing_is_a_success(tmp_path: Path) -> None:
    from deskhand.session import Session  # noqa: PLC0415

    it = stage(Notes().desktop, {}, log_path=tmp_path)
    ending = await Session((), it.agent, it.context, it.services.settings).run()
    assert (ending.outcome, ending.reason) == (Outcome.FAILED, "there was no request")
