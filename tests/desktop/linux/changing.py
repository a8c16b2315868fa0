"""What is kept between observations, held against looks that keep nothing and against what is true.

The fixture application of a toolkit (`tests/apps/changing.py`) goes through random changes, all of them following from
a seed. After each, what a desktop opened once sees, what one opened for this look sees, and the fixture's file are
compared; a difference is told with the changes before it, and the same seed shows it again
(`trial_reobservation.py`).
"""

import json
import os
import random
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from time import monotonic
from typing import Final, Literal

import anyio
from pydantic import BaseModel, ConfigDict

from deskhand.core.errors import DesktopError
from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import BRIDGE, JAVA, SomePlace, a11y_address, linux_desktop
from support import QT6, ROOT, writing_to

APPS: Final = ROOT / "tests/apps"
SYSTEM_PYTHON: Final = "/usr/bin/python3"
FIXTURES: Final = {
    "GTK 3": (SYSTEM_PYTHON, str(APPS / "changing_gtk3.py")),
    "GTK 4": (SYSTEM_PYTHON, str(APPS / "changing_gtk4.py")),
    "Qt 5": (SYSTEM_PYTHON, str(APPS / "changing_qt.py"), "PyQt5"),
    "Qt 6": (str(QT6), str(APPS / "changing_qt.py"), "PySide6"),
    "Chromium": (SYSTEM_PYTHON, str(APPS / "changing_chromium.py")),
    "Swing": (SYSTEM_PYTHON, str(APPS / "changing_swing.py"), *JAVA, str(APPS / "ChangingSwing.java")),
}
NEEDS: Final = {"Qt 6": (QT6,), "Chromium": (Path("/usr/bin/chromium"),), "Swing": (BRIDGE,)}
"""What has to be there beside what all tests need."""

OBEYS_S: Final = 30.0
AGREES_S: Final = 30.0
"""How long an application may take until what it says of itself is what it shows."""

LOOK_S: Final = 60.0
"""No look is to be cut short: what is seen matters here, not when."""

BY_HAND: Final = 0.15
"""The share of changes that are made by wheel and keys."""

MIDST: Final = 0.3
"""How often it is looked at while it changes."""

THERE_AND_BACK: Final = ("enable", "check", "show", "expand")
"""Changes that are taken back by being made again. Where one was watched, only the watcher saw it."""

KEYS: Final = ("down", "up", "pagedown", "pageup", "home", "end", "tab")
_EDGE: Final = 2
_KEY: Final = re.compile(r"([a-z]\d+) ")


class Told(BaseModel):
    """One control as the fixture tells it; `rect` and `value` are None where it cannot know what is said of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    window: str
    role: Role
    name: str
    value: str | None
    states: Mapping[str, bool]
    rect: tuple[int, int, int, int] | None
    view: Literal["all", "some", "none"]


class Truth(BaseModel):
    """The fixture's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    done: int
    windows: tuple[str, ...]
    controls: Mapping[str, Told]

    @property
    def facts(self) -> tuple[object, ...]:
        return (self.windows, self.controls)


@dataclass(slots=True)
class Tally:
    """What came of one toolkit. `differences` has a line for each, `late` counts looks that came before the change."""

    toolkit: str
    seed: int
    version: str = ""
    changes: int = 0
    by_hand: int = 0
    looks: int = 0
    midst: int = 0
    controls: int = 0
    late: int = 0
    seconds: float = 0.0
    differences: list[str] = field(default_factory=list[str])
    history: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        return (
            f"{self.toolkit:8} {self.version:14} seed {self.seed:3}  {self.changes:4} changes, "
            f"{self.by_hand:3} by wheel and keys  {self.looks:4} pairs of observations  {self.midst:3} in the midst  "
            f"{self.controls:6} controls  {self.late:3} late  {self.seconds:5.0f} s  "
            f"differences {len(self.differences)}"
        )


class Changing:
    """The fixture of a toolkit on a desktop."""

    def __init__(self, desktop: LinuxDesktop, place: SomePlace, window: TargetInfo, folder: Path, tally: Tally) -> None:
        self.desktop = desktop
        self._place = place
        self._window = window
        self._state_file = folder / "state.json"
        self._pipe = folder / "commands"
        self._sent = 0
        self.tally = tally

    def truth(self) -> Truth:
        return Truth.model_validate_json(self._state_file.read_text(encoding="utf-8"))

    async def order(self, what: str, seed: int = 0) -> Truth:
        """Has the fixture do something; its state once it did."""
        self._sent += 1
        with writing_to(self._pipe) as pipe:
            os.write(pipe, json.dumps({"do": what, "seed": seed}).encode() + b"\n")

        async def obeyed() -> Truth | None:
            truth = self.truth() if self._state_file.exists() else None
            return truth if truth and truth.done >= self._sent else None

        truth = await self.desktop.wait_until(obeyed, deadline_s=OBEYS_S)
        assert truth is not None, f"{what} was not done"
        return truth

    async def trial(self, number: int, changes: Mapping[str, int]) -> None:
        """One change, and what is seen of it; all of it follows from the seed and its number."""
        rng = random.Random(f"{self.tally.seed}/{number}")  # noqa: S311 - trials are to be repeated
        self.tally.changes += 1
        watched = rng.random() < MIDST
        self.tally.midst += watched
        if rng.random() < BY_HAND:
            self.tally.by_hand += 1
            await self._by_hand(rng)
            if watched:
                await self.look(self.desktop)
        else:
            what, seed = rng.choices(list(changes), list(changes.values()))[0], rng.randrange(10_000)
            self.tally.history.append(f"{number}: {what} {seed}{' watched' * watched}")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.order, what, seed)
                if watched:
                    await self.look(self.desktop)
            if watched and what in THERE_AND_BACK:
                await self.order(what, seed)
        for line in await self.compare(kept_first=rng.random() < 0.5):
            self._tell(number, line)

    async def compare(self, *, kept_first: bool) -> list[str]:
        """What is different once nothing moves.

        An application may show a change later than it says it: what is seen otherwise than it is, is looked at again
        until it has had its time. That a desktop sees what a fresh one does not is left at that only where two fresh
        ones do not agree either, of which one came before it and one after: Chromium tells of places up to half a
        second after it has shown them. What is kept wrongly stays wrong and does not get away by that.
        """
        end = monotonic() + AGREES_S
        while True:
            truth = await self.at_rest()
            kept = await self.look(self.desktop) if kept_first else {}
            fresh = await self._fresh()
            kept = kept or await self.look(self.desktop)
            unlike, untrue = differing(kept, fresh), judged(fresh, truth)
            if not unlike and not untrue:
                break
            if kept_first:
                kept = await self.look(self.desktop)  # the first was before both fresh ones
                unlike = differing(kept, fresh)
            still = not differing(fresh, await self._fresh()) and (await self.order("look")).facts == truth.facts
            if monotonic() > end or (unlike and still):
                break
            self.tally.late += 1
        self.tally.looks += 1
        self.tally.controls += sum(len(seen.controls) for seen in fresh.values())
        return [
            *(f"kept: {line}" for line in unlike),
            *(f"fresh for true: {line}" for line in untrue),
            *(f"kept for true: {line}" for line in judged(kept, truth) if line not in untrue),
        ]

    def _tell(self, number: int, line: str) -> None:
        before = ", ".join(self.tally.history[-6:])
        self.tally.differences.append(f"after [{before}], number {number}: {line}")

    async def _by_hand(self, rng: random.Random) -> None:
        """By wheel or keys, wherever the keyboard is; these come from nobody that the application asked."""
        window = rng.choice(await self._windows())
        rect = window.rect
        if rng.random() < 0.7:
            where = Point(rng.randrange(rect.left + 20, rect.right - 20), rect.top + rect.height * 2 // 3)
            notches = rng.choice((-3, -1, 1, 2, 5))
            self.tally.history.append(f"{self.tally.changes - 1}: wheel {notches} at {where.x},{where.y}")
            await self.desktop.scroll(where, notches)
        else:
            keys = [rng.choice(KEYS) for _ in range(rng.randrange(1, 4))]
            self.tally.history.append(f"{self.tally.changes - 1}: keys {' '.join(keys)}")
            await self.desktop.press([Chord(key) for key in keys])

    async def _windows(self) -> list[TargetInfo]:
        return [window for window in await self.desktop.windows() if window.pid == self._window.pid]

    async def look(self, desktop: LinuxDesktop) -> dict[str, Observation]:
        """All windows of the fixture, by title."""
        found: dict[str, Observation] = {}
        for window in await self._windows():
            try:
                found[window.name] = await desktop.observe(window, picture=False, deadline_s=LOOK_S)
            except DesktopError:
                continue  # it closed meanwhile; who misses it says so
        return found

    async def _fresh(self) -> dict[str, Observation]:
        desktop = await attach(self._place)
        try:
            return await self.look(desktop)
        finally:
            await desktop.close()

    async def at_rest(self) -> Truth:
        """What is true once nothing moves."""
        last: list[Truth] = []

        async def rests() -> Truth | None:
            await self.desktop.settle(self._window)
            last.append(await self.order("look"))
            titled = sorted(window.name for window in await self._windows()) == sorted(last[-1].windows)
            return last[-1] if titled and len(last) > 1 and last[-2].facts == last[-1].facts else None

        return await self.desktop.wait_until(rests, deadline_s=AGREES_S) or last[-1]


def differing(kept: Mapping[str, Observation], fresh: Mapping[str, Observation]) -> list[str]:
    """Every field of every control that is not the same in both."""
    found: list[str] = []
    if kept.keys() != fresh.keys():
        found.append(f"windows {sorted(kept)} for {sorted(fresh)}")
    for title in kept.keys() & fresh.keys():
        ours, theirs = ({control.handle: control for control in seen.controls} for seen in (kept[title], fresh[title]))
        found += [f"{ours[handle].describe} is not there" for handle in ours.keys() - theirs.keys()]
        found += [f"{theirs[handle].describe} is missing" for handle in theirs.keys() - ours.keys()]
        for handle in ours.keys() & theirs.keys():
            for part in fields(TargetInfo):
                mine, other = getattr(ours[handle], part.name), getattr(theirs[handle], part.name)
                if mine != other:
                    found.append(f"{part.name} of {ours[handle].describe}: {mine!r} for {other!r}")
        if not found and list(ours) != list(theirs):
            found.append(f'the order in "{title}"')
        found += [f'"{title}" is cut: {seen.truncated}' for seen in (kept[title], fresh[title]) if seen.truncated]
    return found


def judged(seen: Mapping[str, Observation], truth: Truth) -> list[str]:
    """What is seen otherwise than it is."""
    found: list[str] = []
    if sorted(seen) != sorted(truth.windows):
        found.append(f"windows {sorted(seen)} for {sorted(truth.windows)}")
    by_key: dict[str, list[tuple[str, TargetInfo]]] = {}
    for title, observation in seen.items():
        for control in observation.controls:
            if match := _KEY.match(control.name):
                by_key.setdefault(match[1], []).append((title, control))
    for key, controls in by_key.items():
        told = truth.controls.get(key)
        wrong = [control for title, control in controls if told is None or told.window not in {"", title}]
        found += [f"{control.describe} is seen and is not there" for control in wrong]
    for key, told in truth.controls.items():
        found += [f"{told.role} {told.name!r}: {line}" for line in _judged([c for _, c in by_key.get(key, [])], told)]
    return found


def _judged(seen: Sequence[TargetInfo], told: Told) -> list[str]:
    if not seen:
        return ["not seen"] if told.view == "all" else []
    control = next((control for control in seen if control.type is told.role), None)
    if control is None:
        return [f"seen as {seen[0].type}"]
    found: list[str] = []
    if control.name != told.name:
        found.append(f"named {control.name!r}")
    if told.value is not None and control.value != told.value:
        found.append(f"value {control.value!r} for {told.value!r}")
    for state, holds in told.states.items():
        if (state in control.states) != holds:
            found.append(f"{'not ' * holds}{state}")
    if told.rect and not _stands_in(control.rect, Rect(*told.rect), whole=told.view == "all"):
        found.append(f"at {control.rect} for {told.rect}, {told.view} in view")
    return found


def _stands_in(seen: Rect, told: Rect, *, whole: bool) -> bool:
    """Whether it is the told place; of what is scrolled away in part, or that part."""
    if seen.empty or told.empty:
        return not whole
    off = (seen.left - told.left, seen.top - told.top, told.right - seen.right, told.bottom - seen.bottom)
    return all(pixels >= -_EDGE for pixels in off) and (not whole or max(off) <= _EDGE)


def changes() -> Mapping[str, int]:
    """What happens how often, as the fixtures have it."""
    names: dict[str, object] = {}
    exec((APPS / "changing.py").read_text(encoding="utf-8"), names)  # noqa: S102 - a file of ours without imports of ours
    return dict(names["CHANGES"])  # type: ignore[call-overload]  # pyright: ignore[reportUnknownVariableType, reportCallIssue, reportArgumentType] - see above


@asynccontextmanager
async def fixture_of(toolkit: str, folder: Path, tally: Tally) -> AsyncGenerator[Changing]:
    """The fixture of a toolkit, started on a desktop of its own; what is found out is noted in the tally."""
    async with linux_desktop(folder / "desktop") as desktop:
        os.mkfifo(folder / "commands")
        argv = (*FIXTURES[toolkit], str(folder / "state.json"), str(folder / "commands"))
        window = await desktop.launch(Application("fixture", argv, window="^Changing$"))
        environment = desktop.environment
        place = SomePlace("visitor", environment["DISPLAY"], environment, await a11y_address(environment))
        fixture = Changing(desktop, place, window, folder, tally)
        tally.version = (await fixture.order("look")).version
        yield fixture


async def run(toolkit: str, seed: int, count: int, folder: Path, *, stop: bool = False) -> Tally:
    """One toolkit's fixture through `count` changes; with `stop` only up to the first difference."""
    tally, began = Tally(toolkit, seed), monotonic()
    async with fixture_of(toolkit, folder, tally) as fixture:
        await change(fixture, count, stop=stop)
    tally.seconds = monotonic() - began
    return tally


async def change(fixture: Changing, count: int, *, stop: bool = False) -> None:
    """`count` random changes; with `stop` only up to the first difference."""
    kinds = changes()
    for number in range(count):
        await fixture.trial(number, kinds)
        if stop and fixture.tally.differences:
            break
