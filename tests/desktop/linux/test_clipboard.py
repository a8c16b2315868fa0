"""The clipboard, where other programs that own it say odd things, and while it goes from one to another."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import pytest
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import ConnectionClosedError
from Xlib.protocol import rq
from Xlib.protocol.event import SelectionNotify

from deskhand.core.errors import ActionRefused
from deskhand.desktop.linux.x11 import clipboard
from deskhand.desktop.linux.x11.clipboard import ClipboardOwner, XClipboard
from deskhand.desktop.linux.x11.connection import close_display, cut_display, open_display
from desktop.linux.servers import server
from support import wait_for

pytestmark = pytest.mark.desktop

NO_ATOM: Final = 0x1FFFFFFF
CHUNK: Final = b"x" * 50_000


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
        assert await XClipboard(display).read_all(1000, 5.0) == {"UTF8_STRING": b"text"}


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
    assert await XClipboard(display).read("UTF8_STRING", 5.0) == b"fresh"
    owner.close()
    close_display(other)


@pytest.mark.requires("typing.clipboard")
@pytest.mark.parametrize("begins", [True, False])
async def test_a_clipboard_whose_owner_does_not_answer_is_not_empty_and_one_without_an_owner_or_the_form_is(
    display: str, begins: bool
) -> None:
    def answer(own: Display, event: rq.Event) -> None:
        if event.type == X.SelectionRequest and begins:
            event.requestor.change_property(event.property, own.intern_atom("INCR"), 32, [len(CHUNK)])
            notify(event)

    with owned(display, answer):
        assert await XClipboard(display).read("UTF8_STRING", 0.2) is None
    assert await XClipboard(display).read("UTF8_STRING", 5.0) == b""
    owner = ClipboardOwner(display)
    owner.offer({"image/png": b"picture"})
    assert await XClipboard(display).read("UTF8_STRING", 5.0) == b""
    owner.close()


@pytest.fixture
def chunks(display: str) -> Generator[list[int]]:
    """Another program offers text that never ends; how many chunks it gave."""
    given = [0]

    def answer(own: Display, event: rq.Event) -> None:
        utf8 = own.intern_atom("UTF8_STRING")
        if event.type == X.SelectionRequest and event.target == utf8:
            event.requestor.change_attributes(event_mask=X.PropertyChangeMask)
            event.requestor.change_property(event.property, own.intern_atom("INCR"), 32, [len(CHUNK)])
            notify(event)
        elif event.type == X.SelectionRequest:
            give(own, event, [utf8])
        elif event.type == X.PropertyNotify and event.state == X.PropertyDelete:
            event.window.change_property(event.atom, utf8, 8, CHUNK)
            given[0] += 1

    with owned(display, answer):
        yield given


@pytest.mark.requires("typing.clipboard")
async def test_a_clipboard_without_end_is_not_taken_in_beyond_what_is_wanted(display: str, chunks: list[int]) -> None:
    assert await XClipboard(display).read_all(3 * len(CHUNK), 20.0) is None
    assert 4 <= chunks[0] <= 5


@pytest.mark.requires("typing.clipboard")
async def test_text_on_the_clipboard_without_end_is_refused(
    display: str, chunks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard, "_MOST_BYTES", 3 * len(CHUNK))
    with pytest.raises(ActionRefused, match=r"more than 150000 bytes of UTF8_STRING"):
        await XClipboard(display).read("UTF8_STRING", 20.0)
    assert 4 <= chunks[0] <= 5


@pytest.mark.parametrize("early", [True, False])
def test_what_a_window_asked_for_that_is_gone_is_kept_no_longer(display: str, early: bool) -> None:
    owner, other = ClipboardOwner(display), Display(display)
    try:
        owner.offer({"UTF8_STRING": b"x" * 1_000_000})
        window = other.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)
        form, place = other.intern_atom("UTF8_STRING"), other.intern_atom("RECEIVED")
        if early:
            other.grab_server()
        window.convert_selection(other.intern_atom("CLIPBOARD"), form, place, X.CurrentTime)
        if not early:
            while other.next_event().type != X.SelectionNotify:
                pass
            assert owner.unfinished == 1
        window.destroy()
        other.ungrab_server()
        other.sync()
        owner.offer({})  # is handled after what came before
        owner.offer({})
        assert owner.unfinished == 0
    finally:
        other.close()
        owner.close()
