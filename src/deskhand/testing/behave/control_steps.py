"""Steps about controls, and those of the pointer.

`Wanted` is the control that a step names.
"""

from functools import partial
from typing import Final, TypedDict, Unpack

from deskhand.core.errors import UsageError
from deskhand.core.geometry import Point
from deskhand.testing.behave.context import Context, on_desktop
from deskhand.testing.behave.controls import Wanted, pair_of
from deskhand.testing.behave.phrases import phrase
from deskhand.testing.behave.stage import Click

_SIZES: Final = ' | has size at least "{size_low}" | has size at most "{size_high}"'
_PLACES: Final = ' | that is at least "{position_low}" from top left | that is at most "{position_high}" from top left'
_WHERE: Final = f' | with description "{{description}}" | in "{{root}}"{_SIZES}{_PLACES}'
_ACTION: Final = ' | with action "{action}"'
_THAT_IS: Final = ' | that is "{attr}" | that is not "{not_attr}"'
_IS: Final = ' | is "{state}" | is not "{not_state}"'
_OFFSET: Final = ' | with offset "{offset}"'
_TEXTS: Final = ' | has text "{text}" | does not have text "{not_text}" | does not have description "{not_description}"'
_BUTTONS: Final = {
    "Left": Click(),
    "Right": Click(button="right"),
    "Middle": Click(button="middle"),
    "Double": Click(count=2),
}


class _Parts(TypedDict, total=False):
    """The parts of a step that choose a control."""

    description: str
    action: str
    attr: str
    not_attr: str
    root: str
    size_low: str
    size_high: str
    position_low: str
    position_high: str


class _Checks(_Parts, total=False):
    """The parts that are expectations of it."""

    found: bool
    was_not_found: bool
    appears: bool
    disappears: bool
    state: str
    not_state: str
    text: str
    not_text: str
    not_description: str


@phrase(f'{{button}} click "{{name}}" "{{role}}"{_WHERE}{_ACTION}{_THAT_IS} | is "{{attr}}"{_OFFSET}')
def click_control(
    context: Context, button: str, name: str, role: str, offset: str = "0,0", **parts: Unpack[_Parts]
) -> None:
    click = Click(_click(button).button, _click(button).count, Point(*pair_of(offset)))
    on_desktop(context, partial(context.deskhand.click, _wanted(name, role, parts), click))


@phrase(f'Mouse over "{{name}}" "{{role}}"{_WHERE}{_ACTION}{_THAT_IS} | is "{{attr}}"{_OFFSET}')
def hover_over(context: Context, name: str, role: str, offset: str = "0,0", **parts: Unpack[_Parts]) -> None:
    on_desktop(context, partial(context.deskhand.hover, _wanted(name, role, parts), Point(*pair_of(offset))))


@phrase(f'Make an action "{{own}}" for "{{name}}" "{{role}}"{_WHERE}{_ACTION}{_THAT_IS} | is "{{attr}}"')
def do_action(context: Context, own: str, name: str, role: str, **parts: Unpack[_Parts]) -> None:
    on_desktop(context, partial(context.deskhand.invoke, _wanted(name, role, parts), own))


@phrase(f'Item "{{name}}" "{{role}}" | found | was not found{_WHERE}{_ACTION}{_THAT_IS}{_IS}{_TEXTS}')
def expect_item(context: Context, name: str, role: str, **checks: Unpack[_Checks]) -> None:
    _expect(context, name, role, checks)


@phrase(f'Wait until "{{name}}" "{{role}}" | appears | disappears{_WHERE}{_ACTION}{_THAT_IS}{_IS}')
def wait_until(context: Context, name: str, role: str, **checks: Unpack[_Checks]) -> None:
    """Without another part it is waited until it is enabled."""
    says_nothing = checks.keys().isdisjoint({"appears", "disappears", "state", "not_state"})
    _expect(context, name, role, {**checks, "state": "enabled"} if says_nothing else checks)


def _expect(context: Context, name: str, role: str, checks: _Checks) -> None:
    stage, wanted = context.deskhand, _wanted(name, role, checks)
    if "was_not_found" in checks or "disappears" in checks:
        on_desktop(context, partial(stage.expect_gone, wanted))
        return
    done = [
        *(partial(stage.expect_state, wanted, state) for state in _given(checks.get("state"))),
        *(partial(stage.expect_state, wanted, state, has=False) for state in _given(checks.get("not_state"))),
        *(partial(stage.expect_text, wanted, text) for text in _given(checks.get("text"))),
        *(partial(stage.expect_text, wanted, text, has=False) for text in _given(checks.get("not_text"))),
        *(partial(stage.expect_no_description, wanted, text) for text in _given(checks.get("not_description"))),
    ]
    for expected in done or [partial(stage.expect_there, wanted)]:
        on_desktop(context, expected)


def _given(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def _wanted(name: str, role: str, parts: _Parts) -> Wanted:
    return Wanted(
        name,
        role,
        root=parts.get("root", ""),
        description=parts.get("description"),
        action=parts.get("action", ""),
        attr=parts.get("attr", ""),
        not_attr=parts.get("not_attr", ""),
        size_low=parts.get("size_low", ""),
        size_high=parts.get("size_high", ""),
        position_low=parts.get("position_low", ""),
        position_high=parts.get("position_high", ""),
    )


@phrase('Move mouse to: x: "{x:d}", y: "{y:d}"')
def move_mouse(context: Context, x: int, y: int) -> None:
    on_desktop(context, partial(context.deskhand.move_to, Point(x, y)))


@phrase('{button} click on: x: "{x:d}", y: "{y:d}"')
def click_point(context: Context, button: str, x: int, y: int) -> None:
    on_desktop(context, partial(context.deskhand.click_at, Point(x, y), _click(button)))


def _click(button: str) -> Click:
    if button not in _BUTTONS:
        raise UsageError(f'there is no click with the button "{button}"', fix=f"write one of {', '.join(_BUTTONS)}")
    return _BUTTONS[button]
