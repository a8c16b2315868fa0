"""The system clock."""

import time


class SystemClock:
    """Implements `core.ports.Clock`."""

    def monotonic(self) -> float:
        return time.monotonic()

    def now(self) -> float:
        return time.time()
