"""Hand our command line to the resident server of its desktop, with our streams."""

import os
import sys
from collections.abc import Sequence

from deskhand.client.call import Call, ask, restore_signals, stop_by_signals
from deskhand.client.place import place_of
from deskhand.client.start import is_wanted, start

READS = frozenset({"windows", "observe", "verify", "screenshot"})
SERVED = READS | {"act", "launch"}
_OWN_OPTIONS = frozenset({"--help", "--config", "--http"})
"""Options of commands that are not forwarded: one prints the help, one reads settings that the server does not have,
one serves other machines.
"""


class ServerLost(Exception):
    """The server ended in the middle of a command that may have changed something."""


def forward(arguments: Sequence[str]) -> int | None:
    """Return the exit code of a command line that a server carried out; None where it is for this process.

    Where there is no server, one is started for the next command. Raises: ServerLost.
    """
    verb = next((argument for argument in arguments if not argument.startswith("-")), "")
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if not _is_forwarded(verb, own):
        return None
    place = place_of(arguments, os.environ)
    if place is None or place.has_home(os.environ):
        return None
    if verb == "mcp":
        from deskhand.client.mcp_relay import relay  # noqa: PLC0415 - other commands do without

        return relay(arguments)
    call = ask(place, arguments)
    if isinstance(call, Call):
        return _carried_out(call, rerun=verb in READS and "--watch" not in own)
    if call is None:
        start(place)
    else:
        sys.stderr.write(f"deskhand: {call}: done without it\n")
    return None


def _is_forwarded(verb: str, own: Sequence[str]) -> bool:
    if verb not in SERVED | {"mcp"} or not is_wanted(os.environ):
        return False
    return _has_streams() and not any(argument.partition("=")[0] in _OWN_OPTIONS for argument in own)


def _has_streams() -> bool:
    """False where one of our streams is closed."""
    try:
        return all(os.fstat(number) for number in (0, 1, 2))
    except OSError:
        return False


def _carried_out(call: Call, *, rerun: bool) -> int | None:
    """Raises: ServerLost."""
    with call.connection:
        stop_by_signals(call.stop)
        try:
            call.begin((0, 1, 2))
        except OSError:
            code = None
        else:
            code = call.exit_code()
    if code is None:
        restore_signals()
        if not rerun:
            raise ServerLost
    return code
