"""Cache of constant properties of controls between the observations of a window."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.late_pages import Points
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.atspi.roles import FOCUSED

WINDOWS_KEPT: Final = 16
"""Windows of which the last observation is remembered."""

SHEETS_KEPT: Final = 4
"""Windows of which the cells are remembered."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Properties of a control that are valid while its role is the same; its actions while its state is too."""

    role: int
    state: int
    interfaces: frozenset[str]
    actions: tuple[str, ...]


class Kept:
    """Of each window, the facts of the controls that its last observation saw, and nothing older."""

    def __init__(self) -> None:
        self._windows: dict[Ref, dict[Ref, Facts]] = {}
        self._pages: dict[Ref, Mapping[Ref, Points]] = {}

    def of(self, window: Ref) -> Mapping[Ref, Facts]:
        return self._windows.get(window, {})

    def keep(self, window: Ref, nodes: Mapping[Ref, Node], pages: Mapping[Ref, Points]) -> None:
        """`pages`: the web pages among them, and points in each, see `points_in`."""
        self._windows.pop(window, None)
        self._windows[window] = {
            ref: Facts(node.role, node.state, node.interfaces, node.actions) for ref, node in nodes.items()
        }
        self._pages[window] = pages
        if len(self._windows) > WINDOWS_KEPT:
            oldest = next(iter(self._windows))
            del self._windows[oldest], self._pages[oldest]

    def pages(self, bus: str) -> dict[Ref, Points]:
        """The web pages in an application's windows, and points in each."""
        return {page: at for window, pages in self._pages.items() if window.bus == bus for page, at in pages.items()}


class KeptCells:
    """Of each window, the cells of the spreadsheets that its last walk read, as it read them."""

    def __init__(self) -> None:
        self._windows: dict[Ref, CellsOfWindow] = {}

    def of(self, window: Ref) -> "CellsOfWindow":
        return self._windows.get(window, CellsOfWindow())

    def forget(self, window: Ref) -> None:
        self._windows.pop(window, None)

    def keep(self, window: Ref, walk: Walk) -> None:
        """Called before places are corrected: the next walk corrects them too."""
        last = self.of(window)
        self.forget(window)
        if walk.sheets:
            self._windows[window] = CellsOfWindow(walk.sheets, walk.nodes, last)
        if len(self._windows) > SHEETS_KEPT:
            del self._windows[next(iter(self._windows))]


class CellsOfWindow:
    """The cells of a window's spreadsheets."""

    def __init__(
        self,
        sheets: Sequence[Node] = (),
        nodes: Mapping[Ref, Node] | None = None,
        last: "CellsOfWindow | None" = None,
    ) -> None:
        """`nodes`: the cells among them; `last`: those of the walk before.

        `cursors` will be the cell of each table that had the keyboard last.
        """
        cells = nodes or {}
        self._sheets = {
            table.ref: (table.copy(), tuple(cells[ref].copy() for ref in table.children if ref in cells))
            for table in sheets
        }
        focused = {table: cell.ref for table, (_, all_of) in self._sheets.items() for cell in all_of if _has_keys(cell)}
        before = last.cursors if last is not None else {}
        self.cursors: dict[Ref, Ref] = {table: before[table] for table in self._sheets if table in before} | focused

    def of(self, table: Node) -> list[Node]:
        """Return those of this table if it has not moved, else none. Without the keyboard none of them has it."""
        last, cells = self._sheets.get(table.ref, (None, ()))
        if last is None or (last.rect, last.state & ~FOCUSED) != (table.rect, table.state & ~FOCUSED):
            return []
        found = [cell.copy() for cell in cells]
        if not table.state & FOCUSED:
            for cell in filter(_has_keys, found):
                cell.state &= ~FOCUSED
        return found

    def regained(self, table: Node) -> frozenset[Ref]:
        """Return the cell that had the keyboard last, where the table has it again."""
        last, _ = self._sheets.get(table.ref, (table, ()))
        is_again = bool(table.state & FOCUSED) and not last.state & FOCUSED
        return frozenset({self.cursors[table.ref]} if is_again and table.ref in self.cursors else ())


def _has_keys(cell: Node) -> bool:
    return bool(cell.state & FOCUSED)
