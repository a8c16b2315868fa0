"""Reading of windows, blocking: with their popups, and without what passwords show."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from platformdirs import user_data_path

from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.visibility import visible_parts
from deskhand.desktop.windows.mapping import window_target
from deskhand.desktop.windows.win32 import dlls
from deskhand.desktop.windows.win32.controls import is_field, read_tree
from deskhand.desktop.windows.win32.failures import Gone
from deskhand.desktop.windows.win32.hook import load
from deskhand.desktop.windows.win32.menus import Menus
from deskhand.desktop.windows.win32.nodes import Node, Tree, Window
from deskhand.desktop.windows.win32.reading import WS_DISABLED, WS_VISIBLE
from deskhand.desktop.windows.win32.windows import descendants, info_of, rect_of, windows

PlacesIn: TypeAlias = Callable[[int, Rect], Iterable[Rect]]
"""Places in a window, by its handle and its own place."""
HOOK: Final = "hook.dll"
"""The library that reads menus, built from `win32/hook.c`."""
POPUPS: Final = frozenset({"#32768", "ComboLBox", "tooltips_class32"})
"""Classes of menus, lists of combo boxes, and tooltips: parts of a window of their program."""
_SHELL: Final = frozenset({"Shell_TrayWnd", "Progman", "WorkerW", "#32769"})
"""Classes of the system's own surface."""
_PASSWORD: Final = 0x20
_TOOL_WINDOW: Final = 0x80
_ROOT: Final = 2


@dataclass(frozen=True, slots=True)
class Listing:
    """All visible windows at one moment, front first; popups are apart."""

    windows: tuple[TargetInfo, ...]
    popups: tuple[Window, ...]
    untitled: tuple[Window, ...] = ()
    """Tool windows without a title, as programs have that draw their own menus and lists."""

    def find(self, handle: str) -> TargetInfo | None:
        """Return the window of a handle."""
        return next((window for window in self.windows if window.handle == handle), None)

    def popups_of(self, pid: int | None) -> tuple[Window, ...]:
        """Return the popups of a program."""
        return tuple(popup for popup in self.popups if popup.pid == pid)

    def parts_of(self, pid: int | None) -> tuple[Window, ...]:
        """Return the popups of a program, those without a title included."""
        return (*self.popups_of(pid), *(part for part in self.untitled if part.pid == pid))

    def handles(self) -> frozenset[int]:
        """Return the handles of all windows and popups that have a title or a class of their own."""
        return frozenset({int(window.handle) for window in self.windows} | {popup.hwnd for popup in self.popups})


def list_windows() -> Listing:
    """Return the visible windows that a user sees as such."""
    found = windows()
    shown = [each for each in found if _is_shown(each)]
    active = next((each for each in shown if each.active), None)
    ordered = ([active] if active else []) + [each for each in shown if each is not active]
    targets = (_target(each) for each in ordered)
    popups = tuple(each for each in found if each.window_class in POPUPS)
    untitled = tuple(each for each in found if each not in (*shown, *popups) and _has_content(each))
    return Listing(tuple(target for target in targets if target), popups, untitled)


def _has_content(window: Window) -> bool:
    return window.window_class not in _SHELL and not Rect(*window.rect).empty


def _is_shown(window: Window) -> bool:
    if window.window_class in POPUPS | _SHELL or Rect(*window.rect).empty:
        return False
    return bool(window.name) or not _is_tool_window(window.hwnd)


def _is_tool_window(handle: int) -> bool:
    try:
        return bool(info_of(handle).extended & _TOOL_WINDOW)
    except Gone:
        return True


def _target(window: Window) -> TargetInfo | None:
    """Return the window as a target; None where it closed meanwhile."""
    try:
        modal = bool(window.owner) and bool(info_of(window.owner).style & WS_DISABLED)
    except Gone:
        modal = False
    if not dlls.is_window(window.hwnd):
        return None
    owner = str(window.owner) if window.owner else ""
    return window_target(window, owner, minimized=bool(dlls.is_minimized(window.hwnd)), modal=modal)


def find_menus() -> Menus:
    """Return the reader of menus: live with hook.dll in the folder of the user's data, else from programs' files."""
    library = user_data_path("deskhand", appauthor=False) / HOOK
    return Menus(load(str(library)).read_menu if library.is_file() else None)


def read_win32(window: TargetInfo, listing: Listing, menus: Menus) -> Tree:
    """Return the nodes of a window, with those of the popups that its program shows over it.

    Raises: Gone and Hung of the package `win32`.
    """
    tree = read_tree(int(window.handle), menus)
    for popup in listing.popups_of(window.pid):
        add_popup(tree, read_popup(popup, menus), window.handle)
    return tree


def read_popup(popup: Window, menus: Menus) -> Tree:
    """Return the nodes of a popup, none where it closed meanwhile. Raises: Hung of the package `win32`."""
    try:
        return read_tree(popup.hwnd, menus)
    except Gone:
        return Tree()


def add_popup(tree: Tree, inside: Tree, handle: str) -> None:
    """Add the nodes of a popup to those of the window of a handle."""
    known = {node.key for node in tree.nodes}
    for node in inside.nodes:
        if node.key not in known:
            tree.nodes.append(replace(node, parent=node.parent or handle))
    if not inside.complete:
        tree.cut(inside.why)


def find_node(nodes: Sequence[Node], key: str) -> Node | None:
    """Return the node of a key."""
    return next((node for node in nodes if node.key == key), None)


def root_of(key: str) -> str:
    """Return the handle of the top-level window of a node, empty where it is gone."""
    handle = int(key.partition("/")[0] or 0)
    return str(dlls.ancestor(handle, _ROOT)) if handle and dlls.is_window(handle) else ""


def password_places(others: PlacesIn) -> tuple[Rect, ...]:
    """Return the visible parts of all password fields on the screen, and of the `others` in each window."""
    above: list[Rect] = []
    places: list[Rect] = []
    for window in windows():
        for place in (*_passwords_in(window.hwnd), *others(window.hwnd, Rect(*window.rect))):
            places += visible_parts(place, (Rect(*window.rect),), above)
        above.append(Rect(*window.rect))
    return tuple(places)


def _passwords_in(handle: int) -> list[Rect]:
    found: list[Rect] = []
    for inner in descendants(handle):
        try:
            info = info_of(inner)
            if info.style & _PASSWORD and info.style & WS_VISIBLE and is_field(inner):
                found.append(Rect(*rect_of(info.window)))
        except Gone:
            continue
    return found
