"""How long a fresh observation of a window takes, beside the walk that test tools make, in turns in one run.

    python tools/bench_observe.py [--runs N] [--json FILE] [WINDOW …]

The trees are compared: a showing node that only one of them has is printed, and fails the run.
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
from anyio.streams.text import TextReceiveStream

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
SYSTEM_PYTHON: Final = "/usr/bin/python3"
SAMPLE: Final = Path(deskhand.__file__).parent / "samples" / "report.odt"
WRITER, CALC = BUILT_IN
PAGE: Final = "<title>Rows</title><table>" + "".join(
    f"<tr><td>Row {n}<td><a href='#'>Link {n}</a><td><input value='{n}'></tr>" for n in range(150)
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A window to look at."""

    name: str
    application: Application
    file: Path | None = None


def subjects(folder: Path) -> list[Subject]:
    page = folder / "rows.html"
    page.write_text(PAGE, "utf-8")
    gtk3 = (SYSTEM_PYTHON, str(ROOT / "tests" / "apps" / "gtk3_many.py"), "500")
    return [
        Subject("gtk3", Application("gtk3", gtk3)),
        Subject("writer", WRITER, SAMPLE),
        Subject("calc", CALC),
        Subject("chromium", Application("chromium", ("chromium", page.as_uri()))),
        Subject("gtk4", Application("gnome-calculator", ("gnome-calculator",))),
    ]


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of one window, in milliseconds; `calls` a walk of ours makes."""

    window: str
    showing: int
    pyatspi_ms: float
    ours_ms: float
    ours_cpu_ms: float
    again_ms: float

    @property
    def ratio(self) -> float:
        return self.pyatspi_ms / self.ours_ms

    def __str__(self) -> str:
        return (
            f"{self.window:10} {self.showing:5} showing   pyatspi {self.pyatspi_ms:7.1f} ms   "
            f"ours {self.ours_ms:6.1f} ms (CPU {self.ours_cpu_ms:5.1f})   {self.ratio:5.1f} times faster"
        )


class Baseline:
    """The other walk, in a process of its own."""

    def __init__(self, process: anyio.abc.Process) -> None:
        self._process = process
        self._lines = TextReceiveStream(process.stdout) if process.stdout else None
        self._rest = ""

    async def walk(self) -> dict[str, object]:
        assert self._process.stdin is not None
        assert self._lines is not None
        await self._process.stdin.send(b"walk\n")
        while "\n" not in self._rest:
            self._rest += await self._lines.receive()
        line, _, self._rest = self._rest.partition("\n")
        return json.loads(line)


async def measure(virtual: VirtualDesktop, subject: Subject, runs: int) -> tuple[Figures, int]:
    """The figures, and how many nodes only one of the walks found."""
    desktop = await open_linux(virtual)
    window = await desktop.launch(subject.application, subject.file, deadline_s=40)
    await desktop.settle(window)
    transport = await BusTransport.connect(virtual.a11y_address)
    reader, applications = TreeReader(transport), Applications(transport)
    await _until_still(reader, applications, window)
    environment = {**virtual.environment, "PYTHONUNBUFFERED": "1"}
    argv = [SYSTEM_PYTHON, str(ROOT / "tools" / "pyatspi_walk.py"), str(window.pid), window.name]
    theirs: list[float] = []
    ours: list[float] = []
    cpu: list[float] = []
    different = 0
    async with await anyio.open_process(argv, env=environment, stderr=None) as process:
        baseline = Baseline(process)
        for _ in range(runs):
            found = await baseline.walk()
            theirs.append(float(str(found["seconds"])) * 1000)
            began, spent = time.perf_counter(), time.process_time()
            walk = await _walk(reader, applications, window)
            ours.append((time.perf_counter() - began) * 1000)
            cpu.append((time.process_time() - spent) * 1000)
        different = _compare(subject.name, found["nodes"], walk)
        process.terminate()
    await transport.close()
    await desktop.end(window) if hasattr(desktop, "end") else None
    showing = sum(bool(node.state & SHOWING) for node in walk.nodes.values())
    median = statistics.median
    return Figures(subject.name, showing, median(theirs), median(ours), median(cpu), 0.0), different


async def _walk(reader: TreeReader, applications: Applications, window: TargetInfo) -> Walk:
    roots = await applications.roots_of(window, alone=True, deadline_s=5)
    return await reader.walk(roots, deadline_s=10)


async def _until_still(reader: TreeReader, applications: Applications, window: TargetInfo) -> None:
    """Some applications build their tree after the window shows."""
    sizes: list[int] = []
    with anyio.fail_after(30):
        while len(sizes) < 3 or len(set(sizes[-3:])) > 1:
            sizes.append(len((await _walk(reader, applications, window)).nodes))
            await anyio.sleep(0.3)


def _compare(name: str, theirs: object, walk: Walk) -> int:
    assert isinstance(theirs, list)
    baseline = Counter((node[0], node[1]) for node in theirs if node[2] & SHOWING)
    mine = Counter((node.role, node.name) for node in walk.nodes.values() if node.state & SHOWING)
    for what, left in (("only in the other walk", baseline - mine), ("only in ours", mine - baseline)):
        for (role, text), count in sorted(left.items())[:20]:
            print(f"  {name}: {what}: {count} of role {role} {text[:60]!r}")
    return sum(((baseline - mine) + (mine - baseline)).values())


async def main(wanted: Sequence[str], runs: int, out: Path | None) -> int:
    figures: list[Figures] = []
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        for subject in subjects(Path(folder)):
            if wanted and subject.name not in wanted:
                continue
            virtual = await start_virtual(f"bench-{subject.name}", root=Path(folder) / "desktops")
            try:
                found, missing = await measure(virtual, subject, runs)
            finally:
                await virtual.close()
            figures.append(found)
            different += missing
            print(found, flush=True)
    if out is not None:
        out.write_text(json.dumps([asdict(found) for found in figures], indent=2), "utf-8")
    return 1 if different else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("windows", nargs="*")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    sys.exit(asyncio.run(main(given.windows, given.runs, given.json)))
