"""Each tool once on each toolkit's fixture; the fixture's own file says whether it did what it is for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from deskhand.core.command import Result
from deskhand.core.errors import DeskhandError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.adversity import Adversity, adversity
from desktop.linux.toolkits import CELLS, Truth

NAMED: Final = "Zoë"
TYPED: Final = "typed"


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
        "keyboard_input", "name", lambda _before, now, _: TYPED in (now.controls["name"].text or ""), {"keys": TYPED}
    ),
    Attempt("texts", "name", lambda _before, now, result: result.result == {"text": now.controls["name"].text}),
    Attempt("read_table", "grid", _cells),
)
"""In this order, on one fixture."""


async def tried(desktop: LinuxDesktop, toolkit: str, folder: Path) -> dict[str, str]:
    """By name of the attempt: empty where it worked, else what came instead."""
    async with adversity(desktop, toolkit, folder, alone=True) as stage:
        return {attempt.name: await _try(stage, attempt) for attempt in ATTEMPTS}


async def _try(stage: Adversity, attempt: Attempt) -> str:
    fixture = await stage.fixture()
    before = fixture.truth()
    try:
        result = await stage.act_once(fixture, attempt.tool, attempt.key, attempt.given)
    except (DeskhandError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"

    async def worked() -> bool | None:
        return True if attempt.worked(before, fixture.truth(), result) else None

    if await stage.desktop.wait_until(worked, deadline_s=1.0):
        return ""
    return f"{result.effect or result.status}: {result.evidence or (result.error and result.error.message)}"
