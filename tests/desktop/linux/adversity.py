"""Trials of acting while something happens to the window between seeing and acting, or meanwhile.

The fixture's own file, a second fixture of the same name and the sentinel say what was acted on.
"""

import os
import random
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import anyio

from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application, Quiet
from desktop.linux.acting import Agent, reason
from desktop.linux.fixture import BRIDGE, JAVA, UNO
from desktop.linux.moving import Mover, mover
from desktop.linux.sentinel import Sentinel, sentinel_below
from desktop.linux.toolkits import Told, Truth, control_meant
from support import QT6, ROOT, wait_until_ended

APPS: Final = ROOT / "tests/apps"
SYSTEM: Final = "/usr/bin/python3"
_SHOWS_S: Final = 15.0
_COMES_S: Final = 0.4
_CONFIRMED_S: Final = 3.0
_LOOKS: Final = 2
"""A fixture may have been asked in the middle of its first look."""
FRUIT: Final = ("apple", "pear", "plum")

FIXTURES: Final[dict[str, tuple[tuple[str, ...], Path]]] = {
    "GTK 3": ((SYSTEM, str(APPS / "oracle_gtk3.py")), Path(SYSTEM)),
    "GTK 4": ((SYSTEM, str(APPS / "oracle_gtk4.py")), Path(SYSTEM)),
    "Qt 5": ((SYSTEM, str(APPS / "oracle_qt.py"), "PyQt5"), Path(SYSTEM)),
    "Qt 6": ((str(QT6), str(APPS / "oracle_qt.py"), "PySide6"), QT6),
    "Swing": ((*JAVA, str(APPS / "OracleSwing.java")), BRIDGE),
    "LibreOffice": ((SYSTEM, str(APPS / "oracle_office.py"), "dialog"), UNO),
    "Chromium": ((SYSTEM, str(APPS / "oracle_chromium.py")), Path("/usr/bin/chromium")),
}


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that an agent may do, to which control, and what the fixture says once it is done."""

    tool: str
    key: str
    given: dict[str, JsonValue]
    done: Callable[[Truth, Truth], bool]
    pointer: bool = True


def _text_of(truth: Truth, key: str) -> str:
    return truth.controls[key].text or ""


def moves(rng: random.Random) -> tuple[Move, ...]:
    """What there is to try."""
    word = f"W{rng.randrange(10_000)}"
    fruit, number = rng.choice(FRUIT), float(rng.randrange(1, 99))

    def pressed(before: Truth, now: Truth) -> bool:
        return now.pressed == before.pressed + 1

    def toggled(before: Truth, now: Truth) -> bool:
        return now.controls["check"].checked is not before.controls["check"].checked

    return (
        Move("invoke", "button", {}, pressed, pointer=False),
        Move("invoke", "check", {}, toggled),
        Move("click_input", "button", {}, pressed),
        Move("click_input", "check", {}, toggled),
        Move("click_input", fruit, {}, lambda _, now: now.controls[fruit].selected),
        Move("click_on_coordinates", "button", {}, pressed),
        Move("drag_on_coordinates", "button", {}, pressed),
        Move("wheel_mouse_input", "words", {"wheel_dist": -2}, lambda before, now: now != before),
        Move("set_edit_text", "name", {"text": word}, lambda _, now: _text_of(now, "name") == word),
        Move("keyboard_input", "name", {"keys": word}, lambda _, now: word in _text_of(now, "name")),
        Move("select_item", fruit, {}, lambda _, now: now.controls[fruit].selected),
        Move("set_value", "volume", {"value": number}, lambda _, now: now.controls["volume"].value == number),
        Move("set_value", "check", {"value": True}, lambda _, now: now.controls["check"].checked),
    )


MEANWHILE: Final = " meanwhile"
HAPPENINGS: Final = (
    *("nothing", "moved", "resized", "covered", "covered by a window", "minimised", "closed", "killed", "stopped"),
    *("replaced", "focus taken", "moved meanwhile", "covered meanwhile", "focus taken meanwhile", "killed meanwhile"),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial and what came of it."""

    number: int
    tool: str
    key: str
    happening: str
    effect: str = ""
    route: str = ""
    refusal: str = ""
    told: str = ""
    done: bool = False
    wrong: str = ""

    @property
    def verdict(self) -> str:
        if self.wrong:
            return "WRONG"
        if self.effect == Effect.CONFIRMED and not self.done:
            return "LIED"
        if self.effect == Effect.REFUSED:
            return "refused"
        return "done" if self.done else "nothing"


@dataclass(slots=True)
class Tally:
    version: str = ""
    trials: list[Trial] = field(default_factory=list[Trial])

    def of(self, verdict: str) -> list[Trial]:
        return [trial for trial in self.trials if trial.verdict == verdict]

    def rows(self, by: Callable[[Trial], str]) -> dict[str, Counter[str]]:
        rows: dict[str, Counter[str]] = {}
        for trial in self.trials:
            rows.setdefault(by(trial), Counter())[trial.verdict] += 1
        return rows

    def refusals(self) -> Counter[tuple[str, str]]:
        """By reason and what happened."""
        return Counter(
            (trial.refusal, trial.happening.removesuffix(MEANWHILE)) for trial in self.trials if trial.refusal
        )


class Fixture:
    """One running fixture application with its file. `answers`: it looks at itself again and again, also unchanged."""

    def __init__(self, window: TargetInfo, file: Path, pid: int, *, answers: bool) -> None:
        self.window = window
        self.file = file
        self.pid = pid
        self.answers = answers

    def truth(self) -> Truth:
        return Truth.model_validate_json(self.file.read_text(encoding="utf-8"))


class Adversity:
    """A fixture, another one of the same name unless it is alone, and a sentinel below both."""

    def __init__(
        self, desktop: LinuxDesktop, argv: Sequence[str], folder: Path, sentinel: Sentinel, *, alone: bool
    ) -> None:
        self.desktop = desktop
        self._alone = alone
        self.sentinel = sentinel
        self._argv = tuple(argv)
        self._folder = folder
        self._agent = Agent(desktop)
        self._launched = 0
        self._asked = 0
        self._fixture: Fixture | None = None
        self._other: Fixture | None = None

    async def _launch(self, argv: Sequence[str]) -> Fixture:
        self._launched += 1
        file = self._folder / f"state{self._launched}.json"
        window = await self.desktop.launch(Application("fixture", (*argv, str(file)), window="^Fixture$"))
        assert window.pid is not None
        return Fixture(window, file, window.pid, answers=argv != FIXTURES["Chromium"][0])

    async def fixture(self) -> Fixture:
        """A fixture that runs, its window in front and where it was."""
        here = [window.handle for window in await self.desktop.windows()]
        if self._other is None and not self._alone:
            self._other = await self._launch((SYSTEM, str(APPS / "oracle_gtk3.py")))
        if self._fixture is None or self._fixture.window.handle not in here:
            if self._fixture:
                self._end(self._fixture)
            self._fixture = await self._launch(self._argv)
        with mover(self.desktop.environment) as hand:
            if self._other:
                hand.move(self._other.window, 900, 300)
            hand.move(self._fixture.window, 60, 40)
        await self.desktop.activate(self._fixture.window)
        await self._rests(self._fixture)
        return self._fixture

    async def _rests(self, fixture: Fixture) -> None:
        """Nothing that was sent is still under way: an application that ran again may have handled it only now."""

        async def handled() -> bool | None:
            settled = await self.desktop.settle(fixture.window, deadline_s=1.0)
            return True if settled.reason is Quiet.SETTLED else None

        async def shows() -> bool | None:
            return True if fixture.file.exists() and any(c.showing for c in fixture.truth().controls.values()) else None

        await self.desktop.wait_until(handled, deadline_s=_SHOWS_S)
        assert await self.desktop.wait_until(shows, deadline_s=_SHOWS_S), "the fixture shows nothing"
        for _ in range(_LOOKS if fixture.answers else 0):
            await self._looks(fixture)

    async def _looks(self, fixture: Fixture) -> None:
        """Returns when the fixture has looked at itself once more."""
        self._asked += 1
        fixture.file.with_suffix(".asked").write_text(str(self._asked), encoding="utf-8")

        async def answers() -> bool | None:
            return True if fixture.truth().asked == str(self._asked) else None

        assert await self.desktop.wait_until(answers, deadline_s=_SHOWS_S), "the fixture does not look at itself"

    async def _see(self, fixture: Fixture, told: Told) -> tuple[Observation, TargetInfo]:
        async def look() -> tuple[Observation, TargetInfo] | None:
            seen = await self.desktop.observe(fixture.window, picture=False)
            alone = [control for control in seen.controls if control.type is told.role]
            meant = control_meant(told, seen.controls) or (alone[0] if len(alone) == 1 else None)
            return (seen, meant) if meant and not meant.rect.empty else None

        found = await self.desktop.wait_until(look, deadline_s=_SHOWS_S)
        assert found is not None, f"{told.role} {told.name!r} is not seen"
        return found

    async def act_once(self, fixture: Fixture, tool: str, key: str, given: dict[str, JsonValue]) -> Result:
        """One tool on one control, with nothing happening to it."""
        seen, target = await self._see(fixture, fixture.truth().controls[key])
        return await self._act(Move(tool, key, given, lambda _before, _now: True), seen, target)

    async def act_in_window(self, fixture: Fixture, tool: str, given: dict[str, JsonValue]) -> Result:
        """One tool without a target."""
        return await self._agent.act(tool, await self.desktop.observe(fixture.window, picture=False), None, **given)

    async def trial(self, number: int, tools: Sequence[str] = ()) -> Trial:
        """One trial, all of it following from its number."""
        rng = random.Random(number)  # noqa: S311 - trials are to be repeated
        fixture = await self.fixture()
        other = self._other
        assert other is not None
        before, other_before = fixture.truth(), other.truth()
        move = rng.choice([move for move in moves(rng) if not tools or move.tool in tools])
        happening = rng.choice(HAPPENINGS)
        seen, target = await self._see(fixture, before.controls[move.key])
        await self.sentinel.heard()
        async with AsyncExitStack() as stack:
            hand = stack.enter_context(mover(self.desktop.environment))
            result = await self._act_while(stack, hand, fixture, rng, happening, (move, seen, target))
            done = await self._done(fixture, before, move, result)
        after = fixture.truth()
        wrong = [f"the sentinel heard {heard}" for heard in await self.sentinel.leaks()]
        wrong += [f"the other fixture: {said}" for said in changes(other_before, other.truth(), "")]
        wrong += changes(before, after, move.key)
        if self._fixture is not fixture and self._fixture is not None:
            wrong += [
                "the new fixture was acted on" for _ in changes(self._fixture.truth(), after, move.key, fresh=True)
            ]
        return Trial(
            number,
            move.tool,
            move.key,
            happening,
            effect=str(result.effect or ""),
            route=str(result.route or ""),
            refusal=reason(result) if result.effect is Effect.REFUSED else "",
            told=result.evidence,
            done=done,
            wrong="; ".join(wrong),
        )

    async def _act_while(
        self,
        stack: AsyncExitStack,
        hand: Mover,
        fixture: Fixture,
        rng: random.Random,
        happening: str,
        deed: tuple[Move, Observation, TargetInfo],
    ) -> Result:
        what = happening.removesuffix(MEANWHILE)
        delay_s = rng.random() * 0.06
        happen = self._happen(stack, hand, fixture, rng, what)
        if not happening.endswith(MEANWHILE):
            await happen()
            return await self._act(*deed)
        results: list[Result] = []

        async def later() -> None:
            with anyio.move_on_after(delay_s):
                await anyio.Event().wait()
            await happen()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(later)
            results.append(await self._act(*deed))
        return results[0]

    async def _act(self, move: Move, seen: Observation, target: TargetInfo) -> Result:
        given = dict(move.given)
        place, window = target.rect, seen.window.rect
        x, y = (place.center.x - window.left) / window.width, (place.center.y - window.top) / window.height
        match move.tool:
            case "click_on_coordinates":
                return await self._agent.act(move.tool, seen, x=x, y=y)
            case "drag_on_coordinates":
                return await self._agent.act(
                    move.tool, seen, start_x=x, start_y=y, end_x=x + 3 / window.width, end_y=y + 1 / window.height
                )
            case _:
                return await self._agent.act(move.tool, seen, _with_id(target), **given)

    def _happen(  # noqa: C901 - one case for each happening
        self, stack: AsyncExitStack, hand: Mover, fixture: Fixture, rng: random.Random, what: str
    ) -> Callable[[], Awaitable[None]]:
        """What happens to the window; undone when the stack is closed."""
        window, desktop = fixture.window, self.desktop
        x, y = rng.randrange(0, 500), rng.randrange(0, 300)
        other = self._other
        assert other is not None

        async def happen() -> None:  # noqa: C901 - likewise
            rect = window.rect
            match what:
                case "moved":
                    hand.move(window, x, y)
                case "resized":
                    hand.resize(window, rect.width + 60, rect.height + 20)
                    stack.callback(hand.resize, window, rect.width, rect.height)
                case "covered":
                    stack.enter_context(hand.cover((await desktop.screens())[0].rect))
                case "covered by a window":
                    hand.move(other.window, 60, 40)
                    await desktop.activate(other.window)
                case "minimised":
                    hand.minimize(window)
                case "closed":
                    await desktop.ask_to_close(window)
                case "killed":
                    self._end(fixture)
                case "stopped":
                    os.kill(fixture.pid, signal.SIGSTOP)
                    stack.callback(os.kill, fixture.pid, signal.SIGCONT)
                case "replaced":
                    self._end(fixture)
                    self._fixture = await self._launch(self._argv)
                    await self._rests(self._fixture)
                case "focus taken":
                    hand.activate(other.window)
                case _:
                    pass

        return happen

    async def _done(self, fixture: Fixture, before: Truth, move: Move, result: Result) -> bool:
        async def holds() -> bool | None:
            return True if move.done(before, fixture.truth()) else None

        patience_s = _CONFIRMED_S if result.effect is Effect.CONFIRMED else _COMES_S
        return bool(await self.desktop.wait_until(holds, deadline_s=patience_s))

    def _end(self, fixture: Fixture) -> None:
        try:
            os.kill(fixture.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        wait_until_ended([fixture.pid])

    def close(self) -> None:
        for fixture in (self._fixture, self._other):
            if fixture:
                self._end(fixture)


def _with_id(target: TargetInfo) -> TargetInfo:
    return replace(target, id="1")


def changes(before: Truth, after: Truth, key: str, *, fresh: bool = False) -> list[str]:
    """What is otherwise in a fixture, beside what acting on one control may change. `fresh`: compared with nothing."""
    wrong: list[str] = []
    clicked = after.clicked[len(before.clicked) :] if not fresh else before.clicked
    wrong += [f"{other} was clicked" for other in clicked if other != key]
    if fresh:
        return wrong + (["it was pressed"] if before.pressed else [])
    if key != "button" and after.pressed != before.pressed:
        wrong.append("the button was pressed")
    if after.pressed > before.pressed + 1:
        wrong.append("the button was pressed twice")
    for name, told in after.controls.items():
        was = before.controls.get(name)
        if was is None or name == key or not told.showing:
            continue  # what a window that is being closed says of its controls is nobody's doing
        same_list = key in FRUIT and name in FRUIT
        if not same_list and (told.checked, told.selected, told.value, told.text) != (
            was.checked,
            was.selected,
            was.value,
            was.text,
        ):
            wrong.append(f"{name} changed")
    return wrong


@asynccontextmanager
async def adversity(
    desktop: LinuxDesktop, toolkit: str, folder: Path, *, alone: bool = False
) -> AsyncGenerator[Adversity]:
    """The stage of the trials of a toolkit."""
    async with sentinel_below(desktop, folder) as sentinel:
        stage = Adversity(desktop, FIXTURES[toolkit][0], folder, sentinel, alone=alone)
        try:
            yield stage
        finally:
            stage.close()


async def run_trials(desktop: LinuxDesktop, toolkit: str, folder: Path, numbers: range) -> Tally:
    tally = Tally()
    async with adversity(desktop, toolkit, folder) as stage:
        tally.version = (await stage.fixture()).truth().version
        for number in numbers:
            tally.trials.append(await stage.trial(number))
    return tally
