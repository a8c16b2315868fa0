"""The session bus and the accessibility bus of a new desktop. Imported while its X server starts."""

from collections.abc import Mapping
from typing import Final

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from deskhand.core.errors import LaunchFailed

_DAEMON: Final = "org.freedesktop.DBus"
_ACCESSIBILITY: Final = "org.a11y.Bus"
_PATHS: Final = {_DAEMON: "/org/freedesktop/DBus", _ACCESSIBILITY: "/org/a11y/bus"}


async def connect(address: str) -> MessageBus:
    """A connection to a bus that answers. Raises: OSError."""
    return await MessageBus(bus_address=address).connect()


async def start_accessibility(session: MessageBus, environment: Mapping[str, str]) -> str:
    """Lets the session bus start the accessibility bus and its registry; returns that bus's address.

    The switches are set before any application starts: some build a tree only for a screen reader.
    Raises: LaunchFailed.
    """
    await _call(session, _DAEMON, "UpdateActivationEnvironment", "a{ss}", dict(environment))
    address = str((await _call(session, _ACCESSIBILITY, "GetAddress"))[0])
    for switch in ("IsEnabled", "ScreenReaderEnabled"):
        value = ("org.a11y.Status", switch, Variant("b", True))
        await _call(session, _ACCESSIBILITY, "org.freedesktop.DBus.Properties.Set", "ssv", *value)
    accessibility = await connect(address)
    try:
        await _call(accessibility, _DAEMON, "StartServiceByName", "su", "org.a11y.atspi.Registry", 0)
    finally:
        accessibility.disconnect()
    return address


async def _call(bus: MessageBus, service: str, member: str, signature: str = "", *body: object) -> list[object]:
    """Calls a method of a service, of its own interface unless `member` names another. Raises: LaunchFailed."""
    interface, _, member = member.rpartition(".")
    reply = await bus.call(
        Message(
            destination=service,
            path=_PATHS[service],
            interface=interface or service,
            member=member,
            signature=signature,
            body=list(body),
        )
    )
    if reply.message_type is not MessageType.METHOD_RETURN:
        raise LaunchFailed(f"{service} refused {member}: {reply.body}")
    return reply.body
