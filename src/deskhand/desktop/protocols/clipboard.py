"""The clipboard."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol


class Clipboard(Protocol):
    """The clipboard of the desktop."""

    async def offer_clipboard(self, formats: Mapping[str, bytes]) -> None:
        """Own the clipboard with these contents (target name → bytes) until replaced or closed; release it without any,
        also while the user acts or another action runs.
        """
        ...

    async def clipboard_fetches(self) -> int:
        """Return how often programs fetched the latest offer; a request for the list of forms does not count."""
        ...

    async def clipboard_taken(self, act: Callable[[], Awaitable[None]], *, deadline_s: float) -> bool:
        """Run `act`; True if an application takes the clipboard over before the deadline. Raises: errors of `act`."""
        ...

    async def whole_clipboard(self, *, most_bytes: int, deadline_s: float = 1.0) -> Mapping[str, bytes] | None:
        """Return all forms of the clipboard's content, empty for none; None where it is larger or takes longer."""
        ...

    async def read_clipboard(self, target: str = "UTF8_STRING", *, deadline_s: float = 2.0) -> bytes | None:
        """Return the clipboard's content in one form; empty without an owner or that form, None at the deadline.

        Raises: ActionRefused (it is too large).
        """
        ...
