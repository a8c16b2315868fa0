"""From what an application says of its objects to controls."""

from dataclasses import replace

import pytest

from deskhand.core.errors import ElementStale, NotAccessible
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind
from deskhand.desktop.identity import Scene, recognise
from deskhand.desktop.linux.atspi.application_registry import Toplevel, match_window
from deskhand.desktop.linux.atspi.calls import Ref, cell_of, parse_handle
from deskhand.desktop.linux.atspi.coordinates import keep_to_views
from deskhand.desktop.linux.atspi.mapping import controls_of
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import (
    ACTIVE,
    CALENDAR,
    CHECK_BOX,
    CHECKABLE,
    CHECKED,
    COLLAPSED,
    COMBO_BOX,
    DOCUMENT_SPREADSHEET,
    DOCUMENT_TEXT,
    ENABLED,
    EXPANDABLE,
    EXPANDED,
    FOCUSABLE,
    FOCUSED,
    INDETERMINATE,
    MANAGES_DESCENDANTS,
    MENU,
    MENU_ITEM,
    PAGE_TAB,
    SELECTABLE,
    SELECTED,
    SEPARATOR,
    SHOWING,
    SPLIT_PANE,
    STATIC,
    TOGGLE_BUTTON,
    TRANSIENT,
    raw_role_of,
    role_of,
    states_of,
)
from deskhand.desktop.linux.toolkits.gtk4.content_names import disable_below, head_columns, name_by_content
from deskhand.desktop.linux.toolkits.libreoffice.layout import (
    correct_places,
    keep_to_documents,
    keep_to_window,
    not_in_panes,
    place_drawn_items,
)
from deskhand.desktop.linux.toolkits.qt.hooks import Qt

FRAME, FILLER, PANEL, LABEL, ENTRY, BUTTON, ROOT_PANE, LIST_ITEM, LIST, TREE_TABLE, CELL, TABLE = (
    23,
    20,
    39,
    29,
    79,
    43,
    46,
    32,
    31,
    66,
    56,
    55,
)
COLUMN_HEADER, TREE, DOCUMENT_FRAME, ROW, DOCUMENT_PRESENTATION = (57, 65, 82, 90, 93)
PAGE_TAB_LIST, TOOL_BAR, PARAGRAPH, DIALOG, FILE_CHOOSER = (38, 63, 73, 16, 19)
PLACE = Rect(0, 0, 10, 10)


def tree(*rows: tuple[str, str, int, str], state: int = SHOWING | ENABLED) -> dict[Ref, Node]:
    """Nodes from (own path, parent's path, role, name), parents first."""
    nodes: dict[Ref, Node] = {}
    for path, parent, role, name in rows:
        ref, above = Ref(":1.1", f"/{path}"), Ref(":1.1", f"/{parent}") if parent else None
        nodes[ref] = Node(ref, above, state, role, name, rect=PLACE)
        if above:
            nodes[above].children.append(ref)
    return nodes


def at(nodes: dict[Ref, Node], path: str) -> Node:
    return nodes[Ref(":1.1", f"/{path}")]


def place(nodes: dict[Ref, Node], rects: dict[str, Rect]) -> None:
    for path, rect in rects.items():
        at(nodes, path).rect = rect


def seen(nodes: dict[Ref, Node]) -> list[TargetInfo]:
    return list(controls_of(nodes, Ref(":1.1", "/w"), "Window"))


@pytest.mark.requires("observe.roles")
def test_roles_go_by_number_and_unknown_numbers_stay_harmless() -> None:
    assert (role_of(43), raw_role_of(43)) == (Role.BUTTON, "push button")
    assert (role_of(61), role_of(79), role_of(40)) == (Role.TEXTBOX, Role.TEXTBOX, Role.PASSWORD)
    assert (role_of(94), role_of(130)) == (Role.DOCUMENT, Role.SWITCH)
    assert (role_of(4711), raw_role_of(4711)) == (Role.UNKNOWN, "role 4711")


@pytest.mark.requires("observe.roles", "observe.chromium")
def test_a_switch_of_a_page_is_one_and_a_button_that_stays_pressed_is_none() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("s", "w", TOGGLE_BUTTON, "Wifi"),
        ("p", "w", TOGGLE_BUTTON, "Bold"),
        ("o", "w", TOGGLE_BUTTON, "Of no page"),
    )
    for path, state, in_page in (("s", CHECKABLE, True), ("p", 0, True), ("o", CHECKABLE, False)):
        at(nodes, path).state |= state
        at(nodes, path).in_page = in_page
    assert [(control.name, control.type) for control in seen(nodes)] == [
        ("Wifi", Role.SWITCH),
        ("Bold", Role.BUTTON),
        ("Of no page", Role.BUTTON),
    ]
    assert {control.raw_role for control in seen(nodes)} == {"toggle button"}


def test_a_calendar_is_seen_though_it_has_neither_a_name_nor_anything_in_it() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("c", "w", CALENDAR, ""), ("p", "w", PANEL, ""))
    assert [(control.type, control.raw_role) for control in seen(nodes)] == [(Role.GROUP, "calendar")]


def test_state_bits_become_names() -> None:
    assert states_of(1 << 12 | 1 << 4 | 1 << 25) == {"focused", "checked", "showing"}
    assert states_of(1 << 8) == states_of(1 << 24) == {"enabled"}
    assert states_of(1 << 43) == {"read_only"}


def test_a_handle_leads_back_to_its_object() -> None:
    ref = Ref(":1.42", "/org/a11y/atspi/accessible/7")
    assert parse_handle(ref.handle) == ref
    assert parse_handle("x11:0x1") is None
    assert parse_handle("atspi:nonsense") is None


def test_boxes_that_carry_nothing_are_left_out_and_parents_stay_true() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("f", "w", FILLER, ""),
        ("g", "f", PANEL, "Options"),
        ("h", "g", FILLER, ""),
        ("b", "h", BUTTON, "Go"),
    )
    group, button = seen(nodes)
    assert (group.type, group.parent) == (Role.GROUP, "")
    assert (button.name, button.parent) == ("Go", group.handle)
    assert button.fingerprint == Fingerprint(Role.BUTTON, "Go", ("group:Options", "button:Go"), "Window")


def test_controls_without_a_name_are_told_apart_by_their_number_among_their_kind() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("a", "w", ENTRY, ""), ("b", "w", BUTTON, "B"), ("c", "w", ENTRY, ""))
    assert [c.fingerprint.path for c in seen(nodes) if c.fingerprint] == [
        ("textbox#0",),
        ("button:B",),
        ("textbox#1",),
    ]


def test_a_label_gives_its_name_away_and_is_not_listed_itself() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("l", "w", LABEL, "Price"), ("e", "w", ENTRY, ""))
    at(nodes, "e").label = "Price"
    at(nodes, "e").labelled_by = [Ref(":1.1", "/l")]
    assert [(c.type, c.name) for c in seen(nodes)] == [(Role.TEXTBOX, "Price")]


def test_a_check_box_that_labels_a_field_is_listed_beside_it() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("c", "w", CHECK_BOX, "Limit to"), ("e", "w", ENTRY, ""))
    at(nodes, "e").label = "Limit to"
    at(nodes, "e").labelled_by = [Ref(":1.1", "/c")]
    assert [(c.type, c.name) for c in seen(nodes)] == [(Role.CHECKBOX, "Limit to"), (Role.TEXTBOX, "Limit to")]


def test_a_group_box_that_labels_a_field_in_it_is_listed_around_it() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("g", "w", PANEL, "Grouping"), ("e", "g", ENTRY, ""))
    at(nodes, "e").label, at(nodes, "e").rect = "Grouping", Rect(0, 0, 5, 5)
    at(nodes, "e").labelled_by = [Ref(":1.1", "/g")]
    assert [(c.type, c.name) for c in seen(nodes)] == [(Role.GROUP, "Grouping"), (Role.TEXTBOX, "Grouping")]


def test_an_item_is_named_by_what_it_shows() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"), ("l", "w", LIST, "Fruit"), ("i", "l", LIST_ITEM, ""), ("t", "i", LABEL, "Pear")
    )
    assert [(c.type, c.name) for c in seen(nodes)] == [(Role.LIST, "Fruit"), (Role.LISTITEM, "Pear")]


def test_what_is_written_in_a_cell_or_a_field_is_its_value_also_where_it_is_its_name() -> None:
    nodes = tree(("w", "", FRAME, "W"), ("t", "w", TABLE, "Sheet"), ("e", "w", ENTRY, "Ada"), ("l", "w", LABEL, "A"))
    cell = cell_of(at(nodes, "t").ref, 0, 3)
    nodes[cell] = Node(cell, at(nodes, "t").ref, SHOWING | ENABLED, CELL, "D1", rect=PLACE)
    for node in nodes.values():
        node.text = node.name
    assert {control.name: control.value for control in seen(nodes)} == {"Sheet": "", "D1": "D1", "Ada": "Ada", "A": ""}


@pytest.mark.parametrize(("columns", "table", "item"), [(1, Role.LIST, Role.LISTITEM), (2, Role.TABLE, Role.CELL)])
def test_a_tree_view_of_one_column_is_a_list(columns: int, table: Role, item: Role) -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("t", "w", TREE_TABLE, "T"))
    view = at(nodes, "t")
    view.state |= MANAGES_DESCENDANTS
    view.columns = columns
    for column in range(columns):
        ref = Ref(":1.1", f"/c{column}")
        nodes[ref] = Node(ref, view.ref, SHOWING | ENABLED, CELL, f"c{column}", rect=PLACE.moved(10 * column, 0))
        view.children.append(ref)
    assert [c.type for c in seen(nodes)] == [table, *[item] * columns]


def test_what_a_cell_hides_in_it_is_not_seen() -> None:
    """In the file dialog of GTK 3 each time has a second text, of no width, at the left end of the table."""
    nodes = tree(
        ("w", "", FRAME, "Window"), ("t", "w", TREE_TABLE, ""), ("a", "t", CELL, "Yes"), ("b", "t", CELL, "No")
    )
    place(nodes, {"b": Rect(0, 0, 0, 10)})
    assert [control.name for control in seen(nodes) if control.type is Role.CELL] == ["Yes"]


def test_a_column_of_empty_cells_does_not_make_a_table_of_a_list() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("t", "w", TREE_TABLE, ""), ("i", "t", CELL, ""), ("c", "t", CELL, "Bar"))
    view = at(nodes, "t")
    view.state |= MANAGES_DESCENDANTS
    view.columns = 2
    at(nodes, "i").rect = Rect(0, 0, 0, 10)
    assert [(c.type, c.name) for c in seen(nodes)] == [(Role.LIST, ""), (Role.LISTITEM, "Bar")]


def test_the_items_of_a_disabled_list_are_disabled() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("l", "w", LIST, "L"), ("i", "l", LIST_ITEM, "Pear"))
    at(nodes, "l").state = SHOWING
    assert ["enabled" in c.states for c in seen(nodes)] == [False, False]


def test_cells_of_gtk_4_are_called_by_the_words_in_them_and_never_by_their_class() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("t", "w", TREE_TABLE, ""),
        ("h", "t", ROW, ""),
        ("hf", "h", FILLER, ""),
        ("hl", "hf", LABEL, "Size"),
        ("l", "t", LIST, ""),
        ("r", "l", ROW, "NautilusNameCell"),
        ("c", "r", CELL, ""),
        ("cf", "c", FILLER, "a.odt"),
        ("cl", "cf", LABEL, "a.odt"),
        ("g", "w", TABLE, ""),
        ("o", "g", CELL, "NautilusGridCell"),
        ("n", "o", CELL, "b.odt"),
        ("nl", "n", LABEL, "b.odt"),
    )
    name_by_content(nodes)
    disable_below(nodes)
    head_columns(nodes)
    assert (at(nodes, "r").name, at(nodes, "c").name, at(nodes, "cf").name) == ("", "a.odt", "")
    assert (at(nodes, "o").name, at(nodes, "o").children) == ("b.odt", [Ref(":1.1", "/nl")])
    assert Ref(":1.1", "/n") not in nodes
    assert [at(nodes, path).role for path in ("hl", "cl")] == [COLUMN_HEADER, LABEL]


def test_what_chooses_files_in_a_dialog_is_no_dialog_in_it() -> None:
    nodes = tree(("w", "", DIALOG, "Open"), ("c", "w", FILE_CHOOSER, "File Chooser Widget"))
    assert [(c.type, c.raw_role) for c in seen(nodes)] == [(Role.GROUP, "file chooser")]


def test_what_is_partly_checked_is_not_checked() -> None:
    both = INDETERMINATE | CHECKED | SHOWING
    assert Qt("Qt", "6.8.3").state_in(both) == INDETERMINATE | SHOWING
    assert Qt("Qt", "6.8.3").state_in(CHECKED | SHOWING) == CHECKED | SHOWING


def test_a_separator_is_told_where_it_can_be_moved() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("s", "w", SEPARATOR, "Splitter"), ("l", "w", SEPARATOR, "Line"))
    at(nodes, "s").number, at(nodes, "s").state = 30.0, SHOWING | ENABLED | FOCUSABLE
    assert [(c.name, c.value) for c in seen(nodes)] == [("Splitter", "30")]


def test_what_a_small_window_has_no_room_for_is_not_seen_but_open_menus_reach_out_of_it() -> None:
    nodes = tree(
        ("w", "", FRAME, ""),
        ("m", "w", MENU, "Window"),
        ("i", "m", MENU_ITEM, "New Window"),
        ("s", "w", PANEL, ""),
        ("l", "s", LABEL, "100%"),
        ("d", "w", DOCUMENT_TEXT, ""),
        ("p", "d", PARAGRAPH, "Long"),
    )
    rects = {
        "w": Rect(0, 0, 500, 400),
        "m": Rect(450, 0, 520, 20),
        "i": Rect(450, 390, 600, 420),
        "s": Rect(0, 380, 700, 400),
        "l": Rect(650, 380, 690, 400),
        "d": Rect(0, 20, 500, 380),
        "p": Rect(0, 370, 600, 450),
    }
    place(nodes, rects)
    assert keep_to_window(nodes) == {Ref(":1.1", "/l")}
    assert [at(nodes, path).rect.right for path in ("m", "i", "s", "p")] == [500, 600, 500, 600]


def test_rows_of_a_sidebar_that_is_longer_than_its_room_are_seen_as_far_as_that_goes() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("p", "w", SPLIT_PANE, ""),
        ("d", "p", PANEL, "Animation"),
        ("l", "d", TREE_TABLE, "Effect:"),
        ("a", "l", CELL, "Appear"),
        ("v", "l", CELL, "Venetian Blinds"),
        ("b", "l", CELL, "Box"),
    )
    rects = {
        "w": Rect(0, 0, 1024, 600),
        "p": Rect(605, 122, 1024, 539),
        "d": Rect(614, 124, 1022, 537),
        "l": Rect(693, 460, 937, 563),
        "a": Rect(715, 484, 935, 505),
        "v": Rect(715, 530, 935, 551),
        "b": Rect(715, 553, 935, 574),
    }
    place(nodes, rects)
    assert keep_to_window(nodes) == {Ref(":1.1", "/b")}
    assert [at(nodes, path).rect.bottom for path in "lav"] == [537, 505, 537]


def test_colours_below_one_that_is_drawn_as_text_stay_in_their_rows() -> None:
    """The dialog for the colour of a sheet's tab."""
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("l", "w", LIST, ""),
        *((name, "l", LIST_ITEM, name) for name in ("Default", "Black", "Yellow")),
        state=SHOWING | ENABLED | TRANSIENT,
    )
    rects = {
        "w": Rect(0, 0, 1280, 900),
        "l": Rect(529, 363, 753, 595),
        "Default": Rect(529, 363, 529, 363),
        "Black": Rect(533, 382, 551, 398),
        "Yellow": Rect(533, 398, 551, 414),
    }
    place(nodes, rects)
    assert place_drawn_items(nodes) == frozenset()
    assert {name: at(nodes, name).rect for name in rects} == rects


def test_buttons_that_hand_the_keyboard_on_to_a_text_do_not_say_that_they_have_it() -> None:
    """Those of Kate's status bar."""
    nodes = tree(
        ("w", "", FRAME, "Window"), ("t", "w", ENTRY, "Text"), ("l", "w", BUTTON, "1:1"), ("m", "w", BUTTON, "INSERT")
    )
    for path in "tlm":
        at(nodes, path).state |= FOCUSED
    assert [c.name for c in seen(nodes) if "focused" in c.states] == ["Text"]
    at(nodes, "t").state &= ~FOCUSED
    at(nodes, "m").state &= ~FOCUSED
    assert [c.name for c in seen(nodes) if "focused" in c.states] == ["1:1"]


def test_a_page_behind_a_dialog_that_has_the_keyboard_does_not_have_it() -> None:
    """As behind the print preview of Chromium, a page itself."""
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("d", "w", DOCUMENT_FRAME, "Page"),
        ("p", "w", DIALOG, "Print"),
        ("s", "p", BUTTON, "Save"),
    )
    for path in "ds":
        at(nodes, path).state |= FOCUSED
        at(nodes, path).in_page = True
    assert [c.name for c in seen(nodes) if "focused" in c.states] == ["Save"]


def test_tabs_of_a_bar_that_is_not_shown_are_not_listed() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("b", "w", PAGE_TAB_LIST, ""), ("t", "b", PAGE_TAB, "Default"))
    assert "Default" in [c.name for c in seen(nodes)]
    at(nodes, "t").rect = Rect(191, 122, 191, 122)
    assert "Default" in [c.name for c in seen(nodes)], "scrolled out of its bar"
    at(nodes, "b").rect = Rect(191, 122, 191, 122)
    assert "Default" not in [c.name for c in seen(nodes)]


def test_a_table_of_qt_that_does_not_show_is_not_seen_nor_what_stands_in_it() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("t", "w", TABLE, "Shortcuts"), ("c", "t", CELL, "Skip backward"))
    at(nodes, "t").rect = NOWHERE
    assert keep_to_views(nodes, Qt("Qt", "5.15.8")) == {Ref(":1.1", "/t"), Ref(":1.1", "/c")}


def test_a_line_break_is_no_text() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("b", "w", STATIC, "\n"), ("t", "w", STATIC, "two"))
    assert [c.name for c in seen(nodes)] == ["two"]


@pytest.mark.parametrize("is_open", [False, True])
def test_what_a_row_of_adwaita_drops_down_has_the_value_that_its_list_shows_alone(is_open: bool) -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("c", "w", COMBO_BOX, "Open with"),
        ("f", "c", FILLER, ""),
        ("l", "f", LIST, ""),
        ("i", "l", LIST_ITEM, ""),
        ("b", "i", FILLER, ""),
        ("t", "b", LABEL, "Double click"),
        *([("j", "l", LIST_ITEM, "Single click")] if is_open else []),
    )
    name_by_content(nodes)
    assert at(nodes, "c").text == ("" if is_open else "Double click")


@pytest.mark.parametrize("lack", [0, 15])
def test_what_libreoffice_draws_is_moved_below_its_menu_bar_and_what_gtk_draws_stays(lack: int) -> None:
    """`lack`: by so much what GTK draws is higher than the place it has."""
    nodes = tree(
        ("w", "", FRAME, ""),
        ("c", "w", PANEL, ""),
        ("r", "c", ROOT_PANE, ""),
        ("b", "r", BUTTON, "drawn"),
        ("p", "r", PANEL, "place"),
        ("e", "p", PANEL, "embedded"),
        ("x", "e", ENTRY, "entry"),
    )
    rects = {
        "w": Rect(0, 0, 500, 420),
        "c": Rect(0, 44, 500, 420),
        "r": Rect(0, 19, 500, 395),
        "b": Rect(10, 20, 30, 40),
        "p": Rect(100, 100, 200, 134),
        "e": Rect(100, 125, 200, 159 + lack),
        "x": Rect(104, 127, 180, 157),
    }
    place(nodes, rects)
    correct_places(nodes)
    assert at(nodes, "r").rect == Rect(0, 44, 500, 420)
    assert at(nodes, "b").rect == Rect(10, 45, 30, 65)
    assert at(nodes, "p").rect == Rect(100, 125, 200, 159)
    assert at(nodes, "e").rect == Rect(100, 125, 200, 159 + lack)
    assert at(nodes, "x").rect == Rect(104, 127, 180, 157)


def test_a_shape_that_a_pane_of_a_sheet_does_not_show_is_left_out_with_its_text() -> None:
    nodes = tree(
        ("w", "", FRAME, ""),
        ("d", "w", DOCUMENT_SPREADSHEET, ""),
        ("t", "d", TABLE, "Sheet 1"),
        ("h", "d", PANEL, "Callout"),
        ("x", "h", PARAGRAPH, "hidden"),
        ("s", "d", PANEL, "Callout"),
        ("y", "s", PARAGRAPH, "shown"),
    )
    at(nodes, "h").rect = Rect(40, 180, 40, 180)
    at(nodes, "s").rect = Rect(370, 217, 634, 307)
    assert not_in_panes(nodes) == {at(nodes, "h").ref, at(nodes, "x").ref}


def test_what_is_scrolled_out_of_a_document_of_libreoffice_has_no_place_and_such_items_of_a_list_are_none() -> None:
    nodes = tree(
        ("w", "", FRAME, ""),
        ("d", "w", DOCUMENT_TEXT, ""),
        ("p", "d", PARAGRAPH, "over"),
        ("o", "d", PARAGRAPH, "out"),
        ("l", "d", LIST, "colours"),
        ("r", "l", LIST_ITEM, "red"),
        ("g", "l", LIST_ITEM, "green"),
        ("b", "l", LIST_ITEM, "blue"),
        ("s", "w", BUTTON, "below"),
    )
    rects = {
        "d": Rect(0, 100, 500, 400),
        "p": Rect(0, 90, 500, 110),
        "o": Rect(0, 50, 500, 70),
        "l": Rect(10, 360, 90, 420),
        "r": Rect(10, 362, 90, 382),
        "g": Rect(10, 382, 90, 402),
        "b": Rect(10, 402, 90, 422),
        "s": Rect(0, 400, 500, 420),
    }
    place(nodes, rects)
    blue = at(nodes, "b").ref
    assert keep_to_documents(nodes) == {blue}
    assert [at(nodes, path).rect for path in "polrgs"] == [
        Rect(0, 100, 500, 110),
        NOWHERE,
        Rect(10, 360, 90, 400),
        Rect(10, 362, 90, 382),
        Rect(10, 382, 90, 400),
        Rect(0, 400, 500, 420),
    ]


# Which accessible is which window


WINDOW = TargetInfo(TargetKind.WINDOW, "a.odt - Writer", Role.WINDOW, Rect(0, 20, 800, 600))


def toplevel(path: str, name: str, state: int = SHOWING, rect: Rect = WINDOW.rect, role: int = FRAME) -> Toplevel:
    return Toplevel(Ref(":1.1", path), name, role, state, rect)


def test_a_window_is_recognised_by_its_title_then_by_its_place() -> None:
    far = Rect(900, 0, 1000, 100)
    titled = toplevel("/t", "a.odt  -  Writer", rect=far)
    assert match_window(WINDOW, (toplevel("/x", "other"), titled)) == titled
    assert match_window(WINDOW, (toplevel("/far", "other", rect=far), here := toplevel("/h", "renamed"))) == here
    assert match_window(WINDOW, (toplevel("/far", "other", rect=far),)) is None


def test_a_window_without_a_title_is_known_by_its_place_before_one_that_has_no_name_either() -> None:
    question = replace(WINDOW, name="", rect=Rect(457, 424, 827, 526))
    nameless = toplevel("/kept", "", rect=Rect(-99, -99, -98, -98))
    asked = toplevel("/q", "Question", rect=question.rect)
    document = replace(WINDOW, handle="x11:1")
    told = (nameless, toplevel("/d", document.name), asked)
    assert match_window(question, told, (document,)) == asked
    assert match_window(question, told[:2], (document,)) == nameless


def test_a_window_that_nobody_tells_of_is_not_the_one_behind_it() -> None:
    page = toplevel("/page", "p6", rect=Rect(10, 20, 1310, 970))
    dialog = replace(WINDOW, name="Open File", rect=Rect(200, 120, 1110, 870), handle="x11:2")
    browser = replace(WINDOW, name="p6", rect=page.rect, handle="x11:1")
    assert match_window(dialog, (page,)) == page
    assert match_window(dialog, (page,), (browser,)) is None
    assert match_window(dialog, (page,), (replace(browser, name="p7"),)) is None
    renamed = replace(browser, name="p7")
    assert match_window(renamed, (page,), (dialog,)) == page


def test_the_only_window_of_gtk_4_that_is_called_otherwise_is_recognised_by_its_size() -> None:
    size = Rect(0, 0, 790, 570)
    window = replace(WINDOW, rect=WINDOW.rect.moved(525, 175))
    only = toplevel("/o", "MainWindow", rect=size)
    assert match_window(window, (only, toplevel("/m", "", rect=Rect(0, 0, 80, 90), role=69))) == only
    assert match_window(window, (only, toplevel("/other", "Other", rect=size))) is None
    assert match_window(window, (toplevel("/small", "MainWindow", rect=Rect(0, 0, 300, 200)),)) is None


def test_of_two_windows_of_one_title_the_one_in_the_same_place_is_meant() -> None:
    same = "a.odt - Writer"
    shifted = WINDOW.rect.moved(40, 40)
    hidden, other, meant = (
        toplevel("/hidden", same, state=ACTIVE),
        toplevel("/other", same, rect=shifted),
        toplevel("/it", same),
    )
    assert match_window(WINDOW, (hidden, other, meant)) == meant
    assert match_window(replace(WINDOW, rect=shifted), (hidden, other, meant)) == other


@pytest.mark.requires("observe.same-titles")
def test_a_question_with_the_title_of_the_dialog_below_it_is_not_that_dialog() -> None:
    dialog = replace(WINDOW, name="Save", rect=Rect(399, 105, 1524, 1018), handle="x11:2")
    question = replace(WINDOW, name="Save", rect=Rect(699, 494, 1225, 665))
    chooser, asked = toplevel("/c", "Save", rect=dialog.rect), toplevel("/q", "Question", rect=question.rect)
    document = toplevel("/d", "other", rect=Rect(0, 0, 1920, 1080))
    told = (document, chooser, asked)
    assert match_window(question, told, (dialog,)) == asked
    assert match_window(dialog, told, (question,)) == chooser
    assert match_window(question, told[:2], (dialog,)) is None


@pytest.mark.requires("observe.same-titles")
def test_of_two_windows_of_one_title_and_place_the_active_one_is_known_by_that() -> None:
    same = "a.odt - Writer"
    front, back = toplevel("/front", same, state=SHOWING | ACTIVE), toplevel("/back", same)
    twin = replace(WINDOW, handle="x11:2")
    both = (front, back)
    assert match_window(WINDOW, both, (twin,), active=True) == front
    assert match_window(WINDOW, both, (twin,), active=False) == back
    for active, told in ((None, both), (False, (*both, toplevel("/third", same))), (True, (back, back))):
        with pytest.raises(NotAccessible, match="cannot be distinguished"):
            match_window(WINDOW, told, (twin,), active=active)
    assert match_window(WINDOW, both) == front


@pytest.mark.requires("observe.gtk4")
def test_a_label_that_says_what_the_control_around_it_is_called_is_left_out() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("b", "w", BUTTON, "Save"), ("l", "b", LABEL, "Save"))
    assert [(c.type, c.name) for c in seen(nodes)] == [(Role.BUTTON, "Save")]
    at(nodes, "l").name = "not saved yet"
    assert [c.name for c in seen(nodes)] == ["Save", "not saved yet"]


@pytest.mark.requires("observe.gtk4")
def test_a_label_is_left_out_where_its_control_says_the_words_as_its_own_name() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("l", "w", LABEL, "Name"), ("e", "w", ENTRY, "Name"))
    assert [c.name for c in seen(nodes)] == ["Name", "Name"]
    entry = at(nodes, "e")
    entry.labelled_by, entry.label = [Ref(":1.1", "/l")], "Name"
    assert [c.type for c in seen(nodes)] == [Role.TEXTBOX]
    entry.name = "First name"
    assert [c.name for c in seen(nodes)] == ["Name", "First name"]


@pytest.mark.requires("observe.swing")
@pytest.mark.parametrize(("container", "role"), [(LIST, Role.LISTITEM), (TABLE, Role.CELL)])
def test_what_swing_draws_with_labels_are_items_and_cells(container: int, role: Role) -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("c", "w", container, "All"), ("i", "c", LABEL, "One"))
    assert seen(nodes)[1].type is Role.LABEL
    at(nodes, "i").state |= TRANSIENT
    assert (seen(nodes)[1].type, seen(nodes)[1].name) == (role, "One")


@pytest.mark.requires("observe.swing")
def test_labels_in_a_tree_of_swing_are_its_items() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("c", "w", TREE, "All"), ("i", "c", LABEL, "One"))
    assert [(c.type, c.name) for c in seen(nodes)[1:]] == [(Role.TREEITEM, "One")]


@pytest.mark.requires("observe.roles")
def test_what_can_be_expanded_and_is_not_is_collapsed_whoever_says_so() -> None:
    said = {
        "of Chromium": EXPANDABLE,
        "of Qt": EXPANDABLE | COLLAPSED,
        "open": EXPANDABLE | EXPANDED,
        "a leaf of Swing": COLLAPSED,
    }
    told = {what: states_of(bits) & {"collapsed", "expanded"} for what, bits in said.items()}
    assert told == {
        "of Chromium": {"collapsed"},
        "of Qt": {"collapsed"},
        "open": {"expanded"},
        "a leaf of Swing": set(),
    }


@pytest.mark.requires("observe.swing")
def test_of_the_tabs_of_swing_the_one_in_front_has_the_keyboard() -> None:
    tabs = [(name, "l", PAGE_TAB, name) for name in ("One", "Two", "Three")]
    nodes = tree(("w", "", FRAME, "Window"), ("l", "w", PAGE_TAB_LIST, ""), *tabs)
    for name in ("One", "Two", "Three"):
        at(nodes, name).state |= FOCUSED | (SELECTED if name == "Two" else 0)
    assert [c.name for c in seen(nodes) if "focused" in c.states] == ["Two"]


@pytest.mark.requires("observe.office")
def test_a_panel_that_one_thing_of_its_name_fills_is_left_out() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("p", "w", PANEL, "Fruit"), ("l", "p", LIST, "Fruit"))
    assert [c.type for c in seen(nodes)] == [Role.LIST]
    at(nodes, "l").rect = Rect(1, 1, 9, 9)
    assert [c.type for c in seen(nodes)] == [Role.GROUP, Role.LIST]


@pytest.mark.requires("observe.office")
def test_a_bar_of_headers_is_no_table() -> None:
    nodes = tree(("w", "", FRAME, "Window"), ("t", "w", TABLE, "Bar"), ("h", "t", COLUMN_HEADER, "Price"))
    assert [c.type for c in seen(nodes)] == [Role.GROUP, Role.COLUMNHEADER]
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("t", "w", TABLE, "All"),
        ("h", "t", COLUMN_HEADER, "Price"),
        ("c", "t", CELL, "3"),
    )
    assert [c.type for c in seen(nodes)] == [Role.TABLE, Role.COLUMNHEADER, Role.CELL]


@pytest.mark.requires("observe.office")
def test_a_slide_beside_the_document_is_an_item_and_a_shape_on_it_is_not() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("v", "w", DOCUMENT_FRAME, "Slides View"),
        ("s", "v", PANEL, "Slide 1"),
        ("d", "w", DOCUMENT_PRESENTATION, "Talk"),
        ("b", "d", PANEL, "Box"),
        state=SHOWING | ENABLED | SELECTABLE,
    )
    assert [c.type for c in seen(nodes)] == [Role.DOCUMENT, Role.LISTITEM, Role.DOCUMENT, Role.GROUP]


@pytest.mark.requires("observe.office")
def test_what_stands_on_one_slide_is_told_from_what_stands_on_the_next_by_that() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("d", "w", DOCUMENT_PRESENTATION, "Talk"),
        ("p", "d", PANEL, "PageShape: Slide 1"),
        ("t", "d", PANEL, "Title"),
    )
    first = seen(nodes)[-1]
    at(nodes, "p").name = "PageShape: Slide 2"
    second = seen(nodes)[-1]
    assert first.fingerprint is not None
    scene = Scene([replace(second, handle="another")], "Window", lambda _control, _record: True)
    with pytest.raises(ElementStale):
        recognise(first, scene)
    assert recognise(second, scene).name == "Title"


@pytest.mark.requires("observe.office")
def test_a_button_without_a_name_that_stands_alone_is_called_as_what_it_stands_in() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"), ("b", "w", TOOL_BAR, "Gallery"), ("g", "b", BUTTON, ""), ("o", "b", BUTTON, "")
    )
    assert [(c.type, c.name) for c in seen(nodes)[1:]] == [(Role.BUTTON, ""), (Role.BUTTON, "")]
    del nodes[Ref(":1.1", "/o")]
    assert [(c.type, c.name) for c in seen(nodes)] == [(Role.TOOLBAR, "Gallery"), (Role.BUTTON, "Gallery")]
    at(nodes, "b").role = PANEL
    assert [(c.type, c.name) for c in seen(nodes)] == [(Role.BUTTON, "Gallery")]


@pytest.mark.requires("observe.gtk4")
def test_a_view_of_columns_in_which_nothing_opens_is_a_table() -> None:
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("t", "w", TREE_TABLE, "Files"),
        ("r", "t", ROW, ""),
        ("c", "r", CELL, "Notes"),
    )
    assert [c.type for c in seen(nodes)] == [Role.TABLE, Role.ROW, Role.CELL]
    at(nodes, "c").state |= EXPANDABLE
    assert seen(nodes)[0].type is Role.TREE


@pytest.mark.requires("observe.popups")
def test_the_window_around_a_popup_is_seen_only_where_something_stands_in_it() -> None:
    shell = 69
    nodes = tree(("w", "", FRAME, "Main"), ("a", "", shell, ""), ("b", "", shell, ""), ("in", "b", BUTTON, "Go"))
    assert [(control.type, control.name) for control in seen(nodes)] == [(Role.WINDOW, ""), (Role.BUTTON, "Go")]
