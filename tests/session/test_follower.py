"""Follower mode: the steps of a plan take the place of the host's model (contract 2.3)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio
import pytest

from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.events import Event, ModelAnswered, ProblemMet, RoundFinished, TransitionTaken
from deskhand.core.json import JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import CheckResult
from deskhand.core.replies import Expectation
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.session.build import Ending, SessionPlan, run_on
from deskhand.session.clock import SystemClock
from deskhand.store.image_writer import ImageWriter
from deskhand.store.journal import Journal, read_events
from notes import prompt_of
from stage import Answer, Person, rule, say, scripted

T = TypeVar("T")
APP = "AppAgent/writer"
STEPS = ("Open the door", "Close the door")


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Pictures are written on a thread, which takes time that passes."""
    return "asyncio"


def writer() -> FakeDesktop:
    def open_document(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        box = FakeControl(Role.CHECKBOX, "Door")
        return FakeWindow(f"{file.name if file else 'Untitled'} Writer", [box])

    return FakeDesktop([FakeApplication("writer", open_document), FakeApplication("calc", open_document)])


class Impatient(FakeDesktop):
    """A desktop on which waiting for something ends at once."""

    def __init__(self) -> None:
        super().__init__(writer().applications.values())

    async def wait_until(self, condition: Callable[[], Awaitable[T | None]], *, deadline_s: float) -> T | None:
        return await super().wait_until(condition, deadline_s=min(deadline_s, 0.01))


@dataclass
class Truth:
    """A caller's check: `answers` in order, the last one for ever. `asked` counts."""

    answers: Sequence[bool]
    asked: int = 0
    name: str = "the file is right"
    data: list[Mapping[str, JsonValue]] = field(default_factory=list[Mapping[str, JsonValue]])

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
        self.asked += 1
        self.data.append(data)
        return (CheckResult(self.name, self.answers[min(self.asked, len(self.answers)) - 1]),)


@dataclass
class Followed:
    ending: Ending
    events: list[Event]
    prompts: list[str]

    @property
    def rounds(self) -> list[str]:
        return [event.outcome for event in self.events if isinstance(event, RoundFinished)]

    @property
    def edges(self) -> list[tuple[str, str]]:
        return [(event.source, event.to) for event in self.events if isinstance(event, TransitionTaken)]


async def follow(
    folder: Path,
    *replies: Answer,
    desktop: FakeDesktop | None = None,
    settings: Mapping[str, object] | None = None,
    **changes: object,
) -> Followed:
    document = folder / "door.odt"
    document.touch()
    system = SystemSection.model_validate({"mode": "follower", **(settings or {})})
    model = scripted({APP: replies})
    given: dict[str, object] = {
        "session_id": "s1",
        "session_dir": folder / "log",
        "requests": STEPS,
        "model": model,
        "configuration": Configuration(system=system),
        "object": document,
        "task": "Air the room",
        **changes,
    }
    plan = SessionPlan(**given)  # pyright: ignore[reportArgumentType] - fields of the plan
    clock = SystemClock()
    with anyio.fail_after(20), Journal(plan.session_dir, clock) as journal:
        async with ImageWriter(journal) as images:
            ending = await run_on(plan, desktop or writer(), journal, clock, images)
    return Followed(ending, list(read_events(plan.session_dir)), [prompt_of(request) for request in model.requests])


DONE = say("FINISH", "click_input", "Door", result="done")
FAILS = say("FAIL", comment="it is stuck")
STEP = [
    ("CONTINUE", "ASSIGN"),
    ("ASSIGN", "app:CONTINUE"),
    ("CONTINUE", "FINISH"),
    ("FINISH", "host:FINISH"),
]


@pytest.mark.requires("round.follower")
async def test_each_step_is_a_round_that_the_plan_decides_and_an_agent_carries_out(tmp_path: Path) -> None:
    done = await follow(tmp_path, DONE, DONE, settings={"max_round": 1})
    assert (done.ending.outcome, done.rounds) == (Outcome.SUCCESS, ["success", "success"])
    assert done.edges == STEP * 2
    assert [e.model for e in done.events if isinstance(e, ModelAnswered)] == ["plan", "scripted"] * 2
    first, second = done.prompts
    assert "Request and subtask: Open the door" in first
    assert "Request and subtask: Close the door" in second
    assert "The whole task: Air the room" in second
    assert "Open the door: success done" in second


@pytest.mark.requires("round.follower")
async def test_a_step_that_failed_keeps_none_of_the_others_from_being_carried_out(tmp_path: Path) -> None:
    done = await follow(tmp_path, FAILS, DONE)
    assert (done.ending.outcome, done.ending.reason) == (Outcome.FAILED, "it is stuck")
    assert done.rounds == ["failed", "success"]
    assert done.edges[3:5] == [("FAIL", "host:FAIL"), ("FAIL", "FINISH")]


@pytest.mark.requires("round.follower", "round.on-error")
@pytest.mark.parametrize(("on_error", "rounds"), [("stop", ["error"]), ("next_round", ["error", "success"])])
async def test_an_error_ends_the_plan_unless_the_setting_says_otherwise(
    tmp_path: Path, on_error: str, rounds: list[str]
) -> None:
    done = await follow(tmp_path, say("ERROR", comment="broken"), DONE, settings={"on_error": on_error})
    assert (done.ending.outcome, done.rounds) == (Outcome.ERROR, rounds)


@pytest.mark.requires("round.follower", "round.budgets")
async def test_a_spent_budget_ends_the_plan(tmp_path: Path) -> None:
    done = await follow(tmp_path, DONE, settings={"max_step": 2})
    assert (done.ending.outcome, done.rounds) == (Outcome.STEP_LIMIT, ["success", "step_limit"])


@pytest.mark.requires("round.follower-checks")
async def test_a_check_of_the_caller_is_asked_once_at_the_end_of_the_last_step(tmp_path: Path) -> None:
    truth = Truth([True])
    done = await follow(tmp_path, DONE, DONE, checkers=(truth,))
    assert (done.ending.outcome, truth.asked) == (Outcome.SUCCESS, 1)


@pytest.mark.requires("round.follower-checks")
async def test_a_check_that_does_not_hold_sends_the_agent_back_and_what_it_mends_counts(tmp_path: Path) -> None:
    truth = Truth([False, True])
    done = await follow(tmp_path, DONE, DONE, say("FINISH"), checkers=(truth,))
    assert (done.ending.outcome, truth.asked) == (Outcome.SUCCESS, 2)
    assert "the file is right" in done.prompts[2]


@pytest.mark.requires("round.follower-checks")
@pytest.mark.parametrize(
    ("replies", "settings"),
    [
        ([DONE, DONE, FAILS], {}),
        ([DONE, DONE, say("FINISH"), say("FINISH")], {"max_failed_steps": 2}),
        ([FAILS, DONE, FAILS], {}),
        ([DONE, FAILS], {}),
        ([DONE, say("ERROR")], {}),
        ([say("ERROR"), DONE, FAILS], {"on_error": "next_round"}),
        ([DONE, DONE], {"max_step": 4}),
    ],
)
async def test_while_a_check_of_the_caller_is_false_nothing_is_a_success(
    tmp_path: Path, replies: list[Answer], settings: dict[str, object]
) -> None:
    done = await follow(tmp_path, *replies, checkers=(Truth([False]),), settings=settings)
    assert done.ending.outcome is not Outcome.SUCCESS
    assert done.rounds[-1] != "success"


@pytest.mark.requires("round.follower-checks")
async def test_a_rejected_last_step_is_no_success_though_its_agent_finished(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(rule("{name: Door}", "confirm"))
    configuration = Configuration.model_validate({"system": {"mode": "follower"}, "policy": {"files": [policy]}})

    done = await follow(
        tmp_path, DONE, requests=STEPS[:1], configuration=configuration, interactor=Person(decides=[False])
    )
    assert (done.ending.outcome, done.rounds) == (Outcome.REJECTED, ["rejected"])


@pytest.mark.requires("round.follower-checks")
@pytest.mark.parametrize("there", [True, False])
async def test_what_a_playbook_wants_at_its_end_must_hold_at_the_end_of_the_plan(tmp_path: Path, there: bool) -> None:
    wanted = tmp_path / "wanted.txt"
    wanted.write_text("x" if there else "")
    expected: list[Mapping[str, JsonValue]] = []

    def expects(data: Mapping[str, JsonValue]) -> Expectation:
        expected.append(data)
        return Expectation(file=str(wanted))

    done = await follow(tmp_path, DONE, say("FINISH"), FAILS, expects=expects, desktop=Impatient())
    assert done.ending.outcome is (Outcome.SUCCESS if there else Outcome.FAILED)
    assert len(expected) == 1


async def test_without_an_object_the_step_goes_to_what_was_opened(tmp_path: Path) -> None:
    desktop = writer()
    desktop.open(FakeWindow("Somebody's", [FakeControl(Role.CHECKBOX, "Door")], "calc"))
    done = await follow(tmp_path, DONE, DONE, desktop=desktop, object=None, applications=("writer",))
    assert done.rounds == ["success", "success"]


@pytest.mark.requires("round.follower")
async def test_a_window_that_was_closed_meanwhile_fails_the_step_and_says_what_is_open(tmp_path: Path) -> None:
    desktop = writer()
    desktop.open(FakeWindow("Somebody's", [], "calc"))
    desktop.faults.before("windows", lambda: desktop.faults.application_dies(desktop.shown_windows[0]))
    done = await follow(tmp_path, desktop=desktop)
    assert (done.ending.outcome, done.rounds) == (Outcome.FAILED, ["failed", "failed"])
    assert 'no window of writer is open to carry out the step in; windows that are open: "Somebody\'s"' in (
        done.ending.reason
    )


@pytest.mark.parametrize(("closes", "problems"), [(True, []), (False, ["WindowStays"])])
async def test_the_objects_window_is_asked_to_close_at_the_end_and_one_that_stays_is_told(
    tmp_path: Path, closes: bool, problems: list[str]
) -> None:
    desktop = writer()
    if not closes:
        desktop.faults.lie("ask_to_close")
    done = await follow(tmp_path, DONE, DONE, desktop=desktop, close_object=True, applications=("calc",))
    assert [window.title for window in desktop.shown_windows] == ["door.odt Writer", "Untitled Writer"][closes:]
    assert [event.error.type for event in done.events if isinstance(event, ProblemMet)] == problems
    assert done.ending.outcome is Outcome.SUCCESS
