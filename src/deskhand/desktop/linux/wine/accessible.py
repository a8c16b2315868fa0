"""AT-SPI for the controls of a Windows window: what each interface answers, by its member."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from dbus_fast import Variant

from deskhand.desktop.linux.atspi import calls, roles
from deskhand.desktop.linux.atspi.bulk import ITEMS
from deskhand.desktop.linux.wine.window_tree import Control, Tree

ROOT: Final = "root"
TOOLKIT: Final = "Win32"
_FOLDER: Final = "/org/a11y/atspi/accessible/"
_NOBODY: Final = ("", calls.NULL_PATH)
_NOT_IN_PATHS: Final = re.compile(r"[^A-Za-z0-9/]")
_ENCODED: Final = re.compile("_([0-9a-f]{2})")
_PARENT_SPACE: Final = 2
_LAYER: Final = 3
"""Widgets."""

_LONG_LISTS: Final = frozenset({"list", "table", "tree"})

_STATE_BITS: Final = {
    "active": roles.ACTIVE,
    "checkable": roles.CHECKABLE,
    "checked": roles.CHECKED,
    "editable": roles.EDITABLE,
    "enabled": 1 << 8,
    "expandable": roles.EXPANDABLE,
    "expanded": roles.EXPANDED,
    "focusable": roles.FOCUSABLE,
    "focused": roles.FOCUSED,
    "has-popup": 1 << 42,
    "horizontal": roles.HORIZONTAL,
    "indeterminate": roles.INDETERMINATE,
    "modal": roles.MODAL,
    "multi-line": roles.MULTI_LINE,
    "multiselectable": 1 << 18,
    "pressed": roles.PRESSED,
    "read-only": roles.READ_ONLY,
    "selectable": roles.SELECTABLE,
    "selected": roles.SELECTED,
    "sensitive": 1 << 24,
    "showing": roles.SHOWING,
    "single-line": roles.SINGLE_LINE,
    "vertical": roles.VERTICAL,
    "visible": roles.VISIBLE,
}

Answer: TypeAlias = tuple[str, list[Any]]  # a D-Bus value is typed by its signature
Reader: TypeAlias = Callable[["Asked"], Answer]


class NoSuchMember(Exception):
    """The object does not have this member."""


@dataclass(frozen=True, slots=True)
class Program:
    """A Windows program: its bus name, its name, its process on Linux, and its windows, topmost first."""

    bus: str
    name: str
    pid: int
    trees: Mapping[int, Tree]

    def control(self, key: str) -> tuple[Control, Tree] | None:
        """Return a control with the tree of its window; None if there is none now."""
        return next(((tree.controls[key], tree) for tree in self.trees.values() if key in tree.controls), None)

    def ref(self, key: str) -> tuple[str, str]:
        return self.bus, path_of(key)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to an object: of which program, control (None: the application itself), and with which arguments."""

    program: Program
    control: Control | None
    tree: Tree | None
    arguments: Sequence[Any]  # typed by their signature

    @property
    def children(self) -> list[str]:
        if self.control is not None:
            return self.control.children
        return [tree.root for tree in self.program.trees.values()]


def path_of(key: str) -> str:
    """Return the object path of a control."""
    return _FOLDER + _NOT_IN_PATHS.sub(lambda found: f"_{ord(found[0]):02x}", key)


def key_of(path: str) -> str:
    """Return the key that a path was made of, "" for another one."""
    if not path.startswith(_FOLDER):
        return ""
    return _ENCODED.sub(lambda found: chr(int(found[1], 16)), path.removeprefix(_FOLDER))


def read(asked: Asked, interface: str, member: str) -> Answer:
    """Answer a call that changes nothing. Raises: NoSuchMember."""
    if (interface, member) == (calls.PROPERTIES, "Get"):
        signature, values = _property(asked, *map(str, asked.arguments))
        return "v", [Variant(signature, values[0])]
    if (interface, member) == (calls.PROPERTIES, "GetAll"):
        return "a{sv}", [_all_properties(asked, str(asked.arguments[0]))]
    reader = _MEMBERS.get((interface, member)) if interface in interfaces_of(asked.control) else None
    if reader is None:
        raise NoSuchMember
    return reader(asked)


def _property(asked: Asked, interface: str, name: str) -> Answer:
    reader = _PROPERTIES.get((interface, name)) if interface in interfaces_of(asked.control) else None
    if reader is None:
        raise NoSuchMember
    return reader(asked)


def _all_properties(asked: Asked, interface: str) -> dict[str, Variant]:
    names = [name for owner, name in _PROPERTIES if owner == interface and owner in interfaces_of(asked.control)]
    return {name: Variant(*_of_one(_property(asked, interface, name))) for name in names}


def _of_one(answer: Answer) -> tuple[str, Any]:
    return answer[0], answer[1][0]


def interfaces_of(control: Control | None) -> list[str]:
    """Return the interfaces of a control; of the application for None."""
    if control is None:
        return [calls.ACCESSIBLE, calls.APPLICATION]
    found = [calls.ACCESSIBLE, calls.COMPONENT]
    found += [calls.ACTION] if control.actions else []
    found += [calls.TEXT] if control.text is not None else []
    found += [calls.EDITABLE_TEXT] if control.text is not None and "editable" in control.states else []
    found += [calls.VALUE] if control.value is not None else []
    found += [calls.SELECTION] if control.selects else []
    found += [calls.TABLE] if control.columns is not None else []
    found += [calls.LONG_LIST] if control.role in _LONG_LISTS else []
    return found


def items(program: Program) -> Answer:
    """Answer `GetItems` of the cache: every control of every window."""
    rows = [
        row
        for tree in program.trees.values()
        for control in tree.controls.values()
        for row in [_item(program, tree, control)]
    ]
    return ITEMS, [rows]


def _item(program: Program, tree: Tree, control: Control) -> list[object]:
    asked = Asked(program, control, tree, ())
    return [
        list(program.ref(control.key)),
        list(program.ref(ROOT)),
        list(program.ref(control.parent or ROOT)),
        _index(asked),
        len(control.children),
        interfaces_of(control),
        control.name,
        role_number(control),
        control.description,
        _words(state_bits(control)),
    ]


def state_bits(control: Control) -> int:
    """Return the states of a control as AT-SPI's bits."""
    bits = roles.TRUNCATED if control.lacking else 0
    for state in control.states:
        bits |= _STATE_BITS.get(state, 0)
    return bits


def role_number(control: Control) -> int:
    """Return AT-SPI's number of a control's role; 0, the invalid one, for a name that AT-SPI does not have."""
    return roles.number_of(control.role)


def _words(bits: int) -> list[int]:
    return [bits & 0xFFFFFFFF, bits >> 32]


def _index(asked: Asked) -> int:
    control = asked.control
    if control is None:
        return 0
    above = asked.tree.controls.get(control.parent) if asked.tree and control.parent else None
    siblings = above.children if above else [tree.root for tree in asked.program.trees.values()]
    return siblings.index(control.key) if control.key in siblings else -1


def _parent(asked: Asked) -> Answer:
    if asked.control is None:
        return "(so)", [list(_NOBODY)]
    return "(so)", [list(asked.program.ref(asked.control.parent or ROOT))]


def _state(asked: Asked) -> Answer:
    bits = state_bits(asked.control) if asked.control else roles.ENABLED | roles.SHOWING | roles.VISIBLE
    return "au", [_words(bits)]


def _name(asked: Asked) -> Answer:
    return "s", [asked.control.name if asked.control else asked.program.name]


def _role(asked: Asked) -> Answer:
    return "u", [role_number(asked.control) if asked.control else roles.APPLICATION]


def _role_name(asked: Asked) -> Answer:
    return "s", [asked.control.role if asked.control else "application"]


def _attributes(asked: Asked) -> Answer:
    own = {calls.PROCESS: str(asked.program.pid)} if asked.control is None else {}
    if asked.control is not None and asked.control.count is not None:
        own["setsize"] = str(asked.control.count)
    if asked.control is not None and asked.control.lacking:
        own[calls.LACKING] = asked.control.lacking
    return "a{ss}", [{"toolkit": TOOLKIT, **own}]


def _child_at(asked: Asked) -> Answer:
    at = int(asked.arguments[0])
    children = asked.children
    found = asked.program.ref(children[at]) if 0 <= at < len(children) else _NOBODY
    return "(so)", [list(found)]


def _children(asked: Asked) -> Answer:
    return "a(so)", [[list(asked.program.ref(key)) for key in asked.children]]


# --- places


def _extents(asked: Asked) -> tuple[int, int, int, int]:
    """Return left, top, width and height in the requested space."""
    control, space = asked.control, int(asked.arguments[-1])
    if control is None or asked.tree is None:
        return 0, 0, 0, 0
    left, top, right, bottom = control.rect
    around = {calls.WINDOW: asked.tree.root, _PARENT_SPACE: control.parent or ""}.get(space, "")
    origin = asked.tree.controls[around].rect if around in asked.tree.controls else (0, 0)
    return left - origin[0], top - origin[1], right - left, bottom - top


def _all_extents(asked: Asked) -> Answer:
    return "(iiii)", [list(_extents(asked))]


def _position(asked: Asked) -> Answer:
    return "ii", list(_extents(asked)[:2])


def _size(asked: Asked) -> Answer:
    at_origin = Asked(asked.program, asked.control, asked.tree, (calls.SCREEN,))
    return "ii", list(_extents(at_origin)[2:])


def _contains(asked: Asked) -> Answer:
    x, y, _ = map(int, asked.arguments)
    left, top, width, height = _extents(asked)
    return "b", [left <= x < left + width and top <= y < top + height]


# --- texts


def _text(asked: Asked) -> str:
    return (asked.control.text or "") if asked.control else ""


def _part(asked: Asked) -> Answer:
    start, end = map(int, asked.arguments)
    text = _text(asked)
    return "s", [text[max(start, 0) : len(text) if end < 0 else end]]


def _length(asked: Asked) -> Answer:
    control = asked.control
    return "i", [((control.length or control.hidden) if control else 0) or len(_text(asked))]


def _line(asked: Asked) -> Answer:
    """The text from the place to the end of its line, whatever granularity was asked for."""
    at, text = int(asked.arguments[0]), _text(asked)
    start = text.rfind("\n", 0, max(at, 0)) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return "sii", [text[start:end], start, end]


def _caret(asked: Asked) -> Answer:
    return "i", [asked.control.caret if asked.control else -1]


def _chosen(asked: Asked) -> tuple[int, int] | None:
    return asked.control.selection if asked.control else None


def _selections(asked: Asked) -> Answer:
    chosen = _chosen(asked)
    return "i", [1 if chosen and chosen[0] != chosen[1] else 0]


def _selection(asked: Asked) -> Answer:
    return "ii", list(_chosen(asked) or (0, 0))


# --- actions, numbers, selected items


def _actions(asked: Asked) -> Answer:
    names = asked.control.actions if asked.control else ()
    return "a(sss)", [[[name, "", ""] for name in names]]


def _action_name(asked: Asked) -> Answer:
    at, names = int(asked.arguments[0]), asked.control.actions if asked.control else ()
    return "s", [names[at] if 0 <= at < len(names) else ""]


def _number(index: int) -> Reader:
    def reader(asked: Asked) -> Answer:
        return "d", [asked.control.value[index] if asked.control and asked.control.value else 0.0]

    return reader


def _selected(asked: Asked) -> list[str]:
    tree = asked.tree
    return [key for key in asked.children if tree and "selected" in tree.controls[key].states]


def _selected_child(asked: Asked) -> Answer:
    at, found = int(asked.arguments[0]), _selected(asked)
    return "(so)", [list(asked.program.ref(found[at]) if 0 <= at < len(found) else _NOBODY)]


def _is_child_selected(asked: Asked) -> Answer:
    at, children = int(asked.arguments[0]), asked.children
    return "b", [0 <= at < len(children) and children[at] in _selected(asked)]


def _rows(asked: Asked) -> Answer:
    return "i", [(asked.control.count or 0) if asked.control else 0]


def _columns(asked: Asked) -> Answer:
    return "i", [(asked.control.columns or 0) if asked.control else 0]


def _cell_at(asked: Asked) -> Answer:
    """The cell at a place, if it is in view."""
    row, column = map(int, asked.arguments)
    cells = asked.tree.controls.values() if asked.tree and asked.control else ()
    inside = f"{asked.control.key}/" if asked.control else ""
    found = [cell.key for cell in cells if (cell.row, cell.column) == (row, column) and cell.key.startswith(inside)]
    return "(so)", [list(asked.program.ref(found[0]) if found else _NOBODY)]


def _relations(asked: Asked) -> Answer:
    label = asked.control.labelled_by if asked.control else None
    return "a(ua(so))", [[[calls.LABELLED_BY, [list(asked.program.ref(label))]]] if label else []]


def _id_of(control: Control | None) -> str:
    """Return the number of a control in its dialog, as the AutomationId of UI Automation."""
    return str(control.control_id) if control is not None and control.control_id is not None else ""


def _constant(signature: str, value: object) -> Reader:
    return lambda _: (signature, [value])


_MEMBERS: Final[Mapping[tuple[str, str], Reader]] = {
    (calls.ACCESSIBLE, "GetState"): _state,
    (calls.ACCESSIBLE, "GetRole"): _role,
    (calls.ACCESSIBLE, "GetRoleName"): _role_name,
    (calls.ACCESSIBLE, "GetLocalizedRoleName"): _role_name,
    (calls.ACCESSIBLE, "GetChildren"): _children,
    (calls.ACCESSIBLE, "GetChildAtIndex"): _child_at,
    (calls.ACCESSIBLE, "GetIndexInParent"): lambda asked: ("i", [_index(asked)]),
    (calls.ACCESSIBLE, "GetInterfaces"): lambda asked: ("as", [interfaces_of(asked.control)]),
    (calls.ACCESSIBLE, "GetAttributes"): _attributes,
    (calls.ACCESSIBLE, "GetApplication"): lambda asked: ("(so)", [list(asked.program.ref(ROOT))]),
    (calls.ACCESSIBLE, "GetRelationSet"): _relations,
    (calls.APPLICATION, "GetApplicationBusAddress"): _constant("s", ""),
    (calls.APPLICATION, "GetLocale"): _constant("s", ""),
    (calls.COMPONENT, "GetExtents"): _all_extents,
    (calls.COMPONENT, "GetPosition"): _position,
    (calls.COMPONENT, "GetSize"): _size,
    (calls.COMPONENT, "Contains"): _contains,
    (calls.COMPONENT, "GetLayer"): _constant("u", _LAYER),
    (calls.COMPONENT, "GetMDIZOrder"): _constant("n", 0),
    (calls.COMPONENT, "GetAlpha"): _constant("d", 1.0),
    (calls.TEXT, "GetText"): _part,
    (calls.TEXT, "GetStringAtOffset"): _line,
    (calls.TEXT, "GetNSelections"): _selections,
    (calls.TEXT, "GetSelection"): _selection,
    (calls.ACTION, "GetActions"): _actions,
    (calls.ACTION, "GetName"): _action_name,
    (calls.ACTION, "GetLocalizedName"): _action_name,
    (calls.ACTION, "GetDescription"): _constant("s", ""),
    (calls.ACTION, "GetKeyBinding"): _constant("s", ""),
    (calls.SELECTION, "GetSelectedChild"): _selected_child,
    (calls.SELECTION, "IsChildSelected"): _is_child_selected,
    (calls.TABLE, "GetAccessibleAt"): _cell_at,
    (calls.TABLE, "GetRowExtentAt"): _constant("i", 1),
    (calls.TABLE, "GetColumnExtentAt"): _constant("i", 1),
}

_PROPERTIES: Final[Mapping[tuple[str, str], Reader]] = {
    (calls.ACCESSIBLE, "Name"): _name,
    (calls.ACCESSIBLE, "Description"): lambda asked: ("s", [asked.control.description if asked.control else ""]),
    (calls.ACCESSIBLE, "Parent"): _parent,
    (calls.ACCESSIBLE, "ChildCount"): lambda asked: ("i", [len(asked.children)]),
    (calls.ACCESSIBLE, "Locale"): _constant("s", ""),
    (calls.ACCESSIBLE, "AccessibleId"): lambda asked: ("s", [_id_of(asked.control)]),
    (calls.APPLICATION, "ToolkitName"): _constant("s", TOOLKIT),
    (calls.APPLICATION, "Version"): _constant("s", "1"),
    (calls.APPLICATION, "AtspiVersion"): _constant("s", "2.1"),
    (calls.APPLICATION, "Id"): _constant("i", 0),
    (calls.TEXT, "CharacterCount"): _length,
    (calls.TEXT, "CaretOffset"): _caret,
    (calls.ACTION, "NActions"): lambda asked: ("i", [len(asked.control.actions if asked.control else ())]),
    (calls.VALUE, "CurrentValue"): _number(0),
    (calls.VALUE, "MinimumValue"): _number(1),
    (calls.VALUE, "MaximumValue"): _number(2),
    (calls.VALUE, "MinimumIncrement"): _number(3),
    (calls.SELECTION, "NSelectedChildren"): lambda asked: ("i", [len(_selected(asked))]),
    (calls.TABLE, "NRows"): _rows,
    (calls.TABLE, "NColumns"): _columns,
}
