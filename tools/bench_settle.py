"""Measures settling on LibreOffice: `bench_settle.py [ROUNDS]`, from the root of the project.

Each action is followed by settling and an observation, and 1.2 s later by another observation: what the first one
saw must be there in the second. Prints medians and p95 in milliseconds, and what differs: of the states, how often
they did though the first did not say that they may (`untold`). Menus whose first entry is a submenu are told apart: GTK
opens that by a timer of 225 ms.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic

from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop, open_linux
from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application

_OFFICE = {
    "Calc": Application("calc", ("soffice", "--calc"), window="Calc$"),
    "Writer": Application("writer", ("soffice", "--writer"), window="Writer$"),
}
_LATER_S = 1.2
_MENUS = ("File", "Edit", "Insert", "Format", "Tools")
_KEYS = (Chord("b", ("ctrl",)), Chord("i", ("ctrl",)), Chord("7"), Chord("enter"), Chord("z", ("ctrl",)))
_DIALOG = Chord("h", ("ctrl", "alt"))


@dataclass(slots=True)
class Trials:
    """What was measured of one kind of action, in seconds; how many observations differed, and in what."""

    act: list[float] = field(default_factory=list[float])
    settle: list[float] = field(default_factory=list[float])
    observe: list[float] = field(default_factory=list[float])
    nodes: int = 0
    states: int = 0
    untold: int = 0
    said: list[str] = field(default_factory=list[str])

    def report(self, name: str) -> str:
        whole = [sum(parts) for parts in zip(self.act, self.settle, self.observe, strict=True)]
        parts = " ".join(
            f"{part} {_ms(values)}"
            for part, values in (
                ("act", self.act),
                ("settle", self.settle),
                ("observe", self.observe),
                ("whole", whole),
            )
        )
        differ = f"nodes differ {self.nodes}  states differ {self.states}, untold {self.untold}"
        return f"{name:20} n {len(whole):3}  {parts}  {differ}"


def _ms(values: list[float]) -> str:
    ordered = sorted(values)
    return f"{1000 * median(ordered):.0f}/{1000 * ordered[max(0, round(0.95 * len(ordered)) - 1)]:.0f}"


async def trial(
    desktop: LinuxDesktop,
    window: TargetInfo,
    found: dict[str, Trials],
    name: str,
    act: Callable[[], Awaitable[None]],
) -> None:
    """One action and what is seen after it; `found` takes the figures, by `name` and what was seen."""
    start = monotonic()
    await act()
    acted = monotonic()
    settled = await desktop.settle(window)
    quiet = monotonic()
    seen = await desktop.observe(window, picture=False)
    done = monotonic()
    await desktop.wait_until(_never, deadline_s=_LATER_S)
    later = await desktop.observe(window, picture=False)
    trials = found.setdefault(f"{name}, submenu" if _shows_submenu(later) else name, Trials())
    trials.act.append(acted - start)
    trials.settle.append(quiet - acted)
    trials.observe.append(done - quiet)
    trials.said.append(str(settled))
    trials.nodes += _nodes(seen) != _nodes(later)
    differ = _states(seen) != _states(later)
    trials.states += differ
    trials.untold += differ and not seen.provisional


def _shows_submenu(seen: Observation) -> bool:
    menus = {control.handle: control for control in seen.controls if control.type is Role.MENU}
    above = (menus.get(control.parent) for control in seen.controls)
    return any(menu is not None and menu.parent in menus for menu in above)


async def _never() -> None:
    return None


def _nodes(seen: Observation) -> set[str]:
    return {control.handle for control in seen.controls}


def _states(seen: Observation) -> dict[str, frozenset[str]]:
    return {control.handle: control.states for control in seen.controls}


async def measure(desktop: LinuxDesktop, name: str, rounds: int) -> dict[str, Trials]:
    """Opens an application and runs the actions in turns."""
    window = await desktop.launch(_OFFICE[name])
    await desktop.settle(window, quiet_s=0.5, deadline_s=10)
    await desktop.activate(window)
    found: dict[str, Trials] = {}
    for number in range(rounds):
        opener = await _menu(desktop, window, _MENUS[number % len(_MENUS)])
        await trial(desktop, window, found, f"{name} menu", lambda c=opener: desktop.do_action(c))
        await trial(desktop, window, found, f"{name} esc", lambda: desktop.press([Chord("esc")]))
        key = _KEYS[number % len(_KEYS)]
        await trial(desktop, window, found, f"{name} key", lambda k=key: desktop.press([k]))
        await trial(desktop, window, found, f"{name} dialog", lambda: desktop.press([_DIALOG]))
        for other in await desktop.windows():
            if other.type is Role.DIALOG:
                await desktop.ask_to_close(other)
        await desktop.settle(window, quiet_s=0.5)
    return found


async def _menu(desktop: LinuxDesktop, window: TargetInfo, name: str) -> TargetInfo:
    seen = await desktop.observe(window, picture=False)
    return next(c for c in seen.controls if c.name == name and c.type is Role.MENU and not c.rect.empty)


async def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        desktop = await open_linux(await start_virtual("bench", root=Path(directory), size=(1280, 800)))
        try:
            settles: list[float] = []
            for name in _OFFICE:
                for kind, trials in (await measure(desktop, name, rounds)).items():
                    print(trials.report(kind), flush=True)
                    print("   ", trials.said[-1])
                    settles += trials.settle
            print(f"settle, all {len(settles)}: {_ms(settles)} ms (median/p95)")
        finally:
            await desktop.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
