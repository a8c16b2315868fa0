"""The clipboard."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from deskhand.desktop.windows import clipboard
from deskhand.desktop.windows.base import Base


class ClipboardMethods(Base):
    """The protocol `Clipboard`. The system does not report who reads it."""

    async def offer_clipboard(self, formats: Mapping[str, bytes]) -> None:
        offer = partial(clipboard.offer, dict(formats))
        if not formats:
            await self._worker.run(offer)
            return
        async with self._alone():
            await self._worker.run(offer)

    async def clipboard_fetches(self) -> int:
        """Return 0: the system holds the content, and no program has to ask for it."""
        return 0

    async def clipboard_taken(self, act: Callable[[], Awaitable[None]], *, deadline_s: float) -> bool:
        before = await self._worker.run(clipboard.number)
        await act()

        async def is_taken() -> bool:
            return await self._worker.run(clipboard.number) != before

        return bool(await self.wait_until(is_taken, deadline_s=deadline_s))

    async def whole_clipboard(self, *, most_bytes: int, deadline_s: float = 1.0) -> Mapping[str, bytes] | None:
        found = await self._worker.run(clipboard.read_all, deadline_s=deadline_s)
        return found if sum(map(len, found.values())) <= most_bytes else None

    async def read_clipboard(self, target: str = clipboard.TEXT, *, deadline_s: float = 2.0) -> bytes | None:
        return await self._worker.run(partial(clipboard.read, target), deadline_s=deadline_s)
