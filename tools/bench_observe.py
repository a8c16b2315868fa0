"""Times of observing a window beside the walk that test tools make, in turns in one run.

    python -m tools.bench_observe [--runs N] [--json FILE] [WINDOW …]

`fresh` is the first observation of a window, `cached` a later one that reads the stable parts from the cache, `again`
one of a window whose process has not run since the last; all are what `Desktop.observe` does without the picture. Of
each part of an observation the tree alone is compared with the other walk, which reads the same fields of the same
elements: an element or a field that differs is printed, and fails the run unless it is known why. The floor is the
processor time that the application itself spends on answering. Ratios are medians of the turns' own: a slow turn slows
all that is compared in it. Needs the packages of [bench] in tools/apt-packages.txt, which `make bench-observe`
installs; it names a missing one.
"""

import argparse
import json
import shutil
import socket
import statistics
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream
from pydantic import BaseModel

import deskhand
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi.application_registry import Applications
from deskhand.desktop.linux.atspi.client import BusTransport
from deskhand.desktop.linux.atspi.events import listen
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT, Node, Reach, Walk
from deskhand.desktop.linux.atspi.reader import TreeReader
from deskhand.desktop.linux.atspi.roles import LABEL, OFFSCREEN, PANEL, PASSWORD_TEXT, SHOWING, SPLIT_PANE, STATIC
from deskhand.desktop.linux.atspi.toolkit import Toolkits
from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER
from deskhand.desktop.linux.desktop import open_linux
from deskhand.desktop.linux.display_server import DisplayServer
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.observe.observer import Observer
from deskhand.desktop.linux.observe.window_reader import WindowReader
from deskhand.desktop.linux.runtime.virtual_desktop import VirtualDesktop, start_virtual
from deskhand.desktop.linux.toolkits.chromium.hooks import Chromium
from deskhand.desktop.linux.toolkits.gtk4.content_names import names_class
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_copy import TableCopier
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_reader import DocumentReader
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import DocumentTables
from deskhand.desktop.linux.wine.processes import speaks_for
from deskhand.desktop.linux.wiring import OWNERS
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.picture_text.reader import PictureTexts
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.desktop.user_guard import Guard
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from deskhand.session.applications import BUILT_IN
from tools.needed import PYATSPI, end_without
from tools.windows_scripts import windows_script

ROOT: Final = Path(__file__).resolve().parent.parent
APPS: Final = ROOT / "tests" / "apps"
SYSTEM_PYTHON: Final = "/usr/bin/python3"
QT6: Final = ROOT / ".venv-qt6/bin/python"
SAMPLE: Final = Path(deskhand.__file__).parent / "samples" / "report.odt"
OFFICE: Final = "soffice"
CHROMIUM: Final = "chromium"
MENU: Final = 33
PAGE: Final = "<title>Rows</title><table>" + "".join(
    f"<tr><td>Row {n}<td><a href='#'>Link {n}</a><td><input value='{n}'></tr>" for n in range(150)
)
LONGEST_ANSWER: Final = 50_000_000
DEADLINE_S: Final = 10.0
CLOSE: Final = 1.15
"""Multiples of the floor that still count as the floor."""

WORDS: Final = frozenset({LABEL, STATIC})
"""Nobody acts on them."""

EMBEDDED: Final = "\ufffc"
INPUT_LINE: Final = "Input line"


@dataclass(frozen=True, slots=True)
class Subject:
    """A window to observe; `shown` is the state by which the other walk finds the visible elements.

    `goal_ms` and `goal_ratio` are those of a fresh observation; `needs` is a program without which it is not run.
    `cells`: those of a spreadsheet are read too, once `keys` were pressed, and the other walk, which would take half a
    minute, is left out. `stale_s`: the age at which the answers of a bridge are read from its program again.
    """

    name: str
    application: Application
    goal_ms: float
    goal_ratio: float = 0.0
    file: Path | None = None
    shown: str = "showing"
    needs: str = SYSTEM_PYTHON
    cells: bool = False
    keys: tuple[Chord, ...] = ()
    stale_s: float = 0.0


def sheet(folder: Path) -> Path:
    """A table of 2000 rows and 40 columns."""
    cell = '<table:table-cell office:value-type="string"><text:p>r{row}c{column}</text:p></table:table-cell>'
    rows = "".join(
        f"<table:table-row>{''.join(cell.format(row=row, column=column) for column in range(40))}</table:table-row>"
        for row in range(2000)
    )
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    file = folder / "cells.fods"
    file.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><office:document{names} office:version="1.2" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
        f'<table:table table:name="Cells">{rows}</table:table></office:spreadsheet></office:body></office:document>',
        "utf-8",
    )
    return file


def subjects(folder: Path) -> list[Subject]:
    page = folder / "rows.html"
    page.write_text(PAGE, "utf-8")
    writer, calc = BUILT_IN[:2]
    gtk3 = Application("gtk3", (SYSTEM_PYTHON, str(APPS / "gtk3_many.py"), "500"))
    qt6 = Application("qt6", (str(QT6), str(APPS / "qt_many.py"), "500"))
    chromium = Application(CHROMIUM, (CHROMIUM, page.as_uri()))
    cells, down, right = sheet(folder), Chord("pagedown"), Chord("right")
    calculator = Application("gnome-calculator", ("gnome-calculator",))
    win32 = Application("win32", (*windows_script("oracle_win32.py"), str(folder / "oracle.json")), window="^Fixture$")
    return [
        Subject("gtk3", gtk3, 45, 10),
        Subject("qt6", qt6, 80, 9, needs=str(QT6)),
        Subject("writer", writer, 30, 20, SAMPLE, needs=OFFICE),
        Subject("calc", calc, 30, 18, needs=OFFICE),
        Subject("cells", calc, 175, file=cells, needs=OFFICE, cells=True),
        Subject("cells-far", calc, 175, file=cells, needs=OFFICE, cells=True, keys=(*[down] * 20, *[right] * 10)),
        Subject("cells-end", calc, 175, file=cells, needs=OFFICE, cells=True, keys=(Chord("end", ("ctrl",)),)),
        Subject(CHROMIUM, chromium, 25, 14, needs=CHROMIUM),
        Subject("gtk4", calculator, 40, shown="visible", needs="gnome-calculator"),
        Subject("win32", win32, 10, needs="wine", stale_s=0.12),
    ]


class ReportedNode(NamedTuple):
    """One element as the other walk reports it; None without such an interface."""

    path: str
    role: int
    name: str
    states: list[int]
    interfaces: list[str]
    place: tuple[int, int, int, int] | None
    text: str | None
    number: float | None
    actions: list[str]
    above: str


class Reported(BaseModel):
    """The report of the other walk."""

    seconds: float
    cpu: float
    nodes: list["ReportedNode"]


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of one window; times in milliseconds, the processor time of the application, the bus and ours of one
    observation.

    `ratio`: time of the other walk as a multiple of ours; `over`: ours as a multiple of the floor.
    """

    window: str
    elements: int
    pyatspi_ms: float
    tree_ms: float
    fresh_ms: float
    cached_ms: float
    again_ms: float
    application_ms: float
    bus_ms: float
    ours_ms: float
    ratio: float
    over: float
    calls: int
    calls_cached: int
    received_bytes: int
    tokens: int
    goal_ms: float
    goal_ratio: float

    @property
    def met(self) -> str:
        """Return the goal that is met, and by which figure. Ratios come first: times differ between machines."""
        if self.goal_ratio and self.ratio >= self.goal_ratio:
            return f"goal met ({self.goal_ratio:.0f} times; {self.goal_ms:.0f} ms)"
        if not self.goal_ratio and self.tree_ms <= self.goal_ms:
            return f"goal met ({self.goal_ms:.0f} ms)"
        if self.over <= CLOSE:
            return f"goal met: the application itself needs as long ({self.over:.2f} times)"
        wanted = f"{self.goal_ratio:.0f} times; {self.goal_ms:.0f} ms" if self.goal_ratio else f"{self.goal_ms:.0f} ms"
        return f"GOAL MISSED ({wanted}; {self.over:.2f} times the time of the application itself)"

    def __str__(self) -> str:
        return (
            f"{self.window:9} {self.elements:4} elements  pyatspi {self.pyatspi_ms:6.1f}  tree {self.tree_ms:6.1f}  "
            f"= {self.ratio:4.1f} times  fresh {self.fresh_ms:6.1f}  cached {self.cached_ms:6.1f}  "
            f"again {self.again_ms:6.1f}  "
            f"floor {self.application_ms:5.1f}  bus {self.bus_ms:5.1f}  our CPU {self.ours_ms:5.1f} ms  "
            f"{self.calls} calls ({self.calls_cached} cached)  {self.received_bytes // 1024} KiB  "
            f"{self.tokens} tokens  {self.met}"
        )


@dataclass
class Samples:
    """Times of repeated observations, in milliseconds."""

    pyatspi: list[float] = field(default_factory=list[float])
    tree: list[float] = field(default_factory=list[float])
    application: list[float] = field(default_factory=list[float])
    bus: list[float] = field(default_factory=list[float])
    ours: list[float] = field(default_factory=list[float])
    fresh: list[float] = field(default_factory=list[float])
    cached: list[float] = field(default_factory=list[float])
    again: list[float] = field(default_factory=list[float])
    calls: int = 0
    calls_cached: int = 0
    received: int = 0


class Looking:
    """Our observer, wired as by an opened desktop; without a cache on request."""

    def __init__(self, transport: BusTransport, server: DisplayServer, activity: Activity) -> None:
        self.transport = transport
        self._activity = activity
        self._applications = Applications(transport, activity.ledger.belongs, speaks_for=speaks_for)
        self._connection, self._camera = server.connection, server.camera
        pulse = Pulse()
        self._documents = DocumentTables(transport, pulse, TableCopier(server.clipboard(), pulse))
        self._observer = self._fresh()

    def _fresh(self) -> Observer:
        transport = self.transport
        reader = DocumentReader(transport, Toolkits(transport, OWNERS), Telling(transport), self._documents)
        window_reader = WindowReader(self._connection, self._applications, reader, self._activity, self._camera)
        return Observer(self._connection, window_reader, self._camera, time.monotonic, self._activity, PictureTexts())

    def _tree_reader(self) -> TreeReader:
        return TreeReader(self.transport, Toolkits(self.transport, OWNERS), Telling(self.transport))

    async def walk(self, window: TargetInfo, *, cells: bool) -> Walk:
        """Read the tree alone, without a cache."""
        roots = await self._applications.roots_of(window, alone=True, deadline_s=DEADLINE_S)
        reach = Reach.WHOLE if cells else Reach.TEXTS
        return await self._tree_reader().walk((roots.frame.ref, *roots.popups), deadline_s=DEADLINE_S, reach=reach)

    async def observe(self, window: TargetInfo, *, fresh: bool) -> Observation:
        self._observer = self._fresh() if fresh else self._observer
        return await self._observer.observe(window, picture=False, deadline_s=DEADLINE_S)

    async def stir(self, window: TargetInfo) -> None:
        """Make the application work, so that earlier answers are stale."""
        await self._applications.roots_of(window, alone=True, deadline_s=DEADLINE_S)

    async def until_still(self, window: TargetInfo, *, cells: bool) -> None:
        """Some applications build their tree after their window shows."""
        sizes: list[int] = []
        with anyio.fail_after(30):
            while len(sizes) < 5 or len(set(sizes[-5:])) > 1:
                sizes.append(len((await self.walk(window, cells=cells)).nodes))


OtherWalk = Callable[[], Awaitable[Reported]]


@asynccontextmanager
async def other_walker(virtual: VirtualDesktop, window: TargetInfo, shown: str) -> AsyncGenerator[OtherWalk]:
    """The other walk of a window, as often as it is asked for."""
    argv = [SYSTEM_PYTHON, str(APPS / "pyatspi_walk.py"), str(window.pid), window.name, shown]
    async with await anyio.open_process(argv, env=virtual.environment, stderr=None) as process:
        commands, answers = process.stdin, process.stdout and BufferedByteReceiveStream(process.stdout)
        if commands is None or answers is None:
            raise BrokenPipeError("the other walk cannot be spoken to")

        async def walk() -> Reported:
            await commands.send(b"walk\n")
            return Reported.model_validate_json(await answers.receive_until(b"\n", LONGEST_ANSWER))

        await walk()
        yield walk
        process.terminate()


def processor_ms(pid: int) -> float:
    """Return the processor time of all threads of a process."""
    used = [task.joinpath("schedstat").read_text("ascii") for task in Path(f"/proc/{pid}/task").iterdir()]
    return sum(int(text.split()[0]) for text in used) / 1e6


def pid_behind(address: str) -> int:
    """The process that serves a bus."""
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(address.partition("path=")[2].partition(",")[0])
        return struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def median_ratio(times: Sequence[float], others: Sequence[float]) -> float:
    """Return the median of the ratios of the turns."""
    return statistics.median(one / other for one, other in zip(times, others, strict=True))


async def measure(virtual: VirtualDesktop, subject: Subject, runs: int) -> tuple[Figures, int]:
    """Return the figures, and the number of unexplained differences."""
    async with AsyncExitStack() as stack:
        desktop = await open_linux(virtual)
        stack.push_async_callback(desktop.close)
        window = await desktop.launch(subject.application, subject.file, deadline_s=40)
        await desktop.settle(window)
        transport = await BusTransport.connect(virtual.a11y_address)
        stack.push_async_callback(transport.close)
        activity = Activity(Pulse())
        server = await DISPLAY_SERVER.open(virtual.display, Guard(), activity, stack)
        activity.sees_pixels = not server.changes.unseen
        await listen(transport, activity.event, deadline_s=DEADLINE_S)
        looking = Looking(transport, server, activity)
        await desktop.activate(window)
        for chord in subject.keys:
            await desktop.press([chord])
            await desktop.settle(window)
        await looking.until_still(window, cells=subject.cells)
        window = next(now for now in await desktop.windows() if now.handle == window.handle)  # titles come late
        other = None if subject.cells else await stack.enter_async_context(other_walker(virtual, window, subject.shown))
        bus = pid_behind(virtual.a11y_address)
        samples, reported, walk, observation = await take_turns(looking, window, subject, other, bus, runs)
    text = compact(Labeller().label(observation))
    figures = Figures(
        window=subject.name,
        elements=len(walk.nodes),
        pyatspi_ms=statistics.median(samples.pyatspi or [0.0]),
        tree_ms=statistics.median(samples.tree),
        fresh_ms=statistics.median(samples.fresh),
        cached_ms=statistics.median(samples.cached),
        again_ms=statistics.median(samples.again),
        application_ms=statistics.median(samples.application),
        bus_ms=statistics.median(samples.bus),
        ours_ms=statistics.median(samples.ours),
        ratio=median_ratio(samples.pyatspi or [0.0] * runs, samples.tree),
        over=median_ratio(samples.tree, samples.application),
        calls=samples.calls,
        calls_cached=samples.calls_cached,
        received_bytes=samples.received,
        tokens=text.tokens,
        goal_ms=subject.goal_ms,
        goal_ratio=subject.goal_ratio,
    )
    return figures, compare(subject, reported, walk) if reported else 0


async def until_stale(subject: Subject) -> None:
    """Wait until a bridge has to read its program again."""
    with anyio.move_on_after(subject.stale_s):
        await anyio.sleep_forever()


async def take_turns(
    looking: Looking, window: TargetInfo, subject: Subject, other: OtherWalk | None, bus: int, runs: int
) -> tuple[Samples, Reported | None, Walk, Observation]:
    samples, pid, reported = Samples(), window.pid or 0, None
    for _ in range(runs):
        if other is not None:
            reported = await other()
            samples.pyatspi.append(reported.seconds * 1000)
        await until_stale(subject)
        spent, carried = processor_ms(pid), processor_ms(bus)
        own, before = time.process_time(), looking.transport.traffic()
        began = time.perf_counter()
        walk = await looking.walk(window, cells=subject.cells)
        samples.tree.append((time.perf_counter() - began) * 1000)
        samples.ours.append((time.process_time() - own) * 1000)
        samples.application.append(processor_ms(pid) - spent)
        samples.bus.append(processor_ms(bus) - carried)
        calls, received = looking.transport.traffic()
        samples.calls, samples.received = calls - before[0], received - before[1]
        for times in (samples.fresh, samples.again, samples.cached):
            if times is samples.cached:
                await looking.stir(window)
            await until_stale(subject)
            began, (sent, _) = time.perf_counter(), looking.transport.traffic()
            observation = await looking.observe(window, fresh=times is samples.fresh)
            times.append((time.perf_counter() - began) * 1000)
            samples.calls_cached = looking.transport.traffic()[0] - sent
    return samples, reported, walk, observation  # pyright: ignore[reportPossiblyUnboundVariable] - there is a run


def compare(subject: Subject, reported: Reported, walk: Walk) -> int:
    """Print and count elements that only one of the walks found, and fields that differ.

    Explained differences are left out: elements without a place, the menus of LibreOffice's second, dead menu bar,
    which the other walk finds twice, elements its sidebar has no room for, Calc's input line, which it takes for dead,
    places that we cut to their visible parts, and places in LibreOffice's windows, which the other walk reports too low
    by the height of the menu bar: there the same shift for all.
    """
    ours = {node.ref.path: node for node in walk.nodes.values() if not _is_in_input_line(node, walk)}
    theirs = {node.path: node for node in reported.nodes}
    known = _known_of(theirs, subject)
    found: list[str] = []
    for path in (theirs.keys() ^ ours.keys()) - known:
        node = theirs[path] if path in theirs else ours[path]
        who = "only in the other walk" if path in theirs else "only in ours"
        found.append(f"{who}: role {node.role} {node.name[:60]!r}")
    shifts: set[tuple[int, int]] = set()
    for path in theirs.keys() & ours.keys():
        node = ours[path]
        for what, mine, other in fields(node, as_we_read(theirs[path], node, subject)):
            if mine == other:
                continue
            if isinstance(mine, Rect) and isinstance(other, Rect) and _is_part(mine, other):
                continue
            if subject.needs == OFFICE and what == "place" and isinstance(mine, Rect) and isinstance(other, Rect):
                shifts.add((mine.left - other.left, mine.top - other.top))
                continue
            found.append(f"{what} of role {node.role} {node.name[:40]!r}: {mine!r} for {other!r}")
    if len(shifts) > 1:
        found.append(f"places are off by {sorted(shifts)}")
    for line in sorted(found):
        print(f"  {subject.name}: {line}")
    return len(found)


def _known_of(theirs: Mapping[str, ReportedNode], subject: Subject) -> set[str]:
    """Return the paths that only the other walk finds, for an explained reason."""
    times = Counter((node.role, node.name) for node in theirs.values())
    office = subject.needs == OFFICE
    return {
        path
        for path, node in theirs.items()
        if _is_nowhere(node)
        or (node.role == MENU and times[node.role, node.name] == 2)
        or (office and _is_out_of_sidebar(node, theirs))
    }


def _is_in_input_line(node: Node, walk: Walk) -> bool:
    above = walk.nodes.get(node.parent) if node.parent else None
    return INPUT_LINE in {node.name, above.name if above else ""}


def _is_nowhere(reported: ReportedNode) -> bool:
    return reported.place is not None and Rect(*reported.place).empty


def _is_out_of_sidebar(reported: ReportedNode, all_reported: Mapping[str, ReportedNode]) -> bool:
    """True if it is inside a sidebar and outside its visible part."""
    here, above = reported, all_reported.get(reported.above)
    while above is not None and (here.role, above.role) != (PANEL, SPLIT_PANE):
        here, above = above, all_reported.get(above.above)
    if above is None or here.place is None or reported.place is None:
        return False
    return Rect(*reported.place).intersection(Rect(*here.place)).empty


def _is_part(mine: Rect, other: Rect) -> bool:
    """A part of it that is as wide or as high: one edge was cut."""
    inside = mine.intersection(other) == mine and not mine.empty
    return inside and (mine.width == other.width or mine.height == other.height)


def as_we_read(reported: ReportedNode, node: Node, subject: Subject) -> ReportedNode:
    """GTK 4: a visible element is showing, a class is no name, and a request for all properties returns no texts.

    A label with a mnemonic names its button twice, and a button without a name is named by its content.
    Chromium: the memory that a tab uses is no part of its name.
    """
    if subject.needs == CHROMIUM:
        return reported._replace(name=Chromium("Chromium").name_of(node, reported.name))
    if subject.shown == "showing":
        return reported
    states = sorted({*reported.states, SHOWING.bit_length() - 1})
    is_class = reported.name.startswith(("Gtk", "Adw")) or names_class(node.role, reported.name)
    name = "" if is_class else reported.name
    half = name[: len(name) // 2]
    name = half if name == f"{half} {half}" else name or node.name
    return reported._replace(states=states, name=name, text=reported.text or None)


def fields(node: Node, reported: ReportedNode) -> list[tuple[str, object, object]]:
    """Return each field, ours and the other walk's, without those that are not read on purpose.

    That is the text of passwords, texts behind `TEXT_LIMIT`, numbers of controls that are not numeric (office suites
    give one to every button), interfaces of elements without a place, and upper and lower case of the names of actions:
    there are two ways to ask for them, and toolkits that answer differently.
    """
    states = [bit for bit in range(64) if node.state >> bit & 1 and 1 << bit != OFFSCREEN]
    found: list[tuple[str, object, object]] = [
        ("role", node.role, reported.role),
        ("name", node.name, reported.name[:TEXT_LIMIT]),
        ("states", states, sorted(reported.states)),
    ]
    if not node.rect.empty:
        interfaces = sorted(name.rpartition(".")[2] for name in node.interfaces)
        found.append(("interfaces", interfaces, sorted(reported.interfaces)))
    if reported.place is not None:
        found.append(("place", node.rect, Rect(*reported.place)))
    if reported.text is not None and node.role != PASSWORD_TEXT:
        found.append(("text", node.text, reported.text.replace(EMBEDDED, "")[:TEXT_LIMIT]))
    if node.role not in WORDS:
        mine, theirs = ([name.casefold() for name in names] for names in (node.actions, reported.actions))
        found.append(("actions", mine, theirs))
    if reported.number is not None and node.number is not None:
        found.append(("number", node.number, reported.number))
    return found


async def main(wanted: Sequence[str], runs: int) -> tuple[list[Figures], int]:
    found: list[Figures] = []
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        for subject in subjects(Path(folder)):
            if wanted and subject.name not in wanted:
                continue
            if shutil.which(subject.needs) is None:
                print(f"{subject.name:9} not run: {subject.needs} is missing")
                continue
            virtual = await start_virtual(f"bench-{subject.name}", root=Path(folder) / "desktops")
            figures, missing = await measure(virtual, subject, runs)
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
    end_without("python3-pyatspi", PYATSPI)
    all_figures, unknown = anyio.run(main, given.windows, given.runs)
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(figures) for figures in all_figures], indent=2), "utf-8")
    sys.exit(1 if unknown else 0)
