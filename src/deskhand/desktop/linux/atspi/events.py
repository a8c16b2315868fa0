"""What applications say of their own changes: AT-SPI's events."""

from collections.abc import Callable
from typing import Final

from deskhand.core.errors import DesktopError
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.transport import Call, Signal, Transport

_EVENTS: Final = (
    "object:state-changed",
    "object:children-changed",
    "object:text-changed",
    "object:text-caret-moved",
    "object:property-change",
    "object:bounds-changed",
    "object:visible-data-changed",
    "object:selection-changed",
    "object:active-descendant-changed",
    "object:value-changed",
    "window",
    "focus",
    "document",
)
_EVENT_PREFIX: Final = "org.a11y.atspi.Event."
_INTERFACES: Final = ("Object", "Window", "Focus", "Document")


async def listen(transport: Transport, heard: Callable[[str], None], *, deadline_s: float) -> None:
    """From now on `heard` is called with the sender's bus name for every event of every application.

    Applications send events only while somebody is registered for them. Raises: DesktopGone, and what calls raise.
    """

    def handle(signal: Signal) -> None:
        if signal.interface.startswith(_EVENT_PREFIX):
            heard(signal.sender)

    transport.subscribe(handle)
    registry = Ref(calls.REGISTRY, calls.REGISTRY_PATH)
    rules = [f"type='signal',interface='{_EVENT_PREFIX}{name}'" for name in _INTERFACES]
    asked = [Call(calls.BUS, calls.BUS_PATH, calls.BUS, "AddMatch", "s", (rule,)) for rule in rules]
    asked += [registry.call(calls.REGISTRY, "RegisterEvent", "sass", event, [], "") for event in _EVENTS]
    for reply in await transport.batch(asked, deadline_s=deadline_s):
        if isinstance(reply, DesktopError):
            raise reply
