"""Kinds of controls, by role, state and trait, as rules for effects and tools refer to them."""

from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait

VALUE: Final = "value"
"""Among `ExpectedEffect.own`: the text or number in a control."""
CHECK_UNKNOWN: Final = "checked_untold"
"""State of a control that can be checked and does not expose it."""
RESULT_UNKNOWN: Final = "result_untold"
"""State of a cell with a formula whose result is not exposed, such as an error."""
TRACKED_CHANGES: Final = "tracked_changes"
"""State of a text with recorded changes, whose deleted words are left out."""
CONTENT_CONTROLS: Final = "content_controls"
"""State of a text with content controls, which replacing it would remove."""
CALLED_INVALID: Final = "invalid_entry"
"""State of a control whose program does not accept what is in it."""
CHECKED: Final = frozenset({"checked", "indeterminate", "pressed"})
ROWS_OF_A_SHEET: Final = 65_536
"""A spreadsheet has at least so many rows, and hardly any other table has."""
LASTING_STATES: Final = frozenset({"checked", "selected", "expanded", "pressed", "indeterminate"})
MARKED: Final = frozenset({"selected", "focused"})
"""Either state marks a cell as the chosen one: spreadsheets report only `focused` for the cell at the cursor."""
MENU_CHECKS: Final = frozenset({Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
TURNED_OVER: Final = frozenset({Role.CHECKBOX, Role.MENUITEMCHECKBOX, Role.SWITCH})
"""Roles that a second press turns back."""
TOGGLE: Final = "toggle"
CHECKS: Final = MENU_CHECKS | {Role.CHECKBOX, Role.RADIO, Role.SWITCH}
ITEMS: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.TAB, Role.ROW, Role.CELL})
SHAPES: Final = frozenset({Role.FIGURE, Role.GROUP, Role.IMAGE})
"""Roles of drawings in a document."""
NUMBERS: Final = frozenset({Role.SLIDER, Role.SPINBUTTON, Role.SCROLLBAR})
LABELS: Final = frozenset({Role.LABEL, Role.TEXT})
TEXTS: Final = frozenset({Role.TEXTBOX, Role.COMBOBOX, Role.SPINBUTTON, Role.PARAGRAPH, Role.PASSWORD})
_AROUND: Final = (
    CHECKS - MENU_CHECKS | NUMBERS | TEXTS - {Role.PARAGRAPH} | {Role.BUTTON, Role.LABEL, Role.LISTITEM, Role.TREEITEM}
)
OTHER_TOOL: Final = {
    **dict.fromkeys((Role.BUTTON, Role.LINK), "press it with invoke"),
    **dict.fromkeys((Role.CHECKBOX, Role.SWITCH, Role.MENUITEMCHECKBOX), "check it with set_value"),
    **dict.fromkeys((Role.SLIDER, Role.SPINBUTTON, Role.SCROLLBAR), "give it a number with set_value"),
    **dict.fromkeys((Role.TEXTBOX, Role.PASSWORD), "give it a text with set_edit_text"),
}
"""Roles that are no items unless they report `selectable`, with the tool to use instead."""


CLOSE_LIST: Final = "choose one of its items, or close it with keyboard_input {ESC}"
"""The fix for a control under an open list."""


def in_document(control: TargetInfo) -> bool:
    """True inside a document, such as a web page."""
    return control.fingerprint is not None and control.fingerprint.in_document


def is_shape(control: TargetInfo) -> bool:
    """True for a drawing in a document; the shapes of a drawing are items of it."""
    return control.type in SHAPES or (control.type is Role.LISTITEM and Trait.FOCUS_BY_CLICK in control.traits)


def is_in_toolbar(control: TargetInfo) -> bool:
    """True inside a toolbar, where a field acts on Enter."""
    return control.fingerprint is not None and Role.TOOLBAR in control.fingerprint.roles_around


def is_around_document(control: TargetInfo) -> bool:
    """True for a control of a toolbar or sidebar."""
    return control.type in _AROUND and control.fingerprint is not None and not in_document(control)


def lasting_states(control: TargetInfo) -> frozenset[str]:
    """The states that report a lasting effect. Every button is `pressed` while it is held down; only a toggle button
    stays so.
    """
    states = control.states & LASTING_STATES
    return states if Trait.TOGGLE in control.traits else states - {"pressed"}


def hides_check(target: TargetInfo) -> bool:
    """True if it does not expose whether it is checked, or only once its menu opens again."""
    return CHECK_UNKNOWN in target.states or Trait.STATE_IS_HIDDEN in target.traits


def chosen_states(item: TargetInfo) -> frozenset[str]:
    """The states that mark an item as the chosen one; `focused` does not if the item had it before."""
    if item.type in MENU_CHECKS | {Role.RADIO}:
        return frozenset({"checked"})
    return MARKED if item.type is Role.CELL and "focused" not in item.states else frozenset({"selected"})


def has_toggle(target: TargetInfo) -> bool:
    """True for an item of a list with a check box that an action toggles."""
    return target.type in ITEMS and "checkable" in target.states and TOGGLE in target.actions
