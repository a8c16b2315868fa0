"""Figures of `deskhand view` on a desktop of its own, seen in Chromium.

python tools/bench_view.py [SAMPLES]

Printed are: the time from opening a page to its first picture; from a change on the screen, and from a click in the
page, to the pixels of the page's canvas; the processor time of the view while the desktop is still, and while a window
is painted all over 30 times a second; its memory after pages were reloaded, and after 10 000 frames.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
from playwright.async_api import Browser, Page, async_playwright
from Xlib import X
from Xlib.display import Display

from deskhand.desktop.linux.runtime.named_desktop import start_named, stop_named

NAME: Final = "bench-view"
CHROMIUM: Final = "/usr/bin/chromium"
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
STILL_S: Final = 10.0
RELOADS: Final = 50
FRAMES: Final = 10_000
COLOURS: Final = (0xC81E1E, 0x1EC81E, 0x1E1EC8)
FIRST: Final = 'document.querySelector("#picture[data-shown]") !== null'
WATCH: Final = """
() => new Promise(resolve => {
  const pen = document.getElementById("picture").getContext("2d");
  const before = pen.getImageData(150, 150, 1, 1).data.join();
  window.ready = true;
  const look = () => pen.getImageData(150, 150, 1, 1).data.join() === before
    ? setTimeout(look, 1) : resolve(performance.timeOrigin + performance.now());
  look();
})
"""


class Patch:
    """A window of one colour, which a click changes."""

    def __init__(self, display: str, width: int = 200, height: int = 200) -> None:
        self._display = Display(display)
        root = self._display.screen().root
        self._turn = 0
        self._window = root.create_window(
            100, 100, width, height, 0, 24, background_pixel=COLOURS[0], override_redirect=1,
            event_mask=X.ButtonPressMask,
        )  # fmt: skip
        self._window.map()
        self._display.sync()

    def paint(self) -> None:
        self._turn += 1
        self._window.change_attributes(background_pixel=COLOURS[self._turn % len(COLOURS)])
        self._window.clear_area()
        self._display.flush()

    def paint_when_clicked(self) -> None:
        """Block until there is a click."""
        while self._display.next_event().type != X.ButtonPress:
            pass
        self.paint()

    def close(self) -> None:
        self._display.close()


@dataclass(frozen=True)
class View:
    address: str
    pid: int

    def seconds(self) -> float:
        """Processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


@contextmanager
def viewed() -> Generator[View]:
    command = (sys.executable, "-m", "deskhand", "view", "--desktop", NAME, "--json")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield View(json.loads(process.stdout.readline())["url"], process.pid)
    finally:
        process.terminate()
        process.wait()


@asynccontextmanager
async def opened(browser: Browser, view: View) -> AsyncGenerator[Page]:
    context = await browser.new_context(viewport={"width": 1200, "height": 900})
    page = await context.new_page()
    await page.goto(view.address)
    await page.locator("#picture[data-shown]").wait_for()
    yield page
    await context.close()


async def first_picture(browser: Browser, view: View) -> float:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto("about:blank")
    begun = time.monotonic()
    await page.goto(view.address)
    await page.locator("#picture[data-shown]").wait_for(state="attached")
    took = time.monotonic() - begun
    await context.close()
    return took


async def seen(page: Page, cause: Callable[[], Awaitable[None]]) -> float:
    """Return the time from a cause until the page shows another colour."""
    watching = asyncio.ensure_future(page.evaluate(WATCH))
    while not await page.evaluate("window.ready"):
        await anyio.lowlevel.checkpoint()
    await page.evaluate("window.ready = false")
    begun = time.time()
    await cause()
    return await watching / 1000 - begun


async def changes(page: Page, patch: Patch, samples: int) -> list[float]:
    async def paint() -> None:
        patch.paint()

    return [await seen(page, paint) for _ in range(samples)]


async def clicks(page: Page, patch: Patch, samples: int) -> list[float]:
    await page.get_by_role("button", name="Take over").click()
    await page.locator("body[data-hands=mine]").wait_for()
    box = await page.locator("#picture").bounding_box()
    assert box is not None
    scale = box["width"] / 1920
    x, y = box["x"] + 200 * scale, box["y"] + 200 * scale
    await page.mouse.move(x, y)
    found: list[float] = []
    async with anyio.create_task_group() as group:
        for _ in range(samples):
            group.start_soon(anyio.to_thread.run_sync, patch.paint_when_clicked)
            found.append(await seen(page, page.mouse.down))
            await page.mouse.up()
    await page.get_by_role("button", name="Hand back").click()
    return found


async def share_of_core(view: View, seconds: float) -> float:
    before, begun = view.seconds(), time.monotonic()
    await anyio.sleep(seconds)
    return (view.seconds() - before) / (time.monotonic() - begun)


async def painted(patch: Patch, until: Callable[[], Awaitable[bool]]) -> None:
    """Paint 30 times a second."""
    while not await until():
        patch.paint()
        await anyio.sleep(1 / 30)


async def film(view: View, patch: Patch) -> float:
    end = time.monotonic() + STILL_S
    before, begun = view.seconds(), time.monotonic()

    async def over() -> bool:
        return time.monotonic() > end

    await painted(patch, over)
    return (view.seconds() - before) / (time.monotonic() - begun)


async def many_frames(browser: Browser, view: View, patch: Patch) -> int:
    """Have four pages shown frames; return how many."""
    async with AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(opened(browser, view)) for _ in range(4)]
        shown = 0

        async def over() -> bool:
            nonlocal shown
            numbers = [
                await page.evaluate('Number(document.getElementById("picture").dataset.shown)') for page in pages
            ]
            shown = sum(numbers)
            return shown >= FRAMES

        await painted(patch, over)
        return shown


async def measure(samples: int) -> None:
    named = await start_named(NAME)
    try:
        with viewed() as view:
            async with async_playwright() as player:
                browser = await player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
                await _measured(browser, view, named.display, samples)
                await browser.close()
    finally:
        await stop_named(NAME)


async def _measured(browser: Browser, view: View, display: str, samples: int) -> None:
    patch = Patch(display)
    show("first picture", [await first_picture(browser, view) for _ in range(samples)], 500)
    async with opened(browser, view) as page:
        show("change on the page", await changes(page, patch, samples), 200)
        show("click to change on the page", await clicks(page, patch, samples), 250)
        await anyio.sleep(3)
        print(f"still desktop, one page: {await share_of_core(view, STILL_S):.1%} of a core (goal 5 %)")
        large = Patch(display, 1920, 1080)
        print(f"whole screen painted 30 times a second: {await film(view, large):.1%} of a core")
        large.close()
    print(f"still desktop, no page: {await share_of_core(view, STILL_S):.1%} of a core")
    begun = view.megabytes()
    for _ in range(RELOADS):
        async with opened(browser, view):
            pass
    print(f"{RELOADS} pages opened and closed: {begun:.1f} -> {view.megabytes():.1f} MB")
    begun = view.megabytes()
    frames = await many_frames(browser, view, patch)
    print(f"{frames} frames on four pages: {begun:.1f} -> {view.megabytes():.1f} MB")
    patch.close()


def show(what: str, seconds: list[float], goal_ms: int) -> None:
    sample = sorted(1000 * value for value in seconds)
    worst = sample[max(0, round(0.95 * len(sample)) - 1)]
    print(
        f"{what}: median {statistics.median(sample):.0f} ms, 95 % {worst:.0f} ms, n={len(sample)} (goal {goal_ms} ms)"
    )


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"XDG_STATE_HOME": folder, "HOME": folder}
        anyio.run(measure, samples)


if __name__ == "__main__":
    main()
