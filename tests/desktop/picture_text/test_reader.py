"""Pictures are read once, in a thread, by models that are loaded when they are needed."""

from collections.abc import Callable
from threading import Event

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from deskhand.core.errors import MissingRequirement, TextsUnread
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.picture_text.models import ReadLine, TextModels, ink_of
from deskhand.desktop.picture_text.reader import PictureTexts

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
WINDOW = TargetInfo(TargetKind.WINDOW, "Words", Role.WINDOW, Rect(100, 50, 400, 170), handle="w1")
PATIENCE_S = 30.0


def drawn(*lines: str, dark: bool = False, window: Rect = WINDOW.rect) -> Picture:
    """A window with lines of text, as a screen returns it."""
    back, front = ("#353535", "#eeeeec") if dark else ("#f6f5f4", "#2e3436")
    image = Image.new("RGB", (window.width, window.height), back)
    for number, text in enumerate(lines):
        ImageDraw.Draw(image).text((20, 10 + 30 * number), text, fill=front, font=ImageFont.truetype(FONT, 13))
    return Picture(image.tobytes("raw", "BGRX"), window, PixelOrder.BGRX)


class Counting:
    """Models that read each line as its number, and count what they are asked for."""

    def __init__(self, hold: Event | None = None) -> None:
        self.found = self.read_lines = 0
        self._hold = hold

    def find(self, pixels: NDArray[np.uint8]) -> list[Rect]:
        self.found += 1
        if self._hold is not None:
            self._hold.wait(PATIENCE_S)
        rows = np.flatnonzero((pixels.max(axis=(1, 2)) - pixels.min(axis=(1, 2))) > 60)
        return [Rect(0, top, pixels.shape[1], top + 30) for top in sorted({int(row) // 30 * 30 for row in rows})]

    def read(self, pixels: NDArray[np.uint8], place: Rect) -> ReadLine:
        self.read_lines += 1
        part = pixels[place.top : place.bottom, place.left : place.right]
        return ReadLine(f"line {place.top}", ink_of(part).moved(place.left, place.top), 0.99)

    def close(self) -> None:
        """Nothing is to be let go of."""


def reader(models: Counting, loads: list[int] | None = None) -> PictureTexts:
    def load() -> Counting:
        if loads is not None:
            loads.append(1)
        return models

    return PictureTexts(load)


async def texts(it: PictureTexts, picture: Picture, window: TargetInfo = WINDOW) -> list[str]:
    lines = await it.read(window, picture, [window.rect], deadline_s=PATIENCE_S)
    return [line.text for line in lines]


@pytest.mark.requires("pictures.texts")
@pytest.mark.parametrize("dark", [False, True])
async def test_texts_are_read_with_their_spaces_and_places(dark: bool) -> None:
    lines = ("Save the changes before closing?", "Total: 1,284.50 EUR", "Cancel")
    read = await PictureTexts(TextModels).read(WINDOW, drawn(*lines, dark=dark), [WINDOW.rect], deadline_s=PATIENCE_S)
    assert tuple(line.text for line in read) == lines
    font = ImageFont.truetype(FONT, 13)
    for number, line in enumerate(read):
        ink = font.getbbox(line.text)
        expected = [120 + ink[0], 60 + 30 * number + ink[1], 120 + ink[2], 60 + 30 * number + ink[3]]
        assert all(abs(a - b) <= 2 for a, b in zip(line.rect.to_list(), expected, strict=True))


async def test_an_empty_picture_has_no_texts() -> None:
    assert not await texts(PictureTexts(TextModels), drawn())


@pytest.mark.requires("pictures.read-once")
async def test_models_are_loaded_once_and_an_unchanged_picture_is_not_read_again() -> None:
    models, loads = Counting(), list[int]()
    it = reader(models, loads)
    assert not loads
    before = await texts(it, drawn("one", "two"))
    assert (len(before), models.found, models.read_lines) == (2, 1, 2)
    assert await texts(it, drawn("one", "two")) == before
    assert (models.found, models.read_lines, loads) == (1, 2, [1])
    assert len(await texts(it, drawn("one", "two", "three"))) == 3
    assert (models.found, models.read_lines) == (2, 3)


async def test_a_window_that_moved_has_its_lines_elsewhere_under_the_same_handles() -> None:
    models = Counting()
    it = reader(models)
    place = WINDOW.rect.moved(70, 30)
    before = await it.read(WINDOW, drawn("one"), [WINDOW.rect], deadline_s=PATIENCE_S)
    moved = TargetInfo(TargetKind.WINDOW, "Words", Role.WINDOW, place, handle="w1")
    after = await it.read(moved, drawn("one", window=place), [place], deadline_s=PATIENCE_S)
    assert [line.handle for line in after] == [line.handle for line in before]
    assert after[0].rect == before[0].rect.moved(70, 30)
    assert models.read_lines == 1


async def test_only_the_named_parts_of_a_picture_are_read() -> None:
    top = Rect(WINDOW.rect.left, WINDOW.rect.top, WINDOW.rect.right, WINDOW.rect.top + 30)
    lines = await reader(Counting()).read(WINDOW, drawn("one", "two"), [top], deadline_s=PATIENCE_S)
    assert [line.text for line in lines] == ["line 0"]


@pytest.mark.requires("pictures.in-time")
async def test_a_picture_that_takes_too_long_is_given_up_and_the_loop_is_free_meanwhile() -> None:
    hold = Event()
    models = Counting(hold)
    it = reader(models)
    ticks = 0

    async def tick(until: Callable[[], bool]) -> None:
        nonlocal ticks
        while not until():
            ticks += 1
            await anyio.lowlevel.checkpoint()

    done = Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tick, done.is_set)
        with pytest.raises(TextsUnread, match="not read within"):
            await it.read(WINDOW, drawn("one"), [WINDOW.rect], deadline_s=0.1)
        done.set()
    assert ticks > 1
    hold.set()
    assert await texts(it, drawn("one")) == ["line 0"]
    assert models.read_lines == 1  # the given up one read no line


async def test_without_the_extra_the_error_names_it() -> None:
    def load() -> Counting:
        raise ImportError("libonnxruntime.so: cannot open shared object file")

    with pytest.raises(MissingRequirement, match="vision") as failed:
        await texts(PictureTexts(load), drawn("one"))
    assert "deskhand[vision]" in failed.value.fix
