"""The signals that stop this program."""

import signal
from typing import Final

STOPS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heeded_stops() -> tuple[signal.Signals, ...]:
    """Return those that are heeded: a hangup that is ignored stays so, as `nohup` wants it.

    An interrupt is heeded even if a shell started this program in the background, where it is ignored.
    """
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return tuple(number for number in STOPS if number is not signal.SIGHUP or not ignored)
