"""Cells of a spreadsheet by address: selecting them, and writing a block of values (contract 4.2)."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import ClassVar, Final

from pydantic import Field, StrictFloat, StrictInt

from deskhand.commands.call import Call, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, action
from deskhand.commands.effects.message_box import ANSWER, text_of
from deskhand.commands.effects.text_match import numbers_in
from deskhand.commands.techniques.cells import (
    Address,
    Sheet,
    go_to,
    leave_name_box,
    merged_refusal,
    open_sheet,
    parse_address,
    range_name,
    require_inside,
    select_several,
    shown_formula,
)
from deskhand.commands.techniques.clipboard_block import (
    DIGITS,
    MOST_SAVED,
    clipboard_of,
    decimals_of,
    is_day,
    is_number,
    is_plain_number,
    restore_clipboard,
    same_value,
)
from deskhand.commands.techniques.formulas import write_with_formulas
from deskhand.commands.techniques.sheets import free_cells
from deskhand.commands.waiting import wait_for_program
from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect, EffectClass, Needed, Route
from deskhand.core.errors import ActionDeadline, ActionRefused, DeskhandError, PersonActs
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_REACH: Final = 30
"""Rows above a block, and columns left of it, that are searched for merged cells reaching into it."""
_PASTE_S: Final = 10.0
_TAKEN_S: Final = 2.0
"""Timeout of the fetch: a read-only spreadsheet does not report that, and never fetches."""
_CLEARED_S: Final = 3.0


class WriteTable(Arguments):
    """`decimals`: a text such as "12.50" becomes a number that shows so."""

    decided: ClassVar = frozenset({"start"})

    start: str = Field(default="A1", description="address of the top left cell")
    rows: list[list[str | StrictInt | StrictFloat | None]] = Field(
        description="rows of values: 1.1 is a number, and so is a text that a number reads like, such as 65; "
        "2026-03-12 is a date; other texts, such as 1.10 or 007, stay texts; null for an empty cell"
    )
    decimals: bool = Field(default=False, description="texts such as 12.50, as of prices, are numbers that show so")
    formulas: bool = Field(default=False, description="texts that begin with = are formulas")


async def _require_single(desktop: Desktop, sheet: Sheet, start: Address, rows: int, columns: int) -> None:
    """Refuse merged cells, which pasting would split, showing their hidden content. Raises: ActionRefused.

    A merged cell that begins further away than `_REACH` is noticed only if the block begins in it.
    """
    down = range(max(0, start.row - _REACH), start.row + rows)
    across = range(max(0, start.column - _REACH), start.column + columns)
    for merged in await desktop.merged_cells(sheet.cells, down, across):
        if merged.row + merged.rows > start.row and merged.column + merged.columns > start.column:
            first = Address(merged.row, merged.column)
            raise merged_refusal(str(first), range_name(first, merged.rows, merged.columns))


async def write_table(tools: ToolContext, call: Call, arguments: WriteTable) -> ToolOutcome:
    """Writes rows into the open sheet. A text is made a number or date only if it reads the same then: 2026-03-12, not
    "12.3.26", "1.10", "007" or, without `formulas`, "=B2*2".
    """
    desktop = tools.desktop
    rows = padded(arguments.rows)
    start = parse_address(arguments.start)
    sheet = await open_sheet(desktop, call)
    if sheet.to_read:
        raise ActionRefused(
            f"{call.need_window().describe} has a document that is open for reading only",
            fix="let it be changed first (in LibreOffice: Edit, Edit Mode), or open another",
        )
    await require_inside(desktop, sheet, start, start.moved(len(rows) - 1, len(rows[0]) - 1))
    await _require_single(desktop, sheet, start, len(rows), len(rows[0]))
    if arguments.formulas and any(text.startswith("=") for row in rows for text in row):
        return await write_with_formulas(tools, call, sheet, start, rows, decimals=arguments.decimals)
    block, top, left = trimmed(rows)
    forms = clipboard_of(block, decimals=arguments.decimals)  # refuses texts that a document cannot hold
    await free_cells(tools, call)
    tools.delivered = True
    if block:
        corner = start.moved(top, left)
        await go_to(desktop, call, sheet, str(corner))
        await _paste(tools, call, sheet, forms, len(block) * len(block[0]))
    for area in margins(rows, block, top, left):
        await _clear(desktop, call, sheet, start, area)
    name = range_name(start, len(rows), len(rows[0]))
    await go_to(desktop, call, sheet, str(start))
    wrong = await _differences(desktop, sheet, start, rows, decimals=arguments.decimals)
    data = {"range": name}
    if wrong:
        return ToolOutcome(data, Effect.PARTIAL, Route.SYNTHETIC_INPUT, f"{len(wrong)} cells differ: {wrong[0]}")
    evidence = f"{name} reads back equal{_as_texts(start, rows, decimals=arguments.decimals)}"
    return ToolOutcome(data, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, evidence)


def _as_texts(start: Address, rows: list[list[str]], *, decimals: bool) -> str:
    """A note on the texts that begin with a number and stayed texts; empty without any."""
    cells = [(start.moved(r, c), text) for r, row in enumerate(rows) for c, text in enumerate(row)]
    texts = [(cell, text) for cell, text in cells if numbers_in(text) and not is_number(text, decimals=decimals)]
    texts = [(cell, text) for cell, text in texts if not is_day(text)]
    if not texts:
        return ""
    more = f" and {len(texts) - 1} more" if texts[1:] else ""
    fix = "; decimals=true makes numbers of those like 12.50" if any(decimals_of(text) for _, text in texts) else ""
    return f"; text, not a number: {texts[0][0]} {quoted(texts[0][1])}{more}{fix}"


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
    await go_to(desktop, call, sheet, str(corner))
    if rows * columns > 1:
        await select_several(desktop, sheet, range_name(corner, rows, columns), rows * columns)
        await leave_name_box(desktop, sheet)

    async def is_cleared() -> bool | None:
        """The cell with the cursor goes on to read as before: the input line shows that it is empty."""
        read = await desktop.read_table(sheet.cells, down, across, deadline_s=_CLEARED_S)
        first, *others = [text for row in read for text in row]
        if any(others):
            return None
        return not first or await shown_formula(desktop, sheet, str(corner)) == ""

    await desktop.press([Chord("delete")])
    await desktop.wait_until(is_cleared, deadline_s=_CLEARED_S)


async def _paste(tools: ToolContext, call: Call, sheet: Sheet, forms: Mapping[str, bytes], cells: int) -> None:
    """Paste a block of so many cells, and wait until the sheet has exactly the block selected.

    Raises: ActionRefused if it never has.

    Restores the clipboard, or adds a note that it is lost.
    """
    desktop, may_restore = tools.desktop, False
    saved = await desktop.whole_clipboard(most_bytes=MOST_SAVED)
    await desktop.offer_clipboard(forms)
    try:
        await _paste_offered(desktop, call, sheet, cells)
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

    async def pasted() -> TargetInfo | bool | None:
        """None: not yet; else True, or the dialog that is in front instead."""
        if (dialog := await _dialog(desktop)) is not None:
            return dialog
        return True if await desktop.selected_count(sheet.cells) == wanted else None

    async def taken() -> TargetInfo | bool | None:
        return True if await desktop.clipboard_fetches() else await pasted()

    async def require_no_dialog() -> None:
        if (dialog := await _dialog(desktop)) is not None:
            raise ActionRefused(f"the block did not arrive: {await text_of(desktop, dialog)}", fix=ANSWER)

    if not await desktop.wait_until(taken, deadline_s=_TAKEN_S) and await _rests(desktop, call):
        await require_no_dialog()
        raise ActionRefused(
            f"the spreadsheet did not take the block of {wanted} cells: nothing of it was fetched",
            fix="find out whether its document is read-only, its sheet protected or a dialog in the way",
        )
    if await wait_for_program(desktop, window, pasted, deadline_s=_PASTE_S) is not True:
        await require_no_dialog()
        active = await _active(desktop)
        where = f"; {active.describe} has the keyboard now" if active else ""
        raise ActionRefused(f"the block of {wanted} cells did not arrive{where}", fix="check for a dialog in the way")


async def _rests(desktop: Desktop, call: Call) -> bool:
    """True if the application has handled all its input."""
    return (await desktop.settle(call.window, deadline_s=_TAKEN_S)).is_quiet


async def _active(desktop: Desktop) -> TargetInfo | None:
    """The window that has the keyboard."""
    return next((window for window in await desktop.windows() if "active" in window.states), None)


async def _dialog(desktop: Desktop) -> TargetInfo | None:
    """The dialog that has the keyboard; None if another window has it."""
    active = await _active(desktop)
    return active if active is not None and active.type is Role.DIALOG else None


async def _differences(
    desktop: Desktop, sheet: Sheet, start: Address, rows: list[list[str]], *, decimals: bool
) -> list[str]:
    """Cells that read back with another value than written."""
    down = range(start.row, start.row + len(rows))
    across = range(start.column, start.column + len(rows[0]))
    read = await desktop.read_table(sheet.cells, down, across)
    return [
        f"{start.moved(r, c)} reads {quoted(got)}, not {quoted(wanted)}"
        for r, row in enumerate(rows)
        for c, wanted in enumerate(row)
        if not same_value(wanted, got := read[r][c], decimals=decimals)
    ]


_CELLS = Expects((Rule("", "the cells"),))
TOOLS = (
    action(
        WriteTable,
        write_table,
        effect_class=EffectClass.EDIT,
        expects=_CELLS,
        deadline_s=60.0,
        needs=Needed.SHEET,
    ),
)
