"""Traversal of a document's body from the visible part to both ends."""

from collections.abc import AsyncGenerator, Callable
from typing import Final

import anyio

from deskhand.core.errors import DesktopError
from deskhand.desktop.linux.toolkits.libreoffice.writer.paragraph_chain import Chain, Direction, Place
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Incomplete

Group = tuple[Place, ...]
"""A unit of the text: a paragraph, or all pieces of one table."""

_BOTH: Final = (Direction.BACKWARD, Direction.FORWARD)


class Walk:
    """The places seen so far; grows on both sides with `until`, also step by step."""

    def __init__(self, chain: Chain, start: Place) -> None:
        self._start = start
        self._seen: dict[Direction, list[Place]] = {direction: [] for direction in _BOTH}
        self._groups: dict[Direction, list[Group]] = {Direction.BACKWARD: [], Direction.FORWARD: [(start,)]}
        self._tables = {start.name: (Direction.FORWARD, 0)} if start.table else {}
        self._ways: dict[Direction, AsyncGenerator[Place]] = {way: chain.follow(start, way) for way in _BOTH}
        self._ended: set[Direction] = set()
        self._failures: list[Incomplete | DesktopError] = []

    @property
    def whole(self) -> bool:
        """True if both ends were reached."""
        return len(self._ended) == len(_BOTH)

    @property
    def count(self) -> int:
        """Return the number of places that were read so far."""
        return 1 + sum(map(len, self._seen.values()))

    @property
    def before(self) -> tuple[Place, ...]:
        """Those before the first one in view, in document order."""
        return tuple(reversed(self._seen[Direction.BACKWARD]))

    @property
    def after(self) -> tuple[Place, ...]:
        """The first one in view and those after it."""
        return (self._start, *self._seen[Direction.FORWARD])

    @property
    def groups(self) -> list[Group]:
        """In document order."""
        return [*reversed(self._groups[Direction.BACKWARD]), *self._groups[Direction.FORWARD]]

    def index_of(self, table: str) -> int:
        """Return the index of a table among the groups, -1 if it is none of them."""
        if table not in self._tables:
            return -1
        direction, distance = self._tables[table]
        here = len(self._groups[Direction.BACKWARD])
        return here + distance if direction is Direction.FORWARD else here - 1 - distance

    async def until(self, done: Callable[[], bool]) -> None:
        """Walks until it is done or whole. Raises: Incomplete, ApplicationGone, DesktopGone."""
        async with anyio.create_task_group() as group:
            for direction in _BOTH:
                group.start_soon(self._follow, direction, done)
        if self._failures:
            raise self._failures[0]

    def surrounds(self, table: str) -> bool:
        """True if all pieces of a table were read: another group, or an end of the text, is on each side of it."""
        index = self.index_of(table)
        if index < 0:
            return False
        begun = index > 0 or Direction.BACKWARD in self._ended
        return begun and (index < self._group_count - 1 or Direction.FORWARD in self._ended)

    def ends_with(self, table: str) -> bool:
        """True if the text seems to end with this table: rare (some Word documents), or the layout is not complete."""
        return self.index_of(table) == self._group_count - 1

    def group_beside(self, table: str, distance: int) -> Group | None:
        """Return the group at a distance from a table (negative: before it), None if it was not read yet.

        Without a table it is counted from before the beginning of the text.
        """
        known = self.surrounds(table) if table else Direction.BACKWARD in self._ended
        wanted = self.index_of(table) + distance
        return self.groups[wanted] if known and 0 <= wanted < self._group_count else None

    @property
    def _group_count(self) -> int:
        return sum(map(len, self._groups.values()))

    def _add(self, place: Place, direction: Direction) -> None:
        self._seen[direction].append(place)
        groups = self._groups[direction]
        beside = groups or self._groups[Direction.FORWARD]  # what is before the first one in view may go on there
        if place.table and beside[-1][0].table and beside[-1][0].name == place.name:
            beside[-1] = (*beside[-1], place) if direction is Direction.FORWARD else (place, *beside[-1])
            return
        groups.append((place,))
        if place.table and (direction is Direction.BACKWARD or place.name not in self._tables):
            self._tables[place.name] = direction, len(groups) - 1

    async def _follow(self, direction: Direction, done: Callable[[], bool]) -> None:
        try:
            while direction not in self._ended and not self._failures and not done():
                place = await anext(self._ways[direction], None)
                if place is None:
                    self._ended.add(direction)
                else:
                    self._add(place, direction)
        except (Incomplete, DesktopError) as error:
            self._failures.append(error)
