"""Items out of view, and the seldom controls, of a program that writes what it has; that file is the oracle."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support import wait_for
from win32_helper import Helper, Node, Refusal, key_of, node_of
from windows_programs import Prefix, build_program

pytestmark = [pytest.mark.desktop, pytest.mark.requires("windows.items")]


@dataclass
class Items:
    """The program with its window open."""

    helper: Helper
    window: int
    state: Path

    def key(self, role: str, name: str) -> str:
        return key_of(self.helper.tree(self.window), role, name)

    def node(self, role: str, name: str) -> Node:
        return node_of(self.helper.tree(self.window), role, name)

    def until(self, holds: Callable[[Any], bool]) -> None:
        wait_for(lambda: holds(json.loads(self.state.read_bytes())))


@pytest.fixture(scope="module")
def items(helper: Helper, prefix: Prefix, tmp_path_factory: pytest.TempPathFactory) -> Items:
    folder = tmp_path_factory.mktemp("items")
    prefix.start(str(build_program("win32_items", folder)), f"Z:{folder / 'state.json'}")
    return Items(helper, helper.window("ItemsWindow"), folder / "state.json")


def test_a_block_of_a_table_is_read_also_out_of_view_and_nothing_beside_it(items: Items) -> None:
    block = {"row": 298, "rows_end": 300, "column": 1, "columns_end": 3}
    orders, endless = items.key("table", "Orders"), items.key("table", "Endless")
    assert items.helper.ask("texts", key=orders, **block) == [
        ["Customer 9", "894.50"],
        ["Customer 16", "897.50"],
    ]
    far = {"row": 999_999, "rows_end": 1_000_000, "column": 0, "columns_end": 2}
    assert items.helper.ask("texts", key=endless, **far) == [["Number 999999", "Twice 1999998"]]
    assert (items.node("table", "Orders")["count"], items.node("table", "Endless")["count"]) == (300, 1_000_000)
    with pytest.raises(Refusal, match="refused"):
        items.helper.ask("texts", key=orders, **{**block, "rows_end": 301})


def test_an_item_out_of_view_is_found_by_its_name_and_can_then_be_selected(items: Items) -> None:
    for role, name, item, part in (
        ("table", "Orders", "Order 250", "table row"),
        ("table", "Endless", "Number 640", "table row"),
        ("list", "Names", "Name 222", "list item"),
        ("tree", "Places", "Place 40", "tree item"),
    ):
        container = items.key(role, name)
        assert items.helper.ask("show_named", key=container, name=item) is True
        items.helper.act(items.key(part, item), "select")
        if name != "Endless":
            assert items.helper.ask("show_named", key=container, name="Nobody") is False
    chosen = {"order": 250, "number": 640, "name": 222, "place": "Place 40"}
    items.until(lambda state: {key: state[key] for key in chosen} == chosen)


def test_of_an_endless_list_whose_program_does_not_search_it_is_not_known_that_an_item_is_missing(items: Items) -> None:
    with pytest.raises(Refusal, match="refused"):
        items.helper.ask("show_named", key=items.key("table", "Endless"), name="Nobody")


def test_check_boxes_in_lists_and_trees_are_checked(items: Items) -> None:
    assert items.helper.ask("show_named", key=items.key("tree", "Places"), name="Place 03")
    items.helper.act(items.key("table row", "Iron"), "toggle")
    items.helper.act(items.key("tree item", "Place 03"), "toggle")
    items.until(lambda state: (state["done"], state["visited"]) == ([0, 1, 0], [3]))
    assert "checked" in items.node("table row", "Iron")["states"]
    assert "checked" in items.node("tree item", "Place 03")["states"]
    assert "checked" not in items.node("tree item", "Place 04")["states"]


def test_dates_addresses_and_shortcuts_are_texts_and_their_program_is_notified_of_a_change(items: Items) -> None:
    texts = {name: items.node(role, name)["text"] for role, name in (("entry", "Address"), ("entry", "Shortcut"))}
    texts |= {name: items.node("date editor", name)["text"] for name in ("Day", "Month")}
    assert texts == {"Address": "10.0.0.7", "Shortcut": "Ctrl+K", "Day": "2026-03-14", "Month": "2026-03-14"}
    items.helper.ask("set_text", key=items.key("date editor", "Day"), text="2027-04-01")
    items.helper.ask("set_text", key=items.key("date editor", "Month"), text="2027-05-02")
    items.helper.ask("set_text", key=items.key("entry", "Address"), text="192.168.1.20")
    items.until(
        lambda state: (
            (state["day"], state["month"], state["address"]) == ("2027-04-01", "2027-05-02", "192.168.1.20")
            and state["noted"] == [1, 1, 1]
        )
    )
    for role, name, text in (
        ("date editor", "Day", "1 April"),
        ("entry", "Address", "1.2.3"),
        ("entry", "Shortcut", "a"),
    ):
        with pytest.raises(Refusal, match="refused"):
            items.helper.ask("set_text", key=items.key(role, name), text=text)


def test_a_scroll_bar_of_its_own_is_set_and_its_program_scrolls(items: Items) -> None:
    bar = items.node("scroll bar", "Bar")
    assert bar["value"] == [20, 0, 100, 1]
    items.helper.ask("set_value", key=bar["key"], value=60)
    items.until(lambda state: (state["bar"], state["thumb"]) == (60, 60))
