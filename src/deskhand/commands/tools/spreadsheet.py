"""Cells of a spreadsheet by address: selecting them, and writing a block of values (contract 4.2)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from pydantic import Field, StrictFloat, StrictInt

from deskhand.commands.catalogue import Arguments, Call, ToolContext, ToolOutcome, action
from deskhand.commands.expectation import MARKED, Expects, Rule
from deskhand.commands.techniques.clipboard_block import DIGITS, clipboard_of, is_plain_number
from deskhand.commands.techniques.sheets import ROWS_OF_A_SHEET, free_cells
from deskhand.commands.techniques.text_entry import MOST_SAVED, restore_clipboard
from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionDeadline, ActionRefused, DeskhandError, ElementNotFound, PersonActs
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Quiet

_ADDRESS: Final = re.compile(r"\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6})")
_TO_NAME_BOX: Final = Chord("t", ("ctrl", "shift"))
_TO_READ: Final = re.compile(r"\.\w+(\([^()]+\)) - ")
_REACH: Final = 30
"""Rows above a block, and columns left of it, that are searched for merged cells reaching into it."""
_PASTE_S: Final = 10.0
_TAKEN_S: Final = 2.0
"""Timeout of the fetch: a read-only spreadsheet does not report that, and never fetches."""
_CLEARED_S: Final = 3.0
_MARKED_S: Final = 2.0


class WriteTable(Arguments):
    """`start`: the top left cell. Of `rows`, plain numbers are entered as numbers, everything else as text.

    Numbers with a fraction are entered with 15 digits, as many as a cell shows.
    """

    start: str = Field(default="A1", description="address of the top left cell")
    rows: list[list[str | StrictInt | StrictFloat | None]] = Field(description="rows of values, null for an empty cell")


@dataclass(frozen=True, slots=True)
class Address:
    """A cell by row and column, from 0."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"{_letters(self.column)}{self.row + 1}"

    def moved(self, rows: int, columns: int) -> "Address":
        return Address(self.row + rows, self.column + columns)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The needed parts of a spreadsheet window. Some versions do not expose the Name Box.

    `cells` is the largest of its `panes`, of which there are several if rows or columns are frozen. `to_read`: the
    document is reported to be read-only.
    """

    name_box: TargetInfo | None
    cells: TargetInfo
    panes: tuple[TargetInfo, ...]
    to_read: bool = False


def parse_address(text: str) -> Address:
    """`C5`, or `$C$5`, as row 4, column 2. Raises: ActionRefused."""
    if (address := _address(text)) is None:
        raise ActionRefused(f"{text!r} is not the address of a cell", fix="write it like A1")
    return address


def _address(text: str) -> Address | None:
    match = _ADDRESS.fullmatch(text.strip().upper())
    if match is None:
        return None
    column = 0
    for letter in match.group(1):
        column = column * 26 + ord(letter) - ord("A") + 1
    return Address(int(match.group(2)) - 1, column - 1)


def parse_range(text: str) -> tuple[range, range]:
    """`A1:C5`, or one address, as its rows and columns. Raises: ActionRefused."""
    first, colon, last = text.partition(":")
    start, end = _address(first), _address(last if colon else first)
    if start is None or end is None:
        raise ActionRefused(
            f"{text!r} is not a range of cells",
            fix="write it like A1:C5, without the name of a sheet: it is of the sheet in front",
        )
    rows, columns = sorted((start.row, end.row)), sorted((start.column, end.column))
    return range(rows[0], rows[1] + 1), range(columns[0], columns[1] + 1)


async def _require_inside(desktop: Desktop, sheet: Sheet, *addresses: Address) -> None:
    """Refuse addresses outside of the sheet, which the Name Box would define as names. Raises: ActionRefused."""
    rows, columns = await desktop.table_shape(sheet.cells)
    for address in addresses:
        if address.row >= rows or address.column >= columns:
            raise ActionRefused(
                f"the sheet has no cell {address}: its last one is {Address(rows - 1, columns - 1)}",
                fix="choose cells inside the sheet",
            )


async def _require_single(desktop: Desktop, sheet: Sheet, start: Address, rows: int, columns: int) -> None:
    """Refuse merged cells, which pasting would split, showing their hidden content. Raises: ActionRefused.

    A merged cell that begins further away than `_REACH` is noticed only if the block begins in it.
    """
    down = range(max(0, start.row - _REACH), start.row + rows)
    across = range(max(0, start.column - _REACH), start.column + columns)
    for merged in await desktop.merged_cells(sheet.cells, down, across):
        if merged.row + merged.rows > start.row and merged.column + merged.columns > start.column:
            first = Address(merged.row, merged.column)
            raise _merged(str(first), range_name(first, merged.rows, merged.columns))


def _merged(cell: str, whole: str) -> ActionRefused:
    return ActionRefused(
        f"the cells {whole} are merged, and pasting a block into them would part them",
        fix=f"write into {cell} with set_edit_text, and the cells around it as blocks of their own",
    )


def _letters(column: int) -> str:
    text = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def range_name(start: Address, rows: int, columns: int) -> str:
    """`A1:C5`."""
    return f"{start}:{start.moved(rows - 1, columns - 1)}"


async def write_table(tools: ToolContext, call: Call, arguments: WriteTable) -> ToolOutcome:
    """Writes a block of values into the open spreadsheet, reads it back and goes to its first cell; a text such as
    "=B2*2" is written as that text, not as a formula.
    """
    desktop = tools.desktop
    rows = padded(arguments.rows)
    start = parse_address(arguments.start)
    sheet = await _sheet(desktop, call)
    if sheet.to_read:
        raise ActionRefused(
            f"{call.need_window().describe} has a document that is open for reading only",
            fix="let it be changed first (in LibreOffice: Edit, Edit Mode), or open another",
        )
    await _require_inside(desktop, sheet, start, start.moved(len(rows) - 1, len(rows[0]) - 1))
    await _require_single(desktop, sheet, start, len(rows), len(rows[0]))
    block, top, left = trimmed(rows)
    tools.delivered = True
    await free_cells(desktop, call)
    if block:
        corner = start.moved(top, left)
        await _go_to(desktop, call, sheet, str(corner))
        await _paste(tools, call, sheet, block)
    for area in margins(rows, block, top, left):
        await _clear(desktop, call, sheet, start, area)
    name = range_name(start, len(rows), len(rows[0]))
    await _go_to(desktop, call, sheet, str(start))
    wrong = await _differences(desktop, sheet, start, rows)
    data = {"range": name}
    if wrong:
        return ToolOutcome(data, Effect.PARTIAL, Route.SYNTHETIC_INPUT, f"{len(wrong)} cells differ: {wrong[0]}")
    return ToolOutcome(data, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, f"{name} reads back equal")


async def select_range(tools: ToolContext, call: Call, name: str) -> ToolOutcome:
    """Select cells by their address, such as `A1:C5`. Raises: ActionRefused, ElementNotFound."""
    rows, columns = parse_range(name)
    start, end = Address(rows[0], columns[0]), Address(rows[-1], columns[-1])
    cells = len(rows) * len(columns)
    sheet = await _sheet(tools.desktop, call)
    await _require_inside(tools.desktop, sheet, start, end)
    tools.delivered = True
    await free_cells(tools.desktop, call)
    if cells == 1:
        await _go_to(tools.desktop, call, sheet, str(start), single=False)
    else:
        await tools.desktop.activate(await front_window(tools.desktop, call.need_window()))
        await _select(tools.desktop, sheet, f"{start}:{end}", cells)
    route = Route.SYNTHETIC_INPUT if sheet.name_box is None else Route.ACCESSIBILITY

    async def marked() -> bool | None:
        return True if await _shows_marked(tools.desktop, call, rows, columns) else None

    if await tools.desktop.wait_until(marked, deadline_s=_MARKED_S):
        return ToolOutcome(None, Effect.CONFIRMED, route, f"{name} is selected")
    return ToolOutcome(None, Effect.UNVERIFIABLE, route, f"the visible cells do not report that {name} is selected")


async def _shows_marked(desktop: Desktop, call: Call, rows: range, columns: range) -> bool:
    """True if exactly those visible cells that are in a block report to be selected, or to have the cursor.

    The Name Box proves nothing: it shows its own input.
    """
    seen = await desktop.observe(await front_window(desktop, call.need_window()), picture=False)
    cells = {c.name: c.states for c in seen.controls if c.type is Role.CELL and _ADDRESS.fullmatch(c.name)}
    places = {name: parse_address(name) for name in cells}
    wanted = {name for name, place in places.items() if place.row in rows and place.column in columns}
    return bool(wanted) and wanted == {name for name, states in cells.items() if states & MARKED}


def padded(rows: Sequence[Sequence[str | float | None]]) -> list[list[str]]:
    """Texts, every row as long as the longest. Raises: ActionRefused if there are none."""
    width = max((len(row) for row in rows), default=0)
    if width == 0:
        raise ActionRefused("there are no values to write")
    return [[_text(value) for value in row] + [""] * (width - len(row)) for row in rows]


def _text(value: str | float | None) -> str:
    """Raises: ActionRefused for a number that a cell cannot hold exactly."""
    if value is None or isinstance(value, str):
        return value or ""
    text = str(value) if isinstance(value, int) else f"{Decimal(f'{value + 0.0:.{DIGITS}g}'):f}"
    if not is_plain_number(text):
        raise ActionRefused(
            f"the number {value!r} cannot be stored exactly: it is not finite, or has more than {DIGITS} digits",
            fix="write it as a text, or round it",
        )
    return text


def trimmed(rows: list[list[str]]) -> tuple[list[list[str]], int, int]:
    """The block without its empty outer rows and columns, and the number of those at the top and left.

    A spreadsheet drops them from a pasted block and shifts the rest.
    """
    filled_rows = [i for i, row in enumerate(rows) if any(row)]
    filled_columns = [i for i in range(len(rows[0])) if any(row[i] for row in rows)]
    if not filled_rows:
        return [], 0, 0
    top, left = filled_rows[0], filled_columns[0]
    block = [row[left : filled_columns[-1] + 1] for row in rows[top : filled_rows[-1] + 1]]
    return block, top, left


def margins(rows: list[list[str]], block: list[list[str]], top: int, left: int) -> list[tuple[int, int, int, int]]:
    """The areas that `trimmed` took away, as row, column, rows and columns within the whole, to be cleared."""
    height, width = len(rows), len(rows[0])
    inner = len(block)
    right = left + (len(block[0]) if block else 0)
    areas = [
        (0, 0, top if block else height, width),
        (top + inner, 0, height - top - inner if block else 0, width),
        (top, 0, inner, left),
        (top, right, inner, width - right),
    ]
    return [area for area in areas if area[2] > 0 and area[3] > 0]


async def _clear(desktop: Desktop, call: Call, sheet: Sheet, start: Address, area: tuple[int, int, int, int]) -> None:
    """Delete the content of an area of the block, if it has any."""
    corner, rows, columns = start.moved(area[0], area[1]), area[2], area[3]
    down, across = range(corner.row, corner.row + rows), range(corner.column, corner.column + columns)

    async def is_empty() -> bool | None:
        return None if any(any(row) for row in await desktop.read_table(sheet.cells, down, across)) else True

    if await is_empty():
        return
    await _go_to(desktop, call, sheet, str(corner))
    if rows * columns > 1:
        await _select(desktop, sheet, range_name(corner, rows, columns), rows * columns)
        await _until_out_of(desktop, sheet.name_box)
    await desktop.press([Chord("delete")])
    await desktop.wait_until(is_empty, deadline_s=_CLEARED_S)


async def _until_out_of(desktop: Desktop, box: TargetInfo | None) -> None:
    """Raises: ActionRefused if the Name Box does not lose the keyboard."""

    async def is_out() -> bool | None:
        return True if box is None or "focused" not in (await desktop.resolve(box)).states else None

    if not await desktop.wait_until(is_out, deadline_s=_CLEARED_S):
        raise ActionRefused("the Name Box does not release the keyboard")


async def _sheet(desktop: Desktop, call: Call) -> Sheet:
    """The parts of the spreadsheet window. Raises: ElementNotFound."""
    window = await front_window(desktop, call.need_window())
    seen = call.command.seen
    if seen is None or seen.window.handle != window.handle:
        seen = await desktop.observe(window, picture=False)
    panes, name_box = _panes(seen), _name_box(seen)
    cells = max(panes, key=lambda table: table.rect.area)
    if name_box is None and (await desktop.table_shape(cells))[0] < ROWS_OF_A_SHEET:
        raise ElementNotFound(f'"{window.name}" shows a table, but no spreadsheet', fix="open a spreadsheet")
    return Sheet(name_box, cells, panes, _is_to_read(seen, window.name))


def _is_to_read(seen: Observation, title: str) -> bool:
    """True if LibreOffice appends the same words to the document's name and to its window's title.

    The words are in its language, as in `a.ods(read-only) - LibreOffice Spreadsheets`.
    """
    found = (_TO_READ.search(control.name) for control in seen.controls if control.type is Role.DOCUMENT)
    return any(f" {match[1]} - " in title for match in found if match)


def _name_box(seen: Observation) -> TargetInfo | None:
    """The field in the toolbar with the input line. Its text may be a name, and any other field may show an address."""
    for bar in seen.controls:
        parts = seen.inside_of(bar) if bar.type is Role.TOOLBAR else ()
        if any(part.type is Role.PARAGRAPH for part in parts):
            return next((part for part in parts if part.type is Role.TEXTBOX), None)
    return None


def _panes(seen: Observation) -> tuple[TargetInfo, ...]:
    panes = tuple(control for control in seen.controls if control.type is Role.TABLE)
    if not panes:
        raise ElementNotFound(f'"{seen.window.name}" shows no cells', fix="open a spreadsheet")
    return panes


async def _name(desktop: Desktop, sheet: Sheet, text: str) -> None:
    """Enter an address into the Name Box: by accessibility, or with the keys that lead to it.

    Raises: ActionRefused.
    """
    if sheet.name_box is not None:
        await desktop.set_text(sheet.name_box, text)
        await desktop.do_action(sheet.name_box, "activate")
        return
    await desktop.focus(sheet.cells)
    await desktop.press([_TO_NAME_BOX])
    await _wait_for_focus(desktop, sheet, there=False)
    await desktop.press([*(Chord(character) for character in text), Chord("enter")])
    await _wait_for_focus(desktop, sheet, there=True)


async def _wait_for_focus(desktop: Desktop, sheet: Sheet, *, there: bool) -> None:
    """Wait for the focus: keys sent before would go to the wrong place. Raises: ActionRefused if it does not move."""

    async def moved() -> bool | None:
        panes = [await desktop.resolve(pane) for pane in sheet.panes]
        return True if any("focused" in pane.states for pane in panes) is there else None

    if not await desktop.wait_until(moved, deadline_s=3.0):
        raise ActionRefused(f"the keyboard did not move {'back to' if there else 'away from'} the cells")


async def _go_to(desktop: Desktop, call: Call, sheet: Sheet, address: str, *, single: bool = True) -> None:
    """Make a cell the active one and give the sheet the keyboard.

    Raises: ActionRefused if that fails, or if a `single` cell is required and it is merged with others.
    """
    await desktop.activate(await front_window(desktop, call.need_window()))
    await _name(desktop, sheet, address)
    box = sheet.name_box
    if box is None:
        await desktop.settle(call.window)  # the place of the block is checked after the paste
        return

    async def there() -> str | None:
        shown = await desktop.read_text(box)
        arrived = shown == address or shown.startswith(f"{address}:")
        return shown if arrived and "focused" not in (await desktop.resolve(box)).states else None

    shown = await desktop.wait_until(there, deadline_s=3.0)
    if shown is None:
        shown = await desktop.read_text(box)
        raise ActionRefused(f"the cell {address} did not become the active one: the Name Box shows {quoted(shown)}")
    if single and shown != address:
        raise _merged(address, shown)


async def _select(desktop: Desktop, sheet: Sheet, name: str, cells: int) -> None:
    """Select a range of several cells. Raises: ActionRefused if that fails."""
    await _name(desktop, sheet, name)

    async def selected() -> bool | None:
        return True if await desktop.selected_count(sheet.cells) == cells else None

    if not await desktop.wait_until(selected, deadline_s=3.0):
        raise ActionRefused(f"the range {name} could not be selected")


async def _paste(tools: ToolContext, call: Call, sheet: Sheet, block: list[list[str]]) -> None:
    """Paste, and wait until the sheet has exactly the block selected. Raises: ActionRefused if it never has.

    Restores the clipboard, or adds a note that it is lost.
    """
    desktop, may_restore = tools.desktop, False
    saved = await desktop.whole_clipboard(most_bytes=MOST_SAVED)
    await desktop.offer_clipboard(clipboard_of(block))
    try:
        await _paste_offered(desktop, call, sheet, len(block) * len(block[0]))
        may_restore = True
    except (ActionDeadline, PersonActs):
        raise  # a late fetch may still come
    except DeskhandError:
        may_restore = await _rests(desktop, call)
        raise
    finally:
        await restore_clipboard(tools, saved, may=may_restore)


async def _paste_offered(desktop: Desktop, call: Call, sheet: Sheet, wanted: int) -> None:
    """Raises: as `_paste`."""
    window = await front_window(desktop, call.need_window())
    active = await _active(desktop)
    if active is None or active.handle != window.handle:
        raise ActionRefused(
            f"{active.describe if active else 'no window'} has the keyboard, so nothing was pasted",
            fix="leave the keyboard with the spreadsheet, and try again",
        )
    await desktop.press([Chord("v", ("ctrl",))])

    async def pasted() -> bool | None:
        return True if await desktop.selected_count(sheet.cells) == wanted else None

    async def taken() -> bool | None:
        return True if await desktop.clipboard_fetches() else await pasted()

    if not await desktop.wait_until(taken, deadline_s=_TAKEN_S) and await _rests(desktop, call):
        raise ActionRefused(
            f"the spreadsheet did not take the block of {wanted} cells: nothing of it was fetched",
            fix="find out whether its document is read-only, its sheet protected or a dialog in the way",
        )
    if not await desktop.wait_until(pasted, deadline_s=_PASTE_S):
        active = await _active(desktop)
        where = f"; {active.describe} has the keyboard now" if active else ""
        raise ActionRefused(f"the block of {wanted} cells did not arrive{where}", fix="check for a dialog in the way")


async def _rests(desktop: Desktop, call: Call) -> bool:
    """True if the application has handled all its input."""
    return (await desktop.settle(call.window, deadline_s=_TAKEN_S)).reason in {Quiet.SETTLED, Quiet.UNSEEN}


async def _active(desktop: Desktop) -> TargetInfo | None:
    """The window that has the keyboard."""
    return next((window for window in await desktop.windows() if "active" in window.states), None)


async def _differences(desktop: Desktop, sheet: Sheet, start: Address, rows: list[list[str]]) -> list[str]:
    """Cells that read back with another value than written."""
    down = range(start.row, start.row + len(rows))
    across = range(start.column, start.column + len(rows[0]))
    read = await desktop.read_table(sheet.cells, down, across)
    return [
        f"{start.moved(r, c)} reads {quoted(got)}, not {quoted(wanted)}"
        for r, row in enumerate(rows)
        for c, wanted in enumerate(row)
        if not same_value(wanted, got := read[r][c])
    ]


def same_value(wanted: str, read: str) -> bool:
    """Texts by character; plain numbers by value, as a cell may show `65` for 65.0, and `1,5` in some languages."""
    if not is_plain_number(wanted):
        return wanted == read
    try:
        shown = float(read if "." in read else read.replace(",", "."))
    except ValueError:
        return False
    return abs(shown - float(wanted)) <= 1e-9 * max(1.0, abs(float(wanted)))


_CELLS = Expects((Rule("", "the cells"),))
TOOLS = (action(WriteTable, write_table, effect_class=EffectClass.EDIT, expects=_CELLS, deadline_s=60.0),)
