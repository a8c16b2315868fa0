"""Several steps in one call, in memory: checked as a whole, each judged and aimed anew, up to a surprise."""

import re
from collections.abc import Callable
from pathlib import Path

import anyio.lowlevel
import pytest

from deskhand.config.sections import Configuration, SystemSection
from deskhand.config.yaml_values import Source
from deskhand.core.command import Effect, Result, ResultStatus
from deskhand.core.errors import ErrorInfo, StepsInvalid
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.ports import Answers, ConfirmationRequest, Interactor
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeTable, FakeWindow
from deskhand.perception.labels import Labeller
from deskhand.session.interactors import AutoInteractor
from deskhand.session.single_action import Caller, Hand, caller_tools, offered_by
from deskhand.session.step_list import read_steps
from deskhand.session.steps import StepRunner, StepsDone
from deskhand.session.window_names import chosen_window
from notes import Notes
from support import ROOT

pytestmark = pytest.mark.requires("steps.run")

SAVE: JsonObject = {"tool": "invoke", "on": {"role": "button", "name": "Save"}}
DELETE: JsonObject = {"tool": "invoke", "on": {"role": "button", "name": "Delete"}}
QUIET: JsonObject = {"tool": "invoke", "on": {"role": "button", "name": "Quiet"}}
TEXT: JsonObject = {"tool": "set_edit_text", "on": {"name": "Text"}, "args": {"text": "Ada"}}


class Ids:
    """The ids of one caller, and the window that it means."""

    def __init__(self, desktop: FakeDesktop, window: str) -> None:
        self.desktop, self.window = desktop, window
        self.latest: dict[str, Observation] = {}
        self.labeller, self.labelled = Labeller(), 0
        self.at_label: dict[int, Callable[[], None]] = {}
        """Called at the n-th observation."""

    async def first(self) -> TargetInfo:
        return await chosen_window(self.desktop, self.window)

    async def holder(self, label: JsonValue) -> TargetInfo | None:
        return None

    def seen(self, window: TargetInfo) -> Observation | None:
        return self.latest.get(window.handle)

    async def label(self, window: TargetInfo, observation: Observation, /) -> tuple[TargetInfo, ...]:
        self.labelled += 1
        self.at_label.get(self.labelled, lambda: None)()
        await anyio.lowlevel.checkpoint()
        controls = self.labeller.label(observation)
        self.latest[window.handle] = Observation(observation.window, controls, None, 0.0)
        return controls


class Chooses(AutoInteractor):
    """A user who approves what `approves` names, and remembers what was asked."""

    def __init__(self, approves: int) -> None:
        super().__init__()
        self.approves, self.asked = approves, list[str]()

    @property
    def reaches_person(self) -> bool:
        return True

    async def ask(self, agent: str, questions: object) -> Answers:
        return Answers()

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        self.asked += [verdict.facts.control_name for verdict in request.facts]
        return len(self.asked) <= self.approves


class Stage:
    """A caller who means one window of a desktop."""

    def __init__(self, desktop: FakeDesktop, window: str = "Notes", interactor: Interactor | None = None) -> None:
        self.ids = Ids(desktop, window)
        settings = Configuration(system=SystemSection(effect_hold_s=0.01))
        caller = Caller("a test", label=self.ids.label)
        self.hand = Hand(desktop, settings, interactor or AutoInteractor(), caller)
        self.runner: StepRunner | None = None

    async def __call__(self, *given: JsonValue) -> StepsDone:
        steps = read_steps([*given], self.hand.all_offered, self.hand.catalogue.validate)
        self.runner = StepRunner(self.ids.desktop, self.hand, self.ids, steps, how_to_approve="ask the user")
        return await self.runner.run()

    async def observe(self) -> Callable[[str], str]:
        window = await self.ids.first()
        await self.ids.label(window, await self.ids.desktop.observe(window, picture=False))
        return lambda name: next(each.id for each in self.ids.latest[window.handle].controls if each.name == name)


def told(done: StepsDone) -> list[str]:
    """The effect of each step, or its status where it has none."""
    return [(each.result.effect or each.result.status).value for each in done.steps]


async def test_a_form_is_filled_by_ids_and_selectors_each_effect_confirmed_and_the_window_observed_at_the_end() -> None:
    notes = Notes()
    stage = Stage(notes.desktop)
    id_of = await stage.observe()
    by_id: JsonObject = {"tool": "set_value", "args": {"id": int(id_of("Counter")), "value": True}}
    many: JsonObject = {"tool": "fill", "args": {"values": [{"on": {"name": "Text"}, "value": "Grace"}]}}
    done = await stage(TEXT, SAVE, by_id, many)
    assert told(done) == ["confirmed"] * 4, done
    assert (done.status, done.stopped, done.error) == ("success", None, None)
    assert (notes.text.value, "checked" in notes.count.states, notes.log) == ("Grace", True, ["Save"])
    assert done.observation is not None
    assert next(each.value for each in done.observation.controls if each.name == "Text") == "Grace"
    assert done.steps[0].to_json()["step"] == 1
    assert set(done.steps[0].to_json()) == {
        *("step", "tool", "status", "effect", "route", "evidence", "error", "delivered", "retry_safe", "result"),
        "expect",
    }


async def test_every_faulty_step_is_named_by_its_number_and_nothing_is_done() -> None:
    notes = Notes()
    faulty: tuple[tuple[JsonValue, str], ...] = (
        (TEXT, ""),
        ({"tool": "invok", "on": {"name": "Save"}}, "there is no tool 'invok'; did you mean 'invoke'?"),
        ({"tool": "verify", "args": {}}, "there is no tool 'verify'"),
        ({"tool": "invoke"}, "invoke needs on"),
        ({"tool": "wait", "on": {"name": "Save"}, "args": {"seconds": 1}}, "wait takes no control"),
        ({"tool": "set_edit_text", "on": {"name": "Text"}, "args": {"txt": "Ada"}}, "has no argument 'txt'"),
        ({"tool": "wait", "args": {"seconds": "soon"}}, "wait: seconds: "),
        ({"tool": "invoke", "on": {"role": "knob"}}, "on.role: there is no role 'knob'"),
        ({"tool": "invoke", "on": {"name": "/(/"}}, "on.name: bad regular expression"),
        ({"tool": "invoke", "on": {}}, "on is empty"),
        ({"tool": "fill", "args": {"values": [{"on": {"rle": "button"}, "value": 1}]}}, "on: rle"),
        ({**SAVE, "when": {"value": "${x}"}}, "has no key 'when'; a step has tool, on, args, window, expect"),
        ({**SAVE, "expect": {"effect": "perfect"}}, "expect.effect: one of confirmed"),
        ({**SAVE, "expect": {"shows": {}}}, "expect.shows is empty"),
        ("Save", "should be an object"),
    )
    with pytest.raises(StepsInvalid) as caught:
        await Stage(notes.desktop)(*(step for step, _ in faulty))
    problems = [line.split(": ", 1) for line in caught.value.message.split("\n")]
    wanted = {f"step {number}": problem for number, (_, problem) in enumerate(faulty, 1) if problem}
    assert {name for name, _ in problems} == wanted.keys()
    assert [name for name, each in wanted.items() if not any(n == name and each in p for n, p in problems)] == []
    assert (notes.text.value, notes.desktop.calls_of("observe")) == ("", [])
    with pytest.raises(StepsInvalid, match=r"^step 2: invoke needs on\n"):
        await Stage(notes.desktop)(TEXT, {"tool": "invoke"})
    nothings: tuple[JsonValue, ...] = ([], {}, None, "invoke")
    for nothing in nothings:
        with pytest.raises(StepsInvalid, match="a list with at least one step"):
            read_steps(nothing, {}, lambda _, given: given)


def test_the_list_that_the_page_on_playbooks_shows_is_valid() -> None:
    page = (ROOT / "docs/playbooks.md").read_text(encoding="utf-8").partition("## Steps without a playbook\n")[2]
    (shown,) = re.findall(r"```yaml\n(.*?)```", page.partition("\n## ")[0], re.DOTALL)
    located = Source("playbooks.md").parse(shown)
    assert located is not None
    catalogue = caller_tools()
    assert len(read_steps(located.plain(), offered_by(catalogue), catalogue.validate)) == 3


async def test_a_step_that_a_rule_wants_approved_is_refused_alone_and_ends_the_list() -> None:
    notes = Notes()
    done = await Stage(notes.desktop)(SAVE, DELETE, SAVE, TEXT)
    assert told(done) == ["confirmed", "refused", "skipped", "skipped"]
    assert (notes.log, notes.text.value) == (["Save"], "")
    assert done.stopped is done.steps[1]
    assert done.error is not None
    assert (done.status, done.error.type, done.error.fix) == ("failure", "NotAllowed", "ask the user")
    assert done.error.message.startswith("step 2 (invoke): not approved, which is wanted by rule delete-by-name")
    assert done.steps[3].result.evidence == "not run: step 2 did not go as expected"
    assert done.observation is not None


async def test_approvals_are_asked_for_each_step_as_it_comes() -> None:
    notes, user = Notes(), Chooses(approves=1)
    done = await Stage(notes.desktop, interactor=user)(SAVE, DELETE, DELETE, SAVE)
    assert told(done) == ["confirmed", "confirmed", "refused", "skipped"]
    assert (notes.log, user.asked) == (["Save", "Delete"], ["Delete", "Delete"])


async def test_an_effect_that_is_not_known_lets_the_list_go_on_and_is_no_success() -> None:
    notes = Notes()
    done = await Stage(notes.desktop)(QUIET, SAVE)
    assert (told(done)[0] in {"unverifiable", "suspected_noop"}, told(done)[1]) == (True, "confirmed")
    assert (done.status, done.stopped, notes.log) == ("none", None, ["Quiet", "Save"])


async def test_an_expectation_that_holds_makes_an_unknown_effect_good_and_one_that_fails_ends_the_list() -> None:
    notes = Notes()
    shows: JsonObject = {**QUIET, "expect": {"shows": {"role": "textbox", "name": "Text"}}}
    done = await Stage(notes.desktop)(shows, SAVE)
    assert (done.status, notes.log) == ("success", ["Quiet", "Save"])
    unmet: tuple[tuple[JsonValue, str], ...] = (
        ({"effect": "confirmed"}, "effect is unsatisfied: wanted confirmed"),
        ({"window": "Nothing"}, "window is unsatisfied"),
    )
    for expect, why in unmet:
        done = await Stage(notes.desktop)({**QUIET, "expect": expect}, SAVE)
        assert done.error is not None
        assert (done.status, told(done)[1]) == ("failure", "skipped")
        assert why in done.error.message
    assert notes.log == ["Quiet", "Save", "Quiet", "Quiet"]


async def test_an_expectation_that_is_not_known_to_hold_ends_the_list_too() -> None:
    notes = Notes()
    gone: JsonObject = {**TEXT, "expect": {"gone": {"name": "Nowhere"}}}
    assert (await Stage(notes.desktop)(gone)).status == "success"
    notes.desktop.faults.truncate_after = 3
    done = await Stage(notes.desktop)({**gone, "args": {"text": "Bob"}}, SAVE)
    assert (told(done), done.steps[0].expected, done.status) == (["confirmed", "skipped"], "unknown", "failure")
    assert done.error is not None
    assert "its expectation is unknown: gone is unknown" in done.error.message


async def test_a_file_has_to_be_written_by_the_step(tmp_path: Path) -> None:
    notes, file = Notes(), tmp_path / "notes.txt"
    file.write_text("old")
    expect: JsonObject = {"expect": {"file": str(file)}}
    store = FakeControl(Role.BUTTON, "Store", on_click=lambda: (file.write_text("new text"), None)[1])
    notes.window.controls.append(store)
    done = await Stage(notes.desktop)({"tool": "invoke", "on": {"name": "Store"}, **expect}, SAVE)
    assert (done.status, notes.log) == ("success", ["Save"])
    done = await Stage(notes.desktop)({**TEXT, **expect}, SAVE)
    assert (told(done), done.steps[0].expected, notes.log) == (["confirmed", "skipped"], "unsatisfied", ["Save"])


async def test_each_control_is_found_when_its_step_comes_and_an_id_never_means_another() -> None:
    notes = Notes()
    stage = Stage(notes.desktop)
    id_of = await stage.observe()

    def replaced() -> None:
        notes.window.controls.remove(notes.tidy)
        for name in ("Tidy", "Other"):
            pressed = FakeControl(Role.BUTTON, name, on_click=lambda: notes.log.append("new"))
            notes.window.controls.insert(0, pressed)
        notes.count.value = "1"

    notes.save.on_click = replaced
    by_id: JsonObject = {"tool": "invoke", "args": {"id": id_of("Save"), "name": "Save"}}
    done = await stage(by_id, {"tool": "invoke", "on": {"name": "Tidy"}}, {"tool": "invoke", "args": {"id": "6"}})
    assert told(done)[0] == "confirmed"
    assert notes.log == ["new"]
    assert done.steps[2].result.error is not None
    assert (done.steps[2].result.error.type, done.status) == ("ElementNotFound", "failure")
    lacking = await Stage(notes.desktop)({"tool": "invoke", "on": {"name": "Tidi"}})
    assert lacking.error is not None
    assert 'nearest: button "Tidy"' in lacking.error.message
    twice = await Stage(notes.desktop)({"tool": "invoke", "on": {"role": "button"}})
    assert twice.error is not None
    assert (twice.error.type, len(twice.error.candidates) > 1, notes.log) == ("AmbiguousTarget", True, ["new"])


async def test_a_dialog_that_a_step_opens_is_where_the_next_one_acts_and_after_it_closed_the_window_again() -> None:
    notes = Notes()
    opened = list[FakeWindow]()

    def close() -> None:
        notes.desktop.close_window(opened.pop())
        notes.count.value = "closed"

    def open_dialog() -> None:
        controls = [FakeControl(Role.BUTTON, "OK", on_click=close)]
        dialog = FakeWindow("Sort", controls, "notes", dialog=True, owner=notes.window)
        opened.append(notes.desktop.open(dialog))

    notes.tidy.on_click = open_dialog
    press: JsonObject = {"tool": "invoke", "on": {"name": "OK"}, "expect": {"gone": {"role": "dialog"}}}
    done = await Stage(notes.desktop)({"tool": "invoke", "on": {"name": "Tidy"}}, press, SAVE)
    assert told(done) == ["confirmed", "confirmed", "confirmed"], done
    assert (opened, notes.log) == ([], ["Save"])


async def test_after_a_window_is_gone_no_step_acts_in_that_of_another_program() -> None:
    notes = Notes()
    other = FakeWindow("Other", [FakeControl(Role.BUTTON, "Save", on_click=lambda: notes.log.append("wrong"))], "other")
    notes.desktop.open(other)
    notes.save.on_click = lambda: notes.desktop.close_window(notes.window)
    done = await Stage(notes.desktop)(SAVE, SAVE, {**SAVE, "window": "Other"})
    assert done.error is not None
    assert (done.stopped is done.steps[1], done.error.type, notes.log) == (True, "ApplicationGone", [])
    assert done.error.fix == "name the window of this step"
    named = await Stage(notes.desktop, "Other")({**SAVE, "window": "Other"})
    assert (notes.log, len(named.steps)) == (["wrong"], 1)


async def test_the_window_that_a_step_brings_to_the_front_is_that_of_the_next_one() -> None:
    notes = Notes()
    field = FakeControl(Role.TEXTBOX, "Text")
    notes.desktop.open(FakeWindow("Other", [field], "other"))
    choose: JsonObject = {"tool": "select_application_window", "on": {"role": "window", "name": "Notes"}}
    done = await Stage(notes.desktop, "Other")(TEXT, choose, {**TEXT, "args": {"text": "Bob"}})
    assert (done.status, field.value, notes.text.value) == ("success", "Ada", "Bob"), done
    by_title: JsonObject = {"tool": "select_application_window", "args": {"id": "Other"}}
    done = await Stage(notes.desktop)(by_title, {**TEXT, "args": {"text": "Cy"}})
    assert (done.status, field.value, notes.text.value) == ("success", "Cy", "Bob"), done
    missing = await Stage(notes.desktop)({**choose, "on": {"role": "window", "name": "Nothing"}}, TEXT)
    assert missing.error is not None
    assert (missing.error.type, field.value) == ("ElementNotFound", "Cy")


async def test_a_step_may_read_and_its_table_is_expected_to_have_so_many_rows() -> None:
    notes = Notes([FakeControl(Role.TABLE, "Sales", table=FakeTable(3, 2))])
    read: JsonObject = {"tool": "read_table", "on": {"role": "table"}, "expect": {"rows": 3, "columns": "<=2"}}
    done = await Stage(notes.desktop)(read, {**read, "expect": {"rows": ">3"}}, SAVE)
    assert done.error is not None
    assert (done.steps[0].proven, done.stopped is done.steps[1], notes.log) == (True, True, [])
    assert "rows is unsatisfied: wanted >3, got 3" in done.error.message


async def test_a_run_that_is_cancelled_has_the_results_until_then() -> None:
    notes = Notes()
    stage = Stage(notes.desktop)
    with anyio.CancelScope() as scope:
        notes.tidy.on_click = scope.cancel
        notes.desktop.faults.before("do_action", lambda: notes.desktop.faults.hang("wait_until"), on_call=2)
        await stage(SAVE, {"tool": "invoke", "on": {"name": "Tidy"}}, SAVE)
    assert scope.cancelled_caught
    assert stage.runner is not None
    done = stage.runner.outcome(stage.hand.cut_off)
    assert told(done) == ["confirmed", "unverifiable", "skipped"]
    assert (done.steps[1].result.delivered, done.status, notes.log) == (True, "failure", ["Save"])


async def test_a_run_that_is_cancelled_while_it_observes_at_the_end_has_its_surprise() -> None:
    notes = Notes()
    stage = Stage(notes.desktop)
    expect: JsonObject = {"expect": {"effect": "partial"}}
    with anyio.CancelScope() as scope:
        stage.ids.at_label[3] = scope.cancel
        await stage(TEXT, {**SAVE, **expect}, TEXT)
    assert stage.runner is not None
    cut_off = Result(ResultStatus.FAILURE, "", error=ErrorInfo("Cancelled", "cancelled"), effect=Effect.REFUSED)
    done = stage.runner.outcome(cut_off)
    assert (scope.cancelled_caught, told(done)) == (True, ["confirmed", "confirmed", "skipped"])
    assert done.stopped is done.steps[1]
