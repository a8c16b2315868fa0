"""Cells of a spreadsheet by address: parsing addresses, going to a cell, selecting a range."""

import re
from dataclasses import dataclass
from typing import Final

from deskhand.commands.call import Call
from deskhand.commands.control_kinds import ROWS_OF_A_SHEET
from deskhand.commands.effects.message_box import ANSWER, text_of
from deskhand.commands.waiting import wait_for_program
from deskhand.commands.window_lookup import front_window
from deskhand.core.cell_names import column_name, column_number
from deskhand.core.errors import ActionRefused, ElementNotFound
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

ADDRESS: Final = re.compile(r"\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6})")
_TO_NAME_BOX: Final = Chord("t", ("ctrl", "shift"))
_ENABLED_S: Final = 2.0
_LEFT_S: Final = 3.0
_TO_READ: Final = re.compile(r"\.\w+(\([^()]+\)) - ")


@dataclass(frozen=True, slots=True)
class Address:
    """A cell by row and column, from 0."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"{column_name(self.column)}{self.row + 1}"

    def moved(self, rows: int, columns: int) -> "Address":
        return Address(self.row + rows, self.column + columns)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The needed parts of a spreadsheet window. Some versions do not expose the Name Box.

    `cells` is the largest of its `panes`, of which there are several if rows or columns are frozen. `to_read`: the
    document is reported to be read-only. `input_line`: where the active cell's formula is shown.
    """

    window: TargetInfo
    name_box: TargetInfo | None
    cells: TargetInfo
    panes: tuple[TargetInfo, ...]
    to_read: bool = False
    input_line: TargetInfo | None = None


def parse_address(text: str) -> Address:
    """`C5`, or `$C$5`, as row 4, column 2. Raises: ActionRefused."""
    if (address := _address(text)) is None:
        raise ActionRefused(f"{text!r} is not the address of a cell", fix="write it like A1")
    return address


def _address(text: str) -> Address | None:
    match = ADDRESS.fullmatch(text.strip().upper())
    if match is None:
        return None
    return Address(int(match.group(2)) - 1, column_number(match.group(1)))


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


async def require_inside(desktop: Desktop, sheet: Sheet, *addresses: Address) -> None:
    """Refuse addresses outside of the sheet, which the Name Box would define as names. Raises: ActionRefused."""
    rows, columns = await desktop.table_shape(sheet.cells)
    for address in addresses:
        if address.row >= rows or address.column >= columns:
            raise ActionRefused(
                f"the sheet has no cell {address}: its last one is {Address(rows - 1, columns - 1)}",
                fix="choose cells inside the sheet",
            )


def range_name(start: Address, rows: int, columns: int) -> str:
    """`A1:C5`."""
    return f"{start}:{start.moved(rows - 1, columns - 1)}"


async def open_sheet(desktop: Desktop, call: Call) -> Sheet:
    """The parts of the spreadsheet window. Raises: ElementNotFound."""
    window = await front_window(desktop, call.need_window())
    seen = call.command.seen
    if seen is None or seen.window.handle != window.handle:
        seen = await desktop.observe(window, picture=False)
    if window.type is Role.DIALOG:
        raise ElementNotFound(f"a dialog is in front of the cells: {await text_of(desktop, window)}", fix=ANSWER)
    panes, name_box = _panes(seen), _in_formula_bar(seen, Role.TEXTBOX)
    cells = max(panes, key=lambda table: table.rect.area)
    if name_box is None and (await desktop.table_shape(cells))[0] < ROWS_OF_A_SHEET:
        raise ElementNotFound(f'"{window.name}" shows a table, but no spreadsheet', fix="open a spreadsheet")
    return Sheet(window, name_box, cells, panes, is_to_read(seen, window.name), _in_formula_bar(seen, Role.PARAGRAPH))


def is_to_read(seen: Observation, title: str) -> bool:
    """True if LibreOffice appends the same words to the document's name and to its window's title.

    The words are in its language, as in `a.ods(read-only) - LibreOffice Spreadsheets`.
    """
    found = (_TO_READ.search(control.name) for control in seen.controls if control.type is Role.DOCUMENT)
    return any(f" {match[1]} - " in title for match in found if match)


def _in_formula_bar(seen: Observation, role: Role) -> TargetInfo | None:
    """The Name Box or, with the role of a paragraph, the input line, which are in one toolbar.

    The text of the Name Box may be a name, and any other field may show an address.
    """
    for bar in seen.controls:
        parts = seen.inside_of(bar) if bar.type is Role.TOOLBAR else ()
        if any(part.type is Role.PARAGRAPH for part in parts):
            return next((part for part in parts if part.type is role), None)
    return None


async def shown_formula(desktop: Desktop, sheet: Sheet, address: str) -> str | None:
    """The content of a cell as the input line shows it; None unless the cell is the active one."""
    if sheet.name_box is None or sheet.input_line is None:
        return None
    shown = await desktop.read_text(sheet.name_box)
    if shown != address and not shown.startswith(f"{address}:"):
        return None
    return await desktop.read_text(sheet.input_line)


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
        await _wait_until_enabled(desktop, sheet, sheet.name_box)
        await desktop.set_text(sheet.name_box, text)
        await desktop.do_action(sheet.name_box, "activate")
        return
    await desktop.focus(sheet.cells)
    await desktop.press([_TO_NAME_BOX])
    await _wait_for_focus(desktop, sheet, there=False)
    await desktop.press([*(Chord(character) for character in text), Chord("enter")])
    await _wait_for_focus(desktop, sheet, there=True)


async def _wait_until_enabled(desktop: Desktop, sheet: Sheet, box: TargetInfo) -> None:
    """Toolbars are disabled for a moment when their window comes to the front."""

    async def enabled() -> bool | None:
        return True if "enabled" in (await desktop.resolve(box)).states else None

    await wait_for_program(desktop, sheet.window, enabled, deadline_s=_ENABLED_S)


async def _wait_for_focus(desktop: Desktop, sheet: Sheet, *, there: bool) -> None:
    """Wait for the focus: keys sent before would go to the wrong place. Raises: ActionRefused if it does not move."""

    async def moved() -> bool | None:
        panes = [await desktop.resolve(pane) for pane in sheet.panes]
        return True if any("focused" in pane.states for pane in panes) is there else None

    if not await wait_for_program(desktop, sheet.window, moved, deadline_s=3.0):
        raise ActionRefused(f"the keyboard did not move {'back to' if there else 'away from'} the cells")


async def go_to(desktop: Desktop, call: Call, sheet: Sheet, address: str, *, single: bool = True) -> None:
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

    shown = await wait_for_program(desktop, sheet.window, there, deadline_s=3.0)
    if shown is None:
        shown = await desktop.read_text(box)
        raise ActionRefused(f"the cell {address} did not become the active one: the Name Box shows {quoted(shown)}")
    if single and shown != address:
        raise merged_refusal(address, shown)


def merged_refusal(cell: str, whole: str) -> ActionRefused:
    return ActionRefused(
        f"the cells {whole} are merged, and pasting a block into them would part them",
        fix=f"write into {cell} with set_edit_text, and the cells around it as blocks of their own",
    )


async def select_several(desktop: Desktop, sheet: Sheet, name: str, cells: int) -> None:
    """Select a range of several cells. Raises: ActionRefused if that fails."""
    await _name(desktop, sheet, name)

    async def selected() -> bool | None:
        return True if await desktop.selected_count(sheet.cells) == cells else None

    if not await wait_for_program(desktop, sheet.window, selected, deadline_s=3.0):
        raise ActionRefused(f"the range {name} could not be selected")


async def leave_name_box(desktop: Desktop, sheet: Sheet) -> None:
    """Wait until keys go to the cells again. Raises: ActionRefused if the Name Box does not lose the keyboard."""
    box = sheet.name_box

    async def is_out() -> bool | None:
        return True if box is None or "focused" not in (await desktop.resolve(box)).states else None

    if not await wait_for_program(desktop, sheet.window, is_out, deadline_s=_LEFT_S):
        raise ActionRefused("the Name Box does not release the keyboard")
