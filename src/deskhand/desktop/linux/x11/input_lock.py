"""Lock of a display's pointer and keyboard for one agent over all processes: the owner of a selection on it.

The server frees it with the connection of its owner, however that ended; nothing stale can be left behind, and it is
the same for every process that reaches the display, in any home, user or container.
"""

import select
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

from pydantic import ValidationError
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import BadWindow, ConnectionClosedError
from Xlib.ext import xfixes, xtest
from Xlib.xobject.drawable import Window

from deskhand.core.errors import DesktopBusy
from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.connection import display_device, x_server_gone
from deskhand.desktop.linux.x11.properties import read_property
from deskhand.desktop.processes import Holder

_HANDS: Final = "_DESKHAND_HANDS"
VIEWER: Final = "_DESKHAND_VIEWER"
_PROPERTY: Final = "_DESKHAND_HOLDER"
_ASK_S: Final = 5.0
_MOST_BYTES: Final = 4096
_SIDE_BUTTONS: Final = (8, 9)
"""Back and forward, whose state the pointer's mask has not; a release of one that is up does nothing."""
_BUTTON_MASKS: Final = (X.Button1Mask, X.Button2Mask, X.Button3Mask)
_CHANGES: Final = (
    xfixes.XFixesSetSelectionOwnerNotifyMask
    | xfixes.XFixesSelectionWindowDestroyNotifyMask
    | xfixes.XFixesSelectionClientCloseNotifyMask
)


@asynccontextmanager
async def hold_display(
    name: str, holder: Holder, *, patience_s: float, of_viewers: bool = False
) -> AsyncGenerator[None]:
    """Has a display's pointer and keyboard for ourselves until left, or until this process dies.

    Somebody who has it for one action only is waited for, so long in all. Keys and buttons that a holder left down
    are released, unless a viewer is open, whose user may hold them; `of_viewers`: even then.
    Raises: DesktopBusy, DesktopGone.
    """
    end = monotonic() + patience_s
    device = display_device(name)
    try:
        release = _release_all if of_viewers else _release_left
        other = await asked(device, name, lambda display: _hold(display, holder, end, release), patience_s)
        if other is not None:
            raise _busy(name, other, patience_s)
        yield
    finally:
        await device.close()


async def holder_of(name: str) -> Holder | None:
    """Return the holder of a display. Raises: DesktopGone."""
    device = display_device(name)
    try:
        return await asked(device, name, lambda display: owner(display, _HANDS))
    finally:
        await device.close()


async def asked(
    device: Device[Display], name: str, work: Callable[[Display], Holder | None], patience_s: float = 0.0
) -> Holder | None:
    """Return the answer of `work`. Raises: DesktopGone."""
    try:
        return await device.run(work, deadline_s=patience_s + _ASK_S)
    except (ConnectionClosedError, OSError) as error:  # TimeoutError is an OSError
        raise x_server_gone(name) from error


def _hold(display: Display, us: Holder, end: float, release: Callable[[Display], None]) -> Holder | None:
    """None: it is ours. Else who has it, where that is not for one action only or takes too long."""
    window = name_plate(display, us)
    report_changes(display, _HANDS)
    while (other := take(display, window, _HANDS, release)) is not None:
        if not other.brief or not _wait(display, end):
            return other
    return None


def name_plate(display: Display, us: Holder) -> Window:
    """Return a new window to own a selection with, which names us."""
    window: Window = display.screen().root.create_window(
        -1, -1, 1, 1, 0, 0, X.InputOnly, override_redirect=1, event_mask=X.NoEventMask
    )
    told = us.model_dump_json().encode()[:_MOST_BYTES]
    window.change_property(display.intern_atom(_PROPERTY), Xatom.STRING, 8, told)
    return window


def report_changes(display: Display, selection: str) -> None:
    """Have the server report when a selection gets an owner or loses it."""
    xfixes.query_version(display)
    xfixes.select_selection_input(display, display.screen().root, display.intern_atom(selection), _CHANGES)


def take(
    display: Display, window: Window, selection: str, then: Callable[[Display], None] = lambda _: None
) -> Holder | None:
    """None: it is ours from now on, and `then` was called; else who has it.

    Nobody else can do anything between the question and the taking.
    """
    display.grab_server()
    try:
        other = owner(display, selection)
        if other is None:
            window.set_selection_owner(display.intern_atom(selection), X.CurrentTime)
            then(display)
        return other
    finally:
        display.ungrab_server()
        display.sync()


def _release_left(display: Display) -> None:
    if owner(display, VIEWER) is None:
        _release_all(display)


def _release_all(display: Display) -> None:
    """Release the buttons and keys that synthetic input left down; those that a user holds stay down."""
    mask = display.screen().root.query_pointer().mask
    for number, button in enumerate(_BUTTON_MASKS, 1):
        if mask & button:
            xtest.fake_input(display, X.ButtonRelease, number)
    for number in _SIDE_BUTTONS:
        xtest.fake_input(display, X.ButtonRelease, number)
    for index, bits in enumerate(bytes(display.query_keymap())):
        for bit in range(8):
            if bits >> bit & 1:
                xtest.fake_input(display, X.KeyRelease, 8 * index + bit)


def owner(display: Display, selection: str) -> Holder | None:
    """Return who has a selection."""
    found = display.get_selection_owner(display.intern_atom(selection))
    if found == X.NONE:
        return None
    window: Window = display.create_resource_object("window", getattr(found, "id", found))
    try:
        told = read_property(window, display.intern_atom(_PROPERTY))
    except BadWindow:
        return Holder(brief=True)  # gone between the two questions
    try:
        return Holder.model_validate_json(bytes(told.value) if told else b"")
    except ValidationError:
        return Holder()


def _wait(display: Display, end: float) -> bool:
    """Wait for an event; True if one came before `end`."""
    while not display.pending_events():
        left = end - monotonic()
        if left <= 0 or not select.select([display.fileno()], [], [], left)[0]:
            return False
    while display.pending_events():
        display.next_event()
    return True


def _busy(name: str, other: Holder, patience_s: float) -> DesktopBusy:
    waited = f", and others still after {patience_s:g} s" if other.brief else ""
    stop = f", hand it back (deskhand hand-back), stop it (deskhand stop {other.pid})" if other.pid else ""
    end = "try again" if other.brief else f"wait until it has ended{stop}"
    return DesktopBusy(
        f"the pointer and keyboard of {name} are held by {other.told}{waited}",
        fix=f"{end}, or use another desktop; observing is possible all the time",
    )
