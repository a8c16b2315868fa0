"""A person at a real display is told from us and from programs, whatever they do and whatever we do meanwhile."""

import random
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from anyio.lowlevel import checkpoint
from Xlib import X
from Xlib.ext import xtest
from Xlib.protocol import display as protocol
from Xlib.protocol.event import event_class

from deskhand.core.errors import ActionRefused, PersonActs
from deskhand.core.geometry import Point
from deskhand.desktop.linux.desktop import attach
from deskhand.desktop.linux.runtime.virtual_desktop import VirtualDesktop, start_virtual
from deskhand.desktop.linux.x11.connection import XConnection, XScreen
from deskhand.desktop.linux.x11.user_activity import XUserWatch
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.user_guard import Guard, GuardRules, PersonMode
from desktop.linux.servers import server
from desktop.linux.somebody import Program, Sentinel, Somebody, viewer
from support import FULL, need

pytestmark = pytest.mark.desktop

TRIALS = 5_000 if FULL else 250
STOP_KEY = "ctrl+alt+shift+escape"
RULES = GuardRules(PersonMode.PAUSE, quiet_s=1.0, patience_s=20, stop_key=STOP_KEY)
LEFT = MouseButton.LEFT


class Watcher(Guard):
    """Keeps what it is told, and keeps nothing off."""

    def __init__(self) -> None:
        super().__init__()
        self.rules = RULES
        self.seen: list[str] = []
        self._more = anyio.Event()

    def person(self, what: str, *, holding: bool = False) -> None:
        super().person(what, holding=holding)
        self.seen.append(what)
        self._more.set()

    def check(self, sent: tuple[str, ...] = ()) -> None:
        return

    async def has_seen(self, count: int) -> None:
        with anyio.fail_after(20):
            while len(self.seen) < count:
                self._more = anyio.Event()
                await self._more.wait()


class Watched:
    """A display that is watched, with a person and a program at it. `hands` are ours."""

    def __init__(self, display: str, connection: XConnection, guard: Guard, problems: tuple[str, ...]) -> None:
        self.hands = connection
        self.guard = guard
        self.problems = problems
        self.person = Somebody(display)
        self.program = Program(display)

    async def press(self, text: str) -> None:
        await self.chords([Chord(key) for key in text])

    async def chords(self, chords: Sequence[Chord]) -> None:
        left = chords
        while left:
            batch = await self.hands.run(lambda screen, left=left: screen.input.prepare(left))
            assert await self.hands.run(lambda screen, batch=batch: screen.input.press(batch))
            left = left[batch.count :]

    async def seen(self) -> list[str]:
        """All that a person did so far; the last of it is a sign of ours that comes after everything else."""
        guard = self.told
        before = len(guard.seen)
        self.person.button(3)
        await guard.has_seen(before + 2)
        return guard.seen[:-2]

    @property
    def told(self) -> Watcher:
        assert isinstance(self.guard, Watcher)
        return self.guard


@pytest.fixture(scope="module")
async def virtual(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[VirtualDesktop]:
    virtual = await start_virtual("test", root=tmp_path_factory.mktemp("virtual"), size=(800, 600))
    yield virtual
    await virtual.close()


@asynccontextmanager
async def watching(display: str, *, stop_key: str = STOP_KEY, guard: Guard | None = None) -> AsyncGenerator[Watched]:
    guard = guard or Watcher()
    guard.rules = GuardRules(RULES.person, RULES.quiet_s, RULES.patience_s, stop_key)
    connection = await XConnection.open(display, guard.check)
    watch = await XUserWatch.begin(display, connection.sent, guard)
    it = Watched(display, connection, guard, watch.problems)
    try:
        yield it
    finally:
        it.person.close()
        it.program.close()
        await watch.close()
        await connection.close()


@pytest.fixture(scope="module")
def bare() -> Generator[str]:
    with server("Xvfb", "-screen", "0", "800x600x24") as display:
        yield display


@pytest.fixture
async def watched(bare: str) -> AsyncGenerator[Watched]:
    async with watching(bare) as it:
        yield it


@pytest.fixture
def sentinel(bare: str) -> Generator[Sentinel]:
    it = Sentinel(bare)
    yield it
    it.close()


def drag(screen: XScreen, start: Point, end: Point) -> None:
    screen.input.begin_drag([start, end], LEFT)
    screen.input.drag_on([start, end])
    screen.input.hover([start, end])
    screen.input.end_drag()


@pytest.mark.requires("guard.ours")
async def test_nothing_that_we_or_programs_do_is_taken_for_a_person(watched: Watched) -> None:
    choose = random.Random(1)  # noqa: S311

    def point() -> Point:
        return Point(choose.randrange(800), choose.randrange(600))

    for _ in range(TRIALS // 5):
        first, last, notches = point(), point(), choose.randrange(-3, 4)
        await watched.press("Ab c1!"[choose.randrange(6) :] + "é")
        await watched.hands.run(lambda screen, at=first: screen.input.click(at, LEFT, choose.randrange(1, 3)))
        await watched.hands.run(lambda screen, at=first, to=last: drag(screen, at, to))
        await watched.hands.run(lambda screen, at=last, by=notches: screen.input.scroll(at, by))
        watched.program.warp(first.y, last.x)
    assert await watched.seen() == []


@pytest.mark.requires("guard.ours")
async def test_a_key_that_the_server_repeats_is_not_taken_for_a_person(watched: Watched, sentinel: Sentinel) -> None:
    code = watched.person.code("a")

    def send(screen: XScreen, kind: int) -> None:
        watched.hands.sent.note(kind, code)
        xtest.fake_input(screen.display, kind, code)
        screen.display.sync()

    await watched.hands.run(lambda screen: send(screen, X.KeyPress))
    await sentinel.until(lambda it: it.keys.count(code) > 3)
    await watched.hands.run(lambda screen: send(screen, X.KeyRelease))
    assert await watched.seen() == []


@pytest.mark.requires("guard.person")
async def test_everything_that_a_person_does_while_we_type_is_noticed(watched: Watched) -> None:
    choose = random.Random(2)  # noqa: S311
    deeds: list[tuple[int, Callable[[], None]]] = [
        (1, lambda: watched.person.move(choose.randrange(800), choose.randrange(600))),
        (1, lambda: watched.person.nudge(choose.randrange(-5, 6), 3)),
        (2, lambda: watched.person.key("F3")),
        (4, lambda: watched.person.key("Shift_L", "F4")),
        (2, lambda: watched.person.button(choose.choice([1, 2, 4]))),
    ]
    counts: list[int] = []

    def act() -> None:
        for _ in range(TRIALS):
            count, deed = choose.choice(deeds)
            deed()
            counts.append(count)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(to_thread.run_sync, act)
        while len(counts) < TRIALS:
            with suppress(ActionRefused):  # a person holds Shift down
                await watched.press("some text that is typed meanwhile")
    assert len(await watched.seen()) == sum(counts)


@pytest.mark.requires("guard.person")
async def test_somebody_who_presses_the_very_key_that_we_press_is_noticed(watched: Watched) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watched.press, "a" * 400)
        for _ in range(20):
            await to_thread.run_sync(watched.person.key, "a")
    assert len(await watched.seen()) >= 2


@pytest.mark.requires("guard.person")
async def test_a_program_that_has_grabbed_the_devices_hides_nobody(watched: Watched) -> None:
    watched.program.hold()
    watched.person.move(10, 10)
    watched.person.key("x")
    assert await watched.seen() == ["moved the pointer", "pressed a key", "released a key"]


@pytest.mark.requires("guard.stop-key")
async def test_the_stop_key_stops_and_reaches_no_application(watched: Watched, sentinel: Sentinel) -> None:
    escape = watched.person.code("Escape")
    watched.person.key("Control_L", "Shift_L", "Escape")
    await watched.seen()
    assert watched.guard.stopped == ""
    watched.person.key("Shift_R", "Control_L", "Alt_L", "Escape")
    watched.person.key("x")
    await sentinel.until(lambda it: watched.person.code("x") in it.keys)
    await watched.seen()
    assert watched.guard.stopped == f"the user pressed {STOP_KEY}"
    assert sentinel.keys.count(escape) == 1


@pytest.mark.requires("guard.stop-key")
async def test_what_we_press_ourselves_stops_nothing(watched: Watched) -> None:
    chord = Chord("esc", ("ctrl", "alt", "shift"))
    await watched.chords([chord])
    assert (await watched.seen(), watched.guard.stopped) == ([], "")


@pytest.mark.requires("guard.stop-key")
@pytest.mark.parametrize("chord", ["ctrl+shift+f9", "f10"])
async def test_a_stop_key_that_the_keyboard_lacks_a_part_of_is_told(chord: str) -> None:
    layout = "keycode 37 = NoSymbol\nkeycode 105 = NoSymbol\nkeycode 76 = NoSymbol\n"
    with server("Xvfb", "-screen", "0", "800x600x24") as display:
        await anyio.run_process(["xmodmap", "-display", display, "-"], input=layout.encode())
        lacking = "ctrl" if "ctrl" in chord else "f10"
        async with watching(display, stop_key=chord) as watched:
            told = f"the stop key {chord} does not stop anything: the keyboard has no key {lacking!r}"
            assert watched.problems == (told,)


@pytest.mark.requires("guard.stop-key")
async def test_a_stop_key_that_another_program_has_is_told_and_stops_all_the_same(bare: str) -> None:
    other = Program(bare)
    other.grab("F9", X.ControlMask)
    async with watching(bare, stop_key="ctrl+f9") as watched:
        assert "ctrl+f9" in watched.problems[0]
        watched.person.key("Control_L", "F9")
        await watched.seen()
        assert watched.guard.stopped
    other.close()


@pytest.mark.requires("guard.person", "guard.released")
async def test_what_is_being_typed_stops_at_the_next_key_and_nothing_stays_pressed(
    bare: str, sentinel: Sentinel
) -> None:
    async with watching(bare, guard=Guard()) as watched:
        key = watched.person.code("a")
        errors: list[PersonActs] = []

        async def type_on() -> None:
            with pytest.raises(PersonActs) as raised:
                await watched.chords([Chord("a", ("shift", "ctrl"))] * 20_000)
            errors.append(raised.value)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(type_on)
            await sentinel.until(lambda it: len(it.keys) > 30)
            watched.person.move(400, 300)
        (told,) = errors[0].sent
        sent = int(told.split()[0])
        await sentinel.until(lambda it: it.keys.count(key) == sent)
        assert 10 < sent < 20_000
        assert sentinel.down() == [0]
        with pytest.raises(PersonActs, match="Nothing was sent"):
            await watched.hands.run(lambda screen: screen.input.click(Point(5, 5), LEFT, 1))
        with anyio.fail_after(20):
            await watched.guard.free()
        await watched.hands.run(lambda screen: screen.input.click(Point(5, 5), LEFT, 1))
        await sentinel.until(lambda it: it.buttons == 1)
        assert sentinel.keys.count(key) == sent


@pytest.mark.requires("guard.released")
async def test_typing_that_is_cancelled_stops_at_the_next_key_and_nothing_stays_pressed(
    watched: Watched, sentinel: Sentinel
) -> None:
    connection = await watched.hands.run(lambda screen: screen)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watched.chords, [Chord("a", ("shift",))] * 20_000)
        await sentinel.until(lambda it: len(it.keys) > 30)
        tasks.cancel_scope.cancel()
    assert sentinel.down() == [0]
    sentinel.read()
    count = len(sentinel.keys)
    await watched.press("z")
    await sentinel.until(lambda it: len(it.keys) == count + 1)
    assert count < 20_000
    assert await watched.hands.run(lambda screen: screen) is connection, "the call did not end by itself"


@pytest.mark.requires("guard.person")
async def test_a_desktop_keeps_its_hands_still_while_a_person_acts(virtual: VirtualDesktop) -> None:
    desktop = await attach(virtual, programs=virtual)
    person = Somebody(virtual.display)
    try:
        assert await desktop.watch(RULES) == ()
        await desktop.press([Chord("a", ("shift",))])
        await desktop.click(Point(5, 5))
        assert desktop.guard.paused == ""

        async with anyio.create_task_group() as tasks:

            async def type_on() -> None:
                while True:
                    await desktop.press([Chord("b")])

            async def wait() -> None:
                with anyio.fail_after(20), pytest.raises(PersonActs):
                    await type_on()

            tasks.start_soon(wait)
            person.move(400, 300)
        with person.holding("F5"):
            with anyio.fail_after(20):
                while "key" not in desktop.guard.paused:
                    await checkpoint()
            with pytest.raises(PersonActs):  # nor by any other way than pointer and keys
                await desktop.offer_clipboard({"UTF8_STRING": b"x"})
            await desktop.offer_clipboard({})  # what was put there is not kept there by a person who acts
            assert (await desktop.screenshot()).rect.width > 0
        with anyio.fail_after(20):
            await desktop.guard.free()
        await desktop.click(Point(5, 5))
    finally:
        person.close()
        await desktop.close()


@pytest.fixture
def vnc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[tuple[str, Path]]:
    """A display that people reach over VNC, and the socket where."""
    program = "/usr/bin/Xtigervnc"
    need(Path(program))
    # The library keeps the numbers of a server's events for the whole process, and another server has others.
    monkeypatch.setattr(protocol.Display, "event_classes", event_class.copy())
    path = tmp_path / "vnc"
    with server(
        program, "-SecurityTypes", "None", "-rfbport", "-1", "-rfbunixpath", str(path), "-geometry", "640x480"
    ) as display:
        yield display, path


@pytest.mark.requires("guard.person")
async def test_a_person_at_a_vnc_viewer_is_noticed_though_they_do_what_we_do(vnc: tuple[str, Path]) -> None:
    display, path = vnc
    async with watching(display) as watched:
        with viewer(path) as person:
            await watched.hands.run(lambda screen: screen.input.click(Point(50, 60), LEFT, 1))
            await watched.press("aaa")
            assert await watched.seen() == []
            count = len(watched.told.seen)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watched.press, "a" * 200)
                person.key("a")
                person.move(51, 60)
            await watched.told.has_seen(count + 3)
            assert sorted(watched.told.seen[count:]) == ["moved the pointer", "pressed a key", "released a key"]
