"""Windows read by UI Automation, from trees that are made by hand."""

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.windows.mapping import controls_of, window_target
from deskhand.desktop.windows.uia.numbers import ControlType, Property, Result
from deskhand.desktop.windows.uia.reading import MOST_DOCUMENTS, Reader, Reading
from deskhand.desktop.windows.win32.failures import Gone, Hung
from deskhand.desktop.windows.win32.nodes import Node, Window
from desktop.windows.uia.fake_automation import FakeAutomation
from desktop.windows.uia.fake_controls import WINDOW, Control, window
from desktop.windows.uia.programs import FILES, dialog, files, page

pytestmark = pytest.mark.requires("windows.uia-read")
TARGET = window_target(Window(WINDOW, 40, 0, "HwndWrapper", "Window", (0, 0, 800, 600), 0, True, "app.exe"))


def read(root: Control) -> Reading:
    return Reader(FakeAutomation(root).connection()).read(root.handle)


def controls(root: Control) -> dict[str, TargetInfo]:
    return {each.name: each for each in controls_of(read(root).tree.nodes, TARGET)}


def node(root: Control, name: str) -> Node:
    return next(each for each in read(root).tree.nodes if each.name == name and each.role != "label")


def test_a_window_is_read_by_one_call_of_its_program_and_its_texts_by_one_more() -> None:
    root = dialog()
    root.children = [each for each in root.children if each.kind != ControlType.Document]
    automation = FakeAutomation(root)
    reader = Reader(automation.connection())
    reader.read(WINDOW)
    assert automation.calls == ["ElementFromHandleBuildCache", "FindAllBuildCache"]
    root.children = [Control(ControlType.Button, f"Button {number}") for number in range(200)]
    automation.calls.clear()
    assert len(reader.read(WINDOW).tree.nodes) == 201
    assert automation.calls == ["ElementFromHandleBuildCache"]


def test_the_text_of_a_password_is_never_requested() -> None:
    root = dialog()
    automation = FakeAutomation(root)
    nodes = Reader(automation.connection()).read(WINDOW).tree.nodes
    secret = next(each for each in nodes if each.role == "password text")
    assert (secret.name, secret.text) == ("Password", "")
    assert not any("horse" in (each.text or "") for each in nodes)
    asked = {each.name for each, properties in automation.requested if Property.ValueValue in properties}
    assert "Printer" in asked
    assert "Password" not in asked
    assert automation.calls.count("GetText") == 1, "of the document alone"


def test_controls_have_roles_names_values_and_numbers() -> None:
    found = controls(dialog())
    assert (found["Name"].type, found["Name"].value) == (Role.TEXTBOX, "Ada\nLovelace")
    assert (found["Password"].type, found["Password"].value) == (Role.PASSWORD, "")
    assert (found["Printer"].type, found["Printer"].value) == (Role.COMBOBOX, "Office")
    assert (found["Quality"].type, found["Quality"].value, found["Quality"].number) == (Role.SLIDER, "30.5", 30.5)
    assert found["Bold"].traits == {Trait.TOGGLE}
    assert found[""].value == "Dear Ada,\nGreetings"
    assert {found["Print"].type, found["Portrait"].type} == {Role.BUTTON, Role.RADIO}


def test_controls_have_the_states_of_their_patterns() -> None:
    found = controls(dialog())
    assert {"checkable", "checked"} <= found["Colour"].states
    assert {"checkable", "indeterminate"} <= found["Some pages"].states
    assert "checked" not in found["Some pages"].states
    assert {"checked"} <= found["Portrait"].states
    assert {"checked", "pressed"} <= found["Bold"].states
    assert {"selectable", "selected"} <= found["A4"].states
    assert "selected" not in found["A5"].states
    assert "multiselectable" in found["Size"].states
    assert {"read_only", "expandable"} <= found["Printer"].states
    assert "editable" in found["Name"].states
    assert "horizontal" in found["Quality"].states
    assert "enabled" in found["Print"].states
    assert "enabled" not in found["Delete"].states


def test_controls_offer_what_their_patterns_do() -> None:
    nodes = {each.name: each for each in read(dialog()).tree.nodes}
    assert nodes["Print"].actions == ("press", "focus")
    assert nodes["Portrait"].actions == ("press", "focus")
    assert nodes["A4"].actions == ("select", "focus")
    assert nodes["Printer"].actions == ("open", "focus")
    drive = next(each for each in read(files()).tree.nodes if each.name == "C:")
    assert drive.actions == ("select", "expand", "focus")
    item = next(each for each in read(files()).tree.nodes if each.name == "file 1")
    assert item.actions == ("select", "activate", "focus")
    assert {each.name: each.actions for each in read(page()).tree.nodes}["Map"] == ("press", "focus")


def test_a_table_has_its_size_and_its_cells_their_places() -> None:
    nodes = read(dialog()).tree.nodes
    table = next(each for each in nodes if each.role == "table")
    assert (table.count, table.columns) == (2, 2)
    cells = {(each.row, each.column): each.text for each in nodes if each.role == "table cell"}
    assert cells == {(0, 0): "Rent", (0, 1): "900", (1, 0): "Heating", (1, 1): "120"}
    assert {each.parent for each in nodes if each.role == "table row"} == {table.key}


def test_the_help_of_a_control_is_its_description() -> None:
    assert node(dialog(), "Bold").description == "Bold text"


@pytest.mark.requires("python.ids")
def test_the_id_of_a_control_is_read() -> None:
    assert node(dialog(), "Bold").automation_id == "bold"


def test_items_that_have_no_content_are_said_to_be_not_read() -> None:
    root = files()
    reading = read(root)
    assert not reading.tree.complete
    assert reading.tree.why == f'11 of {FILES} items of list "Items View" were read; scroll it to read others'
    shown = [each for each in controls(root).values() if each.type is Role.LISTITEM]
    assert [each.name for each in shown] == [f"file {number}" for number in range(11)]


def test_an_item_is_where_its_list_shows_it() -> None:
    assert controls(files())["file 10"].rect.bottom == 310, "its lower part is scrolled out"


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ({Property.IsItemContainerPatternAvailable: True}, ""),
        (
            {Property.IsItemContainerPatternAvailable: True, Property.ScrollVerticallyScrollable: True},
            'list "Sizes" may have more items than the 1 that were read',
        ),
    ],
)
def test_a_list_that_scrolls_and_counts_nothing_may_have_more_items(
    properties: dict[Property, object], why: str
) -> None:
    root = window(Control(ControlType.List, "Sizes", [Control(ControlType.ListItem, "A4")], properties=properties))
    tree = read(root).tree
    assert (tree.complete, tree.why) == (not why, why)
    root.find("A4").properties[Property.SizeOfSet] = 1
    assert read(root).tree.complete, "it is the only one"


def test_a_table_with_more_rows_than_elements_is_said_to_be_not_read() -> None:
    root = dialog()
    root.find("Costs").grid = (500, 2)
    assert read(root).tree.why == '2 of 500 items of table "Costs" were read; scroll it to read others'


def test_a_page_has_the_roles_of_the_web() -> None:
    found = controls(page())
    document = next(each for each in read(page()).tree.nodes if each.role == "document frame")
    assert (found["Help"].type, found["Help"].parent) == (Role.LINK, document.key)
    assert found["Sent"].type is Role.ALERT
    assert found["Search"].type is Role.TEXTBOX
    nodes = [each.role for each in read(page()).tree.nodes if each.name == "Orders"]
    assert nodes == ["document frame", "heading"]


def test_the_identity_of_a_control_outlives_its_place() -> None:
    root = dialog()
    reader = Reader(FakeAutomation(root).connection())
    before = {(each.role, each.name): each.key for each in reader.read(WINDOW).tree.nodes}
    root.children.reverse()
    root.children.insert(0, Control(ControlType.Button, "New", id=(42, WINDOW, 99)))
    after = {(each.role, each.name): each.key for each in reader.read(WINDOW).tree.nodes}
    assert after.pop(("push button", "New")) not in before.values()
    assert after == before


def test_a_control_without_identity_is_known_by_its_place() -> None:
    root = window(Control(ControlType.Group, "Size", [Control(ControlType.Button, "Up")]))
    root.find("Size").id = root.find("Up").id = None
    assert [each.key for each in read(root).tree.nodes] == [
        str(WINDOW), f"{WINDOW}/:0", f"{WINDOW}/:0:0"]  # fmt: skip


def test_two_controls_of_one_identity_are_one_and_it_is_said() -> None:
    root = window(Control(ControlType.Button, "One", id=(42, 7)), Control(ControlType.Button, "Two", id=(42, 7)))
    reading = read(root)
    assert [each.name for each in reading.tree.nodes] == ["Window", "One"]
    assert reading.tree.why == 'two controls are the same, one of them "Two"'


def test_a_window_of_its_own_is_no_part_of_its_owner() -> None:
    dialogs = Control(ControlType.Window, "Find", [Control(ControlType.Button, "Next")], handle=7)
    root = window(dialogs, Control(ControlType.Pane, "Inner", handle=8), name="Editor")
    reading = Reader(FakeAutomation(root).connection()).read(WINDOW, apart={7})
    assert [each.name for each in reading.tree.nodes] == ["Editor", "Inner"]
    assert 8 in reading.windows


def test_a_list_that_drops_out_of_its_box_is_seen_there() -> None:
    item = Control(ControlType.ListItem, "A4", rect=(10, 300, 110, 320), selected=False)
    box = Control(
        ControlType.ComboBox, "Size", [item], expansion=1, properties={Property.IsScrollPatternAvailable: True}
    )
    assert controls(window(box))["A4"].rect.top == 300


def test_too_many_controls_are_said_to_be_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.desktop.windows.uia.reading.MOST", 10)
    reading = read(window(*(Control(ControlType.Button, str(number)) for number in range(10))))
    assert (len(reading.tree.nodes), reading.tree.why) == (10, "it has more than 10 controls")


def test_too_many_documents_are_said_to_be_not_read() -> None:
    root = window(*(Control(ControlType.Document, document="x", value=None) for _ in range(MOST_DOCUMENTS + 1)))
    automation = FakeAutomation(root)
    tree = Reader(automation.connection()).read(WINDOW).tree
    assert automation.calls.count("GetText") == MOST_DOCUMENTS
    assert tree.why == f"only {MOST_DOCUMENTS} of its {MOST_DOCUMENTS + 1} documents were read"


def test_a_window_in_which_something_goes_away_is_read_again() -> None:
    root = dialog()
    automation = FakeAutomation(root)
    reader = Reader(automation.connection())
    left = [Result.UIA_E_ELEMENTNOTAVAILABLE, None]

    def change() -> None:
        root.failure = left.pop(0)

    automation.before_read = change
    assert len(reader.read(WINDOW).tree.nodes) > 10


def test_a_window_that_is_gone_is_reported_as_gone() -> None:
    automation = FakeAutomation()
    with pytest.raises(Gone, match="0x80040201"):
        Reader(automation.connection()).read(WINDOW)


@pytest.mark.parametrize("result", [Result.UIA_E_TIMEOUT, Result.RPC_E_SERVERCALL_RETRYLATER])
def test_a_program_that_hangs_is_reported_as_hung_after_one_timeout(result: Result) -> None:
    root = dialog()
    root.failure = result
    automation = FakeAutomation(root)
    with pytest.raises(Hung, match="does not answer"):
        Reader(automation.connection()).read(WINDOW)
    assert len(automation.calls) == 1
