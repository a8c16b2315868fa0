"""A program with every standard control is read and driven; its own file of facts is the oracle."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from support import wait_for
from win32_helper import Helper, Node, Refusal, Tree, key_of, node_of
from windows_programs import Prefix

pytestmark = [pytest.mark.desktop]

ROLES: Final = {
    "name": "entry",
    "secret": "password text",
    "fixed": "entry",
    "notes": "text",
    "words": "label",
    "button": "push button",
    "usual": "push button",
    "off": "push button",
    "check": "check box",
    "three": "check box",
    "colour": "panel",
    "red": "radio button",
    "size": "combo box",
    "city": "combo box",
    "fruit": "list",
    "grid": "table",
    "places": "tree",
    "pages": "page tab list",
    "volume": "slider",
    "count": "entry",
    "spin": "spin button",
    "progress": "progress bar",
    "bar": "tool bar",
    "status": "status bar",
}
CHECKABLE: Final = frozenset({"check box", "radio button"})
LABELLED: Final = {
    "name": "Name",
    "secret": "Secret",
    "notes": "Notes",
    "size": "Size",
    "fruit": "Fruit",
    "grid": "Grid",
    "places": "Places",
    "volume": "Volume",
    "spin": "Count",
}
HANG_S: Final = 8


class Oracle:
    """The program and the facts that it writes."""

    def __init__(self, helper: Helper, state: Path) -> None:
        self.helper = helper
        self.window = helper.window("OracleWindow")
        self._state = state

    @property
    def facts(self) -> Any:  # JSON
        """The facts that the program last wrote."""
        return json.loads(self._state.read_bytes())

    def tree(self) -> Tree:
        """Its window."""
        return self.helper.tree(self.window)

    def key(self, role: str, name: str) -> str:
        """The key of a node of its window."""
        return key_of(self.tree(), role, name)

    def act(self, role: str, name: str, action: str = "press") -> None:
        """Act on a node of its window."""
        self.helper.act(self.key(role, name), action)

    def until(self, holds: Callable[[Any], bool]) -> None:
        """Wait until the program's facts are so."""
        wait_for(lambda: holds(self.facts))


@pytest.fixture(scope="module")
def oracle(helper: Helper, prefix: Prefix, win32_oracle: Path, tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """The program, with its window open."""
    state = tmp_path_factory.mktemp("oracle") / "state.json"
    prefix.start(str(win32_oracle), f"Z:{state}", str(HANG_S))
    return Oracle(helper, state)


def by_place(tree: Tree, role: str, rect: list[int]) -> Node:
    """The node of a role in a place."""
    found = [node for node in tree if node["role"] == role and node["rect"] == rect]
    assert found, f"no {role} at {rect}"
    return found[0]


@pytest.mark.requires("windows.read")
def test_each_control_is_read_as_its_program_knows_it(oracle: Oracle) -> None:
    tree = oracle.tree()
    facts = oracle.facts
    for name, role in ROLES.items():
        truth = facts["controls"][name]
        node = by_place(tree, role, truth["rect"])
        assert ("enabled" in node["states"]) == bool(truth["enabled"]), name
        assert node["name"] == LABELLED[name] if name in LABELLED else True, name
        if role in {"entry", "text", "combo box"}:
            assert node["text"] == truth["text"].replace("\r\n", "\n"), name
        if role in CHECKABLE:
            assert ("checked" in node["states"]) == (truth["checked"] == 1), name
    cells = {node["name"]: node["rect"] for node in tree if node["role"] == "table cell"}
    assert len(cells) == 9
    for name in ("r0c1", "r1c2", "r2c1"):
        assert cells[name] == facts["items"][name]["rect"]
    for name in ("Apple", "Plum"):
        assert node_of(tree, "list item", name)["rect"] == facts["items"][name]["rect"]
    assert node_of(tree, "tree item", "Asia")["rect"] == facts["items"]["Asia"]["rect"]
    assert [node["name"] for node in tree if node["parent"] == key_of(tree, "tool bar", "")] == [
        "New",
        "Open",
        "",
        "Pin",
        "Paste",
    ]
    assert not [node for node in tree if node["name"] == "Hidden"]
    assert node_of(tree, "password text", "Secret")["text"] == ""
    assert node_of(tree, "password text", "Secret")["hidden"] == len(facts["controls"]["secret"]["text"])


@pytest.mark.requires("windows.act")
def test_actions_do_what_a_user_does(oracle: Oracle) -> None:
    helper = oracle.helper
    helper.ask("set_text", key=oracle.key("entry", "Name"), text="Żółć 😀")
    oracle.until(lambda facts: facts["controls"]["name"]["text"] == "Żółć 😀")
    notes = oracle.key("text", "Notes")
    helper.ask("set_text", key=notes, text="a 😀\nb")
    helper.ask("insert_text", key=notes, at=4, text="new\n")
    oracle.until(lambda facts: facts["controls"]["notes"]["text"] == "a 😀\r\nnew\r\nb")
    helper.ask("select_text", key=notes, start=4, end=7)
    assert node_of(oracle.tree(), "text", "Notes")["selection"] == [4, 7]
    oracle.act("push button", "Press me")
    oracle.until(lambda facts: facts["pressed"]["button"] == 1)
    oracle.act("check box", "Check me")
    oracle.until(lambda facts: facts["controls"]["check"]["checked"] == 1)
    oracle.act("radio button", "Blue")
    oracle.until(lambda facts: [facts["controls"][name]["checked"] for name in ("red", "blue")] == [0, 1])
    oracle.act("list item", "Large", "select")
    oracle.until(lambda facts: facts["controls"]["size"]["text"] == "Large")
    oracle.act("list item", "Pear", "select")
    oracle.until(lambda facts: facts["controls"]["fruit"]["selected"] == 1)
    oracle.act("table row", "r1c0", "select")
    oracle.until(lambda facts: facts["controls"]["grid"]["selected"] == 1)
    oracle.act("tree item", "Europe", "expand")
    oracle.act("tree item", "France", "select")
    oracle.until(lambda facts: facts["items"]["France"]["selected"] == 1)
    assert node_of(oracle.tree(), "tree item", "France")["parent"] == oracle.key("tree item", "Europe")
    assert node_of(oracle.tree(), "tree item", "France")["rect"] == oracle.facts["items"]["France"]["rect"]
    oracle.act("page tab", "Details", "select")
    oracle.until(lambda facts: facts["controls"]["page"]["text"] == "This is Details")
    helper.ask("set_value", key=oracle.key("slider", "Volume"), value=77)
    oracle.until(lambda facts: facts["controls"]["volume"]["value"] == 77)
    helper.ask("set_value", key=oracle.key("spin button", "Count"), value=42)
    oracle.until(lambda facts: facts["controls"]["count"]["text"] == "42")
    oracle.act("toggle button", "Pin")
    oracle.until(lambda facts: facts["commands"] == ["pin"])
    assert "checked" in node_of(oracle.tree(), "toggle button", "Pin")["states"]
    helper.ask("focus", key=notes)
    oracle.until(lambda facts: facts["focus"] == "notes")
    assert "focused" in node_of(oracle.tree(), "text", "Notes")["states"]
    assert [event["event"] for event in helper.events].count("focus") > 0


@pytest.mark.requires("windows.act")
def test_an_open_list_of_a_combo_box_is_a_window_whose_items_are_found_by_their_place(oracle: Oracle) -> None:
    oracle.act("combo box", "City", "open")
    opened = oracle.helper.window("ComboLBox")
    rome = node_of(oracle.helper.tree(opened), "list item", "Rome")
    left, top, right, bottom = rome["rect"]
    assert oracle.helper.ask("at", x=(left + right) // 2, y=(top + bottom) // 2) == rome["key"]
    oracle.helper.act(rome["key"], "select")
    oracle.until(lambda facts: facts["controls"]["city"]["text"] == "Rome" and not facts["controls"]["city"]["opened"])


@pytest.mark.requires("windows.menus")
def test_menus_are_live_and_their_items_are_chosen(oracle: Oracle) -> None:
    tree = oracle.tree()
    assert node_of(tree, "menu item", "New")["description"] == "Ctrl+N"
    assert "enabled" not in node_of(tree, "menu item", "Locked")["states"]
    assert "checked" in node_of(tree, "radio menu item", "Medium")["states"]
    oracle.act("menu item", "Deep")
    oracle.until(lambda facts: facts["commands"][-1] == "deep")
    oracle.act("check menu item", "Status bar")
    oracle.until(lambda facts: not facts["status_shown"])
    assert "checked" not in node_of(oracle.tree(), "menu item", "Status bar")["states"]
    oracle.act("menu", "View", "open")
    opened = oracle.helper.tree(oracle.helper.window("#32768"))
    refresh = node_of(opened, "menu item", "Refresh")
    left, top, right, bottom = refresh["rect"]
    assert oracle.helper.ask("at", x=(left + right) // 2, y=(top + bottom) // 2) == refresh["key"]
    oracle.helper.act(refresh["key"])
    oracle.until(lambda facts: facts["commands"][-1] == "refresh")


@pytest.mark.requires("windows.refuses")
def test_an_action_that_is_impossible_is_refused_and_nothing_happens(oracle: Oracle) -> None:
    helper = oracle.helper
    before = oracle.facts["pressed"], oracle.facts["commands"]
    for do, arguments in {
        "act": {"key": oracle.key("push button", "Off"), "action": "press"},
        "set_text": {"key": oracle.key("entry", "Fixed"), "text": "x"},
        "set_value": {"key": oracle.key("slider", "Volume"), "value": 777},
        "text": {"key": oracle.key("password text", "Secret")},
        "select_text": {"key": oracle.key("push button", "Press me"), "start": 0, "end": 1},
        "nothing": {},
    }.items():
        with pytest.raises(Refusal) as refused:
            helper.ask(do, **arguments)
        assert refused.value.kind == "refused", do
    for role, name in (("menu item", "Locked"), ("push button", "Paste")):
        with pytest.raises(Refusal, match="refused"):
            oracle.act(role, name)
    with pytest.raises(Refusal) as gone:
        helper.act("4/i1", "select")
    assert gone.value.kind == "gone"
    assert (oracle.facts["pressed"], oracle.facts["commands"]) == before


@pytest.mark.requires("windows.hangs")
def test_a_program_that_hangs_is_reported_and_is_read_when_it_goes_on(oracle: Oracle) -> None:
    field = oracle.key("entry", "Name")
    oracle.act("push button", "Hang")

    def hangs() -> bool:
        try:
            oracle.helper.ask("text", key=field)
        except Refusal as refusal:
            return refusal.kind == "hung"
        return False

    wait_for(hangs)
    with pytest.raises(Refusal) as refused:
        oracle.tree()
    assert refused.value.kind == "hung"
    assert oracle.window in [window["hwnd"] for window in oracle.helper.ask("windows")]
    wait_for(lambda: not hangs())
    oracle.act("push button", "Dialog...")
    question = oracle.helper.window("#32770", "Question")
    tree = oracle.helper.tree(question)
    assert "modal" in tree[0]["states"]
    oracle.helper.ask("set_text", key=key_of(tree, "entry", "Answer"), text="42")
    oracle.helper.act(key_of(tree, "push button", "OK"))
    oracle.until(lambda facts: facts["answers"] == ["42"])
