"""Measures acting: `python -m tools.bench_act [--rounds N] [--json FILE] [TOOLKIT…]`, from the root of the project.

Per toolkit and route: from the moment an action is sent until its effect was first seen, and until it was confirmed
(it lasted `system.effect_hold_s` by then); medians and p95 in milliseconds. Beside it the same action as test tools do
it, in the same run on the same window: python3-pyatspi's `doAction`, a fixed wait of a second (dogtail's), a look.
Then a block of 100 x 10 cells into Calc.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Final

import anyio

from deskhand.config.sections import SystemSection
from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop, open_linux
from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from deskhand.desktop.protocols.windows import Application
from tests.desktop.linux.acting import Agent
from tests.desktop.linux.adversity import APPS, FIXTURES
from tests.desktop.linux.mutating import launch_mutating
from tools.needed import PYATSPI, end_without

TOOLKITS: Final = ("GTK 3", "GTK 4", "Qt 5", "Qt 6", "Swing", "Chromium")
CALC: Final = "Calc"
ROWS, COLUMNS = 100, 10
LIMITS_MS: Final[Mapping[tuple[str, str], float]] = {
    ("GTK 3", "accessibility"): 50,
    ("Chromium", "accessibility"): 50,
    ("Qt 5", "accessibility"): 130,
    ("Qt 6", "accessibility"): 130,
    ("GTK 4", "accessibility"): 300,
}
"""Until the effect is first seen; a synthetic click may take 50 ms everywhere."""

CLICK_MS: Final = 50.0
BLOCK_MS: Final = 2000.0


class Watch:
    """When the hands of a desktop last sent something."""

    def __init__(self, desktop: LinuxDesktop) -> None:
        self.sent_at = 0.0
        for name in ("click", "do_action"):
            setattr(desktop, name, self._noting(getattr(desktop, name)))

    def _noting(self, act: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def noted(*given: object, **named: object) -> None:
            self.sent_at = monotonic()
            await act(*given, **named)

        return noted


@dataclass(slots=True)
class Figures:
    """Of one toolkit and route, in seconds."""

    seen: list[float] = field(default_factory=list[float])
    confirmed: list[float] = field(default_factory=list[float])
    whole: list[float] = field(default_factory=list[float])
    baseline: list[float] = field(default_factory=list[float])
    effects: list[str] = field(default_factory=list[str])

    def told(self) -> dict[str, float]:
        parts = {"seen": self.seen, "confirmed": self.confirmed, "whole": self.whole, "baseline": self.baseline}
        figures = {f"{name}_ms": 1000 * median(values) for name, values in parts.items() if values}
        return figures | {f"{name}_p95_ms": 1000 * _p95(values) for name, values in parts.items() if values}


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[max(0, round(0.95 * len(values)) - 1)]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is acted on again and again."""

    desktop: LinuxDesktop
    window: TargetInfo
    name: str
    role: Role


async def _rounds(fixture: Subject, tool: str, rounds: int) -> Figures:
    desktop, figures = fixture.desktop, Figures()
    watch = Watch(desktop)
    hold_s = SystemSection().effect_hold_s
    for hold, times in ((0.0, figures.seen), (hold_s, figures.confirmed)):
        agent = Agent(desktop, effect_hold_s=hold)
        for _ in range(rounds):
            seen, target = await agent.see(fixture.window, fixture.name, fixture.role)
            await desktop.settle(fixture.window)
            await desktop.wait_out_double_click(target.rect.center)
            began = monotonic()
            result = await agent.act(tool, seen, target)
            ended = monotonic()
            figures.effects.append(str(result.effect))
            if result.effect is Effect.CONFIRMED:
                times.append(ended - watch.sent_at)
                if hold:
                    figures.whole.append(ended - began)
    return figures


async def _baseline(fixture: Subject, rounds: int) -> list[float]:
    program, pid = str(APPS / "pyatspi_act.py"), str(fixture.window.pid)
    argv = ["/usr/bin/python3", program, pid, fixture.name, str(min(rounds, 5))]
    done = await anyio.run_process(argv, env=dict(fixture.desktop.environment), check=False, stderr=subprocess.DEVNULL)
    return [float(line) for line in done.stdout.decode().split()]


async def _toolkit(toolkit: str, rounds: int) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for tool, route in (("invoke", "accessibility"), ("click_input", "synthetic input")):
        with tempfile.TemporaryDirectory() as folder:
            desktop = await open_linux(await start_virtual("bench", root=Path(folder), size=(1280, 800)))
            try:
                fixture = await _subject(desktop, toolkit, tool, Path(folder))
                figures = await _rounds(fixture, tool, rounds)
                if tool == "invoke":
                    figures.baseline = await _baseline(fixture, rounds)
            finally:
                await desktop.close()
        confirmed = sum(effect == Effect.CONFIRMED for effect in figures.effects)
        found[route] = figures.told() | {"confirmed_share": confirmed / max(1, len(figures.effects))}
    return found


async def _subject(desktop: LinuxDesktop, toolkit: str, tool: str, folder: Path) -> Subject:
    """A checkbox; of GTK 4, whose checkboxes offer no action, a button, and a label that counts its presses."""
    if (toolkit, tool) == ("GTK 4", "invoke"):
        fixture = await launch_mutating(desktop, toolkit, folder)
        return Subject(desktop, fixture.window, "Alpha", Role.BUTTON)
    argv = (*FIXTURES[toolkit][0], str(folder / f"{tool}.json"))
    window = await desktop.launch(Application("fixture", argv, window="^Fixture$"))
    return Subject(desktop, window, "Check me", Role.CHECKBOX)


async def _block() -> dict[str, dict[str, float]]:
    """A block of values into Calc, read back."""
    rows: list[JsonValue] = [[str(row * COLUMNS + column) for column in range(COLUMNS)] for row in range(ROWS)]
    with tempfile.TemporaryDirectory() as folder:
        desktop = await open_linux(await start_virtual("bench", root=Path(folder), size=(1280, 800)))
        try:
            window = await desktop.launch(Application("calc", ("soffice", "--calc"), window="Calc$"), deadline_s=60)
            await desktop.settle(window)
            times: list[float] = []
            result: Result | None = None
            for _ in range(3):
                seen = await desktop.observe(window, picture=False)
                began = monotonic()
                result = await Agent(desktop).act("write_table", seen, start="A1", rows=rows)
                times.append(monotonic() - began)
            assert result is not None
            confirmed = float(result.effect is Effect.CONFIRMED)
            return {"100 x 10 cells": {"whole_ms": 1000 * median(times), "confirmed_share": confirmed}}
        finally:
            await desktop.close()


def _lines(toolkit: str, found: Mapping[str, Mapping[str, float]]) -> list[str]:
    lines: list[str] = []
    for route, told in found.items():
        limit = BLOCK_MS if toolkit == CALC else LIMITS_MS.get((toolkit, route)) or CLICK_MS
        measured = told.get("seen_ms", told["whole_ms"] if toolkit == CALC else float("inf"))
        words = " ".join(
            f"{name} {told[f'{name}_ms']:.0f}/{told.get(f'{name}_p95_ms', told[f'{name}_ms']):.0f}"
            for name in ("seen", "confirmed", "whole", "baseline")
            if f"{name}_ms" in told
        )
        base = told.get("baseline_ms")
        times = f"  {base / told['confirmed_ms']:.1f} x faster" if base and "confirmed_ms" in told else ""
        verdict = "within" if measured <= limit else "OVER"
        share = f"confirmed {100 * told['confirmed_share']:.0f} %"
        lines.append(f"{toolkit:9} {route:16} {words} ms  {verdict} {limit:.0f} ms, {share}{times}")
    return lines


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("toolkits", nargs="*", default=[*TOOLKITS, CALC], metavar="TOOLKIT")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    end_without("python3-pyatspi", PYATSPI)
    figures: dict[str, dict[str, dict[str, float]]] = {}
    print(
        "median/p95; seen, confirmed: since the action was sent; whole: with finding and aiming before it", flush=True
    )
    for toolkit in chosen.toolkits:
        if toolkit != CALC and not FIXTURES[toolkit][1].exists():
            print(f"{toolkit:9} not run: {FIXTURES[toolkit][1]} is missing")
            continue
        found = anyio.run(_block) if toolkit == CALC else anyio.run(_toolkit, toolkit, chosen.rounds)
        figures[toolkit] = found
        print("\n".join(_lines(toolkit, found)), flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
