"""From which side a control is reached, and what keeps a click from being sent; the application says what it took."""

import json
import os
import signal
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from Xlib.display import Display

from deskhand.core.command import Effect, Route
from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent, reason
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from desktop.linux.moving import mover
from desktop.linux.sentinel import Sentinel, sentinel_below
from support import ROOT, need, wait_until_ended, writing_to

PROGRAM = ROOT / "tests/apps/ladder_gtk3.py"
LIDS: Final = {
    "GTK 4": ("/usr/bin/python3", str(ROOT / "tests/apps/lid.py"), "gtk4"),
    "Qt": ("/usr/bin/python3", str(ROOT / "tests/apps/lid.py"), "qt"),
    "Swing": (*JAVA, str(ROOT / "tests/apps/Lid.java")),
    "Chromium": ("chromium", f"--app=file://{ROOT}/tests/apps/lid.html"),
}
PATIENCE_S = 8.0
pytestmark = [pytest.mark.desktop]


@dataclass
class Ladder:
    """The fixture application with a sentinel below it."""

    desktop: LinuxDesktop
    window: TargetInfo
    sentinel: Sentinel
    folder: Path
    sent: int = 0

    def __post_init__(self) -> None:
        self.agent = Agent(self.desktop)

    def state(self) -> dict[str, object]:
        return json.loads((self.folder / "state.json").read_text(encoding="utf-8"))

    async def tell(self, *commands: str) -> None:
        for command in commands:
            self.sent += 1
            with writing_to(self.folder / "commands") as pipe:
                os.write(pipe, command.encode() + b"\n")

            async def obeyed() -> bool | None:
                return True if self.state()["done"] == self.sent else None

            assert await self.desktop.wait_until(obeyed, deadline_s=PATIENCE_S), command
        await self.desktop.settle(self.window, deadline_s=0.5)

    async def pressed(self, *names: str) -> bool:
        """Whether these were pressed, in this order, and nothing else was."""

        async def look() -> bool | None:
            return True if self.state()["pressed"] == list(names) else None

        return bool(await self.desktop.wait_until(look, deadline_s=PATIENCE_S if names else 0.2))


@pytest.fixture(scope="module")
async def watched(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[LinuxDesktop, Sentinel]]:
    """A desktop with a sentinel, for all tests of this file."""
    folder = tmp_path_factory.mktemp("watched")
    async with linux_desktop(folder) as desktop, sentinel_below(desktop, folder) as sentinel:
        yield desktop, sentinel


@pytest.fixture
async def ladder(watched: tuple[LinuxDesktop, Sentinel], tmp_path: Path) -> AsyncGenerator[Ladder]:
    """A fresh application. At the end the sentinel has heard nothing."""
    desktop, sentinel = watched
    os.mkfifo(tmp_path / "commands")
    argv = ("/usr/bin/python3", str(PROGRAM), str(tmp_path / "state.json"), str(tmp_path / "commands"))
    window = await desktop.launch(Application("ladder", argv, window="^Ladder$"))
    assert window.pid is not None
    try:
        yield Ladder(desktop, window, sentinel, tmp_path)
        assert await sentinel.leaks() == []
    finally:
        os.kill(window.pid, signal.SIGKILL)
        wait_until_ended([window.pid])


def pointer(desktop: LinuxDesktop) -> tuple[int, int]:
    display = Display(desktop.environment["DISPLAY"])
    try:
        found = display.screen().root.query_pointer()
        return found.root_x, found.root_y
    finally:
        display.close()


@pytest.mark.requires("act.sentinel")
async def test_the_sentinel_catches_a_click_and_a_key_that_leak(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop, sentinel_below(desktop, tmp_path) as sentinel:
        assert await sentinel.leaks() == []
        await desktop.click(sentinel.window.rect.center)
        await desktop.activate(sentinel.window)
        await desktop.press([Chord("a")])
        await desktop.drag(
            sentinel.window.rect.center, Point(sentinel.window.rect.center.x + 40, sentinel.window.rect.center.y)
        )
        events = [heard.event for heard in await sentinel.leaks()]
        assert sorted(events[:3]) == ["button", "button", "key"], "a window manager may hold a click back, and no key"
        assert set(events[3:]) == {"drag"}
    with pytest.raises(AssertionError, match="were not meant for"):
        async with linux_desktop(tmp_path / "again") as desktop, sentinel_below(desktop, tmp_path) as sentinel:
            await desktop.click(sentinel.window.rect.center)


@pytest.mark.requires("act.no-focus-stolen")
async def test_by_accessibility_no_pointer_moves_and_no_focus_is_taken(ladder: Ladder) -> None:
    desktop, agent = ladder.desktop, ladder.agent
    seen, target = await agent.see(ladder.window, "Target", Role.BUTTON)
    await desktop.activate(ladder.sentinel.window)
    await ladder.sentinel.heard()
    before = pointer(desktop)
    result = await agent.act("invoke", seen, target)
    assert (result.route, await ladder.pressed("Target")) == (Route.ACCESSIBILITY, True)
    assert await ladder.sentinel.heard() == []
    assert pointer(desktop) == before


@pytest.mark.requires("act.ladder")
async def test_a_window_that_is_not_in_front_is_clicked_where_it_is_and_one_that_is_covered_comes_to_the_front(
    ladder: Ladder,
) -> None:
    desktop, agent = ladder.desktop, ladder.agent
    seen, target = await agent.see(ladder.window, "Target", Role.BUTTON)
    argv = ("/usr/bin/python3", str(ROOT / "tests/apps/gtk3_many.py"), "5")
    result = await agent.act("click_input", seen, target)
    assert (result.route, reason(result), await ladder.pressed("Target")) == (Route.SYNTHETIC_INPUT, "", True)
    over = await desktop.launch(Application("many", argv))
    with mover(desktop.environment) as hand:
        hand.move(over, ladder.window.rect.left, ladder.window.rect.top)
        hand.resize(over, 500, 400)
        await desktop.settle()
        result = await agent.act("click_input", seen, target)
        assert (reason(result), await ladder.pressed("Target", "Target")) == ("", True)
    assert "active" in (await desktop.resolve(ladder.window)).states


@pytest.mark.requires("act.refusals")
async def test_what_nothing_brings_out_from_under_a_cover_is_refused_with_what_covers_it(ladder: Ladder) -> None:
    seen, target = await ladder.agent.see(ladder.window, "Target", Role.BUTTON)
    with mover(ladder.desktop.environment) as hand, hand.cover(Rect(0, 0, 1280, 800)):
        result = await ladder.agent.act("click_input", seen, target)
    assert (reason(result), result.effect, result.delivered) == ("TargetCovered", Effect.REFUSED, False)
    assert '"Cover"' in result.evidence
    assert await ladder.pressed()


@pytest.mark.full("the others are covers too", but=["lid", "disable", "dance"])
@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(
    ("begin", "end", "why", "told"),
    [
        ("lid", "no lid", "TargetCovered", 'push button "Lid"'),
        ("popover", "close", "TargetCovered", "Inside"),
        ("menu", "close", "TargetCovered", "menu"),
        ("disable", "enable", "TargetDisabled", "is disabled"),
        ("dance", "rest", "TargetMoving", "does not stay in one place"),
    ],
)
async def test_what_keeps_a_click_from_being_sent_is_its_reason_and_is_waited_for(
    ladder: Ladder, begin: str, end: str, why: str, told: str
) -> None:
    agent = ladder.agent
    seen, target = await agent.see(ladder.window, "Target", Role.BUTTON)
    await ladder.tell(begin)
    result = await agent.act("click_input", seen, target)
    assert (reason(result), result.effect, result.delivered) == (why, Effect.REFUSED, False), result
    assert told in result.evidence
    assert await ladder.pressed()
    await ladder.tell(f"soon {end}")
    result = await agent.act("click_input", seen, target)
    assert (reason(result), await ladder.pressed("Target")) == ("", True), result


@pytest.mark.full("other toolkits take the same way", but=["Chromium"])
@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize("toolkit", LIDS)
async def test_what_lies_over_a_control_in_its_own_window_is_no_place_to_click_in_any_toolkit(
    watched: tuple[LinuxDesktop, Sentinel], toolkit: str
) -> None:
    desktop, sentinel = watched
    need(*([BRIDGE] if toolkit == "Swing" else []))
    window = await desktop.launch(Application("lid", LIDS[toolkit], window="^Lid"))
    assert window.pid is not None
    try:
        agent = Agent(desktop)
        seen, under = await agent.see(window, "Under", Role.BUTTON)
        result = await agent.act("click_input", seen, under)
        assert (reason(result), '"Over"' in result.evidence, result.delivered) == ("TargetCovered", True, False), result
        seen, free = await agent.see(window, "Free", Role.BUTTON)
        result = await agent.act("click_input", seen, free)

        async def pressed() -> bool | None:
            return True if (await desktop.resolve(window)).name.startswith("Lid: Free") else None

        assert await desktop.wait_until(pressed, deadline_s=PATIENCE_S), result
        assert await sentinel.leaks() == []
    finally:
        os.kill(window.pid, signal.SIGKILL)
        wait_until_ended([window.pid])
