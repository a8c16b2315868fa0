"""Rules of accessibility, and the findings of those that one observation decides.

A rule reports only certain cases: a false finding costs its reader more than a missed one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import FIELDS, ITEMS, TargetInfo, Trait, comparable_name
from deskhand.core.text import quoted
from deskhand.perception.box_kinds import interactive

_MAIN_TEXT: Final = 0.4
"""Share of the window of a text without a name that is its document, which is known by the window's title."""
_SAME_ROW_PX: Final = 12
_BESIDE_PX: Final = 60
_ABOVE_PX: Final = 12
_LISTED: Final = 5


class Rule(Enum):
    """A rule: its short name in counts, and the reason why it matters."""

    NOTHING_EXPOSED = ("nothing exposed", "Assistive programs and tests find an empty window.")
    NO_NAME = ("no name", "A screen reader announces only the kind of control, and a test cannot address it.")
    LABEL_NOT_RELATED = (
        "label not related",
        "The text beside the field is drawn, and assistive programs do not know that it belongs to the field.",
    )
    NO_ROLE = ("no role", "Users are not informed that this can be operated, nor how.")
    NO_ACTION = ("no action", "It can be pressed by the pointer alone: voice control and switches cannot.")
    WRONG_PLACE = ("wrong place", "Magnifiers, voice control and tests point where the control is not.")
    EQUAL_NAMES = (
        "equal names",
        "Read aloud, these controls cannot be distinguished, nor be addressed by their names.",
    )
    NOT_BY_TAB = ("not reached by Tab", "Users without a pointer cannot get to it.")
    STATE_NOT_REPORTED = ("state not reported", "It can be switched, and assistive programs report the old state.")
    TEXT_NOT_EXPOSED = ("text not exposed", "The text is drawn, and cannot be read aloud, searched or translated.")

    def __init__(self, title: str, why: str) -> None:
        self.title = title
        self.why = why


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `path`: from the window to the control. `places`: in screen pixels."""

    rule: Rule
    control: str
    detail: str
    path: tuple[str, ...] = ()
    places: tuple[Rect, ...] = ()
    raw_role: str = ""


def finding(rule: Rule, control: TargetInfo, detail: str, *others: TargetInfo) -> Finding:
    """A finding about a control, and others that share it."""
    path = control.fingerprint.path if control.fingerprint else ()
    places = tuple(each.rect for each in (control, *others))
    return Finding(rule, control.describe, detail, path, places, control.raw_role)


def findings_of(seen: Observation) -> list[Finding]:
    """The findings of one observation, in the order of the rules."""
    tree = _Tree(seen)
    return [found for rule in _RULES for found in rule(tree)]


class _Tree:
    """The controls of an observation, with those below each."""

    def __init__(self, seen: Observation) -> None:
        self.window = seen.window
        self.controls = tuple(each for each in seen.controls if Trait.READ_FROM_PICTURE not in each.traits)
        self.drawn = tuple(each for each in seen.controls if Trait.READ_FROM_PICTURE in each.traits)
        self.by_handle: Mapping[str, TargetInfo] = {each.handle: each for each in self.controls}
        self.named_inside = self._around(lambda control: bool(control.name or control.value))
        self.pressed_inside = self._around(lambda control: bool(control.actions))

    def parent(self, control: TargetInfo) -> TargetInfo | None:
        return self.by_handle.get(control.parent)

    def _around(self, fits: Callable[[TargetInfo], bool]) -> set[str]:
        """The handles of the controls with a fitting one somewhere inside."""
        found: set[str] = set()
        for control in filter(fits, self.controls):
            handle = control.parent
            while handle and handle not in found:
                found.add(handle)
                above = self.by_handle.get(handle)
                handle = above.parent if above else ""
        return found


_NEED_NAMES: Final = FIELDS | {
    *(Role.BUTTON, Role.LINK, Role.MENU, Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO, Role.TAB),
}
_PRESSED: Final = frozenset({Role.BUTTON, Role.CHECKBOX, Role.LINK, Role.MENUITEM, Role.RADIO, Role.SWITCH})
_NAMED_BY_PARENT: Final = frozenset({Role.COMBOBOX, Role.SPINBUTTON})


def _without_name(tree: _Tree) -> Iterator[Finding]:
    for control in tree.controls:
        if control.type not in _NEED_NAMES or control.name or control.rect.empty or _is_explained(tree, control):
            continue
        label = _label_beside(tree, control) if control.type in FIELDS else None
        if label is not None:
            text = quoted(label.name or label.value, 40)
            yield finding(
                Rule.LABEL_NOT_RELATED, control, f"the label {text} is beside it, and not related to it", label
            )
        else:
            yield finding(Rule.NO_NAME, control, f"this {control.type} has no accessible name")


def _is_explained(tree: _Tree, control: TargetInfo) -> bool:
    """True if a control without a name is part of one, has one inside, or is the document of the window."""
    parent = tree.parent(control)
    if parent is not None and parent.type in _NAMED_BY_PARENT:
        return True
    if control.type not in FIELDS and (control.handle in tree.named_inside or control.value):
        return True
    is_document = "multi_line" in control.states and control.rect.area >= _MAIN_TEXT * tree.window.rect.area
    return is_document or "read_only" in control.states


def _label_beside(tree: _Tree, field: TargetInfo) -> TargetInfo | None:
    """The text right before a field in its row, or right above it."""
    labels = [each for each in tree.controls if each.type in {Role.LABEL, Role.TEXT} and (each.name or each.value)]
    near = [each for each in labels if _is_left_of(each.rect, field.rect) or _is_caption(each, field.rect)]
    return max(near, key=lambda label: label.rect.right + label.rect.bottom, default=None)


def _is_left_of(label: Rect, field: Rect) -> bool:
    in_row = abs(label.center.y - field.center.y) <= _SAME_ROW_PX
    return in_row and 0 <= field.left - label.right <= _BESIDE_PX


def _is_caption(label: TargetInfo, field: Rect) -> bool:
    """True for a text with a colon right above a field; one without may be about anything."""
    is_above = abs(label.rect.left - field.left) <= _SAME_ROW_PX and 0 <= field.top - label.rect.bottom <= _ABOVE_PX
    return is_above and (label.name or label.value).rstrip().endswith(":")


def _without_role(tree: _Tree) -> Iterator[Finding]:
    for control in tree.controls:
        if control.type is Role.UNKNOWN and control.actions and not control.rect.empty:
            yield finding(Rule.NO_ROLE, control, f"it offers {quoted(control.actions[0])}, and has no role")


def _without_action(tree: _Tree) -> Iterator[Finding]:
    for control in tree.controls:
        is_used = control.type in _PRESSED and "enabled" in control.states
        if is_used and not control.actions and control.handle not in tree.pressed_inside:
            yield finding(Rule.NO_ACTION, control, f"this {control.type} offers no action")


def _out_of_place(tree: _Tree) -> Iterator[Finding]:
    """Controls whose place is empty, or outside of the window, though they are reported as visible."""
    for control in tree.controls:
        if not interactive(control) or "showing" not in control.states or "offscreen" in control.states:
            continue
        if control.rect.empty:
            yield finding(Rule.WRONG_PLACE, control, "it is reported as visible, with an empty place")
        elif control.rect.intersection(tree.window.rect).empty and not _in_menu(tree, control):
            yield finding(Rule.WRONG_PLACE, control, "it is reported as visible, at a place outside of its window")


def _in_menu(tree: _Tree, control: TargetInfo) -> bool:
    """True for parts of menus and lists that open, which may lie outside of the window."""
    above: TargetInfo | None = control
    while above is not None:
        if above.type in {Role.MENU, Role.MENUITEM, Role.LIST, Role.COMBOBOX, Role.DIALOG, Role.TOOLTIP}:
            return True
        above = tree.parent(above)
    return False


def _equally_named(tree: _Tree) -> Iterator[Finding]:
    groups: dict[tuple[str, Role, str], list[TargetInfo]] = {}
    for control in tree.controls:
        if control.type in _NEED_NAMES and control.name and not _is_in_row(control) and not control.rect.empty:
            groups.setdefault((control.parent, control.type, comparable_name(control.name)), []).append(control)
    for (_, role, name), group in groups.items():
        if len(group) > 1:
            detail = f"{len(group)} controls beside each other are a {role} named {quoted(name, 40)}"
            yield finding(Rule.EQUAL_NAMES, group[0], detail, *group[1:])


def _is_in_row(control: TargetInfo) -> bool:
    """True for parts of rows, which the texts of their rows distinguish."""
    return control.fingerprint is not None and any(role in ITEMS for role in control.fingerprint.roles_around)


def _not_exposed_texts(tree: _Tree) -> Iterator[Finding]:
    if tree.drawn:
        named = ", ".join(quoted(each.name or each.value, 30) for each in tree.drawn[:_LISTED])
        more = f" and {len(tree.drawn) - _LISTED} more" if len(tree.drawn) > _LISTED else ""
        detail = f"drawn, and not exposed: {named}{more}"
        yield finding(Rule.TEXT_NOT_EXPOSED, tree.drawn[0], detail, *tree.drawn[1:])


_RULES: Final[tuple[Callable[[_Tree], Iterator[Finding]], ...]] = (
    _without_name,
    _without_role,
    _without_action,
    _out_of_place,
    _equally_named,
    _not_exposed_texts,
)
