"""Ranges of the sheet in front by dialogs and keys: sorting, formats, rows that are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.effects.sheet_copy import CellFormat, SheetCopy
from deskhand.commands.techniques.cells import (
    Address,
    Sheet,
    go_to,
    leave_name_box,
    range_name,
    select_several,
)
from deskhand.commands.techniques.clipboard_block import MOST_SAVED, restore_clipboard
from deskhand.commands.techniques.office_windows.dialogs import Dialog, Way, dialog, next_dialog
from deskhand.commands.techniques.office_windows.undoing import Steps
from deskhand.core.errors import ActionRefused
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_SORT: Final = Way("Sort", menu=("Data", "Sort..."))
_FORMAT: Final = Way("Format Cells", key=Chord("1", ("ctrl",)))
_UNASKED: Final = "Current selection"
"""The answer to the question whether columns beside the range are sorted too."""
_KEYS: Final = {"bold": "b", "italic": "i", "left": "l", "center": "e", "right": "r"}
_MOST_COLUMNS: Final = 100
_TAKEN_S: Final = 5.0
_DONE_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Block:
    """A range of the sheet in front of a window."""

    tools: ToolContext
    call: Call
    sheet: Sheet
    rows: range
    columns: range

    @property
    def desktop(self) -> Desktop:
        return self.tools.desktop

    @property
    def window(self) -> TargetInfo:
        return self.call.need_window()

    def part(self, first: int, count: int) -> "Block":
        """Rows of it, from 0."""
        top = self.rows.start + first
        return Block(self.tools, self.call, self.sheet, range(top, top + count), self.columns)

    async def select(self) -> None:
        """Select it, and give the cells the keyboard. Raises: ActionRefused."""
        start, cells = Address(self.rows.start, self.columns.start), len(self.rows) * len(self.columns)
        await go_to(self.desktop, self.call, self.sheet, str(start), single=False)
        if cells > 1:
            await select_several(self.desktop, self.sheet, range_name(start, len(self.rows), len(self.columns)), cells)
            await leave_name_box(self.desktop, self.sheet)

    async def texts(self) -> tuple[tuple[str, ...], ...]:
        return await self.desktop.read_table(self.sheet.cells, self.rows, self.columns)


def require_few_columns(columns: range) -> None:
    """Raises: ActionRefused for more than are chosen by arrow keys."""
    if len(columns) > _MOST_COLUMNS:
        raise ActionRefused(f"the range has more than {_MOST_COLUMNS} columns", fix="sort fewer")


async def sort(block: Block, keys: Sequence[tuple[int, bool]], steps: Steps, *, header: bool) -> None:
    """`keys`: columns of the range from 0, and whether in descending order."""
    await block.select()
    async with dialog(block.desktop, block.window, _SORT) as first:
        opened = await _past_question(block, first)
        await opened.check(opened.control(Role.RADIO, "Top to bottom (sort rows)"), on=True)
        await opened.check(opened.control(Role.CHECKBOX, "Range contains column labels"), on=header)
        for number, (column, descending) in enumerate(keys, 1):
            await _choose_column(opened, number, column + 1, len(block.columns))
            order = "Descending" if descending else "Ascending"
            group = opened.control(Role.GROUP, f"Sort Key {number}")
            await opened.check(opened.control(Role.RADIO, order, inside=group), on=True)
        await _choose_column(opened, len(keys) + 1, 0, len(block.columns))
        await _set_sort_options(opened)
        await opened.confirm()
    steps.count += 1
    await block.desktop.settle(block.window)


async def _past_question(block: Block, opened: Dialog) -> Dialog:
    """Answer the question that precedes the dialog where columns beside the range are filled."""
    answers = [button for button in opened.all(Role.BUTTON) if button.name == _UNASKED]
    if not answers:
        return opened
    known = {window.handle for window in await block.desktop.windows()}
    await block.desktop.do_action(answers[0])
    return await next_dialog(opened, block.window, known)


async def _choose_column(opened: Dialog, number: int, place: int, columns: int) -> None:
    """Choose an item of a sort key's drop-down by arrow keys; the first one, 0, is none, and ends the keys."""
    desktop = opened.desktop
    group = opened.control(Role.GROUP, f"Sort Key {number}")
    box = opened.control(Role.BUTTON, "Column", inside=group)
    if "enabled" not in box.states:
        if place:
            raise ActionRefused(f"Sort Key {number} of the dialog {opened.title} cannot be chosen", fix="sort by hand")
        return
    if not await desktop.focus(box):
        raise ActionRefused(f"{box.describe} of the dialog {opened.title} does not take the keyboard")
    await desktop.press([Chord("up")] * (columns + 1) + [Chord("down")] * place)
    await desktop.settle(opened.window)
    await opened.look()


async def _set_sort_options(opened: Dialog) -> None:
    """Compare without case, by characters, in place, as the own interface does."""
    await opened.desktop.select(opened.control(Role.TAB, "Options"))
    await opened.desktop.settle(opened.window)
    await opened.look()
    for name, on in (
        ("Case sensitive", False),
        ("Include formats", True),
        ("Enable natural sort", False),
        ("Copy sort results to", False),
        ("Custom sort order", False),
    ):
        await opened.check(opened.control(Role.CHECKBOX, name), on=on)


def require_settable(formats: Mapping[str, object]) -> None:
    """Raises: ActionRefused for a format that the windows do not set."""
    if "color" in formats:
        raise ActionRefused(
            "color is set by LibreOffice's own interface alone, which is not used",
            fix="leave it out, and choose the colour in the toolbar",
        )


async def style(block: Block, before: SheetCopy, formats: Mapping[str, object], steps: Steps) -> None:
    """Set formats: by keys that turn them over, for those that not all cells have, else by the dialog."""
    await block.select()
    for name, wanted in formats.items():
        if name == "number_format":
            await _set_number_format(block, str(wanted), steps)
        elif name == "background":
            await _set_background(block, str(wanted), steps)
        else:
            await _turn(block, before, name, wanted, steps)


async def _turn(block: Block, before: SheetCopy, name: str, wanted: object, steps: Steps) -> None:
    """Press a key that turns a format on, if any cell lacks it, and off, if all have it."""
    places = [(row, column) for row in block.rows for column in block.columns]
    found = {_has(before.format_at(*place), name, wanted) for place in places}
    presses = 0 if found == {True} else 2 if True in found and wanted is False else 1
    for _ in range(presses):
        await block.desktop.press([Chord(_KEYS[str(wanted) if name == "align" else name], ("ctrl",))])
        await block.desktop.settle(block.window)
        steps.count += 1


def _has(cell: CellFormat, name: str, wanted: object) -> bool:
    return getattr(cell, name) == wanted


async def _set_number_format(block: Block, code: str, steps: Steps) -> None:
    async with dialog(block.desktop, block.window, _FORMAT) as opened:
        await block.desktop.select(opened.control(Role.TAB, "Numbers"))
        await block.desktop.settle(opened.window)
        await opened.look()
        await opened.enter(opened.control(Role.TEXTBOX, "Format Code"), code)
        await block.desktop.settle(opened.window)
        await opened.confirm()
    steps.count += 1
    await block.desktop.settle(block.window)


async def _set_background(block: Block, color: str, steps: Steps) -> None:
    """`color`: #rrggbb."""
    async with dialog(block.desktop, block.window, _FORMAT) as opened:
        await block.desktop.select(opened.control(Role.TAB, "Background"))
        await block.desktop.settle(opened.window)
        await opened.look()
        await block.desktop.do_action(opened.control(Role.BUTTON, "Color"))
        await block.desktop.settle(opened.window)
        await opened.look()
        field = opened.control(Role.TEXTBOX, "Hex", inside=opened.control(Role.GROUP, "New"))
        await opened.enter(field, color.removeprefix("#").lower())
        await block.desktop.focus(field)
        await block.desktop.focus(opened.defaults[0])  # the colour counts once its field is left
        await opened.confirm()
    steps.count += 1
    await block.desktop.settle(block.window)


async def keep_rows(block: Block, kept: Sequence[int], steps: Steps) -> None:
    """Keep these rows, from 0 and in their order: others are emptied, and the next are cut and pasted there."""
    desktop, saved = block.desktop, await block.desktop.whole_clipboard(most_bytes=MOST_SAVED)
    try:
        for first, last in _runs([row for row in range(len(block.rows)) if row not in set(kept)]):
            await _empty(block, block.part(first, last - first + 1), steps)
        target = 0
        for first, last in _runs(kept):
            count = last - first + 1
            if target != first:
                await _move(block.part(first, count), block.part(target, count), steps)
            target += count
    finally:
        await restore_clipboard(block.tools, saved)
    await desktop.settle(block.window)


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for row in rows:
        if runs and runs[-1][1] == row - 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    return runs


async def _empty(block: Block, part: Block, steps: Steps) -> None:
    """Empty rows of a block that are not its first. Raises: ActionRefused."""
    await part.select()
    steps.count += 1
    await part.desktop.press([Chord("delete")])
    await part.desktop.settle(part.window)
    # The active cell exposes its old text until it is left.
    # upstream: not reported
    # seen in: 7.4.7
    await block.part(0, 1).select()

    async def is_empty() -> bool | None:
        return True if not any(map(any, await part.texts())) else None

    if not await part.desktop.wait_until(is_empty, deadline_s=_DONE_S):
        raise ActionRefused("the rows were not emptied", fix="look whether a dialog is in the way")


async def _move(source: Block, target: Block, steps: Steps) -> None:
    """Cut and paste rows that move up. Raises: ActionRefused."""
    desktop = source.desktop
    moved = await source.texts()
    await source.select()
    steps.count += 1

    async def cut() -> None:
        await desktop.press([Chord("x", ("ctrl",))])

    if not await desktop.clipboard_taken(cut, deadline_s=_TAKEN_S):
        raise ActionRefused("the rows were not cut", fix="look whether a dialog is in the way")
    await go_to(desktop, source.call, target.sheet, str(Address(target.rows.start, target.columns.start)))
    await desktop.press([Chord("v", ("ctrl",))])
    steps.count += 1

    async def there() -> bool | None:
        return True if await target.texts() == moved else None

    if not await desktop.wait_until(there, deadline_s=_DONE_S):
        raise ActionRefused("the rows that were cut did not arrive", fix="look whether a dialog is in the way")
