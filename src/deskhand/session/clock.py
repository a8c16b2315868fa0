"""The machine's own time."""

import time


class SystemClock:
    """Implements `core.ports.Clock`."""

    def monotonic(self) -> float:
        return time.monotonic()

    def now(self) -> float:
        return time.time()
