"""What the product sees and does in a toolkit's fixture application, held against what that says of itself.

Columns are judged one by one; a difference belongs to a column and to the key of a control in the fixture.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from deskhand.core.errors import ActionRefused, DesktopError
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Until

EFFECT_S: Final = 8.0
"""How long the effect of an action is waited for, and what has changed in what is seen: some trees, and toolbars of
LibreOffice, come late."""

REFUSED_S: Final = 1.0
"""How long for what is known not to come."""

NEW_TEXT: Final = "Zoë 日本"
NEW_VALUE: Final = 40.0
CELL_NAME: Final = "B2"
CELLS: Final = tuple(tuple(f"r{row}c{column}" for column in range(3)) for row in range(3))
_EDGE: Final = 2
"""Pixels by which a place may differ: toolkits tell of a widget with its border or without."""


class Deed(StrEnum):
    """What is done to a control without the pointer, and what comes of it."""

    PRESS = "one more press is counted"
    TOGGLE = "it is checked, or no longer"
    SELECT = "it is selected"
    SET = f"its number is {NEW_VALUE:g}"
    GO = f"the cell {CELL_NAME} is selected when its name was written and entered"


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried with a fixture, by the keys of its controls.

    `clicked`: in that order. `read`: their texts, beside those of passwords. `written`: its text is replaced.
    `no_table` is asked for its rows and has none.
    """

    clicked: tuple[str, ...] = ("button", "check", "name", "volume", "apple", "cell")
    read: tuple[str, ...] = ("name", "words")
    written: str = "name"
    table: str = "grid"
    shape: tuple[int, int] = (3, 3)
    no_table: str = "pear"
    deeds: Mapping[str, Deed] = field(default_factory=lambda: dict(CONTROLS))


CONTROLS: Final = {"button": Deed.PRESS, "check": Deed.TOGGLE, "pear": Deed.SELECT, "volume": Deed.SET}


class Told(BaseModel):
    """One control as the fixture tells it.

    `rect` is left, top, right, bottom on the screen; None where the fixture itself does not know: a click tells then.
    `name` is empty where it has none: then what stands in it tells it from others.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Role
    name: str
    rect: tuple[int, int, int, int] | None
    showing: bool
    enabled: bool
    checked: bool
    selected: bool
    value: float | None
    text: str | None

    @property
    def place(self) -> Rect | None:
        return Rect(*self.rect) if self.rect else None


class Truth(BaseModel):
    """The fixture's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    controls: Mapping[str, Told]
    clicked: tuple[str, ...]
    pressed: int
    asked: str = ""


@dataclass
class Verdict:
    """What differs: column → key of the control → what came instead. Of what is in `judged` anything is said."""

    version: str
    differs: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    judged: set[str] = field(default_factory=set[str])

    def add(self, column: str, key: str, instead: str) -> None:
        self.judged.add(column)
        self.differs.setdefault(column, {})[key] = instead

    def places(self) -> frozenset[tuple[str, str]]:
        """Column and key of all that differs."""
        return frozenset((column, key) for column, keys in self.differs.items() for key in keys)

    def expect(self, column: str, key: str, seen: object, told: object) -> None:
        self.judged.add(column)
        if seen != told:
            self.add(column, key, f"{seen!r} for {told!r}")


class Judge:
    """Judges one fixture on one desktop. `refused`: of a version, by column and key, what is known not to work."""

    def __init__(
        self,
        desktop: LinuxDesktop,
        window: TargetInfo,
        state_file: Path,
        trial: Trial,
        refused: Callable[[str], frozenset[tuple[str, str]]],
    ) -> None:
        self._desktop = desktop
        self._window = window
        self._state_file = state_file
        self._trial = trial
        self._refused_in = refused
        self._refused = frozenset[tuple[str, str]]()

    def truth(self) -> Truth:
        return Truth.model_validate_json(self._state_file.read_text(encoding="utf-8"))

    async def judge(self) -> Verdict:
        """Everything, each action once. Raises: TimeoutError (the fixture does not come to rest, or is gone)."""
        await self._laid_out()
        truth = self.truth()
        self._refused = self._refused_in(truth.version)
        verdict = Verdict(truth.version)
        seen, meant = await self._look(truth)
        _judge_sight(verdict, truth, meant, seen)
        found = {key: control for key, control in meant.items() if control}
        for key in sorted(meant.keys() - found.keys()):
            verdict.add("names", key, "not seen at all")
            if truth.controls[key].role is Role.TEXTBOX:
                verdict.add("values", key, "not seen at all")
        for key, control in found.items():
            await _try(
                verdict, "names", key, found, lambda key=key, seen=control: self._judge_again(verdict, key, seen)
            )
        await self._judge_text(verdict, truth, found)
        await self._judge_table(verdict, found)
        await self._judge_clicks(verdict, await self._again(found))
        await self._judge_changed(verdict, found)
        await self._judge_actions(verdict, await self._again(found))
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
        await self._desktop.settle(self._window, until=Until.FINAL_STATES)
        if not await self._desktop.wait_until(rests, deadline_s=EFFECT_S):
            raise TimeoutError("the fixture does not come to rest")

    async def _look(self, truth: Truth) -> tuple[tuple[TargetInfo, ...], dict[str, TargetInfo | None]]:
        """What is seen, and by key what is meant of it: all, or what is there in the end. Some trees come late."""
        looks: list[tuple[tuple[TargetInfo, ...], dict[str, TargetInfo | None]]] = []

        async def look() -> bool | None:
            seen = (await self._desktop.observe(self._window, picture=False)).controls
            meant = {key: control_meant(told, seen) for key, told in truth.controls.items() if told.showing}
            looks.append((seen, meant))
            return True if all(meant.values()) else None

        await self._desktop.wait_until(look, deadline_s=EFFECT_S)
        return looks[-1]

    async def _again(self, found: Mapping[str, TargetInfo]) -> dict[str, TargetInfo]:
        """Those that were found, as they are now; a paragraph whose text was replaced is known by nothing else."""
        await self._laid_out()
        _, meant = await self._look(self.truth())
        return {key: meant.get(key) or control for key, control in found.items()}

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

        passwords = [key for key, told in truth.controls.items() if told.role is Role.PASSWORD]
        for key in (*self._trial.read, *passwords):
            await _try(verdict, "text", key, found, lambda key=key: reads(key))
        written = self._trial.written
        if written and written not in verdict.differs.get("text", {}):
            await self._effect(
                verdict,
                "text",
                written,
                found,
                lambda control: self._desktop.set_text(control, NEW_TEXT),
                lambda now: now.controls[written].text == NEW_TEXT,
            )

    async def _judge_table(self, verdict: Verdict, found: Mapping[str, TargetInfo]) -> None:
        table, no_table = self._trial.table, self._trial.no_table

        async def reads() -> None:
            verdict.expect("tables", table, await self._desktop.table_shape(found[table]), self._trial.shape)
            cells = await self._desktop.read_table(found[table], range(3), range(3))
            verdict.expect("tables", table, cells, CELLS)

        async def is_none() -> None:
            """A list item of Qt 5 that is asked for its rows ends its application."""
            with suppress(ActionRefused):
                verdict.expect("tables", no_table, await self._desktop.table_shape(found[no_table]), None)

        if table:
            await _try(verdict, "tables", table, found, reads)
        if no_table:
            await _try(verdict, "tables", no_table, found, is_none)

    async def _judge_clicks(self, verdict: Verdict, found: Mapping[str, TargetInfo]) -> None:
        await self._desktop.activate(self._window)
        clicked = self.truth().clicked  # looking at a document's table may have moved its caret
        for key in self._trial.clicked:
            expected = (*clicked, key)
            await self._effect(
                verdict,
                "extents",
                key,
                found,
                lambda control: self._desktop.click(control.rect.center),
                lambda now, expected=expected: now.clicked == expected,
            )
            clicked = self.truth().clicked

    async def _judge_actions(self, verdict: Verdict, found: Mapping[str, TargetInfo]) -> None:
        for key, deed in self._trial.deeds.items():
            await self._judge_deed(verdict, found, key, deed)

    async def _judge_deed(self, verdict: Verdict, found: Mapping[str, TargetInfo], key: str, deed: Deed) -> None:
        desktop, before = self._desktop, self.truth()
        match deed:
            case Deed.PRESS | Deed.TOGGLE:
                act = desktop.do_action
            case Deed.SELECT:
                act = desktop.select
            case Deed.GO:
                act = self._go
            case Deed.SET:
                act = partial(desktop.set_value, value=NEW_VALUE)

        await self._effect(verdict, "actions", key, found, act, lambda now: _came_of(deed, key, before, now))

    async def _go(self, box: TargetInfo) -> None:
        await self._desktop.set_text(box, CELL_NAME)
        await self._desktop.do_action(box)

    async def _judge_changed(self, verdict: Verdict, found: Mapping[str, TargetInfo]) -> None:
        """States and values as they are after what was done."""
        now: list[Verdict] = []

        async def look() -> bool | None:
            truth = self.truth()
            seen = (await self._desktop.observe(self._window, picture=False)).controls
            now.append(Verdict(truth.version))
            for key in found:
                told = truth.controls[key]
                control = control_meant(told, seen) if told.showing else None
                if control:
                    _judge_moment(now[-1], key, told, control)
            return True if now[-1].places() <= self._refused else None

        await self._desktop.settle(self._window)
        await self._desktop.wait_until(look, deadline_s=EFFECT_S)
        if not now:
            raise TimeoutError("the fixture's window cannot be seen any more")
        for column, keys in now[-1].differs.items():
            for key, instead in keys.items():
                verdict.add(column, key, instead)

    async def _effect(
        self,
        verdict: Verdict,
        column: str,
        key: str,
        found: Mapping[str, TargetInfo],
        act: Callable[[TargetInfo], Awaitable[None]],
        holds: Callable[[Truth], bool],
    ) -> None:
        """Acts on the control found again, and waits until the fixture says that it had its effect."""

        async def look() -> bool | None:
            return True if holds(self.truth()) else None

        async def try_it() -> None:
            await act(await self._desktop.resolve(found[key]))
            wait_s = REFUSED_S if (column, key) in self._refused else EFFECT_S
            if not await self._desktop.wait_until(look, deadline_s=wait_s):
                verdict.add(column, key, f"no effect; {self.truth().clicked}")

        await _try(verdict, column, key, found, try_it)


def _came_of(deed: Deed, key: str, before: Truth, now: Truth) -> bool:
    """Whether what was to come of a deed has come."""
    control = now.controls[key]
    match deed:
        case Deed.PRESS:
            return now.pressed == before.pressed + 1
        case Deed.TOGGLE:
            return control.checked != before.controls[key].checked
        case Deed.SELECT:
            return control.selected
        case Deed.GO:
            return control.text == CELL_NAME
        case Deed.SET:
            return control.value == NEW_VALUE


def control_meant(told: Told, seen: tuple[TargetInfo, ...]) -> TargetInfo | None:
    """The control seen that agrees best with what is told, in two of name, role and place at least.

    Where the place is not told, what stands in it counts instead.
    """

    def agreement(control: TargetInfo) -> tuple[int, bool]:
        named = comparable_name(control.name) == comparable_name(told.name)
        typed = control.type is told.role
        third = _stands_in(control.rect, told.place) if told.place else control.value == told.text
        return named + typed + third, typed

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
        if told.name and (times := names.count(told.name)) > 1:
            verdict.add("names", key, f"{times} controls of that name")
        verdict.expect("roles", key, control.type, told.role)
        if told.place:
            verdict.judged.add("extents")
            if not _stands_in(control.rect, told.place):
                verdict.add("extents", key, f"at {control.rect} for {told.place}")
        _judge_moment(verdict, key, told, control)


def _judge_moment(verdict: Verdict, key: str, told: Told, control: TargetInfo) -> None:
    """What changes while an application runs."""
    verdict.expect("states", key, "enabled" in control.states, told.enabled)
    if told.role in {Role.CHECKBOX, Role.BUTTON}:
        verdict.expect("states", key, "checked" in control.states, told.checked)
    if told.role in {Role.LISTITEM, Role.TAB}:
        verdict.expect("states", key, "selected" in control.states, told.selected)
    if told.value is not None:
        verdict.expect("values", key, control.value, f"{told.value:g}")
    if told.role is Role.PASSWORD:
        verdict.expect("values", key, control.value, "")
    if told.role in {Role.TEXTBOX, Role.PARAGRAPH, Role.HEADING}:
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
    verdict.judged.add(column)
    if key not in found:
        verdict.add(column, key, "not seen")
        return
    try:
        await act()
    except DesktopError as error:
        verdict.add(column, key, str(error))
