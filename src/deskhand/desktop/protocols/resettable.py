"""Desktops that can become clean again."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Resettable(Protocol):
    """A desktop that may return to the state in which it was started; not every backend can."""

    async def reset(self) -> None:
        """End all programs of the desktop, restore its home folder and its input, and return when no window is left.

        Programs that do not end when they are asked are killed. Clipboard and selections are empty then, no key or
        button is down, no lock is on, the pointer is in the middle of the screen.
        Raises: UsageError (another process started the desktop), ResetFailed, DesktopBusy, DesktopGone.
        """
        ...
