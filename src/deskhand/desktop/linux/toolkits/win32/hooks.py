"""Hooks of Windows programs under Wine, as the bridge exposes them (`desktop/linux/wine`)."""

from collections.abc import Sequence
from typing import Final

from deskhand.core.errors import DesktopError
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.atspi.node_requests import Request, ask_labels, takes_label
from deskhand.desktop.linux.atspi.roles import TRUNCATED, role_of
from deskhand.desktop.linux.atspi.toolkit import Ask, Toolkit, Visit, Visitor

_CELLS_AT_ONCE: Final = 500
"""Cells in one request: others of the same desktop wait for it, 0.1 to 0.3 s."""

_LABELLED: Final = frozenset({Role.TABLE, Role.TREE, Role.PROGRESSBAR})
"""Roles that a label names in Win32, beside those that it names elsewhere."""


class Win32(Toolkit):
    """Win32 under Wine. The bridge is ours, so that little of it differs from the specification."""

    has_complete_list = True
    lists_children = True
    later_is_over = False
    tells_hits = True
    exposes_ids = True

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del version, application
        return name == "Win32"

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        """A control has its label's text as a name of its own; the label is asked for, so that it is listed once."""
        del visitor
        return (ask_labels(node),) if takes_label(node) or role_of(node.role) in _LABELLED else ()

    async def extend(self, walk: Walk, frame: Ref, visit: Visit, transport: Transport, *, deadline_s: float) -> str:
        """The bridge says of a window why not all of it was read."""
        del visit
        node = walk.nodes.get(frame)
        if node is None or not node.state & TRUNCATED:
            return ""
        (attributes,) = await transport.batch([calls.get_attributes(frame)], deadline_s=deadline_s)
        return calls.attributes_in(attributes).get(calls.LACKING, "not all of it was read")

    async def read_block(self, table: Ref, rows: range, columns: range, ask: Ask) -> tuple[tuple[str, ...], ...] | None:
        """Cells out of view are no objects: their texts are asked for in blocks."""
        deep = max(1, _CELLS_AT_ONCE // len(columns))
        parts = [rows[at : at + deep] for at in range(0, len(rows), deep)]
        found: list[tuple[str, ...]] = []
        for reply in await ask([calls.texts_at(table, part, columns) for part in parts]):
            if isinstance(reply, DesktopError):
                raise reply
            found += calls.texts_in(reply)
        return tuple(found)

    async def show_named(self, deed: Deed, container: Ref, name: str) -> bool:
        return calls.true_in(await deed.send(calls.show_named(container, name)))

    def traits_of(self, node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
        own = frozenset({Trait.WINDOWS_PATHS}) if role is Role.TEXTBOX else frozenset[Trait]()
        own |= frozenset({Trait.FINDS_ITEMS}) if role in {Role.LIST, Role.TABLE, Role.TREE} else frozenset[Trait]()
        return super().traits_of(node, role, print_) | own
