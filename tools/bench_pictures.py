"""What pictures cost: `bench_pictures.py [REPEATS]` prints medians, and ratios to packing the picture as a whole.

The screen is a private one of 1920x1080, filled with text. Both ways are taken in turns in one run. `clock` is what
somebody waits, `cpu` what this process computes: on a busy machine only the second says something.
"""

import statistics
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import anyio
import mss
from PIL import Image, ImageDraw
from Xlib import X
from Xlib.display import Display

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from deskhand.perception.annotation import PhotographerFacade
from deskhand.store.png import encode_png, fastest_deflate

SIZE = (1920, 1080)
LABELS = 100


def busy_screen() -> Image.Image:
    """Flat areas, lines and text, as a busy window has them."""
    image = Image.new("RGB", SIZE, "#f4f4f4")
    draw = ImageDraw.Draw(image)
    for row in range(0, SIZE[1], 22):
        draw.line((0, row, SIZE[0], row), fill="#c8c8c8")
        for column in range(0, SIZE[0], 160):
            draw.text((column + 6, row + 5), f"Cell {row * 7919 + column}", fill="#202020")
    return image


def controls() -> tuple[TargetInfo, ...]:
    return tuple(
        TargetInfo(
            TargetKind.CONTROL,
            f"control {number}",
            Role.BUTTON,
            Rect.from_extents(number % 10 * 180 + 5, number // 10 * 100 + 5, 150, 22),
            id=str(number + 1),
            handle=str(number),
        )
        for number in range(LABELS)
    )


def packed_whole(grabber: mss.MSS) -> bytes:
    """Grab to PNG, the picture turned and its rows joined as a whole."""
    pixels = grabber.grab((0, 0, *SIZE)).bgra
    rgb = Image.frombuffer("RGB", SIZE, pixels, "raw", "BGRX", 0, 1).tobytes()
    stride = SIZE[0] * 3
    rows = memoryview(rgb)
    lines = b"\0".join([b"", *(rows[start : start + stride] for start in range(0, len(rgb), stride))])
    stream = fastest_deflate()(1)
    parts = (b"IHDR" + struct.pack(">IIBBBBB", *SIZE, 8, 2, 0, 0, 0), b"IDAT" + stream.compress(lines) + stream.flush())
    chunks = (
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in (*parts, b"IEND")
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def taken(grabber: mss.MSS) -> Picture:
    return Shot(grabber.grab((0, 0, *SIZE)).raw, Rect(0, 0, *SIZE)).picture(())


def measured(works: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, tuple[float, float]]:
    """Medians of clock and cpu in ms; the works take turns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for turn in range(repeats + 2):
        for name, work in works.items():
            clock, cpu = time.perf_counter(), time.thread_time()
            work()
            spent = (time.perf_counter() - clock) * 1000, (time.thread_time() - cpu) * 1000
            if turn >= 2:  # the first ones warm up
                times[name].append(spent)
    return {name: (statistics.median(c for c, _ in t), statistics.median(p for _, p in t)) for name, t in times.items()}


async def main(repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desktop = await start_virtual("bench", root=Path(folder), size=SIZE)
        try:
            bench(desktop.display, repeats)
        finally:
            await desktop.close()


def bench(display: str, repeats: int) -> None:
    painter = Display(display)
    window = painter.screen().root.create_window(0, 0, *SIZE, 0, X.CopyFromParent, override_redirect=True)
    window.map()
    window.put_pil_image(window.create_gc(), 0, 0, busy_screen())
    painter.sync()
    photographer, targets = PhotographerFacade(), controls()
    grabber = mss.MSS(display=display)
    try:
        picture = taken(grabber)
        drawn = photographer.capture_with_target_list(picture, targets)
        whole, ours = "grab to PNG, as a whole", "grab to PNG"
        found = measured(
            {
                "grab": partial(taken, grabber),
                "encode": partial(encode_png, picture),
                ours: lambda: encode_png(taken(grabber)),
                whole: partial(packed_whole, grabber),
                f"draw {LABELS} labels": partial(photographer.capture_with_target_list, picture, targets),
                "encode what was drawn": partial(encode_png, drawn),
                f"grab to PNG with {LABELS} labels": lambda: encode_png(
                    photographer.capture_with_target_list(taken(grabber), targets)
                ),
            },
            repeats,
        )
    finally:
        grabber.close()
        painter.close()
    for name, (clock, cpu) in found.items():
        print(f"{name:32} clock {clock:7.2f} ms   cpu {cpu:7.2f} ms")
    ratios = [old / new for old, new in zip(found[whole], found[ours], strict=True)]
    print(f"as a whole takes {ratios[0]:.1f} times as long, {ratios[1]:.1f} times the cpu")


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 25)
