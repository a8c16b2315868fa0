"""Rules for the effect of a press, by the pointer or by an action of the control."""

import re
from dataclasses import replace
from typing import Final

from deskhand.commands.expectation import (
    ANYTHING,
    CHECKED,
    CHECKS,
    ITEMS,
    MARKED,
    MENU_CHECKS,
    About,
    Asked,
    Expects,
    Focus,
    Opens,
    Rule,
    chosen_states,
    hides_check,
    in_document,
)
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait, comparable_name

_OWN_ACTIONS: Final = re.compile(r"|click|press|toggle|check|uncheck|select|activate", re.IGNORECASE)
_SAVING: Final = re.compile(r"save|keep current format!?|use .* format!?", re.IGNORECASE)
"""Includes the answers to LibreOffice's question about a file of another program's format."""

_FILL_IN: Final = ITEMS | MENU_CHECKS | {Role.MENUITEM}
"""Choosing one of these may fill the field that offered them."""


def _is_special(asked: Asked) -> bool:
    """True for another button, a double click, another action, and a point."""
    arguments = asked.arguments
    other_button = arguments.get("button", "left") != "left" or arguments.get("double") is True
    other_action = _OWN_ACTIONS.fullmatch(str(arguments.get("action", ""))) is None
    return asked.target is None or other_button or other_action


def _hides_check(asked: Asked) -> bool:
    return asked.target is not None and (asked.target.sighting is not None or hides_check(asked.target))


def _is_check(asked: Asked) -> bool:
    return asked.is_on(CHECKS) or _has(asked, Trait.TOGGLE)


def _check(asked: Asked) -> About:
    opens = asked.target is not None and "expandable" in asked.target.states
    return About(CHECKED | {"expanded"} if opens else CHECKED)


def _has(asked: Asked, trait: Trait) -> bool:
    return asked.target is not None and trait in asked.target.traits


def _check_in_list(asked: Asked) -> About:
    had = asked.target.states if asked.target else frozenset[str]()
    return About(CHECKED | MARKED - had | {"expanded"}, opens=_opens(asked))


def _opens(asked: Asked) -> Opens:
    return Opens.WINDOWS if _has(asked, Trait.BARS_FOLLOW_SELECTION) else Opens.CONTROLS


def _is_chosen_here(asked: Asked) -> bool:
    """True for an item whose selection toolbars follow, selected already or not."""
    return _has(asked, Trait.BARS_FOLLOW_SELECTION) and _is_selectable(asked.target)


def _is_item(asked: Asked) -> bool:
    item = asked.target
    if item is None or item.type not in ITEMS or not _is_selectable(item):
        return False
    return not item.states & (MARKED if item.type is Role.CELL else {"selected"})


def _is_selectable(target: TargetInfo | None) -> bool:
    return target is not None and "selectable" in target.states


def _item(asked: Asked) -> About:
    """Its deselection does not count: that is not the purpose of pressing it."""
    if asked.target is None:
        return ANYTHING
    focus = Focus.ANYBODY if _has(asked, Trait.BARS_FOLLOW_SELECTION) else Focus.NOBODY
    states = chosen_states(asked.target) - asked.target.states | {"expanded"}
    return About(states, opens=_opens(asked), focus=focus)


def _is_field(asked: Asked) -> bool:
    return asked.target is not None and "editable" in asked.target.states


def _way(asked: Asked, about: About) -> About:
    """Leave out the side effects of the way: of a first click, and of a field that loses the keyboard."""
    leaves, saves = not asked.is_on(_FILL_IN), asked.target is not None and _saves(asked.target)
    return replace(about, twice=asked.arguments.get("double") is True, leaves=leaves, saves=saves)


def _saves(target: TargetInfo) -> bool:
    pressed = target.type in {Role.BUTTON, Role.MENUITEM} and not in_document(target)
    return pressed and _SAVING.fullmatch(comparable_name(target.name)) is not None


_AS_A_BUTTON: Final = "as of a button"
_ITEM_STATES: Final = "its own `selected` or `expanded`"

PRESS: Final = Expects(
    (
        Rule(
            "anything, by another button, twice or by an action that is not its default one",
            f"{_AS_A_BUTTON}; twice: except what one click does as well: that something is selected, has the keyboard, "
            "and what a status bar then reports",
            applies=_is_special,
        ),
        Rule(
            "item of a menu that is checked or not, and reports it only once its menu opens again, as in LibreOffice "
            "and in Chromium's own windows",
            f"{_AS_A_BUTTON}; where nothing changed: `unverifiable`",
            applies=_hides_check,
        ),
        Rule(
            "checkbox, radio button, switch, toggle button, such items of menus",
            "its own `checked`, `indeterminate` or, of a toggle button, `pressed`; a radio button has to become "
            "checked; of one that opens something below it also `expanded`",
            "a window that came or went instead: `partial`",
            _is_check,
            _check,
        ),
        Rule(
            "item of a list with a check box that no action toggles",
            "its own `checked`, `selected`, `focused` or `expanded`",
            "a window, or controls, that came or went",
            lambda asked: _has(asked, Trait.TOGGLE_BY_KEY),
            _check_in_list,
        ),
        Rule(
            "item, cell or tab of LibreOffice, also while it is selected, and drawings in its documents",
            f"{_ITEM_STATES}; never that it is selected no longer",
            "a window that came or went; that it is gone; that a text in it has the keyboard now; that a document "
            "reads otherwise, as a formula of Math. Not controls: those of its toolbars and sidebar follow the "
            "selection",
            _is_chosen_here,
            _item,
        ),
        Rule(
            "item of a list, tree or table, tab, while it can be selected and is not",
            f"{_ITEM_STATES}; of a cell also that it has the cursor (`focused`) now, which is all that spreadsheets "
            "report",
            "a window, or controls, that came or went; that it is gone",
            _is_item,
            _item,
        ),
        Rule(
            "text field",
            "anything in its window, and that it has the keyboard now",
            applies=_is_field,
            expect=lambda _: About(focus=Focus.TARGET),
        ),
        Rule(
            "button, link, menu item, anything else",
            "its own states, value, or that it is gone; controls of its window that came, went, moved, or read "
            "otherwise; a window of its program that came, went or has another title",
        ),
        Rule(
            "anything but an item of a list, tree, table or menu",
            "never the value of the field that had the keyboard before and has it no longer: fields format their text "
            "as they are left",
        ),
    ),
    _way,
)
