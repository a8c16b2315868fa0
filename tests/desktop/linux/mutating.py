"""Trials of identity on a real desktop: see, let the application change, act on what was seen; its own file judges."""

import json
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from deskhand.commands import CommandDispatcher, ToolContext, standard_catalogue
from deskhand.core.command import Command, ToolSpec
from deskhand.core.errors import (
    ActionRefused,
    AmbiguousTarget,
    ClearanceMissing,
    DeskhandError,
    ElementStale,
    ErrorInfo,
)
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.labels import Labeller
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.session.clock import SystemClock
from desktop.linux.fixture import JAVA
from support import QT6, ROOT, writing_to
from tools.windows_scripts import windows_script
from windows_programs import WIN32

APPS: Final = ROOT / "tests/apps"
_OBEYS_S: Final = 10.0
_ACTS_S: Final = 15.0
_EDGE: Final = 4
REFUSALS: Final = frozenset(
    error.__name__
    for error in (ElementStale, AmbiguousTarget, ActionRefused, *ActionRefused.__subclasses__(), ClearanceMissing)
)


def _python(program: str, *arguments: str, python: str = "/usr/bin/python3") -> tuple[str, ...]:
    return (python, str(APPS / program), *arguments)


FIXTURES: Final[Mapping[str, tuple[str, ...]]] = {
    "GTK 3": _python("mutating_gtk3.py"),
    "GTK 4": _python("mutating_gtk4.py"),
    "Qt 5": _python("mutating_qt.py", "PyQt5"),
    "Qt 6": _python("mutating_qt.py", "PySide6", python=str(QT6)),
    "Chromium": _python("mutating_chromium.py"),
    "Swing": _python("mutating_swing.py"),
    WIN32: windows_script("mutating_win32.py"),
}
PROGRAMS: Final[Mapping[str, tuple[str, ...]]] = {"Swing": (*JAVA, str(APPS / "MutatingSwing.java"))}
"""What a fixture is told to start, after its file and its pipe."""

SECTIONS: Final = ("plain", "plain", "group", "twins", "rows", "cards", "lines", "table", "question")
LEFT_OUT: Final[Mapping[str, str]] = {"Chromium": "question"}
"""What is not tried: the page has one window only, and asks no questions."""

WAYS: Final = ("invoke", "click_input", "do_action")


class Told(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    section: str
    rect: tuple[int, int, int, int]


class Truth(BaseModel):
    """The fixture's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    changes: Mapping[str, tuple[str, ...]]
    done: int
    acted: tuple[str, ...]
    heirs: Mapping[str, str]
    act: bool
    title: str
    question: str
    controls: Mapping[str, Told]


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial and what came of it: `acted` what was pressed, `refusal` the error's name."""

    number: int
    section: str
    change: str
    way: str
    identity: str
    must_act: bool
    acted: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()
    refusal: str = ""
    told: str = ""

    @property
    def verdict(self) -> str:
        if self.acted:
            return "right" if all(identity in self.meant for identity in self.acted) else "WRONG"
        if self.refusal in REFUSALS:
            return "refused"
        return "nothing" if self.change == "hide" else "LOST"  # what is hidden may take an action and do nothing


STAYS: Final = frozenset(
    {
        "noise",
        "retitle",
        "reorder",
        "rename",
        "rename_other",
        "swap_names",
        "take_name",
        "duplicate",
        "remove_other",
        "disable",
        "hide",
        "insert_row",
        "remove_other_row",
        "duplicate_row",
        "remove_twin",
    }
)
"""Changes after which every object that is left still means what it meant."""


@dataclass(slots=True)
class IdWatch:
    """Whether ids stay with their controls. `moved`: an id that went to another; `lost`: a control that lost its id;
    `reused`: handles that the application gave to a new object."""

    labeller: Labeller = field(default_factory=Labeller)
    seen: int = 0
    moved: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    reused: set[str] = field(default_factory=set[str])
    _owners: dict[str, str] = field(default_factory=dict[str, str])
    _ids: dict[str, str] = field(default_factory=dict[str, str])
    _handles: dict[str, str] = field(default_factory=dict[str, str])

    def look(
        self, observation: Observation, found: Mapping[str, TargetInfo], told: Mapping[str, Told], *, stays: bool
    ) -> None:
        """`stays`: nothing happened since the last look that makes another control of a living object."""
        labels = {target.handle: target.id for target in self.labeller.label(observation)}
        now = {identity: labels[target.handle] for identity, target in found.items()}
        for identity, label in now.items():
            self.seen += 1
            if self._owners.setdefault(label, identity) != identity:
                self.moved.append(f"{label}: {self._owners[label]} -> {identity}")
            if stays and self._ids.get(identity, label) != label:
                self.lost.append(f"{identity}: {self._ids[identity]} -> {label}")
            handle = found[identity].handle
            bound = told[identity].section in {"plain", "group"}
            if bound and self._handles.setdefault(handle, identity) != identity:
                self.reused.add(handle)
        self._ids = now


@dataclass(slots=True)
class Tally:
    version: str = ""
    trials: list[Trial] = field(default_factory=list[Trial])
    ids: IdWatch = field(default_factory=IdWatch)

    def of(self, verdict: str) -> list[Trial]:
        return [trial for trial in self.trials if trial.verdict == verdict]

    @property
    def tellable(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.must_act]

    @property
    def over_refused(self) -> list[Trial]:
        return [trial for trial in self.tellable if trial.verdict != "right"]

    def rows(self) -> dict[tuple[str, str], Counter[str]]:
        rows: dict[tuple[str, str], Counter[str]] = {}
        for trial in self.trials:
            row = rows.setdefault((trial.section, trial.change), Counter())
            row[trial.verdict] += 1
            row["must"] += trial.must_act
        return rows


class Mutating:
    """The mutating fixture on a desktop."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, folder: Path, left_out: str = "") -> None:
        """`left_out`: a section whose controls nobody can follow."""
        self.desktop = desktop
        self.window = window
        self._unknown = {"twins", left_out}  # twins are known by their place alone
        self._state_file = folder / "state.json"
        self._pipe = folder / "commands"
        self._sent = 0
        self._stays = True
        self.ids = IdWatch()
        self._catalogue = standard_catalogue()
        self._policy = RulePolicy((), Surroundings(tool=self._spec))
        self._dispatcher = CommandDispatcher(self._catalogue, ToolContext(desktop), self._policy, SystemClock())

    def _spec(self, name: str) -> ToolSpec | None:
        tool = self._catalogue.get(name)
        return tool.spec if tool else None

    def truth(self) -> Truth:
        return Truth.model_validate_json(self._state_file.read_text(encoding="utf-8"))

    async def order(self, what: str, target: str = "", seed: int = 0, *, dialog: bool = False) -> Truth:
        """Has the fixture do something; its state once it did."""
        self._sent += 1
        line = json.dumps({"do": what, "target": target, "seed": seed, "dialog": dialog}) + "\n"
        with writing_to(self._pipe) as pipe:
            os.write(pipe, line.encode())

        async def obeyed() -> Truth | None:
            truth = self.truth()
            return truth if truth.done >= self._sent else None

        truth = await self.desktop.wait_until(obeyed, deadline_s=_OBEYS_S)
        assert truth is not None, f"{what} was not done"
        return truth

    async def see(self, section: str) -> tuple[TargetInfo, dict[str, TargetInfo]]:
        """The window of a section, and its controls by identity, once they stand where the fixture says."""

        async def look() -> tuple[TargetInfo, dict[str, TargetInfo]] | None:
            truth = self.truth()
            title = truth.question if section == "question" else truth.title
            window = next((w for w in await self.desktop.windows() if w.name == title), None)
            if window is None:
                return None
            observation = await self.desktop.observe(window, picture=False)
            seen = observation.controls
            told = {
                key: told for key, told in truth.controls.items() if _window_of(told.section) == _window_of(section)
            }
            found = {key: control for key, one in told.items() if (control := _shown_as(one, seen))}
            several = len({control.handle for control in found.values()})
            if several < len(told) or truth != self.truth():
                return None
            if section != "question":
                known = {key: control for key, control in found.items() if told[key].section not in self._unknown}
                self.ids.look(observation, known, told, stays=self._stays)
                self._stays = True
            return window, found

        seen = await self.desktop.wait_until(look, deadline_s=_OBEYS_S)
        assert seen is not None, f"the fixture does not come to rest: {self.truth()}"
        return seen

    async def trial(self, number: int, sections: Sequence[str] = SECTIONS) -> Trial:
        """One trial, all of it following from its number."""
        rng = random.Random(number)  # noqa: S311 - trials are to be repeated
        section = rng.choice(sections)
        await self.order("reset", dialog=section == "question")
        window, seen = await self.see(section)
        identity = rng.choice(sorted(key for key, told in self.truth().controls.items() if told.section == section))
        change = rng.choice(self.truth().changes[section])
        way = "click_input" if section == "table" else rng.choice(WAYS)
        if rng.random() < 0.3 and change != "noise":
            await self.order("noise", identity, rng.randrange(1000))
        before = await self.order(change, identity, rng.randrange(1000))
        self._stays &= change in STAYS or section == "question"
        target = replace(seen[identity], id="1")
        trial = Trial(number, section, change, way, identity, before.act)
        refusal, told = await self._act(window, target, way)
        meant = (identity, *([before.heirs[identity]] if identity in before.heirs else ()))

        async def acted() -> tuple[str, ...] | None:
            return self.truth().acted[len(before.acted) :] or None

        done = () if refusal else await self.desktop.wait_until(acted, deadline_s=_ACTS_S)
        done = done or self.truth().acted[len(before.acted) :]
        return replace(trial, acted=done, meant=meant, refusal=refusal, told=told)

    async def _act(self, window: TargetInfo, target: TargetInfo, way: str) -> tuple[str, str]:
        """The name of the error that kept it from acting, and what it said."""
        try:
            if way == "do_action":
                await self.desktop.do_action(await self.desktop.resolve(target))
                return "", ""
            command = Command(way, self._catalogue.validate(way, {"id": "1", "name": target.name}), target=target)
            tool = self._catalogue.get(way)
            assert tool is not None
            command = replace(command, tool_type=tool.spec.tool_type, window=window)
            clearance = self._policy.clear(self._policy.judge(command, await self._dispatcher.resolve(command)))
            result = (await self._dispatcher.execute_commands([command], {command.call_id: clearance}))[0]
        except DeskhandError as error:
            info = ErrorInfo.of(error)
            return info.type, info.message
        return (result.error.type, result.error.message) if result.error and not result.delivered else ("", "")


def _window_of(section: str) -> bool:
    return section == "question"


def _shown_as(told: Told, seen: tuple[TargetInfo, ...]) -> TargetInfo | None:
    role = Role.CELL if told.section == "table" else Role.BUTTON
    place = Rect(*told.rect)
    near = (
        control
        for control in seen
        if control.type is role
        and control.name == told.name
        and abs(control.rect.center.x - place.center.x) <= _EDGE
        and abs(control.rect.center.y - place.center.y) <= _EDGE
    )
    return next(near, None) if not place.empty else None


async def launch_mutating(desktop: LinuxDesktop, toolkit: str, folder: Path) -> Mutating:
    """Starts the fixture of a toolkit and waits for its window."""
    os.mkfifo(folder / "commands")
    argv = (*FIXTURES[toolkit], str(folder / "state.json"), str(folder / "commands"), *PROGRAMS.get(toolkit, ()))
    window = await desktop.launch(Application("fixture", argv, window="^Mutating$"), deadline_s=90)
    return Mutating(desktop, window, folder, LEFT_OUT.get(toolkit, ""))


async def run_trials(
    desktop: LinuxDesktop, toolkit: str, folder: Path, numbers: range, sections: Sequence[str] = SECTIONS
) -> Tally:
    fixture = await launch_mutating(desktop, toolkit, folder)
    sections = [section for section in sections if section != LEFT_OUT.get(toolkit)]
    tally = Tally(fixture.truth().version, ids=fixture.ids)
    for number in numbers:
        tally.trials.append(await fixture.trial(number, sections))
    return tally
