"""The clipboard, where other programs that own it say odd things, and while it goes from one to another."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import ConnectionClosedError
from Xlib.protocol import rq
from Xlib.protocol.event import SelectionNotify

from deskhand.desktop.linux.x11.clipboard import ClipboardOwner, read_clipboard, read_whole_clipboard
from deskhand.desktop.linux.x11.connection import close_display, cut_display, open_display
from desktop.linux.servers import server
from support import wait_for

pytestmark = pytest.mark.desktop

NO_ATOM = 0x1FFFFFFF


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with server("Xvfb", "-screen", "0", "320x240x24") as display:
        yield display


@contextmanager
def owned(name: str, answer: Callable[[Display, rq.Event], None]) -> Generator[None]:
    """Another program owns the clipboard; `answer` is called with whatever it is told."""
    display = open_display(name)
    window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    window.set_selection_owner(display.intern_atom("CLIPBOARD"), X.CurrentTime)
    display.sync()

    def serve() -> None:
        try:
            while True:
                answer(display, display.next_event())
                display.flush()
        except (ConnectionClosedError, OSError):
            return

    serving = threading.Thread(target=serve)
    serving.start()
    try:
        yield
    finally:
        cut_display(display)
        serving.join()
        close_display(display)


def notify(event: rq.Event) -> None:
    """The property that was asked for is there."""
    asked = {name: getattr(event, name) for name in ("time", "requestor", "selection", "target", "property")}
    event.requestor.send_event(SelectionNotify(**asked))


def give(display: Display, event: rq.Event, atoms: list[int]) -> None:
    """Gives these as its forms, and the same text in each."""
    if event.target == display.intern_atom("TARGETS"):
        event.requestor.change_property(event.property, Xatom.ATOM, 32, atoms)
    else:
        event.requestor.change_property(event.property, event.target, 8, b"text")
    notify(event)


@pytest.mark.requires("typing.clipboard")
async def test_a_form_of_the_clipboard_that_does_not_exist_is_left_out(display: str) -> None:
    def answer(own: Display, event: rq.Event) -> None:
        if event.type == X.SelectionRequest:
            give(own, event, [X.NONE, NO_ATOM, own.intern_atom("UTF8_STRING")])

    with owned(display, answer):
        assert await read_whole_clipboard(display, 1000, 5.0) == {"UTF8_STRING": b"text"}


@pytest.mark.requires("typing.ladder")
async def test_what_was_offered_stays_there_though_another_program_took_over_what_was_offered_before(
    display: str,
) -> None:
    owner, other = ClipboardOwner(display), open_display(display)
    owner.offer({"UTF8_STRING": b"before"})
    other.grab_server()  # so that the next offer is under way while the other program takes the clipboard
    other.sync()
    offering = threading.Thread(target=owner.offer, args=({"UTF8_STRING": b"fresh"},))
    offering.start()
    wait_for(lambda: not owner._offers)  # pyright: ignore  the moment matters
    window = other.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    window.set_selection_owner(other.intern_atom("CLIPBOARD"), X.CurrentTime)
    other.ungrab_server()
    other.sync()
    offering.join()
    assert await read_clipboard(display, "UTF8_STRING", 5.0) == b"fresh"
    owner.close()
    close_display(other)
