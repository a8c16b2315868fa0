"""From nodes of the accessibility tree to targets."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, TEXT_CUT, Fingerprint, TargetInfo, TargetKind, Trait
from deskhand.core.text import number_text
from deskhand.desktop.identity import with_alike
from deskhand.desktop.linux.atspi.calls import TEXT, Ref, is_cell_of_sheet
from deskhand.desktop.linux.atspi.draft_controls import Draft
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT, Node
from deskhand.desktop.linux.atspi.roles import (
    CALENDAR,
    CHECKABLE,
    COLOR_CHOOSER,
    COMBO_BOX,
    DOCUMENT_FRAME,
    DOCUMENT_PRESENTATION,
    EDITABLE,
    EXPANDABLE,
    FILE_CHOOSER,
    FILLER,
    FOCUSABLE,
    FONT_CHOOSER,
    ICON,
    LABEL,
    MANAGES_DESCENDANTS,
    MODAL,
    PANEL,
    SELECTABLE,
    TABLE,
    TABLE_CELL,
    TABLE_ROLES,
    TOGGLE_BUTTON,
    TOOL_BAR,
    TRANSIENT,
    TREE_TABLE,
    raw_role_of,
    role_of,
    states_of,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.desktop.surroundings import TEXTS, Element, Surroundings

_NEUTRAL: Final = Toolkit()
_CHOOSERS: Final = frozenset({COLOR_CHOOSER, FILE_CHOOSER, FONT_CHOOSER})
"""Dialogs, unless they are inside another one, which shows nothing else."""

_GONE_WITHOUT_ROOM: Final = frozenset({Role.MENUBAR, Role.SCROLLBAR})
"""Bars that are not visible if they have no extents, as the second scroll bars of a sheet with frozen cells."""

_EMPTY_WITHOUT_CONTENT: Final = frozenset(
    {
        Role.GENERIC,
        Role.GROUP,
        Role.UNKNOWN,
        Role.LABEL,
        Role.TEXT,
        Role.IMAGE,
        Role.SECTION,
        Role.PARAGRAPH,
        Role.SCROLLBAR,
    }
)
"""Roles that mean something only with a name, a value or an action."""

_ON_EVERYTHING: Final = frozenset({"doDefault", "showContextMenu", "clickAncestor"})
"""Actions that elements of web pages report, whatever they do."""

_DRAWN_WITH_LABELS: Final = {Role.LIST: Role.LISTITEM, Role.TABLE: Role.CELL}
"""Roles of transient labels, by the role of their parent."""

_OF_SHEET: Final = 256
"""Columns from which on a table is a spreadsheet, even with a single visible one."""

_BOXES: Final = frozenset({FILLER, PANEL, TOOL_BAR})
_PAGED: Final = frozenset({DOCUMENT_FRAME, DOCUMENT_PRESENTATION})
_SCROLLED_ITEMS: Final = frozenset({Role.CELL, Role.LISTITEM, Role.TAB})
_LISTS: Final = frozenset({Role.LIST, Role.TREE})
_NAMED_BY_LABEL: Final = frozenset({Role.BUTTON, Role.CHECKBOX, Role.RADIO, Role.SWITCH, Role.TAB, Role.CELL})
"""Roles whose name may be inside them as a label, too."""

_HOLDING: Final = frozenset({Role.TEXTBOX, Role.COMBOBOX, Role.SPINBUTTON})
"""Roles with a value of their own, even if it equals the name."""

_NAMED_BY_CONTENT: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.MENUITEM, Role.TAB, Role.LINK, Role.ROW})


def controls_of(
    nodes: Mapping[Ref, Node], window: Ref, title: str, owner: str = "", toolkit: Toolkit = _NEUTRAL
) -> tuple[TargetInfo, ...]:
    """Return the controls of a window, parents before children, without those that carry nothing.

    `nodes`: in reading order. `owner`: the handle of the window. The `parent` of a control is its nearest listed
    ancestor, "" for the window.
    """
    for node in nodes.values():
        node.judged = None
    drafts = _drafts(nodes, window, title)
    toolkit.leave_focus(drafts)
    parents = {draft.parent for draft in drafts.values()}
    drafts = {ref: draft for ref, draft in drafts.items() if ref in parents or not _is_shell(draft)}
    called = [(ref, draft.role, draft.name) for ref, draft in drafts.items() if not is_cell_of_sheet(ref)]
    records = surroundings_of(nodes).records(called)
    prints = [
        Fingerprint(draft.role, draft.name, draft.path, title, _value_of(draft.node), records.get(ref, ()), owner)
        for ref, draft in drafts.items()
    ]
    return tuple(
        _target(draft, print_, toolkit.traits_of(draft.node, draft.role, print_))
        for draft, print_ in zip(drafts.values(), with_alike(prints), strict=True)
    )


def _drafts(nodes: Mapping[Ref, Node], window: Ref, title: str) -> dict[Ref, Draft]:
    drafts: dict[Ref, Draft] = {}
    counts: defaultdict[Ref | None, Counter[Role]] = defaultdict(Counter)
    labels = _mere_labels(nodes)
    for ref, node in nodes.items():
        role = node_role(node, nodes)
        if ref == window or ref in labels or not _is_listed(node, role, title, nodes):
            continue
        parent = _listed_ancestor(node, nodes, drafts)
        above = drafts[parent] if parent else None
        if above and _only_repeats(node, role, above):
            continue
        index = counts[parent]
        name = name_of(node, nodes)
        step = f"{role}:{name}{_page_in(node, nodes)}" if name else f"{role}#{index[role]}"
        index[role] += 1
        path = (*above.path, step) if above else (step,)
        drafts[ref] = Draft(node, role, name, _states_within(above, node), parent, path)
    return drafts


def _mere_labels(nodes: Mapping[Ref, Node]) -> set[Ref]:
    """Return the labels whose text is the name of another control, and the texts that they consist of."""
    named = [node for node in nodes.values() if node.label and node.name in {"", node.label}]
    labels = {ref for node in named for ref in node.labelled_by if _only_names(ref, node, nodes)}
    return labels | {ref for label in labels for ref in _words_on(label, nodes)}


def _is_listed(node: Node, role: Role, title: str, nodes: Mapping[Ref, Node]) -> bool:
    if role is Role.TAB and node.rect.empty and _has_no_extents(node.parent, nodes):
        return False
    if role is Role.GROUP and _is_frame_of_its_content(node, nodes):
        return False
    return _carries_something(node, role, title)


def _is_shell(draft: Draft) -> bool:
    """True for a window without a name that contains a popup, as the list of a combo box."""
    return draft.role is Role.WINDOW and not draft.name


def surroundings_of(nodes: Mapping[Ref, Node]) -> Surroundings[Ref]:
    """Return the texts around each control; those in cells of spreadsheets may be edited and do not count.

    `nodes`: in reading order.
    """
    return Surroundings(_element(node, nodes) for node in nodes.values() if not is_cell_of_sheet(node.ref))


def _element(node: Node, nodes: Mapping[Ref, Node]) -> Element[Ref]:
    role = node_role(node, nodes)
    shown = node.text.strip() if role in TEXTS | {Role.CELL} and not node.state & EDITABLE else ""
    return Element(node.ref, node.parent, role, node.name.strip(), shown, node.rect)


def _only_names(label: Ref, named: Node, nodes: Mapping[Ref, Node]) -> bool:
    """True for a label that is nothing but a name: a check box beside a field, or the group around it, may label it."""
    if label not in nodes:
        return True
    above = named.parent
    while above is not None and above != label:
        above = nodes[above].parent if above in nodes else None
    return above is None and role_of(nodes[label].role) in _EMPTY_WITHOUT_CONTENT


def _has_no_extents(ref: Ref | None, nodes: Mapping[Ref, Node]) -> bool:
    """True if a node has no extents, as a hidden bar of tabs."""
    return ref is not None and ref in nodes and nodes[ref].rect.empty


def _words_on(label: Ref, nodes: Mapping[Ref, Node]) -> list[Ref]:
    """Return the texts that a label of a web page consists of."""
    children = nodes[label].children if label in nodes else []
    return [ref for ref in children if (child := nodes.get(ref)) and role_of(child.role) is Role.TEXT]


def _is_frame_of_its_content(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    """True if a child with the same name fills it, as a list fills its panel."""
    children = [child for ref in node.children if (child := nodes.get(ref))]
    return any(child.rect == node.rect and node.name and name_of(child, nodes) == node.name for child in children)


def _states_within(container: Draft | None, item: Node) -> frozenset[str]:
    """Return the states of an item; in a disabled list it is disabled, whatever it reports."""
    states = states_of(item.state)
    if container is None or container.role not in _LISTS or "enabled" in container.states:
        return states
    return states - {"enabled"}


def target_of(node: Node, role: Role, name: str) -> TargetInfo:
    """Return a node as a control, without its place in the window and its traits."""
    return _target(Draft(node, role, name, states_of(node.state), None, ()))


def _target(draft: Draft, print_: Fingerprint | None = None, traits: frozenset[Trait] = NO_TRAITS) -> TargetInfo:
    node, states, value = draft.node, draft.states, print_.value if print_ else _value_of(draft.node)
    if len(value) > TEXT_LIMIT:
        value, states = value[:TEXT_LIMIT], states | {TEXT_CUT}
    return TargetInfo(
        kind=TargetKind.CONTROL,
        name=draft.name,
        type=draft.role,
        rect=node.rect,
        raw_role=raw_role_of(node.role),
        value=value,
        states=states,
        actions=tuple(name for name in node.actions if name),
        handle=node.ref.handle,
        parent=draft.parent.handle if draft.parent else "",
        fingerprint=print_,
        traits=traits,
        number=node.number,
        caret=node.caret if value else None,  # a hidden text has no value
        note=node.note,
    )


def name_of(node: Node, nodes: Mapping[Ref, Node]) -> str:
    """Return a control's own name, else its label's, else for some roles that of its content.

    Else it is the tooltip or placeholder, else for a button the name of the box or bar in which it is alone.
    """
    own = (node.name or node.label).strip()
    content = _content(node, nodes) if not own and role_of(node.role) in _NAMED_BY_CONTENT else []
    return own or " ".join(" ".join(content).split()) or node.tip or _name_around(node, nodes)


def _name_around(node: Node, nodes: Mapping[Ref, Node]) -> str:
    if role_of(node.role) is not Role.BUTTON:
        return ""
    box = nodes.get(node.parent) if node.parent else None
    while box is not None and box.role in _BOXES and sum(ref in nodes for ref in box.children) == 1:
        if box.name:
            return box.name.strip()
        box = nodes.get(box.parent) if box.parent else None
    return ""


def _only_repeats(node: Node, role: Role, container: Draft) -> bool:
    """True for a text that is the name of its container, and that nothing can be done with."""
    if role is Role.LABEL:
        repeats = not container.node.name or container.role in _NAMED_BY_LABEL
        adds = not node.name and node.text.strip()  # as in a status bar
        return repeats and container.name == node.name and not adds
    if role is not Role.TEXT or node.state & (EDITABLE | FOCUSABLE):
        return False
    return bool(node.name) and node.name.strip() == (container.name or _value_of(container.node)).strip()


def _content(node: Node, nodes: Mapping[Ref, Node]) -> list[str]:
    children = [child for ref in node.children if (child := nodes.get(ref))]
    return [text for child in children for text in ([child.name] if child.name else _content(child, nodes))]


def node_role(node: Node, nodes: Mapping[Ref, Node]) -> Role:
    """Return the role of a node, which may follow from its parent and children.

    A tree view is a table or a tree table to AT-SPI; one with a single column is a list, with cells as its items. A
    tree table without branches is a table.
    """
    if node.judged is None:
        node.judged = _judged(node, nodes)
    return node.judged


def _judged(node: Node, nodes: Mapping[Ref, Node]) -> Role:
    role = role_of(node.role)
    if node.role in TABLE_ROLES:
        return _table_role(node, nodes)
    if node.role == ICON and not node.state & SELECTABLE:
        return Role.IMAGE
    if node.parent is None:
        return Role.DIALOG if role is Role.WINDOW and node.state & MODAL else role
    if node.role in _CHOOSERS:
        return Role.GROUP
    parent = nodes.get(node.parent)
    return _role_within(parent, node, nodes) if parent else role


def _table_role(table: Node, nodes: Mapping[Ref, Node]) -> Role:
    if table.role == TABLE and _holds_only_headers(table, nodes):
        return Role.GROUP
    if table.columns and table.state & MANAGES_DESCENDANTS:
        return Role.LIST if table.columns < _OF_SHEET and _shown_columns(table, nodes) == 1 else Role.TABLE
    if table.role == TREE_TABLE and not table.columns and not _has_branches(table, nodes):
        return Role.TABLE
    return role_of(table.role)


def _role_within(parent: Node, node: Node, nodes: Mapping[Ref, Node]) -> Role:
    """Return the role of a node that follows from its parent; slides are panels beside a document."""
    if node.role == LABEL:
        return _label_role(parent, node)
    if node.role == PANEL and node.state & SELECTABLE and parent.role == DOCUMENT_FRAME:
        return Role.LISTITEM
    if node.role == TOGGLE_BUTTON and node.in_page and node.state & CHECKABLE:
        return Role.SWITCH  # a button of a page that stays pressed is not checkable
    if node.role == TABLE_CELL and node_role(parent, nodes) in {Role.LIST, Role.TREE}:
        return Role.TREEITEM if node.state & EXPANDABLE else Role.LISTITEM
    return role_of(node.role)


def _label_role(parent: Node, label: Node) -> Role:
    around = role_of(parent.role)
    if label.state & TRANSIENT:
        return _DRAWN_WITH_LABELS.get(around, Role.LABEL)
    return Role.TREEITEM if around is Role.TREE else Role.LABEL


def _page_in(document: Node, nodes: Mapping[Ref, Node]) -> str:
    """Return the visible page of a presentation or drawing: controls of the next one have the same names.

    The paper is its first child, and is named `PageShape: Slide 3`, in any language.
    """
    first = nodes.get(document.children[0]) if document.role in _PAGED and document.children else None
    return f", {first.name}" if first and first.role == PANEL and ": " in first.name else ""


def _has_branches(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    children = [child for ref in node.children if (child := nodes.get(ref))]
    return any(child.state & EXPANDABLE or _has_branches(child, nodes) for child in children)


def _holds_only_headers(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    """True for the bar of headers of a grid, which may be a table of its own."""
    roles = [role_of(child.role) for ref in node.children if (child := nodes.get(ref))]
    return set(roles) == {Role.COLUMNHEADER}


def _shown_columns(node: Node, nodes: Mapping[Ref, Node]) -> int:
    """Return the number of visible columns: a tree view may have empty ones for icons."""
    cells = [cell for ref in node.children if (cell := nodes.get(ref)) and cell.role == TABLE_CELL]
    if node.columns == 1 or not cells:
        return node.columns
    return max(Counter(cell.rect.top for cell in cells if not cell.rect.empty).values(), default=node.columns)


def _value_of(node: Node) -> str:
    """Return the value of a node: its number or text, unless that is its name and cannot be edited.

    That of a spin button is its text, if it has one.
    """
    written = TEXT in node.interfaces and role_of(node.role) is Role.SPINBUTTON
    if node.number is not None and not written:
        return number_text(node.number)
    if node.role == COMBO_BOX and node.in_page and not node.state & EDITABLE:
        return " ".join(node.text.split())  # as displayed, without the line breaks of the page's source
    if not node.text:
        return ""
    holds = role_of(node.role) in _HOLDING or is_cell_of_sheet(node.ref)
    return node.text if holds or node.text[:TEXT_LIMIT] != node.name else ""


def _carries_something(node: Node, role: Role, title: str) -> bool:
    if role is Role.SEPARATOR:
        return node.number is not None and bool(node.state & FOCUSABLE)  # one that can be moved
    if _takes_no_room(node, role) or (role is Role.GENERIC and node.name == title):
        return False
    if role in _SCROLLED_ITEMS and node.rect.empty:
        return bool(node.name)
    is_written_in = role is Role.PARAGRAPH and bool(node.state & EDITABLE)
    return role not in _EMPTY_WITHOUT_CONTENT or node.role == CALENDAR or is_written_in or _has_content(node)


def _takes_no_room(node: Node, role: Role) -> bool:
    """True for a bar without extents, and for a cell of a hidden column."""
    if role is Role.CELL:
        return node.rect.width == 0 < node.rect.height
    return role in _GONE_WITHOUT_ROOM and node.rect.empty


def _has_content(node: Node) -> bool:
    """True if a node has a text other than blanks (a line break may be a node), a number, or an action of its own."""
    has_text = bool((node.name + node.label + node.text).strip())
    return has_text or node.number is not None or bool(set(node.actions) - _ON_EVERYTHING - {""})


def _listed_ancestor(node: Node, nodes: Mapping[Ref, Node], drafts: Mapping[Ref, Draft]) -> Ref | None:
    above = node.parent
    while above is not None and above not in drafts:
        parent = nodes.get(above)
        above = parent.parent if parent else None
    return above
