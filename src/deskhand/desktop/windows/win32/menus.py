"""Menu bars and open menus."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Final

from . import dlls
from .failures import Gone, OtherWordSize, Refused
from .hook import Reader
from .kinds import Part, act_never
from .menu_entries import CHECKED, DEFAULT, GREYED, HIGHLIGHTED, RADIO, SEPARATOR, SUBMENU, Entry, Menu
from .menu_resources import menu_of_file
from .messages import WM_COMMAND, WM_KEYDOWN, WM_KEYUP, WM_SYSCOMMAND, post, process_of, send
from .nodes import NOWHERE, Rect
from .reading import SEEN, USABLE, WS_DISABLED, Control, Reading, item_states, thread_state, without_ampersand
from .windows import class_of, program_path, style_of, top_level

FRESH_S: Final = 0.25
"""The time for which the states of a menu's items are taken for up to date."""

POPUP_CLASS: Final = "#32768"
BAR: Final = "m"
"""The item part of a menu bar's key."""

_LONG: Final = "a menu is very long"
_CLOSED: Final = "the items of a menu cannot be read from outside its program"
_WM_CANCELMODE: Final = 0x1F
_SC_KEYMENU: Final = 0xF100
_CHILD: Final = 0x40000000
_RETURN: Final = 0x0D
_ESCAPE: Final = 0x1B
_HOME: Final = 0x24
_RIGHT: Final = 0x27
_DOWN: Final = 0x28


def is_menu_part(part: Part) -> bool:
    """The part is a menu bar or an item of a menu."""
    return part.item.startswith(BAR)


class Menus:
    """Reads menus: live through the hook, or without it from the files of programs."""

    def __init__(self, reader: Reader | None, clock: Callable[[], float] = monotonic, *, in_bars: bool = False) -> None:
        """Use the hook where there is one.

        in_bars: the items of an open menu have their places in the menu bar too, whose tree names its windows.
        """
        self._reader = reader
        self._in_bars = in_bars
        self._clock = clock
        self._of_files: dict[str, Menu] = {}
        self._prepared: dict[int, float] = {}

    @property
    def live(self) -> bool:
        """The hook is there."""
        return self._reader is not None

    def of_window(self, handle: int, *, prepare: bool = False) -> Menu:
        """The menu bar of a window, or the items of an open menu; empty where there is none.

        Raises:
            Gone, Hung: see `messages.send`.
            Refused: the hook cannot get into the program.
        """
        popup = class_of(handle) == POPUP_CLASS
        if not popup and (style_of(handle) & _CHILD or not dlls.get_menu(handle)):
            return Menu(())
        if self._reader is not None:
            try:
                return self._reader(handle, prepare)
            except OtherWordSize:
                known = Menu(()) if popup else self._of_file(handle)
                return Menu(known.entries, complete=bool(known.entries))
        return Menu((), complete=False) if popup else self._of_file(handle)

    def forget(self) -> None:
        """Note that something was done: the states of menus may be others now."""
        self._prepared.clear()

    def _is_due(self, handle: int) -> bool:
        """The states were last brought up to date too long ago: programs take up to 15 ms to do so."""
        now = self._clock()
        if now - self._prepared.get(handle, -FRESH_S) < FRESH_S:
            return False
        self._prepared[handle] = now
        return True

    def _of_file(self, handle: int) -> Menu:
        path = program_path(process_of(handle))
        if path not in self._of_files:
            self._of_files[path] = menu_of_file(path)
        return self._of_files[path]

    def read(self, control: Control, reading: Reading) -> dict[int, str]:
        """Add the menu of a window, and return the labels of its commands. Raises Gone and Hung."""
        popup = control.window_class == POPUP_CLASS
        try:
            menu = self.of_window(control.handle, prepare=self._is_due(control.handle))
        except Refused as refused:
            reading.tree.cut(str(refused))
            return {}
        if self.live and not menu.complete:
            reading.tree.cut(_LONG if menu.entries else _CLOSED)
        if not menu.entries:
            return {}
        if not popup:
            menu, reading.tree.popups = self._with_open(menu, control.handle)
        top = control.key if popup else f"{control.key}/{BAR}"
        if not popup:
            states = item_states(control.enabled, True, "horizontal")
            reading.add_item(top, control.key, "menu bar", _around(menu), states=states)
        keys: dict[tuple[int, ...], str] = {(): top}
        for entry in menu.entries:
            key = keys[entry.path] = f"{control.key}/{entry.key}"
            _add(entry, key, keys[entry.path[:-1]], reading)
        return {entry.command: plain_label(entry)[0] for entry in menu.entries if entry.command}

    def _with_open(self, bar: Menu, handle: int) -> tuple[Menu, list[int]]:
        """The menu bar with the places of the items of its open menus, and the windows of these."""
        if not self._in_bars or not self.live or not thread_state(handle).menu_owner:
            return bar, []
        entries, popups = {entry.path: entry for entry in bar.entries}, list[int]()
        for popup in open_menus(handle):
            shown = [entry for entry in self.of_window(popup).entries if len(entry.path) == 1]
            above = next((entry.path for entry in bar.entries if _is_shown_by(shown, entry, bar)), None)
            if above is None:
                continue
            popups.append(popup)
            for entry in shown:
                path = (*above, entry.path[0])
                entries[path] = replace(entries[path], rect=entry.rect, flags=entry.flags)
        return Menu(tuple(entries.values()), bar.complete), popups

    def act(self, part: Part, action: str) -> None:
        """Choose an item of a menu or open one.

        Raises:
            Gone, Hung: see `messages.send`.
            Refused: it is greyed, or cannot be opened from here.
        """
        if action == "collapse":
            _close(part.handle)
            return
        menu = self.of_window(part.handle, prepare=True)
        entry = _found(part, menu)
        if entry.flags & GREYED or style_of(part.handle) & WS_DISABLED:
            raise Refused(f"the menu item {entry.label!r} is greyed")
        if action not in _actions(entry, live=True):
            act_never(part, action)
        if class_of(part.handle) == POPUP_CLASS:
            _choose_by_keys(part.handle, menu, entry)
        elif action == "open":
            _open(part.handle, entry)
        else:
            _end_menus(part.handle)
            post(part.handle, WM_COMMAND, entry.command & 0xFFFF, 0)


def open_menus(handle: int) -> list[int]:
    """The windows of the open menus of a window's thread, the topmost first."""
    thread = dlls.thread_process(handle, None)
    shown = (each for each in top_level() if dlls.is_visible(each) and dlls.thread_process(each, None) == thread)
    return [each for each in shown if class_of(each) == POPUP_CLASS]


def _is_shown_by(shown: Sequence[Entry], above: Entry, bar: Menu) -> bool:
    """The items of an open menu are those below an item of a menu bar."""
    depth = len(above.path) + 1
    below = [entry for entry in bar.entries if len(entry.path) == depth and entry.path[:-1] == above.path]
    return bool(below) and [(each.command, each.label) for each in below] == [(it.command, it.label) for it in shown]


def plain_label(entry: Entry) -> tuple[str, str]:
    """An entry's name, and its shortcut."""
    name, _, shortcut = without_ampersand(entry.label).partition("\t")
    return name, shortcut


def _add(entry: Entry, key: str, parent: str, reading: Reading) -> None:
    inside = entry.rect != NOWHERE
    if entry.flags & SEPARATOR:
        reading.add_item(key, parent, "separator", entry.rect, states=item_states(False, inside))
        return
    name, shortcut = plain_label(entry)
    reading.add_item(
        key,
        parent,
        _role(entry),
        entry.rect,
        name=name,
        description=shortcut,
        states=(*(() if entry.flags & GREYED else USABLE), *(SEEN if inside else ()), *_states(entry)),
        actions=_actions(entry, live=True),
    )


def _role(entry: Entry) -> str:
    if entry.flags & SUBMENU:
        return "menu"
    if entry.flags & RADIO:
        return "radio menu item"
    return "check menu item" if entry.flags & CHECKED else "menu item"


def _states(entry: Entry) -> tuple[str, ...]:
    marks = {CHECKED: ("checkable", "checked"), DEFAULT: ("is-default",), HIGHLIGHTED: ("selected",)}
    found = [state for flag, states in marks.items() if entry.flags & flag for state in states]
    return (*found, "has-popup") if entry.flags & SUBMENU else ("selectable", *found)


def _actions(entry: Entry, *, live: bool) -> tuple[str, ...]:
    if not entry.flags & SUBMENU:
        return ("press",)
    return ("open", "collapse") if live and (len(entry.path) == 1) else ()


def _around(menu: Menu) -> Rect:
    boxes = [entry.rect for entry in menu.entries if len(entry.path) == 1 and entry.rect != NOWHERE]
    if not boxes:
        return NOWHERE
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def _found(part: Part, menu: Menu) -> Entry:
    wanted = next((entry for entry in menu.entries if entry.key == part.item), None)
    if wanted is not None:
        return wanted
    command = part.item.rpartition("@")[2]
    moved = [entry for entry in menu.entries if command != "0" and str(entry.command) == command]
    if len(moved) != 1:
        raise Gone(f"the menu item {part.item!r} of window {part.handle} is gone")
    return moved[0]


def _open(handle: int, entry: Entry) -> None:
    """Open a menu of the bar with the keyboard's message: F10, then to the right and down."""
    dlls.set_foreground(handle)
    post(handle, WM_SYSCOMMAND, _SC_KEYMENU, 0)
    for key in (*(_RIGHT for _ in range(entry.path[0])), _DOWN):
        _press_key(handle, key)


def _choose_by_keys(popup: int, menu: Menu, entry: Entry) -> None:
    """Choose an item of an open menu with keys: the program's menu loop takes no other message from outside."""
    owner = thread_state(popup).menu_owner
    if not owner:
        raise Gone(f"the menu {popup} is closed")
    before = [other for other in menu.entries if len(other.path) == 1 and other.path <= entry.path]
    _press_key(owner, _HOME)
    for _ in range(sum(1 for other in before if not other.flags & SEPARATOR) - 1):
        _press_key(owner, _DOWN)
    _press_key(owner, _RIGHT if entry.flags & SUBMENU else _RETURN)


def _press_key(handle: int, key: int) -> None:
    post(handle, WM_KEYDOWN, key, 1)
    post(handle, WM_KEYUP, key, 0xC0000001)


def _end_menus(handle: int) -> None:
    """Close all open menus of a window: while one is open its program carries out no command."""
    owner = thread_state(handle).menu_owner
    if owner:
        send(owner, _WM_CANCELMODE)


def _close(handle: int) -> None:
    owner = thread_state(handle).menu_owner
    if owner:
        _press_key(owner, _ESCAPE)
