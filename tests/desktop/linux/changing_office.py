"""What is kept of a LibreOffice window, held against looks that keep nothing, while it is worked by wheel and keys.

Both are held against what the document says of itself (`tests/apps/office_truth.py`): the paragraphs and cells in view
and their texts, what stands on a slide and where. What else shows is told by nobody; that the two looks agree says that
nothing kept is out of date.
"""

import random
import re
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Final

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from PIL import Image
from pydantic import BaseModel, ConfigDict

from deskhand.core.geometry import NOWHERE, Point, Rect
from deskhand.core.observation import Observation, Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.desktop.linux.toolkits.libreoffice.spreadsheet import address
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.session.applications import BUILT_IN
from desktop.linux.changing import AGREES_S, APPS, LOOK_S, SYSTEM_PYTHON, Tally, differing
from desktop.linux.fixture import SomePlace, a11y_address, linux_desktop

REFRESHED_S: Final = 0.35
"""LibreOffice refreshes the buttons of its toolbars that long after anything else."""

_KEYS: Final = ("a", "Z", "7", "enter", "tab", "backspace", "up", "down", "pagedown", "pageup", "home", "end")
_MENUS: Final = ("alt+f", "alt+e", "alt+i", "esc", "esc", "esc", "ctrl+f", "f11", "ctrl+f12", "wheel", "wheel")
_TEXT: Final = ("ctrl+b", "ctrl+i", "ctrl+z", "ctrl+a", "ctrl+1", "ctrl+0", "shift+down", "ctrl+home", "ctrl+end")
_SLIDES: Final = ("f2", "tab", "delete", "left", "right", "ctrl+m", "ctrl+z", "ctrl+a", "f6", "pagedown", "pagedown")


@dataclass(frozen=True, slots=True)
class Program:
    """What is started, what is done in it, and at which parts of its width and height the wheel is turned."""

    application: Application
    work: Sequence[str]
    wheel_at: Sequence[tuple[float, float]] = ((0.5, 0.5),)


PROGRAMS: Final = {
    "Writer": Program(BUILT_IN[0], (*_KEYS, *_TEXT, *_MENUS)),
    "Calc": Program(BUILT_IN[1], (*_KEYS, *_TEXT, *_MENUS)),
    "Impress": Program(BUILT_IN[2], (*_KEYS, *_SLIDES, *_MENUS), ((0.5, 0.5), (0.07, 0.5))),
}
TELLS_S: Final = 40.0
_LONGEST: Final = 10_000_000
_BETWEEN_PAGES: Final = 280
"""Pixels that may lie between a paragraph and the next: the margins of two pages, and lines that went over together."""

_DARK: Final = 96
_IS_DARK: Final = [255] * _DARK + [0] * (256 - _DARK)
_SPECKS: Final = 20
_CARET: Final = 4
"""Pixels across: a caret, with the seam around it, has no more."""

_HANDLE: Final = 6
"""Pixels by which the handles of what is chosen reach into it."""

_SLIDE: Final = re.compile(r"Slide \d+")
_NAMED: Final = re.compile(r"s\d+ box \d")
"""What the document was filled with."""

_OFF: Final = 3
"""Pixels by which a shape may stand beside its place: its line, and two roundings."""


class ToldShape(BaseModel):
    """What stands on a slide: its place in hundredths of a millimetre; `asks`: its text is not its own; `chosen`: where
    it is being written its texts may be those of before.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    place: tuple[int, int, int, int]
    texts: tuple[str, ...]
    asks: bool
    chosen: bool = False


class Told(BaseModel):
    """What the document says: of Writer its paragraphs; of Calc the first row and column shown and the last, texts by
    address, and where the cursor is; of Impress how many slides there are, which one is shown, its paper and what
    stands on it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    paragraphs: tuple[str, ...] | None = None
    shown: tuple[int, int, int, int] = (0, 0, -1, -1)
    cells: Mapping[str, str] = {}
    cursor: str = ""
    slides: int = 0
    slide: int = 0
    paper: tuple[int, int] = (0, 0)
    shapes: tuple[ToldShape, ...] = ()


class Truth:
    """What tells the truth of one document."""

    def __init__(self, process: Process) -> None:
        assert process.stdin
        assert process.stdout
        self._orders = process.stdin
        self._told = BufferedByteReceiveStream(process.stdout)

    async def ask(self, order: str) -> bytes:
        with anyio.fail_after(TELLS_S):
            await self._orders.send(order.encode() + b"\n")
            return await self._told.receive_until(b"\n", _LONGEST)

    async def look(self) -> Told:
        return Told.model_validate_json(await self.ask("look"))


@asynccontextmanager
async def open_truth(pipe: str, *, fill: bool = True) -> AsyncGenerator[Truth]:
    async with await anyio.open_process([SYSTEM_PYTHON, str(APPS / "office_truth.py"), pipe], stderr=None) as process:
        truth = Truth(process)
        if fill:
            await truth.ask("fill")
        yield truth
        assert process.stdin
        await process.stdin.aclose()


async def run(program: str, seed: int, count: int, folder: Path) -> Tally:
    """One program through `count` changes."""
    tally, began, pipe = Tally(program, seed), monotonic(), f"deskhand-test-{secrets.token_hex(8)}"
    application = PROGRAMS[program].application
    application = replace(application, argv=(*application.argv, f"--accept=pipe,name={pipe};urp;"))
    async with linux_desktop(folder / "desktop") as desktop:
        window = await desktop.launch(application, deadline_s=60)
        environment = desktop.environment
        place = SomePlace("visitor", environment["DISPLAY"], environment, await a11y_address(environment))
        async with open_truth(pipe) as truth:
            office = Office(desktop, place, window, truth, tally)
            for number in range(count):
                await office.trial(number)
    tally.seconds = monotonic() - began
    return tally


class Office:
    """A program with a document on a desktop."""

    def __init__(self, desktop: LinuxDesktop, place: SomePlace, window: TargetInfo, truth: Truth, tally: Tally) -> None:
        self._desktop = desktop
        self._place = place
        self._window = window
        self._truth = truth
        self._tally = tally
        self._program = PROGRAMS[tally.toolkit]

    async def trial(self, number: int) -> None:
        """One change, following from the seed and its number, and what is seen of it."""
        tally = self._tally
        rng = random.Random(f"{tally.seed}/{number}")  # noqa: S311 - trials are to be repeated
        tally.changes += 1
        tally.by_hand += 1
        tally.history.append(await self._work(rng))
        before = ", ".join(tally.history[-6:])
        found = await self._compare(kept_first=rng.random() < 0.5)
        tally.differences += [f"after [{before}], number {number}: {line}" for line in found]

    async def _work(self, rng: random.Random) -> str:
        what = rng.choice(self._program.work)
        if what == "wheel":
            rect, (across, down) = self._window.rect, rng.choice(self._program.wheel_at)
            where = Point(rect.left + round(rect.width * across), rect.top + round(rect.height * down))
            await self._desktop.scroll(where, rng.choice((-3, 2, 5)))
        else:
            *modifiers, key = what.split("+")
            await self._desktop.press([Chord(key, tuple(modifiers))])
        return what

    async def _compare(self, *, kept_first: bool) -> list[str]:
        """As with the fixtures: a difference counts where two fresh looks agree with each other."""
        end = monotonic() + AGREES_S
        while True:
            await self._desktop.settle(self._window, quiet_s=REFRESHED_S)
            kept: Mapping[str, Observation] = await self._look(self._desktop) if kept_first else {}
            fresh = await self._fresh()
            kept = kept or await self._look(self._desktop)
            unlike = _unlike(kept, fresh)
            if unlike and kept_first:
                kept = await self._look(self._desktop)  # the first was before the fresh one
                unlike = _unlike(kept, fresh)
            still = bool(unlike) and not differing(fresh, await self._fresh())
            found = [*unlike, *await self._untrue(kept, "kept"), *await self._untrue(fresh, "fresh")]
            if not found or monotonic() > end or still:
                self._tally.looks += 1
                self._tally.controls += sum(len(seen.controls) for seen in fresh.values())
                return found if still or not unlike else found[len(unlike) :]
            self._tally.late += 1

    async def _untrue(self, seen: Mapping[str, Observation], which: str) -> list[str]:
        shown = seen.get(self._window.handle)
        if shown is None:
            return [f"{which}: the window of the document is not seen"]
        told = await self._truth.look()
        if told.slide:
            found = judged_slide(shown.controls, told, await self._picture_of(shown))
        elif told.paragraphs is None:
            found = judged_cells(shown.controls, told)
        else:
            found = judged_paragraphs(shown.controls, told, await self._picture_of(shown))
        return [f"{which} for true: {line}" for line in found]

    async def _picture_of(self, shown: Observation) -> Picture | None:
        """What a person sees of the document; None where a menu or a dialog may lie over it."""
        windows = [window for window in await self._desktop.windows() if window.pid == self._window.pid]
        menu = any(control.type is Role.MENUITEM for control in shown.controls)
        return None if menu or len(windows) > 1 else await self._desktop.screenshot()

    async def _look(self, desktop: LinuxDesktop) -> Mapping[str, Observation]:
        windows = [window for window in await desktop.windows() if window.pid == self._window.pid]
        return {window.handle: await desktop.observe(window, picture=False, deadline_s=LOOK_S) for window in windows}

    async def _fresh(self) -> Mapping[str, Observation]:
        desktop = await attach(self._place)
        try:
            return await self._look(desktop)
        finally:
            await desktop.close()


def _unlike(kept: Mapping[str, Observation], fresh: Mapping[str, Observation]) -> list[str]:
    """Cut short by a deadline of its own says nothing of what is kept: Writer looks for tables for a second."""
    return [line for line in differing(kept, fresh) if " is cut: " not in line]


def judged_paragraphs(controls: Sequence[TargetInfo], told: Told, picture: Picture | None) -> list[str]:
    """The paragraphs in view follow one another in the document, and where none is seen the picture shows no text."""
    document = next((control for control in controls if control.type is Role.DOCUMENT), None)
    if document is None or told.paragraphs is None:
        return ["no document is seen"]
    below = [control for control in controls if control.parent == document.handle]
    seen = [control for control in below if control.type in {Role.PARAGRAPH, Role.HEADING}]
    view = document.rect
    if not seen:
        return ["no paragraph is seen, and text shows"] if shows_text(picture, view) else []
    texts = [(control.value or control.name)[:TEXT_LIMIT] for control in seen]
    true = [text[:TEXT_LIMIT] for text in told.paragraphs]
    starts = [at for at in range(len(true)) if true[at : at + len(texts)] == texts]
    if not starts:
        return [f"paragraphs {texts} are not in the document, which has {true}"]
    # LibreOffice 7.4 says no place of some that it shows (see `DocumentReader.walk`): these are in view, or beside it
    first, last = seen[0].rect.empty, seen[-1].rect.empty
    shown = [control.rect for control in below if not control.rect.empty]
    if not shown:
        return []
    top, bottom = min(rect.top for rect in shown), max(rect.bottom for rect in shown)
    above = Rect(view.left, view.top, view.right, max(view.top, top))
    after = Rect(view.left, min(bottom, view.bottom), view.right, view.bottom)
    first = first or above.height <= _BETWEEN_PAGES or not shows_text(picture, above)
    last = last or after.height <= _BETWEEN_PAGES or not shows_text(picture, after)
    if any((first or at == 0) and (last or at + len(texts) == len(true)) for at in starts):
        return []
    return [f"paragraphs before {texts[0]!r} or after {texts[-1]!r} are missing"]


def shows_text(picture: Picture | None, part: Rect) -> bool:
    """Whether a part of the screen has dark pixels: pages, their shadows and edges are light."""
    seen = part.intersection(picture.rect) if picture else NOWHERE
    if picture is None or seen.empty:
        return False
    whole = Image.frombytes("RGB", (picture.rect.width, picture.rect.height), picture.rgb)
    dark = whole.crop((seen.left, seen.top, seen.right, seen.bottom)).convert("L").point(_IS_DARK)  # pyright: ignore[reportUnknownMemberType] - half typed
    left, _, right, _ = dark.getbbox() or (0, 0, 0, 0)
    return right - left > _CARET and dark.histogram()[255] > _SPECKS


def judged_slide(controls: Sequence[TargetInfo], told: Told, picture: Picture | None = None) -> list[str]:
    """The slide that is shown has its number, the list beside it none that is not there, and all that stands on it is
    seen with its texts, and where it stands: what is wholly in view, measured by the paper.
    """
    listed = [control.name for control in controls if control.type is Role.LISTITEM and _SLIDE.fullmatch(control.name)]
    found = [f"{name} is seen of {told.slides}" for name in listed if int(name.split()[1]) > told.slides]
    paper = next((control for control in controls if control.name == f"PageShape: Slide {told.slide}"), None)
    view = next((control for control in controls if paper and control.handle == paper.parent), None)
    if paper is None or view is None:
        return [*found, f"slide {told.slide} is not seen"]
    shapes = [control for control in controls if control.parent == view.handle and control.type is Role.GROUP]
    shapes = [shape for shape in shapes if shape.handle != paper.handle]
    named = {shape.name: shape.rect for shape in shapes if _NAMED.fullmatch(shape.name)}
    found += [f"{name} is seen and is not there" for name in named.keys() - {shape.name for shape in told.shapes}]
    around = Rect(paper.rect.left - 1, paper.rect.top - 1, paper.rect.right + 1, paper.rect.bottom + 1)
    is_whole = not paper.rect.empty and view.rect.intersection(around) == around
    # where a part may be out of view, nothing says where the paper begins
    places = [_on_paper(shape.place, told.paper, paper.rect) if is_whole else NOWHERE for shape in told.shapes]
    in_view = [
        (shape, place)
        for shape, place in zip(told.shapes, places, strict=True)
        if not place.empty and view.rect.intersection(place) == place
    ]
    for shape, place in in_view:
        if _NAMED.fullmatch(shape.name) and not _is_at(named.get(shape.name), place):
            found.append(f"{shape.name} at {named.get(shape.name)} for {place}")
    texts = {shape.handle: [c.value or c.name for c in controls if c.parent == shape.handle] for shape in shapes}
    unlike = _unlike_texts(texts.values(), told.shapes, [shape for shape, _ in in_view])
    if not unlike or not any(shape.chosen for shape in told.shapes):
        return found + unlike
    # what is being written the document does not say yet, or not any more: what shows says whether it is empty
    chosen = [place for shape, place in in_view if shape.chosen]
    written = {shape.handle: place for shape in shapes for place in chosen if _is_at(shape.rect, place)}
    others = [words for handle, words in texts.items() if handle not in written]
    found += _unlike_texts(others, told.shapes, [shape for shape, _ in in_view if not shape.chosen])
    for handle, place in written.items():
        words = " ".join(texts[handle]).strip()
        if picture and bool(words) != shows_text(picture, place.grown(-_HANDLE)):
            found.append(f"{words!r} is seen of what is being written, and something else shows")
    return found


def _unlike_texts(
    seen: Iterable[Sequence[str]], shapes: Sequence[ToldShape], in_view: Sequence[ToldShape]
) -> list[str]:
    """What is seen is there, but for one text in each shape that asks for one; what is there in view is seen."""
    texts = [text for words in seen for text in words if text]
    more = Counter(texts) - Counter(text for shape in shapes for text in _own_texts(shape))
    asking = sum(shape.asks for shape in shapes)
    found = [f"{sorted(more.elements())} are seen and not there"] if more.total() > asking else []
    return found + [f"{text!r} is not seen" for shape in in_view for text in _own_texts(shape) if text not in texts]


def _own_texts(shape: ToldShape) -> list[str]:
    return [text for text in shape.texts if text and not shape.asks]


def _on_paper(place: tuple[int, int, int, int], size: tuple[int, int], paper: Rect) -> Rect:
    """Hundredths of a millimetre on a slide as pixels of the screen."""
    across, down = paper.width / size[0], paper.height / size[1]
    left, top, right, bottom = place
    return Rect(
        paper.left + round(left * across),
        paper.top + round(top * down),
        paper.left + round(right * across),
        paper.top + round(bottom * down),
    )


def _is_at(seen: Rect | None, place: Rect) -> bool:
    if seen is None:
        return False
    off = (seen.left - place.left, seen.top - place.top, seen.right - place.right, seen.bottom - place.bottom)
    return max(map(abs, off)) <= _OFF


def judged_cells(controls: Sequence[TargetInfo], told: Told) -> list[str]:
    """All cells in view are seen with their texts, and at most a row and a column more, which show in part.

    The emptied cell that has the cursor may be seen with its old text: LibreOffice goes on saying that, to every look
    alike (docs/limits.md).
    """
    seen = {control.name: control.value for control in controls if control.type is Role.CELL}
    top, left, bottom, right = told.shown
    inside = {address((row, column)) for row in range(top, bottom + 1) for column in range(left, right + 1)}
    found = [f"cell {name} is not seen" for name in sorted(inside - seen.keys())]
    found += [f"cell {name} is seen and not in view" for name in sorted(seen.keys() - told.cells.keys())]
    unlike = [name for name in sorted(seen.keys() & told.cells.keys()) if seen[name] != told.cells[name]]
    lies = {told.cursor} if not told.cells.get(told.cursor) else set[str]()
    return found + [f"cell {name} {seen[name]!r} for {told.cells[name]!r}" for name in unlike if name not in lies]
