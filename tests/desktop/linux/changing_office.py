"""What is kept of a LibreOffice window, held against looks that keep nothing, while it is worked by wheel and keys.

Both are held against what the document says of itself (`tests/apps/office_truth.py`): the paragraphs and cells in view
and their texts. What else shows is told by nobody; that the two looks agree says that nothing kept is out of date.
"""

import random
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Final

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from PIL import Image
from pydantic import BaseModel, ConfigDict

from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation, Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Chord
from deskhand.desktop.linux.atspi.sheet import address
from deskhand.desktop.linux.atspi.visitor import TEXT_LIMIT
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.session.applications import BUILT_IN
from desktop.linux.changing import AGREES_S, APPS, LOOK_S, SYSTEM_PYTHON, Tally, differing
from desktop.linux.fixture import SomePlace, a11y_address, linux_desktop

PROGRAMS: Final = {"Writer": BUILT_IN[0], "Calc": BUILT_IN[1]}
REFRESHED_S: Final = 0.35
"""LibreOffice refreshes the buttons of its toolbars that long after anything else."""

WORK: Final = (
    *("a", "Z", "7", "enter", "tab", "backspace", "up", "down", "pagedown", "pageup", "home", "end"),
    *("ctrl+b", "ctrl+i", "ctrl+z", "ctrl+a", "ctrl+1", "ctrl+0", "shift+down", "ctrl+home", "ctrl+end"),
    *("alt+f", "alt+e", "alt+i", "esc", "esc", "esc", "ctrl+f", "f11", "ctrl+f12", "wheel", "wheel"),
)


TELLS_S: Final = 40.0
_LONGEST: Final = 10_000_000
_BETWEEN_PAGES: Final = 280
"""Pixels that may lie between a paragraph and the next: the margins of two pages, and lines that went over together."""

_DARK: Final = 96
_SPECKS: Final = 20
"""A caret that blinks has more pixels, and stands in a paragraph."""


class Told(BaseModel):
    """What the document says: of Writer its paragraphs; of Calc the first row and column shown and the last, and texts
    by address.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    paragraphs: tuple[str, ...] | None = None
    shown: tuple[int, int, int, int] = (0, 0, -1, -1)
    cells: Mapping[str, str] = {}


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
    application = PROGRAMS[program]
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
        what = rng.choice(WORK)
        if what == "wheel":
            await self._desktop.scroll(self._window.rect.center, rng.choice((-3, 2, 5)))
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
        if told.paragraphs is None:
            found = judged_cells(shown.controls, told)
        else:
            found = judged_paragraphs(shown.controls, told, await self._desktop.screenshot())
        return [f"{which} for true: {line}" for line in found]

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


def judged_paragraphs(controls: Sequence[TargetInfo], told: Told, picture: Picture) -> list[str]:
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


def shows_text(picture: Picture, part: Rect) -> bool:
    """Whether a part of the screen has dark pixels: pages, their shadows and edges are light."""
    seen = part.intersection(picture.rect)
    if seen.empty:
        return False
    whole = Image.frombytes("RGB", (picture.rect.width, picture.rect.height), picture.rgb)
    grey = whole.crop((seen.left, seen.top, seen.right, seen.bottom)).convert("L")
    return sum(grey.histogram()[:_DARK]) > _SPECKS


def judged_cells(controls: Sequence[TargetInfo], told: Told) -> list[str]:
    """All cells in view are seen with their texts, and at most a row and a column more, which show in part."""
    seen = {control.name: control.value for control in controls if control.type is Role.CELL}
    top, left, bottom, right = told.shown
    inside = {address((row, column)) for row in range(top, bottom + 1) for column in range(left, right + 1)}
    found = [f"cell {name} is not seen" for name in sorted(inside - seen.keys())]
    found += [f"cell {name} is seen and not in view" for name in sorted(seen.keys() - told.cells.keys())]
    both = sorted(seen.keys() & told.cells.keys())
    return found + [
        f"cell {name} {seen[name]!r} for {told.cells[name]!r}" for name in both if seen[name] != told.cells[name]
    ]
