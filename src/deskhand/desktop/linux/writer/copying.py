"""A table by way of the clipboard: exact whatever its shape, but the clipboard's content and the selection are lost."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from deskhand.core.errors import ActionRefused
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.roles import MANAGES_DESCENDANTS, MENU_BAR
from deskhand.desktop.linux.writer.asking import Asker, Incomplete
from deskhand.desktop.linux.writer.grid import rows_of
from deskhand.desktop.linux.writer.pieces import set_caret
from deskhand.desktop.linux.x11.clipboard import read_clipboard
from deskhand.desktop.linux.x11.ownership import clipboard_taken

_FRAME: Final = 23
_DEPTH: Final = 12
_BAR_DEPTH: Final = 6
_COPY_S: Final = 3.0

Settle: TypeAlias = Callable[[str], Awaitable[bool]]
"""Waits until the application of a bus name is quiet; False where it was not in time."""


class TableCopier:
    """Copies tables of the documents on one display, by the (English) menus of their windows."""

    def __init__(self, display: str, settle: Settle) -> None:
        self._display = display
        self._settle = settle

    async def rows(self, asker: Asker, document: Ref, paragraphs: Sequence[Ref]) -> tuple[tuple[str, ...], ...]:
        """The table with these paragraphs (not those of tables inside). The keyboard stays with the document.

        Raises: Incomplete, ActionRefused (the menus are not there), ApplicationGone, DesktopGone.
        """
        bar = await _menu_bar(asker, document)
        select = await _menu_item(asker, bar, "Table", "Select", "Table")
        copy = await _menu_item(asker, bar, "Edit", "Copy")
        # LibreOffice 7.4 dies where a table is selected whose merged cells it has not laid out yet: both ends are shown
        # first. The last end is in view before, so that the references to the first one live.
        for paragraph in (paragraphs[-1], paragraphs[0]):
            if not calls.true_in((await asker.ask([set_caret(paragraph, 0)]))[0]):
                raise Incomplete("the caret could not be put into the table")
            if not await self._settle(paragraph.bus):
                raise Incomplete("the application is busy")

        async def act() -> None:
            for item in (select, copy):
                if not calls.true_in((await asker.ask([item.call(calls.ACTION, "DoAction", "i", 0)]))[0]):
                    raise Incomplete("a menu refused")

        taken = await clipboard_taken(self._display, act, min(_COPY_S, asker.left_s))
        await asker.ask_leniently(
            [paragraphs[0].call(calls.COMPONENT, "GrabFocus")]
        )  # else the menu keeps the keyboard
        if not taken:
            raise Incomplete("nothing was copied")
        html = await read_clipboard(self._display, "text/html", min(_COPY_S, asker.left_s))
        plain = await read_clipboard(self._display, "text/plain;charset=utf-8", min(_COPY_S, asker.left_s))
        rows = rows_of(html.decode(errors="replace"), plain.decode(errors="replace"))
        if rows is None:
            raise Incomplete("the copied table's two forms do not agree")
        return rows


async def _menu_bar(asker: Asker, document: Ref) -> Ref:
    """The living menu bar of the window that a document is shown in."""
    frame: Ref | None = document
    for _ in range(_DEPTH):
        frame = await asker.parent(frame) if frame else None
        if frame is None or await asker.role(frame) == _FRAME:
            break
    level = [frame] if frame else []
    for _ in range(_BAR_DEPTH):
        roles = await asker.ask([calls.get_role(ref) for ref in level])
        bars = [ref for ref, role in zip(level, roles, strict=True) if calls.int_in(role) == MENU_BAR]
        places = await asker.ask([calls.get_extents(bar) for bar in bars])
        for bar, place in zip(bars, places, strict=True):
            if not calls.rect_in(place).empty:  # LibreOffice has a second, dead one
                return bar
        states = await asker.ask([calls.get_state(ref) for ref in level])
        small = [ref for ref, bits in zip(level, states, strict=True) if not calls.bits_in(bits) & MANAGES_DESCENDANTS]
        replies = await asker.ask([calls.get_children(ref) for ref in small if ref not in bars])
        level = [child for reply in replies for child in calls.refs_in(reply)]
    raise _without("a menu bar")


async def _menu_item(asker: Asker, bar: Ref, *path: str) -> Ref:
    at = bar
    for wanted in path:
        children = await asker.children(at)
        names = [calls.text_in(reply) for reply in await asker.ask([calls.get_name(child) for child in children])]
        found = [child for child, name in zip(children, names, strict=True) if name == wanted]
        if not found:
            raise _without(f"the menu entry {' > '.join(path)}")
        at = found[0]
    return at


def _without(what: str) -> ActionRefused:
    return ActionRefused(
        f"The table must be copied to be read exactly, and its window has no {what.removeprefix('a ')}.",
        fix="Use the standard interface in English, or split the table's merged cells.",
    )
