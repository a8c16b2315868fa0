"""How long an observation of a window takes, beside the walk that test tools make, in turns in one run.

    python -m tools.bench_observe [--runs N] [--json FILE] [WINDOW …]

`fresh` is the first observation of a window, `kept` a later one, of which what does not change is known, `again` one
of a window whose process has not run since the last; all are what `Desktop.observe` does without the picture. Of each
part of an observation the tree alone is compared with the other walk, which reads the same fields of the same elements:
an element or a field that differs is printed, and fails the run unless it is known why. The floor is the processor time
that the application itself spends on answering. Ratios are medians of the turns' own: what slows a turn slows all that
is compared in it.
Needs the packages of [bench] in tools/apt-packages.txt, which `make bench-observe` brings; what is missing is said.
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
from deskhand.desktop.linux.atspi.applications import Applications
from deskhand.desktop.linux.atspi.client import BusTransport
from deskhand.desktop.linux.atspi.events import listen
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT, Node, Reach, Walk
from deskhand.desktop.linux.atspi.reader import TreeReader
from deskhand.desktop.linux.atspi.roles import LABEL, OFFSCREEN, PANEL, PASSWORD_TEXT, SHOWING, SPLIT_PANE, STATIC
from deskhand.desktop.linux.atspi.toolkit import Toolkits
from deskhand.desktop.linux.desktop import open_linux
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.notifier import Pulse
from deskhand.desktop.linux.observe.observer import Sight
from deskhand.desktop.linux.observe.window_reader import Looker
from deskhand.desktop.linux.runtime.virtual import VirtualDesktop, start_virtual
from deskhand.desktop.linux.toolkits.chromium.hooks import Chromium
from deskhand.desktop.linux.toolkits.gtk4.content_names import names_class
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_copy import TableCopier
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_reader import DocumentReader
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import DocumentTables
from deskhand.desktop.linux.wiring import OWNERS
from deskhand.desktop.linux.x11.capture import Camera
from deskhand.desktop.linux.x11.connection import XConnection
from deskhand.desktop.linux.x11.damage import ScreenChanges
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from deskhand.session.applications import BUILT_IN
from tools.needed import PYATSPI, end_without

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
"""How many times the floor counts as the floor."""

WORDS: Final = frozenset({LABEL, STATIC})
"""Nobody acts on them."""

EMBEDDED: Final = "\ufffc"
INPUT_LINE: Final = "Input line"


@dataclass(frozen=True, slots=True)
class Subject:
    """A window to look at; `shown` is the state by which the other walk knows what shows.

    `goal_ms` and `goal_ratio` are those of a fresh observation; `needs` is a program without which it is not run.
    `cells`: those of a spreadsheet are read too, once `keys` were pressed, and the other walk, which would take half a
    minute, is left out.
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
    ]


class ToldNode(NamedTuple):
    """One element as the other walk tells it; None where it has no such interface."""

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


class Told(BaseModel):
    """What the other walk says."""

    seconds: float
    cpu: float
    nodes: list["ToldNode"]


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of one window; times in milliseconds, the application's, the bus's and our processor time of one look.

    `ratio`: how many times longer the other walk took; `over`: how many times longer ours was than the floor.
    """

    window: str
    elements: int
    pyatspi_ms: float
    tree_ms: float
    fresh_ms: float
    kept_ms: float
    again_ms: float
    application_ms: float
    bus_ms: float
    ours_ms: float
    ratio: float
    over: float
    calls: int
    calls_kept: int
    received_bytes: int
    tokens: int
    goal_ms: float
    goal_ratio: float

    @property
    def met(self) -> str:
        """Which goal is met, by what. A ratio counts for more than a time, which every machine has its own of."""
        if self.goal_ratio and self.ratio >= self.goal_ratio:
            return f"goal met ({self.goal_ratio:.0f} times; {self.goal_ms:.0f} ms)"
        if not self.goal_ratio and self.tree_ms <= self.goal_ms:
            return f"goal met ({self.goal_ms:.0f} ms)"
        if self.over <= CLOSE:
            return f"goal met: the application itself needs as long ({self.over:.2f} times)"
        wanted = f"{self.goal_ratio:.0f} times; {self.goal_ms:.0f} ms" if self.goal_ratio else f"{self.goal_ms:.0f} ms"
        return f"GOAL MISSED ({wanted}; {self.over:.2f} times what the application itself needs)"

    def __str__(self) -> str:
        return (
            f"{self.window:9} {self.elements:4} elements  pyatspi {self.pyatspi_ms:6.1f}  tree {self.tree_ms:6.1f}  "
            f"= {self.ratio:4.1f} times  fresh {self.fresh_ms:6.1f}  kept {self.kept_ms:6.1f}  "
            f"again {self.again_ms:6.1f}  "
            f"floor {self.application_ms:5.1f}  bus {self.bus_ms:5.1f}  our CPU {self.ours_ms:5.1f} ms  "
            f"{self.calls} calls ({self.calls_kept} kept)  {self.received_bytes // 1024} KiB  "
            f"{self.tokens} tokens  {self.met}"
        )


@dataclass
class Looks:
    """What repeated looks cost, in milliseconds."""

    pyatspi: list[float] = field(default_factory=list[float])
    tree: list[float] = field(default_factory=list[float])
    application: list[float] = field(default_factory=list[float])
    bus: list[float] = field(default_factory=list[float])
    ours: list[float] = field(default_factory=list[float])
    fresh: list[float] = field(default_factory=list[float])
    kept: list[float] = field(default_factory=list[float])
    again: list[float] = field(default_factory=list[float])
    calls: int = 0
    calls_kept: int = 0
    received: int = 0


class Looking:
    """Our eyes, put together as an opened desktop does, with nothing kept where that is asked for."""

    def __init__(self, transport: BusTransport, connection: XConnection, camera: Camera, activity: Activity) -> None:
        self.transport = transport
        self._activity = activity
        self._applications = Applications(transport, activity.ledger.belongs)
        self._connection, self._camera = connection, camera
        pulse = Pulse()
        self._documents = DocumentTables(transport, pulse, TableCopier(connection.name, pulse))
        self._sight = self._fresh()

    def _fresh(self) -> Sight:
        transport = self.transport
        reader = DocumentReader(transport, Toolkits(transport, OWNERS), Telling(transport), self._documents)
        looker = Looker(self._connection, self._applications, reader, self._activity)
        return Sight(self._connection, looker, self._camera, time.monotonic, self._activity)

    def _tree_reader(self) -> TreeReader:
        return TreeReader(self.transport, Toolkits(self.transport, OWNERS), Telling(self.transport))

    async def walk(self, window: TargetInfo, *, cells: bool) -> Walk:
        """The tree alone, nothing kept."""
        roots = await self._applications.roots_of(window, alone=True, deadline_s=DEADLINE_S)
        reach = Reach.WHOLE if cells else Reach.TEXTS
        return await self._tree_reader().walk((roots.frame.ref, *roots.popups), deadline_s=DEADLINE_S, reach=reach)

    async def observe(self, window: TargetInfo, *, fresh: bool) -> Observation:
        self._sight = self._fresh() if fresh else self._sight
        return await self._sight.observe(window, picture=False, deadline_s=DEADLINE_S)

    async def stir(self, window: TargetInfo) -> None:
        """Has the application do something: what it said before has to be asked for again."""
        await self._applications.roots_of(window, alone=True, deadline_s=DEADLINE_S)

    async def until_still(self, window: TargetInfo, *, cells: bool) -> None:
        """Some applications build their tree after their window shows."""
        sizes: list[int] = []
        with anyio.fail_after(30):
            while len(sizes) < 5 or len(set(sizes[-5:])) > 1:
                sizes.append(len((await self.walk(window, cells=cells)).nodes))


OtherWalk = Callable[[], Awaitable[Told]]


@asynccontextmanager
async def other_walker(virtual: VirtualDesktop, window: TargetInfo, shown: str) -> AsyncGenerator[OtherWalk]:
    """The other walk of a window, as often as it is asked for."""
    argv = [SYSTEM_PYTHON, str(APPS / "pyatspi_walk.py"), str(window.pid), window.name, shown]
    async with await anyio.open_process(argv, env=virtual.environment, stderr=None) as process:
        commands, answers = process.stdin, process.stdout and BufferedByteReceiveStream(process.stdout)
        if commands is None or answers is None:
            raise BrokenPipeError("the other walk cannot be spoken to")

        async def walk() -> Told:
            await commands.send(b"walk\n")
            return Told.model_validate_json(await answers.receive_until(b"\n", LONGEST_ANSWER))

        await walk()
        yield walk
        process.terminate()


def processor_ms(pid: int) -> float:
    """What all threads of a process have used."""
    used = [task.joinpath("schedstat").read_text("ascii") for task in Path(f"/proc/{pid}/task").iterdir()]
    return sum(int(text.split()[0]) for text in used) / 1e6


def pid_behind(address: str) -> int:
    """The process that serves a bus."""
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(address.partition("path=")[2].partition(",")[0])
        return struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def median_ratio(times: Sequence[float], others: Sequence[float]) -> float:
    """Of what was measured in turns."""
    return statistics.median(one / other for one, other in zip(times, others, strict=True))


async def measure(virtual: VirtualDesktop, subject: Subject, runs: int) -> tuple[Figures, int]:
    """The figures, and how many differences nobody knows the reason of."""
    async with AsyncExitStack() as stack:
        desktop = await open_linux(virtual)
        stack.push_async_callback(desktop.close)
        window = await desktop.launch(subject.application, subject.file, deadline_s=40)
        await desktop.settle(window)
        transport = await BusTransport.connect(virtual.a11y_address)
        stack.push_async_callback(transport.close)
        connection = await XConnection.open(virtual.display)
        stack.push_async_callback(connection.close)
        camera = await Camera.open(virtual.display)
        stack.push_async_callback(camera.close)
        activity = Activity(Pulse())
        changes = await ScreenChanges.watch(virtual.display, activity)
        stack.push_async_callback(changes.close)
        activity.sees_pixels = changes.sees_pixels
        await listen(transport, activity.event, deadline_s=DEADLINE_S)
        looking = Looking(transport, connection, camera, activity)
        await desktop.activate(window)
        for chord in subject.keys:
            await desktop.press([chord])
            await desktop.settle(window)
        await looking.until_still(window, cells=subject.cells)
        window = next(now for now in await desktop.windows() if now.handle == window.handle)  # titles come late
        other = None if subject.cells else await stack.enter_async_context(other_walker(virtual, window, subject.shown))
        bus = pid_behind(virtual.a11y_address)
        looks, told, walk, observation = await take_turns(looking, window, subject, other, bus, runs)
    text = compact(Labeller().label(observation))
    figures = Figures(
        window=subject.name,
        elements=len(walk.nodes),
        pyatspi_ms=statistics.median(looks.pyatspi or [0.0]),
        tree_ms=statistics.median(looks.tree),
        fresh_ms=statistics.median(looks.fresh),
        kept_ms=statistics.median(looks.kept),
        again_ms=statistics.median(looks.again),
        application_ms=statistics.median(looks.application),
        bus_ms=statistics.median(looks.bus),
        ours_ms=statistics.median(looks.ours),
        ratio=median_ratio(looks.pyatspi or [0.0] * runs, looks.tree),
        over=median_ratio(looks.tree, looks.application),
        calls=looks.calls,
        calls_kept=looks.calls_kept,
        received_bytes=looks.received,
        tokens=text.tokens,
        goal_ms=subject.goal_ms,
        goal_ratio=subject.goal_ratio,
    )
    return figures, compare(subject, told, walk) if told else 0


async def take_turns(
    looking: Looking, window: TargetInfo, subject: Subject, other: OtherWalk | None, bus: int, runs: int
) -> tuple[Looks, Told | None, Walk, Observation]:
    looks, pid, told = Looks(), window.pid or 0, None
    for _ in range(runs):
        if other is not None:
            told = await other()
            looks.pyatspi.append(told.seconds * 1000)
        spent, carried = processor_ms(pid), processor_ms(bus)
        own, before = time.process_time(), looking.transport.traffic()
        began = time.perf_counter()
        walk = await looking.walk(window, cells=subject.cells)
        looks.tree.append((time.perf_counter() - began) * 1000)
        looks.ours.append((time.process_time() - own) * 1000)
        looks.application.append(processor_ms(pid) - spent)
        looks.bus.append(processor_ms(bus) - carried)
        calls, received = looking.transport.traffic()
        looks.calls, looks.received = calls - before[0], received - before[1]
        for times in (looks.fresh, looks.again, looks.kept):
            if times is looks.kept:
                await looking.stir(window)
            began, (sent, _) = time.perf_counter(), looking.transport.traffic()
            observation = await looking.observe(window, fresh=times is looks.fresh)
            times.append((time.perf_counter() - began) * 1000)
            looks.calls_kept = looking.transport.traffic()[0] - sent
    return looks, told, walk, observation  # pyright: ignore[reportPossiblyUnboundVariable] - there is a run


def compare(subject: Subject, told: Told, walk: Walk) -> int:
    """Prints what only one of the walks found, and fields that differ; counts them.

    What is known is left out: what stands nowhere, the menus of LibreOffice's second, dead menu bar, which the other
    walk finds twice, what its sidebar has no room for, Calc's input line, which it takes for dead, places that we cut
    to what can be seen, and places in LibreOffice's windows, which the other walk tells wrong by the height of the menu
    bar: there the same shift for all.
    """
    ours = {node.ref.path: node for node in walk.nodes.values() if not _is_in_input_line(node, walk)}
    theirs = {node.path: node for node in told.nodes}
    known = _known_of(theirs, subject)
    found: list[str] = []
    for path in (theirs.keys() ^ ours.keys()) - known:
        node = theirs[path] if path in theirs else ours[path]
        who = "only in the other walk" if path in theirs else "only in ours"
        found.append(f"{who}: role {node.role} {node.name[:60]!r}")
    shifts: set[tuple[int, int]] = set()
    for path in theirs.keys() & ours.keys():
        node = ours[path]
        for what, mine, other in fields(node, told_as_read(theirs[path], node, subject)):
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


def _known_of(theirs: Mapping[str, ToldNode], subject: Subject) -> set[str]:
    """The paths of what only the other walk finds, and why is known."""
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


def _is_nowhere(told: ToldNode) -> bool:
    return told.place is not None and Rect(*told.place).empty


def _is_out_of_sidebar(told: ToldNode, all_told: Mapping[str, ToldNode]) -> bool:
    """Whether it stands in a sidebar, and nowhere in its place."""
    here, above = told, all_told.get(told.above)
    while above is not None and (here.role, above.role) != (PANEL, SPLIT_PANE):
        here, above = above, all_told.get(above.above)
    if above is None or here.place is None or told.place is None:
        return False
    return Rect(*told.place).intersection(Rect(*here.place)).empty


def _is_part(mine: Rect, other: Rect) -> bool:
    """A part of it that is as wide or as high: one edge was cut."""
    inside = mine.intersection(other) == mine and not mine.empty
    return inside and (mine.width == other.width or mine.height == other.height)


def told_as_read(told: ToldNode, node: Node, subject: Subject) -> ToldNode:
    """GTK 4: what is visible shows, a class is no name, and texts are not told to those who ask for all.

    A label with a mnemonic names its button twice, and a button without a name is called by what is on it.
    Chromium: the memory that a tab uses is no part of its name.
    """
    if subject.needs == CHROMIUM:
        return told._replace(name=Chromium("Chromium").name_of(node, told.name))
    if subject.shown == "showing":
        return told
    states = sorted({*told.states, SHOWING.bit_length() - 1})
    is_class = told.name.startswith(("Gtk", "Adw")) or names_class(node.role, told.name)
    name = "" if is_class else told.name
    half = name[: len(name) // 2]
    name = half if name == f"{half} {half}" else name or node.name
    return told._replace(states=states, name=name, text=told.text or None)


def fields(node: Node, told: ToldNode) -> list[tuple[str, object, object]]:
    """Each field as ours and as the other walk has it. What is not read on purpose is left out.

    That is the text of passwords, texts behind `TEXT_LIMIT`, numbers of what is no numeric control (office suites give
    one to every button), interfaces of what stands nowhere, and how the names of actions are written, large or small:
    there are two ways to ask for them, and toolkits that answer differently.
    """
    states = [bit for bit in range(64) if node.state >> bit & 1 and 1 << bit != OFFSCREEN]
    found: list[tuple[str, object, object]] = [
        ("role", node.role, told.role),
        ("name", node.name, told.name[:TEXT_LIMIT]),
        ("states", states, sorted(told.states)),
    ]
    if not node.rect.empty:
        interfaces = sorted(name.rpartition(".")[2] for name in node.interfaces)
        found.append(("interfaces", interfaces, sorted(told.interfaces)))
    if told.place is not None:
        found.append(("place", node.rect, Rect(*told.place)))
    if told.text is not None and node.role != PASSWORD_TEXT:
        found.append(("text", node.text, told.text.replace(EMBEDDED, "")[:TEXT_LIMIT]))
    if node.role not in WORDS:
        mine, theirs = ([name.casefold() for name in names] for names in (node.actions, told.actions))
        found.append(("actions", mine, theirs))
    if told.number is not None and node.number is not None:
        found.append(("number", node.number, told.number))
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
