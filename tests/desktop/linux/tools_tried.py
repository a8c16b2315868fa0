"""Each tool once on each toolkit's fixture; the fixture's own file says whether it did what it is for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from deskhand.commands.key_syntax import parse_keys
from deskhand.core.command import Result
from deskhand.core.errors import DeskhandError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.adversity import FIXTURES, Adversity, Fixture, adversity
from desktop.linux.toolkits import CELLS, Truth, control_meant
from support import FULL

NAMED: Final = "Zoë"
RENAMED: Final = "Ada"
TYPED: Final = "typed"
ARRIVES_S: Final = 10.0
LEAVES_S: Final = 0.3


@dataclass(frozen=True, slots=True)
class Attempt:
    """A tool, the control it is tried on, and what shows that it worked, from before, after and the result."""

    tool: str
    key: str
    worked: Callable[[Truth, Truth, Result], bool]
    given: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    on: str = ""

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"{self.tool} ({self.on})" if self.on else self.tool


def _pressed(before: Truth, now: Truth, _: Result) -> bool:
    return now.pressed == before.pressed + 1


def _always(_before: Truth, _now: Truth, _result: Result) -> bool:
    return True


def _cells(_before: Truth, _now: Truth, result: Result) -> bool:
    found = result.result
    cells: object = cast("JsonObject", found).get("cells") if isinstance(found, dict) else None  # its data is JSON
    return cells == [list(row) for row in CELLS]


ATTEMPTS: Final = (
    Attempt("click_input", "button", _pressed),
    Attempt("click_on_coordinates", "button", _pressed),
    Attempt("drag_on_coordinates", "button", _pressed),
    Attempt(
        "wheel_mouse_input",
        "volume",
        lambda before, now, _: now.controls["volume"].value != before.controls["volume"].value,
        {"wheel_dist": -2},
    ),
    Attempt("invoke", "button", _pressed),
    Attempt("select_item", "pear", lambda _before, now, _: now.controls["pear"].selected),
    Attempt(
        "set_value", "volume", lambda _before, now, _: now.controls["volume"].value == 40.0, {"value": 40.0}, "number"
    ),
    Attempt("set_value", "check", lambda _before, now, _: now.controls["check"].checked, {"value": True}, "box"),
    Attempt("set_edit_text", "name", lambda _before, now, _: now.controls["name"].text == NAMED, {"text": NAMED}),
    Attempt(
        "replace_text",
        "name",
        lambda _before, now, _: now.controls["name"].text == RENAMED,
        {"pairs": [{"find": NAMED, "replace": RENAMED}]},
    ),
    Attempt(
        "keyboard_input", "name", lambda _before, now, _: TYPED in (now.controls["name"].text or ""), {"keys": TYPED}
    ),
    Attempt("texts", "name", lambda _before, now, result: result.result == {"text": now.controls["name"].text}),
    Attempt("read_table", "grid", _cells),
)
"""In this order, on one fixture."""


READING: Final = ("texts", "read_table", "find_controls", "verify", "wait", "clipboard")
"""These leave the keyboard where it is."""

LETTER: Final = "e"
"""It opens a menu where a menu bar has the keyboard."""


def letter_attempts(toolkit: str) -> tuple[Attempt, ...]:
    """All attempts, and the other tools that only read; of a sample, other ones for each toolkit."""
    more: dict[str, dict[str, JsonValue]] = {
        "find_controls": {"role": "button"},
        "verify": {"expect": {"shows": {"role": "button"}}, "wait_s": 0},
        "wait": {"seconds": 0.1},
        "clipboard": {"text": "copied"},
    }
    known = tuple(attempt for attempt in ATTEMPTS if attempt.key != "name" or attempt.tool == "texts")
    every = (*known, *(Attempt(tool, "", _always, given) for tool, given in more.items()))
    return every if FULL else every[list(FIXTURES).index(toolkit) :: len(FIXTURES)]


async def letters_after(stage: Adversity, attempts: Sequence[Attempt]) -> dict[str, str]:
    """By name of the attempt: empty where a letter that is typed after it goes where the keyboard is, else where to.

    The keyboard is in the field as before the tool, or where the window exposes it after a tool that acts.
    """
    fixture = await stage.fixture()
    return {attempt.name: await _letter_after(stage, fixture, attempt) for attempt in attempts}


async def _letter_after(stage: Adversity, fixture: Fixture, attempt: Attempt) -> str:
    desktop = stage.desktop
    await stage.act_once(fixture, "click_input", "name", {})
    if attempt.key:
        await stage.act_once(fixture, attempt.tool, attempt.key, attempt.given)
    else:
        await stage.act_in_window(fixture, attempt.tool, attempt.given)
    await desktop.settle(fixture.window)
    seen, before = await desktop.observe(fixture.window, picture=False), fixture.truth()
    field = control_meant(before.controls["name"], seen.controls)
    focused = [control for control in seen.controls if "focused" in control.states]
    stays = attempt.tool in READING or not focused or (field is not None and field in focused)

    async def typed() -> list[str] | None:
        now = fixture.truth().controls
        return [key for key, told in now.items() if told.text != before.controls[key].text] or None

    await desktop.press(parse_keys(LETTER))
    went = await desktop.wait_until(typed, deadline_s=ARRIVES_S if stays else LEAVES_S) or []
    wanted = went == ["name"] if stays else "name" not in went
    there = ", ".join(control.describe for control in focused)
    return "" if wanted else f"{LETTER!r} went to {went}, focused: {there}; windows: {await _titles(desktop)}"


async def _titles(desktop: LinuxDesktop) -> list[str]:
    return [window.name for window in await desktop.windows()]


async def tried(desktop: LinuxDesktop, toolkit: str, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """By name of the attempt: empty where it worked, else what came instead; and as `letters_after`."""
    async with adversity(desktop, toolkit, folder, alone=True) as stage:
        came = {attempt.name: await _try(stage, attempt) for attempt in ATTEMPTS}
        return came, await letters_after(stage, letter_attempts(toolkit))


async def _try(stage: Adversity, attempt: Attempt) -> str:
    fixture = await stage.fixture()
    before = fixture.truth()
    try:
        result = await stage.act_once(fixture, attempt.tool, attempt.key, attempt.given)
    except (DeskhandError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"

    async def worked() -> bool | None:
        return True if attempt.worked(before, fixture.truth(), result) else None

    if await stage.desktop.wait_until(worked, deadline_s=8.0):
        return ""
    return f"{result.effect or result.status}: {result.evidence or (result.error and result.error.message)}"
