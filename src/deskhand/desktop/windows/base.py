"""State that the methods of all protocols share: one action at a time, and the changes that were noticed."""

import math
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, TypeVar

import anyio

from deskhand.core.errors import DeskhandError, DesktopBusy, DesktopGone
from deskhand.core.target import TargetInfo
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.windows import Activity
from deskhand.desktop.user_guard import Guard
from deskhand.desktop.windows.controls import Controls
from deskhand.desktop.windows.reader import Listing, list_windows
from deskhand.desktop.windows.win32.failures import Failure
from deskhand.desktop.windows.worker import Worker

T = TypeVar("T")
_ASK_AGAIN_S: Final = 0.02
"""The system reports no change of a window's content in a way that all programs share: it is read again."""
_CALM_S: Final = 0.3
NAME: Final = "windows"


@dataclass(frozen=True, slots=True)
class Sample:
    """The look of the desktop and of one window at one moment, as numbers to compare. `answers`: its program does."""

    windows: int
    content: int = 0
    pixels: int = 0
    answers: bool = True
    there: bool = True


@dataclass(slots=True)
class Changes:
    """Changes between samples, as counters."""

    total: int = 0
    reports: int = 0
    at_s: float = field(default_factory=monotonic)
    last: dict[str, Sample] = field(default_factory=dict[str, Sample])

    def note(self, handle: str, sample: Sample) -> bool:
        """Count what differs from the last sample of a window; return whether anything does."""
        before, self.last[handle] = self.last.get(handle), sample
        if before == sample:
            return False
        self.at_s = monotonic()
        self.total += 1
        self.reports += before is None or (before.windows, before.content) != (sample.windows, sample.content)
        return True


class Base:
    """The user's own desktop of Windows, as far as all methods share it."""

    def __init__(self) -> None:
        self.guard = Guard()
        self.reads_pictures = True
        self._worker = Worker()
        self.controls = Controls()
        self._changes = Changes()
        self._pulse = Pulse()
        self._acting = False
        self._acted_at_s = -math.inf
        self._closed = False

    @property
    def name(self) -> str:
        return NAME

    def _require_open(self) -> None:
        if self._closed:
            raise DesktopGone(f"the desktop {NAME} is closed", fix="open it again")

    @asynccontextmanager
    async def _alone(self) -> AsyncGenerator[None]:
        """Raises: PersonActs, DesktopBusy, DesktopGone."""
        self._require_open()
        self.guard.check()
        if self._acting:
            raise DesktopBusy(f"another action runs on {NAME}", fix="wait until it has ended")
        self._acting = True
        try:
            yield
        finally:
            self._acting = False
            self.controls.forget_menus()
            self._acted_at_s = monotonic()
            self._pulse.beat()

    async def _listing(self) -> Listing:
        self._require_open()
        return await self._worker.run(list_windows)

    async def _sample(self, window: TargetInfo | None, *, pixels: bool = False) -> bool:
        """Read the desktop and a window; return whether they changed since they were last read."""
        sample = await self._worker.run(lambda: _sampled(window, self.controls, pixels=pixels))
        return self._changes.note(window.handle if window else "", sample)

    async def activity(self, window: TargetInfo | None = None) -> Activity:
        """Changes between two calls count as one."""
        self._require_open()
        await self._sample(window)
        quiet_s = monotonic() - max(self._changes.at_s, self._acted_at_s)
        return Activity(
            changes=self._changes.total,
            reports=self._changes.reports,
            is_calm=quiet_s >= _CALM_S,
            acted_at_s=self._acted_at_s,
            quiet_s=max(0.0, quiet_s),
            restless=None,
        )

    async def wait_until(self, condition: Callable[[], Awaitable[T | None]], *, deadline_s: float) -> T | None:

        async def while_open() -> T | None:
            self._require_open()
            return await condition()

        return await self._pulse.until(while_open, deadline_s)


async def pause(seconds: float = _ASK_AGAIN_S) -> None:
    """Wait before the system is asked again."""
    await anyio.sleep(seconds)


def _sampled(window: TargetInfo | None, controls: Controls, *, pixels: bool) -> Sample:
    listing = list_windows()
    whole = hash(tuple((each.handle, each.name, each.rect, each.states) for each in listing.windows))
    whole ^= hash(tuple((each.hwnd, each.rect) for each in listing.popups))
    if window is None:
        return Sample(whole)
    if (now := listing.find(window.handle)) is None:
        return Sample(whole, there=False)
    picture = zlib.crc32(controls.picture(now.rect).pixels) if pixels else 0
    try:
        _, tree = controls.read(window.handle)
    except Failure:
        return Sample(whole, pixels=picture, answers=False)
    except DeskhandError:
        return Sample(whole, there=False)
    return Sample(whole, hash(tuple(tree.nodes)), picture)
