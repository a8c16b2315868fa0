"""From what was read to what the core speaks of: nodes to targets."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, TEXT_CUT, Fingerprint, TargetInfo, TargetKind, Trait
from deskhand.core.text import number_text
from deskhand.desktop.identity import with_alike
from deskhand.desktop.linux.atspi.calls import Ref, is_cell_of_sheet
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT, Node
from deskhand.desktop.linux.atspi.roles import (
    CALENDAR,
    CHECKABLE,
    COLOR_CHOOSER,
    COMBO_BOX,
    DOCUMENT_FRAME,
    DOCUMENT_PRESENTATION,
    DOCUMENT_SPREADSHEET,
    EDITABLE,
    FILE_CHOOSER,
    FILLER,
    FOCUSABLE,
    FONT_CHOOSER,
    ICON,
    LABEL,
    MANAGES_DESCENDANTS,
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
from deskhand.desktop.linux.atspi.traits import traits_of
from deskhand.desktop.surroundings import TEXTS, Element, Surroundings

_CHOOSERS: Final = frozenset({COLOR_CHOOSER, FILE_CHOOSER, FONT_CHOOSER})
"""What stands in a dialog and is all that it shows, though no dialog in it."""

_GONE_WITHOUT_ROOM: Final = frozenset({Role.MENUBAR, Role.SCROLLBAR})
"""What is not there where it takes no room, as the second scroll bars of a sheet of LibreOffice with frozen cells."""

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

_ON_EVERYTHING: Final = frozenset({"doDefault", "showContextMenu"})
"""Actions that Chromium says everything has."""

_DRAWN_WITH_LABELS: Final = {Role.LIST: Role.LISTITEM, Role.TABLE: Role.CELL}
"""What Swing calls a label, by what it stands in."""

_OF_SHEET: Final = 256
"""Columns from which on a table is a spreadsheet's: also where it shows a single one."""

_VIEWS: Final = frozenset({Role.LIST, Role.TREE, Role.TABLE})
_BOXES: Final = frozenset({FILLER, PANEL, TOOL_BAR})
_PAGED: Final = frozenset({DOCUMENT_FRAME, DOCUMENT_PRESENTATION})
_ITEMS: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.ROW, Role.CELL})
_LISTS: Final = frozenset({Role.LIST, Role.TREE})
_SAYS_ITS_LABEL: Final = frozenset({Role.BUTTON, Role.CHECKBOX, Role.RADIO, Role.SWITCH, Role.TAB, Role.CELL})
"""What may have the words on it as its name and as a label in it."""

_HOLDING: Final = frozenset({Role.TEXTBOX, Role.COMBOBOX, Role.SPINBUTTON})
"""What has a value of its own, also where that is the same as its name."""

_WRITTEN_IN: Final = frozenset({Role.CELL, Role.PARAGRAPH})

_NAMED_BY_CONTENT: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.MENUITEM, Role.TAB, Role.LINK, Role.ROW})


@dataclass(slots=True)
class _Draft:
    """A control before it is known what tells it from others."""

    node: Node
    role: Role
    name: str
    states: frozenset[str]
    parent: Ref | None
    path: tuple[str, ...]


def controls_of(
    nodes: Mapping[Ref, Node], window: Ref, title: str, owner: str = "", *, nested_focus: bool = False
) -> tuple[TargetInfo, ...]:
    """The controls below the window, parents before children; what carries nothing is left out.

    A label that names another control is left out too: its text is that control's name.
    `nodes` stand in reading order. `parent` is the nearest ancestor that was kept, "" for the window. `owner` is the
    window's handle. `nested_focus`: what the one that has the keyboard stands in says so too, and is to.
    """
    for node in nodes.values():
        node.judged = None
    kept: dict[Ref, _Draft] = {}
    seen: dict[Ref | None, Counter[Role]] = {}
    named = [node for node in nodes.values() if node.label and node.name in {"", node.label}]
    labels = {ref for node in named for ref in node.labelled_by if _only_names(ref, node, nodes)}
    labels |= {ref for label in labels for ref in _words_on(label, nodes)}
    for ref, node in nodes.items():
        role = node_role(node, nodes)
        if ref == window or ref in labels or not _carries_something(node, role, title):
            continue
        if role is Role.TAB and node.rect.empty and _stands_nowhere(node.parent, nodes):
            continue
        if role is Role.GROUP and _is_frame_of_its_content(node, nodes):
            continue
        parent = _kept_ancestor(node, nodes, kept)
        above = kept[parent] if parent else None
        if above and _only_repeats(node, role, above):
            continue
        index = seen.setdefault(parent, Counter())
        name = name_of(node, nodes)
        step = f"{role}:{name}{_page_in(node, nodes)}" if name else f"{role}#{index[role]}"
        index[role] += 1
        path = (*above.path, step) if above else (step,)
        kept[ref] = _Draft(node, role, name, _states_within(above, node), parent, path)
    if nested_focus:
        _leave_focus_to_document(kept)
    else:
        _leave_one_focus(kept)
    holding = {draft.parent for draft in kept.values()}
    kept = {ref: draft for ref, draft in kept.items() if ref in holding or not _is_shell(draft)}
    called = [(ref, draft.role, draft.name) for ref, draft in kept.items() if not is_cell_of_sheet(ref)]
    records = surroundings_of(nodes).records(called)
    prints = [
        Fingerprint(draft.role, draft.name, draft.path, title, _value_of(draft.node), records.get(ref, ()), owner)
        for ref, draft in kept.items()
    ]
    return tuple(
        _target(draft, print_, traits_of(draft.node, draft.role, print_, office=nested_focus))
        for draft, print_ in zip(kept.values(), with_alike(prints), strict=True)
    )


def _leave_one_focus(kept: Mapping[Ref, _Draft]) -> None:
    """Only what has the keyboard says so.

    That is the innermost: not what it stands in. Chromium's page says so of itself, or of what had it last, while the
    address bar or something in a dialog has it, as in its print preview; an item of a list of Qt that is its current
    one does while that list has not; all tabs of Swing do while one has it, which is the one in front; buttons of Qt
    that hand the keyboard on do while a text has it.
    """
    focused = [ref for ref, draft in kept.items() if "focused" in draft.states]
    if len(focused) < 2:
        return
    around = {above for ref in focused for above in _above(ref, kept)}
    innermost = [ref for ref in focused if ref not in around]
    apart = [ref for ref in innermost if not kept[ref].node.in_page] or innermost
    apart = [ref for ref in apart if _is_in_dialog(ref, kept)] or apart
    having = [ref for ref in apart if not _is_idle(ref, kept)] if len(apart) > 1 else apart
    if any(kept[ref].role is Role.TEXTBOX for ref in having):
        having = [ref for ref in having if kept[ref].role is not Role.BUTTON]
    for ref in set(focused) - set(having):
        kept[ref].states -= {"focused"}


def _is_in_dialog(ref: Ref, kept: Mapping[Ref, _Draft]) -> bool:
    return any(kept[above].role in {Role.DIALOG, Role.WINDOW} for above in _above(ref, kept))


def _leave_focus_to_document(kept: Mapping[Ref, _Draft]) -> None:
    """Where a cell or paragraph of a document of LibreOffice has the keyboard, what goes on saying so has it not.

    That are shapes and form controls of the document, unless they are selected, buttons once they were clicked, and,
    beside a cell, the paragraph of the input line: while that is typed into, the table does not say that it has the
    keyboard. Of a cell that is out of view its table alone says so. Where a form control has it no paragraph says so,
    and nothing tells which of those that do. A comment stands in the paragraph that it is about, which goes on too.
    While something in a list that dropped down has it, nothing outside of that has.
    """
    focused = [ref for ref, draft in kept.items() if "focused" in draft.states]
    dropped = {ref for ref in focused if any(kept[above].role is Role.WINDOW for above in _above(ref, kept))}
    for ref in set(focused) - dropped if dropped else ():
        kept[ref].states -= {"focused"}
    if dropped:
        return
    inside = {ref for ref in focused if any(kept[above].role is Role.DOCUMENT for above in _above(ref, kept))}
    sheets = [ref for ref in focused if ref in inside and _is_sheet(kept[ref], kept)]
    having = sheets + [ref for ref in focused if ref in inside and kept[ref].role in _WRITTEN_IN]
    around = {above for ref in having for above in _above(ref, kept)}
    for ref in around & set(having):
        if kept[ref].role is Role.PARAGRAPH:
            kept[ref].states -= {"focused"}
    in_cell = any(kept[ref].role is Role.CELL for ref in having) or bool(sheets)
    for ref in set(focused) - set(having) - around if having else ():
        role = kept[ref].role
        is_left = ref in inside or role is Role.BUTTON or (in_cell and role is Role.PARAGRAPH)
        if is_left and "selected" not in kept[ref].states:
            kept[ref].states -= {"focused"}


def _is_sheet(draft: _Draft, kept: Mapping[Ref, _Draft]) -> bool:
    above = kept[draft.parent] if draft.parent else None
    return draft.role is Role.TABLE and above is not None and above.node.role == DOCUMENT_SPREADSHEET


def _is_idle(item: Ref, kept: Mapping[Ref, _Draft]) -> bool:
    """Whether it is a tab that is not in front, or an item of a list that has not the keyboard."""
    if kept[item].role is Role.TAB:
        return "selected" not in kept[item].states
    container = next((kept[ref] for ref in _above(item, kept) if kept[ref].role in _VIEWS), None)
    return kept[item].role in _ITEMS and container is not None and "focused" not in container.states


def _above(ref: Ref, kept: Mapping[Ref, _Draft]) -> Iterator[Ref]:
    above = kept[ref].parent
    while above is not None:
        yield above
        above = kept[above].parent


def _is_shell(draft: _Draft) -> bool:
    """Whether it is what a popup stands in, seen from outside: GTK 3 shows the list of a combo box below that."""
    return draft.role is Role.WINDOW and not draft.name


def surroundings_of(nodes: Mapping[Ref, Node]) -> Surroundings[Ref]:
    """What stands around what; `nodes` stand in reading order.

    Cells of a spreadsheet say nothing of what stands around it: they are what a person works on.
    """
    return Surroundings(_element(node, nodes) for node in nodes.values() if not is_cell_of_sheet(node.ref))


def _element(node: Node, nodes: Mapping[Ref, Node]) -> Element[Ref]:
    role = node_role(node, nodes)
    shown = node.text.strip() if role in TEXTS | {Role.CELL} and not node.state & EDITABLE else ""
    return Element(node.ref, node.parent, role, node.name.strip(), shown, node.rect)


def _only_names(label: Ref, named: Node, nodes: Mapping[Ref, Node]) -> bool:
    """Whether a label does nothing but give a name: in LibreOffice the check box beside a field may be what labels it,
    in Qt 5 the group box around it.
    """
    if label not in nodes:
        return True
    above = named.parent
    while above is not None and above != label:
        above = nodes[above].parent if above in nodes else None
    return above is None and role_of(nodes[label].role) in _EMPTY_WITHOUT_CONTENT


def _stands_nowhere(ref: Ref | None, nodes: Mapping[Ref, Node]) -> bool:
    """Whether it has no size: LibreOffice tells the tabs of views also where their bar is not shown."""
    return ref is not None and ref in nodes and nodes[ref].rect.empty


def _words_on(label: Ref, nodes: Mapping[Ref, Node]) -> list[Ref]:
    """The texts that a label of a web page consists of."""
    children = nodes[label].children if label in nodes else []
    return [ref for ref in children if (child := nodes.get(ref)) and role_of(child.role) is Role.TEXT]


def _is_frame_of_its_content(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    """Whether one thing that fills it has its name: LibreOffice puts each list into a panel like that."""
    children = [child for ref in node.children if (child := nodes.get(ref))]
    return any(child.rect == node.rect and node.name and name_of(child, nodes) == node.name for child in children)


def _states_within(container: _Draft | None, item: Node) -> frozenset[str]:
    """An item of a disabled list is disabled, whatever it says of itself."""
    states = states_of(item.state)
    if container is None or container.role not in _LISTS or "enabled" in container.states:
        return states
    return states - {"enabled"}


def target_of(node: Node, role: Role, name: str) -> TargetInfo:
    """One node as a control, without its place in the window and its traits."""
    return _target(_Draft(node, role, name, states_of(node.state), None, ()))


def _target(draft: _Draft, print_: Fingerprint | None = None, traits: frozenset[Trait] = NO_TRAITS) -> TargetInfo:
    node, states, value = draft.node, draft.states, _value_of(draft.node)
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
    )


def name_of(node: Node, nodes: Mapping[Ref, Node]) -> str:
    """The control's own name, else its label's, else (for what is named by what it shows) its content's, else its
    tooltip's or placeholder's, else that of the box or bar in which a button stands alone, as in LibreOffice.
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


def _only_repeats(node: Node, role: Role, container: _Draft) -> bool:
    """Whether it is the text that what stands around it is named by, and nothing can be done with it."""
    if role is Role.LABEL:
        says_it = not container.node.name or container.role in _SAYS_ITS_LABEL
        says_more = not node.name and node.text.strip()  # those of LibreOffice's status bars have a text and no name
        return says_it and container.name == node.name and not says_more
    if role is not Role.TEXT or node.state & (EDITABLE | FOCUSABLE):
        return False
    return bool(node.name) and node.name.strip() == (container.name or _value_of(container.node)).strip()


def _content(node: Node, nodes: Mapping[Ref, Node]) -> list[str]:
    children = [child for ref in node.children if (child := nodes.get(ref))]
    return [text for child in children for text in ([child.name] if child.name else _content(child, nodes))]


def node_role(node: Node, nodes: Mapping[Ref, Node]) -> Role:
    """The role, judged with what stands around the node.

    A tree view is a table or a tree table to AT-SPI; one of a single column is a list to the people who look at it, and
    its cells are its items. GTK 4 calls every view of columns a tree table; one in which nothing opens is a table.
    """
    if node.judged is None:
        node.judged = _judged(node, nodes)
    return node.judged


def _judged(node: Node, nodes: Mapping[Ref, Node]) -> Role:
    role = role_of(node.role)
    if role is Role.WINDOW and node.parent is None and "modal" in states_of(node.state):
        return Role.DIALOG
    if (node.role == TABLE and _holds_only_headers(node, nodes)) or (node.parent and node.role in _CHOOSERS):
        return Role.GROUP
    if node.columns and node.role in TABLE_ROLES and node.state & MANAGES_DESCENDANTS:
        return Role.LIST if node.columns < _OF_SHEET and _shown_columns(node, nodes) == 1 else Role.TABLE
    if node.role == TREE_TABLE and not node.columns and not _has_branches(node, nodes):
        return Role.TABLE
    if node.role == ICON and not node.state & SELECTABLE:
        return Role.IMAGE
    parent = nodes.get(node.parent) if node.parent else None
    return _role_within(parent, node, nodes) if parent else role


def _role_within(parent: Node, node: Node, nodes: Mapping[Ref, Node]) -> Role:
    """The role of what is told by what it stands in; Impress shows its slides in a panel beside the document."""
    role = role_of(node.role)
    if node.role == PANEL and node.state & SELECTABLE and parent.role == DOCUMENT_FRAME:
        return Role.LISTITEM
    if node.role == TOGGLE_BUTTON and node.in_page and node.state & CHECKABLE:
        return Role.SWITCH  # of Chromium; what stays pressed alone cannot be checked
    if node.role == LABEL and node.state & TRANSIENT:
        return _DRAWN_WITH_LABELS.get(role_of(parent.role), role)
    if node.role == LABEL and role_of(parent.role) is Role.TREE:
        return Role.TREEITEM  # of Swing
    if node.role == TABLE_CELL and node_role(parent, nodes) in {Role.LIST, Role.TREE}:
        return Role.TREEITEM if "expandable" in states_of(node.state) else Role.LISTITEM
    return role


def _page_in(document: Node, nodes: Mapping[Ref, Node]) -> str:
    """Which of its pages a document of Impress or Draw shows: what stands on the next one has the same names.

    The paper is the first thing in it, and is called `PageShape: Slide 3`, in whatever language.
    """
    first = nodes.get(document.children[0]) if document.role in _PAGED and document.children else None
    return f", {first.name}" if first and first.role == PANEL and ": " in first.name else ""


def _has_branches(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    children = [child for ref in node.children if (child := nodes.get(ref))]
    return any("expandable" in states_of(child.state) or _has_branches(child, nodes) for child in children)


def _holds_only_headers(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    """LibreOffice calls the bar of a grid's headers a table."""
    roles = [role_of(child.role) for ref in node.children if (child := nodes.get(ref))]
    return set(roles) == {Role.COLUMNHEADER}


def _shown_columns(node: Node, nodes: Mapping[Ref, Node]) -> int:
    """Columns that can be seen: a tree view may carry empty ones for icons."""
    cells = [cell for ref in node.children if (cell := nodes.get(ref)) and cell.role == TABLE_CELL]
    if node.columns == 1 or not cells:
        return node.columns
    return max(Counter(cell.rect.top for cell in cells if not cell.rect.empty).values(), default=node.columns)


def _value_of(node: Node) -> str:
    """What it holds. Of what is named by the text that it shows that is no value, but of what is written in it is."""
    if node.number is not None:
        return number_text(node.number)
    if node.role == COMBO_BOX and node.in_page and not node.state & EDITABLE:
        return " ".join(node.text.split())  # as it is shown, however a page wrote the option
    holds = role_of(node.role) in _HOLDING or is_cell_of_sheet(node.ref)
    return node.text if holds or node.text[:TEXT_LIMIT] != node.name else ""


def _carries_something(node: Node, role: Role, title: str) -> bool:
    if role is Role.SEPARATOR:
        return node.number is not None and bool(node.state & FOCUSABLE)  # what can be moved divides a page in two
    is_hidden = role is Role.CELL and node.rect.width == 0 < node.rect.height  # in a column of GTK 3
    if is_hidden or (role is Role.GENERIC and node.name == title) or (role in _GONE_WITHOUT_ROOM and node.rect.empty):
        return False
    if role in {Role.CELL, Role.LISTITEM, Role.TAB} and node.rect.empty:
        return bool(node.name)
    if role not in _EMPTY_WITHOUT_CONTENT or node.role == CALENDAR:
        return True
    if role is Role.PARAGRAPH and node.state & EDITABLE:
        return True
    return bool(
        (node.name + node.label + node.text).strip()  # Chromium tells each line break of a page
        or node.number is not None
        or set(node.actions) - _ON_EVERYTHING - {""}
    )


def _kept_ancestor(node: Node, nodes: Mapping[Ref, Node], kept: Mapping[Ref, _Draft]) -> Ref | None:
    above = node.parent
    while above is not None and above not in kept:
        parent = nodes.get(above)
        above = parent.parent if parent else None
    return above
