"""No picture shows a password: fixtures write it in a colour that occurs nowhere else, and that is looked for."""

import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Final

import anyio
import pytest

from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation, Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.observe.picture_redaction import NOTHING, Hidden, Secrets, photograph
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.linux.x11.capture import XCamera
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import SCREEN, linux_desktop
from desktop.linux.moving import mover
from desktop.linux.test_geometry import CASES, launched, place_of
from desktop.linux.test_toolkits import APPS
from support import FULL

MARK: Final = b"\xfd\x02\xfd"
"""The same from either end, so that it does not matter which colour comes first."""

TRIALS: Final = 200 if FULL else 20
_TWICE: Final = ("GTK 3, twice", "GTK 4, twice", "Qt 5, one and a half", "Qt 6, twice", "Swing, twice")


def _marked(data: bytes | bytearray, size: int) -> bool:
    at = data.find(MARK)
    while at >= 0 and at % size:
        at = data.find(MARK, at + 1)
    return at >= 0


def shows_mark(picture: Picture | None) -> bool:
    assert picture is not None
    return _marked(picture.rgb, 3)


async def screen_shows_mark(environment: Mapping[str, str]) -> bool:
    """Whether it is there to be seen, passwords and all."""
    camera = await XCamera.open(environment["DISPLAY"])
    try:
        return _marked((await camera.grab()).pixels, 4)
    finally:
        await camera.close()


@pytest.mark.full(
    "the scales of the others are those of these",
    but=["GTK 3", "GTK 4, twice", "Qt 5, one and a half", "Swing, twice"],
)
@pytest.mark.desktop
@pytest.mark.requires("observe.secrets")
@pytest.mark.parametrize("case", ["GTK 3", "GTK 4", *_TWICE])
async def test_no_picture_shows_a_password_wherever_its_window_is(case: str, tmp_path: Path) -> None:
    name, settings = CASES[case]
    async with launched(name, tmp_path, settings) as (pointing, moving):
        desktop, window = pointing.desktop, pointing.window
        for corner in ((40, 30), (-150, -40), (SCREEN[0] - 250, 20)):
            moving.move(window, *corner)
            await pointing.found()
            place = place_of(pointing.truth().controls["secret"])
            half = Rect(place.left + place.width // 3, place.top - 5, place.right + 9, place.bottom + 5)
            with moving.cover(half, colour=0xFFFFFF):
                assert corner[0] < 0 or await screen_shows_mark(desktop.environment)
                now = await desktop.resolve(window)
                await _assert_hidden(desktop, now.rect)
                seen = await desktop.observe(window)
                assert not shows_mark(seen.picture)
                assert "xyzzy" not in repr([c for c in seen.controls if c.name != "Veiled"])


async def _assert_hidden(desktop: LinuxDesktop, region: Rect) -> None:
    for picture in (await desktop.screenshot(), await desktop.screenshot(region)):
        assert not shows_mark(picture)
        assert picture.unchecked == ()


@pytest.mark.desktop
@pytest.mark.requires("observe.secrets")
async def test_the_picture_of_a_window_hides_the_password_of_one_that_lies_over_it(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        with mover(desktop.environment) as moving:
            plain = ("/usr/bin/python3", str(APPS / "gtk3_many.py"), "20")
            below = await desktop.launch(Application("plain", plain))
            oracle = ("/usr/bin/python3", str(APPS / "oracle_gtk3.py"), str(tmp_path / "state.json"))
            over = await desktop.launch(Application("fixture", oracle, window="^Fixture$"))
            moving.move(over, below.rect.left + 5, below.rect.top + 5)
            await desktop.settle()
            seen = await desktop.observe(below)
            assert await screen_shows_mark(desktop.environment)
            assert not shows_mark(seen.picture)


@pytest.mark.desktop
@pytest.mark.requires("observe.secrets")
@pytest.mark.parametrize("screenshot", [False, True], ids=["window", "region"])
async def test_the_picture_of_a_window_hides_the_password_in_a_popover_that_one_beside_it_opens_over_it(
    tmp_path: Path, screenshot: bool
) -> None:
    async with linux_desktop(tmp_path) as desktop:
        with mover(desktop.environment) as moving:
            small = ("/usr/bin/python3", str(APPS / "popover_secret_gtk4.py"))
            beside = await desktop.launch(Application("small", small, window="^Small$"))
            plain = ("/usr/bin/python3", str(APPS / "popover_gtk3.py"), str(tmp_path / "state.json"))
            below = await desktop.launch(Application("plain", plain, window="^Popovers$"))
            moving.move(beside, 10, 10)
            moving.move(below, 10 + beside.rect.width + 40, 10)
            await desktop.settle()
            seen = await desktop.observe(beside, picture=False)
            opener = next(control for control in seen.controls if control.type is Role.BUTTON)
            await desktop.click(await desktop.aim(await desktop.resolve(beside), opener.rect))

            async def shown() -> bool | None:
                return await screen_shows_mark(desktop.environment) or None

            assert await desktop.wait_until(shown, deadline_s=20)
            below = await desktop.resolve(below)
            if screenshot:
                picture: Picture | None = await desktop.screenshot(below.rect)
            else:
                picture = (await desktop.observe(below)).picture
            assert not shows_mark(picture)


@pytest.mark.desktop
@pytest.mark.requires("observe.secrets")
async def test_a_password_hides_nothing_of_a_window_that_lies_over_it(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        with mover(desktop.environment) as moving:
            oracle = ("/usr/bin/python3", str(APPS / "oracle_gtk3.py"), str(tmp_path / "state.json"))
            below = await desktop.launch(Application("fixture", oracle, window="^Fixture$"))
            place = next(
                control.rect for control in (await desktop.observe(below)).controls if control.type is Role.PASSWORD
            )
            plain = ("/usr/bin/python3", str(APPS / "named_gtk4.py"))
            over = await desktop.launch(Application("plain", plain, window="^Named$"))
            moving.move(over, place.center.x, place.top - 60)
            await desktop.settle()
            edge = (await desktop.resolve(over)).rect
            free = Rect(place.left, place.top, place.center.x - 20, place.bottom)
            covered = Rect(edge.left + 2, place.top, min(edge.right, place.right) - 2, place.bottom)
            camera = await XCamera.open(desktop.environment["DISPLAY"])
            shown = (await camera.grab()).picture(())
            await camera.close()
            assert await screen_shows_mark(desktop.environment)
            for region in (None, below.rect):
                picture = await desktop.screenshot(region)
                assert not shows_mark(picture)
                assert colours(picture, covered) == colours(shown, covered)
                assert len(colours(picture, free)) == 1
            for window in (below, over):
                picture = (await desktop.observe(window)).picture
                assert not shows_mark(picture)
                assert colours(picture, covered) == colours(shown, covered)


@pytest.mark.desktop
@pytest.mark.requires("observe.secrets")
async def test_a_password_that_was_only_just_shown_or_moved_is_in_no_picture(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = ("/usr/bin/python3", str(APPS / "fleeting_secret.py"))
        window = await desktop.launch(Application("fixture", argv, window="^Fixture$"))
        shown = 0
        for trial in range(TRIALS):
            shown += await screen_shows_mark(desktop.environment)
            picture = await desktop.screenshot() if trial % 2 else (await desktop.observe(window)).picture
            assert not shows_mark(picture), trial
        assert shown > 0


@pytest.mark.desktop
@pytest.mark.requires("observe.secrets")
async def test_where_an_application_does_not_answer_what_was_seen_there_is_hidden_and_the_picture_says_so(
    tmp_path: Path,
) -> None:
    async with launched("GTK 3", tmp_path, {}) as (pointing, moving):
        desktop, window = pointing.desktop, pointing.window
        await pointing.found()
        await desktop.screenshot()
        assert window.pid is not None
        os.kill(window.pid, signal.SIGSTOP)
        try:
            moving.move(window, window.rect.left + 60, window.rect.top + 10)
            with anyio.fail_after(30):
                picture = await desktop.screenshot()
        finally:
            os.kill(window.pid, signal.SIGCONT)
        assert picture.unchecked == ("Fixture",)
        assert await screen_shows_mark(desktop.environment)
        assert not shows_mark(picture)


@pytest.mark.desktop
@pytest.mark.requires("observe.secrets")
async def test_a_text_of_gtk_4_that_is_stars_is_no_password_and_what_is_hidden_is(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = ("/usr/bin/python3", str(APPS / "starred_gtk4.py"))
        window = await desktop.launch(Application("starred", argv, window="^Starred$"))
        seen = {control.name: control for control in (await desktop.observe(window)).controls}
        hidden = {name for name, control in seen.items() if control.type is Role.PASSWORD}
        assert hidden == {"Bullets", "Secret", "Veiled"}
        names = ("Stars", "One", "Bullets", "Notes", "Number", "Secret", "Veiled")
        values = ["***", "*", "", "****", "7", "", ""]
        assert [seen[name].value for name in names] == values
        assert [await desktop.read_text(seen[name]) for name in names] == values


UNTOUCHED_S: Final = 0.8
"""Chromium takes no press of a button in its dialogs for half a second after they open, nor after one too soon."""

BEHIND: Final = """<!doctype html><title>Behind</title><input type=password value=xyzzy aria-label=Secret>
<button onclick="setTimeout(() => alert('Well?'))">Ask</button> <button onclick="box.showModal()">Open</button>
<dialog id=box style="margin-top:200px">Well? <button onclick="box.close()">Done</button></dialog>"""


def colours(picture: Picture | None, place: Rect) -> set[bytes]:
    """What a place of the screen is painted with in a picture."""
    assert picture is not None
    data = picture.rgb
    rows = range(place.top - picture.rect.top, place.bottom - picture.rect.top)
    columns = range(place.left - picture.rect.left, place.right - picture.rect.left)
    starts = (3 * (row * picture.rect.width + column) for row in rows for column in columns)
    return {bytes(data[start : start + 3]) for start in starts}


@pytest.mark.desktop
@pytest.mark.requires("observe.secrets")
@pytest.mark.parametrize(("asks", "answer", "told"), [("Ask", "OK", True), ("Open", "Done", False)])
async def test_a_password_behind_a_dialog_of_a_page_stays_hidden_and_the_picture_says_where_it_is_not_told(
    asks: str, answer: str, told: bool, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(BEHIND, encoding="utf-8")
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("chromium", ("chromium", f"--app=file://{page}"), window="Behind"))

        async def sees(name: str) -> Observation | None:
            seen = await desktop.observe(window)
            return seen if any(control.name == name for control in seen.controls) else None

        before = await desktop.wait_until(lambda: sees(asks), deadline_s=20)
        assert before is not None
        button = next(control for control in before.controls if control.name == asks)
        await desktop.do_action(button)
        behind = await desktop.wait_until(lambda: sees(answer), deadline_s=10)
        assert behind is not None
        assert any(control.type is Role.PASSWORD for control in behind.controls) is told
        place = next(control.rect for control in before.controls if control.type is Role.PASSWORD)
        camera = await XCamera.open(desktop.environment["DISPLAY"])
        shown = (await camera.grab()).picture(())
        await camera.close()
        assert len(colours(shown, place)) > 1, "its bullets are there to be seen"
        assert len(colours(behind.picture, place)) == 1
        assert behind.picture is not None
        assert behind.picture.unchecked == (() if told else (behind.window.name,))

        touched = monotonic()

        async def answered() -> Observation | None:
            nonlocal touched
            seen = await desktop.observe(window)
            done = next((control for control in seen.controls if control.name == answer), None)
            if done and monotonic() - touched > UNTOUCHED_S:
                touched = monotonic()
                await desktop.do_action(done)
            now = await sees("Secret")  # the first picture may be one of the moment before
            return now if now and now.picture and not now.picture.unchecked else None

        after = await desktop.wait_until(answered, deadline_s=10)
        assert after is not None
        assert after.picture is not None
        assert (len(colours(after.picture, place)), after.picture.unchecked) == (1, ())


@pytest.mark.requires("observe.secrets")
@pytest.mark.parametrize(("states", "beside", "kept"), [((), False, True), (("modal",), True, True), ((), True, False)])
def test_what_a_dialog_leaves_out_of_what_is_told_stays_hidden_however_long(
    states: tuple[str, ...], beside: bool, kept: bool
) -> None:
    now = [0.0]
    secrets = Secrets(lambda: now[0])
    window = TargetInfo(TargetKind.WINDOW, "W", Role.WINDOW, Rect(0, 0, 100, 100), handle="x11:0x1")
    password = TargetInfo(TargetKind.CONTROL, "Secret", Role.PASSWORD, Rect(10, 10, 30, 20))
    dialog = TargetInfo(TargetKind.CONTROL, "Well?", Role.DIALOG, Rect(20, 20, 60, 60), states=frozenset(states))
    button = TargetInfo(TargetKind.CONTROL, "Reload", Role.BUTTON, Rect(0, 0, 10, 10))
    there = secrets.note(window, [button, password], whole=True)
    now[0] = 60.0
    shown = [dialog, *[button] * beside]
    hidden = secrets.note(window, shown, whole=True)
    assert (hidden.places, hidden.unchecked) == (there.places, ("W",) if kept else ())
    now[0] += 60.0
    hidden = secrets.note(window, shown, whole=True)
    assert (hidden.places, hidden.unchecked) == ((there.places, ("W",)) if kept else ((), ()))
    secrets.note(window, [button], whole=True)
    now[0] += 60.0
    assert secrets.note(window, [button], whole=True).places == ()


@pytest.mark.requires("observe.secrets")
@pytest.mark.parametrize("moved", [False, True])
def test_a_field_that_is_gone_is_hidden_for_a_moment_from_when_it_was_first_missed(*, moved: bool) -> None:
    now = [0.0]
    secrets = Secrets(lambda: now[0])
    window = TargetInfo(TargetKind.WINDOW, "W", Role.WINDOW, Rect(0, 0, 100, 100), handle="x11:0x1")
    handle = "atspi::1.1:/1"
    password = TargetInfo(TargetKind.CONTROL, "Secret", Role.PASSWORD, Rect(10, 10, 30, 20), handle=handle)
    there = secrets.note(window, [password], whole=True).places
    left = [replace(password, rect=Rect(10, 50, 30, 60))] if moved else []
    for now[0], shows in ((5.0, True), (5.9, True), (6.1, False), (6.2, False)):
        hidden = secrets.note(window, left, whole=True).places
        assert (set(there) <= set(hidden), len(hidden)) == (shows, shows + moved)


@pytest.mark.requires("observe.secrets")
def test_a_password_that_does_not_say_where_it_is_makes_the_picture_say_that_it_may_show() -> None:
    window = TargetInfo(TargetKind.WINDOW, "W", Role.WINDOW, Rect(0, 0, 100, 100), handle="x11:0x1")
    password = TargetInfo(TargetKind.CONTROL, "Secret", Role.PASSWORD)
    assert Secrets().note(window, [password], whole=True) == Hidden((), ("W",), ())


@pytest.mark.requires("observe.secrets")
def test_the_window_of_a_program_that_got_the_handle_of_another_has_no_black_places_of_that() -> None:
    now = [0.0]
    secrets = Secrets(lambda: now[0])
    window = TargetInfo(TargetKind.WINDOW, "W", Role.WINDOW, Rect(0, 0, 100, 100), handle="x11:0x1", pid=1)
    password = TargetInfo(TargetKind.CONTROL, "Secret", Role.PASSWORD, Rect(10, 10, 30, 20))
    there = secrets.note(window, [password], whole=True)
    now[0] += 60.0
    assert secrets.note(window, [], whole=False).places == there.places != ()
    assert secrets.of(replace(window, pid=None)).places == there.places
    another = replace(window, pid=2)
    assert secrets.of(another).places == ()
    assert secrets.note(another, [], whole=False).places == ()


@pytest.mark.requires("observe.secrets")
def test_a_field_that_moves_is_hidden_where_it_is_though_the_window_is_never_seen_whole() -> None:
    now = [0.0]
    secrets = Secrets(lambda: now[0])
    window = TargetInfo(TargetKind.WINDOW, "W", Role.WINDOW, Rect(0, 0, 900, 900), handle="x11:0x1")
    moved = [Rect.from_extents(10, top, 30, 20) for top in range(0, 500, 10)]
    hidden, place = NOTHING, moved[-1]
    for now[0], there in enumerate(moved):
        moving = TargetInfo(TargetKind.CONTROL, "Secret", Role.PASSWORD, there, handle="atspi::1.1:/1")
        hidden = secrets.note(window, [moving], whole=False)
    assert hidden.places == (place.grown(1), moved[-2].grown(1))
    now[0] += 60.0
    assert secrets.note(window, [], whole=False).places == (place.grown(1),)
    assert secrets.note(window, [], whole=True).places == (place.grown(1),)
    now[0] += 60.0
    assert secrets.note(window, [], whole=True).places == ()


def test_nothing_is_kept_of_windows_without_passwords() -> None:
    secrets = Secrets()
    for number in range(9):
        window = TargetInfo(TargetKind.WINDOW, "W", Role.WINDOW, Rect(0, 0, 9, 9), handle=f"x11:{number:#x}")
        secrets.note(window, [], whole=True)
    assert secrets._seen == {}  # pyright: ignore  what is kept shows nowhere else


@pytest.mark.requires("observe.secrets")
@pytest.mark.anyio
async def test_the_picture_of_a_screen_that_never_rests_lies_between_two_looks_and_takes_no_more() -> None:
    camera, looks = _Restless(), list[bool]()

    async def look() -> tuple[int, Hidden]:
        looks.append(True)
        return camera.shots, Hidden((Rect(0, 0, 1, 1),))

    picture, seen = await photograph(camera, None, look)
    assert (camera.shots, len(looks), seen) == (3, 3, 3)
    assert bytes(picture.pixels)[4:8] == bytes([3] * 4)
    assert bytes(picture.pixels)[:3] == bytes(3)


class _Restless:
    """Each shot is another one: two pixels of its number."""

    def __init__(self) -> None:
        self.shots = 0

    async def grab(self, region: Rect | None = None) -> Shot:
        assert region is None
        self.shots += 1
        return Shot(bytearray([self.shots] * 4 * 64), Rect(0, 0, 8, 8))
