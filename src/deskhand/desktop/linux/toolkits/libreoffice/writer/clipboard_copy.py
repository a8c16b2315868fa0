"""Tables copied through the clipboard: exact in any shape, but the selection is lost.

The former content of the clipboard is restored, and lasts while the desktop is open.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import ActionRefused, NotInFront
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.roles import ACTIVE, ENABLED, FOCUSED, MANAGES_DESCENDANTS, MENU_BAR
from deskhand.desktop.linux.display_server import Clipboard
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_grid import rows_of
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Asker, Incomplete
from deskhand.desktop.linux.toolkits.libreoffice.writer.table_pieces import set_caret
from deskhand.desktop.notifier import Pulse

_FRAME: Final = 23
_DEPTH: Final = 12
_BAR_DEPTH: Final = 6
_COPY_S: Final = 3.0
_MOST_KEPT: Final = 16_000_000
_TAKES_S: Final = 0.3
"""A menu that acted takes the keyboard with a delay."""
_LEAVES_S: Final = 1.0
_TRIES: Final = 2
_FRONT_S: Final = 0.3
"""A window reports with a delay that it came to the front."""
_USABLE_S: Final = 2.0
"""Closed menus learn with a delay what can be done now: 0.3 s, and 1 s after the document was opened."""


async def _no_keyboard() -> None:
    raise Incomplete("there is no keyboard to leave the menu bar with")


class TableCopier:
    """Copies tables of the documents on one display, by the (English) menus of their windows.

    `escape` presses the Escape key.
    """

    def __init__(
        self, clipboard: Clipboard, pulse: Pulse, escape: Callable[[], Awaitable[None]] = _no_keyboard
    ) -> None:
        self._clipboard = clipboard
        self._pulse = pulse
        self._escape = escape

    async def rows(self, asker: Asker, document: Ref, paragraph: Ref) -> tuple[tuple[str, ...], ...]:
        """Copy the innermost table around a paragraph. The document keeps the focus, the caret moves.

        The table must not be one that `ends_with_a_cell` denies: LibreOffice 7.4 dies of selecting it.
        Raises: Incomplete, NotInFront, ActionRefused (the menus are not there, or what is on the clipboard could not be
        put back), ApplicationGone, DesktopGone.
        """
        frame, bar = await _menu_bar(asker, document)
        if not await self._pulse.until(lambda: self._is_active(asker, frame), min(_FRONT_S, asker.left_s)):
            raise NotInFront(
                "The table must be copied to be read exactly, and its window is not in front.",
                fix="Bring its window to the front, then read the table again.",
            )
        select = await _menu_item(asker, bar, "Table", "Select", "Table")
        copy = await _menu_item(asker, bar, "Edit", "Copy")
        kept = await self._clipboard.read_all(_MOST_KEPT, min(_COPY_S, asker.left_s))
        if kept is None:
            raise ActionRefused(
                "The table must be copied to be read exactly, and what is on the clipboard could not be put back: it "
                "is large, or its program does not tell it.",
                fix="Put a short text on the clipboard first.",
            )
        if not calls.true_in((await asker.ask([set_caret(paragraph, 0)]))[0]):
            raise Incomplete("the caret could not be put into the table")

        await self._until_usable(asker, select)
        try:
            await _do(asker, select)
            await self._until_usable(asker, copy)
            return await self._copied(asker, copy)
        finally:
            with anyio.CancelScope(shield=True):
                await self._leave_menus(asker, bar)
                await self._put_back(kept)

    async def _is_active(self, asker: Asker, frame: Ref) -> bool | None:
        return True if calls.bits_in((await asker.ask([calls.get_state(frame)]))[0]) & ACTIVE else None

    async def _leave_menus(self, asker: Asker, bar: Ref) -> None:
        """Give the keyboard back to the document: a menu that acted keeps it, though its document reports the focus.

        Raises: ApplicationGone, DesktopGone.
        """
        # upstream: not reported
        # seen in: 7.4.7
        asked = Asker(asker.transport, monotonic() + _TAKES_S + _TRIES * _LEAVES_S)

        async def has_keyboard() -> bool:
            menus = calls.refs_in((await asked.ask_leniently([calls.get_children(bar)]))[0])
            states = await asked.ask_leniently([calls.get_state(each) for each in (bar, *menus)])
            return any(calls.bits_in(state) & FOCUSED for state in states)

        async def left() -> bool:
            return not await has_keyboard()

        if not await self._pulse.until(has_keyboard, _TAKES_S):
            return
        for _ in range(_TRIES):
            await self._escape()
            if await self._pulse.until(left, _LEAVES_S):
                return

    async def _copied(self, asker: Asker, copy: Ref) -> tuple[tuple[str, ...], ...]:
        """Return the selected table from the clipboard. Raises: as `rows`."""
        taken = await self._clipboard.taken(partial(_do, asker, copy), min(_COPY_S, asker.left_s))
        if not taken:
            raise Incomplete("nothing was copied")
        html = await self._clipboard.read("text/html", min(_COPY_S, asker.left_s))
        plain = await self._clipboard.read("text/plain;charset=utf-8", min(_COPY_S, asker.left_s))
        if html is None or plain is None:
            raise Incomplete("what was copied did not come in time")
        rows = rows_of(html.decode(errors="replace"), plain.decode(errors="replace"))
        if rows is None:
            raise Incomplete("the copied table's two forms do not agree")
        return rows

    async def _put_back(self, kept: Mapping[str, bytes]) -> None:
        """Nothing is on it where nothing was: what we own we let go of. Raises: DesktopGone."""
        await self._clipboard.offer(kept or {"UTF8_STRING": b""})
        if not kept:
            await self._clipboard.offer({})

    async def _until_usable(self, asker: Asker, item: Ref) -> None:
        """Waits for an entry that is greyed out, but not for ever: not every version (7.4) refuses to do it then."""

        async def usable() -> bool | None:
            state = calls.bits_in((await asker.ask([calls.get_state(item)]))[0])
            return True if state & ENABLED == ENABLED else None

        await self._pulse.until(usable, min(_USABLE_S, asker.left_s))


async def _do(asker: Asker, item: Ref) -> None:
    if not calls.true_in((await asker.ask([item.call(calls.ACTION, "DoAction", "i", 0)]))[0]):
        raise Incomplete("a menu refused")


async def _menu_bar(asker: Asker, document: Ref) -> tuple[Ref, Ref]:
    """Return a document's frame and the menu bar that LibreOffice draws, whose closed menus perform actions.

    The one of GTK is deeper, and its menus are empty until they are opened.
    """
    frame: Ref | None = document
    for _ in range(_DEPTH):
        frame = await asker.parent(frame) if frame else None
        if frame is None or await asker.role(frame) == _FRAME:
            break
    level = [frame] if frame else []
    for _ in range(_BAR_DEPTH):
        roles = await asker.ask([calls.get_role(ref) for ref in level])
        bars = [ref for ref, role in zip(level, roles, strict=True) if calls.int_in(role) == MENU_BAR]
        if frame and bars:
            return frame, bars[0]
        states = await asker.ask([calls.get_state(ref) for ref in level])
        small = [ref for ref, bits in zip(level, states, strict=True) if not calls.bits_in(bits) & MANAGES_DESCENDANTS]
        replies = await asker.ask([calls.get_children(ref) for ref in small])
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
