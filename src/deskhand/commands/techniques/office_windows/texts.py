"""Texts of a document by dialogs: replacing them, and tables."""

from collections.abc import Sequence
from typing import Final

from deskhand.commands.techniques.office_windows.dialogs import Dialog, Way, dialog, is_closed, opened_over
from deskhand.commands.techniques.office_windows.undoing import Steps
from deskhand.core.errors import ActionRefused
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_REPLACE: Final = Way("Find and Replace", key=Chord("h", ("ctrl",)))
_INSERT: Final = Way("Insert Table", key=Chord("f12", ("ctrl",)))
_CHECKED: Final = frozenset({"Match case", "Diacritic-sensitive", "All sheets"})
"""All other boxes are unchecked."""
_PARAGRAPHS: Final = frozenset({Role.HEADING, Role.PARAGRAPH})
_LAID_OUT: Final = frozenset({Role.LABEL, Role.TEXT})
_UNSELECT: Final = Chord("right")
_TO_NEXT_PARAGRAPH: Final = Chord("down", ("ctrl",))
_FIRST_MARK: Final = 0xF0000
"""As in `uno_helper.texts`."""
_CLOSES_S: Final = 3.0
_MOVES_S: Final = 3.0
_EXPANDS_S: Final = 2.0


def require_one_line(texts: Sequence[str]) -> None:
    """Raises: ActionRefused for a line break, which the dialog's fields do not take."""
    if broken := next((text for text in texts if "\n" in text or "\t" in text), None):
        raise ActionRefused(f"{broken!r} has a line break or tab, which the dialog does not take", fix="leave it out")


async def replace(desktop: Desktop, window: TargetInfo, pairs: Sequence[tuple[str, str]], steps: Steps) -> None:
    """Replace texts everywhere, all at once, by way of marks where there are several."""
    marks = [chr(_FIRST_MARK + number) for number in range(len(pairs))]
    away = sorted(((old, mark) for (old, _), mark in zip(pairs, marks, strict=True)), key=lambda pair: -len(pair[0]))
    back = [(mark, new) for mark, (_, new) in zip(marks, pairs, strict=True)]
    async with dialog(desktop, window, _REPLACE) as opened:
        await _set_options(opened)
        for old, new in pairs if len(pairs) == 1 else (*away, *back):
            steps.count += await replace_all(opened, window, old, new)


async def _set_options(opened: Dialog) -> None:
    """Raises: ElementNotFound, ActionRefused."""
    more = opened.control(Role.BUTTON, "Other options")
    if "expanded" not in more.states:
        await opened.desktop.do_action(more)
        await opened.desktop.settle(opened.window, deadline_s=_EXPANDS_S)
        await opened.look()
    boxes = [box for box in opened.all(Role.CHECKBOX) if comparable_name(box.name) not in _CHECKED]
    for box in boxes:
        await opened.check(box, on=False)
    await opened.look()
    for name in _CHECKED - {"All sheets"}:
        await opened.check(opened.control(Role.CHECKBOX, name), on=True)
    for box in opened.all(Role.CHECKBOX):
        if comparable_name(box.name) == "All sheets":
            await opened.check(box, on=True)
    formats = [c for c in opened.all(Role.BUTTON) if c.name == "No Format" and "enabled" in c.states]
    for button in formats:
        await opened.desktop.do_action(button)


async def replace_all(opened: Dialog, window: TargetInfo, old: str, new: str) -> bool:
    """True if it replaced anything: Writer reports a number in the dialog, Calc opens a list of the cells."""
    desktop = opened.desktop
    await opened.enter(opened.control(Role.TEXTBOX, "Find"), old)
    await opened.enter(opened.control(Role.TEXTBOX, "Replace"), new)
    before = {each.handle for each in await desktop.windows()}
    await opened.press("Replace All")
    await desktop.settle(opened.window)
    lists = await opened_over(desktop, window, before)
    for results in lists:
        await desktop.ask_to_close(results)
        await is_closed(desktop, results, deadline_s=_CLOSES_S)
    await opened.look()
    reported = [c.name or c.value for c in opened.seen.controls if c.type in _LAID_OUT]
    return bool(lists) or any(character.isdigit() for text in reported for character in text)


async def insert_table(desktop: Desktop, window: TargetInfo, rows: Sequence[Sequence[str]], steps: Steps) -> str:
    """Insert a table of texts at the caret; its name."""
    async with dialog(desktop, window, _INSERT) as opened:
        named = opened.control(Role.TEXTBOX, "Name")
        name = await desktop.read_text(named)
        for field, number in (("Columns", len(rows[0])), ("Rows", len(rows))):
            spin = opened.control(Role.SPINBUTTON, field)
            await opened.enter(spin, str(number))
            await desktop.focus(spin)
        await desktop.focus(named)  # a number counts once its field is left
        await opened.check(opened.control(Role.CHECKBOX, "Heading"), on=False)
        await opened.confirm()
    steps.count += 1
    await _fill(desktop, window, [text for row in rows for text in row], steps)
    return name


async def go_behind(desktop: Desktop, window: TargetInfo, text: str, *, to_next: bool) -> None:
    """Put the caret behind the paragraph with a text: at the beginning of the next one, or at its own end."""
    async with dialog(desktop, window, _REPLACE) as opened:
        await _set_options(opened)
        await opened.enter(opened.control(Role.TEXTBOX, "Find"), text)
        await opened.press("Find Next")
        await desktop.settle(opened.window)
    await desktop.activate(window)
    await desktop.press([_UNSELECT])
    await desktop.settle(window)
    if to_next:
        await desktop.press([_TO_NEXT_PARAGRAPH])
        await desktop.settle(window)
        return
    paragraph = await _paragraph_of_caret(desktop, window)
    if paragraph is None:
        raise ActionRefused(f"the paragraph with {text!r} did not get the caret", fix="click into it, leave after out")
    end = (await desktop.caret(paragraph)).length
    await desktop.put_caret(paragraph, end, end)


async def _paragraph_of_caret(desktop: Desktop, window: TargetInfo) -> TargetInfo | None:
    seen = await desktop.observe(window, picture=False)
    focused = (c for c in seen.controls if c.type in _PARAGRAPHS and "focused" in c.states)
    return next(focused, None)


async def _fill(desktop: Desktop, window: TargetInfo, texts: Sequence[str], steps: Steps) -> None:
    """Write texts into the cells of a table, from the one with the caret on. Raises: ActionRefused."""
    await desktop.activate(window)
    passed: set[str] = set()

    async def next_cell() -> TargetInfo | None:
        cell = await _paragraph_of_caret(desktop, window)
        return cell if cell is not None and cell.handle not in passed and not cell.value else None

    for place, text in enumerate(texts):
        if place:
            await desktop.press([Chord("tab")])
        cell = await desktop.wait_until(next_cell, deadline_s=_MOVES_S)
        if cell is None:
            raise ActionRefused(f"cell {place + 1} of the new table did not get the caret", fix="try it again")
        passed.add(cell.handle)
        if text:
            await desktop.set_text(cell, text)
            steps.count += 1
