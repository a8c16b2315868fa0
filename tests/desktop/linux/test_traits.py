"""Traits of controls and windows, from what applications report."""

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import (
    CHECKABLE,
    EDITABLE,
    LABEL,
    LIST_ITEM,
    MANAGES_DESCENDANTS,
    PANEL,
    PUSH_BUTTON,
    TABLE_CELL,
    TOGGLE_BUTTON,
    TRANSIENT,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.desktop.linux.toolkits.libreoffice.hooks import LibreOffice
from deskhand.desktop.linux.x11.window_traits import window_traits

IN_PAGE = ("document:Page",)
IN_DIALOG = ("dialog:Format", "list#0")
IN_NAMELESS = ("window#0", "list#0")
OFFICE_WINDOW = {Trait.HAS_OWN_INTERFACE, Trait.OVERTAKES_KEYS, Trait.LOSES_SHORT_PRESSES, Trait.SAVES_FIRST}
OFFICE_ITEM = {Trait.BARS_FOLLOW_SELECTION}


def traits(
    role: Role,
    raw: int = LABEL,
    *,
    around: tuple[str, ...] = (),
    state: int = 0,
    actions: tuple[str, ...] = (),
    office: bool = False,
) -> set[Trait]:
    node = Node(Ref(":1.1", "/1"), None, state, role=raw, actions=actions)
    toolkit = LibreOffice() if office else Toolkit()
    return set(toolkit.traits_of(node, role, Fingerprint(role, "It", (*around, f"{role}:It"), "Main")))


@pytest.mark.parametrize(
    ("role", "actions", "around", "wanted"),
    [
        (Role.BUTTON, (), (), set[Trait]()),
        (Role.BUTTON, (), IN_PAGE, set[Trait]()),
        (Role.MENUITEM, (), (), {Trait.CHECK_NOT_EXPOSED}),
        (Role.MENUITEM, (), IN_PAGE, {Trait.CHECK_NOT_EXPOSED}),
        (Role.MENUITEMCHECKBOX, (), IN_PAGE, {Trait.STATE_IS_HIDDEN}),
        (Role.MENUITEMCHECKBOX, (), (), set[Trait]()),
        (Role.COMBOBOX, ("press",), (), {Trait.OPENS_BY_CLICK}),
        (Role.COMBOBOX, ("open",), IN_PAGE, set[Trait]()),
        (Role.COMBOBOX, ("open",), (), {Trait.OPENS_BY_CLICK}),
    ],
)
def test_traits_follow_from_role_actions_and_place(
    role: Role, actions: tuple[str, ...], around: tuple[str, ...], wanted: set[Trait]
) -> None:
    assert traits(role, actions=actions, around=around) == wanted


@pytest.mark.parametrize("office", [False, True])
def test_a_toggle_button_is_told_from_a_plain_one(office: bool) -> None:
    assert Trait.TOGGLE in traits(Role.BUTTON, TOGGLE_BUTTON, office=office)
    assert traits(Role.BUTTON, PUSH_BUTTON, office=office) == {Trait.CHECK_NOT_EXPOSED}
    assert traits(Role.BUTTON, PUSH_BUTTON, state=CHECKABLE, office=office) == set()


@pytest.mark.parametrize(
    ("actions", "office", "by_key"),
    [(("Toggle",), False, True), ((), False, True), (("check",), False, False), (("check",), True, True)],
)
def test_an_item_with_a_check_box_that_no_action_toggles(actions: tuple[str, ...], office: bool, by_key: bool) -> None:
    found = traits(Role.LISTITEM, state=CHECKABLE, actions=actions, office=office)
    assert (Trait.TOGGLE_BY_KEY in found) == by_key


def test_a_shape_of_a_drawing_takes_the_keyboard_by_a_click_and_a_slide_does_not() -> None:
    shape = traits(Role.LISTITEM, PANEL, around=IN_PAGE, state=EDITABLE, office=True)
    slide = traits(Role.LISTITEM, PANEL, around=IN_PAGE, office=True)
    assert shape - slide == {Trait.FOCUS_BY_CLICK}


@pytest.mark.parametrize(
    ("role", "raw", "around", "wanted"),
    [
        (Role.MENUITEMRADIO, LABEL, (), {Trait.STATE_IS_HIDDEN, Trait.STATE_IS_LATE}),
        (Role.CHECKBOX, LABEL, (), {Trait.STATE_IS_LATE}),
        (Role.CHECKBOX, LABEL, IN_PAGE, set[Trait]()),
        (Role.BUTTON, TOGGLE_BUTTON, (), {Trait.TOGGLE, Trait.STATE_IS_LATE, Trait.OPENS_LIST}),
        (Role.LISTITEM, LIST_ITEM, (), OFFICE_ITEM),
        (Role.LISTITEM, PANEL, IN_PAGE, OFFICE_ITEM | {Trait.SELECT_BY_CLICK}),
        (Role.LISTITEM, LIST_ITEM, IN_DIALOG, OFFICE_ITEM | {Trait.IN_POPUP_LIST}),
        (Role.LISTITEM, LIST_ITEM, IN_NAMELESS, OFFICE_ITEM | {Trait.IN_POPUP_LIST}),
        (Role.LISTITEM, LIST_ITEM, ("dialog:Main",), OFFICE_ITEM),
        (Role.LIST, LABEL, (), {Trait.PARTIAL_LIST}),
        (Role.LIST, LABEL, IN_PAGE, set[Trait]()),
        (Role.LIST, LABEL, ("dialog:Format",), {Trait.PARTIAL_LIST, Trait.POPUP_LIST}),
        (Role.FIGURE, LABEL, IN_PAGE, OFFICE_ITEM | {Trait.FOCUS_BY_CLICK}),
        (Role.CELL, LABEL, IN_PAGE, OFFICE_ITEM | {Trait.FOCUS_BY_CLICK}),
        (Role.CELL, LABEL, (), OFFICE_ITEM),
        (Role.STATUS, LABEL, (), {Trait.FOLLOWS_POINTER}),
    ],
)
def test_traits_of_libreoffice(role: Role, raw: int, around: tuple[str, ...], wanted: set[Trait]) -> None:
    assert traits(role, raw, around=around, office=True) == wanted


def test_cells_of_a_spreadsheet_are_marked_and_those_of_a_text_document_are_not() -> None:
    assert Trait.OF_SHEET in traits(Role.CELL, LABEL, state=TRANSIENT, around=IN_PAGE, office=True)
    assert Trait.OF_SHEET in traits(Role.TABLE, LABEL, state=MANAGES_DESCENDANTS, around=IN_PAGE, office=True)
    assert Trait.OF_SHEET not in traits(Role.CELL, LABEL, around=IN_PAGE, office=True)


def test_an_item_that_libreoffice_draws_is_selected_by_a_click() -> None:
    assert Trait.SELECT_BY_CLICK in traits(Role.LISTITEM, LIST_ITEM, state=TRANSIENT, office=True)
    assert Trait.SELECT_BY_CLICK not in traits(Role.LISTITEM, LIST_ITEM, state=TRANSIENT)


def test_a_style_of_libreoffice_activates_the_one_that_is_selected() -> None:
    assert Trait.ACTIVATES_SELECTED in traits(Role.TREEITEM, TABLE_CELL, actions=("Activate",), office=True)
    assert Trait.ACTIVATES_SELECTED not in traits(Role.TREEITEM, TABLE_CELL, office=True)


@pytest.mark.parametrize(
    ("application", "wanted"),
    [
        ("libreoffice-writer", OFFICE_WINDOW),
        ("Soffice", OFFICE_WINDOW),
        ("libreoffice-base", OFFICE_WINDOW | {Trait.SLOW_FIELDS}),
        ("Gedit", {Trait.MARKS_UNSAVED}),
        ("chromium", set[Trait]()),
    ],
)
def test_traits_of_windows_follow_from_their_application(application: str, wanted: set[Trait]) -> None:
    assert set(window_traits(application)) == wanted
