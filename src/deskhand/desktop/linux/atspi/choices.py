"""What a closed combo box of Chromium shows, which neither its text nor its states tell."""

from functools import partial

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.nodes import Node
from deskhand.desktop.linux.atspi.sheet import TEXT_LIMIT
from deskhand.desktop.linux.atspi.transport import Post, Reply


class Choice:
    """Reads the name of the item that is selected in the list of a box into the node's text.

    Of a list or an item that is disabled none is: the box itself says which one it shows, by its number. Where groups
    or lines stand before that, the numbers do not agree, and it is not known.
    """

    def __init__(self, post: Post, node: Node) -> None:
        self._post = post
        self._node = node

    def read(self) -> None:
        self._post([calls.get_child(self._node.ref, 0)], self._take_list)

    def _take_list(self, replies: list[Reply]) -> None:
        if items := calls.ref_in(replies[0]):
            self._post([calls.get_interfaces(items)], partial(self._take_interfaces, items))

    def _take_interfaces(self, items: Ref, replies: list[Reply]) -> None:
        if calls.SELECTION in calls.words_in(replies[0]):
            self._post([calls.get_chosen(items)], partial(self._take_chosen, items))

    def _take_chosen(self, items: Ref, replies: list[Reply]) -> None:
        if chosen := calls.ref_in(replies[0]):
            self._post([calls.get_name(chosen)], self._take_name)
        else:
            self._post([calls.get_attributes(self._node.ref)], partial(self._take_number, items))

    def _take_number(self, items: Ref, replies: list[Reply]) -> None:
        if number := calls.number_in(replies[0]):
            self._post([calls.get_child(items, number - 1)], partial(self._take_item, number))

    def _take_item(self, number: int, replies: list[Reply]) -> None:
        if item := calls.ref_in(replies[0]):
            self._post([calls.get_attributes(item), calls.get_name(item)], partial(self._take_numbered, number))

    def _take_numbered(self, number: int, replies: list[Reply]) -> None:
        if calls.number_in(replies[0]) == number:
            self._take_name(replies[1:])

    def _take_name(self, replies: list[Reply]) -> None:
        self._node.text = calls.text_in(replies[0])[:TEXT_LIMIT]
