"""Expected effects, as tools declare them."""

import pytest

from deskhand.commands import standard_catalogue
from deskhand.commands.call import ANY_CHANGE, ANYTHING, ExpectedEffect, Focus, Opens, Request
from deskhand.commands.control_kinds import CHECKED
from deskhand.core.json import JsonObject
from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, TargetInfo, TargetKind, Trait

BARS = frozenset({Trait.BARS_FOLLOW_SELECTION})


def expected(
    tool: str, role: Role, *states: str, traits: frozenset[Trait] = NO_TRAITS, given: JsonObject | None = None
) -> ExpectedEffect:
    catalogue = standard_catalogue()
    found = catalogue.get(tool)
    assert found is not None
    arguments = catalogue.validate(tool, {"id": "1", **(given or {})})
    target = TargetInfo(TargetKind.CONTROL, "It", role, states=frozenset(states), traits=traits)
    return found.expects.of(Request.of(arguments, target))


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["click_input", "invoke"])
@pytest.mark.parametrize(
    ("role", "states", "traits", "own", "opens", "focus"),
    [
        (Role.CHECKBOX, (), NO_TRAITS, CHECKED, Opens.NOTHING, Focus.NOBODY),
        (Role.CHECKBOX, ("checked_untold",), NO_TRAITS, set[str](), Opens.NOTHING, Focus.NOBODY),
        (Role.MENUITEMCHECKBOX, (), frozenset({Trait.STATE_IS_HIDDEN}), set[str](), Opens.NOTHING, Focus.NOBODY),
        (Role.BUTTON, (), frozenset({Trait.TOGGLE}), CHECKED, Opens.WINDOWS, Focus.NOBODY),
        (Role.BUTTON, ("expandable",), frozenset({Trait.TOGGLE}), CHECKED | {"expanded"}, Opens.WINDOWS, Focus.NOBODY),
        (Role.BUTTON, (), NO_TRAITS, set[str](), Opens.NOTHING, Focus.NOBODY),
        (Role.LISTITEM, ("selectable",), NO_TRAITS, {"selected", "expanded"}, Opens.CONTROLS, Focus.NOBODY),
        (Role.LISTITEM, ("selectable", "selected"), NO_TRAITS, set[str](), Opens.NOTHING, Focus.NOBODY),
        (Role.LISTITEM, ("selectable", "selected"), BARS, {"expanded"}, Opens.WINDOWS, Focus.ANYBODY),
        (Role.FIGURE, ("selectable",), BARS, {"selected", "expanded"}, Opens.WINDOWS, Focus.ANYBODY),
        (Role.FIGURE, ("selectable",), NO_TRAITS, set[str](), Opens.NOTHING, Focus.NOBODY),
        (Role.CELL, ("selectable",), NO_TRAITS, {"selected", "focused", "expanded"}, Opens.CONTROLS, Focus.NOBODY),
        (
            Role.LISTITEM,
            ("selectable",),
            frozenset({Trait.TOGGLE_BY_KEY}),
            CHECKED | {"selected", "focused", "expanded"},
            Opens.CONTROLS,
            Focus.NOBODY,
        ),
        (Role.TEXTBOX, ("editable",), NO_TRAITS, set[str](), Opens.NOTHING, Focus.TARGET),
    ],
)
def test_a_press_is_confirmed_by_what_its_target_is(  # noqa: PLR0917 - a row of the table each
    tool: str, role: Role, states: tuple[str, ...], traits: frozenset[Trait], own: set[str], opens: Opens, focus: Focus
) -> None:
    found = expected(tool, role, *states, traits=traits)
    assert (found.own, found.opens, found.focus) == (own, opens, focus)


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("tool", "given"),
    [("click_input", {"button": "right"}), ("click_input", {"double": True}), ("invoke", {"action": "menu"})],
)
def test_another_button_or_action_is_confirmed_by_any_change(tool: str, given: JsonObject) -> None:
    found = expected(tool, Role.CHECKBOX, given=given)
    assert (found.own, found.twice) == (frozenset(), given.get("double", False))


@pytest.mark.requires("effect.about")
def test_a_wheel_changes_the_value_of_a_number_and_anything_elsewhere() -> None:
    assert expected("wheel_mouse_input", Role.SLIDER, given={"wheel_dist": 1}).own == {"value"}
    assert expected("wheel_mouse_input", Role.LIST, given={"wheel_dist": 1}) == ANYTHING


@pytest.mark.requires("command.effect")
def test_every_tool_with_an_effect_declares_what_confirms_it() -> None:
    silent = [tool.spec.name for tool in standard_catalogue() if tool.spec.has_effect and tool.expects is ANY_CHANGE]
    assert silent == []
