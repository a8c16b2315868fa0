"""One connection to the X server, and the thread that its blocking calls run on."""

from collections.abc import Callable
from typing import Final, Self, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import checkpoint_if_cancelled
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError
from Xlib.xobject.drawable import Window

from deskhand.core.errors import DesktopGone

T = TypeVar("T")

_CALL_DEADLINE_S: Final = 5.0


class XConnection:
    """A display connection. Its calls run one after the other, in a thread, never in the event loop."""

    def __init__(self, name: str, display: Display) -> None:
        self.name = name
        self.display = display
        self.root: Window = display.screen().root
        self._limiter = CapacityLimiter(1)
        self._broken = False

    @classmethod
    async def open(cls, name: str) -> Self:
        """Raises: DesktopGone."""
        return cls(name, await to_thread.run_sync(open_display, name))

    async def run(self, work: Callable[[], T], *, deadline_s: float = _CALL_DEADLINE_S) -> T:
        """The result of `work`, run in the thread. Not cancelled half way: a key that went down comes up again.

        Raises: DesktopGone where the server is gone or does not answer, and what `work` raises.
        """
        if self._broken:
            raise _gone(self.name)
        await checkpoint_if_cancelled()
        try:
            with anyio.fail_after(deadline_s, shield=True):
                return await to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        except (ConnectionClosedError, OSError) as error:  # TimeoutError is an OSError
            self._broken = True
            raise _gone(self.name) from error

    async def close(self) -> None:
        """Closes the connection; nothing happens where it is gone already."""
        if not self._broken:
            self._broken = True
            with anyio.move_on_after(_CALL_DEADLINE_S, shield=True):
                await to_thread.run_sync(close_display, self.display, abandon_on_cancel=True)


def open_display(name: str) -> Display:
    """Raises: DesktopGone."""
    try:
        return Display(name)
    except (DisplayError, OSError) as error:
        raise DesktopGone(f"The display {name} cannot be opened: {error}", fix="Start the desktop again.") from error


def close_display(display: Display) -> None:
    """Closes a connection, also one that broke before."""
    try:
        display.close()
    except (ConnectionClosedError, OSError):
        return


def _gone(name: str) -> DesktopGone:
    return DesktopGone(f"The X server of display {name} is gone or does not answer.", fix="Start the desktop again.")
