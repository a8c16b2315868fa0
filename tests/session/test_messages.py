"""Answers to a message are judged by the message: the press of its button, and keys that press one."""

from collections.abc import Sequence

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.command import Effect, Result
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.session.interactors import AutoInteractor
from deskhand.session.single_action import Caller, Hand, NotAllowed

DELETE = "Delete the selected file?"


class Asking:
    """A window with a message over it."""

    def __init__(self, text: str, buttons: Sequence[str], title: str = "Question") -> None:
        self.pressed = list[str]()
        main = FakeWindow("Files", [FakeControl(Role.LIST, "Files")], "files")
        self.desktop = FakeDesktop()
        self.desktop.open(main)
        controls = [FakeControl(Role.LABEL, text)]
        controls += [FakeControl(Role.BUTTON, name, on_click=self._noted(name)) for name in buttons]
        controls[1].states.add("default")
        self.dialog = FakeWindow(title, controls, "files", dialog=True, owner=main)
        self.desktop.open(self.dialog)

    def _noted(self, name: str):
        return lambda: self.pressed.append(name)

    async def window(self, title: str) -> TargetInfo:
        return next(each for each in await self.desktop.windows() if each.name == title)

    async def press(self, name: str, tool: str = "invoke") -> Result:
        """Press a button of the message."""
        seen = await self.desktop.observe(await self.window(self.dialog.title))
        target = next(control for control in seen.controls if control.name == name)
        return await self._hand().act(tool, {"id": "1"}, target=target, window=seen.window, seen=seen)

    async def keys(self, keys: JsonValue) -> Result:
        """Send keys to the window under the message, as last observed before the message opened."""
        main = await self.window("Files")
        return await self._hand().act("keyboard_input", {"keys": keys}, window=main)

    def _hand(self) -> Hand:
        return Hand(self.desktop, Configuration(), AutoInteractor(), Caller("a test"))


@pytest.mark.requires("policy.messages")
@pytest.mark.parametrize(
    ("text", "buttons", "rule"),
    [
        (DELETE, ("Yes", "No"), "harm-by-message"),
        ("A file of this name already exists.", ("OK", "Cancel"), "harm-by-message"),
        ("All changes will be lost.", ("Continue", "Go back"), "harm-by-message"),
        ("Datei endgültig löschen?", ("OK", "Abbrechen"), "harm-by-message"),
        ("Soll die Datei überschrieben werden?", ("Ja", "Nein"), "harm-by-message"),
        ("The program will be removed.", ("Do it", "Cancel"), "harm-by-message"),
        ("Do you want to save the changes?", ("No", "Yes"), "discard-by-message"),
        ("Änderungen vor dem Schließen speichern?", ("Nein", "Ja"), "discard-by-message"),
    ],
)
async def test_an_answer_that_does_harm_by_its_message_needs_an_approval(
    text: str, buttons: tuple[str, str], rule: str
) -> None:
    it = Asking(text, buttons)
    for tool in ("invoke", "click_input"):
        with pytest.raises(NotAllowed) as refused:
            await it.press(buttons[0], tool)
        assert refused.value.verdict.rule == rule
        assert text in refused.value.verdict.facts.message
    assert it.pressed == []
    assert (await it.press(buttons[1])).effect is not Effect.REFUSED
    assert it.pressed == [buttons[1]]


@pytest.mark.requires("policy.messages")
@pytest.mark.parametrize(
    ("text", "buttons"),
    [
        ("3 files were deleted.", ("OK",)),
        ("Do you want to save the changes? They will be lost if you do not.", ("Save", "Cancel")),
        ("The server is slow. Wait?", ("Yes", "No")),
        ("Do you want to save the changes?", ("Yes", "No")),
    ],
)
async def test_an_answer_that_does_no_harm_is_allowed(text: str, buttons: tuple[str, ...]) -> None:
    it = Asking(text, buttons)
    await it.press(buttons[0])
    assert it.pressed == [buttons[0]]


async def test_a_title_is_part_of_the_message() -> None:
    with pytest.raises(NotAllowed, match="harm-by-message"):
        await Asking("Are you sure?", ("Yes", "No"), title="Delete Project").press("Yes")


@pytest.mark.requires("policy.messages")
async def test_keys_that_press_a_button_of_a_message_are_judged_by_it_though_it_was_not_observed() -> None:
    it = Asking(DELETE, ("Yes", "No"))
    for keys in ("{ENTER}", " ", "y", "{VK_MENU}y", "{TAB}{ENTER}"):
        with pytest.raises(NotAllowed, match="harm-by-message"):
            await it.keys(keys)
    assert it.pressed == []
    await it.keys("{ESC}")
    assert it.dialog.closed
    saving = Asking("Do you want to save the changes?", ("Save", "Discard"))
    with pytest.raises(NotAllowed, match="discard-by-key"):
        await saving.keys("{VK_MENU}d")
    await saving.keys("{ENTER}")
    assert saving.pressed == ["Save"]


class Form:
    """A window with a field and a button after it."""

    def __init__(self, button: str, role: Role = Role.BUTTON) -> None:
        self.pressed = list[str]()
        self.desktop = FakeDesktop()
        self.button = FakeControl(role, button, on_click=lambda: self.pressed.append(button))
        field = FakeControl(Role.TEXTBOX, "Name", states={"focused"})
        self.desktop.open(FakeWindow("Form", [field, self.button], "form"))
        self.hand = Hand(self.desktop, Configuration(), AutoInteractor(), Caller("a test"))

    async def keys(self, keys: str, seen: Observation | None = None, tool: str = "keyboard_input") -> Result:
        (window,) = await self.desktop.windows()
        return await self.hand.act(tool, {"keys": keys}, window=window, seen=seen)


@pytest.mark.requires("policy.focus")
@pytest.mark.parametrize(
    ("button", "role", "rule"),
    [
        ("Delete account", Role.BUTTON, "delete-by-name"),
        ("Buy", Role.LINK, "pay-by-name"),
        ("Send", Role.BUTTON, "send-by-name"),
    ],
)
async def test_keys_that_press_what_has_the_keyboard_are_judged_by_its_name(button: str, role: Role, rule: str) -> None:
    form = Form(button, role)
    (window,) = await form.desktop.windows()
    before = await form.desktop.observe(window)
    await form.keys("Ada Lovelace{TAB}")
    for keys in ("{ENTER}", "{KP_ENTER}", " ", "{VK_SHIFT} "):
        for seen in (None, before):
            for tool in ("keyboard_input", "hold_keys"):
                with pytest.raises(NotAllowed, match=rule) as refused:
                    await form.keys(keys, seen, tool)
                assert refused.value.verdict.facts.control_name == button
    for keys in ("x{TAB}{ENTER}", "x{TAB} ", "{VK_SHIFT}{TAB}{VK_SHIFT}{ENTER}"):
        with pytest.raises(NotAllowed, match=rule):
            await Form(button, role).keys(keys)
    assert form.pressed == []


@pytest.mark.requires("policy.focus")
async def test_keys_that_press_another_button_or_none_are_allowed() -> None:
    form = Form("Keep")
    await form.keys("Ada Lovelace")
    await form.keys("{TAB}")
    await form.keys("{ENTER}")
    assert form.pressed == ["Keep"]
    deleting = Form("Delete")
    await deleting.keys("Ada Lovelace{ENTER}")
    await deleting.keys("{TAB}")
    await deleting.keys("{ESC}")
    assert deleting.pressed == []


class Stacked:
    """A window with a text over a button: to the desktop in memory, what is later in its list is in front."""

    def __init__(self, button: str) -> None:
        self.pressed = list[str]()
        self.desktop = FakeDesktop()
        place = Rect(200, 200, 300, 240)
        self.button = FakeControl(Role.BUTTON, button, rect=place, on_click=lambda: self.pressed.append(button))
        self.text = FakeControl(Role.LABEL, "Keep", rect=Rect(240, 210, 260, 230))
        self.window = FakeWindow("Files", [self.text, self.button], "files")
        self.desktop.open(self.window)
        self.hand = Hand(self.desktop, Configuration(), AutoInteractor(), Caller("a test"))

    async def point(self, tool: str, *, moved: int = 0) -> Result:
        """Use a tool at the middle of both, of a window that moved since it was observed."""
        (window,) = await self.desktop.windows()
        seen = await self.desktop.observe(window)
        at = self.desktop.target(self.text).rect.center
        x, y = ((at.x - window.rect.left) / window.rect.width, (at.y - window.rect.top) / window.rect.height)
        self.window.rect = self.window.rect.moved(moved, 0)
        ends: dict[str, JsonValue] = {"start_x": x, "start_y": y, "end_x": x, "end_y": y}
        given: dict[str, JsonValue] = ends if tool == "drag_on_coordinates" else {"x": x, "y": y}
        return await self.hand.act(tool, given, window=window, seen=seen)


@pytest.mark.requires("policy.overlaps")
@pytest.mark.parametrize("moved", [0, 90])
async def test_a_text_over_a_button_does_not_hide_it_from_the_rules(moved: int) -> None:
    it = Stacked("Delete")
    for tool in ("click_on_coordinates", "drag_on_coordinates", "hold_button"):
        with pytest.raises(NotAllowed, match="delete-by-name") as refused:
            await it.point(tool, moved=moved)
        assert refused.value.verdict.facts.control_name == "Delete"
    assert it.pressed == []
    keeping = Stacked("Archive")
    await keeping.point("click_on_coordinates")
    assert keeping.pressed == ["Archive"]


@pytest.mark.requires("policy.default-button")
@pytest.mark.parametrize("named", [False, True])
async def test_enter_in_a_field_is_judged_by_the_default_button_of_its_window(named: bool) -> None:
    for name in ("Send", "Search"):
        form = Form(name)
        form.button.states.add("default")
        (window,) = await form.desktop.windows()
        seen = await form.desktop.observe(window)
        field = next(control for control in seen.controls if control.type is Role.TEXTBOX) if named else None
        given: dict[str, JsonValue] = {"keys": "Ada{ENTER}", "id": "1" if named else ""}
        sending = form.hand.act("keyboard_input", given, target=field, window=window, seen=seen)
        if name == "Send":
            with pytest.raises(NotAllowed, match="send-by-name"):
                await sending
        else:
            await sending
        assert form.pressed == (["Search"] if name == "Search" else [])
