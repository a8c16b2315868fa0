"""One window or dialog of a simulation, with the controls that the steps in it name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.certify.example_texts import example_of
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import is_pattern, matches_name, matches_text
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeTable, FakeWindow, spreadsheet
from deskhand.desktop.fake.control import CHECKABLE_ROLES

_BY_TOOL: Final = {
    "set_edit_text": Role.TEXTBOX,
    "keyboard_input": Role.TEXTBOX,
    "read_table": Role.TABLE,
    "wait_for": Role.LABEL,
    "texts": Role.LABEL,
    "": Role.LABEL,
}
_ITEMS: Final = {Role.TREE: Role.TREEITEM, Role.TABLIST: Role.TAB, Role.TABLE: Role.ROW}
_LISTS: Final = frozenset({Role.LIST, Role.COMBOBOX, Role.TREE, Role.TABLIST})
_MENU_ITEMS: Final = frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_STATUS: Final = (Role.STATUS, Role.LABEL, Role.TEXT, Role.HEADING, Role.GENERIC)
_LINE: Final = 22
_WIDTH: Final = 100
_MOST_HIGH: Final = 2000
_CELLS_IN_VIEW: Final = (4, 3)


@dataclass(frozen=True, slots=True)
class Wish:
    """A control that a step needs: the step's tool (empty: it is only shown), its arguments, the rows of a table."""

    selector: Selector
    tool: str = ""
    args: JsonObject = field(default_factory=dict[str, JsonValue])
    rows: Sequence[Sequence[str]] = ()
    of_sheet: bool = False

    @property
    def rank(self) -> int:
        """Wishes of names are met before those of patterns and of roles, which the same controls may meet."""
        name = self.selector.name or self.selector.value
        return 2 if not name else 1 if is_pattern(name) else 0


class Surface:
    """A window that grows by the controls that are wished for. `label_of`: their identity in the list of effects."""

    def __init__(self, window: FakeWindow, wishes: Sequence[Wish]) -> None:
        self.window = window
        self._sheet: FakeControl | None = None
        self._tools: list[FakeControl] = []
        for wish in sorted(wishes, key=lambda wish: wish.rank):
            found = self.find_all(wish.selector)
            if not found:
                self._add(wish)
            elif wish.tool:
                for control in found:
                    _furnish(control, wish)
        self.status = FakeControl(self._role_of_status(wishes), "", "no changes")
        window.controls.append(self.status)
        self.label_of = self._labels()
        lines = sum(1 for _ in window.all_controls()) + 4
        window.rect = Rect(0, 0, _WIDTH, min(_MOST_HIGH, 60 + _LINE * lines))

    def find_all(self, selector: Selector) -> list[FakeControl]:
        """The controls that a selector matches, hidden ones too."""
        title = (Role.DIALOG.value if self.window.dialog else Role.WINDOW.value, self.window.title)
        return [
            control
            for control, above in _walk(self.window.controls, ())
            if _matches(selector, control.role, control.name, control.value)
            and (not selector.within or _is_within(selector.within, above, title))
        ]

    def is_called(self, selector: Selector) -> bool:
        """True if the selector means this dialog."""
        named = not selector.name or matches_name(selector.name, self.window.title)
        return self.window.dialog and selector.role == Role.DIALOG and named

    @property
    def sheet(self) -> FakeControl | None:
        """The table of cells, where the window is a spreadsheet."""
        return self._sheet

    def _add(self, wish: Wish) -> None:
        selector = wish.selector
        if wish.of_sheet:
            self._add_sheet(wish)
            return
        role = _role_of(wish)
        siblings = self._children_for(selector, role)
        count = selector.nth if isinstance(selector.nth, int) else 1
        for _ in range(count):
            value = example_of(selector.value) or ("Some text" if wish.tool == "texts" else "")
            control = FakeControl(role, example_of(selector.name) or _nameless(role), value)
            siblings.append(control)
            _furnish(control, wish)

    def _add_sheet(self, wish: Wish) -> None:
        bar, cells = spreadsheet()
        if wish.selector.name:
            cells.name = example_of(wish.selector.name)
        if cells.table is not None:
            cells.table.visible = _CELLS_IN_VIEW
            cells.table.write(0, 0, wish.rows)
        self._sheet = self.window.focused = cells
        self._tools += [bar, *bar.children]
        self.window.controls += [bar, cells]

    def _children_for(self, selector: Selector, role: Role) -> list[FakeControl]:
        """The list of children that a new control belongs to; the containers around it are made."""
        siblings = self.window.controls
        for wanted_role, name in self._containers(selector, role):
            container = next((c for c in siblings if c.role == wanted_role and matches_name(name, c.name)), None)
            if container is None:
                container = FakeControl(wanted_role, example_of(name))
                siblings.append(container)
            siblings = container.children
        return siblings

    def _containers(self, selector: Selector, role: Role) -> list[tuple[Role, str]]:
        """Role and name of each container, from the outside in; the window itself is none."""
        kind = Role.MENU if role in _MENU_ITEMS else Role.GROUP
        if isinstance(selector.within, list):
            names = selector.within
            return [(kind, name) for name in names if not matches_name(name, self.window.title)]
        found: list[tuple[Role, str]] = []
        within = selector.within
        while isinstance(within, Selector):
            of_role = example_of(within.role) or kind
            if of_role not in {Role.DIALOG, Role.WINDOW}:
                found.insert(0, (Role(of_role), within.name))
            within = within.within if isinstance(within.within, Selector) else None
        return found

    def _role_of_status(self, wishes: Sequence[Wish]) -> Role:
        """A role for the line that shows each change, which no selector matches."""
        taken = [wish.selector for wish in wishes]
        return next((r for r in _STATUS if not any(_matches(s, r, "", "no changes") for s in taken)), Role.GENERIC)

    def _labels(self) -> dict[FakeControl, str]:
        labels: dict[FakeControl, str] = {}
        counts: dict[str, int] = {}
        for control in self.window.all_controls():
            if (control.role is Role.CELL and self._sheet is not None) or control in self._tools:
                continue
            label = f'{control.role} "{control.name}"'
            counts[label] = counts.get(label, 0) + 1
            labels[control] = label if counts[label] == 1 else f"{label} (number {counts[label]})"
        return labels


def _walk(
    controls: Sequence[FakeControl], above: tuple[FakeControl, ...]
) -> Iterator[tuple[FakeControl, tuple[FakeControl, ...]]]:
    """Each control with those around it, from the outside in."""
    for control in controls:
        yield control, above
        if control.table is None:
            yield from _walk(control.children, (*above, control))


def _matches(selector: Selector, role: str, name: str, value: str) -> bool:
    return (
        (not selector.role or matches_name(selector.role, role))
        and (not selector.name or matches_name(selector.name, name))
        and (not selector.value or matches_text(selector.value, value))
    )


def _is_within(within: Selector | list[str], above: Sequence[FakeControl], title: tuple[str, str]) -> bool:
    """As of `models.selectors`: an ancestor that matches, or names from the outside in."""
    names = [title[1], *(control.name for control in above)]
    if isinstance(within, list):
        outside_in = iter(names)
        return all(any(matches_name(wanted, name) for name in outside_in) for wanted in within)
    roles = [title[0], *(control.role for control in above)]
    return any(
        _matches(within, roles[at], names[at], "")
        and (not within.within or _is_within(within.within, above[: max(0, at - 1)], title))
        for at in range(len(names))
    )


def _role_of(wish: Wish) -> Role:
    wanted = wish.selector.role
    if wanted and not is_pattern(wanted):
        return Role(wanted)
    likely = _likely_role(wish)
    if not wanted or matches_name(wanted, likely):
        return likely
    return next((role for role in Role if matches_name(wanted, role)), likely)


def _likely_role(wish: Wish) -> Role:
    value = wish.args.get("value")
    match wish.tool:
        case "set_value":
            return Role.CHECKBOX if isinstance(value, bool) else Role.SPINBUTTON
        case "fill":
            return Role.CHECKBOX if isinstance(value, bool) else Role.TEXTBOX
        case "select_item":
            return Role.LIST if wish.args.get("item") else Role.LISTITEM
        case tool:
            return _BY_TOOL.get(tool, Role.BUTTON)


def _nameless(role: Role) -> str:
    """The name of a control that is addressed by its role alone."""
    return f"Sample {role.value}"


def _furnish(control: FakeControl, wish: Wish) -> None:
    """Give a control the parts that a tool needs: items, rows, a state that is not the wanted one yet."""
    item, state = _item_of(wish), _state_of(wish)
    if item and control.role in _LISTS:
        _add_item(control, item)
    if control.role is Role.TABLE and control.table is None and wish.tool == "read_table":
        control.table = FakeTable.of(wish.rows)
    if wish.args.get("value") is False and control.role in CHECKABLE_ROLES:
        control.states.add("checked")
    if control.role in {Role.SPINBUTTON, Role.SLIDER}:
        control.value = control.value or "0"
    control.states |= {state} - {"", "enabled"}


def _state_of(wish: Wish) -> str:
    """The state that is waited for; empty for none."""
    state = wish.args.get("state") if wish.tool == "wait_for" else None
    return state if isinstance(state, str) else ""


def _item_of(wish: Wish) -> str:
    """The item of a list that is to be chosen; empty for none."""
    item = wish.args.get({"select_item": "item", "fill": "value"}.get(wish.tool, ""))
    return item if isinstance(item, str) else ""


def _add_item(container: FakeControl, name: str) -> None:
    if all(child.name != name for child in container.children):
        container.children.append(FakeControl(_ITEMS.get(container.role, Role.LISTITEM), name))
