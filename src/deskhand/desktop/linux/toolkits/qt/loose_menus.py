"""Menus that are children of no element: context menus, and those of buttons.

They are objects of the application like all others. Qt numbers its objects in the order of their creation, so that a
menu that just opened has a number near the highest known one.
"""

# upstream: not reported
# seen in: 5.15.8, 6.8.3

from collections.abc import Collection, Iterable, Sequence
from time import monotonic
from typing import Final

from deskhand.core.errors import ApplicationUnresponsive
from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import MENU, POPUP_MENU, SHOWING

_SPREAD: Final = 512
"""Numbers on both sides of the highest known that are tried."""

_STEP: Final = 64
_SAME_PLACE: Final = 0.5
_KEPT: Final = 64


class LooseMenus:
    """Finds such menus, and remembers the popups for which none was found."""

    def __init__(self) -> None:
        self._known: dict[Ref, None] = {}
        self._in_vain: tuple[str, Sequence[Rect]] = ("", ())

    async def find(
        self, nodes: Iterable[Node], popups: Sequence[Rect], transport: Transport, *, deadline_s: float
    ) -> list[Ref]:
        """Return the menus displayed at these places of the screen that are not among the elements of a window.

        Empty if they were not found in time. Raises: DesktopGone.
        """
        end = monotonic() + deadline_s
        seen = list(nodes)
        menus = [node.rect for node in seen if node.role in {MENU, POPUP_MENU}]
        unknown = [place for place in popups if all(place.iou(menu) < _SAME_PLACE for menu in menus)]
        numbers = {number for node in seen if (number := _number(node.ref)) is not None}
        if not unknown or not numbers:
            return []
        bus = seen[0].ref.bus
        if found := await self._shown([ref for ref in self._known if ref.bus == bus], transport, end):
            return found
        if self._in_vain == (bus, unknown):
            return []
        searched = await self._search(seen[0].ref, numbers, transport, end)
        if searched == []:
            self._in_vain = (bus, unknown)
        return searched or []

    async def _search(self, known: Ref, numbers: Collection[int], transport: Transport, end: float) -> list[Ref] | None:
        """Try the numbers around the highest known one, but the known ones. Return None at the deadline."""
        folder = known.path.rpartition("/")[0]
        for step in _steps(max(numbers)):
            tried = [Ref(known.bus, f"{folder}/{number}") for number in step if number not in numbers]
            found = await self._shown(tried, transport, end)
            if found or found is None:
                return found
        return []

    async def _shown(self, refs: Sequence[Ref], transport: Transport, end: float) -> list[Ref] | None:
        """Return those that are visible menus of the application itself; None if not all replied until `end`."""
        roles = await transport.batch([calls.get_role(ref) for ref in refs], deadline_s=end - monotonic())
        menus = [ref for ref, role in zip(refs, roles, strict=True) if calls.int_in(role, -1) == POPUP_MENU]
        asked = [call for ref in menus for call in (calls.get_state(ref), ref.get(calls.ACCESSIBLE, "Parent"))]
        facts = await transport.batch(asked, deadline_s=end - monotonic())
        pairs = zip(menus, facts[::2], facts[1::2], strict=True)
        top = calls.ROOT_PATH
        loose = [
            (ref, calls.bits_in(state))
            for ref, state, parent in pairs
            if (above := calls.ref_in(parent)) and above.path == top
        ]
        for ref, _ in loose:
            self._known[ref] = None
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        shown = [ref for ref, state in loose if state & SHOWING]
        late = any(isinstance(reply, ApplicationUnresponsive) for reply in (*roles, *facts))
        return shown or (None if late else [])


def _steps(highest: int) -> Iterable[range]:
    """Yield numbers around the highest known one: those after it first, the nearest of those before it next."""
    yield range(highest + 1, highest + 1 + _STEP)
    for begin in range(highest - _STEP, highest - _SPREAD - 1, -_STEP):
        yield range(max(begin, 0), begin + _STEP)
    yield range(highest + 1 + _STEP, highest + 1 + _SPREAD)


def _number(ref: Ref) -> int | None:
    last = ref.path.rpartition("/")[2]
    return int(last) if last.isdecimal() else None
