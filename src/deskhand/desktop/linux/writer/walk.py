"""Walking a document's body from what is in view to both its ends."""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

import anyio

from deskhand.core.errors import DesktopError
from deskhand.desktop.linux.writer.asking import Incomplete
from deskhand.desktop.linux.writer.chain import Chain, Direction, Place

Group = tuple[Place, ...]
"""What stands in the text as one: a paragraph, or all pieces of one table."""

_BOTH: Final = (Direction.BACKWARD, Direction.FORWARD)


class Walk:
    """The places seen so far; grows on both sides with `until`, also step by step."""

    def __init__(self, chain: Chain, start: Place) -> None:
        self._start = start
        self._seen: dict[Direction, list[Place]] = {direction: [] for direction in _BOTH}
        self._ways: dict[Direction, AsyncGenerator[Place]] = {way: chain.follow(start, way) for way in _BOTH}
        self._ended: set[Direction] = set()
        self._failures: list[Incomplete | DesktopError] = []

    @property
    def whole(self) -> bool:
        """Whether both ends were reached."""
        return len(self._ended) == len(_BOTH)

    @property
    def count(self) -> int:
        """How many places were seen so far."""
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
        groups: list[Group] = []
        for place in (*self.before, *self.after):
            if place.table and groups and groups[-1][0].table and groups[-1][0].name == place.name:
                groups[-1] = (*groups[-1], place)
            else:
                groups.append((place,))
        return groups

    async def until(self, done: Callable[[], bool]) -> None:
        """Walks until it is done or whole. Raises: Incomplete, ApplicationGone, DesktopGone."""
        async with anyio.create_task_group() as group:
            for direction in _BOTH:
                group.start_soon(self._follow, direction, done)
        if self._failures:
            raise self._failures[0]

    def surrounds(self, table: str) -> bool:
        """Whether all pieces of a table were seen: something else, or an end of the text, stands on each side of it."""
        names = [group[0].name for group in self.groups]
        if table not in names:
            return False
        index = names.index(table)
        begun = index > 0 or Direction.BACKWARD in self._ended
        return begun and (index < len(names) - 1 or Direction.FORWARD in self._ended)

    def ends_with(self, table: str) -> bool:
        """Whether the text seems to end with this table: rare (some Word documents), or the layout still runs."""
        return index_of(self.groups, table) == len(self.groups) - 1

    def group_beside(self, table: str, distance: int) -> Group | None:
        """The group that stands so far from a table (negative: before it), None where it was not seen yet."""
        groups = self.groups
        wanted = index_of(groups, table) + distance
        return groups[wanted] if self.surrounds(table) and 0 <= wanted < len(groups) else None

    async def _follow(self, direction: Direction, done: Callable[[], bool]) -> None:
        try:
            while direction not in self._ended and not self._failures and not done():
                place = await anext(self._ways[direction], None)
                if place is None:
                    self._ended.add(direction)
                else:
                    self._seen[direction].append(place)
        except (Incomplete, DesktopError) as error:
            self._failures.append(error)


def index_of(groups: Sequence[Group], table: str) -> int:
    """Where a table stands among the groups, -1 where it does not."""
    return next((index for index, group in enumerate(groups) if group[0].table and group[0].name == table), -1)
