"""`--model human`: a person answers what a model would be asked."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from cli.screen import screen
from deskhand.cli.human_model import HumanModel
from deskhand.cli.terminal import TerminalInteractor
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.report.playbook import playbook_of_session
from notes import Notes
from report.test_playbook import kept
from stage import stage


class Typist:
    """Types the next line whenever asked, and keeps what was shown before each."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)
        self.shown: list[str] = []
        self.thinks: Callable[[], None] = lambda: None

    async def reply(self, shown: str) -> str | None:
        self.shown.append(shown)
        self.thinks()
        return self._lines.pop(0) if self._lines else None


@pytest.mark.requires("model.human", "playbook.export")
async def test_a_person_carries_a_task_out_and_the_session_becomes_a_playbook(tmp_path: Path) -> None:
    notes = Notes()
    person = Typist(
        "assign 1 Write it down",
        'set_edit_text 1 text="two words"',
        "invoke 2 +finish",
        "finish all written",
    )
    it = stage(notes.desktop, HumanModel(person), log_path=tmp_path / "log")
    assert (await it.run("Write two words")).outcome is Outcome.SUCCESS
    assert (notes.text.value, notes.log) == ("two words", ["Save"])
    first, second, third, last = person.shown
    assert "Write two words" in first
    assert '1 window "Notes"' in first
    assert "picture: " in second
    assert '2 button "Save"' in second
    assert "set_edit_text" in third
    assert "confirmed" in third
    assert "Write it down: success" in last

    again = Notes()
    book = parse_playbook(playbook_of_session(kept(it, tmp_path / "log"), "again"), "again.yaml")
    repeated = stage(again.desktop, PlaybookModel(book), log_path=tmp_path)
    assert (await repeated.run("Write two words")).outcome is Outcome.SUCCESS
    assert (again.text.value, again.log) == ("two words", ["Save"])


@pytest.mark.requires("model.human")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "one action"),
        ("help", "one action"),
        ("tools", "invoke(id, name, action)"),
        ("list", '6 button "Tidy"'),
        ("press 2", "there is no tool 'press'"),
        ("invoke 99", "no element has the id '99'"),
        ("invoke 2 quickly", "'quickly' is neither an id nor name=value"),
        ('set_edit_text 1 text="open', "No closing quotation"),
        ('{"status": ', "is not complete"),
        ("invoke", "your reply could not be used: invoke: id: Field required"),
        ("look +", "Write it"),
        ('set_edit_text 1 text="x" force=true', "force: Extra inputs"),
        (f"set_edit_text 1 text={'[' * 100_000}", "the value cannot be used: it is nested too deeply"),
    ],
)
async def test_what_cannot_be_meant_is_said_and_asked_again(tmp_path: Path, line: str, said: str) -> None:
    notes = Notes()
    person = Typist("assign 1 Write it", line, "finish", "finish")
    it = stage(notes.desktop, HumanModel(person), log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert said in person.shown[2]
    assert notes.log == []


@pytest.mark.requires("model.human")
async def test_a_person_may_err_more_often_than_a_model(tmp_path: Path) -> None:
    notes = Notes()
    person = Typist("assign 1 Write it", *["invoke 2 force=true"] * 5, "finish", "finish")
    it = stage(notes.desktop, HumanModel(person), log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert sum("your reply could not be used" in shown for shown in person.shown) == 5
    assert notes.log == []


@pytest.mark.requires("model.human", "round.budgets")
async def test_while_a_person_thinks_no_time_of_the_session_runs(tmp_path: Path) -> None:
    person = Typist("assign 1 Write it", "look", "finish", "finish")
    it = stage(Notes().desktop, HumanModel(person), log_path=tmp_path, settings={"max_seconds": 60.0})

    def think() -> None:
        it.clock.time_s += 100

    person.thinks = think
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert it.context.waited_for_person_s == 400
    assert not any("seconds" in shown for shown in person.shown), "nothing is nearly used up"


@pytest.mark.requires("model.human")
async def test_values_are_what_they_look_like_and_data_is_kept(tmp_path: Path) -> None:
    slider = FakeControl(Role.SLIDER, "Volume", value="1")
    notes = Notes([slider])
    person = Typist("assign 1 Louder", "set_value 7 value=7 save=loud +finish", "finish", "finish")
    it = stage(notes.desktop, HumanModel(person), log_path=tmp_path)
    await it.run()
    assert slider.value == "7"
    assert "loud" in it.services.blackboard.data


@pytest.mark.requires("model.human")
async def test_the_end_of_input_ends_the_session_with_an_error(tmp_path: Path) -> None:
    ending = await stage(Notes().desktop, HumanModel(Typist()), log_path=tmp_path).run()
    assert ending.outcome is Outcome.ERROR
    assert "the input has ended" in ending.reason


@pytest.mark.requires("model.human")
async def test_at_a_terminal_what_comes_from_a_screen_moves_no_cursor(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.BUTTON, "\x1b[2JEvil")])
    with screen() as seen:
        it = stage(notes.desktop, HumanModel(TerminalInteractor()), log_path=tmp_path)
        async with anyio.create_task_group() as group:
            group.start_soon(seen.type_after, "> ", "assign 1 Look", "finish seen", "finish")
            assert (await it.run("Look")).outcome is Outcome.SUCCESS
    assert "Evil" in seen.text
    assert "\x1b[2J" not in seen.text
