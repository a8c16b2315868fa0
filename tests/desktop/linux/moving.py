"""Moving windows as a person does, and laying things over them, on a desktop of a test."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

from Xlib import X, Xutil
from Xlib.display import Display
from Xlib.protocol.event import ClientMessage
from Xlib.xobject.drawable import Window

from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo

_NO_DECORATION: Final = (2, 0, 0, 0, 0)
_ADD: Final = 1
_REMOVE: Final = 0


class Mover:
    """One more visitor of a display."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._root: Window = display.screen().root

    def move(self, window: TargetInfo, x: int, y: int) -> None:
        """Asks for a corner on the screen; it may be far outside."""
        self._window(window).configure(x=x, y=y)
        self._display.sync()

    def resize(self, window: TargetInfo, width: int, height: int) -> None:
        self._window(window).configure(width=width, height=height)
        self._display.sync()

    def maximise(self, window: TargetInfo, *, on: bool) -> None:
        words = [self._atom(f"_NET_WM_STATE_MAXIMIZED_{axis}") for axis in ("HORZ", "VERT")]
        data = [_ADD if on else _REMOVE, *words, 2, 0]
        message = ClientMessage(window=self._window(window), client_type=self._atom("_NET_WM_STATE"), data=(32, data))
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def minimize(self, window: TargetInfo) -> None:
        data = [Xutil.IconicState, 0, 0, 0, 0]
        message = ClientMessage(window=self._window(window), client_type=self._atom("WM_CHANGE_STATE"), data=(32, data))
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def activate(self, window: TargetInfo) -> None:
        """Asks for the front and the keyboard, and does not wait for them."""
        message = ClientMessage(
            window=self._window(window), client_type=self._atom("_NET_ACTIVE_WINDOW"), data=(32, [2, 0, 0, 0, 0])
        )
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def undecorate(self, window: TargetInfo) -> None:
        hints = self._atom("_MOTIF_WM_HINTS")
        self._window(window).change_property(hints, hints, 32, _NO_DECORATION)
        self._display.sync()

    @contextmanager
    def cover(self, place: Rect, colour: int = 0) -> Generator[Window]:
        """A window that the window manager leaves alone and that stays above all others."""
        over = self._root.create_window(
            place.left,
            place.top,
            place.width,
            place.height,
            0,
            X.CopyFromParent,
            override_redirect=True,
            background_pixel=colour,
        )
        over.set_wm_name("Cover")
        over.map()
        over.configure(stack_mode=X.Above)
        self._display.sync()
        try:
            yield over
        finally:
            over.destroy()
            self._display.sync()

    def _atom(self, name: str) -> int:
        return self._display.intern_atom(name)

    def _window(self, window: TargetInfo) -> Window:
        return self._display.create_resource_object("window", int(window.handle.removeprefix("x11:"), 16))


@contextmanager
def mover(environment: Mapping[str, str]) -> Generator[Mover]:
    """A mover on the display that programs with this environment appear on."""
    display = Display(environment["DISPLAY"])
    try:
        yield Mover(display)
    finally:
        display.close()
