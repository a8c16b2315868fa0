"""The signals that stop this program."""

import signal
import sys
from typing import Final

HANGUP: Final = signal.SIGBREAK if sys.platform == "win32" else signal.SIGHUP
"""Its terminal is gone."""
STOPS: Final = (signal.SIGINT, signal.SIGTERM, HANGUP)


def heeded_stops() -> tuple[signal.Signals, ...]:
    """Return those that are heeded: a hangup that is ignored stays so, as `nohup` wants it.

    An interrupt is heeded even if a shell started this program in the background, where it is ignored.
    """
    ignored = signal.getsignal(HANGUP) is signal.SIG_IGN
    return tuple(number for number in STOPS if number is not HANGUP or not ignored)
