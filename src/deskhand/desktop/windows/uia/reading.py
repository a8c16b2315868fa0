"""The tree of a window: read in one call of its program, and the texts of its fields in one more.

Texts are read apart because a request reads the same of all elements, and passwords are never requested.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from deskhand.desktop.windows.uia import cached, com
from deskhand.desktop.windows.uia.cached import flag, has, number, runtime_id, text
from deskhand.desktop.windows.uia.com import CacheRequest, Connection, Element, ElementArray
from deskhand.desktop.windows.uia.failures import translated
from deskhand.desktop.windows.uia.meaning import actions_of, role_of, states_of, value_of
from deskhand.desktop.windows.uia.missing import note_missing
from deskhand.desktop.windows.uia.numbers import Property, TreeScope
from deskhand.desktop.windows.win32.failures import Gone
from deskhand.desktop.windows.win32.nodes import NOWHERE, Node, Rect, Tree

MOST: Final = 5000
"""Elements of a window that are read."""
MOST_DOCUMENTS: Final = 20
"""Texts of a window that are read by a call of their own each."""
_DOCUMENT_UNITS: Final = 4000
_ATTEMPTS: Final = 3
_FIELDS: Final = frozenset({"combo box", "entry", "spin button", "table cell", "text"})
"""Roles with a text beside their name."""
_DOCUMENTS: Final = frozenset({"entry", "text"})
_OPENED: Final = frozenset({"combo box", "menu"})
"""Roles whose content appears outside of their place."""


@dataclass(frozen=True, slots=True)
class Found:
    """An element, by its key, and the part of the screen that it can be seen in; None: any."""

    element: Element
    key: str
    parent: str | None
    role: str
    view: Rect | None


@dataclass(slots=True)
class Reading:
    """A window at one moment. `elements`: those of the nodes, by their keys; `windows`: handles inside of it."""

    tree: Tree = field(default_factory=Tree)
    elements: dict[str, Element] = field(default_factory=dict[str, Element])
    windows: set[int] = field(default_factory=set[int])


class Reader:
    """Reads windows over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        automation = connection.automation
        with translated(connection.error):
            self._all = self._request(set(Property) - {Property.ValueValue}, TreeScope.Subtree)
            self._texts = self._request({Property.RuntimeId, Property.ValueValue}, TreeScope.Element)
            self._readable = automation.CreateAndCondition(
                automation.CreatePropertyCondition(Property.IsPassword, False),
                automation.CreatePropertyCondition(Property.IsValuePatternAvailable, True),
            )

    def _request(self, properties: Collection[Property], scope: TreeScope) -> CacheRequest:
        request = self._connection.automation.CreateCacheRequest()
        for each in sorted(properties):
            request.AddProperty(each)
        request.TreeScope = scope
        request.TreeFilter = self._connection.automation.ControlViewCondition
        return request

    def read(self, handle: int, apart: Collection[int] = ()) -> Reading:
        """Return a top-level window. `apart`: windows that are read by themselves, and left out of this one.

        Raises: Gone, Hung, Refused.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with translated(self._connection.error):
                    return self._read(handle, apart)
            except Gone:  # perhaps not the window: something in it went away while it was read
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError

    def _read(self, handle: int, apart: Collection[int]) -> Reading:
        root = self._connection.automation.ElementFromHandleBuildCache(handle, self._all)
        if not root:
            raise Gone(f"the window {handle} is gone")
        reading = Reading()
        found = list(_walk(root, handle, apart, reading))
        readable = any(each.role in _FIELDS and has(each.element, com.VALUE) for each in found)
        texts = self._texts_in(root) if readable else dict[str, str]()
        documents = self._documents(found, reading.tree)
        for each in found:
            reading.tree.nodes.append(_node(each, _text(each, texts, documents)))
        note_missing(reading.tree, reading.elements)
        return reading

    def _texts_in(self, root: Element) -> Mapping[str, str]:
        """Return the texts of all fields but passwords, by their identity."""
        fields = _each(root.FindAllBuildCache(TreeScope.Subtree, self._readable, self._texts))
        return {runtime_id(each): text(each, Property.ValueValue) for each in fields}

    def _documents(self, found: Collection[Found], tree: Tree) -> Mapping[str, str]:
        """Return the beginnings of the texts that are no values, by their key."""
        documents = [
            each
            for each in found
            if each.role in _DOCUMENTS and not has(each.element, com.VALUE) and has(each.element, com.TEXT)
        ]
        if len(documents) > MOST_DOCUMENTS:
            tree.cut(f"only {MOST_DOCUMENTS} of its {len(documents)} documents were read")
        return {each.key: self._beginning(each.element) for each in documents[:MOST_DOCUMENTS]}

    def _beginning(self, element: Element) -> str:
        pattern = self._connection.pattern(element, com.TEXT)
        return with_line_ends(pattern.DocumentRange.GetText(_DOCUMENT_UNITS)) if pattern else ""


def with_line_ends(found: str | None) -> str:
    """Return a text of UI Automation with `\\n` as its line end, empty for none."""
    return (found or "").replace("\r\n", "\n").replace("\r", "\n")


def _each(array: ElementArray) -> list[Element]:
    return [array.GetElement(index) for index in range(array.Length)] if array else []


def _walk(root: Element, handle: int, apart: Collection[int], reading: Reading) -> Iterator[Found]:
    """Yield the elements of a window, parents before their children."""
    left = [Found(root, str(handle), None, "frame", None)]
    while left:
        found = left.pop()
        if len(reading.elements) == MOST:
            reading.tree.cut(f"it has more than {MOST} controls")
            return
        if found.key in reading.elements:
            reading.tree.cut(f'two controls are the same, one of them "{found.element.CachedName or ""}"')
            continue
        reading.elements[found.key] = found.element
        reading.windows.add(cached.handle(found.element))
        children = _each(found.element.GetCachedChildren())
        inside = [each for each in children if cached.handle(each) not in apart]
        left += reversed([_inside(found, index, each) for index, each in enumerate(inside)])
        yield found


def _inside(above: Found, index: int, element: Element) -> Found:
    identity = runtime_id(element)
    handle = above.key.partition("/")[0]
    place = f"{above.key}:{index}" if "/" in above.key else f"{above.key}/:{index}"
    children = element.GetCachedChildren()
    return Found(
        element,
        f"{handle}/u{identity}" if identity else place,
        above.key,
        role_of(element, above.role, leaf=not (children and children.Length)),
        _view_in(above),
    )


def _view_in(found: Found) -> Rect | None:
    """Return the part of the screen that the content of an element can be seen in."""
    if found.role in _OPENED:
        return None
    if not flag(found.element, Property.IsScrollPatternAvailable):
        return found.view
    return _cut(cached.rect(found.element), found.view)


def _cut(rect: Rect, view: Rect | None) -> Rect:
    if view is None:
        return rect
    left, top = max(rect[0], view[0]), max(rect[1], view[1])
    right, bottom = min(rect[2], view[2]), min(rect[3], view[3])
    return (left, top, right, bottom) if left < right and top < bottom else NOWHERE


def _text(found: Found, texts: Mapping[str, str], documents: Mapping[str, str]) -> str | None:
    if found.role == "password text":
        return ""
    if found.role not in _FIELDS:
        return None
    if found.key in documents:
        return documents[found.key]
    value = texts.get(runtime_id(found.element))
    return None if value is None else with_line_ends(value)


def _node(found: Found, value: str | None) -> Node:
    element, role = found.element, found.role
    rect = _cut(cached.rect(element), found.view)
    showing = rect != NOWHERE and not element.CachedIsOffscreen
    is_table = role == "table" and flag(element, Property.IsGridPatternAvailable)
    is_cell = flag(element, Property.IsGridItemPatternAvailable)
    description = (text(element, Property.HelpText), text(element, Property.AcceleratorKey))
    return Node(
        key=found.key,
        parent=found.parent,
        role=role,
        name=element.CachedName or "",
        text=value,
        states=states_of(element, role, showing=showing),
        rect=rect,
        actions=actions_of(element, role),
        value=value_of(element),
        description=" ".join(filter(None, description)),
        count=int(number(element, Property.GridRowCount)) if is_table else None,
        columns=int(number(element, Property.GridColumnCount)) if is_table else None,
        row=int(number(element, Property.GridItemRow)) if is_cell else None,
        column=int(number(element, Property.GridItemColumn)) if is_cell else None,
        automation_id=text(element, Property.AutomationId),
        window_class=text(element, Property.ClassName) or text(element, Property.LocalizedControlType),
    )
