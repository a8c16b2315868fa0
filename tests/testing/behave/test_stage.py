"""Steps on the desktop in memory: the control they choose, and what they do not take for success."""

from dataclasses import replace

import pytest

from deskhand.core.errors import AmbiguousTarget, ApplicationUnresponsive, ElementNotFound, UsageError
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.scripting import on_open_desktop
from deskhand.scripting.results import ExpectationFailed
from deskhand.testing.behave.controls import Wanted
from deskhand.testing.behave.stage import Click, Stage

pytestmark = pytest.mark.requires("behave.phrases")


class Desk:
    """Two windows of an editor, each with a button Close, and one of a viewer."""

    def __init__(self) -> None:
        self.memory = FakeDesktop()
        self.pressed: list[str] = []
        self.tools = [self._button("Close", "viewer")]
        self.memory.open(FakeWindow("Picture", self.tools, "viewer"))
        self.texts = [self._button("Open", "open"), self._button("Close", "close"), self._button("Close", "all")]
        self.texts[2].description = "all documents"
        self.bold = FakeControl(Role.CHECKBOX, "Bold")
        self.page = FakeControl(Role.TEXTBOX, "Page", "Dear Ada", states={"editable"})
        self.editor = self.memory.open(FakeWindow("Letter", [*self.texts, self.bold, self.page], "editor"))
        self.memory.open(FakeWindow("Find", [self._button("Search", "search")], "editor"))
        self.stage = Stage(on_open_desktop(self.memory, timeout_s=0.3), {})

    def _button(self, name: str, does: str) -> FakeControl:
        return FakeControl(Role.BUTTON, name, on_click=lambda: self.pressed.append(does))


async def test_a_control_is_found_in_any_window_of_its_application_and_in_no_other() -> None:
    desk = Desk()
    await desk.stage.click(Wanted("Open", "push button", "editor"), Click())
    await desk.stage.click(Wanted("Search", "button", "editor"), Click())
    await desk.stage.click(Wanted("Close", "push button", "viewer"), Click())
    assert desk.pressed == ["open", "search", "viewer"]
    with pytest.raises(ElementNotFound, match="has no button"):
        await desk.stage.click(Wanted("Open", "push button", "viewer"), Click())
    with pytest.raises(ExpectationFailed, match='painter was expected to have a window, but open are "Picture" of'):
        await desk.stage.click(Wanted("Open", "push button", "painter"), Click())


async def test_several_controls_are_an_error_until_a_part_of_the_step_chooses_one() -> None:
    desk = Desk()
    with pytest.raises(AmbiguousTarget, match="2 controls"):
        await desk.stage.click(Wanted("Close", "push button", "editor"), Click())
    assert desk.pressed == []
    await desk.stage.click(Wanted("Close", "push button", "editor", description="documents"), Click())
    await desk.stage.click(Wanted("r:Cl.*", "push button", "editor", description="Empty"), Click())
    assert desk.pressed == ["all", "close"]


async def test_states_texts_and_places_are_those_of_the_control() -> None:
    desk = Desk()
    bold, page = Wanted("Bold", "check box", "editor"), Wanted("None", "text", "editor", attr="editable")
    await desk.stage.expect_state(bold, "checked", has=False)
    with pytest.raises(ExpectationFailed, match="to be checked"):
        await desk.stage.expect_state(bold, "checked")
    await desk.stage.expect_gone(replace(bold, attr="checked"))
    desk.bold.states.add("checked")
    await desk.stage.expect_state(bold, "checked")
    await desk.stage.expect_there(replace(bold, attr="checked", not_attr="focused"))
    await desk.stage.expect_gone(replace(bold, not_attr="checked"))
    await desk.stage.expect_text(page, "Ada")
    with pytest.raises(ExpectationFailed, match='to have no "Ada" in its text, but its text is "Dear Ada"'):
        await desk.stage.expect_text(page, "Ada", has=False)
    rect = desk.editor.rect
    far = Wanted("Bold", "check box", "editor", position_low=f"{rect.right},{rect.bottom}")
    await desk.stage.expect_gone(far)
    await desk.stage.expect_there(Wanted("Bold", "check box", "editor", size_low="1,1", position_low="0,0"))
    for wrong in (Wanted("Bold", "box"), Wanted("Bold", "check box", attr="ticked"), Wanted("r:(", "check box")):
        with pytest.raises(UsageError):
            await desk.stage.expect_there(wrong)


async def test_windows_are_named_by_words_of_their_title() -> None:
    desk = Desk()
    await desk.stage.expect_there(Wanted("lett", "frame", "editor"))
    await desk.stage.expect_state(Wanted("Find", "frame"), "focused")
    await desk.stage.expect_gone(Wanted("Pict", "frame", "editor"))
    with pytest.raises(ExpectationFailed, match='nearest: "Find"; "Letter"'):
        await desk.stage.expect_there(Wanted("Save", "dialog", "editor"))


async def test_a_control_is_not_gone_where_its_window_cannot_be_read_or_there_is_none() -> None:
    desk = Desk()
    for call in range(1, 40):
        desk.memory.faults.fail("observe", ApplicationUnresponsive("it hangs"), on_call=call)
    with pytest.raises(ApplicationUnresponsive):
        await desk.stage.expect_gone(Wanted("Save", "push button", "editor"))
    with pytest.raises(ExpectationFailed, match="its application has no window"):
        await Desk().stage.expect_gone(Wanted("Save", "push button", "painter"))
