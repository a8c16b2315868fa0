"""Controls of windows, read and acted on by messages of Win32 or by UI Automation.

All methods block, and raise Gone, Hung and Refused of the package `win32`.
"""

from collections.abc import Sequence

from deskhand.core.errors import ApplicationGone
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.accessibility import Caret
from deskhand.desktop.windows.capture import take
from deskhand.desktop.windows.choice import UIA, WIN32, exposes_nothing
from deskhand.desktop.windows.passwords import PasswordPlaces
from deskhand.desktop.windows.reader import Listing, add_popup, find_menus, list_windows, read_win32
from deskhand.desktop.windows.uia.connection import connect
from deskhand.desktop.windows.uia.controls import UiaControls
from deskhand.desktop.windows.uia.reading import Reading
from deskhand.desktop.windows.win32 import acting, dlls, edits
from deskhand.desktop.windows.win32.controls import is_field
from deskhand.desktop.windows.win32.failures import Gone, Hung, Refused
from deskhand.desktop.windows.win32.nodes import Node, Tree, Window


class Controls:
    """Controls by the keys of their nodes. `sources`: those of the setting `control_backend`."""

    def __init__(self, uia: UiaControls | None = None) -> None:
        self.sources: Sequence[str] = (WIN32,)
        self._menus = find_menus()
        self._uia = uia or UiaControls(connect)
        self._passwords = PasswordPlaces()

    def read(self, handle: str) -> tuple[TargetInfo, Tree]:
        """Return a window and its nodes, with those of the popups that its program shows over it.

        Raises: ApplicationGone; MissingRequirement where UI Automation is asked for and not there.
        """
        listing = list_windows()
        window = listing.find(handle)
        if window is None:
            raise ApplicationGone(f"The window {handle} is gone.", fix="List the windows again.")
        if WIN32 in self.sources or UIA not in self.sources:
            tree = read_win32(window, listing, self._menus)
            if UIA not in self.sources or not exposes_nothing(tree.nodes):
                return window, tree
        return window, self._by_uia(window, listing)

    def _by_uia(self, window: TargetInfo, listing: Listing) -> Tree:
        apart, parts = listing.handles(), listing.parts_of(window.pid)
        self._uia.keep({*apart, *(part.hwnd for part in parts)})
        reading = self._read_uia(int(window.handle), apart)
        tree = Tree([*reading.tree.nodes], reading.tree.complete, reading.tree.why)
        for part in parts:
            if part.hwnd not in reading.windows:
                add_popup(tree, self._part(part, apart), window.handle)
        self._passwords.keep(apart)
        self._passwords.note(int(window.handle), window.rect, tree.nodes)
        return tree

    def _part(self, part: Window, apart: frozenset[int]) -> Tree:
        try:
            return self._uia.read(part.hwnd, apart).tree
        except Gone:
            return Tree()

    def _read_uia(self, handle: int, apart: frozenset[int]) -> Reading:
        try:
            return self._uia.read(handle, apart)
        except Gone as error:
            if not dlls.is_window(handle):
                raise
            raise Hung(f"the window {handle} changes faster than it can be read") from error

    def picture(self, region: Rect | None = None) -> Picture:
        """Return a picture of a region, by default of all screens, without passwords. Raises: CaptureFailed."""
        return take(region, self._passwords.now)

    def forget_menus(self) -> None:
        """Have menus be read anew."""
        self._menus.forget()

    def act(self, key: str, action: str) -> None:
        """Carry out an action that a node offers."""
        if self._uia.has(key):
            self._uia.act(key, action)
        else:
            acting.act(key, action, self._menus)

    def focus(self, key: str) -> None:
        """Give a control the keyboard, and its window the foreground."""
        if self._uia.has(key):
            dlls.set_foreground(int(key.partition("/")[0]))
            self._uia.focus(key)
        else:
            acting.focus(key)

    def set_text(self, key: str, text: str) -> None:
        """Replace the text of a field."""
        if self._uia.has(key):
            self._uia.set_text(key, text)
        else:
            acting.set_text(key, text)

    def texts(self, key: str, rows: range, columns: range) -> list[list[str]] | None:
        """Return the texts of a block of a table, also out of view; None where only what is in view is exposed."""
        return None if self._uia.has(key) else acting.texts(key, rows, columns)

    def show_named(self, key: str, name: str) -> bool:
        """Scroll a list, table or tree to its item of a name; False: none has it."""
        if self._uia.has(key):
            raise Refused("it does not find items by name")
        return acting.show_named(key, name)

    def set_value(self, key: str, value: float) -> None:
        """Set a number."""
        if self._uia.has(key):
            self._uia.set_value(key, value)
        else:
            acting.set_value(key, round(value))

    def select_text(self, key: str, start: int, end: int) -> None:
        """Select characters of a text, or move its caret."""
        if self._uia.has(key):
            self._uia.select_text(key, start, end)
        else:
            acting.select_text(key, start, end)

    def whole_text(self, node: Node) -> str:
        """Return the whole text of a node, its name where it has none."""
        shown = node.text if node.text is not None else node.name
        if self._uia.has(node.key):
            whole = self._uia.whole_text(node.key)
            return shown if whole is None else whole
        part = acting.part_of(node.key)
        return acting.whole_text(node.key) if not part.item and is_field(part.handle) else shown

    def caret(self, node: Node) -> Caret:
        """Return the caret of a node."""
        if self._uia.has(node.key):
            return Caret(*self._uia.caret(node.key))
        if node.hidden is not None:
            return Caret(node.hidden, *edits.selection_of(int(node.key)))
        if node.caret < 0 or node.text is None:
            raise Refused("it has no caret")
        return Caret(node.length or len(node.text), *(node.selection or (node.caret, node.caret)))
