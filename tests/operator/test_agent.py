"""The OperatorAgent on a desktop in memory, over the wire format of Anthropic's loop."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import deskhand
from deskhand.commands.secret_texts import redacted_events
from deskhand.config.sections import Configuration, ModelsSection, SystemSection
from deskhand.core.events import ActionFinished, Event, VerdictGiven
from deskhand.core.geometry import Rect
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import CheckResult
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeWindow
from deskhand.session.round import Ending
from deskhand.store.journal import read_events
from operator_support import MODEL, Answer, Desk, Json, Reply, done, kinds, results, said, turn, use, vendor
from stage import Person

pytestmark = [pytest.mark.anyio, pytest.mark.requires("operator.points")]
SKIPPED = "Not executed: an earlier computer action in this turn failed."


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Models are asked over the wire, which takes time that passes."""
    return "asyncio"


@dataclass
class Ran:
    """The result of a session: its ending, the requests that the vendor got, the events."""

    ending: Ending
    bodies: list[Json]
    events: Sequence[Event] = field(default_factory=list[Event])

    def results(self, turn: int = 1) -> list[Json]:
        """The results of a turn, counted from 1."""
        return results(self.bodies[turn])

    def said(self, turn: int = 1) -> list[str]:
        return [said(result) for result in self.results(turn)]


@pytest.fixture
def desk() -> Desk:
    return Desk()


class Run:
    """Runs a request with a scripted vendor; further options are those of `deskhand.run`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, out: Path, desk: Desk) -> None:
        self._monkeypatch, self._out, self._desk = monkeypatch, out, desk

    async def __call__(self, *answers: Reply, **options: Any) -> Ran:
        with vendor(self._monkeypatch, *answers) as server:
            ending = await deskhand.run("Write", model=MODEL, opens=self._desk.open, out=self._out, **options)
        return Ran(ending, [heard.body for heard in server.heard], tuple(read_events(self._out)))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, desk: Desk) -> Run:
    return Run(monkeypatch, tmp_path / "out", desk)


async def test_it_clicks_and_types_where_the_model_points(desk: Desk, run: Run) -> None:
    clicks = use("left_click", coordinate=desk.at(desk.notes.save))
    types = use("left_click", coordinate=desk.at(desk.notes.text)), use("type", text="Dear Ada")
    ran = await run(turn(clicks), turn(*types), done("written"))
    assert (ran.ending.outcome, ran.ending.reason) == (Outcome.SUCCESS, "written")
    assert (desk.notes.log, desk.notes.text.value) == (["Save"], "Dear Ada")
    assert ran.bodies[0]["tools"] == [{"type": "computer_toolset_20260801"}]
    assert ran.said(1) + ran.said(2) == [
        'Clicked button "Save". confirmed: checkbox "Counter" now has the value "1"',
        'Clicked textbox "Text". confirmed: textbox "Text" has the keyboard now',
        'Typed. confirmed: textbox "Text" now has the value "Dear Ada"',
    ]


async def test_the_journal_names_the_control_under_each_point(desk: Desk, run: Run) -> None:
    ran = await run(turn(use("left_click", coordinate=desk.at(desk.notes.save))), done())
    judged = [event for event in ran.events if isinstance(event, VerdictGiven) and event.tool == "click_on_coordinates"]
    finished = [event for event in ran.events if isinstance(event, ActionFinished) and event.tool == judged[0].tool]
    assert [(event.target.role, event.target.name) for event in (*judged, *finished) if event.target] == [
        ("button", "Save")
    ] * 2
    assert finished[0].effect == "confirmed"


@pytest.mark.requires("operator.batches")
async def test_a_screenshot_in_mid_batch_is_of_that_moment(desk: Desk, run: Run) -> None:
    at = desk.at(desk.notes.text)
    ran = await run(
        turn(use("screenshot"), use("left_click", coordinate=at), use("type", text="a"), use("screenshot")), done()
    )
    first, _, _, last = ran.results()
    assert kinds(first) == kinds(last) == ["image"]
    assert first["content"][0]["source"]["data"] == ran.bodies[0]["messages"][0]["content"][1]["source"]["data"]
    assert first["content"] != last["content"]


@pytest.mark.requires("operator.batches")
async def test_the_first_failure_stops_a_batch_with_the_vendors_words_and_each_block_is_answered(
    desk: Desk, run: Run
) -> None:
    save = use("left_click", coordinate=desk.at(desk.notes.save))
    ran = await run(turn(save, use("left_click", coordinate=[640, 20]), save, use("screenshot")), done(), done())
    calls = ran.bodies[1]["messages"][1]["content"]
    assert [result["tool_use_id"] for result in ran.results()] == [call["id"] for call in calls]
    assert {result["toolset_name"] for result in ran.results()} == {"computer"}
    assert [result.get("is_error", False) for result in ran.results()] == [False, True, True, True]
    assert ran.said()[1:] == [
        "(640, 20) lies outside of the screen, which is from (0, 0) to (639, 479)",
        SKIPPED,
        SKIPPED,
    ]
    assert [kinds(result) for result in ran.results()][1:] == [["text"]] * 3, "errors take texts alone"
    assert [part["type"] for part in ran.bodies[1]["messages"][-1]["content"][4:]] == ["text", "image"]
    assert desk.notes.log == ["Save"]


@pytest.mark.requires("operator.assigned")
async def test_a_claim_right_after_a_failure_is_withdrawn_once(desk: Desk, run: Run) -> None:
    ran = await run(turn(use("left_click", coordinate=[5000, 0])), done("early"), done("not needed"))
    assert (ran.ending.outcome, ran.ending.reason) == (Outcome.SUCCESS, "not needed")
    last = ran.bodies[2]["messages"][-1]["content"]
    assert [part["type"] for part in last] == ["text", "text", "image"]
    assert "your last action failed: (5000, 0) lies outside" in last[0]["text"]


@pytest.mark.parametrize(
    ("member", "arguments", "problem"),
    [
        ("fly", {}, "the computer has no action 'fly'"),
        ("left_click", {"coordinate": [1, "a"]}, "coordinate is [1, 'a'], not 2 integers"),
        ("left_click", {"coordinate": [1, 2], "speed": 3}, "there is no field 'speed'"),
        ("key", {"text": "ctrl+fly"}, "there is no key 'fly'"),
        ("key", {"text": "a+b"}, "a and b cannot be pressed together"),
        ("key", {"text": "a", "repeat": 101}, "repeat is 101, not from 1 to 100"),
        ("hold_key", {"text": "a", "duration": 301}, "duration is 301, not seconds from 0 to 300"),
        ("scroll", {"scroll_direction": "up", "scroll_amount": 0}, "a scroll by 0 does nothing"),
        ("zoom", {"region": [5, 5, 5, 9]}, "the region is empty"),
        ("left_click", {"coordinate": [600, 400]}, "there is no window"),
    ],
)
async def test_a_call_that_makes_no_sense_is_an_error_that_names_it(
    run: Run, member: str, arguments: Json, problem: str
) -> None:
    ran = await run(turn(use(member, **arguments)), done(), done())
    (result,) = ran.results()
    assert result["is_error"] is True
    assert problem in said(result)


async def test_a_click_that_would_meet_another_window_is_refused_with_its_name(desk: Desk, run: Run) -> None:
    other = FakeWindow("Terminal", [FakeControl(Role.BUTTON, "Close all")], "xterm", rect=Rect(400, 300, 600, 450))

    def open_it(body: Json) -> Answer:
        desk.desktop.open(other)
        return turn(use("left_click", coordinate=desk.at(other.controls[0])))

    ran = await run(open_it, done(), done())
    at = "({}, {})".format(*desk.at(other.controls[0]))
    (refusal,) = ran.said()
    assert refusal == f'Not done: at {at} is another window, "Terminal" of xterm; your task is in "Notes" of notes'


async def test_a_window_that_opened_during_the_turn_gets_no_click_that_was_meant_for_another(
    desk: Desk, run: Run
) -> None:
    pressed: list[str] = []
    yes = FakeControl(Role.BUTTON, "Yes", on_click=lambda: pressed.append("Yes"))
    dialog = FakeWindow("Really?", [yes], "notes", dialog=True, rect=Rect(20, 40, 340, 200))

    def asks() -> None:
        desk.desktop.open(dialog)

    desk.notes.save.on_click = asks
    both = (
        use("left_click", coordinate=desk.at(desk.notes.save)),
        use("left_click", coordinate=desk.at(desk.notes.text)),
    )
    knows = turn(use("left_click", coordinate=[100, 67]))
    ran = await run(turn(*both), knows, done())
    assert ran.said()[1] == 'Not done: at that point is "Really?" now, and in your last picture was "Notes"'
    assert (pressed, ran.said(2)[0].partition(".")[0]) == (["Yes"], 'Clicked button "Yes"'), "the next turn has seen it"


async def test_a_zoom_returns_the_controls_of_its_region_and_a_larger_picture(desk: Desk, run: Run) -> None:
    rect = desk.desktop.target(desk.notes.save).rect
    ran = await run(turn(use("zoom", region=rect.to_list())), done())
    (result,) = ran.results()
    assert kinds(result) == ["text", "image", "image"], "and the screen after the turn"
    assert said(result).splitlines()[1:] == [f'button "Save" at ({rect.center.x}, {rect.center.y})']


async def test_of_many_controls_those_that_are_pressed_are_listed_first(desk: Desk, run: Run) -> None:
    rows = [FakeControl(Role.LISTITEM, f"Row {number}", rect=Rect(30, 60, 90, 78)) for number in range(80)]
    desk.notes.window.controls[1:1] = rows
    desk.desktop.open(desk.notes.window)
    ran = await run(turn(use("zoom", region=[0, 0, 640, 480])), done())
    _, *lines = ran.said()[0].splitlines()
    assert len(lines) == 61
    assert lines[-1].startswith("… ")
    assert {line.partition(" at ")[0] for line in lines} >= {'button "Save"', 'button "Delete"', 'button "Tidy"'}


@pytest.mark.requires("operator.batches")
async def test_every_member_is_carried_out(desk: Desk, run: Run) -> None:
    notes = desk.notes
    ran = await run(
        turn(
            use("mouse_move", coordinate=desk.at(notes.save)),
            use("cursor_position"),
            use("left_mouse_down"),
            use("left_mouse_up"),
            use("double_click", coordinate=desk.at(notes.tidy)),
            use("right_click", coordinate=desk.at(notes.text), text="shift"),
            use("scroll", scroll_direction="down", scroll_amount=3, coordinate=desk.at(notes.text)),
            use("left_click_drag", start_coordinate=desk.at(notes.text), coordinate=desk.at(notes.save)),
            use("left_click", coordinate=desk.at(notes.text)),
            use("type", text="ctrl+s {x}"),
            use("key", text="BackSpace", repeat=2),
            use("hold_key", text="shift", duration=0.01),
            use("wait", duration=0.01),
            use("triple_click", coordinate=desk.at(notes.text)),
            use("middle_click"),
        ),
        done(),
    )
    assert [result for result in ran.results() if result.get("is_error")] == []
    x, y = desk.at(notes.save)
    assert ran.said()[1] == f"X={x},Y={y}"
    assert (notes.log, notes.text.value) == (["Save", "Tidy", "Tidy"], "ctrl+s {")
    assert ran.said()[-3:-1][0] == "Waited 0.01 s"


@pytest.mark.requires("operator.batches")
async def test_nothing_that_the_model_left_down_stays_down(desk: Desk, run: Run) -> None:
    ran = await run(turn(use("mouse_move", coordinate=desk.at(desk.notes.quiet)), use("left_mouse_down")), done())
    assert ran.ending.outcome is Outcome.SUCCESS
    assert (await desk.desktop.left_down()).names == ()


@pytest.mark.requires("operator.batches")
async def test_more_actions_than_a_turn_may_have_are_answered_and_not_carried_out(run: Run) -> None:
    ran = await run(turn(*(use("cursor_position") for _ in range(1000))), done(), done())
    assert len(ran.results()) == 1000
    assert ran.said()[49:52] == ["X=0,Y=0", "Not executed: one turn has at most 50 actions.", SKIPPED]


@pytest.mark.requires("operator.batches")
async def test_a_deleting_button_needs_an_approval_by_its_name_and_the_rest_of_the_batch_waits(
    desk: Desk, run: Run
) -> None:
    person = Person(decides=[True])
    batch = [
        use("left_click", coordinate=desk.at(each)) for each in (desk.notes.save, desk.notes.delete, desk.notes.tidy)
    ]
    ran = await run(turn(*batch), done(), interactor=person)
    assert ran.ending.outcome is Outcome.SUCCESS
    assert desk.notes.log == ["Save", "Delete", "Tidy"]
    (shown,) = person.shown
    assert [(each.facts.control_role, each.facts.control_name) for each in shown.facts] == [("button", "Delete")]
    assert len(ran.bodies) == 2, "the batch was continued without another request"
    assert "Clicked" in ran.said()[2]


@pytest.mark.parametrize(
    ("decides", "outcome"), [([False], Outcome.REJECTED), ([], Outcome.TIMEOUT)], ids=["rejected", "nobody"]
)
async def test_without_the_approval_it_ends_and_nothing_was_pressed(
    desk: Desk, run: Run, decides: list[bool], outcome: Outcome
) -> None:
    person = Person(decides=decides, reachable=bool(decides))
    ran = await run(turn(use("left_click", coordinate=desk.at(desk.notes.delete))), done(), interactor=person)
    assert (ran.ending.outcome, desk.notes.log, len(ran.bodies)) == (outcome, [], 1)


async def test_holding_the_button_down_on_it_needs_the_approval_too(desk: Desk, run: Run) -> None:
    presses = use("mouse_move", coordinate=desk.at(desk.notes.delete)), use("left_mouse_down"), use("left_mouse_up")
    ran = await run(turn(*presses), done())
    assert (ran.ending.outcome, desk.notes.log) == (Outcome.TIMEOUT, [])


@pytest.mark.requires("operator.batches")
async def test_an_item_of_a_menu_over_a_smaller_button_is_judged_by_its_own_name(run: Run, desk: Desk) -> None:
    place = desk.desktop.target(desk.notes.save).rect
    over = Rect(place.left - 5, place.top - 5, place.right + 5, place.bottom + 5)
    pressed: list[str] = []
    item = FakeControl(Role.MENUITEM, "Delete", rect=over, on_click=lambda: pressed.append("Delete"))
    desk.notes.window.controls.append(item)
    ran = await run(turn(use("left_click", coordinate=desk.at(desk.notes.save))), done())
    assert (ran.ending.outcome, pressed, desk.notes.log) == (Outcome.TIMEOUT, [], [])
    assert "delete-by-name" in ran.ending.reason


@pytest.mark.requires("policy.focus")
@pytest.mark.parametrize(
    "press", [use("key", text="Return"), use("key", text="space"), use("type", text=" "), use("type", text="x\n")]
)
async def test_pressing_it_by_the_keyboard_needs_the_approval_too(desk: Desk, run: Run, press: Json) -> None:
    desk.notes.delete.states.add("focused")
    ran = await run(turn(press), done())
    assert (ran.ending.outcome, desk.notes.log) == (Outcome.TIMEOUT, [])


@pytest.mark.requires("operator.assigned")
async def test_a_question_reaches_the_user_and_the_answer_the_model(run: Run) -> None:
    person = Person(says={"which one?": "the second"})
    ran = await run(turn(text="ASK: which one?"), done("taken"), interactor=person)
    assert (ran.ending.reason, person.questions) == ("taken", ["which one?"])
    assert "The user answered 'which one?': the second" in ran.bodies[1]["messages"][-1]["content"][0]["text"]


@pytest.mark.requires("operator.assigned")
async def test_words_that_give_up_fail_the_request(run: Run) -> None:
    ran = await run(turn(text="I tried.\nFAIL: there is no such text"))
    assert (ran.ending.outcome, ran.ending.reason) == (Outcome.FAILED, "there is no such text")


@pytest.mark.requires("operator.assigned")
async def test_a_claim_is_checked_and_withdrawn(desk: Desk, run: Run) -> None:
    class Saved:
        name = "saved"

        async def check(self, data: object) -> tuple[CheckResult, ...]:
            return (CheckResult("saved", "Save" in desk.notes.log, "nothing was saved"),)

    save = turn(use("left_click", coordinate=desk.at(desk.notes.save)))
    ran = await run(done("too early"), save, done("now"), checkers=[Saved()])
    assert (ran.ending.outcome, ran.ending.reason) == (Outcome.SUCCESS, "now")
    assert "The last result was not accepted: the claim does not hold: saved: nothing was saved" in str(
        ran.bodies[1]["messages"][-1]
    )


@pytest.mark.requires("operator.failures")
async def test_steps_are_limited(desk: Desk, run: Run) -> None:
    save = turn(use("left_click", coordinate=desk.at(desk.notes.save)))
    ran = await run(save, configuration=Configuration(system=SystemSection(max_step=4)))
    assert ran.ending.outcome is Outcome.STEP_LIMIT
    assert len(ran.bodies) <= 4


@pytest.mark.requires("operator.failures")
async def test_dollars_are_limited(desk: Desk, run: Run) -> None:
    price = {"input_per_mtok": 100.0, "output_per_mtok": 0.0}
    models = ModelsSection.model_validate({"prices": {"claude-opus-5-5": price}})
    settings = Configuration(models=models, system=SystemSection(max_usd=0.25))
    ran = await run(turn(use("left_click", coordinate=desk.at(desk.notes.save))), configuration=settings)
    assert (ran.ending.outcome, len(ran.bodies)) == (Outcome.BUDGET, 3)


@pytest.mark.requires("operator.failures")
async def test_a_failing_action_again_and_again_ends_the_subtask(run: Run) -> None:
    ran = await run(lambda body: turn(use("left_click", coordinate=[639 - len(body["messages"]), 479])))
    assert ran.ending.outcome is Outcome.FAILED
    assert "there is no window" in ran.ending.reason


async def test_a_typed_password_is_in_no_report_and_in_no_result(desk: Desk, run: Run, tmp_path: Path) -> None:
    field = FakeControl(Role.PASSWORD, "Password")
    desk.notes.window.controls.append(field)
    desk.desktop.open(desk.notes.window)
    typed = use("left_click", coordinate=desk.at(field)), use("type", text="Tr0ub4dor"), use("screenshot")
    ran = await run(turn(*typed), done())
    assert field.value == "Tr0ub4dor"
    assert "Tr0ub4dor" not in "\n".join(ran.said())
    assert "Tr0ub4dor" not in str(redacted_events(tmp_path / "out"))


@pytest.mark.requires("operator.failures")
async def test_the_same_again_and_again_without_a_change_is_warned_of_and_then_fails(desk: Desk, run: Run) -> None:
    ran = await run(turn(use("left_click", coordinate=desk.at(desk.notes.quiet))))
    assert ran.ending.outcome is Outcome.FAILED
    assert "repeated the same step 3 times and nothing changed: left_click" in ran.ending.reason
    assert desk.notes.log == ["Quiet"] * 3
    warned = ["You did the same 3 times" in str(body["messages"][-1]) for body in ran.bodies]
    assert warned == [False, False, False, True]
