"""Repeated steps: counted, warned of once, then stopped (`max_repeats`).

A step repeats the one before it where its actions, arguments, targets and observation are the same: the window title,
and role, name, value and states of every control (host: of every window). Labels and pixels do not count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from deskhand.core.json import JsonObject
from deskhand.core.target import Fingerprint, TargetInfo
from deskhand.pipeline.actions import ActionInfo, PlannedAction, PlanningGround

Pointed: TypeAlias = Fingerprint | tuple[str, str, str] | None
_LABELS = ("id", "name")


@dataclass(frozen=True, slots=True)
class Deed:
    """One action in comparable form."""

    tool: str
    arguments: JsonObject
    target: Pointed


@dataclass(frozen=True, slots=True)
class Repetition:
    """An agent's last step, its observation and its results, and how many times it was repeated in a row.

    `seen` is a digest. `position`: the position of a model that follows a script; moving on in a script is no
    repetition.
    """

    deeds: tuple[Deed, ...] = ()
    seen: int = 0
    position: int | None = None
    told: tuple[object, ...] = ()
    times: int = 0

    def with_step(self, planned: Sequence[PlannedAction], ground: PlanningGround, position: int | None) -> "Repetition":
        """Return this row with one more step, or a new row; unchanged by a step without an action."""
        if not planned:
            return self
        step = Repetition(tuple(_deed(item) for item in planned), digest(ground), position)
        same = (step.deeds, step.seen, step.position) == (self.deeds, self.seen, self.position)
        return replace(self, times=self.times + 1) if same else replace(step, times=1)

    def ending_in(self, done: ActionInfo, before: "Repetition") -> "Repetition":
        """Return this row after its last step ran: results that differ from those of `before` begin a new row."""
        told = tuple(action.result.result for action in done)
        return replace(self, told=told, times=self.times if told == before.told else 1)


def digest(ground: PlanningGround) -> int:
    """Return a digest of the observation."""
    title = ground.seen.window.name if ground.seen else ""
    return hash((title, tuple(_looks(ground.targets.values()))))


def _looks(targets: Iterable[TargetInfo]) -> Iterable[tuple[object, ...]]:
    return ((target.type, target.name, target.value, target.states) for target in targets)


def _deed(item: PlannedAction) -> Deed:
    command, target = item.command, item.command.target
    if target is None:
        return Deed(command.tool_name, command.parameters, None)
    arguments: JsonObject = {key: value for key, value in command.parameters.items() if key not in _LABELS}
    return Deed(command.tool_name, arguments, target.fingerprint or (target.type, target.name, target.handle))
