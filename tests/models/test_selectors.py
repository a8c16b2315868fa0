"""Which control a selector means."""

from dataclasses import replace

import pytest

from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind, Trait
from deskhand.models.selectors import Mismatch, describe, find, find_all
from models.requests import control, labelled, window

MENUBAR = control(Role.MENUBAR)
INSERT = control(Role.MENU, "_Insert", parent=MENUBAR.handle)
OBJECT = control(Role.MENU, "Object", parent=INSERT.handle)
CHART = control(Role.MENUITEM, "Chart…", parent=OBJECT.handle)
OTHER = control(Role.MENUITEM, "Chart…", parent=MENUBAR.handle)
BOX = control(Role.TEXTBOX, "", value="A1")
CONTROLS = labelled([MENUBAR, INSERT, OBJECT, CHART, OTHER, BOX])
DIALOG = window("Chart Type", role=Role.DIALOG)


@pytest.mark.parametrize(
    ("selector", "ids"),
    [
        (Selector(role="menuitem"), "45"),
        (Selector(name="Chart..."), "45"),
        (Selector(name="/^chart/i"), "45"),
        (Selector(role="menuitem", within=["Insert"]), "4"),
        (Selector(role="menuitem", within=["Insert", "Object"]), "4"),
        (Selector(role="menuitem", within=["Object", "Insert"]), ""),
        (Selector(role="menuitem", within=Selector(role="menu", name="Insert")), "4"),
        (Selector(role="menuitem", within=Selector(name="Object", within=["Insert"])), "4"),
        (Selector(role="menuitem", within=Selector(role="dialog")), "45"),
        (Selector(role="menuitem", within=["Chart Type", "Insert"]), "4"),
        (Selector(role="menuitem", within=Selector(role="button")), ""),
        (Selector(value="/^[A-Z]+[0-9]+$/"), "6"),
        (Selector(value="a1"), ""),
        (Selector(role="/^menu/"), "12345"),
    ],
)
def test_a_selector_means_the_controls_that_answer_to_every_part(selector: Selector, ids: str) -> None:
    assert "".join(found.id for found in find_all(selector, CONTROLS, DIALOG)) == ids


def nth_of_menu(nth: int | str) -> TargetInfo | Mismatch:
    return find(Selector.model_validate({"role": "menuitem", "nth": nth}), CONTROLS, DIALOG)


def test_nth_picks_in_reading_order_from_one() -> None:
    picked = [nth_of_menu(nth) for nth in (1, 2, "first", "last")]
    assert [item.id for item in picked if isinstance(item, TargetInfo)] == ["4", "5", "4", "5"]
    beyond = nth_of_menu(3)
    assert isinstance(beyond, Mismatch)
    assert beyond.message.startswith("wanted menuitem (number 3); found none; nearest: menuitem")


def test_an_ancestor_that_was_not_offered_is_known_from_the_fingerprint() -> None:
    path = ("menubar#0", "menu:Insert", "menuitem:Chart…")
    lone = TargetInfo(
        TargetKind.CONTROL,
        "Chart…",
        Role.MENUITEM,
        id="1",
        handle="h",
        parent="not offered",
        fingerprint=Fingerprint(Role.MENUITEM, "Chart…", path),
    )
    assert find(Selector(name="Chart...", within=["Insert"]), [lone], DIALOG) is lone
    assert isinstance(find(Selector(name="Chart...", within=["Chart..."]), [lone], DIALOG), Mismatch)


def test_controls_that_are_each_others_parents_do_not_hang() -> None:
    one, two = control(Role.MENU, "a", parent="menu:b"), control(Role.MENU, "b", parent="menu:a")
    assert find_all(Selector(name="a", within=["c"]), [one, two]) == ()


def test_a_disabled_twin_is_left_aside() -> None:
    twins = [replace(BOX, states=frozenset()), replace(BOX, id="7", states=frozenset({"enabled"}))]
    assert find(Selector(role="textbox"), twins) == twins[1]


def test_what_is_not_in_view_counts_like_what_is() -> None:
    here = replace(control(Role.TABLE, "Sales"), states=frozenset({"enabled", "showing"}))
    elsewhere = replace(control(Role.TABLE, "Costs"), states=frozenset({"offscreen"}))
    found = find(Selector(role="table"), [here, elsewhere])
    assert isinstance(found, Mismatch)
    assert found.found == 2
    assert find(Selector(role="table", nth=2), [here, elsewhere]) == elsewhere


def test_at_most_eight_candidates_are_named() -> None:
    many = labelled([control(Role.BUTTON, f"B{number}") for number in range(20)])
    found = find(Selector(role="button"), many)
    assert isinstance(found, Mismatch)
    assert found.found == 20
    assert len(found.candidates) == 9
    assert found.candidates[-1] == "and 12 more"


def test_where_nothing_is_near_it_says_how_much_was_shown() -> None:
    found = find(Selector(role="slider", name="Volume"), CONTROLS)
    assert isinstance(found, Mismatch)
    assert found.message == 'wanted slider "Volume"; found none among 6 shown'


def test_a_selector_is_described_in_one_phrase() -> None:
    selector = Selector(role="button", name="OK", within=Selector(role="dialog", name="/^Save/"), nth="last")
    assert describe(selector) == 'button "OK" within dialog /^Save/ (last)'


def test_a_table_or_a_cell_of_a_split_sheet_means_one_pane() -> None:
    table = replace(control(Role.TABLE, "Sheet Data"), traits=frozenset({Trait.OF_SHEET}))
    panes = labelled([replace(table, handle=f"t{pane}") for pane in range(4)])
    wanted = Selector(role="table")
    assert find(wanted, panes) == panes[3]
    focused = [replace(pane, states=pane.states | {"focused"}) if pane is panes[1] else pane for pane in panes]
    assert find(wanted, focused) == focused[1]
    assert isinstance(find(wanted, [replace(pane, traits=frozenset()) for pane in panes]), Mismatch)
    assert isinstance(find(wanted, [panes[0], replace(panes[1], name="Sheet Other")]), Mismatch)


def test_candidates_that_read_the_same_have_their_number_for_nth() -> None:
    box = control(Role.GROUP, "Home")
    listed = labelled(
        [box, *(control(Role.BUTTON, "OK", parent=box.handle) for _ in range(2)), control(Role.BUTTON, "OK")]
    )
    several = find(Selector(name="OK"), listed)
    assert isinstance(several, Mismatch)
    assert several.message == (
        'wanted control "OK"; found 3: button "OK" [2] in group "Home" (number 1); '
        'button "OK" [3] in group "Home" (number 2); button "OK" [4]'
    )
    assert find(Selector(name="OK", nth=2), listed) == listed[2]
