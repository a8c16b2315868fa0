"""What the product sees and does in a toolkit's fixture application, held against what that says of itself.

Columns are judged one by one; a difference belongs to a column and to the key of a control in the fixture.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from deskhand.core.errors import ActionRefused, DesktopError
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.linux.desktop import LinuxDesktop

EFFECT_S: Final = 2.0
"""How long the effect of an action is waited for."""

NEW_TEXT: Final = "Zoë 日本"
NEW_VALUE: Final = 40.0
CHOSEN: Final = "pear"
CLICKED: Final = ("button", "check", "name", "volume", "apple", "cell")
CELLS: Final = tuple(tuple(f"r{row}c{column}" for column in range(3)) for row in range(3))
_EDGE: Final = 2
"""Pixels by which a place may differ: toolkits tell of a widget with its border or without."""


class Told(BaseModel):
    """One control as the fixture tells it; `rect` is left, top, right, bottom on the screen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Role
    name: str
    rect: tuple[int, int, int, int]
    showing: bool
    enabled: bool
    checked: bool
    selected: bool
    value: float | None
    text: str | None

    @property
    def place(self) -> Rect:
        return Rect(*self.rect)


class Truth(BaseModel):
    """The fixture's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    controls: Mapping[str, Told]
    clicked: tuple[str, ...]
    pressed: int


@dataclass
class Verdict:
    """What differs: column → key of the control → what came instead."""

    version: str
    differs: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def add(self, column: str, key: str, instead: str) -> None:
        self.differs.setdefault(column, {})[key] = instead

    def expect(self, column: str, key: str, seen: object, told: object) -> None:
        if seen != told:
            self.add(column, key, f"{seen!r} for {told!r}")


class Judge:
    """Judges one fixture on one desktop."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, state_file: Path) -> None:
        self._desktop = desktop
        self._window = window
        self._state_file = state_file

    def truth(self) -> Truth:
        return Truth.model_validate_json(self._state_file.read_text(encoding="utf-8"))

    async def judge(self) -> Verdict:
        """Everything, each action once. Raises: TimeoutError (the fixture does not come to rest)."""
        await self._laid_out()
        truth = self.truth()
        verdict = Verdict(truth.version)
        seen = (await self._desktop.observe(self._window, picture=False)).controls
        meant = {key: control_meant(told, seen) for key, told in truth.controls.items() if told.showing}
        _judge_sight(verdict, truth, meant, seen)
        found = {key: control for key, control in meant.items() if control}
        for key in sorted(meant.keys() - found.keys()):
            verdict.add("names", key, "not seen at all")
        for key, control in found.items():
            await _try(
                verdict, "names", key, found, lambda key=key, seen=control: self._judge_again(verdict, key, seen)
            )
        await self._judge_text(verdict, truth, found)
        await self._judge_table(verdict, found)
        await self._judge_clicks(verdict, truth, found)
        await self._judge_changed(verdict, found)
        await self._judge_actions(verdict, found)
        await self._judge_changed(verdict, found)
        return verdict

    async def _laid_out(self) -> None:
        """The window stands where the fixture thinks that it stands, twice in a row."""
        last: list[Truth] = []

        async def rests() -> bool | None:
            if not self._state_file.exists():
                return None
            last.append(self.truth())
            shown = [told for told in last[-1].controls.values() if told.showing]
            return True if shown and last[-2:] == [last[-1]] * 2 else None

        await self._desktop.settle(self._window)
        if not await self._desktop.wait_until(rests, deadline_s=EFFECT_S):
            raise TimeoutError("the fixture does not come to rest")

    async def _judge_again(self, verdict: Verdict, key: str, seen: TargetInfo) -> None:
        """A control found again is the same, of the same name and in the same place."""
        again = await self._desktop.resolve(seen)
        verdict.expect("names", key, (again.handle, again.name), (seen.handle, seen.name))
        verdict.expect("extents", key, again.rect, seen.rect)

    async def _judge_text(self, verdict: Verdict, truth: Truth, found: Mapping[str, TargetInfo]) -> None:
        async def reads(key: str) -> None:
            told = truth.controls[key]
            text = "" if told.role is Role.PASSWORD else told.text
            verdict.expect("text", key, await self._desktop.read_text(found[key]), text)

        for key in ("name", "words", *(key for key in truth.controls if truth.controls[key].role is Role.PASSWORD)):
            await _try(verdict, "text", key, found, lambda key=key: reads(key))
        if "name" not in verdict.differs.get("text", {}):
            await self._effect(
                verdict,
                "text",
                "name",
                found,
                lambda: self._desktop.set_text(found["name"], NEW_TEXT),
                lambda now: now.controls["name"].text == NEW_TEXT,
            )

    async def _judge_table(self, verdict: Verdict, found: Mapping[str, TargetInfo]) -> None:
        async def reads() -> None:
            verdict.expect("tables", "grid", await self._desktop.table_shape(found["grid"]), (3, 3))
            cells = await self._desktop.table_cells(found["grid"], range(3), range(3))
            verdict.expect("tables", "grid", cells, CELLS)

        async def is_none() -> None:
            """A list item of Qt 5 that is asked for its rows ends its application."""
            with suppress(ActionRefused):
                verdict.expect("tables", CHOSEN, await self._desktop.table_shape(found[CHOSEN]), None)

        await _try(verdict, "tables", "grid", found, reads)
        await _try(verdict, "tables", CHOSEN, found, is_none)

    async def _judge_clicks(self, verdict: Verdict, truth: Truth, found: Mapping[str, TargetInfo]) -> None:
        await self._desktop.activate(self._window)
        clicked = truth.clicked
        for key in CLICKED:
            expected = (*clicked, key)
            await self._effect(
                verdict,
                "extents",
                key,
                found,
                lambda key=key: self._desktop.click(found[key].rect.center),
                lambda now, expected=expected: now.clicked == expected,
            )
            clicked = self.truth().clicked

    async def _judge_actions(self, verdict: Verdict, found: Mapping[str, TargetInfo]) -> None:
        before = self.truth()
        checked = not before.controls["check"].checked
        desktop = self._desktop
        cases: dict[str, tuple[Callable[[], Awaitable[None]], Callable[[Truth], bool]]] = {
            "button": (lambda: desktop.do_action(found["button"]), lambda now: now.pressed == before.pressed + 1),
            "check": (
                lambda: desktop.do_action(found["check"]),
                lambda now: now.controls["check"].checked == checked,
            ),
            CHOSEN: (lambda: desktop.select(found[CHOSEN]), lambda now: now.controls[CHOSEN].selected),
            "volume": (
                lambda: desktop.set_value(found["volume"], NEW_VALUE),
                lambda now: now.controls["volume"].value == NEW_VALUE,
            ),
        }
        for key, (act, holds) in cases.items():
            await self._effect(verdict, "actions", key, found, act, holds)

    async def _judge_changed(self, verdict: Verdict, found: Mapping[str, TargetInfo]) -> None:
        """States and values as they are after what was done."""
        truth = self.truth()
        seen = (await self._desktop.observe(self._window, picture=False)).controls
        now = {key: control_meant(truth.controls[key], seen) for key in found}
        for key, control in now.items():
            if control:
                _judge_moment(verdict, key, truth.controls[key], control)

    async def _effect(
        self,
        verdict: Verdict,
        column: str,
        key: str,
        found: Mapping[str, TargetInfo],
        act: Callable[[], Awaitable[None]],
        holds: Callable[[Truth], bool],
    ) -> None:
        """Acts, and waits until the fixture says that it had its effect."""

        async def look() -> bool | None:
            return True if holds(self.truth()) else None

        async def try_it() -> None:
            await act()
            if not await self._desktop.wait_until(look, deadline_s=EFFECT_S):
                verdict.add(column, key, f"no effect; {self.truth().clicked}")

        await _try(verdict, column, key, found, try_it)


def control_meant(told: Told, seen: tuple[TargetInfo, ...]) -> TargetInfo | None:
    """The control seen that agrees best with what is told, in two of name, role and place at least."""

    def agreement(control: TargetInfo) -> tuple[int, bool]:
        named = comparable_name(control.name) == comparable_name(told.name)
        typed = control.type is told.role
        return named + typed + _stands_in(control.rect, told.place), typed

    best = max(seen, key=agreement, default=None)
    return best if best and agreement(best)[0] >= 2 else None


def _judge_sight(
    verdict: Verdict, truth: Truth, meant: Mapping[str, TargetInfo | None], seen: tuple[TargetInfo, ...]
) -> None:
    names = [comparable_name(control.name) for control in seen]
    for key, told in truth.controls.items():
        if not told.showing and told.name in names:
            verdict.add("states", key, "seen though it does not show")
        control = meant.get(key)
        if control is None:
            continue
        verdict.expect("names", key, comparable_name(control.name), told.name)
        if (times := names.count(told.name)) > 1:
            verdict.add("names", key, f"{times} controls of that name")
        verdict.expect("roles", key, control.type, told.role)
        if not _stands_in(control.rect, told.place):
            verdict.add("extents", key, f"at {control.rect} for {told.place}")
        _judge_moment(verdict, key, told, control)


def _judge_moment(verdict: Verdict, key: str, told: Told, control: TargetInfo) -> None:
    """What changes while an application runs."""
    verdict.expect("states", key, "enabled" in control.states, told.enabled)
    if told.role is Role.CHECKBOX:
        verdict.expect("states", key, "checked" in control.states, told.checked)
    if told.role is Role.LISTITEM:
        verdict.expect("states", key, "selected" in control.states, told.selected)
    if told.value is not None:
        verdict.expect("values", key, control.value, f"{told.value:g}")
    if told.role is Role.PASSWORD:
        verdict.expect("values", key, control.value, "")
    if told.role is Role.TEXTBOX:
        verdict.expect("values", key, control.value, told.text)


def _stands_in(seen: Rect, told: Rect) -> bool:
    """Whether it is the told place, or a part in the middle of it."""
    off_x, off_y = abs(seen.center.x - told.center.x), abs(seen.center.y - told.center.y)
    grown = Rect(told.left - _EDGE, told.top - _EDGE, told.right + _EDGE, told.bottom + _EDGE)
    return not seen.empty and seen.intersection(grown) == seen and max(off_x, off_y) <= _EDGE


async def _try(
    verdict: Verdict, column: str, key: str, found: Mapping[str, TargetInfo], act: Callable[[], Awaitable[None]]
) -> None:
    """What the product itself refuses is a difference; what is not seen cannot be tried."""
    if key not in found:
        verdict.add(column, key, "not seen")
        return
    try:
        await act()
    except DesktopError as error:
        verdict.add(column, key, str(error))
