"""Pictures are written beside the session, never in its way."""

import contextlib
import io
import threading
import zlib
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest
from PIL import Image, ImageDraw

from deskhand.core.errors import StoreError
from deskhand.core.events import Event, ProblemMet
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture, PixelOrder
from deskhand.store.atomic_files import write_atomic
from deskhand.store.image_writer import ImageWriter
from deskhand.store.png import Deflate, encode_png, fastest_deflate
from store.small_disk import small_disk


class Events:
    """Keeps events, or fails to."""

    def __init__(self, fail: bool = False) -> None:
        self.kept: list[Event] = []
        self.threads: set[str] = set()
        self._fail = fail

    def emit(self, event: Event) -> None:
        self.threads.add(threading.current_thread().name)
        if self._fail:
            raise StoreError("the journal is full too")
        self.kept.append(event)

    @property
    def problems(self) -> list[ProblemMet]:
        return [event for event in self.kept if isinstance(event, ProblemMet)]


@contextlib.asynccontextmanager
async def writer(events: Events, *, waiting: int = 8) -> AsyncGenerator[ImageWriter]:
    with anyio.fail_after(10):
        async with ImageWriter(events, waiting=waiting) as images:
            yield images


def noise(width: int, height: int, order: PixelOrder = PixelOrder.RGB) -> Picture:
    data = bytes((x * 7 + x // 5) % 251 for x in range(width * height * (3 if order is PixelOrder.RGB else 4)))
    return Picture(data, Rect(10, 20, 10 + width, 20 + height), order)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def blank() -> Image.Image:
    return Image.new("RGB", (4, 4))


@pytest.mark.parametrize("deflate", [fastest_deflate(), zlib.compressobj], ids=["as installed", "without isal"])
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (640, 33), (13, 130)])
@pytest.mark.parametrize("order", PixelOrder)
def test_a_picture_survives_encoding_pixel_by_pixel(size: tuple[int, int], order: PixelOrder, deflate: Deflate) -> None:
    picture = noise(*size, order)
    with Image.open(io.BytesIO(encode_png(picture, deflate=deflate))) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", size)
        assert image.tobytes() == picture.rgb


def test_drawn_pictures_of_other_modes_become_rgb() -> None:
    image = Image.new("RGBA", (9, 3), (10, 200, 30, 255))
    with Image.open(io.BytesIO(encode_png(image))) as decoded:
        assert decoded.tobytes() == bytes((10, 200, 30)) * 27


@pytest.mark.parametrize("rect", [Rect(0, 0, 2, 3), Rect(0, 0, 0, 0)])
def test_bytes_that_do_not_fit_their_size_are_refused(rect: Rect) -> None:
    with pytest.raises(ValueError, match="are no RGB picture"):
        encode_png(Picture(b"123456789", rect))


async def test_pictures_stand_where_they_were_meant_once_drained(tmp_path: Path) -> None:
    events = Events()
    pictures = [noise(20 + number, 10) for number in range(12)]
    async with writer(events, waiting=3) as images:
        for number, picture in enumerate(pictures):
            await images.submit(tmp_path / "deep" / f"{number}.png", lambda picture=picture: picture)
        await images.drain()
        for number, picture in enumerate(pictures):
            with Image.open(tmp_path / "deep" / f"{number}.png") as image:
                assert image.tobytes() == picture.rgb
    assert events.kept == []


@pytest.mark.requires("desktop.png-off-path")
async def test_drawing_happens_on_one_thread_that_is_gone_after_closing(tmp_path: Path) -> None:
    threads: list[threading.Thread] = []

    def draw() -> Image.Image:
        threads.append(threading.current_thread())
        image = blank()
        ImageDraw.Draw(image).rectangle((0, 0, 1, 1), fill="red")
        return image

    async with writer(Events()) as images:
        await images.submit(tmp_path / "1.png", draw)
        await images.submit(tmp_path / "2.png", draw)
    assert len(set(threads)) == 1
    assert threads[0] is not threading.main_thread()
    assert not threads[0].is_alive()
    assert (tmp_path / "2.png").exists()


@pytest.mark.requires("desktop.png-off-path")
async def test_a_full_queue_makes_the_producer_wait_and_drops_nothing(tmp_path: Path) -> None:
    go = threading.Event()
    handed_in: list[int] = []

    def slow() -> Image.Image:
        assert go.wait(10)
        return blank()

    async def produce(images: ImageWriter) -> None:
        for number in range(5):
            await images.submit(tmp_path / f"{number}.png", slow)
            handed_in.append(number)

    async with writer(Events(), waiting=2) as images, anyio.create_task_group() as tasks:
        tasks.start_soon(produce, images)
        await anyio.wait_all_tasks_blocked()
        assert handed_in == [0, 1]
        go.set()
    assert names(tmp_path) == [f"{number}.png" for number in range(5)]


async def test_a_picture_that_cannot_be_drawn_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    def broken() -> Image.Image:
        raise ZeroDivisionError("no room for a label")

    events = Events()
    async with writer(events) as images:
        await images.submit(tmp_path / "1.png", broken)
        await images.submit(tmp_path / "2.png", blank)
        await images.drain()
    (problem,) = events.problems
    assert (problem.where, problem.error.type) == ("pictures", "ZeroDivisionError")
    assert "1.png could not be made: no room for a label" in problem.error.message
    assert names(tmp_path) == ["2.png"]
    assert events.threads == {threading.current_thread().name}


async def test_a_full_disk_is_told_and_leaves_no_half_picture(tmp_path: Path) -> None:
    events = Events()
    with small_disk(tmp_path / "disk", 64) as disk:
        async with writer(events) as images:
            await images.submit(disk / "small.png", blank)
            await images.submit(disk / "large.png", lambda: Image.effect_noise((400, 400), 80))
            await images.drain()
        assert names(disk) == ["small.png"]
    (problem,) = events.problems
    assert problem.error.type == "StoreError"
    assert "large.png: the disk is full" in problem.error.message
    assert "Free some space" in problem.error.fix


async def test_a_failure_that_the_journal_cannot_keep_either_is_raised(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    async with writer(Events(fail=True)) as images:
        await images.submit(tmp_path / "file" / "1.png", blank)
        with pytest.raises(StoreError, match="the journal is full too"):
            await images.drain()


async def test_what_was_handed_in_is_written_even_when_the_session_is_cancelled(tmp_path: Path) -> None:
    with anyio.CancelScope() as scope:
        async with writer(Events()) as images:
            for number in range(4):
                await images.submit(tmp_path / f"{number}.png", blank)
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    assert len(names(tmp_path)) == 4


async def test_a_closed_writer_says_so(tmp_path: Path) -> None:
    async with writer(Events()) as images:
        pass
    with pytest.raises(StoreError, match=r"closed; .*1\.png was not written"):
        await images.submit(tmp_path / "1.png", blank)


def test_a_replaced_file_is_whole_and_readable_by_others(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["f"]
    plain = tmp_path / "plain"
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode
