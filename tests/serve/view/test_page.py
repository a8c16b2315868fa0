"""The page of a view in Chromium, of a desktop in memory and of a real one."""

import json
import os
import signal
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, CDPSession, Page, async_playwright, expect
from Xlib import X
from Xlib.display import Display

from cli.driver import Finished, deskhand, environment, processes_with, start
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.desktop.protocols.input import MouseButton
from deskhand.desktop.protocols.live import ButtonChanged, KeysPressed
from desktop.linux.fixture import keys_down
from serve.view.in_memory import PATIENCE_S, LiveInMemory, serving, wait_for
from support import ROOT, wait_until_ended

pytestmark = pytest.mark.desktop

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
EVENTS = ROOT / "tests/apps/events_gtk3.py"
PIXEL = """([x, y]) => [...document.getElementById("picture").getContext("2d").getImageData(x, y, 1, 1).data]"""
BUTTONS = X.Button1Mask | X.Button2Mask | X.Button3Mask


@pytest.fixture(scope="module")
async def browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as player:
        started = await player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        await started.close()


@asynccontextmanager
async def opened(browser: Browser, address: str, **options: object) -> AsyncGenerator[Page]:
    """A page of a browser profile of its own, without errors."""
    errors: list[str] = []
    context = await browser.new_context(**options)  # pyright: ignore[reportArgumentType] - of a dict
    context.set_default_timeout(1000 * PATIENCE_S)
    page = await context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    try:
        await page.goto(address)
        await page.locator("#picture[data-shown]").wait_for()
        yield page
    finally:
        await context.close()
    assert errors == []


async def take_over(page: Page) -> None:
    await page.get_by_role("button", name="Take over").click()
    await page.locator("body[data-hands=mine]").wait_for()


async def on_screen(page: Page, x: int, y: int) -> tuple[float, float]:
    """The place in the page of a point of the desktop."""
    box = await page.locator("#picture").bounding_box()
    width = await page.locator("#picture").evaluate("picture => picture.width")
    assert box is not None
    scale = box["width"] / width
    return box["x"] + (x + 0.5) * scale, box["y"] + (y + 0.5) * scale


async def seen(page: Page, x: int, y: int, colour: tuple[int, ...]) -> None:
    """Wait until the page shows this colour. Raises: TimeoutError."""
    with anyio.fail_after(PATIENCE_S):
        while tuple((await page.evaluate(PIXEL, [x, y]))[:3]) != colour:
            pass


@pytest.mark.requires("view.picture", "view.end")
async def test_a_page_is_reloaded_connects_again_and_reports_the_end(browser: Browser) -> None:
    async with serving() as served, opened(browser, served.address) as page:
        assert page.url == f"http://{served.host}/"
        served.desktop.colour = (200, 100, 50)
        served.desktop.paint(Rect(40, 40, 60, 60))
        await seen(page, 50, 50, (200, 100, 50))
        await seen(page, 5, 5, (10, 20, 30))
        await page.reload()
        await seen(page, 5, 5, (200, 100, 50))
        await expect(page.locator("h1")).to_have_text("memory")
        served.desktop.ended.set()
        await expect(page.locator("#status")).to_contain_text("The desktop has ended.")


@pytest.mark.full("test_view has the same without a browser")
@pytest.mark.requires("view.hands")
async def test_two_pages_see_who_has_the_hands(browser: Browser) -> None:
    async with serving() as served, opened(browser, served.address) as one, opened(browser, served.address) as two:
        await take_over(one)
        await expect(two.locator("#status")).to_contain_text("viewer 1 · Chrome has pointer and keyboard.")
        await two.get_by_role("button", name="Take over").click()
        await expect(two.get_by_role("alert")).to_contain_text("ask that person to hand them back")
        await one.get_by_role("button", name="Hand back").click()
        await take_over(two)
        await expect(one.locator("#status")).to_contain_text("viewer 2 · Chrome has pointer and keyboard.")


@pytest.mark.requires("view.hands", "view.release")
async def test_fingers_tap_drag_and_scroll_and_a_lost_focus_releases(browser: Browser) -> None:
    phone = {"viewport": {"width": 400, "height": 800}, "has_touch": True, "is_mobile": True}
    async with serving() as served, opened(browser, served.address, **phone) as page:
        desktop = served.desktop
        await take_over(page)
        await page.touchscreen.tap(*await on_screen(page, 30, 40))
        await wait_for(lambda: len(desktop.sent) == 2)
        assert desktop.sent == [button(30, 40, is_down=True), button(30, 40, is_down=False)]
        desktop.sent.clear()
        fingers = await page.context.new_cdp_session(page)

        async def touch(kind: str, *points: tuple[int, int]) -> None:
            places = [await on_screen(page, *point) for point in points]
            touches: list[JsonValue] = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
            await devtools(fingers, "Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

        await touch("touchStart", (30, 40))
        await touch("touchMove", (90, 40))
        await wait_for(lambda: desktop.sent)
        assert desktop.sent[0] == button(30, 40, is_down=True)
        await page.evaluate("window.dispatchEvent(new Event('blur'))")
        await wait_for(lambda: "release" in desktop.sent)
        await touch("touchEnd")
        desktop.sent.clear()
        await touch("touchStart", (100, 100), (140, 100))
        await touch("touchMove", (100, 50), (140, 50))
        await wait_for(lambda: desktop.sent)
        assert "down=2" in str(desktop.sent[0])
        await touch("touchEnd")
        await expect(page.get_by_role("button", name="Keyboard")).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth") <= 400


@pytest.mark.requires("view.hands")
async def test_typed_composed_and_pasted_texts_arrive_as_they_are_and_keys_as_keys(browser: Browser) -> None:
    async with serving() as served, opened(browser, served.address) as page:
        await take_over(page)
        await page.keyboard.type("aB")
        await page.keyboard.press("Control+Shift+T")
        await page.keyboard.press("Shift+ArrowLeft")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Alt")
        composing = await page.context.new_cdp_session(page)
        composed: JsonObject = {"selectionStart": 2, "selectionEnd": 2}
        await devtools(composing, "Input.imeSetComposition", {"text": "にほ", **composed})
        await devtools(composing, "Input.insertText", {"text": "日本"})
        await page.locator("#keys").evaluate(
            """keys => {
                 const clipboardData = new DataTransfer();
                 clipboardData.setData("text/plain", "ü€");
                 keys.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
               }"""
        )
        await page.keyboard.press("Backspace")
        await wait_for(lambda: pressed(served.desktop)[-1:] == ["backspace"])
        assert pressed(served.desktop) == [
            *("a", "B", "ctrl+T", "shift+left", "tab", "alt"),
            *("日", "本", "ü", "€", "backspace"),
        ]


async def devtools(session: CDPSession, method: str, parameters: JsonObject) -> None:
    await session.send(method, parameters)  # pyright: ignore[reportUnknownMemberType] - a dict of anything


def button(x: int, y: int, *, is_down: bool) -> ButtonChanged:
    return ButtonChanged(Point(x, y), MouseButton.LEFT, is_down)


def pressed(desktop: LiveInMemory) -> list[str]:
    chords = [chord for event in desktop.sent if isinstance(event, KeysPressed) for chord in event.chords]
    return ["+".join((*chord.modifiers, chord.key)) for chord in chords]


@dataclass(frozen=True)
class Up:
    """A desktop with a window that records its events."""

    env: dict[str, str]
    display: str
    log: Path

    def __call__(self, *arguments: object) -> Finished:
        return deskhand(*arguments, env=self.env)

    @contextmanager
    def viewed(self) -> Generator[tuple[str, int]]:
        """`deskhand view` of it: its address, and its process."""
        process = start("view", "--desktop", "shop", "--json", env=self.env)
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"], process.pid
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_S)

    def pixel(self, x: int, y: int) -> tuple[int, ...]:
        connection = Display(self.display)
        data = connection.screen().root.get_image(x, y, 1, 1, X.ZPixmap, 0xFFFFFFFF).data
        connection.close()
        return data[2], data[1], data[0]

    @contextmanager
    def red_window(self) -> Generator[None]:
        """A window in the corner of the screen, where only the root is else."""
        connection = Display(self.display)
        root = connection.screen().root
        window = root.create_window(0, 0, 20, 20, 0, 24, background_pixel=0xFF0000, override_redirect=1)
        window.map()
        connection.sync()
        yield
        connection.close()

    def buttons_down(self) -> int:
        connection = Display(self.display)
        mask = connection.screen().root.query_pointer().mask & BUTTONS
        connection.close()
        return mask

    async def until(self, holds: Callable[[], object]) -> None:
        with anyio.fail_after(PATIENCE_S):
            while not holds():
                await anyio.lowlevel.checkpoint()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Generator[Up]:
    folder = tmp_path_factory.mktemp("viewed")
    env = environment(XDG_STATE_HOME=str(folder / "state"), HOME=str(folder), DESKHAND_RESIDENT="off")
    started = deskhand("desktop", "start", "shop", "--size", "1024x768", "--json", env=env)
    up = Up(env, str(started.item("display")), folder / "events.log")
    done = up("launch", "--desktop", "shop", "--", "/usr/bin/python3", EVENTS, up.log)
    assert done.code == 0, done.err
    yield up
    up("desktop", "stop", "--all")
    wait_until_ended(processes_with(str(folder / "state")))


@pytest.mark.requires("view.picture", "view.hands", "view.release")
async def test_a_person_clicks_and_types_on_a_real_desktop_and_a_closed_page_lets_go(browser: Browser, up: Up) -> None:
    with up.viewed() as (address, _):
        async with opened(browser, address, viewport={"width": 1200, "height": 900}) as page:
            assert len({up.pixel(500, 180), up.pixel(500, 400), up.pixel(5, 5)}) == 3
            for place in ((500, 180), (500, 400), (5, 5)):
                await seen(page, *place, up.pixel(*place))
            root = up.pixel(5, 5)
            with up.red_window():
                await seen(page, 5, 5, (255, 0, 0))
            await seen(page, 5, 5, root)
            await take_over(page)
            assert "held by viewer 1 · Chrome" in up("desktop", "list").out
            await page.mouse.click(*await on_screen(page, 500, 400))
            await page.keyboard.type("aB€")
            await page.keyboard.press("Control+t")
            await up.until(lambda: "key t ctrl" in up.log.read_text())
            lines = up.log.read_text().replace("U+20AC", "EuroSign").splitlines()
            assert {"down left", "up left", "key a", "key B shift", "key EuroSign"} <= set(lines), lines
            await page.mouse.move(*await on_screen(page, 500, 400))
            await page.keyboard.down("Shift")
            await page.mouse.down()
            await page.mouse.move(*await on_screen(page, 600, 500), steps=3)
            await up.until(lambda: up.buttons_down() and keys_down(up.display))
        await up.until(lambda: not up.buttons_down() and not keys_down(up.display))
        assert "held by" not in up("desktop", "list").out


@pytest.mark.requires("view.release")
async def test_a_view_that_is_killed_in_a_drag_leaves_nothing_down(browser: Browser, up: Up) -> None:
    with up.viewed() as (address, pid):
        async with opened(browser, address) as page:
            await take_over(page)
            await page.mouse.move(*await on_screen(page, 500, 400))
            await page.mouse.down()
            await up.until(up.buttons_down)
            os.kill(pid, signal.SIGKILL)
            await up.until(lambda: not up.buttons_down())
            await expect(page.locator("#status")).to_contain_text("The connection is lost.")
