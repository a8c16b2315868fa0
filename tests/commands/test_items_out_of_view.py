"""`select_item` finds an item out of view, where its program finds it by its name."""

import pytest

from commands.bench import bench
from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import Trait
from deskhand.desktop.fake import FakeControl

pytestmark = pytest.mark.requires("tool.items-out-of-view")


def long_list() -> FakeControl:
    items = [FakeControl(Role.LISTITEM, "Apple"), FakeControl(Role.LISTITEM, "Pear", states={"hidden"})]
    return FakeControl(Role.LIST, "Fruit", children=items, traits=frozenset({Trait.FINDS_ITEMS}))


async def test_an_item_out_of_view_is_shown_and_selected() -> None:
    fruit = long_list()
    result = await bench(fruit).run("select_item", fruit, item="Pear")
    assert (result.effect, result.delivered) == (Effect.CONFIRMED, True), result
    assert "selected" in fruit.children[1].states


async def test_an_item_that_the_list_lacks_is_reported_and_nothing_was_sent() -> None:
    fruit = long_list()
    result = await bench(fruit).run("select_item", fruit, item="Plum")
    assert (result.effect, result.delivered) == (Effect.REFUSED, False), result
    assert result.error is not None
    assert "out of view" in result.error.fix


async def test_an_items_check_box_is_toggled_by_its_action() -> None:
    item = FakeControl(Role.LISTITEM, "Wash", states={"checkable"}, actions=("select", "toggle"))
    item.on_click = lambda: item.states.add("checked")
    it = bench(FakeControl(Role.LIST, "Tasks", children=[item]))
    result = await it.run("set_value", item, value=True)
    sent = [call.arguments for call in it.desktop.calls if call.method == "do_action"]
    assert (result.effect, sent) == (Effect.CONFIRMED, [{"action": "toggle"}]), result
