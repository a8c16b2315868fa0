"""A desktop that another program started: found by its X display and by the caller's environment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import anyio

from deskhand.core.errors import DesktopGone, UsageError

_SESSION_BUS: Final = "DBUS_SESSION_BUS_ADDRESS"
_ACCESSIBILITY_BUS: Final = "AT_SPI_BUS_ADDRESS"
_DISPLAY: Final = re.compile(r":\d{1,4}(\.\d)?")
_ASK_S: Final = 5.0
_FIX: Final = "run this where the desktop's own programs run, with its DISPLAY and DBUS_SESSION_BUS_ADDRESS exported"


@dataclass(frozen=True, slots=True)
class RunningDesktop:
    """Implements `parts.Place`."""

    name: str
    display: str
    environment: Mapping[str, str]
    a11y_address: str


async def find_running(display: str, caller: Mapping[str, str]) -> RunningDesktop:
    """The desktop on `display` (":1"); its buses are those of the caller's environment.

    Raises: UsageError where no X server answers there, the environment is that of another desktop, or it leads to no
    accessibility bus.
    """
    _check_form(display)
    own = caller.get("DISPLAY", "")
    if own and _without_screen(own) != _without_screen(display):
        raise UsageError(f"this environment is that of the desktop at {own}, not at {display}", fix=_FIX)
    await check_display(display)
    address = caller.get(_ACCESSIBILITY_BUS) or await _ask_session_bus(display, caller.get(_SESSION_BUS, ""))
    return RunningDesktop(display, display, {**caller, "DISPLAY": display}, address)


def _without_screen(display: str) -> str:
    """`:1` for `:1.0`: the screens of one display share everything."""
    return display.partition(".")[0]


def _check_form(display: str) -> None:
    if not _DISPLAY.fullmatch(display):
        raise UsageError(f"{display!r} is no display", fix="give a number such as :1")


async def check_display(display: str) -> None:
    """Raises: UsageError where that is none, or nobody answers there."""
    _check_form(display)
    from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER  # noqa: PLC0415 - only for displays

    try:
        await DISPLAY_SERVER.check(display)
    except DesktopGone as error:
        raise UsageError(error.message, fix="give the number of a running one") from error


async def _ask_session_bus(display: str, session_bus: str) -> str:
    """The address of the accessibility bus."""
    from dbus_fast import DBusError, Message, MessageType  # noqa: PLC0415 - only where a display is asked for
    from dbus_fast.aio import MessageBus  # noqa: PLC0415 - as above

    if not session_bus:
        raise UsageError(
            f"the session bus of the desktop at {display} is not known: {_SESSION_BUS} is not set", fix=_FIX
        )
    call = Message(destination="org.a11y.Bus", path="/org/a11y/bus", interface="org.a11y.Bus", member="GetAddress")
    try:
        with anyio.fail_after(_ASK_S):
            bus = await MessageBus(bus_address=session_bus).connect()
            try:
                reply = await bus.call(call)
            finally:
                bus.disconnect()
    except (DBusError, OSError, ValueError) as error:  # TimeoutError is an OSError; ValueError: it is no address
        raise UsageError(f"the session bus {session_bus} does not answer: {error}", fix=_FIX) from error
    if reply.message_type is not MessageType.METHOD_RETURN:
        raise UsageError(
            f"the desktop at {display} has no accessibility bus", fix="install at-spi2-core and start the session again"
        )
    return str(reply.body[0])
