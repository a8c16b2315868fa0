"""Buttons and keys pressed and released apart, held modifiers, and the arrival of the pointer."""

from dataclasses import replace

import anyio
import pytest

from commands.bench import Bench, bench
from deskhand.core.command import Effect
from deskhand.core.errors import ReplyDefect
from deskhand.core.geometry import Rect, WindowPoint
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from deskhand.desktop.protocols.input import Chord, MouseButton

pytestmark = pytest.mark.requires("act.every-move")


def counting(log: list[str], name: str = "Count") -> FakeControl:
    return FakeControl(Role.BUTTON, name, on_click=lambda: log.append(name))


async def point(it: Bench, control: FakeControl) -> dict[str, float]:
    rect, window = it.desktop.target(control).rect, (await it.root()).rect
    at = rect.center
    return {"x": (at.x - window.left + 0.5) / window.width, "y": (at.y - window.top + 0.5) / window.height}


async def test_a_button_is_pressed_and_released_by_two_actions() -> None:
    log: list[str] = []
    it = bench(button := counting(log))
    at = await point(it, button)
    held = await it.run("hold_button", None, **at)
    assert (held.effect, log) == (Effect.UNVERIFIABLE, [])
    released = await it.run("let_go", None, **at)
    assert (released.error, log) == (None, ["Count"])
    assert "released: left" in released.evidence


async def test_while_a_button_is_down_no_other_is_pressed_and_the_pointer_still_moves() -> None:
    log: list[str] = []
    it = bench(button := counting(log))
    at = await point(it, button)
    ends: dict[str, float] = {"start_x": 0.1, "start_y": 0.1, "end_x": 0.2, "end_y": 0.2}
    await it.run("hold_button", None, **at)
    for tool, arguments in (("click_on_coordinates", at), ("hold_button", at), ("drag_on_coordinates", ends)):
        refused = await it.run(tool, None, **arguments)
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), tool
        assert refused.error is not None
        assert "let_go" in refused.error.fix
    assert (await it.run("hover", x=0.5, y=0.5)).error is None
    assert (await it.run("wheel_mouse_input", wheel_dist=1)).error is None
    assert (await it.run("keyboard_input", keys="{ESC}")).error is None
    assert log == []


async def test_while_keys_are_down_whole_chords_alone_are_pressed_with_the_pointer() -> None:
    it = bench(button := counting([]))
    await it.run("hold_keys", keys="{SHIFT}")
    for tool in ("keyboard_input", "hold_keys"):
        refused = await it.run(tool, keys="w")
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), tool
    assert it.desktop.calls_of("press") == []
    assert (await it.run("click_input", button)).error is None
    assert (await it.run("let_go", what="keys")).error is None
    assert (await it.run("keyboard_input", keys="w")).error is None


async def test_what_is_not_down_cannot_be_released() -> None:
    it = bench(counting([]))
    await it.run("hold_keys", keys="{SHIFT}")
    refused = await it.run("let_go", what="button")
    assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
    assert (await it.desktop.left_down()).keys == "shift"


async def test_keys_that_are_held_for_a_time_are_released_then() -> None:
    it = bench(counting([]))
    result = await it.run("hold_keys", keys="{CTRL}{RIGHT}", seconds=0.05)
    assert result.error is None
    assert it.desktop.calls_of("hold_keys")[0].arguments["chord"] == Chord("right", ("ctrl",))
    assert (await it.desktop.left_down()).names == ()


@pytest.mark.requires("guard.released")
async def test_an_action_that_times_out_or_is_cancelled_releases_what_was_left_down() -> None:
    it = bench(button := counting([]))
    for cancelled in (False, True):
        await it.run("hold_keys", keys="{SHIFT}")
        it.desktop.faults.hang("do_action")
        command = replace(await it.command("invoke", button), deadline_s=None if cancelled else 0.2)
        with anyio.move_on_after(0.2 if cancelled else 5):
            await it.send(command)
        assert (await it.desktop.left_down()).names == ()


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("hold_keys", {"keys": "ab"}, "one chord"),
        ("hold_keys", {"keys": "{NONE}"}, "no key"),
        ("hover", {}, "give the id of a control, or x and y"),
        ("hover", {"x": 0.5}, "both x and y"),
        ("wheel_mouse_input", {"wheel_dist": 1, "id": "1", "x": 0.5, "y": 0.5}, "not both"),
        ("click_on_coordinates", {"x": 0.5, "y": 0.5, "hold": "ctrl+q"}, "'q' is no modifier"),
        ("click_on_coordinates", {"x": 0.5, "y": 0.5, "count": 4}, "count"),
    ],
)
def test_arguments_that_mean_nothing_are_said_in_one_sentence(
    tool: str, arguments: dict[str, JsonValue], said: str
) -> None:
    with pytest.raises(ReplyDefect, match=said):
        bench().catalogue.validate(tool, arguments)


async def test_clicks_drags_and_the_wheel_have_their_modifiers_in_one_order() -> None:
    it = bench(button := counting([]))
    ends: dict[str, float] = {"start_x": 0.1, "start_y": 0.1, "end_x": 0.2, "end_y": 0.2}
    await it.run("click_input", button, hold="Shift+CTRL", count=3, button="back")
    await it.run("drag_on_coordinates", None, **ends, hold="alt", via=[{"x": 0.5, "y": 0.5}])
    await it.run("wheel_mouse_input", wheel_dist=2, sideways=True, hold="ctrl")
    (click,), (drag,), (turn,) = (it.desktop.calls_of(method) for method in ("click", "drag", "scroll"))
    assert (click.arguments["held"], click.arguments["count"]) == (("ctrl", "shift"), 3)
    assert click.arguments["button"] is MouseButton.BACK
    middle = (await it.root()).rect
    assert (drag.arguments["held"], drag.arguments["via"]) == (("alt",), (WindowPoint(0.5, 0.5).on(middle),))
    assert (turn.arguments["held"], turn.arguments["sideways"], turn.arguments["notches"]) == (("ctrl",), True, 2)


async def test_a_double_click_and_two_clicks_are_the_same() -> None:
    it = bench(button := counting([]))
    await it.run("click_input", button, double=True)
    await it.run("click_input", button, count=2)
    await it.run("click_input", button, double=True, count=3)
    assert [call.arguments["count"] for call in it.desktop.calls_of("click")] == [2, 2, 3]


async def test_a_literal_text_is_judged_and_typed_with_all_its_braces() -> None:
    field = FakeControl(Role.TEXTBOX, "Field")
    it = bench(field)
    assert it.catalogue.validate("keyboard_input", {"keys": "{DEL}", "literal": True})["keys"] == "{{}DEL{}}"
    result = await it.run("keyboard_input", field, keys="a{ENTER}{{}", literal=True)
    assert (result.effect, field.value) == (Effect.CONFIRMED, "a{ENTER}{{}")


@pytest.mark.requires("effect.hover")
async def test_what_the_pointer_makes_appear_confirms_it_and_what_goes_does_not() -> None:
    hint = FakeControl(Role.TOOLTIP, "What it does")
    it = bench(button := FakeControl(Role.BUTTON, "Tipped"), other := FakeControl(Role.BUTTON, "Other"))
    button.on_hover = lambda: it.window.controls.append(hint)
    other.on_hover = lambda: it.window.controls.remove(hint)
    came, went = await it.run("hover", button), await it.run("hover", other)
    assert (came.effect, "What it does" in came.evidence) == (Effect.CONFIRMED, True)
    assert went.effect is Effect.UNVERIFIABLE


@pytest.mark.requires("effect.hover")
async def test_a_popup_that_no_control_stands_for_confirms_the_pointer_too() -> None:
    it = bench(button := FakeControl(Role.BUTTON, "Tipped"))
    it.desktop.shown_popups.append(Rect(0, 0, 5, 5))
    assert (await it.run("hover", button)).effect is Effect.UNVERIFIABLE, "it was there before"
    place = it.desktop.target(button).rect
    far = Rect(place.right + 100, place.bottom + 100, place.right + 150, place.bottom + 120)
    button.on_hover = lambda: it.desktop.shown_popups.append(far)
    assert (await it.run("hover", button)).effect is Effect.UNVERIFIABLE, "it belongs to another place"
    button.on_hover = lambda: it.desktop.shown_popups.append(Rect(place.left, place.bottom, place.left + 50, 999))
    result = await it.run("hover", button)
    assert (result.effect, "a popup of 50 x" in result.evidence) == (Effect.CONFIRMED, True)


@pytest.mark.requires("effect.hover", "effect.no-lie")
@pytest.mark.parametrize("tool", ["hover", "hold_button", "hold_keys", "let_go", "click_on_coordinates", "scroll"])
async def test_what_did_nothing_is_not_confirmed(tool: str) -> None:
    log: list[str] = []
    it = bench(button := counting(log))
    button.on_hover = button.on_click if tool == "hover" else None
    at = await point(it, button)
    arguments: dict[str, dict[str, JsonValue]] = {
        "hold_keys": {"keys": "{SPACE}"},
        "let_go": {},
        "scroll": {"wheel_dist": 1},
    }
    if tool == "let_go":
        await it.run("hold_button", None, **at)
    it.desktop.faults.lie({"click_on_coordinates": "click"}.get(tool, tool))
    name = "wheel_mouse_input" if tool == "scroll" else tool
    command = await it.command(name, None, **arguments.get(tool, dict[str, JsonValue](at)))
    result = await it.send(command)
    assert (result.effect, log) == (Effect.UNVERIFIABLE, [])


@pytest.mark.requires("effect.locks")
async def test_a_lock_is_confirmed_by_its_light_alone() -> None:
    it = bench(FakeControl(Role.TEXTBOX, "Field"))
    on, off = [await it.run("keyboard_input", keys="{CAPSLOCK}") for _ in range(2)]
    assert ("capslock is on" in on.evidence, "capslock is off" in off.evidence) == (True, True)
    assert {on.effect, off.effect} == {Effect.CONFIRMED}
    it.desktop.faults.lie("press")
    assert (await it.run("keyboard_input", keys="{CAPSLOCK}")).effect is not Effect.CONFIRMED


async def test_a_point_counts_only_while_it_lies_on_the_control_that_was_judged() -> None:
    log: list[str] = []
    it = bench(one := counting(log, "One"), other := counting(log, "Other"))
    click = await it.command("click_on_coordinates", None, **(await point(it, one)))
    assert (await it.send(replace(click, target=it.desktop.target(one)))).error is None
    refused = await it.send(replace(click, target=it.desktop.target(other)))
    assert (refused.effect, refused.delivered, log) == (Effect.REFUSED, False, ["One"])
    assert refused.error is not None
    assert (refused.error.type, "no longer at that point" in refused.error.message) == ("TargetMoving", True)
