"""Windows, controls and tables of a fake desktop, all plain mutable objects that a test may change at any time."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from deskhand.core.cell_names import column_name
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, Trait, comparable_name
from deskhand.desktop.protocols.input import Chord

TEXT_ROLES: Final = frozenset({Role.TEXTBOX, Role.PASSWORD, Role.COMBOBOX, Role.SPINBUTTON, Role.PARAGRAPH})
NUMBER_ROLES: Final = frozenset({Role.SPINBUTTON, Role.SLIDER, Role.SCROLLBAR})
CHECKABLE_ROLES: Final = frozenset({Role.CHECKBOX, Role.SWITCH, Role.MENUITEMCHECKBOX})
CHOICE_ROLES: Final = frozenset({Role.LISTITEM, Role.TAB, Role.RADIO, Role.TREEITEM, Role.MENUITEMRADIO, Role.CELL})
CONTAINER_ROLES: Final = frozenset(
    {Role.LIST, Role.TABLIST, Role.TREE, Role.TABLE, Role.COMBOBOX, Role.GROUP, Role.MENU}
)
PRESSABLE_ROLES: Final = frozenset({Role.BUTTON, Role.LINK, Role.MENUITEM, Role.MENU}) | CHECKABLE_ROLES
FOCUSABLE_ROLES: Final = (
    TEXT_ROLES | NUMBER_ROLES | CHECKABLE_ROLES | {Role.BUTTON, Role.LINK, Role.LIST, Role.TABLE, Role.TREE, Role.RADIO}
)
MAX_LISTED_CELLS: Final = 500
DEFAULT_PLACE: Final = Rect(20, 20, 340, 220)
_CELL_NAME = re.compile(r"([A-Z]{1,3})([1-9][0-9]*)")


def _no_controls() -> "list[FakeControl]":
    return []


@dataclass(eq=False)
class FakeControl:
    """One control.

    `rect` is in physical screen pixels; left at NOWHERE, the window finds a place for it. `states` are the words that
    an observation reports; "hidden" removes a control (with its children) from view, "disabled" makes it refuse (an
    observation then lacks "enabled"), "tinted" is drawn and not reported. `traits` are reported beside those that
    follow from the role. `number` is what a number field's program has. `actions` default to those of the role,
    `raw_role` to its name. Handlers run after the control itself has changed: `on_text` gets the new text, `on_key`
    gets a chord first and returns True if it has handled it.
    """

    role: Role
    name: str = ""
    value: str = ""
    states: set[str] = field(default_factory=set[str])
    rect: Rect = NOWHERE
    actions: tuple[str, ...] = ()
    children: "list[FakeControl]" = field(default_factory=_no_controls)
    table: "FakeTable | None" = None
    limits: tuple[float, float] = (float("-inf"), float("inf"))
    on_click: Callable[[], None] | None = None
    on_double_click: Callable[[], None] | None = None
    on_right_click: Callable[[], None] | None = None
    on_activate: Callable[[], None] | None = None
    on_text: Callable[[str], None] | None = None
    on_select: Callable[[], None] | None = None
    on_scroll: Callable[[int], None] | None = None
    on_hover: Callable[[], None] | None = None
    on_key: Callable[[Chord], bool] | None = None
    raw_role: str = ""
    description: str = ""
    accessible_id: str | None = ""
    traits: frozenset[Trait] = NO_TRAITS
    number: float | None = None
    handle: str = field(default="", init=False)
    all_text_selected: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.actions:
            return
        if self.role in CHECKABLE_ROLES:
            self.actions = ("toggle",)
        elif self.role in PRESSABLE_ROLES:
            self.actions = ("click",)
        elif self.role in CHOICE_ROLES:
            self.actions = ("select",)
        elif self.role in TEXT_ROLES:
            self.actions = ("activate",)

    @property
    def hidden(self) -> bool:
        return "hidden" in self.states

    @property
    def disabled(self) -> bool:
        return "disabled" in self.states

    def descendants(self) -> "Iterator[FakeControl]":
        """Everything below, parents before children, hidden ones too; of a table the cells that exist."""
        for child in self.all_children():
            yield child
            yield from child.descendants()

    def all_children(self) -> "list[FakeControl]":
        return [*self.children, *self.table.existing_cells()] if self.table else self.children

    def shown_children(self) -> "list[FakeControl]":
        """The children an observation lists: not the hidden, not those of a closed menu, of a table the visible."""
        if self.role is Role.MENU and "expanded" not in self.states:
            return []
        listed = [*self.children, *self.table.listed_cells()] if self.table else self.children
        return [child for child in listed if not child.hidden]

    def find(self, name: str, role: Role | None = None) -> "FakeControl":
        """The first descendant of that name (and role). Raises: LookupError."""
        return _find(self.descendants(), name, role)


def _find(controls: Iterator[FakeControl], name: str, role: Role | None) -> FakeControl:
    wanted = comparable_name(name)
    for control in controls:
        if comparable_name(control.name) == wanted and role in {None, control.role}:
            return control
    raise LookupError(f"no {role or 'control'} named {name!r}")


@dataclass(eq=False)
class FakeTable:
    """Cells of a table control, and its selection.

    Cells exist once they were asked for, so a spreadsheet may have a million rows. `selection` is (top row, left
    column, bottom row, right column), inclusive. `visible` is how many rows and columns an observation lists when the
    table is too large to list whole. A spreadsheet names its cells `A1`, takes typed text into the current cell and
    shows the selection in its `name_box`. Text entered there that is no address becomes one of its `names`. `merged`:
    the rows and columns that a cell covers, by its place. `formulas`: those of cells, by their place.
    """

    rows: int
    columns: int
    spreadsheet: bool = False
    visible: tuple[int, int] = (10, 5)
    origin: tuple[int, int] = (0, 0)
    selection: tuple[int, int, int, int] | None = None
    name_box: FakeControl | None = None
    typing: str | None = field(default=None, init=False)
    names: list[str] = field(default_factory=list[str], init=False)
    merged: dict[tuple[int, int], tuple[int, int]] = field(
        default_factory=dict[tuple[int, int], tuple[int, int]], init=False
    )
    formulas: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str], init=False)
    cells: dict[tuple[int, int], FakeControl] = field(default_factory=dict[tuple[int, int], FakeControl], init=False)

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]]) -> Self:
        """A table of exactly these texts, row by row."""
        table = cls(rows=len(texts), columns=max((len(row) for row in texts), default=0))
        table.write(0, 0, texts)
        return table

    def cell(self, row: int, column: int) -> FakeControl:
        """The cell, made on first use. Raises: LookupError outside the table."""
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise LookupError(f"no cell {row},{column} in a table of {self.rows} x {self.columns}")
        if (row, column) not in self.cells:
            name = cell_name(row, column) if self.spreadsheet else ""
            states = {"selected"} if self.selects(row, column) else set[str]()
            self.cells[row, column] = FakeControl(Role.CELL, name, states=states)
        return self.cells[row, column]

    def text(self, row: int, column: int) -> str:
        existing = self.cells.get((row, column))
        return existing.value if existing else ""

    def texts(self) -> list[list[str]]:
        """The block from the first cell to the last one with text; a fixed table whole."""
        filled = [place for place, cell in self.cells.items() if cell.value]
        rows = max((row for row, _ in filled), default=-1) + 1 if self.spreadsheet else self.rows
        columns = max((column for _, column in filled), default=-1) + 1 if self.spreadsheet else self.columns
        return [[self.text(row, column) for column in range(columns)] for row in range(rows)]

    def write(self, row: int, column: int, texts: Sequence[Sequence[str]]) -> None:
        for down, line in enumerate(texts):
            for across, text in enumerate(line):
                cell = self.cell(row + down, column + across)
                cell.value = text
                if not self.spreadsheet:
                    cell.name = text

    def select(self, top: int, left: int, bottom: int, right: int) -> None:
        """Selects a block; the cells of a listed table know it, and the name box shows it."""
        self.selection = (min(top, bottom), min(left, right), max(top, bottom), max(left, right))
        for (row, column), cell in self.cells.items():
            cell.states.discard("selected")
            if self.selects(row, column):
                cell.states.add("selected")
        if self.name_box:
            self.name_box.value = self.selected_range

    def selects(self, row: int, column: int) -> bool:
        if self.selection is None:
            return False
        top, left, bottom, right = self.selection
        return top <= row <= bottom and left <= column <= right

    @property
    def selected_cells(self) -> int:
        if self.selection is None:
            return 0
        top, left, bottom, right = self.selection
        return (bottom - top + 1) * (right - left + 1)

    @property
    def selected_range(self) -> str:
        """`B2`, `A1:C5`, or nothing."""
        if self.selection is None:
            return ""
        top, left, bottom, right = self.selection
        if (top, left) == (bottom, right):
            rows, columns = self.merged.get((top, left), (1, 1))
            bottom, right = top + rows - 1, left + columns - 1
        first, last = cell_name(top, left), cell_name(bottom, right)
        return first if first == last else f"{first}:{last}"

    def place(self, cell: FakeControl) -> tuple[int, int] | None:
        """Return the (row, column) of a cell; None where it is no cell of this table."""
        return next((place for place, candidate in self.cells.items() if candidate is cell), None)

    def existing_cells(self) -> list[FakeControl]:
        return [self.cells[place] for place in sorted(self.cells)]

    def listed_cells(self) -> list[FakeControl]:
        """Return the cells that an observation lists: all of a small table, the visible block of a large one."""
        rows, columns = self.rows, self.columns
        first_row, first_column = 0, 0
        if rows * columns > MAX_LISTED_CELLS:
            (rows, columns), (first_row, first_column) = self.visible, self.origin
        return [
            self.cell(row, column)
            for row in range(first_row, min(self.rows, first_row + rows))
            for column in range(first_column, min(self.columns, first_column + columns))
        ]


@dataclass(eq=False)
class FakeWindow:
    """A top-level window or dialog. `rect` is in physical screen pixels.

    `dialog` makes it a dialog: Escape closes it, and while it is open the other windows of its application take no
    clicks; it belongs to `owner` where it has one. Enter on a control that has no use for it presses the button whose
    states hold "default". `traits` are reported as they are.
    """

    title: str
    controls: list[FakeControl] = field(default_factory=list[FakeControl])
    application: str = ""
    rect: Rect = DEFAULT_PLACE
    dialog: bool = False
    owner: "FakeWindow | None" = None
    on_close: Callable[[], None] | None = None
    on_key: Callable[[Chord], bool] | None = None
    traits: frozenset[Trait] = NO_TRAITS
    focused: FakeControl | None = None
    handle: str = field(default="", init=False)
    pid: int | None = field(default=None, init=False)
    closed: bool = field(default=False, init=False)

    def all_controls(self) -> Iterator[FakeControl]:
        """Every control, parents before children, hidden ones too."""
        for control in self.controls:
            yield control
            yield from control.descendants()

    def find(self, name: str, role: Role | None = None) -> FakeControl:
        """The first control of that name (and role). Raises: LookupError."""
        return _find(self.all_controls(), name, role)

    def focusable(self) -> list[FakeControl]:
        return [c for c in self.all_controls() if c.role in FOCUSABLE_ROLES and not c.hidden and not c.disabled]


def cell_name(row: int, column: int) -> str:
    """(0, 0) → `A1`."""
    return f"{column_name(column)}{row + 1}"


def parse_range(text: str) -> tuple[int, int, int, int] | None:
    """`B2` or `A1:C5` as (top, left, bottom, right), inclusive; None where it is neither."""
    ends = [_CELL_NAME.fullmatch(part.strip().upper()) for part in text.split(":")]
    places: list[tuple[int, int]] = []
    for end in ends:
        if end is None:
            return None
        column = 0
        for letter in end[1]:
            column = column * 26 + ord(letter) - ord("A") + 1
        places.append((int(end[2]) - 1, column - 1))
    if len(places) > 2:
        return None
    return (*places[0], *places[-1])


def spreadsheet(rows: int = 1_048_576, columns: int = 16_384) -> tuple[FakeControl, FakeControl]:
    """A tool bar with a name box, without a name, as real ones have it, and an input line, and the huge table that they
    belong to; A1 is selected.
    """
    table = FakeTable(rows, columns, spreadsheet=True)
    name_box = FakeControl(Role.TEXTBOX)
    table.name_box = name_box

    def go() -> None:
        wanted = parse_range(name_box.value)
        if wanted and wanted[2] < rows and wanted[3] < columns:
            table.select(*wanted)
        else:
            table.names.append(name_box.value)

    name_box.on_activate = go
    table.select(0, 0, 0, 0)
    bar = FakeControl(Role.TOOLBAR, children=[name_box, FakeControl(Role.PARAGRAPH)])
    return bar, FakeControl(Role.TABLE, "Sheet1", table=table, traits=frozenset({Trait.OF_SHEET}))
