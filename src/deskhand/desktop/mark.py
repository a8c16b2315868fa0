"""The mark of a private desktop, for programs that import little."""

from typing import Final

MARK: Final = "DESKHAND_DESKTOP_ID"
"""The variable that every process of a private desktop inherits; its value is unique to that desktop."""
