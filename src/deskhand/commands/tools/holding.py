"""Pressing and releasing apart: a button, or keys, that stay down from one action to a later one (contract 4.2).

What is down is released by `let_go`, at the latest after a minute, as soon as the user acts or stops the work, when an
action times out or is cancelled, and at the end of the session. While a button is down the pointer moves, the wheel
turns and keys are pressed with it; clicks and drags are refused. While keys are down, clicks, drags and the wheel have
them; `keyboard_input` is refused, so that rules about keys see whole chords.
"""

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field, field_validator

from deskhand.commands.call import Call, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, action
from deskhand.commands.effects.confirmation import outcome
from deskhand.commands.effects.snapshot import QUICK_S, before
from deskhand.commands.effects.verdict import wait_for_difference
from deskhand.commands.key_syntax import parse_keys, spelt
from deskhand.commands.techniques.escalation import owner_of, point_at, pointed_spot
from deskhand.commands.techniques.left_down import require_up
from deskhand.commands.tools.pointer_arguments import Across, AnyPoint, Down, Pressed
from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionDeadline, ActionRefused
from deskhand.core.geometry import Point, WindowPoint
from deskhand.desktop.protocols.input import HELD_S, MouseButton
from deskhand.desktop.protocols.screen import Aim

_LONGEST_S: Final = 300.0
_SPARE_S: Final = 20.0
"""Deadline beyond the time that keys are held."""


class HoldButton(Arguments):
    x: Across
    y: Down
    button: Pressed = "left"


class HoldKeys(Arguments):
    keys: str = Field(min_length=1, description="one chord, as for keyboard_input")
    seconds: float = Field(default=0.0, ge=0, le=_LONGEST_S, description="0: until let_go")

    @field_validator("keys")
    @classmethod
    def _is_one_chord(cls, keys: str) -> str:
        """Rewrite the chord in braces, the form that rules about keys rely on."""
        chord = spelt(keys)
        if len(parse_keys(chord)) != 1:
            raise ValueError("one chord can be held, such as {SHIFT} or {CTRL}{RIGHT}")
        return chord


class LetGo(AnyPoint):
    what: Literal["all", "button", "keys"] = Field(default="all", description="the button, the keys, or both")


async def hold_button(tools: ToolContext, call: Call, arguments: HoldButton) -> ToolOutcome:
    """Presses a mouse button at a point and leaves it down until `let_go`, at most a minute; `hover` drags then."""
    button = MouseButton(arguments.button)
    await require_up(tools.desktop, button=True)

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.hold_button(aims[0], button)

    spot = pointed_spot(tools.desktop, call, WindowPoint(arguments.x, arguments.y))
    earlier = await point_at(tools, call, [spot], act, button=button)
    found = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def hold_keys(tools: ToolContext, call: Call, arguments: HoldKeys) -> ToolOutcome:
    """Presses a chord and holds it: for `seconds`, else until `let_go`, at most a minute."""
    desktop, (chord,) = tools.desktop, parse_keys(arguments.keys)
    await require_up(desktop, keys=True)
    tools.delivered = True
    await desktop.activate(await front_window(desktop, call.need_window()))
    earlier = await before(tools, call)
    await desktop.hold_keys(chord, for_s=arguments.seconds + _SPARE_S if arguments.seconds else HELD_S)
    if arguments.seconds:
        await _hold_on(tools, arguments)
    found = await wait_for_difference(desktop, earlier, patient_s=QUICK_S)
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def _hold_on(tools: ToolContext, arguments: HoldKeys) -> None:
    """Wait, and release the keys. Raises: ActionDeadline if they were released before; PersonActs."""

    async def is_up() -> bool | None:
        return None if (await tools.desktop.left_down()).keys else True

    if await tools.desktop.wait_until(is_up, deadline_s=arguments.seconds):
        message = f"{arguments.keys} was held for less than {arguments.seconds:g} s: the user acts, or stopped it"
        raise ActionDeadline(message, fix="observe the window", sent=("press",))
    await tools.desktop.let_go(button=False)


async def let_go(tools: ToolContext, call: Call, arguments: LetGo) -> ToolOutcome:
    """Releases what hold_button and hold_keys left down, a button at a point if one is given."""
    desktop, at = tools.desktop, await _point(tools, call, arguments)
    down = await desktop.left_down()
    if not (down.button if arguments.what == "button" else down.keys if arguments.what == "keys" else down.names):
        message = "nothing of it is down: it is released after a minute, and as soon as the user acts"
        raise ActionRefused(message, fix="observe the window, then press it again")
    earlier = await before(tools, call)
    tools.delivered = True
    released = await desktop.let_go(at, button=arguments.what != "keys", keys=arguments.what != "button")
    found = await wait_for_difference(desktop, earlier)
    tools.notes.append(f"released: {', '.join(released.names) or 'nothing'}")
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def _point(tools: ToolContext, call: Call, arguments: LetGo) -> Point | None:
    at = arguments.point
    return at.on((await owner_of(tools.desktop, call)).rect) if at is not None else None


_ANYTHING: Final = Expects((Rule("anything", "as of a button"),))

TOOLS = (
    action(HoldButton, hold_button, effect_class=EffectClass.EDIT, expects=_ANYTHING, in_prompts=False),
    action(
        HoldKeys,
        hold_keys,
        effect_class=EffectClass.EDIT,
        expects=_ANYTHING,
        deadline_s=_LONGEST_S + _SPARE_S,
        in_prompts=False,
    ),
    action(LetGo, let_go, effect_class=EffectClass.EDIT, expects=_ANYTHING, in_prompts=False),
)
