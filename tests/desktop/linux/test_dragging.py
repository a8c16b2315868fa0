"""What is dragged is dropped where it was meant to be, as the program's own title says; plain drags work as before."""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import pytest
from Xlib import X
from Xlib.display import Display

from deskhand.core.command import Effect, Result
from deskhand.core.errors import PersonActs
from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.x11.input import XInput
from deskhand.desktop.protocols.windows import Application
from deskhand.desktop.user_guard import GuardRules, PersonMode
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from desktop.linux.somebody import Somebody
from support import QT6, ROOT, need, wait_until_ended

pytestmark = [pytest.mark.desktop, pytest.mark.requires("act.drag")]

PAGE: Final = """<!doctype html><meta charset=utf-8><title>Dragging [] [0] []</title><style>
body { font: 16px monospace; margin: 8px } .list { float: left; width: 160px; height: 160px; border: 1px solid }
input, p { clear: both; display: block; width: 320px; margin: 8px 0 } .list div { height: 24px }</style>
<div class=list role=list aria-label=Left><div role=listitem draggable=true>One</div>
<div role=listitem draggable=true>Two</div></div>
<div class=list role=list aria-label=Right></div>
<input type=range aria-label=Slider min=0 max=100 value=0>
<p>some words to select</p>
<script>
const [left, right] = document.querySelectorAll(".list"), slider = document.querySelector("input")
const tell = () => {
  const held = [...right.children].map(each => each.textContent)
  document.title = `Dragging [${held}] [${slider.value}] [${getSelection()}]`
}
left.addEventListener("dragstart", event => event.dataTransfer.setData("text/plain", event.target.textContent))
right.addEventListener("dragover", event => event.preventDefault())
right.addEventListener("drop", event => {
  event.preventDefault()
  right.append(Object.assign(document.createElement("div"), { textContent: event.dataTransfer.getData("text/plain") }))
  tell()
})
slider.addEventListener("input", tell)
document.addEventListener("selectionchange", tell)
</script>"""

WORDS: Final = "some words to select"
TOOLKITS: Final = ("GTK 3", "Qt 5", "Qt 6", "Chromium")


class Dragging:
    """The lists of one toolkit in a window of their own; `told` are the three things that its title says."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo) -> None:
        self.desktop = desktop
        self._window = window
        self._tools = Tools(desktop)

    async def place(self, role: Role, name: str = "") -> Rect:
        async def look() -> Rect | None:
            seen = await self.desktop.observe(self._window, picture=False)
            found = (each for each in seen.controls if each.type is role and name in {each.name, ""})
            return next((each.rect for each in found if not each.rect.empty), None)

        rect = await self.desktop.wait_until(look, deadline_s=20)
        assert rect is not None, (role, name)
        return rect

    async def item(self, name: str) -> Point:
        """Where an item of the left list stands."""

        async def look() -> Point | None:
            seen = await self.desktop.observe(self._window, picture=False)
            found = (each.rect for each in seen.controls if name in {each.name, each.value})
            return next((rect.center for rect in found if not rect.empty), None)

        point = await self.desktop.wait_until(look, deadline_s=20)
        assert point is not None, name
        return point

    async def drag(self, start: Point, end: Point) -> Result:
        rect = (await self.now()).rect
        ends = {
            f"{which}_{axis}": (place - first + 0.5) / size
            for which, point in (("start", start), ("end", end))
            for axis, place, first, size in (
                ("x", point.x, rect.left, rect.width),
                ("y", point.y, rect.top, rect.height),
            )
        }
        return await self._tools.run(self._window, "drag_on_coordinates", None, **ends)

    async def click(self, role: Role, name: str) -> Result:
        return await self._tools.run(self._window, "click_input", await self._tools.find(self._window, name, role))

    async def told(self, *wanted: str) -> list[str]:
        """What the title says, once it says that, or at a deadline."""
        return await self.told_when(lambda now: now == list(wanted))

    async def told_when(self, holds: Callable[[list[str]], bool]) -> list[str]:
        """The words of the title, once that holds, or at a deadline."""
        now: list[str] = []

        async def look() -> bool | None:
            now[:] = (await self.now()).name.partition("Dragging [")[2].partition("] - ")[0].rstrip("]").split("] [")
            return True if holds(now) else None

        await self.desktop.wait_until(look, deadline_s=20)
        return now

    async def text(self) -> Rect:
        """Where the text to be selected stands."""
        seen = await self.desktop.observe(self._window, picture=False)
        rect = next(each.rect for each in seen.controls if WORDS in {each.name, each.value})
        return replace(rect, right=rect.left + 250)

    def buttons(self) -> int:
        """What is down of the pointer."""
        display = Display(self.desktop.environment["DISPLAY"])
        try:
            return int(display.screen().root.query_pointer().mask) & (X.Button1Mask | X.Button2Mask | X.Button3Mask)
        finally:
            display.close()

    async def released(self) -> bool:
        """Whether all of it is up, once the window manager lets the server go on: a press is its own first."""

        async def up() -> bool | None:
            return True if self.buttons() == 0 else None

        return bool(await self.desktop.wait_until(up, deadline_s=10))

    async def now(self) -> TargetInfo:
        return next(each for each in await self.desktop.windows() if each.handle == self._window.handle)


@asynccontextmanager
async def dragging(toolkit: str, folder: Path) -> AsyncGenerator[Dragging]:
    page = folder / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    programs = {
        "GTK 3": ("/usr/bin/python3", str(ROOT / "tests/apps/dragging_gtk3.py")),
        "Qt 5": ("/usr/bin/python3", str(ROOT / "tests/apps/dragging_qt.py")),
        "Qt 6": (str(QT6), str(ROOT / "tests/apps/dragging_qt.py")),
        "Chromium": ("chromium", f"--app={page.as_uri()}"),
    }
    need(*([QT6] if toolkit == "Qt 6" else []))
    async with linux_desktop(folder) as desktop:
        window = await desktop.launch(Application("dragging", programs[toolkit], window="^Dragging"))
        yield Dragging(desktop, window)


@pytest.mark.full("other toolkits take the same way; GTK 3 is tried in other tests", but=["Qt 6"])
@pytest.mark.parametrize("toolkit", TOOLKITS)
async def test_an_item_that_is_dragged_to_another_list_is_dropped_there(toolkit: str, tmp_path: Path) -> None:
    async with dragging(toolkit, tmp_path) as it:
        right = (await it.place(Role.LIST, "Right")).center
        held: list[str] = []
        for name in ("Two", "One", "Two"):
            result = await it.drag(await it.item(name), right)
            held.append(name)
            assert await it.told(",".join(held), "0", "") == [",".join(held), "0", ""], result
            assert (result.effect, it.buttons()) == (Effect.CONFIRMED, 0), result


@pytest.mark.full("other toolkits take the same way", but=["GTK 3", "Chromium"])
@pytest.mark.parametrize("toolkit", TOOLKITS)
async def test_a_slider_and_a_text_are_dragged_as_by_hand(toolkit: str, tmp_path: Path) -> None:
    async with dragging(toolkit, tmp_path) as it:
        slider, text = await it.place(Role.SLIDER), await it.text()
        result = await it.drag(Point(slider.left + 8, slider.center.y), slider.center)
        stands = int((await it.told_when(lambda now: 45 <= int(now[1]) <= 55))[1])
        assert (45 <= stands <= 55, result.effect) == (True, Effect.CONFIRMED), (stands, result)
        result = await it.drag(Point(text.right - 2, text.center.y), Point(text.left + 2, text.center.y))
        assert await it.told("", str(stands), WORDS) == ["", str(stands), WORDS], result
        assert (result.effect, it.buttons()) == (Effect.CONFIRMED, 0), result


@pytest.mark.requires("effect.drag")
async def test_an_item_that_nobody_takes_is_only_selected_which_is_no_effect_of_the_drag(tmp_path: Path) -> None:
    async with dragging("GTK 3", tmp_path) as it:
        result = await it.drag(await it.item("Two"), (await it.place(Role.SLIDER)).center)
        assert (result.effect, result.retry_safe) == (Effect.UNVERIFIABLE, False), result
        assert 'listitem "Two" is now selected' in result.evidence
        assert "only the press" in result.evidence
        assert await it.told("", "0", "") == ["", "0", ""]


@pytest.mark.full("menus and drags are tried in other tests")
async def test_menus_are_chosen_from_after_a_drag(tmp_path: Path) -> None:
    """GTK 3 keeps the window of what was dragged, out of sight."""
    async with dragging("GTK 3", tmp_path) as it:
        await it.drag(await it.item("Two"), (await it.place(Role.LIST, "Right")).center)
        assert await it.told("Two", "0", "") == ["Two", "0", ""]
        for role, name in ((Role.MENU, "Slider"), (Role.MENUITEM, "To 50")):
            assert (await it.click(role, name)).effect is Effect.CONFIRMED
        assert await it.told("Two", "50", "") == ["Two", "50", ""]


@pytest.mark.full("other toolkits and stages take the same way", but=["drag_on-GTK 3"])
@pytest.mark.parametrize("toolkit", ["GTK 3", "Chromium"])
@pytest.mark.parametrize("stage", ["begin_drag", "drag_on", "hover"])
async def test_nothing_stays_pressed_or_is_dropped_where_a_drag_is_cancelled(
    toolkit: str, stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with dragging(toolkit, tmp_path) as it:
        right, down = (await it.place(Role.LIST, "Right")).center, list[int]()
        with anyio.CancelScope() as scope:
            cancel = _from_a_thread(scope.cancel)
            _after(monkeypatch, stage, lambda: (down.append(it.buttons()), cancel()))
            await it.desktop.drag(await it.item("Two"), right)
        monkeypatch.undo()
        assert (scope.cancelled_caught, down, await it.released()) == (True, [X.Button1Mask], True)
        await it.drag(await it.item("One"), right)
        told = await it.told_when(lambda now: now[0].endswith("One"))
        assert told[0].endswith("One")
        assert told[0] == "One" or stage != "begin_drag", "the pointer is at the end already, and may drop there"


@pytest.mark.requires("guard.person", "guard.released")
async def test_a_person_who_acts_in_the_middle_ends_the_drag_which_says_that_it_had_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with dragging("GTK 3", tmp_path) as it:
        assert await it.desktop.watch(GuardRules(PersonMode.PAUSE, quiet_s=3, patience_s=20)) == ()
        person, end = Somebody(it.desktop.environment["DISPLAY"]), (await it.place(Role.LIST, "Right")).center
        item = await it.item("Two")
        await it.desktop.drag(item, end)
        assert (await it.told("Two", "0", ""), it.desktop.guard.paused) == (["Two", "0", ""], ""), "ours are known"
        _after(monkeypatch, "begin_drag", lambda: person.key("F5"))
        with pytest.raises(PersonActs) as raised:
            await it.desktop.drag(item, end)
        assert raised.value.sent == ("the press of a drag",)
        assert await it.released()
        assert await it.told("Two", "0", "") == ["Two", "0", ""]
        person.close()


async def test_an_application_that_ends_in_the_middle_ends_the_drag_which_says_that_it_had_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with dragging("GTK 3", tmp_path) as it:
        item, end = await it.item("Two"), (await it.place(Role.LIST, "Right")).center
        pid = (await it.now()).pid
        assert pid is not None
        _after(monkeypatch, "begin_drag", lambda: (os.kill(pid, signal.SIGKILL), wait_until_ended([pid])))
        result = await it.drag(item, end)
        assert (result.effect, result.delivered, result.retry_safe) == (Effect.UNVERIFIABLE, True, False), result
        assert result.error is not None
        assert "in the middle of a drag" in result.error.message
        assert await it.released()


async def test_a_connection_that_is_given_up_in_the_middle_leaves_nothing_pressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with dragging("GTK 3", tmp_path) as it:
        item, end = await it.item("Two"), (await it.place(Role.LIST, "Right")).center
        held, down = threading.Event(), list[int]()
        with anyio.CancelScope() as scope:
            cancel = _from_a_thread(scope.cancel)

            def hang() -> None:
                down.append(it.buttons())
                cancel()
                held.wait(20)

            _after(monkeypatch, "begin_drag", hang)
            await it.desktop.drag(item, end)
        assert (scope.cancelled_caught, down, await it.released()) == (True, [X.Button1Mask], True)
        held.set()


def _from_a_thread(act: Callable[[], None]) -> Callable[[], object]:
    return partial(asyncio.get_running_loop().call_soon_threadsafe, act)


def _after(monkeypatch: pytest.MonkeyPatch, stage: str, happens: Callable[[], object]) -> None:
    """Something happens in the thread of the connection once a stage of a drag was sent."""
    send = getattr(XInput, stage)

    def sent(hands: XInput, *given: object) -> None:
        send(hands, *given)
        happens()

    monkeypatch.setattr(XInput, stage, sent)
