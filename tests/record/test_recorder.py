"""The recorder on a desktop in memory, with a user who presses where the controls are."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest

from deskhand.core.errors import ApplicationGone
from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.live import ButtonChanged, KeysPressed, RecordedEvent, WindowShown
from deskhand.models.playbook_file import parse_playbook
from deskhand.record.book import Book
from deskhand.record.gestures import Gestures, Press, Run
from deskhand.record.recorder import Recorder
from deskhand.record.scene import Scene

SECRET = "hunter2"  # noqa: S105 - nobody's


@dataclass(slots=True)
class User:
    """Presses on a desktop in memory; a recorder that listens hears of it first, as from an X server."""

    desktop: FakeDesktop
    takes: list[Callable[[RecordedEvent], None]] = field(default_factory=list[Callable[[RecordedEvent], None]])
    begins: anyio.Event = field(default_factory=anyio.Event)

    @asynccontextmanager
    async def listen(self, take: Callable[[RecordedEvent], None]) -> AsyncGenerator[None]:
        self.takes.append(take)
        self.begins.set()
        yield
        self.takes.remove(take)

    async def click(self, name: str) -> None:
        point = await self.place(name)
        self.press(point)
        await self.desktop.click(point)

    async def type(self, chords: Sequence[Chord]) -> None:
        self.hear(KeysPressed(tuple(chords)))
        await self.desktop.press(chords)

    async def place(self, name: str) -> Point:
        (window, *_) = await self.desktop.windows()
        seen = await self.desktop.observe(window, picture=False)
        return next(each.rect.center for each in seen.controls if each.name == name)

    def press(self, point: Point) -> None:
        """Press a button without any effect."""
        self.hear(ButtonChanged(point, MouseButton.LEFT, is_down=True))
        self.hear(ButtonChanged(point, MouseButton.LEFT, is_down=False))

    def hear(self, event: RecordedEvent) -> None:
        for take in self.takes:
            take(event)


def never(_: Scene) -> bool:
    return False


async def recorded(desktop: FakeDesktop, does: Callable[[User, Point], None], name: str, steps: int = 0) -> Book:
    """The recording of a user who does something at the place of a control, once it has more than these steps."""
    user, has_step, book = User(desktop), anyio.Event(), Book("form")

    def changed(book: Book) -> None:
        if book.count > steps or book.doubts:
            has_step.set()

    async with anyio.create_task_group() as group:
        group.start_soon(Recorder(desktop, book, changed).run, user.listen, never)
        await user.begins.wait()
        does(user, await user.place(name))
        with anyio.fail_after(10):
            await has_step.wait()
        group.cancel_scope.cancel()
    return book


def form() -> tuple[FakeDesktop, dict[str, FakeControl]]:
    controls = {
        "Name": FakeControl(Role.TEXTBOX, "Name", states={"editable"}),
        "Password": FakeControl(Role.PASSWORD, "Password", states={"editable"}),
        "Agree": FakeControl(Role.CHECKBOX, "Agree"),
        "Save": FakeControl(Role.BUTTON, "Save", on_click=lambda: setattr(controls["State"], "value", "saved")),
        "State": FakeControl(Role.STATUS, "State"),
    }
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Form", list(controls.values()), "form"))
    return desktop, controls


@pytest.mark.requires("record.same-state", "record.passwords")
async def test_fields_get_their_values_buttons_are_pressed_and_a_password_is_in_no_text() -> None:
    desktop, controls = form()
    user, texts = User(desktop), list[str]()
    written, receive = anyio.create_memory_object_stream[int](100)

    def changed(book: Book) -> None:
        texts.append(book.text())
        written.send_nowait(book.count)

    async def done(steps: int) -> None:
        with anyio.fail_after(10):
            while await receive.receive() < steps:
                pass

    async with anyio.create_task_group() as group, written, receive:
        group.start_soon(Recorder(desktop, Book("form"), changed).run, user.listen, never)
        await user.begins.wait()
        await user.click("Name")
        await user.type([Chord("A"), Chord("d"), Chord("b"), Chord("backspace"), Chord("a")])
        await done(1)
        await user.click("Password")
        await user.type([Chord(key) for key in SECRET])
        await done(2)
        await user.click("Agree")
        await done(3)
        await user.click("Save")
        await done(4)
        group.cancel_scope.cancel()
    assert (controls["Name"].value, controls["Password"].value) == ("Ada", SECRET)
    assert not any(SECRET in text for text in texts)
    steps = parse_playbook(texts[-1], "form.yaml").agents["form"]
    assert [(step.tool, dict(step.args or {})) for step in steps] == [
        ("set_edit_text", {"text": "Ada"}),
        ("set_edit_text", {"text": "${password}"}),
        ("set_value", {"value": True}),
        ("invoke", {}),
        ("", {}),
    ]
    assert all(parse_playbook(text, "form.yaml") for text in texts), "complete after each step"


@pytest.mark.requires("record.same-state")
@pytest.mark.parametrize(("came_before", "tool"), [(False, "invoke"), (True, "click_on_coordinates")])
async def test_only_a_popup_that_came_before_a_press_is_its_target(*, came_before: bool, tool: str) -> None:
    desktop, _ = form()

    def press(user: User, point: Point) -> None:
        desktop.shown_popups.append(Rect(point.x - 5, point.y - 5, point.x + 5, point.y + 5))
        for event in [WindowShown()] if came_before else []:
            user.hear(event)
        user.press(point)

    book = await recorded(desktop, press, "Save")
    (step, _) = parse_playbook(book.text(), "form.yaml").agents["form"]
    assert step.tool == tool


class BusyProgram(FakeDesktop):
    """A desktop whose program handles input late: a second after it, during an observation."""

    def __init__(self, handle: Callable[[], None]) -> None:
        super().__init__()
        self._handle = handle

    async def popups(self, window: TargetInfo) -> tuple[Rect, ...]:
        if len(self.calls_of("popups")) == 4:
            self._handle()
            self.touch()
        return await super().popups(window)


@pytest.mark.requires("record.same-state")
async def test_the_effect_of_a_press_is_awaited_where_the_program_is_busy() -> None:
    agree = FakeControl(Role.CHECKBOX, "Agree")
    desktop = BusyProgram(lambda: agree.states.add("checked"))
    desktop.open(FakeWindow("Form", [agree], "form"))
    book = await recorded(desktop, lambda user, point: user.press(point), "Agree")
    (step, _) = parse_playbook(book.text(), "form.yaml").agents["form"]
    assert step.args == {"value": True}


@pytest.mark.requires("record.same-state", "record.passwords")
async def test_a_field_that_has_just_replaced_another_one_gets_a_quick_users_keys() -> None:
    name, secret = (FakeControl(role, role, states={"editable"}) for role in (Role.TEXTBOX, Role.PASSWORD))
    window, desktop = FakeWindow("Form", [name, FakeControl(Role.BUTTON, "Next")], "form"), FakeDesktop()
    desktop.open(window)
    field_place = await User(desktop).place("textbox")

    def log_in(user: User, point: Point) -> None:
        user.press(point)
        window.controls[0] = secret
        user.press(field_place)
        user.hear(KeysPressed(tuple(Chord(key) for key in SECRET)))

    book = await recorded(desktop, log_in, "Next")
    assert SECRET not in book.text()
    (pressed, typed, _) = parse_playbook(book.text(), "form.yaml").agents["form"]
    assert (pressed.tool, typed.tool, typed.args) == ("invoke", "set_edit_text", {"text": "${password}"})


@pytest.mark.requires("record.doubts")
async def test_a_choice_whose_press_was_not_observed_is_known_from_its_box() -> None:
    box, label = FakeControl(Role.COMBOBOX, "Size", value="A4"), FakeControl(Role.STATUS, "State")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Form", [box, label], "form"))
    item_place = await User(desktop).place("State")

    def choose(user: User, point: Point) -> None:
        user.press(point)
        user.press(item_place)  # in a list that is part of the window, and gone by now
        box.value = "A5"
        desktop.touch()

    book = await recorded(desktop, choose, "Size")
    (step, _) = parse_playbook(book.text(), "form.yaml").agents["form"]
    assert (step.tool, step.args) == ("select_item", {"item": "A5"})
    assert book.doubts == ("step 1 is brittle: the press that chose it was not observed; another one may be missing",)


@pytest.mark.requires("record.doubts")
@pytest.mark.parametrize(("x", "doubted"), [(0, True), (500, False)])
async def test_a_press_is_in_doubt_where_something_was_shown_at_its_place_and_is_gone(*, x: int, doubted: bool) -> None:
    desktop, _ = form()

    def press(user: User, point: Point) -> None:
        user.hear(WindowShown(Rect(point.x + x, point.y, point.x + x + 5, point.y + 5)))
        user.press(point)

    book = await recorded(desktop, press, "Save")
    assert bool(book.doubts) is doubted, book.doubts


@pytest.mark.requires("record.doubts")
async def test_a_press_after_a_menu_that_was_not_observed_is_in_doubt() -> None:
    desktop, _ = form()
    (window,) = desktop.shown_windows
    window.controls.append(FakeControl(Role.MENU, "File"))
    save_place = await User(desktop).place("Save")

    def choose(user: User, point: Point) -> None:
        user.press(point)
        user.press(save_place)  # an item of the menu was there, in front of the button

    book = await recorded(desktop, choose, "File", steps=1)
    assert any("the menu or list that was opened before it was not observed" in each for each in book.doubts)


class ClosingDialog(FakeDesktop):
    """A desktop with a dialog that is listed, and closes before it can be observed."""

    is_observing = False

    async def unchanged(self, window: TargetInfo, *, within_s: float) -> Observation | None:
        if window.name == "Question":
            self.is_observing = True
            raise ApplicationGone("the dialog is gone", fix="")
        return await super().unchanged(window, within_s=within_s)

    async def popups(self, window: TargetInfo) -> tuple[Rect, ...]:
        if window.name == "Question" and not self.is_observing:  # asked for a press
            self.close_window(next(each for each in self.shown_windows if each.title == "Question"))
        self.is_observing = False
        return await super().popups(window)


@pytest.mark.requires("record.doubts")
async def test_a_press_that_closed_its_dialog_before_it_was_observed_is_said_not_to_be_recorded() -> None:
    desktop = ClosingDialog()
    desktop.open(FakeWindow("Form", [FakeControl(Role.BUTTON, "Save")], "form"))

    def press(user: User, point: Point) -> None:
        yes = FakeControl(Role.BUTTON, "Yes", rect=Rect(0, 0, 900, 900))
        desktop.open(FakeWindow("Question", [yes], "form"))
        user.hear(WindowShown())
        user.press(point)

    book = await recorded(desktop, press, "Save")
    missed = 'a press in window "Question", which closed before it was observed'
    assert book.doubts == (f"not recorded after step 0: {missed}",)
    assert f"# not recorded: {missed}\n" in book.text()
    assert [step.tool for step in parse_playbook(book.text(), "form.yaml").agents["form"]] == [""]


def press(gestures: Gestures, at: float, x: int = 5, to: int | None = None) -> None:
    for is_down, place in ((True, x), (False, to if to is not None else x)):
        gestures.take(ButtonChanged(Point(place, 5), MouseButton.LEFT, is_down), Scene(), at)


async def test_clicks_in_quick_succession_are_one_gesture_and_a_drag_is_another() -> None:
    gestures = Gestures()
    press(gestures, 1.0)
    press(gestures, 1.1)
    press(gestures, 2.0)
    press(gestures, 3.0, 5, 90)
    presses = [each for each in gestures.done if isinstance(each, Press)]
    assert [(each.count, each.is_drag) for each in presses] == [(2, False), (1, False), (1, True)]


async def test_keys_are_one_run_until_one_that_leaves_the_field() -> None:
    gestures = Gestures()
    for key in ("a", "b", "backspace", "tab", "c"):
        gestures.take(KeysPressed((Chord(key),)), Scene(), 1.0)
    gestures.take(KeysPressed((Chord("s", ("ctrl",)),)), Scene(), 1.0)
    runs = [[chord.key for chord in each.chords] for each in gestures.done if isinstance(each, Run)]
    assert runs == [["a", "b", "backspace"], ["tab"], ["c"], ["s"]]
