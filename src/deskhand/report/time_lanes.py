"""Durations as lanes: one lane per agent, one bar per step, on the session's own clock."""

from dataclasses import dataclass
from typing import Final

from deskhand.report.timeline import Step, Timeline

_NICE_S: Final = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
_MOST_TICKS: Final = 8


@dataclass(frozen=True, slots=True)
class Bar:
    """A step; `left` and `width` in percent of the whole time."""

    step: Step
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Lane:
    agent: str
    bars: tuple[Bar, ...]
    busy_s: float


@dataclass(frozen=True, slots=True)
class Tick:
    left: float
    label: str


@dataclass(frozen=True, slots=True)
class Lanes:
    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]


def draw_lanes(timeline: Timeline, start: float, end: float) -> Lanes:
    """Bars of all steps between two moments (seconds since 1970); parts outside are clipped."""
    whole = max(end - start, 0.001)
    lanes = tuple(_lane(agent, timeline.steps, start, whole) for agent in timeline.agents)
    return Lanes(tuple(lane for lane in lanes if lane.bars), _ticks(whole))


def _lane(agent: str, steps: list[Step], start: float, whole: float) -> Lane:
    own = [step for step in steps if step.started.agent == agent]
    return Lane(agent, tuple(_bar(step, start, whole) for step in own), sum(step.seconds for step in own))


def _bar(step: Step, start: float, whole: float) -> Bar:
    left = min(max((step.started.at - start) / whole * 100, 0.0), 100.0)
    return Bar(step, left, min(step.seconds / whole * 100, 100.0 - left))


def _ticks(whole: float) -> tuple[Tick, ...]:
    apart = next((nice for nice in _NICE_S if whole / nice <= _MOST_TICKS), whole)
    count = int(whole / apart)
    return tuple(Tick(number * apart / whole * 100, f"{number * apart:g} s") for number in range(count + 1))
