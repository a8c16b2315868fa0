"""From the nodes of a window's tree to targets."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PureWindowsPath
from typing import Final

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TEXT_CUT, Fingerprint, TargetInfo, TargetKind, Trait
from deskhand.core.text import number_text
from deskhand.desktop.identity import Scene, with_alike
from deskhand.desktop.surroundings import TEXTS, Element, Surroundings
from deskhand.desktop.windows.win32.nodes import Node, Window

_LONGEST: Final = 2000
"""Characters of a text whose beginning an observation has."""
_DIALOG: Final = "#32770"
_LONG: Final = frozenset({Role.LIST, Role.TABLE, Role.TREE})
ROLES: Final = {
    "alert": Role.ALERT,
    "check box": Role.CHECKBOX,
    "check menu item": Role.MENUITEMCHECKBOX,
    "combo box": Role.COMBOBOX,
    "dialog": Role.DIALOG,
    "document frame": Role.DOCUMENT,
    "entry": Role.TEXTBOX,
    "frame": Role.WINDOW,
    "heading": Role.HEADING,
    "image": Role.IMAGE,
    "label": Role.LABEL,
    "link": Role.LINK,
    "list": Role.LIST,
    "list item": Role.LISTITEM,
    "menu": Role.MENU,
    "menu bar": Role.MENUBAR,
    "menu item": Role.MENUITEM,
    "page tab": Role.TAB,
    "page tab list": Role.TABLIST,
    "panel": Role.GROUP,
    "password text": Role.PASSWORD,
    "popup menu": Role.MENU,
    "progress bar": Role.PROGRESSBAR,
    "push button": Role.BUTTON,
    "radio button": Role.RADIO,
    "radio menu item": Role.MENUITEMRADIO,
    "scroll bar": Role.SCROLLBAR,
    "separator": Role.SEPARATOR,
    "slider": Role.SLIDER,
    "spin button": Role.SPINBUTTON,
    "status bar": Role.STATUS,
    "table": Role.TABLE,
    "table cell": Role.CELL,
    "table column header": Role.COLUMNHEADER,
    "table row": Role.ROW,
    "text": Role.TEXTBOX,
    "toggle button": Role.BUTTON,
    "tool bar": Role.TOOLBAR,
    "tool tip": Role.TOOLTIP,
    "tree": Role.TREE,
    "tree item": Role.TREEITEM,
    "window": Role.WINDOW,
}
_NUMERIC: Final = frozenset({Role.PROGRESSBAR, Role.SCROLLBAR, Role.SLIDER, Role.SPINBUTTON})
_SHELLS: Final = frozenset({Role.GROUP, Role.IMAGE, Role.LABEL, Role.SCROLLBAR, Role.UNKNOWN, Role.WINDOW})
"""Roles that mean something only with a name or a value."""
_NOT_OFFERED: Final = "focus"
"""An action of a node that is a method of its own."""


def window_target(window: Window, owner: str = "", *, minimized: bool = False, modal: bool = False) -> TargetInfo:
    """Return a window as a target. `owner`: the handle of its owner; a modal one disables that."""
    role = Role.DIALOG if window.window_class == _DIALOG else Role.WINDOW
    states = {"enabled", "showing", "visible"}
    states |= {"active"} if window.active else set[str]()
    states |= {MINIMIZED} if minimized else set[str]()
    states |= {"modal"} if modal else set[str]()
    return TargetInfo(
        kind=TargetKind.WINDOW,
        name=window.name,
        type=role,
        rect=Rect(*window.rect),
        raw_role=window.window_class,
        states=frozenset(states),
        handle=str(window.hwnd),
        parent=owner,
        fingerprint=Fingerprint(role, window.name, (), window.name),
        application=PureWindowsPath(window.program).stem.lower(),
        pid=window.pid,
    )


def controls_of(nodes: Sequence[Node], window: TargetInfo) -> tuple[TargetInfo, ...]:
    """Return the visible controls of a window, parents before children, without those that carry nothing."""
    labels, holders = _mere_labels(nodes), {node.parent for node in nodes}
    shown = (node for node in nodes if node.key != window.handle and node.key not in labels)
    listed = {node.key: node for node in shown if _is_listed(node, has_children=node.key in holders)}
    parents = {node.key: node.parent for node in nodes}
    around = surroundings_of(nodes, window)
    records = around.records([(node.key, role_of(node), node.name) for node in listed.values()])
    paths: dict[str, tuple[str, ...]] = {}
    counts: defaultdict[str, Counter[Role]] = defaultdict(Counter)
    prints: list[Fingerprint] = []
    above: dict[str, str] = {}
    for node in listed.values():
        role, parent = role_of(node), node.parent
        while parent and parent not in listed:
            parent = parents.get(parent)
        above[node.key] = parent or ""
        step = f"{role}:{node.name}" if node.name else f"{role}#{counts[parent or ''][role]}"
        counts[parent or ""][role] += 1
        paths[node.key] = (*paths.get(parent or "", ()), step)
        record = records.get(node.key, ())
        prints.append(
            Fingerprint(role, node.name, paths[node.key], window.name, _value_of(node), record, window.handle)
        )
    found = zip(listed.values(), with_alike(prints), strict=True)
    return tuple(_target(node, print_, above[node.key]) for node, print_ in found)


def scene_of(nodes: Sequence[Node], window: TargetInfo) -> Scene:
    """Return the controls of a window with what is around each."""
    around = surroundings_of(nodes, window)
    return Scene(controls_of(nodes, window), window.name, lambda c, record: around.stands_among(c.handle, record))


def surroundings_of(nodes: Sequence[Node], window: TargetInfo) -> Surroundings[str]:
    """Return the texts around each control."""
    root = Element(window.handle, None, window.type, window.name)
    inside = (
        Element(
            node.key,
            node.parent or window.handle,
            role_of(node),
            node.name,
            (node.text or "") if role_of(node) in TEXTS | {Role.CELL} else "",
            Rect(*node.rect),
        )
        for node in nodes
        if node.key != window.handle
    )
    return Surroundings((root, *inside))


def role_of(node: Node) -> Role:
    """Return the role of a node."""
    return ROLES.get(node.role, Role.UNKNOWN)


def states_of(node: Node) -> frozenset[str]:
    """Return the states of a node, by the names that observations have."""
    states = {state.replace("-", "_") for state in node.states}
    if "iconified" in states:
        states = (states - {"iconified"}) | {MINIMIZED}
    return frozenset(states)


def _is_listed(node: Node, *, has_children: bool) -> bool:
    role = role_of(node)
    if "showing" not in node.states or role is Role.SEPARATOR:
        return False
    return bool(node.name or node.text or role not in _SHELLS or (role is Role.GROUP and has_children))


def _mere_labels(nodes: Sequence[Node]) -> set[str]:
    """Return the keys of the texts that are nothing but the name of the field behind them."""
    return {
        label.key
        for label, field in pairwise(nodes)
        if role_of(label) is Role.LABEL and label.name == field.name and role_of(field) is not Role.LABEL
    }


def _value_of(node: Node) -> str:
    role = role_of(node)
    if role is Role.PASSWORD:
        return ""
    if node.text is not None:
        return "" if node.text == node.name else node.text
    return number_text(node.value[0]) if node.value and role in _NUMERIC else ""


def _target(node: Node, print_: Fingerprint, parent: str) -> TargetInfo:
    role, states, value = print_.role, states_of(node), print_.value
    if len(value) > _LONGEST or node.length:
        value, states = value[:_LONGEST], states | {TEXT_CUT}
    rect = Rect(*node.rect)
    return TargetInfo(
        kind=TargetKind.CONTROL,
        name=node.name,
        type=role,
        rect=NOWHERE if rect.empty else rect,
        raw_role=node.window_class or node.role,
        value=value,
        states=states,
        actions=tuple(action for action in node.actions if action != _NOT_OFFERED),
        handle=node.key,
        parent=parent,
        fingerprint=replace(print_, value=value),
        traits=_traits(node, role),
        number=float(node.value[0]) if node.value and role in _NUMERIC else None,
    )


def _traits(node: Node, role: Role) -> frozenset[Trait]:
    if node.role == "toggle button":
        return frozenset({Trait.TOGGLE})
    return frozenset({Trait.FINDS_ITEMS}) if role in _LONG and node.key.isdecimal() else frozenset()
