"""Pointer and keyboard of a viewed desktop: had by one person, or by the programs and agents on it."""

import os
from contextlib import AsyncExitStack
from typing import Protocol

from deskhand.desktop.protocols.live import LiveDesktop
from deskhand.session.running_sessions import announced


class Hands(Protocol):
    """Pointer and keyboard, as a view takes them for one of its viewers and hands them back."""

    async def take(self, who: str) -> None:
        """Have them for `who`. Raises: DeskhandError with a sentence for that person where they cannot be had."""
        ...

    async def hand_back(self, note: str) -> None:
        """Let others have them again. `note`: the person's own, or the reason why they are handed back."""
        ...

    async def leave(self) -> None:
        """The page of the person who has them is gone; nothing is pressed any more."""
        ...


class DesktopHands:
    """The input lock of a desktop: meanwhile `deskhand act` and sessions are refused, with the name of who has it."""

    def __init__(self, desktop: LiveDesktop) -> None:
        self._desktop = desktop
        self._held: AsyncExitStack | None = None

    async def take(self, who: str) -> None:
        """Raises: DesktopBusy, DesktopGone."""
        held = AsyncExitStack()
        await held.enter_async_context(self._desktop.hold(who))
        held.enter_context(announced(who, str(os.getpid()), self._desktop.name))
        self._held = held

    async def hand_back(self, note: str) -> None:  # noqa: ARG002 - nobody waits to be told
        held, self._held = self._held, None
        if held is not None:
            await held.aclose()

    async def leave(self) -> None:
        await self.hand_back("")
