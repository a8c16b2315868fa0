"""Every way a hand moves arrives at a program as it was meant, as the program's own record of its events says."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.windows import Application
from deskhand.desktop.user_guard import GuardRules, PersonMode
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import SomePlace, a11y_address, keys_down, linux_desktop
from desktop.linux.somebody import Somebody
from support import QT6, ROOT, need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("act.every-move")]

PROGRAMS: Final = {
    "GTK 3": ("/usr/bin/python3", str(ROOT / "tests/apps/events_gtk3.py")),
    "Qt 5": ("/usr/bin/python3", str(ROOT / "tests/apps/events_qt.py")),
    "Qt 6": (str(QT6), str(ROOT / "tests/apps/events_qt.py")),
}
POINT: Final[dict[str, JsonValue]] = {"x": 0.5, "y": 0.6}
LEFT: Final[dict[str, JsonValue]] = {"x": 0.2, "y": 0.6}


class Events:
    """A program that records its events; `new` are those since the last time, motions left out."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, file: Path) -> None:
        self.desktop, self.window, self.tools = desktop, window, Tools(desktop)
        self._file = file
        self._read = 0

    async def do(self, tool: str, **arguments: JsonValue) -> Result:
        return await self.tools.run(self.window, tool, None, **arguments)

    def _lines(self) -> list[str]:
        return self._file.read_text(encoding="utf-8").splitlines()[self._read :]

    async def new(self, wanted: Sequence[str] | None = None) -> list[str]:
        """The events, once they are these, or at a deadline; without any, once nothing changes any more."""

        async def arrived() -> bool | None:
            return True if self._events() == wanted else None

        if wanted is None:
            await self.desktop.settle(self.window, quiet_s=0.1)
        else:
            await self.desktop.wait_until(arrived, deadline_s=5)
        events = self._events()
        self._read += len(self._lines())
        return events

    def _events(self) -> list[str]:
        return [line for line in self._lines() if not line.startswith("move")]

    async def moves(self) -> list[tuple[int, int]]:
        """The motions while a button was down, since the last time, once nothing changes any more."""
        await self.desktop.settle(self.window, quiet_s=0.2)
        lines = [line.split() for line in self._lines()]
        self._read += len(lines)
        places = (line[1].split(",") for line in lines if line[0] == "move")
        return [(int(x), int(y)) for x, y in places]


@asynccontextmanager
async def events(toolkit: str, folder: Path) -> AsyncGenerator[Events]:
    need(*([QT6] if toolkit == "Qt 6" else []))
    file = folder / "events"
    async with linux_desktop(folder) as desktop:
        window = await desktop.launch(Application("events", (*PROGRAMS[toolkit], str(file)), window="^Events$"))
        it = Events(desktop, window, file)
        await desktop.settle(window)
        yield it


def clicked(button: str, *more: str, held: str = "") -> list[str]:
    """A click, with what a toolkit adds to its press."""
    return [" ".join(filter(None, (what, button, held))) for what in ("down", *more, "up")]


@pytest.mark.full("other toolkits take the same way", but=["GTK 3"])
@pytest.mark.parametrize("toolkit", PROGRAMS)
async def test_clicks_and_the_wheel_arrive_with_their_buttons_counts_and_modifiers(
    toolkit: str, tmp_path: Path
) -> None:
    triple = ["triple"] if toolkit == "GTK 3" else []
    third = clicked("left", *triple)
    held = clicked("left", held="ctrl+shift")
    wheel: list[tuple[dict[str, JsonValue], list[str]]] = [
        ({"wheel_dist": 2}, ["wheel up"] * 2),
        ({"wheel_dist": -1, "sideways": True}, ["wheel left"]),
        ({"wheel_dist": 2, "sideways": True}, ["wheel right"] * 2),
    ]
    async with events(toolkit, tmp_path) as it:
        assert (await it.do("click_on_coordinates", **POINT, count=3)).effect is Effect.UNVERIFIABLE
        wanted = [*clicked("left"), *clicked("left", "double"), *third]
        assert await it.new(wanted) == wanted
        for button in ("back", "forward"):
            await it.do("click_on_coordinates", **POINT, button=button)
            assert await it.new(clicked(button)) == clicked(button)
        await it.do("click_on_coordinates", **POINT, hold="shift+ctrl")
        assert [line for line in await it.new() if not line.startswith(("key", "release"))] == held
        await it.do("click_on_coordinates", **POINT, button="right", hold="alt")
        found = [line for line in await it.new() if not line.startswith(("key", "release"))]
        assert found == clicked("right", held="alt"), "the window manager takes nothing of it"
        for arguments, turned in wheel:
            await it.do("wheel_mouse_input", **POINT, **arguments)
            assert await it.new(turned) == turned
        await it.do("wheel_mouse_input", **POINT, wheel_dist=-1, hold="ctrl")
        assert "wheel down ctrl" in await it.new()
        assert keys_down(it.desktop.environment["DISPLAY"]) == 0


@pytest.mark.full("other toolkits take the same way", but=["Qt 6"])
@pytest.mark.parametrize("toolkit", PROGRAMS)
async def test_a_drag_passes_its_points_evenly_and_a_button_may_be_pressed_and_released_apart(
    toolkit: str, tmp_path: Path
) -> None:
    async with events(toolkit, tmp_path) as it:
        ends: dict[str, JsonValue] = {"start_x": 0.2, "start_y": 0.4, "end_x": 0.6, "end_y": 0.8}
        await it.do("drag_on_coordinates", **ends, via=[{"x": 0.6, "y": 0.4}], hold="alt")
        moves = await it.moves()
        (x0, y0), (x1, y1) = moves[0], moves[-1]
        first, second = [y for x, y in moves if abs(x - x1) > 1], [x for x, y in moves if abs(y - y0) > 1]
        assert {*first} <= {y0 - 1, y0, y0 + 1}, "straight to the point that it passes"
        assert {*second} <= {x1 - 1, x1, x1 + 1}, "and straight on"
        assert min(len(first), len(second)) >= 3, moves
        assert x0 < x1
        assert y0 < y1

        result = await it.do("hold_button", **LEFT)
        assert await it.new(["down left"]) == ["down left"], result
        refused = await it.do("click_on_coordinates", **POINT)
        assert refused.effect is Effect.REFUSED
        assert refused.error is not None
        assert "let_go" in refused.error.fix
        await it.do("hover", **POINT)
        assert len(await it.moves()) >= 5
        await it.do("let_go", x=0.7, y=0.6)
        assert (await it.new(["up left"]))[-1:] == ["up left"]
        nothing = await it.do("let_go")
        assert nothing.effect is Effect.REFUSED


@pytest.mark.full("other toolkits take the same way", but=["GTK 3"])
@pytest.mark.parametrize("toolkit", PROGRAMS)
async def test_keys_by_themselves_of_the_number_pad_held_and_locked_arrive(toolkit: str, tmp_path: Path) -> None:
    async with events(toolkit, tmp_path) as it:
        await it.do("keyboard_input", keys="{SHIFT}")
        assert [line.split()[:2] for line in await it.new()] == [["key", "Shift_L"], ["release", "Shift_L"]]
        await it.do("keyboard_input", keys="{KP_ENTER}")
        assert await it.new(["key KP_Enter", "release KP_Enter"]) == ["key KP_Enter", "release KP_Enter"]

        locked = await it.do("keyboard_input", keys="{CAPSLOCK}")
        assert (locked.effect, "capslock is on" in locked.evidence) == (Effect.CONFIRMED, True)
        await it.new()
        await it.do("keyboard_input", keys="{a}", literal=True)
        typed = [line.split()[1] for line in await it.new() if line.startswith("key")]
        braces = ["braceleft", "a", "braceright"] if toolkit == "GTK 3" else ["{", "a", "}"]
        assert [each for each in typed if each not in {"Shift_L", ""}] == braces
        assert await it.desktop.locks() == {"capslock"}
        unlocked = await it.do("keyboard_input", keys="{CAPSLOCK}")
        assert (unlocked.effect, await it.desktop.locks()) == (Effect.CONFIRMED, frozenset())
        await it.new()

        await it.do("hold_keys", keys="{SHIFT}")
        refused = await it.do("keyboard_input", keys="w")
        await it.do("click_on_coordinates", **POINT)
        await it.do("let_go")
        assert refused.effect is Effect.REFUSED
        assert await it.new() == ["key Shift_L", *clicked("left", held="shift"), "release Shift_L shift"] or (
            toolkit != "GTK 3"
        )
        held = await it.do("hold_keys", keys="x", seconds=1.2)
        lines = await it.new()
        assert held.error is None
        assert (lines[0], lines[-1]) == ("key x", "release x")
        assert len(lines) > 3, "the server repeats it"
        assert keys_down(it.desktop.environment["DISPLAY"]) == 0


@pytest.mark.full("test_holding has the same in memory")
@pytest.mark.parametrize("toolkit", PROGRAMS)
async def test_a_tooltip_that_appears_confirms_that_the_pointer_is_there(toolkit: str, tmp_path: Path) -> None:
    async with events(toolkit, tmp_path) as it:
        tipped = await it.tools.find(it.window, "Tipped", Role.BUTTON)
        result = await it.tools.run(it.window, "hover", tipped)
        elsewhere = await it.do("hover", **POINT)
    assert result.effect is Effect.CONFIRMED, result
    assert "popup" in result.evidence or "What it does" in result.evidence, "its words are read with the extra vision"
    assert elsewhere.effect is Effect.UNVERIFIABLE, elsewhere


@pytest.mark.requires("guard.released")
async def test_what_is_left_down_is_released_in_time_and_as_soon_as_the_user_acts(tmp_path: Path) -> None:
    async with events("GTK 3", tmp_path) as it:
        desktop = it.desktop
        await desktop.watch(GuardRules(person=PersonMode.PAUSE, quiet_s=0.3))
        rect = it.window.rect

        async def all_up() -> bool | None:
            return None if (await desktop.left_down()).names else True

        await desktop.hold_button(rect.center, MouseButton.LEFT, for_s=2.0)
        assert (await desktop.left_down()).button == "The left mouse button"
        assert await desktop.wait_until(all_up, deadline_s=20)
        assert await it.new(clicked("left")) == clicked("left")

        await desktop.hold_keys(Chord("x"))
        person = Somebody(desktop.environment["DISPLAY"])
        person.key("F5")
        person.close()
        assert await desktop.wait_until(all_up, deadline_s=20)
        assert keys_down(desktop.environment["DISPLAY"]) == 0


async def test_a_desktop_that_is_closed_leaves_nothing_down(tmp_path: Path) -> None:
    async with events("GTK 3", tmp_path) as it:
        environment = it.desktop.environment
        place = SomePlace("visitor", environment["DISPLAY"], environment, await a11y_address(environment))
        visitor = await attach(place)
        await visitor.hold_button(it.window.rect.center, MouseButton.RIGHT)
        assert await it.new(["down right"]) == ["down right"]
        await visitor.hold_keys(Chord("shift"))
        assert await it.new(["key Shift_L"]) == ["key Shift_L"]
        await visitor.close()
        assert await it.new(["up right shift", "release Shift_L shift"]) == ["up right shift", "release Shift_L shift"]
        assert keys_down(environment["DISPLAY"]) == 0
