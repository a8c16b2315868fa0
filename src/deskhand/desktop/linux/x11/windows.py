"""Windows as the window manager lists them (EWMH)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.error import BadWindow, XError
from Xlib.ext import res
from Xlib.protocol.event import ClientMessage
from Xlib.xobject.drawable import Window

from deskhand.core.errors import ApplicationGone
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, same_window
from deskhand.desktop.linux.x11.properties import read_numbers, read_text
from deskhand.desktop.linux.x11.window_traits import window_traits

_HANDLE: Final = "x11:"
_NOT_WINDOWS: Final = frozenset({"SPLASH", "DOCK", "DESKTOP", "TOOLTIP", "NOTIFICATION", "DND"})
_MENUS: Final = frozenset({"MENU", "POPUP_MENU", "DROPDOWN_MENU"})
_COMBO: Final = frozenset({"COMBO"})
_TYPE_PREFIX: Final = "_NET_WM_WINDOW_TYPE_"
_FROM_PAGER: Final = 2
_SIDES: Final = ("left", "right", "top", "bottom")


@dataclass(frozen=True, slots=True)
class _Facts:
    name: str
    pid: int | None
    application: str
    types: frozenset[str]
    states: frozenset[str]
    owner: int | None
    """The window that it is transient for."""

    rect: Rect


class XWindows:
    """The window list of one display. The methods block: run them through the connection."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._root: Window = display.screen().root
        self._knows_clients = bool(display.has_extension("X-Resource"))
        self._atoms: dict[str, int] = {}
        self._atom_names: dict[int, str] = {}

    def list(self) -> tuple[TargetInfo, ...]:
        """The windows front first; one that vanishes while it is read is left out."""
        active = self.active()
        ids = self._numbers(self._root, "_NET_CLIENT_LIST_STACKING")
        found = [self._target(xid, active, ids) for xid in reversed(ids)]
        return tuple(target for target in found if target)

    def active(self) -> int:
        """The id of the window that has the keyboard, 0 for none."""
        return next(iter(self._numbers(self._root, "_NET_ACTIVE_WINDOW")), 0)

    def is_active(self, window: TargetInfo) -> bool:
        return self.active() == window_id(window)

    def get(self, window: TargetInfo) -> TargetInfo:
        """The window as it is now. Raises: ApplicationGone."""
        listed = self._numbers(self._root, "_NET_CLIENT_LIST_STACKING")
        target = self._target(window_id(window), self.active(), listed)
        if target is None or not same_window(target, window):
            raise window_gone(window)
        return target

    def pid_of(self, surface: int) -> int | None:
        """Return the process of a window or, for a frame, of the window in it; None where it is not reported."""
        try:
            window = self._window(surface)
            pids = self._numbers(window, "_NET_WM_PID")
            if not pids:
                pids = [pid for child in window.query_tree().children for pid in self._numbers(child, "_NET_WM_PID")]
        except XError:
            return None
        return pids[0] if pids else None

    def title(self, window: Window) -> str:
        """Return the title of a window, empty for none. Raises: XError."""
        return self._text(window, "_NET_WM_NAME") or self._text(window, "WM_NAME")

    def client_rect(self, window: TargetInfo) -> Rect:
        """Return the rectangle of a window with the shadow that it draws itself. Raises: ApplicationGone."""
        xwindow = self._window(window_id(window))
        try:
            geometry = xwindow.get_geometry()
            origin = xwindow.translate_coords(self._root.id, 0, 0)
        except (BadWindow, XError) as error:
            raise window_gone(window) from error
        return Rect.from_extents(-origin.x, -origin.y, geometry.width, geometry.height)

    def is_menu(self, xid: int, *, or_list: bool = False) -> bool:
        """True if a window declares itself a menu, or the list of a combo box; False where it is gone."""
        try:
            return bool(self._types(self._window(xid)) & (_MENUS | _COMBO if or_list else _MENUS))
        except (BadWindow, XError):
            return False

    def request_activation(self, window: TargetInfo) -> None:
        """Asks the window manager to raise a window and to give it the keyboard."""
        self._request(window, "_NET_ACTIVE_WINDOW", [_FROM_PAGER, X.CurrentTime, 0, 0, 0])

    def request_closing(self, window: TargetInfo) -> None:
        """Asks the window manager to close a window, as its close button does."""
        self._request(window, "_NET_CLOSE_WINDOW", [X.CurrentTime, _FROM_PAGER, 0, 0, 0])

    def _request(self, window: TargetInfo, what: str, numbers: "list[int]") -> None:
        message = ClientMessage(
            window=self._window(window_id(window)), client_type=self._atom(what), data=(32, numbers)
        )
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def _target(self, xid: int, active: int, listed: Collection[int]) -> TargetInfo | None:
        """A window; its parent is the one that it belongs to, where that is `listed`, which the root is not."""
        try:
            facts = self._facts(self._window(xid))
        except (BadWindow, XError):
            return None
        if facts.types & _NOT_WINDOWS:
            return None
        states = set(facts.states)
        if xid == active:
            states.add("active")
        dialog = "DIALOG" in facts.types or facts.owner is not None
        return TargetInfo(
            kind=TargetKind.WINDOW,
            name=facts.name,
            type=Role.DIALOG if dialog else Role.WINDOW,
            rect=facts.rect,
            raw_role="dialog" if dialog else "window",
            states=frozenset(states),
            handle=f"{_HANDLE}{xid:#x}",
            parent=f"{_HANDLE}{facts.owner:#x}" if facts.owner in listed and facts.owner != xid else "",
            application=facts.application,
            pid=facts.pid,
            traits=window_traits(facts.application),
        )

    def _facts(self, window: Window) -> _Facts:
        geometry = window.get_geometry()
        origin = window.translate_coords(self._root.id, 0, 0)  # of the root, relative to the window
        pid = next(iter(self._numbers(window, "_NET_WM_PID")), None) or self._client_pid(window)
        owner = window.get_wm_transient_for()
        states = {self._atom_name(atom) for atom in self._numbers(window, "_NET_WM_STATE")}
        return _Facts(
            name=self.title(window),
            pid=pid,
            application=(owner and self._class(owner)) or self._class(window),
            types=self._types(window),
            states=frozenset(name.removeprefix("_NET_WM_STATE_").lower() for name in states),
            owner=owner.id if owner is not None else None,
            rect=self._without_shadow(window, -origin.x, -origin.y, geometry.width, geometry.height),
        )

    def _types(self, window: Window) -> frozenset[str]:
        names = (self._atom_name(atom) for atom in self._numbers(window, "_NET_WM_WINDOW_TYPE"))
        return frozenset(name.removeprefix(_TYPE_PREFIX) for name in names)

    def _client_pid(self, window: Window) -> int | None:
        """The process that made a window, as the X server knows it; None for one on another machine."""
        if not self._knows_clients:
            return None
        asked = [(window.id, res.LocalClientPIDMask)]
        found = res.query_client_ids(self._display, asked).ids
        return next((int(pid) for client in found for pid in client.value), None)

    def _without_shadow(self, window: Window, x: int, y: int, width: int, height: int) -> Rect:
        """Return the visible rectangle of a window: some programs draw a shadow of their own around it."""
        shadow = self._numbers(window, "_GTK_FRAME_EXTENTS")
        left, right, top, bottom = shadow if len(shadow) == len(_SIDES) else (0, 0, 0, 0)
        return Rect.from_extents(x + left, y + top, width - left - right, height - top - bottom)

    def _class(self, window: Window) -> str:
        """The program's class; a dialog is of the class of the window it belongs to."""
        try:
            _, _, wm_class = self._text(window, "WM_CLASS").partition("\0")
        except XError:
            return ""
        return wm_class.partition("\0")[0].lower()

    def _window(self, xid: int) -> Window:
        return self._display.create_resource_object("window", xid)

    def _numbers(self, window: Window, name: str) -> tuple[int, ...]:
        return read_numbers(window, self._atom(name))

    def _text(self, window: Window, name: str) -> str:
        return read_text(window, self._atom(name))

    def _atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = self._display.intern_atom(name)
        return self._atoms[name]

    def _atom_name(self, atom: int) -> str:
        if atom not in self._atom_names:
            self._atom_names[atom] = self._display.get_atom_name(atom)
        return self._atom_names[atom]


def window_id(window: TargetInfo) -> int:
    """The X id that a window's handle means. Raises: ApplicationGone where it is not a window's handle."""
    if not window.handle.startswith(_HANDLE):
        raise window_gone(window)
    return int(window.handle.removeprefix(_HANDLE), 16)


def window_gone(window: TargetInfo) -> ApplicationGone:
    return ApplicationGone(
        f'The window "{window.name}" ({window.handle}) is gone.', fix="List the windows and choose one that is there."
    )
