"""The clipboard."""

from collections.abc import Mapping
from typing import Protocol


class Clipboard(Protocol):
    """The clipboard of the desktop."""

    async def offer_clipboard(self, formats: Mapping[str, bytes]) -> None:
        """Owns the clipboard with these contents (target name → bytes) until replaced or closed; lets go without, also
        while a person acts or another action runs.
        """
        ...

    async def clipboard_fetches(self) -> int:
        """How often some program took what was offered last; forms that are only listed do not count."""
        ...

    async def whole_clipboard(self, *, most_bytes: int, deadline_s: float = 1.0) -> Mapping[str, bytes] | None:
        """All forms of what is on the clipboard, empty for nothing; None where it is more, or takes longer."""
        ...

    async def read_clipboard(self, target: str = "UTF8_STRING", *, deadline_s: float = 2.0) -> bytes | None:
        """The clipboard's content in one form; empty where nobody owns it or the form is not offered, None where its
        owner does not give it in time.

        Raises: ActionRefused where it is too large to be read.
        """
        ...
