"""The AT-SPI members we use, as calls, and decoders of their answers."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from deskhand.core.errors import DesktopError
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.desktop.linux.atspi.client import Call, Reply

_PREFIX: Final = "org.a11y.atspi."
ACCESSIBLE: Final = _PREFIX + "Accessible"
ACTION: Final = _PREFIX + "Action"
APPLICATION: Final = _PREFIX + "Application"
COMPONENT: Final = _PREFIX + "Component"
EDITABLE_TEXT: Final = _PREFIX + "EditableText"
SELECTION: Final = _PREFIX + "Selection"
COLLECTION: Final = _PREFIX + "Collection"
HYPERLINK: Final = _PREFIX + "Hyperlink"
TABLE: Final = _PREFIX + "Table"
TEXT: Final = _PREFIX + "Text"
VALUE: Final = _PREFIX + "Value"
LONG_LIST: Final = "org.deskhand.LongList"
"""Items out of view, of programs that we expose ourselves."""
PROPERTIES: Final = "org.freedesktop.DBus.Properties"

REGISTRY: Final = "org.a11y.atspi.Registry"
REGISTRY_PATH: Final = "/org/a11y/atspi/registry"
ROOT_PATH: Final = "/org/a11y/atspi/accessible/root"
NULL_PATH: Final = "/org/a11y/atspi/null"

SCREEN: Final = 0
WINDOW: Final = 1
"""From where places count."""

LABEL_FOR: Final = 1
LABELLED_BY: Final = 2
"""Numbers of relations."""

EMBEDDED: Final = "\ufffc"
"""Placeholder in a text for each embedded object; the objects are its children."""

LACKING: Final = "lacking"
"""Attribute of a window that a bridge exposes: why not all that is visible in it was read."""
PROCESS: Final = "process"
"""Attribute of an application that is exposed by another process: the number of its own."""

_HANDLE: Final = "atspi:"
_IN_DOCUMENT: Final = "#"
_IN_SHEET: Final = "@"
_IN_VIEW: Final = "!"
_IN_TREE: Final = "~"
_MARKS: Final = (_IN_DOCUMENT, _IN_SHEET, _IN_VIEW, _IN_TREE)
"""Characters that no object path contains."""

_SEQUENCE: Final = (list, tuple)
_NUMBER: Final[set[type]] = {int}
_TEXT: Final[set[type]] = {str}
_PAIR: Final = 2
_EXTENTS: Final = 4
_KEPT: Final = 4096
"""References that are remembered."""

_MOST_WORDS: Final = 50

_A_BUS: Final = re.compile(r"(?=.{3,255}\Z)(?::[\w-]+|[A-Za-z_-][\w-]*)(?:\.[\w-]+)+", re.ASCII).fullmatch
_A_PATH: Final = re.compile(r"(?=.{1,2000}\Z)/(?:\w+(?:/\w+)*)?", re.ASCII).fullmatch
"""As D-Bus has them."""


class Ref(NamedTuple):
    """An accessible object: the bus name of its application, and its path there."""

    bus: str
    path: str

    @property
    def handle(self) -> str:
        return f"{_HANDLE}{self.bus}:{self.path}"

    def call(self, interface: str, member: str, signature: str = "", *body: object) -> Call:
        return Call(self.bus, self.path, interface, member, signature, body)

    def get(self, interface: str, name: str) -> Call:
        """One property. A request for all at once ends some applications."""
        return Call(self.bus, self.path, PROPERTIES, "Get", "ss", (interface, name))


def parse_handle(handle: str) -> Ref | None:
    """The object a control's handle means; None where it is not one of ours, or means no object of its own."""
    if not handle.startswith(_HANDLE) or any(mark in handle for mark in _MARKS):
        return None
    bus, _, path = handle.removeprefix(_HANDLE).rpartition(":")
    return Ref(bus, path) if bus and path.startswith("/") else None


def named_in(handle: str) -> Ref | None:
    """Return the parts of a handle, of a real object or not; None if it is not one of ours."""
    bus, found, path = handle.removeprefix(_HANDLE).partition(":/")
    return Ref(bus, f"/{path}") if handle.startswith(_HANDLE) and bus and found else None


def document_table(document: Ref, name: str) -> Ref:
    """A whole table of a text document, by its name; only its `handle` is valid.

    Objects of tables die when the view moves, documents live and names are unique in one. No call can be made to it.
    """
    return Ref(document.bus, f"{document.path}{_IN_DOCUMENT}{name}")


def parse_document_table(handle: str) -> tuple[Ref, str] | None:
    """The document and the name that a handle made by `document_table` means; None for any other."""
    before, found, name = handle.partition(_IN_DOCUMENT)
    document = parse_handle(before)
    return (document, name) if found and document else None


def cell_of(table: Ref, row: int, column: int) -> Ref:
    """A cell of a spreadsheet, by its place from 0; only its `handle` is valid.

    The objects of its cells live for seconds, tables live and places are unique in one. No call can be made to it.
    """
    return Ref(table.bus, f"{table.path}{_IN_SHEET}{row},{column}")


def is_cell_of_sheet(ref: Ref) -> bool:
    """Whether it was made by `cell_of`. Names that others are made of may have any character in them."""
    return _IN_SHEET in ref.path and place_in_sheet(ref) is not None


def place_in_sheet(ref: Ref) -> str | None:
    """Return row and column of a cell made by `cell_of`, as its path has them; None for any other."""
    before, found, place = ref.path.partition(_IN_SHEET)
    return place if found and not (_IN_DOCUMENT in before or _IN_VIEW in before or _IN_TREE in before) else None


def parse_cell(handle: str) -> tuple[Ref, int, int] | None:
    """The table, row and column that a handle made by `cell_of` means; None for any other."""
    before, found, place = handle.partition(_IN_SHEET)
    table = parse_handle(before)
    row, _, column = place.partition(",")
    return (table, int(row), int(column)) if found and table and row.isdigit() and column.isdigit() else None


def item_of(container: Ref, index: int) -> Ref:
    """An item of a view that creates an object for each request, by its number among the children.

    No call can be made to it. Another item has that number as soon as one is put in before it.
    """
    return Ref(container.bus, f"{container.path}{_IN_VIEW}{index}")


def parse_item(handle: str) -> tuple[Ref, int] | None:
    """The container and number that a handle made by `item_of` means; None for any other."""
    before, found, index = handle.partition(_IN_VIEW)
    container = parse_handle(before)
    return (container, int(index)) if found and container and index.isdigit() else None


def row_of(tree: Ref, names: Sequence[str]) -> Ref:
    """A row of a tree that creates an object for each request, by its name and those of the rows above it.

    No call can be made to it.
    """
    return Ref(tree.bus, f"{tree.path}{_IN_TREE}{' > '.join(names)}")


def parse_row(handle: str) -> Ref | None:
    """The tree of the row that a handle made by `row_of` means; None for any other."""
    before, found, _ = handle.partition(_IN_TREE)
    return parse_handle(before) if found else None


def get_state(ref: Ref) -> Call:
    return ref.call(ACCESSIBLE, "GetState")


def get_role(ref: Ref) -> Call:
    return ref.call(ACCESSIBLE, "GetRole")


def get_name(ref: Ref) -> Call:
    return ref.get(ACCESSIBLE, "Name")


def get_accessible_id(ref: Ref) -> Call:
    return ref.get(ACCESSIBLE, "AccessibleId")


def get_children(ref: Ref) -> Call:
    return ref.call(ACCESSIBLE, "GetChildren")


def get_child_count(ref: Ref) -> Call:
    return ref.get(ACCESSIBLE, "ChildCount")


def get_child(ref: Ref, index: int) -> Call:
    return ref.call(ACCESSIBLE, "GetChildAtIndex", "i", index)


def get_attributes(ref: Ref) -> Call:
    return ref.call(ACCESSIBLE, "GetAttributes")


def get_index(ref: Ref) -> Call:
    """Get its number among the children of its parent."""
    return ref.call(ACCESSIBLE, "GetIndexInParent")


def get_interfaces(ref: Ref) -> Call:
    return ref.call(ACCESSIBLE, "GetInterfaces")


def get_relations(ref: Ref) -> Call:
    return ref.call(ACCESSIBLE, "GetRelationSet")


def get_extents(ref: Ref, space: int = SCREEN) -> Call:
    """The answer counts from the corner of the screen, or of the window with WINDOW, in pixels of the application."""
    return ref.call(COMPONENT, "GetExtents", "u", space)


def get_text(ref: Ref, limit: int = -1) -> Call:
    """The first `limit` characters; all with -1."""
    return ref.call(TEXT, "GetText", "ii", 0, limit)


def get_part(ref: Ref, start: int, end: int) -> Call:
    """The characters of a text from `start` to before `end`."""
    return ref.call(TEXT, "GetText", "ii", start, end)


def get_attribute_run(ref: Ref, at: int) -> Call:
    """Get the attributes at a place of a text that differ from the default, and where they begin and end."""
    return ref.call(TEXT, "GetAttributeRun", "ib", at, False)


def get_range_extents(ref: Ref, start: int, end: int, space: int) -> Call:
    """Get the extents of characters of a text, as `get_extents`; see `extents_in`."""
    return ref.call(TEXT, "GetRangeExtents", "iiu", start, end, space)


def get_text_length(ref: Ref) -> Call:
    """In characters."""
    return ref.get(TEXT, "CharacterCount")


def get_caret(ref: Ref) -> Call:
    return ref.get(TEXT, "CaretOffset")


def count_selections(ref: Ref) -> Call:
    return ref.call(TEXT, "GetNSelections")


def get_selection(ref: Ref) -> Call:
    """The first one: its start and end."""
    return ref.call(TEXT, "GetSelection", "i", 0)


def get_chosen(ref: Ref) -> Call:
    """Get the first selected child of an object with a selection."""
    return ref.call(SELECTION, "GetSelectedChild", "i", 0)


def get_shown_line(ref: Ref) -> Call:
    """The first line of a text, which may be the displayed one: bullets if the typed one is hidden."""
    return ref.call(TEXT, "GetStringAtOffset", "iu", 0, _LINE)


def showing_below(ref: Ref) -> Call:
    """All visible elements below one, parents before children.

    Takes time for each element below it, visible or not: never returns for tables of very many.
    """
    states, attributes, others = [1 << _SHOWING, 0], dict[str, str](), list[str]()
    rule = (states, _ALL, attributes, _ALL, others, _ALL, others, _ALL, False)
    return ref.call(COLLECTION, "GetMatches", "(aiia{ss}iaiiasib)uib", rule, _IN_ORDER, 0, True)


def get_actions(ref: Ref) -> Call:
    return ref.call(ACTION, "GetActions")


def get_action_name(ref: Ref, index: int) -> Call:
    return ref.call(ACTION, "GetName", "i", index)


def accessible_at(table: Ref, row: int, column: int) -> Call:
    return table.call(TABLE, "GetAccessibleAt", "ii", row, column)


def texts_at(table: Ref, rows: range, columns: range) -> Call:
    """Get the texts of a block, by rows, also out of view."""
    return table.call(LONG_LIST, "GetTexts", "iiii", rows.start, rows.stop, columns.start, columns.stop)


def show_named(container: Ref, name: str) -> Call:
    """Scroll to the item of a name; True: there is one."""
    return container.call(LONG_LIST, "ShowNamed", "s", name)


def row_extent_at(table: Ref, row: int, column: int) -> Call:
    """Get the number of rows that a cell spans."""
    return table.call(TABLE, "GetRowExtentAt", "ii", row, column)


def column_extent_at(table: Ref, row: int, column: int) -> Call:
    """Get the number of columns that a cell spans."""
    return table.call(TABLE, "GetColumnExtentAt", "ii", row, column)


def accessible_at_point(ref: Ref, x: int, y: int, space: int = SCREEN) -> Call:
    """Get the object at a point of the screen, or of the window with WINDOW."""
    return ref.call(COMPONENT, "GetAccessibleAtPoint", "iiu", x, y, space)


_SHOWING: Final = 25
"""The number of that state."""

_ALL: Final = 1
_IN_ORDER: Final = 1
_LARGEST: Final = 2**31
_LINE: Final = 3
_BULLETS: Final = frozenset("●•∙⚫⬤∗✱")


def _first(reply: Reply) -> Any:  # a D-Bus value is typed by its signature
    return reply[0] if reply and not isinstance(reply, DesktopError) else None


def _items(value: Any) -> Sequence[Any]:  # see _first
    return cast("Sequence[Any]", value) if isinstance(value, _SEQUENCE) else ()  # likewise


def ref_of(value: Any) -> Ref | None:  # see _first
    """Decode a reference; None for the null object and for any other value."""
    parts = _items(value)
    return _checked(*parts) if len(parts) == _PAIR and {*map(type, parts)} == _TEXT else None


def are_numbers(values: Sequence[Any]) -> bool:  # see _first
    """Whether all are. (A structural pattern takes ten times as long, and thousands are asked about.)"""
    return {*map(type, values)} == _NUMBER


@lru_cache(_KEPT)
def _checked(bus: str, path: str) -> Ref | None:
    """True for a reference that can be called: a bus closes the connection of a sender of invalid names."""
    return Ref(bus, path) if path != NULL_PATH and _A_BUS(bus) and _A_PATH(path) else None


def text_in(reply: Reply) -> str:
    """A string, "" where there is none."""
    value = _first(reply)
    return value if isinstance(value, str) else ""


def int_in(reply: Reply, default: int = 0) -> int:
    """A number of 32 bits, which all of this interface are: others fit no call that is made with them."""
    value = _first(reply)
    return value if isinstance(value, int) and -_LARGEST <= value < _LARGEST else default


def float_in(reply: Reply) -> float | None:
    value = _first(reply)
    return float(value) if isinstance(value, int | float) else None


def true_in(reply: Reply) -> bool:
    return _first(reply) is True


def pair_in(reply: Reply) -> tuple[int, int]:
    """Two numbers, (-1, -1) where there are none."""
    numbers = () if isinstance(reply, DesktopError) else reply
    return (numbers[0], numbers[1]) if len(numbers) == _PAIR and are_numbers(numbers) else (-1, -1)


def run_in(reply: Reply) -> tuple[int, int]:
    """Begin and end in an answer to `get_attribute_run`; (-1, -1) if it has none."""
    ends = () if isinstance(reply, DesktopError) else reply[1:]
    return (ends[0], ends[1]) if len(ends) == _PAIR and are_numbers(ends) else (-1, -1)


def has_bits(reply: Reply) -> bool:
    """Whether it is a state set at all."""
    return _bits(reply) is not None


def bits_in(reply: Reply) -> int:
    """A state set, 64 bits; 0 where it is none."""
    return _bits(reply) or 0


def _bits(reply: Reply) -> int | None:
    return state_of(_first(reply))


def state_of(value: Any) -> int | None:  # see _first
    """Decode a state set of 64 bits; None for any other value."""
    words = _items(value)
    return words[0] | words[1] << 32 if len(words) == _PAIR and are_numbers(words) else None


def is_hidden(shown: str) -> bool:
    """True if all of a displayed text are bullets but for one character: the last one may be displayed for a moment."""
    return may_be_bullets(shown) and _repeated(shown) in _BULLETS


def may_be_bullets(shown: str) -> bool:
    """True if the displayed text may hide the real one: a star or a letter may be a bullet too."""
    return bool(shown) and len(shown) - shown.count(_repeated(shown)) <= 1


def is_other_than_shown(text: str, shown: str) -> bool:
    """True if a text differs from its display, where that may be bullets.

    Of a long text only the beginning may have been asked for; of several lines only the first is shown.
    """
    if not shown:
        return bool(text) and "\n" not in text
    return may_be_bullets(shown) and not text.startswith(shown) and not (text and shown.startswith(text))


def _repeated(shown: str) -> str:
    """Return the most frequent character, of two the bullet."""
    return max(set(shown), key=lambda character: (shown.count(character), character in _BULLETS))


def texts_in(reply: Reply) -> tuple[tuple[str, ...], ...]:
    """Texts, row by row."""
    return tuple(tuple(str(text) for text in _items(row)) for row in _items(_first(reply)))


def strings_in(reply: Reply) -> tuple[str, ...]:
    return tuple(str(item) for item in _items(_first(reply)))


def words_in(reply: Reply) -> frozenset[str]:
    """The first strings of a list that is the same for many, such as interfaces."""
    return words_of(_first(reply))


def words_of(value: Any) -> frozenset[str]:  # see _first
    """Decode the same from an answer."""
    words = tuple(_items(value))[:_MOST_WORDS]
    return _set_of(words if {*map(type, words)} == _TEXT else tuple(map(str, words)))


@lru_cache(_KEPT)
def _set_of(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(words)


def rows_in(reply: Reply) -> Sequence[Any]:
    """An array of structures."""
    return _items(_first(reply))


def ref_in(reply: Reply) -> Ref | None:
    """A reference; None for the null object."""
    return ref_of(_first(reply))


def refs_in(reply: Reply) -> list[Ref]:
    return [ref for item in _items(_first(reply)) if (ref := ref_of(item))]


def rect_in(reply: Reply) -> Rect:
    extents = _items(_first(reply))
    return _rect(*extents) if len(extents) == _EXTENTS and are_numbers(extents) else NOWHERE


def extents_in(reply: Reply) -> Rect:
    """The same where the answer is four numbers, not one of them that has four."""
    return NOWHERE if isinstance(reply, DesktopError) else rect_in([reply])


_rect: Final = lru_cache(_KEPT)(Rect.from_extents)


_KEYS_END: Final = ";"


def action_names_in(reply: Reply) -> tuple[str, ...]:
    """The names of `GetActions`, in the order of their numbers; "" for a list of keys in place of a name."""
    names = (str(_items(item)[0]) for item in _items(_first(reply)) if _items(item))
    return tuple("" if name.endswith(_KEYS_END) else name for name in names)


def labels_in(reply: Reply) -> list[Ref]:
    """The objects that a relation set calls labels."""
    return related_in(reply, LABELLED_BY)


def related_in(reply: Reply, relation: int) -> list[Ref]:
    """Return the objects in a relation of this number."""
    relations = [_items(item) for item in _items(_first(reply))]
    targets = [
        target
        for found in relations
        if found and found[0] == relation
        for part in found[1:2]
        for target in _items(part)
    ]
    return [ref for target in targets if (ref := ref_of(target))]


def attributes_in(reply: Reply) -> dict[str, str]:
    """Names and values, as of `GetAttributes`."""
    value = _first(reply)
    items = cast("dict[Any, Any]", value).items() if isinstance(value, dict) else ()  # typed by the signature
    return {str(name): str(text) for name, text in items}


def number_in(attributes: Reply) -> int:
    """Number of an element among its siblings, from 1; of a combo box of a page, that of its choice. 0: not exposed."""
    return _attribute_number(attributes, "posinset")


def count_in(attributes: Reply) -> int:
    """Number of siblings of an element and itself; of a combo box of a page, of its items. 0: not exposed."""
    return _attribute_number(attributes, "setsize")


def process_in(attributes: Reply) -> int:
    """Process that an application on the bus of another one belongs to. 0: not exposed."""
    return _attribute_number(attributes, PROCESS)


def _attribute_number(attributes: Reply, name: str) -> int:
    number = attributes_in(attributes).get(name, "")
    return int(number) if re.fullmatch(r"[0-9]{1,9}", number) else 0
