"""Comparison of two sessions: the first step that differs, and the facts that differed underneath."""

from pathlib import Path

import pytest

from cli.driver import Console
from cli.recorded import events_of, write
from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    DocumentLeft,
    Event,
    ObservationTaken,
    RanOn,
    SessionFinished,
    StepStarted,
    TargetData,
)
from deskhand.report.differences import Aspect, Comparison, compare

pytestmark = pytest.mark.requires("sessions.compared")


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str]) -> Console:
    return Console(capsys)


def session(number: int, *, seen: int = 20, ran: RanOn | None = None, left: str = "") -> list[Event]:
    """A session of two steps, each with an observation; `seen`: controls at the second; `left`: digest of a file."""
    events = events_of(f"s{number}", at=1000.0 * number)
    found: list[Event] = [events[0], *([ran] if ran else [])]
    for event in events[1:]:
        found.append(event)
        if isinstance(event, StepStarted):
            controls = seen if event.step == 2 else 20
            found.append(
                ObservationTaken(step=event.step, agent="AppAgent", window="Letter", controls=controls, seconds=0.1)
            )
    if left:
        found.insert(-1, DocumentLeft(path="/home/a/letter.odt", copy_path=f"/s{number}/letter.odt", digest=left))
    return found


def with_fields(events: list[Event], kind: type[Event], step: int, **fields: object) -> list[Event]:
    """The events with fields of those of one kind and step changed."""
    return [
        event.model_copy(update=fields) if isinstance(event, kind) and getattr(event, "step", step) == step else event
        for event in events
    ]


def compared(folder: Path, first: list[Event], second: list[Event]) -> Comparison:
    return compare(write(folder / "a", first), write(folder / "b", second))


def test_sessions_with_the_same_steps_are_the_same_whenever_they_ran(tmp_path: Path) -> None:
    found = compared(tmp_path, session(1), session(2))
    assert found == Comparison(None, None, {}, (2, 2))


@pytest.mark.parametrize(
    ("aspect", "kinds", "fields"),
    [
        (Aspect.AGENT, (StepStarted,), {"state": "SCREENSHOT"}),
        (Aspect.OBSERVATION, (ObservationTaken,), {"window": "Letter (changed)"}),
        (Aspect.DECISION, (ActionIntended,), {"arguments": {"button": "right"}}),
        (Aspect.TARGET, (ActionIntended, ActionFinished), {"target": TargetData(id="7", role="button", name="Send")}),
        (Aspect.EFFECT, (ActionFinished,), {"effect": "suspected_noop"}),
    ],
)
def test_the_first_step_that_differs_is_named_with_the_aspect(
    tmp_path: Path, aspect: Aspect, kinds: tuple[type[Event], ...], fields: dict[str, object]
) -> None:
    other = session(2)
    for kind in kinds:
        other = with_fields(other, kind, 2, **fields)
    found = compared(tmp_path, session(1), other)
    assert found.step is not None
    assert (found.step.step, found.step.aspect) == (2, aspect)
    assert (found.acted is None) == (aspect is Aspect.OBSERVATION)


def test_an_id_that_was_numbered_anew_is_no_difference(tmp_path: Path) -> None:
    other = session(2)
    for kind in (ActionIntended, ActionFinished):
        for step in (1, 2):
            other = with_fields(other, kind, step, target=TargetData(id="9", role="button", name="Save"))
            other = with_fields(other, kind, step, arguments={"id": "9", "name": "Save"})
    assert compared(tmp_path, session(1), other).same


def test_a_session_that_went_on_differs_at_the_step_that_the_other_lacks(tmp_path: Path) -> None:
    found = compared(tmp_path, events_of("a", at=1.0, steps=2), events_of("b", at=1.0, steps=3))
    assert found.step is not None
    assert found.step.to_json() == {"step": 3, "aspect": "steps", "a": 2, "b": 3}


def test_equal_steps_with_another_outcome_differ_at_their_end(tmp_path: Path) -> None:
    other = with_fields(session(2), SessionFinished, 0, outcome="failed")
    found = compared(tmp_path, session(1), other)
    assert found.step is not None
    assert found.step.to_json() == {"step": 2, "aspect": "end", "a": "success", "b": "failed"}


def test_what_differed_underneath_is_named(tmp_path: Path) -> None:
    old = RanOn(facts={"fonts": "250 files, 1a", "package libgtk-3-0": "3.24.38", "TZ": "UTC"})
    new = RanOn(facts={"fonts": "250 files, 1a", "package libgtk-3-0": "3.24.41", "screen 0": "1280x800"})
    found = compared(tmp_path, session(1, ran=old, left="aa"), session(2, ran=new, left="bb", seen=21))
    assert found.underneath == {
        "package libgtk-3-0": ("3.24.38", "3.24.41"),
        "TZ": ("UTC", None),
        "document letter.odt at the end": ("aa", "bb"),
        "screen 0": (None, "1280x800"),
    }


def test_the_command_prints_both_and_its_exit_code_tells_them_apart(tmp_path: Path, console: Console) -> None:
    first = write(tmp_path / "a", session(1, ran=RanOn(facts={"fonts": "old"})))
    second = session(2, ran=RanOn(facts={"fonts": "new"}), seen=21)
    other = write(tmp_path / "b", with_fields(second, ActionFinished, 2, effect="none"))
    assert console("sessions", "diff", first, first).out == "the same 2 steps and outcome\n"
    done = console("sessions", "diff", first, other)
    assert done.code == 1
    assert done.out.splitlines() == [
        "step 2 differs in its observation",
        '  a: {"window": "Letter", "controls": 20}',
        '  b: {"window": "Letter", "controls": 21}',
        "step 2 differs in its effect",
        '  a: ["confirmed"]',
        '  b: ["none"]',
        "underneath: fonts",
        "  a: old",
        "  b: new",
    ]
    as_json = console("sessions", "diff", first, other, "--json").json
    assert (as_json["same"], as_json["underneath"]) == (False, {"fonts": {"a": "old", "b": "new"}})
    assert console("sessions", "diff", first, tmp_path / "nowhere").code == 2
