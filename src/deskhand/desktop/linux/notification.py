"""A notification on the user's own desktop (org.freedesktop.Notifications)."""

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Final

import anyio

from deskhand.core.errors import DesktopError
from deskhand.desktop.linux.runtime.named_desktop import list_named
from deskhand.desktop.mark import MARK

if TYPE_CHECKING:
    from dbus_fast.aio import MessageBus

_BUS: Final = "DBUS_SESSION_BUS_ADDRESS"
_NAME: Final = "org.freedesktop.Notifications"
_PATH: Final = "/org/freedesktop/Notifications"
_FIX: Final = "run it in a session with a desktop that shows notifications, or set notify.desktop to false"


async def show(environment: Mapping[str, str], title: str, text: str, *, deadline_s: float) -> None:
    """Return when the desktop of this environment has taken it.

    Raises: DesktopError if there is none, it is an agent's, or it shows no notifications.
    """
    from dbus_fast import DBusError  # noqa: PLC0415 - only where it is asked for
    from dbus_fast.aio import MessageBus  # noqa: PLC0415 - as above

    address = environment.get(_BUS, "")
    if not address:
        raise DesktopError(f"there is no desktop to show a notification on: {_BUS} is not set", fix=_FIX)
    try:
        with anyio.fail_after(deadline_s):
            await _check_own(environment, address)
            bus = await MessageBus(bus_address=address).connect()
            try:
                await _notify(bus, title, text)
            finally:
                bus.disconnect()
    except TimeoutError as error:
        raise DesktopError(f"the session bus did not answer within {deadline_s:g} s", fix=_FIX) from error
    except (DBusError, OSError, EOFError, ValueError) as error:  # ValueError: it is no address
        raise DesktopError(f"the session bus {address} does not answer: {error}", fix=_FIX) from error


async def _check_own(environment: Mapping[str, str], address: str) -> None:
    """Raises: DesktopError if the bus is that of a desktop made for agents, at which nobody looks."""
    named = [desktop.name for desktop in await list_named() if desktop.environment.get(_BUS) == address]
    if named or MARK in environment:
        whose = f"of the desktop {named[0]}" if named else "of a private desktop"
        raise DesktopError(
            f"{_BUS} is that {whose}, where agents work",
            fix="run deskhand from a shell that has not taken over `deskhand desktop env`",
        )


async def _notify(bus: "MessageBus", title: str, text: str) -> None:
    from dbus_fast import Variant  # noqa: PLC0415 - imported by then

    (capabilities,) = await _call(bus, "GetCapabilities")
    has_markup = isinstance(capabilities, list) and "body-markup" in capabilities
    body = escape(text, quote=False) if has_markup else text
    hints = {"urgency": Variant("y", 1)}
    await _call(bus, "Notify", "susssasa{sv}i", ["Deskhand", 0, "", title, body, [], hints, -1])


async def _call(
    bus: "MessageBus", member: str, signature: str = "", body: "list[object] | None" = None
) -> "list[object]":
    """Raises: DesktopError if the answer is an error."""
    from dbus_fast import Message, MessageType  # noqa: PLC0415 - imported by then

    call = Message(destination=_NAME, path=_PATH, interface=_NAME, member=member, signature=signature, body=body or [])
    reply = await bus.call(call)
    if reply.message_type is not MessageType.METHOD_RETURN:
        told = reply.body[0] if reply.body else reply.error_name
        raise DesktopError(f"the desktop shows no notifications: {told}", fix=_FIX)
    return list(reply.body)
