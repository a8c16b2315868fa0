"""The timer of the process, whose signal interrupts blocking calls of the main thread. Windows has none."""

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], None]

if sys.platform == "win32":

    def set_alarm(handler: Handler, after_s: float, every_s: float) -> None:
        """Do nothing: a console's interrupt reaches a blocked main thread by itself."""

    def handle_alarm(handler: Handler) -> None:
        """Do nothing."""

    def is_handled_by(handler: Handler) -> bool:  # noqa: ARG001 - as on other systems
        """Return False."""
        return False

    def stop_alarm() -> None:
        """Do nothing."""

else:

    def set_alarm(handler: Handler, after_s: float, every_s: float) -> None:
        """Have the signal handled by `handler`, first after `after_s`, then every `every_s` seconds."""
        # Timer first: an alarm pending from before must not be taken for the end of that wait.
        signal.setitimer(signal.ITIMER_REAL, after_s, every_s)
        signal.signal(signal.SIGALRM, handler)

    def handle_alarm(handler: Handler) -> None:
        """Have the signal handled by `handler` from now on; the timer goes on."""
        signal.signal(signal.SIGALRM, handler)

    def is_handled_by(handler: Handler) -> bool:
        """Return True if `handler` handles the signal."""
        return signal.getsignal(signal.SIGALRM) is handler

    def stop_alarm() -> None:
        """Stop the timer."""
        signal.setitimer(signal.ITIMER_REAL, 0)
