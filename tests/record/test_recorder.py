"""The recorder on a desktop in memory, with a user who presses where the controls are."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest

from deskhand.core.geometry import Point
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.live import ButtonChanged, KeysPressed, LiveEvent
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
    takes: list[Callable[[LiveEvent], None]] = field(default_factory=list[Callable[[LiveEvent], None]])
    begins: anyio.Event = field(default_factory=anyio.Event)

    @asynccontextmanager
    async def listen(self, take: Callable[[LiveEvent], None]) -> AsyncGenerator[None]:
        self.takes.append(take)
        self.begins.set()
        yield
        self.takes.remove(take)

    async def click(self, name: str) -> None:
        (window, *_) = await self.desktop.windows()
        seen = await self.desktop.observe(window, picture=False)
        point = next(each.rect.center for each in seen.controls if each.name == name)
        for take in self.takes:
            take(ButtonChanged(point, MouseButton.LEFT, is_down=True))
            take(ButtonChanged(point, MouseButton.LEFT, is_down=False))
        await self.desktop.click(point)

    async def type(self, chords: Sequence[Chord]) -> None:
        for take in self.takes:
            take(KeysPressed(tuple(chords)))
        await self.desktop.press(chords)


def never(_: Scene) -> bool:
    return False


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
