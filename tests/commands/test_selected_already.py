"""`select_item` never turns a choice back: an item that is selected already stays so, and is confirmed as it is."""

from collections.abc import Callable

import pytest

from commands.bench import bench
from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, Trait
from deskhand.desktop.fake import FakeControl

pytestmark = pytest.mark.requires("tool.select-once")


def toggling(*chosen: str, traits: frozenset[Trait] = NO_TRAITS) -> FakeControl:
    """A list in which each click adds an item to the selection, or removes it."""
    items = [FakeControl(Role.LISTITEM, name, traits=traits) for name in ("Pear", "Plum", "Plum jam", "Quince")]
    own = {*chosen}

    def show() -> None:
        for item in items:
            item.states -= {"selected"}
            item.states |= {"selected"} if item.name in own else set[str]()

    def turn(name: str) -> Callable[[], None]:
        return lambda: (own.symmetric_difference_update({name}), show())[-1]

    for item in items:
        item.on_click = turn(item.name)
    show()
    return FakeControl(Role.LIST, "Fruit", children=items)


def chosen(container: FakeControl) -> list[str]:
    return [item.name for item in container.children if "selected" in item.states]


@pytest.mark.parametrize("traits", [NO_TRAITS, frozenset({Trait.SELECT_BY_CLICK})])
@pytest.mark.parametrize("add", [False, True])
async def test_a_selected_item_is_left_alone(add: bool, traits: frozenset[Trait]) -> None:
    fruit = toggling("Pear", traits=traits)
    it = bench(fruit)
    result = await it.run("select_item", fruit, item="Pear", add=add)
    assert (result.effect, result.delivered, chosen(fruit)) == (Effect.CONFIRMED, False, ["Pear"])
    assert "selected already" in result.evidence


async def test_one_of_several_stays_selected_where_each_click_turns_an_item_over() -> None:
    fruit = toggling("Pear", "Quince", traits=frozenset({Trait.SELECT_BY_CLICK}))
    result = await bench(fruit).run("select_item", fruit, item="Pear")
    assert (result.effect, chosen(fruit)) == (Effect.PARTIAL, ["Pear", "Quince"]), result


@pytest.mark.parametrize("role", [Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO])
async def test_a_menus_item_is_checked_once_and_then_left_alone(role: Role) -> None:
    pressed: list[str] = []
    item = FakeControl(role, "Ruler", states={"selectable"}, actions=("click",))

    def press() -> None:
        pressed.append("Ruler")
        item.states |= {"checked"} if role is Role.MENUITEMRADIO else set[str]()

    item.on_click = press
    menu = FakeControl(Role.MENU, "View", states={"expanded"}, children=[item])
    it = bench(menu)
    for _ in range(2):
        menu.states.add("expanded")
        result = await it.run("select_item", menu, item="Ruler")
        assert (result.effect, "checked" in item.states) == (Effect.CONFIRMED, True), result
    assert pressed == ["Ruler"]


async def test_a_chosen_radio_button_of_a_group_is_left_alone() -> None:
    one = FakeControl(Role.RADIO, "Large", states={"checked"})
    group = FakeControl(Role.GROUP, "Size", children=[one, FakeControl(Role.RADIO, "Small")])
    result = await bench(group).run("select_item", group, item="Large")
    assert (result.effect, result.delivered) == (Effect.CONFIRMED, False)


async def test_an_exact_name_goes_before_a_beginning_and_several_beginnings_are_named() -> None:
    fruit = toggling()
    it = bench(fruit)
    for name in ("plum", "Pl"):
        unclear = await it.run("select_item", fruit, item=name)
        if name == "plum":
            continue
        assert unclear.error is not None
        assert (unclear.error.type, unclear.error.candidates) == ("AmbiguousTarget", ("Plum", "Plum jam"))
        assert (unclear.effect, unclear.delivered) == (Effect.REFUSED, False)
    assert (await it.run("select_item", fruit, item="Plum")).effect is Effect.CONFIRMED
    assert "Plum" in chosen(fruit)
    assert "Plum jam" not in chosen(fruit)
    assert (await it.run("select_item", fruit, item="quin")).effect is Effect.CONFIRMED
    missing = await it.run("select_item", fruit, item="Fig")
    assert missing.error is not None
    assert (missing.error.type, '"Quince"' in missing.error.message) == ("ElementNotFound", True)
