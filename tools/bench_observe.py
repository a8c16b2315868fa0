"""How long a fresh observation of a window takes, beside the walk that test tools make, in turns in one run.

    python tools/bench_observe.py [--runs N] [--json FILE] [WINDOW …]

Role and name of every showing node are compared. A node that only one walk has is printed, and fails the run unless it
is known why. Needs python3-pyatspi, chromium and gnome-calculator beside what the tests need.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from pydantic import BaseModel

import deskhand
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Application
from deskhand.desktop.linux.atspi.applications import Applications
from deskhand.desktop.linux.atspi.nodes import Walk
from deskhand.desktop.linux.atspi.roles import SHOWING
from deskhand.desktop.linux.atspi.transport import BusTransport
from deskhand.desktop.linux.atspi.tree import TreeReader
from deskhand.desktop.linux.desktop import open_linux
from deskhand.desktop.linux.virtual import VirtualDesktop, start_virtual
from deskhand.session.applications import BUILT_IN

ROOT: Final = Path(__file__).resolve().parent.parent
APPS: Final = ROOT / "tests" / "apps"
SYSTEM_PYTHON: Final = "/usr/bin/python3"
SAMPLE: Final = Path(deskhand.__file__).parent / "samples" / "report.odt"
MENU: Final = 33
PAGE: Final = "<title>Rows</title><table>" + "".join(
    f"<tr><td>Row {n}<td><a href='#'>Link {n}</a><td><input value='{n}'></tr>" for n in range(150)
)
LONGEST_ANSWER: Final = 50_000_000


@dataclass(frozen=True, slots=True)
class Subject:
    """A window to look at. `differs`: why the walks cannot be compared; then they are only timed."""

    name: str
    application: Application
    file: Path | None = None
    differs: str = ""


def subjects(folder: Path) -> list[Subject]:
    page = folder / "rows.html"
    page.write_text(PAGE, "utf-8")
    writer, calc = BUILT_IN
    return [
        Subject("gtk3", Application("gtk3", (SYSTEM_PYTHON, str(APPS / "gtk3_many.py"), "500"))),
        Subject("writer", writer, SAMPLE),
        Subject("calc", calc),
        Subject("chromium", Application("chromium", ("chromium", page.as_uri()))),
        Subject(
            "gtk4",
            Application("gnome-calculator", ("gnome-calculator",)),
            differs="in GTK 4 only the window says SHOWING, so the other walk ends there",
        ),
    ]


class Told(BaseModel):
    """What the other walk says: nodes are role, name, showing, place and text."""

    seconds: float
    cpu: float
    nodes: list[tuple[int, str, bool, tuple[int, int, int, int] | None, str]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of one window, in milliseconds; CPU is that of the walking process."""

    window: str
    showing: int
    pyatspi_ms: float
    ours_ms: float
    ours_cpu_ms: float
    differs: str

    def __str__(self) -> str:
        times = f"{self.pyatspi_ms / self.ours_ms:5.1f} times faster" if not self.differs else self.differs
        return (
            f"{self.window:9} {self.showing:4} showing   pyatspi {self.pyatspi_ms:7.1f} ms   "
            f"ours {self.ours_ms:6.1f} ms (CPU {self.ours_cpu_ms:5.1f})   {times}"
        )


class Looking:
    """Our walk of one window."""

    def __init__(self, transport: BusTransport, window: TargetInfo) -> None:
        self._reader, self._applications = TreeReader(transport), Applications(transport)
        self._window = window

    async def walk(self) -> Walk:
        roots = await self._applications.roots_of(self._window, alone=True, deadline_s=5)
        return await self._reader.walk(roots, deadline_s=10)

    async def until_still(self) -> None:
        """Some applications build their tree after their window shows."""
        sizes: list[int] = []
        with anyio.fail_after(30):
            while len(sizes) < 5 or len(set(sizes[-5:])) > 1:
                sizes.append(len((await self.walk()).nodes))


async def other_walk(process: Process, answers: BufferedByteReceiveStream) -> Told:
    if process.stdin is not None:
        await process.stdin.send(b"walk\n")
    return Told.model_validate_json(await answers.receive_until(b"\n", LONGEST_ANSWER))


async def measure(virtual: VirtualDesktop, subject: Subject, runs: int) -> tuple[Figures, int]:
    """The figures, and how many nodes only one of the walks found."""
    desktop = await open_linux(virtual)
    window = await desktop.launch(subject.application, subject.file, deadline_s=40)
    await desktop.settle(window)
    transport = await BusTransport.connect(virtual.a11y_address)
    looking = Looking(transport, window)
    await looking.until_still()
    titled = next(now for now in await desktop.windows() if now.handle == window.handle)  # titles come late
    argv = [SYSTEM_PYTHON, str(APPS / "pyatspi_walk.py"), str(titled.pid), titled.name]
    theirs: list[float] = []
    ours: list[tuple[float, float]] = []
    async with await anyio.open_process(argv, env=virtual.environment, stderr=None) as process:
        answers = BufferedByteReceiveStream(process.stdout) if process.stdout else sys.exit("no answers")
        told = await other_walk(process, answers)
        walk = await looking.walk()
        for _ in range(runs):
            told = await other_walk(process, answers)
            theirs.append(told.seconds * 1000)
            began, spent = time.perf_counter(), time.process_time()
            walk = await looking.walk()
            ours.append(((time.perf_counter() - began) * 1000, (time.process_time() - spent) * 1000))
        process.terminate()
    await transport.close()
    showing = sum(bool(node.state & SHOWING) for node in walk.nodes.values())
    wall, cpu = (statistics.median(values) for values in zip(*ours, strict=True))
    figures = Figures(subject.name, showing, statistics.median(theirs), wall, cpu, subject.differs)
    return figures, 0 if subject.differs else compare(subject.name, told, walk)


def compare(name: str, told: Told, walk: Walk) -> int:
    """Prints what only one of the walks found, but for the menus of LibreOffice's second, dead menu bar."""
    theirs = Counter((role, text) for role, text, showing, _, _ in told.nodes if showing)
    ours = Counter((node.role, node.name) for node in walk.nodes.values() if node.state & SHOWING)
    for key in [key for key, count in theirs.items() if key[0] == MENU and count == 2 and ours[key] == 1]:
        theirs[key] -= 1
    for what, left in (("only in the other walk", theirs - ours), ("only in ours", ours - theirs)):
        for (role, text), count in sorted(left.items()):
            print(f"  {name}: {what}: {count} of role {role} {text[:60]!r}")
    return sum(((theirs - ours) + (ours - theirs)).values())


async def main(wanted: Sequence[str], runs: int) -> tuple[list[Figures], int]:
    found: list[Figures] = []
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        for subject in subjects(Path(folder)):
            if wanted and subject.name not in wanted:
                continue
            virtual = await start_virtual(f"bench-{subject.name}", root=Path(folder) / "desktops")
            try:
                figures, missing = await measure(virtual, subject, runs)
            finally:
                await virtual.close()
            found.append(figures)
            different += missing
            print(figures, flush=True)
    return found, different


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("windows", nargs="*")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    all_figures, differences = asyncio.run(main(given.windows, given.runs))
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(figures) for figures in all_figures], indent=2), "utf-8")
    sys.exit(1 if differences else 0)
