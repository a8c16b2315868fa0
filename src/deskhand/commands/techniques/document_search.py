"""Search of a document beyond its view: it is scrolled through with the wheel, view by view, and back.

Its program may expose nothing of other pages, or wrong texts and places of what is asked for before it is in view.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import anyio

from deskhand.commands.call import ToolContext
from deskhand.commands.effects.snapshot import QUICK_S
from deskhand.commands.techniques.long_texts import with_whole_text
from deskhand.commands.waiting import wait_for_program
from deskhand.core.errors import DesktopError, DesktopGone, StoppedByPerson, TargetCovered
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo, Trait
from deskhand.perception.control_search import Sought

SEARCH_S: Final = 35.0
"""Timeout for a search, without the way back: some seventy pages."""
_BACK_S: Final = 30.0
_QUIET_S: Final = 0.03
_FIRST_NOTCHES: Final = 4
_MOST_NOTCHES: Final = 400
_SHARE: Final = 0.75
"""Part of a view that is scrolled at once: the rest joins it to the next view."""
_PARAGRAPHS: Final = frozenset({Role.HEADING, Role.PARAGRAPH})


@dataclass(frozen=True, slots=True)
class Hit:
    """A control of a document that was found: as it was in view, and the number of its paragraph, from 1.

    `notches`: of the wheel, from the beginning of the document to the view with the control in its middle.
    """

    control: TargetInfo
    paragraph: int
    notches: int


@dataclass(slots=True)
class Searched:
    """A searched document: its hits in their order, the number of its paragraphs, and `seen`, the view after it.

    `shown`: the numbers of the hits that are in this view, from 1, by the handles that their controls have now.
    `lacking`: the reason why not all of it was searched. `reservation`: that not all of a view could be read, or
    that the view did not come back.
    """

    seen: Observation
    hits: list[Hit] = field(default_factory=list[Hit])
    shown: dict[str, int] = field(default_factory=dict[str, int])
    paragraphs: int = 0
    lacking: str = ""
    reservation: str = ""


def paged_document(seen: Observation) -> TargetInfo | None:
    """Return the document on pages of a window."""
    return next((control for control in seen.controls if Trait.PAGED_TEXT in control.traits), None)


async def search_document(
    tools: ToolContext, seen: Observation, document: TargetInfo, sought: Sought, *, show: int = 0
) -> Searched:
    """Search all of a document, then scroll back, or to hit number `show`, with which the search ends.

    Caret and selection stay; the view comes back to within a notch of the wheel. Raises: DesktopGone, StoppedByPerson.
    """
    view = _View(tools, document, seen)
    found, begun, goal = Searched(seen), view.bar, -1
    try:
        with anyio.move_on_after(SEARCH_S) as scope:
            await view.to_start()
            await _read(view, sought, found, show)
        if scope.cancelled_caught:
            found.lacking = f"it took longer than {SEARCH_S:.0f} s"
        goal = found.hits[show - 1].notches if 0 < show <= len(found.hits) else view.notches_at(begun)
        with anyio.move_on_after(_BACK_S) as scope:
            await view.to(goal)
        found.reservation = "the view did not come back" if scope.cancelled_caught else found.reservation
    except (DesktopGone, StoppedByPerson):
        raise
    except TargetCovered:
        found.lacking = "another window covers the document"
    except DesktopError as error:
        found.lacking = error.message.rstrip(".")
    found.seen = view.seen
    found.shown = await _numbers_in_view(view, sought, found.hits)
    return found


async def _numbers_in_view(view: "_View", sought: Sought, hits: Sequence[Hit]) -> dict[str, int]:
    """Return the numbers of the hits in view, by handle: objects may be new ones each time that they come into view.

    Of equal texts in a row, those count that were nearest to this view.
    """
    shown = [control for control in await view.texts() if sought.finds(control, view.seen.window.rect)]
    texts, known = [_as_found(control) for control in shown], [_as_found(hit.control) for hit in hits]
    fits = [first for first in range(len(hits)) if known[first : first + len(shown)] == texts[: len(hits) - first]]
    if not shown or not fits:
        return {}
    first = min(fits, key=lambda first: abs(hits[first].notches - view.notches_to(shown[0])))
    return {control.handle: number for number, control in enumerate(shown[: len(hits) - first], first + 1)}


def _as_found(control: TargetInfo) -> tuple[Role, str, str]:
    return control.type, control.name, control.value


async def _read(view: "_View", sought: Sought, found: Searched, show: int) -> None:
    """Add the hits of each view from here to the end of the document, or to hit number `show`."""
    numbers: dict[str, int] = {}
    known: set[str] = set()
    while True:
        for control, number in _numbered(await view.texts(), numbers):
            if control.handle not in known and sought.finds(control, view.seen.window.rect):
                found.hits.append(Hit(control, number, view.notches_to(control)))
            known.add(control.handle)
        found.paragraphs = len(numbers)
        found.reservation = view.seen.truncated.message if view.seen.truncated else found.reservation
        if 0 < show <= len(found.hits) or not await view.down():
            return


def _numbered(controls: Sequence[TargetInfo], numbers: dict[str, int]) -> Iterator[tuple[TargetInfo, int]]:
    """The controls of a document in view, each with the number of its paragraph, or of the one before it."""
    number = 0
    for control in controls:
        if control.type in _PARAGRAPHS:
            number = numbers.setdefault(control.handle, len(numbers) + 1)
        yield control, number


class _View:
    """The view of a document, which the wheel moves; `notches`: below the beginning of the document."""

    def __init__(self, tools: ToolContext, document: TargetInfo, seen: Observation) -> None:
        self.seen = seen
        self.notches = 0
        self._tools = tools
        self._document = document
        self._pixels = 0.0
        self._units = 0.0
        self._step = _FIRST_NOTCHES
        self._whole: dict[str, str] = {}

    @property
    def bar(self) -> float:
        """The sum of the numbers of all scroll bars."""
        return sum(each.number or 0.0 for each in self.seen.controls if each.type is Role.SCROLLBAR)

    @property
    def _is_at_start(self) -> bool:
        bars = [each.number for each in self.seen.controls if each.type is Role.SCROLLBAR]
        return bool(bars) and not any(bars)

    def inside(self) -> list[TargetInfo]:
        return self.seen.inside_of(self._document)

    async def texts(self) -> list[TargetInfo]:
        """The controls of the document in view with all of their texts, of which an observation may have the beginning.

        A text that cannot be read stays as it was observed.
        """
        return [await self._complete(each) if TEXT_CUT in each.states else each for each in self.inside()]

    async def _complete(self, control: TargetInfo) -> TargetInfo:
        text = self._whole.get(control.handle, "")
        if text.startswith(control.value):
            return replace(control, value=text, states=control.states - {TEXT_CUT})
        whole = await with_whole_text(self._tools.desktop, control)
        self._whole |= {control.handle: whole.value} if TEXT_CUT not in whole.states else {}
        return whole

    def notches_at(self, bar: float) -> int:
        """Return the notches to the view in which the scroll bars had this sum; 0 if one has not moved."""
        return round(bar / self._units) if self._units else 0

    def notches_to(self, control: TargetInfo) -> int:
        """Return the notches to the view with a control in its middle."""
        at = self.notches_at(self.bar) if self._units else self.notches
        if not self._pixels or control.rect.empty:
            return at
        below = control.rect.center.y - self._document.rect.center.y
        return max(0, at + round(below / self._pixels))

    async def to_start(self) -> None:
        while not self._is_at_start and await self._turn(_MOST_NOTCHES):
            pass
        self.notches = 0

    async def to(self, notches: int) -> None:
        """Scroll to a view. The end may have been met before all notches were turned: without a scroll bar, they count
        from the beginning.
        """
        if not (self._units and notches):
            await self.to_start()
        at = self.notches_at(self.bar)
        while at != notches:
            part = max(-_MOST_NOTCHES, min(at - notches, _MOST_NOTCHES))
            await self._turn(part)
            at -= part

    async def down(self) -> bool:
        """Scroll to the next view; False at the end of the document."""
        before, bar = {each.handle: each.rect.top for each in self.inside()}, self.bar
        if not await self._turn(-self._step):
            return False
        self.notches += self._step
        moved = [before[each.handle] - each.rect.top for each in self.inside() if each.handle in before]
        pixels = max(moved, default=0) / self._step
        if pixels > self._pixels:  # at the end fewer are scrolled than were turned
            self._pixels, self._units = pixels, (self.bar - bar) / self._step
            self._step = max(1, int(_SHARE * self._document.rect.height / pixels))
        return True

    async def _turn(self, notches: int) -> bool:
        """Turn the wheel over the document; True if the view moved. Raises: TargetCovered."""
        desktop, window, before = self._tools.desktop, self.seen.window, self._look()
        aim = await desktop.aim(window, self._document.rect)
        self._tools.delivered = True
        await desktop.scroll(aim, notches)
        await desktop.settle(window, quiet_s=_QUIET_S)

        async def moved() -> bool | None:
            self.seen = await desktop.observe(window, picture=False)
            return True if self._look() != before else None

        return bool(await wait_for_program(desktop, window, moved, deadline_s=QUICK_S))

    def _look(self) -> tuple[float, list[tuple[str, int]]]:
        return self.bar, [(each.handle, each.rect.top) for each in self.inside()]
