"""Texts read from pictures: `bench_ocr.py [REPEATS]` prints words, places and seconds for 40 words in each toolkit.

The places are compared with those that the toolkit itself gives the text. `wall` and `cpu` are medians for one picture
with loaded models, nothing cached; `observe` is the whole observation of a window that changed.
"""

import json
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.picture_text.models import TextModels
from deskhand.desktop.picture_text.reader import PictureTexts
from deskhand.desktop.protocols.windows import Application
from tests.desktop.linux.changing import APPS, SYSTEM_PYTHON
from tests.desktop.linux.fixture import linux_desktop

TOOLKITS = ("tk", "gtk3", "qt", "chromium")
DEADLINE_S = 30.0


def load() -> TextModels:
    """The models, with what loading them takes."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    models = TextModels()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    print(
        f"loaded in {time.perf_counter() - began:.2f} s, {grown} MB of memory; {os.getloadavg()[0]:.1f} processes ran"
    )
    return models


async def timed(
    models: TextModels, window: TargetInfo, picture: Picture, part: Rect, repeats: int
) -> tuple[float, float]:
    """Median seconds and processor seconds of a picture that is read anew."""
    wall, cpu = list[float](), list[float]()
    for _ in range(repeats + 1):
        reader = PictureTexts(lambda: models)
        began, worked = time.perf_counter(), time.process_time()
        await reader.read(window, picture, [part], deadline_s=DEADLINE_S)
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - worked)
    return statistics.median(wall[1:]), statistics.median(cpu[1:])


async def measure(desktop: LinuxDesktop, models: TextModels, toolkit: str, theme: str, repeats: int) -> None:
    state_file = Path(desktop.environment["HOME"]) / f"{toolkit}-{theme}.json"
    argv = (SYSTEM_PYTHON, str(APPS / f"words_{toolkit}.py"), str(state_file), theme)
    window = await desktop.launch(Application(f"words-{toolkit}-{theme}", argv))
    await desktop.settle(window, quiet_s=0.5)
    began = time.perf_counter()
    seen = await desktop.observe(window)
    observed = time.perf_counter() - began
    read = {c.name: c.rect for c in seen.controls if Trait.READ_FROM_PICTURE in c.traits}
    lines = {line["text"]: line["rect"] for line in json.loads(state_file.read_text(encoding="utf-8"))["lines"]}
    known = {word for text in read for word in text.split()}
    words = [word for text in lines for word in text.split()]
    right = sum(word in known for word in words)
    off = [
        abs(a - b)
        for text in lines.keys() & read.keys()
        for a, b in zip(read[text].to_list(), lines[text], strict=True)
    ]
    canvas = next((c.rect for c in seen.controls if c.type == "canvas"), seen.window.rect)
    assert seen.picture is not None
    wall, cpu = await timed(models, seen.window, seen.picture, canvas, repeats)
    print(
        f"{toolkit:9} {theme:6} {right} of {len(words)} words, {len(read.keys() - lines.keys())} others, "
        f"places within {max(off)} px   wall {wall:.2f} s  cpu {cpu:.2f} s  observe {observed:.2f} s",
        flush=True,
    )
    await desktop.ask_to_close(window)


async def main(repeats: int) -> None:
    models = load()
    with tempfile.TemporaryDirectory(prefix="bench-ocr-") as folder:
        async with linux_desktop(Path(folder)) as desktop:
            for toolkit in TOOLKITS:
                for theme in ("light", "dark"):
                    await measure(desktop, models, toolkit, theme, repeats)


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 9)
