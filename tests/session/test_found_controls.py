"""Controls that the prompt had no room for: found, and used by the ids that were found (contract 4.2)."""

from pathlib import Path

import pytest

from deskhand.core.events import ActionFinished
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.pipeline.outputs import MAX_OUTPUT
from notes import prompt_of
from paged import Paged, letter
from stage import Answer, Stage, assign, say, stage

APP = "AppAgent/many"
FIND = {"function": "find_controls", "status": "CONTINUE"}


class Many:
    """A window with 500 buttons of long names, no two alike; `pressed` are those that were."""

    def __init__(self) -> None:
        self.desktop = FakeDesktop()
        self.pressed: list[str] = []
        self.window = self.desktop.open(FakeWindow("Many", [self._button(n) for n in range(500)], "many"))

    def _button(self, number: int) -> FakeControl:
        name = f"{'Item' if number % 2 else 'Entry'} {number} of {'the long list ' * 3}"
        made = FakeControl(Role.BUTTON, name.strip())

        def press() -> None:
            self.pressed.append(made.name)
            made.states |= {"checked"}

        made.on_click = press
        return made


def found_in(request: ModelRequest, tool: str = "find_controls") -> str:
    """What the prompt says that a tool gave in the last step."""
    line = next(line for line in reversed(prompt_of(request).splitlines()) if f"; {tool}(" in line)
    return line.partition(" → ")[2]


def press_the_first_found(request: ModelRequest) -> JsonObject:
    label, _, name = found_in(request).split(" | ")[0].split(" ", 2)
    return {"status": "CONTINUE", "function": "invoke", "control_label": label, "control_text": name.strip('"')}


async def played(many: Many, folder: Path, *replies: Answer) -> Stage:
    host = [assign("Many", "Press it"), say("FINISH")]
    it = stage(many.desktop, {"HostAgent": host, APP: [*replies, say("FINISH")]}, log_path=folder)
    assert (await it.run()).outcome is Outcome.SUCCESS
    return it


@pytest.mark.long
@pytest.mark.requires("memory.found-ids")
async def test_a_control_that_was_not_listed_is_found_and_pressed_by_its_id(tmp_path: Path) -> None:
    many = Many()
    it = await played(many, tmp_path, lambda _: {**FIND, "args": {"text": "Item 437 "}}, press_the_first_found)
    first, second = it.model.requests[1:3]
    assert "Item 437" not in prompt_of(first), "there was no room for it"
    assert "more, use find_controls" in prompt_of(first)
    assert found_in(second).startswith('438 button "Item 437 of the long list')
    assert len(many.pressed) == 1
    assert many.pressed[0].startswith("Item 437 ")


@pytest.mark.requires("memory.found-ids")
@pytest.mark.long
async def test_many_that_are_found_are_told_whole_line_by_whole_line_with_how_many_are_left(tmp_path: Path) -> None:
    many = Many()
    it = await played(many, tmp_path, lambda _: {**FIND, "args": {"text": "Entry"}}, press_the_first_found)
    *lines, last = found_in(it.model.requests[2]).split(" | ")
    assert last == f"… {250 - len(lines)} more; narrow the search"
    assert len(lines) > 40
    assert all(line.endswith('the long list"') for line in lines)
    assert sum(map(len, lines)) <= MAX_OUTPUT
    assert many.pressed[0].startswith("Entry 0 ")


@pytest.mark.requires("memory.found-ids")
async def test_ids_of_a_numbering_that_is_gone_are_not_told(tmp_path: Path) -> None:
    many = Many()

    def find_and_renumber(_: ModelRequest) -> JsonObject:
        many.window.controls.insert(0, FakeControl(Role.CHECKBOX, "New"))
        return {"function": "find_controls", "status": "SCREENSHOT", "args": {"text": "Entry 0 "}}

    it = await played(many, tmp_path, find_and_renumber)
    assert it.model.requests[2].controls[0].name == "New"
    assert found_in(it.model.requests[2]) == "(1 more with stale ids)"


@pytest.mark.requires("memory.found-ids")
async def test_what_came_since_the_look_has_no_id_yet_and_says_so(tmp_path: Path) -> None:
    many = Many()

    def find_new(_: ModelRequest) -> JsonObject:
        many.window.controls.insert(0, FakeControl(Role.BUTTON, "Sudden"))
        return {**FIND, "args": {"name": "Sudden"}}

    it = await played(many, tmp_path, find_new)
    assert found_in(it.model.requests[2]) == '(no id until the next observation) button "Sudden"'


@pytest.mark.requires("memory.found-ids")
async def test_an_id_of_an_earlier_look_with_its_name_is_refused_and_nothing_runs(tmp_path: Path) -> None:
    many = Many()
    earlier: list[JsonObject] = []

    def renumber(request: ModelRequest) -> JsonObject:
        target = request.controls[3]
        earlier.append({"function": "invoke", "control_label": target.id, "control_text": target.name})
        del many.window.controls[0]
        return {"status": "SCREENSHOT"}

    it = await played(many, tmp_path, renumber, lambda _: {**earlier[0], "status": "CONTINUE"}, say("CONTINUE"))
    assert "id and name disagree" in it.model.requests[3].problem
    assert it.events.of(ActionFinished)[1:] == []
    assert many.pressed == []


@pytest.mark.requires("observe.reservations")
async def test_a_model_is_told_that_not_everything_could_be_read(tmp_path: Path) -> None:
    many = Many()
    many.desktop.faults.truncate_after = 3

    def see_all(_: ModelRequest) -> JsonObject:
        many.desktop.faults.truncate_after = None
        return {"status": "CONTINUE"}

    it = await played(many, tmp_path, see_all)
    cut_short, whole = (prompt_of(request) for request in it.model.requests if request.agent == "app")
    assert "(not everything could be read: deadline)" in cut_short
    assert "not everything could be read" not in whole


@pytest.mark.requires("find.whole-document")
async def test_hits_on_other_pages_are_in_the_next_prompt_and_one_is_scrolled_to_by_its_number(tmp_path: Path) -> None:
    paged = Paged(letter())
    searches = [say("CONTINUE", "find_controls", args={"text": "heron", "show": show}) for show in (0, 2)]
    host = [assign("Letter", "Find the heron"), say("FINISH")]
    it = stage(paged.desktop, {"HostAgent": host, "AppAgent/writer": [*searches, say("FINISH")]}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    first, second, third = it.model.requests[1:4]
    assert (
        'find_controls(text="heron") done: 3 hits in the 200 paragraphs of the document; show=2 scrolls to hit 2 → '
        '(no id until the next observation) paragraph = "a heron waits" (hit 1, paragraph 3) | '
        '(no id) paragraph = "heron and kestrel" (hit 2, paragraph 161, out of view) | '
        '(no id) paragraph = "heron and kestrel" (hit 3, paragraph 165, out of view)'
    ) in prompt_of(second)
    assert "heron and kestrel" not in prompt_of(first)
    assert "done: hit 2 is in view → " in prompt_of(third)
    assert [each.value for each in third.controls].count("heron and kestrel") == 2
