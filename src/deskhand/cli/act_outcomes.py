"""Exit codes and words that `act` has for one action and for several."""

from typing import Final

from deskhand.core.errors import EXIT_CANCELLED, ErrorInfo

REJECTED: Final = 3
CODES: Final = {"NotAllowed": REJECTED, "Cancelled": EXIT_CANCELLED, "StoppedByPerson": EXIT_CANCELLED}
"""Type of an error → exit code; any other is a failure."""
APPROVE: Final = "approve it at a terminal, or with --confirm FILE, where FILE has the line confirmations: [approve]"
CANCELLED: Final = ErrorInfo("Cancelled", "cancelled by the user")
