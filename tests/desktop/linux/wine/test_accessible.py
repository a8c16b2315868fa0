"""Answers of the bridge for a window as the helper reads it; no Wine is needed."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from deskhand.desktop.linux.atspi import calls, roles
from deskhand.desktop.linux.atspi.bulk import items_in
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.dbus.wire import decode, encode
from deskhand.desktop.linux.wine import accessible
from deskhand.desktop.linux.wine.accessible import Asked, NoSuchMember, Program, key_of, path_of, read
from deskhand.desktop.linux.wine.window_tree import tree_of

pytestmark = pytest.mark.requires("wine.bridge")

BUS = ":1.7"
USABLE = ("enabled", "sensitive", "visible", "showing")


def node(key: str, parent: str | None, role: str, **more: object) -> Mapping[str, object]:
    common = {"key": key, "parent": parent, "role": role, "name": "", "states": USABLE, "rect": (0, 0, 1, 1)}
    return {**common, "actions": (), **more}


TOLD = {
    "complete": True,
    "nodes": [
        node("10", None, "frame", name="Orders", rect=(100, 50, 500, 350)),
        node("11", "10", "entry", name="Name", text="Ada", caret=2, selection=(1, 3), states=(*USABLE, "editable")),
        node("12", "10", "push button", name="Save", actions=("press", "focus"), rect=(110, 60, 190, 90)),
        node("13", "10", "password text", name="Secret", text="hunter2", hidden=7, states=(*USABLE, "editable")),
        node("14", "10", "list", name="Fruit", count=9),
        node("14/i0", "14", "list item", name="Apple", states=(*USABLE, "selectable")),
        node("14/i1", "14", "list item", name="Pear", states=(*USABLE, "selectable", "selected")),
        node("15", "10", "slider", name="Volume", value=(30, 0, 100, 1)),
        node("16", "10", "table", name="Grid", count=2, columns=1),
        node("16/i1/c0", "16", "table cell", name="r1c0", row=1, column=0),
    ],
}
PROGRAM = Program(BUS, "orders.exe", 4711, {10: tree_of(TOLD)})


def ask(key: str, interface: str, member: str, *arguments: object) -> Sequence[Any]:
    found = PROGRAM.control(key) or (None, None)
    return read(Asked(PROGRAM, *found, arguments), interface, member)[1]


def test_a_control_has_the_role_states_and_name_that_the_helper_told() -> None:
    states = roles.states_of(calls.state_of(ask("14/i1", calls.ACCESSIBLE, "GetState")[0]) or 0)
    assert states == {"enabled", "visible", "showing", "selectable", "selected"}
    assert ask("14/i1", calls.ACCESSIBLE, "GetRole") == [roles.LIST_ITEM]
    assert ask("12", calls.PROPERTIES, "Get", calls.ACCESSIBLE, "Name")[0].value == "Save"


def test_a_window_that_was_not_read_whole_says_so_and_why() -> None:
    tree = tree_of({**TOLD, "complete": False, "why": "only the first 400 rows were read"})
    program = Program(BUS, "orders.exe", 4711, {10: tree})
    window = Asked(program, tree.controls["10"], tree, ())
    (words,) = read(window, calls.ACCESSIBLE, "GetState")[1]
    assert "truncated" in roles.states_of(calls.state_of(words) or 0)
    assert "truncated" not in roles.states_of(calls.state_of(ask("10", calls.ACCESSIBLE, "GetState")[0]) or 0)
    (attributes,) = read(window, calls.ACCESSIBLE, "GetAttributes")[1]
    assert attributes[calls.LACKING] == "only the first 400 rows were read"


@pytest.mark.parametrize(("space", "corner"), [(0, (110, 60)), (1, (10, 10)), (2, (10, 10))])
def test_places_count_from_the_screen_the_window_or_the_control_around(space: int, corner: tuple[int, int]) -> None:
    assert ask("12", calls.COMPONENT, "GetExtents", space) == [[*corner, 80, 30]]


def test_a_text_has_its_caret_and_selection_and_a_password_only_its_length() -> None:
    assert ask("11", calls.TEXT, "GetText", 0, -1) == ["Ada"]
    assert ask("11", calls.TEXT, "GetSelection", 0) == [1, 3]
    assert ask("11", calls.PROPERTIES, "Get", calls.TEXT, "CaretOffset")[0].value == 2
    assert ask("13", calls.TEXT, "GetText", 0, -1) == [""]
    assert ask("13", calls.PROPERTIES, "Get", calls.TEXT, "CharacterCount")[0].value == 7


def test_a_list_tells_its_selected_item_and_how_many_items_there_are() -> None:
    assert ask("14", calls.SELECTION, "GetSelectedChild", 0) == [[BUS, path_of("14/i1")]]
    assert ask("14", calls.ACCESSIBLE, "GetAttributes")[0]["setsize"] == "9"


def test_a_table_has_the_cell_that_is_in_view_and_none_for_another_place() -> None:
    assert ask("16", calls.TABLE, "GetAccessibleAt", 1, 0) == [[BUS, path_of("16/i1/c0")]]
    assert ask("16", calls.TABLE, "GetAccessibleAt", 0, 0) == [["", calls.NULL_PATH]]


def test_an_interface_that_a_control_does_not_offer_is_not_answered() -> None:
    with pytest.raises(NoSuchMember):
        ask("12", calls.TEXT, "GetText", 0, -1)
    with pytest.raises(NoSuchMember):
        ask("12", calls.PROPERTIES, "Get", calls.VALUE, "CurrentValue")


def test_the_application_tells_the_process_that_it_stands_for() -> None:
    reply = [ask("root", calls.ACCESSIBLE, "GetAttributes")[0]]
    assert calls.process_in(reply) == 4711
    assert ask("root", calls.ACCESSIBLE, "GetChildren") == [[[BUS, path_of("10")]]]


def test_the_list_of_all_elements_is_read_by_the_agent_as_the_tree_that_it_is() -> None:
    signature, body = accessible.items(PROGRAM)
    listed = items_in(decode(signature, encode(signature, body)), BUS, links=True)
    assert {key_of(ref.path) for ref in listed} == set(PROGRAM.trees[10].controls)
    assert listed[Ref(BUS, path_of("14"))].children == (Ref(BUS, path_of("14/i0")), Ref(BUS, path_of("14/i1")))
    assert listed[Ref(BUS, path_of("12"))].name == "Save"


@pytest.mark.parametrize("key", ["65634", "65634/m0.3@259", "65640/n0x1f", "1/a_b-c/ü"])
def test_any_key_makes_a_path_that_a_bus_lets_through_and_is_found_again(key: str) -> None:
    assert calls.ref_of([BUS, path_of(key)]) == Ref(BUS, path_of(key))
    assert key_of(path_of(key)) == key
