"""AT-SPI events: changes that applications report."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from deskhand.core.errors import DesktopError, DesktopGone
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import BUS, BUS_PATH, Call, Signal, Transport

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
_INTERFACES: Final = ("Window", "Focus", "Document")
_MEMBERS: Final = (
    *("ActiveDescendantChanged", "Announcement", "AttributesChanged", "BoundsChanged", "ChildrenChanged"),
    *("ColumnDeleted", "ColumnInserted", "ColumnReordered", "LinkSelected", "ModelChanged", "RowDeleted"),
    *("RowInserted", "RowReordered", "SelectionChanged", "TextAttributesChanged", "TextBoundsChanged", "TextChanged"),
    *("TextCaretMoved", "TextSelectionChanged", "ValueChanged", "VisibleDataChanged"),
)
_DETAILS: Final = {
    "PropertyChange": (
        *("accessible-description", "accessible-help-text", "accessible-id", "accessible-name"),
        *("accessible-table-caption", "accessible-table-caption-object", "accessible-table-column-description"),
        *("accessible-table-column-header", "accessible-table-row-description", "accessible-table-row-header"),
        *("accessible-table-summary", "accessible-value"),
    ),
    "StateChanged": (
        *("active", "animated", "armed", "busy", "checkable", "checked", "collapsed", "default", "editable", "enabled"),
        *("expandable", "expanded", "focusable", "focused", "has-popup", "hidden", "horizontal", "iconified"),
        *("indeterminate", "invalid", "invalid-entry", "is-default", "manages-descendants", "modal", "multi-line"),
        *("multiline", "multiselectable", "opaque", "pressed", "read-only", "readonly", "required"),
        *("resizable", "selectable", "selectable-text", "selected", "sensitive", "showing", "single-line", "stale"),
        *("supports-autocompletion", "transient", "truncated", "vertical", "visible", "visited"),
    ),
}
"""The details that are listened to. A program that replaces its tool bars reports thousands of others: "defunct", the
roles, parents, widgets and renderers of objects that nobody sees, up to two thirds of all."""

_LENGTH: Final = struct.Struct("<I")
_NUMBERS: Final = struct.Struct("<i")
_DETAIL_LIMIT: Final = 64


@dataclass(frozen=True, slots=True)
class Heard:
    """An event: of which object, what happened, in which detail, and a number, an index or a place."""

    bus: str
    path: str
    member: str
    detail: str = ""
    place: int = 0

    @property
    def told(self) -> str:
        what = f"{self.member} {self.detail}".strip()
        return f"{what} at {self.path.rpartition('/')[2]}"


async def listen(transport: Transport, heard: Callable[[Heard], None], *, deadline_s: float) -> None:
    """From now on `heard` is called for every event of every application.

    Applications send events only while somebody is registered for them. Raises: DesktopGone (there is no registry, or
    it does not answer).
    """

    def handle(signal: Signal) -> None:
        if signal.interface.startswith(_EVENT_PREFIX):
            heard(heard_in(signal))

    transport.subscribe(handle)
    registry = Ref(calls.REGISTRY, calls.REGISTRY_PATH)
    asked = [Call(BUS, BUS_PATH, BUS, "AddMatch", "s", (rule,)) for rule in _rules()]
    asked += [registry.call(calls.REGISTRY, "RegisterEvent", "sass", event, [], "") for event in _EVENTS]
    for reply in await transport.batch(asked, deadline_s=deadline_s):
        if isinstance(reply, DesktopGone):
            raise reply
        if isinstance(reply, DesktopError):
            raise DesktopGone(
                f"The registry of applications takes no listeners: {reply.message}", fix="Start the desktop again."
            ) from reply


def _rules() -> list[str]:
    """The rules by which the bus delivers events."""
    rules = [f"type='signal',interface='{_EVENT_PREFIX}{name}'" for name in _INTERFACES]
    member = f"type='signal',interface='{_EVENT_PREFIX}Object',member="
    rules += [f"{member}'{each}'" for each in _MEMBERS]
    return rules + [f"{member}'{each}',arg0='{detail}'" for each, details in _DETAILS.items() for detail in details]


def heard_in(signal: Signal) -> Heard:
    """Decode an event as far as possible: its body begins with a text and a number."""
    raw = signal.raw
    try:
        length = _LENGTH.unpack_from(raw)[0]
        at = 5 + length
        place = _NUMBERS.unpack_from(raw, at + -at % 4)[0]
        detail = raw[4 : 4 + min(length, _DETAIL_LIMIT)].decode(errors="replace")
    except struct.error:
        return Heard(signal.sender, signal.path, signal.member)
    return Heard(signal.sender, signal.path, signal.member, detail, place)
