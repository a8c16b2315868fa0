"""Random actions on the deceiving applications (`tests/apps/deceiving.py`), judged by what these take for true."""

import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Final

from pydantic import BaseModel, ConfigDict

from deskhand.commands import Catalogue, CommandDispatcher, ToolContext, standard_catalogue
from deskhand.core.command import Command, Effect, Result, ToolType
from deskhand.core.errors import DeskhandError
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.session.clock import SystemClock
from desktop.linux.changing import APPS, QT6, SYSTEM_PYTHON

FIXTURES: Final = {
    "GTK 3": (SYSTEM_PYTHON, str(APPS / "deceiving_gtk3.py")),
    "GTK 4": (SYSTEM_PYTHON, str(APPS / "deceiving_gtk4.py")),
    "Qt 5": (SYSTEM_PYTHON, str(APPS / "deceiving_qt.py"), "PyQt5"),
    "Qt 6": (str(QT6), str(APPS / "deceiving_qt.py"), "PySide6"),
    "Chromium": (SYSTEM_PYTHON, str(APPS / "deceiving_chromium.py")),
    "Firefox": (SYSTEM_PYTHON, str(APPS / "deceiving_firefox.py")),
}
PAGES: Final = frozenset({"Chromium", "Firefox"})
LIES: Final = {"honest": 4, "noop": 2, "revert": 4, "neighbour": 3, "veneer": 4, "late": 3, "raise": 1, "hang": 1}
"""What is acted on how often."""

PRESSES: Final = {"honest": 1, "noop": 2, "veneer": 1}
"""The same of buttons beside what changes by itself."""

TOOLS: Final = {
    "box": ("invoke", "click_input", "set_value"),
    "press": ("invoke", "click_input"),
    "text": ("set_edit_text", "keyboard_input"),
}
APART: Final = ("fill", "hold_button", "hold_keys", "hover", "wait_for")
"""Tools of several steps, or none: of `hold_button` the release is judged, and of all of them on each lie."""

_LIES_APART: Final = ("honest", "noop", "revert", "neighbour", "veneer", "late")
_MIXED: Final = ("late", "keyboard_input")
"""Keys of which each takes effect late overtake one another: what comes of it follows from nothing."""

_FEW: Final = {
    "fill": ("honest", "revert", "neighbour", "veneer", "late"),
    "hold_button": ("honest", "veneer"),
    "hold_keys": ("revert",),
    "hover": ("noop",),
    "wait_for": ("honest", "revert"),
}
_UNLIKE: Final = frozenset(
    {("hold_button", "neighbour"), ("hold_keys", "neighbour"), ("hover", "neighbour"), ("wait_for", "veneer")}
)
"""No button has a neighbour; keys have no target, so that whatever they change counts; a text that is only said is on
the screen as far as anybody can read it.
"""
_AWAITED: Final = "awaited"
_WAITS_S: Final = 0.3
_ROLES: Final = {"box": Role.CHECKBOX, "press": Role.BUTTON, "text": Role.TEXTBOX}
_AT_REST_S: Final = 30.0
_TRUTH_S: Final = 0.15
_TOLD_S: Final = 0.6
"""So long nothing happens any more; a page tells its truth after it has shown it."""


class State(BaseModel):
    """The application's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: Mapping[str, bool | int | str]
    pending: int
    done: int


@dataclass(frozen=True, slots=True)
class Trial:
    """One action and what came of it; `true`: whether the application took it."""

    number: int
    lie: str
    tool: str
    key: str
    result: Result
    true: bool

    def __str__(self) -> str:
        effect = self.result.effect.value if self.result.effect else "none"
        return f"{self.number}: {self.tool} on {self.key!r}: {effect}, in truth {self.true}: {self.result.evidence}"


@dataclass(slots=True)
class Tally:
    """What came of one toolkit's trials."""

    toolkit: str
    seed: int
    trials: list[Trial] = field(default_factory=list[Trial])
    seconds: float = 0.0

    def of(self, lie: str) -> list[Trial]:
        return [trial for trial in self.trials if trial.lie == lie]

    @property
    def denied(self) -> list[str]:
        """What was confirmed and is not true."""
        return [str(t) for t in self.trials if t.result.effect is Effect.CONFIRMED and not t.true]

    def __str__(self) -> str:
        came = Counter((trial.lie, str(trial.result.effect)) for trial in self.trials)
        told = ", ".join(f"{lie} {effect} {count}" for (lie, effect), count in sorted(came.items()))
        return f"{self.toolkit} seed {self.seed}: {len(self.trials)} actions, {self.seconds:.0f} s: {told}"


class Tools:
    """The tools on one desktop, as an agent has them, with every action allowed."""

    def __init__(self, desktop: LinuxDesktop, *, kept: bool = False, own_interface: bool = True) -> None:
        """`kept`: what is seen counts as kept by another process, so that nobody knows what was done since.

        `own_interface`: the application's own one may be used; else its windows alone.
        """
        self._desktop = desktop
        self._kept = kept
        self._catalogue = Catalogue(standard_catalogue())
        self._policy = RulePolicy((), Surroundings(tool=self._catalogue.spec))
        tools = ToolContext(desktop, application_interface=own_interface)
        self._dispatcher = CommandDispatcher(self._catalogue, tools, self._policy, SystemClock())

    async def find(self, window: TargetInfo, name: str, role: Role) -> TargetInfo:
        """A control of a window; some trees come late. Raises: LookupError."""

        async def look() -> TargetInfo | None:
            seen = await self._desktop.observe(window, picture=False)
            return next((c for c in seen.controls if c.name == name and c.type is role and not c.rect.empty), None)

        found = await self._desktop.wait_until(look, deadline_s=_AT_REST_S)
        if found is None:
            raise LookupError(f"no {role} {name!r}")
        return replace(found, id="1")

    async def fill(self, window: TargetInfo, target: TargetInfo, value: JsonValue) -> Result:
        """Fill one control, as its part of a form."""
        given = self._catalogue.validate("fill", {"values": [{"id": "1", "name": target.name, "value": value}]})
        (part,) = self._catalogue.parts("fill", given, lambda _label, _name: target)
        seen = await self._desktop.observe(window, picture=False)
        command = Command(
            part.tool, part.arguments, ToolType.ACTION, target=target, window=window, seen=seen, part_of="fill"
        )
        return await self._sent(command)

    async def run(self, window: TargetInfo, tool: str, target: TargetInfo | None, **arguments: JsonValue) -> Result:
        """One action; without a target that of a tool that takes none."""
        seen = await self._desktop.observe(window, picture=False)
        seen = replace(seen, at_s=0.0) if self._kept else seen
        named: dict[str, JsonValue] = {"id": "1", "name": target.name} if target else {}
        parameters = self._catalogue.validate(tool, {**named, **arguments})
        spec = self._catalogue.spec(tool)
        kind = spec.tool_type if spec else ToolType.ACTION
        return await self._sent(Command(tool, parameters, kind, target=target, window=window, seen=seen))

    async def _sent(self, command: Command) -> Result:
        if command.tool_type is not ToolType.ACTION:
            return (await self._dispatcher.execute_commands([command]))[0]
        resolved = await self._dispatcher.resolve(command)
        clearances = {command.call_id: self._policy.clear(self._policy.judge(command, resolved))}
        return (await self._dispatcher.execute_commands([command], clearances))[0]


class Deceived:
    """One toolkit's deceiving application on a desktop."""

    def __init__(
        self, desktop: LinuxDesktop, window: TargetInfo, state_file: Path, tally: Tally, *, restless: bool
    ) -> None:
        self._desktop = desktop
        self._restless = restless
        self._window = window
        self._state_file = state_file
        self._tally = tally
        self._tools = Tools(desktop)
        self._truth_s = _TOLD_S if tally.toolkit in PAGES else _TRUTH_S
        self._last: State | None = None

    async def state(self, after: int = -1) -> State:
        """What the application takes for true once more than so much was done to it, and nothing is to come any more.

        Raises: TimeoutError.
        """

        async def rests() -> State | None:
            if not self._state_file.exists():
                return None
            state = State.model_validate_json(self._state_file.read_text(encoding="utf-8"))
            return state if not state.pending and state.done > after else None

        if not self._restless:
            await self._desktop.settle(self._window, quiet_s=self._truth_s, deadline_s=_AT_REST_S)
        state = await self._desktop.wait_until(rests, deadline_s=_AT_REST_S)
        if state is None:
            raise TimeoutError("the application does not come to rest")
        return state

    async def trial(self, number: int) -> None:
        """One action; all of it follows from the seed and its number."""
        rng = random.Random(f"{self._tally.seed}/{number}")  # noqa: S311 - trials are to be repeated
        lies = PRESSES if self._restless else LIES
        lie = rng.choices(list(lies), list(lies.values()))[0]
        kinds = [kind for kind in TOOLS if (lie, kind) != ("neighbour", "press")]
        kind = "press" if self._restless else rng.choice(kinds)
        tool, key = rng.choice([tool for tool in TOOLS[kind] if (lie, tool) != _MIXED]), f"{lie} {kind}"
        before = self._last or await self.state()
        target = await self._tools.find(self._window, key, _ROLES[kind])
        text = f"{rng.choice('abcdef')}{number}"
        checked = "checked" in target.states
        wanted: Mapping[str, JsonValue] = {
            "set_value": {"value": not checked},
            "set_edit_text": {"text": text},
            "keyboard_input": {"keys": text},
        }.get(tool, {})
        tools = Tools(self._desktop, kept=True) if self._restless and rng.random() < 0.5 else self._tools
        try:
            result = await tools.run(self._window, tool, target, **wanted)
        except DeskhandError as error:
            raise AssertionError(f"{number}: {tool} on {key!r}: {error}") from error
        self._last = await self.state(before.done if self._restless and result.delivered else -1)
        now, was = self._last.model[key], before.model[key]
        true = text in str(now) if kind == "text" else now != was
        self._tally.trials.append(Trial(number, lie, tool, key, result, true))

    async def apart(self, tool: str, lie: str) -> None:
        """One of the tools of several steps, or none."""
        kind = "press" if tool in {"hold_button", "hover"} else "text" if tool == "wait_for" else "box"
        key, before = f"{lie} {kind}", self._last or await self.state()
        target = await self._tools.find(self._window, key, _ROLES[kind])
        result = await self._done(tool, target)
        self._last = await self.state()
        now = self._last.model
        changed = now[key] != before.model[key]
        true = str(now[key]) == _AWAITED if tool == "wait_for" else changed
        self._tally.trials.append(Trial(len(self._tally.trials), lie, tool, key, result, true))

    async def _done(self, tool: str, target: TargetInfo) -> Result:
        place, window = target.rect.center, self._window.rect
        at = {"x": (place.x - window.left + 0.5) / window.width, "y": (place.y - window.top + 0.5) / window.height}
        match tool:
            case "fill":
                return await self._tools.fill(self._window, target, "checked" not in target.states)
            case "hold_button":
                await self._tools.run(self._window, "hold_button", None, **at)
                return await self._tools.run(self._window, "let_go", None, **at)
            case "hold_keys":
                await self._desktop.activate(self._window)
                await self._desktop.focus(target)
                return await self._tools.run(self._window, "hold_keys", None, keys=" ", seconds=0.05)
            case "wait_for":
                await self._tools.run(self._window, "set_edit_text", target, text=_AWAITED)
                await self.state()
                return await self._tools.run(
                    self._window, "wait_for", None, name=target.name, value=_AWAITED, seconds=_WAITS_S
                )
            case _:
                return await self._tools.run(self._window, tool, None, **at)


async def run_apart(desktop: LinuxDesktop, toolkit: str, folder: Path, *, few: bool) -> Tally:
    """Each of the tools of several steps on each lie; `few`: on some of them."""
    tally, state_file = Tally(toolkit, 0), folder / "state.json"
    window = await desktop.launch(Application("deceiver", (*FIXTURES[toolkit], str(state_file)), window="^Deceiver"))
    deceived = Deceived(desktop, window, state_file, tally, restless=False)
    for tool in APART:
        for lie in _LIES_APART:
            if (tool, lie) not in _UNLIKE and (not few or lie in _FEW[tool]):
                await deceived.apart(tool, lie)
    return tally


async def run(
    desktop: LinuxDesktop, toolkit: str, folder: Path, seed: int, count: int, *, restless: bool = False
) -> Tally:
    """So many actions on a toolkit's deceiving application; `restless`: beside what changes by itself."""
    tally, began = Tally(toolkit, seed), monotonic()
    state_file = folder / "state.json"
    argv = (*FIXTURES[toolkit], str(state_file), *(["restless"] if restless else []))
    application = Application("deceiver", argv, window="^Deceiver")
    window = await desktop.launch(application)
    deceived = Deceived(desktop, window, state_file, tally, restless=restless)
    for number in range(count):
        await deceived.trial(number)
    tally.seconds = monotonic() - began
    return tally


def told(tally: Tally) -> str:
    """Every trial, for a person."""
    return json.dumps([str(trial) for trial in tally.trials], indent=1)
