"""Rules for the effect of a press, by the pointer or by an action of the control."""

import re
from dataclasses import replace
from typing import Final

from deskhand.commands.call import ANYTHING, ExpectedEffect, Expects, Focus, Opens, Request, Rule
from deskhand.commands.control_kinds import (
    CHECKED,
    CHECKS,
    ITEMS,
    MARKED,
    MENU_CHECKS,
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


def _is_special(request: Request) -> bool:
    """True for another button, several clicks, held modifiers, another action, and a point."""
    arguments = request.arguments
    other_button = arguments.get("button", "left") != "left" or _clicks_twice(request) or bool(arguments.get("hold"))
    other_action = _OWN_ACTIONS.fullmatch(str(arguments.get("action", ""))) is None
    return request.target is None or other_button or other_action


def _clicks_twice(request: Request) -> bool:
    return request.arguments.get("double") is True or request.arguments.get("count", 1) in {2, 3}


def _hides_check(request: Request) -> bool:
    return request.target is not None and (request.target.sighting is not None or hides_check(request.target))


def _is_check(request: Request) -> bool:
    return request.is_on(CHECKS) or _has(request, Trait.TOGGLE)


def _check(request: Request) -> ExpectedEffect:
    opens = request.target is not None and "expandable" in request.target.states
    windows = Opens.NOTHING if request.is_on(CHECKS) else Opens.WINDOWS
    return ExpectedEffect(CHECKED | {"expanded"} if opens else CHECKED, opens=windows)


def _has(request: Request, trait: Trait) -> bool:
    return request.target is not None and trait in request.target.traits


def _check_in_list(request: Request) -> ExpectedEffect:
    had = request.target.states if request.target else frozenset[str]()
    return ExpectedEffect(CHECKED | MARKED - had | {"expanded"}, opens=_opens(request))


def _opens(request: Request) -> Opens:
    return Opens.WINDOWS if _has(request, Trait.BARS_FOLLOW_SELECTION) else Opens.CONTROLS


def _is_chosen_here(request: Request) -> bool:
    """True for an item whose selection toolbars follow, selected already or not."""
    return _has(request, Trait.BARS_FOLLOW_SELECTION) and _is_selectable(request.target)


def _is_item(request: Request) -> bool:
    item = request.target
    if item is None or item.type not in ITEMS or not _is_selectable(item):
        return False
    return not item.states & (MARKED if item.type is Role.CELL else {"selected"})


def _is_selectable(target: TargetInfo | None) -> bool:
    return target is not None and "selectable" in target.states


def _item(request: Request) -> ExpectedEffect:
    """Its deselection does not count: that is not the purpose of pressing it."""
    if request.target is None:
        return ANYTHING
    focus = Focus.ANYBODY if _has(request, Trait.BARS_FOLLOW_SELECTION) else Focus.NOBODY
    states = chosen_states(request.target) - request.target.states | {"expanded"}
    return ExpectedEffect(states, opens=_opens(request), focus=focus)


def _is_field(request: Request) -> bool:
    return request.target is not None and "editable" in request.target.states


def _way(request: Request, expected: ExpectedEffect) -> ExpectedEffect:
    """Leave out the side effects of the way: of a first click, and of a field that loses the keyboard."""
    leaves, saves = not request.is_on(_FILL_IN), request.target is not None and _saves(request.target)
    caret = _is_field(request) and not expected.own and request.arguments.get("button", "left") == "left"
    return replace(expected, twice=_clicks_twice(request), leaves=leaves, saves=saves, caret=caret)


def _saves(target: TargetInfo) -> bool:
    pressed = target.type in {Role.BUTTON, Role.MENUITEM} and not in_document(target)
    return pressed and _SAVING.fullmatch(comparable_name(target.name)) is not None


_AS_A_BUTTON: Final = "as of a button"
_ITEM_STATES: Final = "its own `selected` or `expanded`"

PRESS: Final = Expects(
    (
        Rule(
            "anything, by another button, twice, with held modifiers or by an action that is not its default one",
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
            "a window that came or went instead: `partial`; by a toggle button, which may open one, it is the effect",
            _is_check,
            _check,
        ),
        Rule(
            "item of a list with a check box that no action toggles",
            "its own `checked`, `selected`, `focused` or `expanded`",
            "a window, or controls, that came or went",
            lambda request: _has(request, Trait.TOGGLE_BY_KEY),
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
            "anything in its window, that it has the keyboard now, and that its caret moved; twice: that a part of its "
            "text is selected",
            applies=_is_field,
            expect=lambda _: ExpectedEffect(focus=Focus.TARGET),
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
