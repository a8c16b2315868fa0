"""Dialogs of LibreOffice: opened by keys or a menu, filled, confirmed, and never left open.

Their controls are known by the English names of LibreOffice 7.4. Where one is missing nothing is confirmed.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final

import anyio

from deskhand.commands.effects.message_box import text_of
from deskhand.commands.waiting import wait_for_program
from deskhand.commands.window_lookup import belongs
from deskhand.core.errors import ActionRefused, ApplicationUnresponsive, ElementNotFound
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_OPENS_S: Final = 10.0
_CLOSES_S: Final = 15.0
_MENU_S: Final = 5.0
_SET_S: Final = 2.0
_LEFT_S: Final = 4.0
_BY_HAND: Final = "do it with the menus and keys, or let the setting application_interface be on"
_FEW: Final = 12
"""Controls of a message; dialogs have more."""
_ENTRIES: Final = frozenset({Role.MENU, Role.MENUITEM})
_ESCAPE: Final = Chord("esc")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to open a dialog: a key, else the entries of menus; `title`: the dialog in messages."""

    title: str
    key: Chord | None = None
    menu: tuple[str, ...] = ()


@dataclass(slots=True)
class Dialog:
    """An open dialog; `seen` as it was observed last."""

    desktop: Desktop
    window: TargetInfo
    title: str
    seen: Observation
    defaults: list[TargetInfo] = field(init=False)

    def __post_init__(self) -> None:
        self.defaults = [button for button in self.all(Role.BUTTON) if "default" in button.states]

    async def look(self) -> None:
        self.seen = await self.desktop.observe(self.window, picture=False)

    def control(self, role: Role, name: str, *, inside: TargetInfo | None = None) -> TargetInfo:
        """Raises: ElementNotFound, which names the dialog."""
        among = self.seen.inside_of(inside) if inside else self.seen.controls
        found = [c for c in among if c.type is role and comparable_name(c.name).rstrip(":") == name]
        if len(found) != 1:
            raise self._missing(f"{len(found) or 'no'} {role} {name!r}")
        return found[0]

    def all(self, role: Role) -> list[TargetInfo]:
        return [control for control in self.seen.controls if control.type is role]

    async def _now(self, control: TargetInfo) -> TargetInfo:
        return await self.desktop.resolve(replace(control, fingerprint=None))

    def _missing(self, what: str) -> ElementNotFound:
        if len(self.seen.controls) <= _FEW:
            shown = " ".join(control.name for control in self.all(Role.LABEL))
            return ElementNotFound(f"in place of the dialog {self.title} there was a message: {shown}", fix=_BY_HAND)
        return ElementNotFound(
            f"the dialog {self.title} ({self.window.describe}) has {what}: it is of another version or language",
            fix=_BY_HAND,
        )

    async def check(self, box: TargetInfo, *, on: bool) -> None:
        """Check or uncheck a box, or check a radio button. Raises: ActionRefused if it does not take it."""

        async def taken() -> bool | None:
            return True if ("checked" in (await self._now(box)).states) is on else None

        if await taken():
            return
        await self.desktop.do_action(box)
        if not await wait_for_program(self.desktop, self.window, taken, deadline_s=_SET_S):
            raise ActionRefused(f"{box.describe} of the dialog {self.title} cannot be changed", fix=_BY_HAND)

    async def enter(self, field: TargetInfo, text: str) -> None:
        """Raises: ActionRefused if the field does not take the text."""
        await self.desktop.set_text(field, text)
        read = await self.desktop.read_text(field)
        if read != text:
            raise ActionRefused(
                f"{field.describe} of the dialog {self.title} reads {read!r}, not {text!r}", fix=_BY_HAND
            )

    async def press(self, name: str) -> None:
        """Press a button once it can be pressed. Raises: ElementNotFound, ActionRefused."""
        button = self.control(Role.BUTTON, name)

        async def usable() -> TargetInfo | None:
            now = await self._now(button)
            return now if "enabled" in now.states else None

        ready = await wait_for_program(self.desktop, self.window, usable, deadline_s=_SET_S)
        if ready is None:
            raise ActionRefused(f"{button.describe} of the dialog {self.title} is disabled", fix=_BY_HAND)
        await self.desktop.do_action(ready)

    async def confirm(self) -> None:
        """Press the button that was the default one at first, and wait until it is gone. Raises: ActionRefused."""
        if len(self.defaults) != 1:
            raise self._missing(f"{len(self.defaults) or 'no'} default button")
        await self.desktop.do_action(self.defaults[0])
        if not await is_closed(self.desktop, self.window, deadline_s=_CLOSES_S):
            raise ActionRefused(f"the dialog {self.title} did not close when it was confirmed", fix=_BY_HAND)


@asynccontextmanager
async def dialog(desktop: Desktop, root: TargetInfo, way: Way) -> AsyncGenerator[Dialog]:
    """Open a dialog of a window; afterwards it, and all that it opened, is closed.

    Raises: ElementNotFound if it does not open; ActionRefused if it, or a message, stays open, with its text.
    """
    before = {window.handle for window in await desktop.windows()}
    try:
        window = await _open(desktop, root, way, before)
        await desktop.settle(window)
        yield Dialog(desktop, window, way.title, await desktop.observe(window, picture=False))
    except BaseException:
        with anyio.move_on_after(_LEFT_S, shield=True):
            await _leave(desktop, root, before)
        raise
    await _leave(desktop, root, before)


async def _open(desktop: Desktop, root: TargetInfo, way: Way, before: set[str]) -> TargetInfo:
    await desktop.activate(root)
    if way.key is not None:
        await desktop.press([way.key])
    else:
        await choose_in_menu(desktop, root, way.menu)

    async def opened() -> TargetInfo | None:
        return next(iter(await opened_over(desktop, root, before)), None)

    found = await wait_for_program(desktop, root, opened, deadline_s=_OPENS_S)
    if found is None:
        raise ElementNotFound(f"the dialog {way.title} did not open over {root.describe}", fix=_BY_HAND)
    return found


async def next_dialog(opened: Dialog, root: TargetInfo, known: set[str]) -> Dialog:
    """The dialog that follows an open one; `known`: handles of the windows before. Raises: ElementNotFound."""
    desktop = opened.desktop

    async def following() -> TargetInfo | None:
        return next(iter(await opened_over(desktop, root, known)), None)

    window = await wait_for_program(desktop, root, following, deadline_s=_OPENS_S)
    if window is None:
        raise ElementNotFound(f"no dialog followed the one for {opened.title}", fix=_BY_HAND)
    await desktop.settle(window)
    return Dialog(desktop, window, opened.title, await desktop.observe(window, picture=False))


async def choose_in_menu(desktop: Desktop, root: TargetInfo, names: Sequence[str]) -> None:
    """Choose an entry of a menu by the names on the way to it.

    Raises: ElementNotFound, ApplicationUnresponsive, both with the menus closed.
    """
    for depth, name in enumerate(names):

        async def offered(name: str = name) -> TargetInfo | None:
            seen = await desktop.observe(root, picture=False)
            found = [c for c in seen.controls if c.type in _ENTRIES and comparable_name(c.name) == name]
            return found[0] if found else None

        try:
            entry = await wait_for_program(desktop, root, offered, deadline_s=_MENU_S)
        except ApplicationUnresponsive:
            await desktop.press([_ESCAPE] * depth)
            raise
        if entry is None or "enabled" not in entry.states:
            await desktop.press([_ESCAPE] * depth)
            state = "no" if entry is None else "a disabled"
            raise ElementNotFound(
                f"{root.describe} has {state} menu entry {' > '.join(names)}"
                + (": it is of another version or language" if entry is None else ""),
                fix=_BY_HAND,
            )
        await desktop.do_action(entry)


async def opened_over(desktop: Desktop, root: TargetInfo, before: set[str]) -> list[TargetInfo]:
    """The dialogs of a window that opened since, front first."""
    windows = await desktop.windows()
    new = (window for window in windows if window.handle not in before and window.type is Role.DIALOG)
    return [window for window in new if belongs(window, root, windows)]


async def is_closed(desktop: Desktop, window: TargetInfo, *, deadline_s: float) -> bool:
    """True once a window is gone; within a timeout."""

    async def gone() -> bool | None:
        return True if all(each.handle != window.handle for each in await desktop.windows()) else None

    return bool(await wait_for_program(desktop, window, gone, deadline_s=deadline_s))


async def _leave(desktop: Desktop, root: TargetInfo, before: set[str]) -> None:
    """Close what is still open. Raises: ActionRefused with its text if it stays."""
    while over := await opened_over(desktop, root, before):
        if not await desktop.ask_to_close(over[0]):
            raise ActionRefused(f"it stays open: {await text_of(desktop, over[0])}", fix="answer or close it")
