"""The choice of a closed combo box, which neither its text nor its states expose."""

# upstream: not reported
# seen in: 156

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Post, Reply
from deskhand.desktop.linux.atspi.roles import LIST_ITEM, MENU_ITEM, SEPARATOR

_MOST: Final = 500
"""Items of a list that is searched, and as many groups and separators."""

_LEVELS: Final = 4
"""Levels of groups: HTML has one, but a list that a page draws itself may contain boxes."""


class Choice:
    """Reads the whole name of the selected item in the list of a box, if it is known.

    Of a disabled list or item it is not: the box reports the number of its choice among all items.
    """

    def __init__(self, post: Post, box: Ref, take: Callable[[str], None]) -> None:
        self._post = post
        self._box = box
        self._take = take

    def read(self) -> None:
        self._post([calls.get_child(self._box, 0)], self._take_list)

    def _take_list(self, replies: list[Reply]) -> None:
        if items := calls.ref_in(replies[0]):
            self._post([calls.get_interfaces(items)], partial(self._take_interfaces, items))

    def _take_interfaces(self, items: Ref, replies: list[Reply]) -> None:
        if calls.SELECTION in calls.words_in(replies[0]):
            self._post([calls.get_chosen(items)], partial(self._take_chosen, items))

    def _take_chosen(self, items: Ref, replies: list[Reply]) -> None:
        if chosen := calls.ref_in(replies[0]):
            self._take_item(chosen)
        else:
            asked = [calls.get_attributes(self._box), calls.get_child_count(items)]
            self._post(asked, partial(self._take_number, items))

    def _take_number(self, items: Ref, replies: list[Reply]) -> None:
        number, count = calls.number_in(replies[0]), calls.count_in(replies[0])
        if 0 < number <= count:
            asked = [calls.get_child(items, number - 1), calls.get_child_count(items)]
            self._post(asked, partial(self._take_child, items, number, count))

    def _take_child(self, items: Ref, number: int, count: int, replies: list[Reply]) -> None:
        """Take the child of that number if it is the item itself; else search the list."""
        child = calls.ref_in(replies[0])
        if child and calls.int_in(replies[1]) == count:
            self._post([calls.get_attributes(child)], partial(self._take_numbered, items, child, number, count))
        else:
            self._search(items, number, count)

    def _take_numbered(self, items: Ref, child: Ref, number: int, count: int, replies: list[Reply]) -> None:
        if calls.number_in(replies[0]) == number:
            self._take_item(child)
        else:
            self._search(items, number, count)

    def _search(self, items: Ref, number: int, count: int) -> None:
        if count <= _MOST:
            _Items(self._post, count, lambda found: self._take_item(found[number - 1])).read(items)

    def _take_item(self, item: Ref) -> None:
        self._post([calls.get_name(item)], lambda replies: self._take(calls.text_in(replies[0])))


class _Items:
    """Finds all items of a list, in their order, in groups or not.

    If their number is not `count`, `take` is not called: something in the list is not understood.
    """

    def __init__(self, post: Post, count: int, take: Callable[[Sequence[Ref]], None]) -> None:
        self._post = post
        self._count = count
        self._take = take
        self._found: list[Ref] = []
        self._levels = _LEVELS

    def read(self, items: Ref) -> None:
        self._found = [items]
        self._open([items])

    def _open(self, groups: Sequence[Ref]) -> None:
        self._levels -= 1
        self._post([calls.get_children(group) for group in groups], partial(self._take_children, groups))

    def _take_children(self, groups: Sequence[Ref], replies: list[Reply]) -> None:
        inside = dict(zip(groups, (calls.refs_in(reply) for reply in replies), strict=True))
        self._found = [each for ref in self._found for each in inside.get(ref, [ref])]
        if len(self._found) <= 2 * _MOST:
            fresh = [ref for refs in inside.values() for ref in refs]
            self._post([calls.get_role(ref) for ref in fresh], partial(self._take_roles, fresh))

    def _take_roles(self, fresh: Sequence[Ref], replies: list[Reply]) -> None:
        roles = dict(zip(fresh, map(calls.int_in, replies), strict=True))
        self._found = [ref for ref in self._found if roles.get(ref) != SEPARATOR]
        groups = [ref for ref in fresh if roles[ref] not in {MENU_ITEM, LIST_ITEM, SEPARATOR}]
        if groups and self._levels:
            self._open(groups)
        elif not groups and len(self._found) == self._count:
            self._take(self._found)
