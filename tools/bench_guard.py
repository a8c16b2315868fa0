"""Latency of a stop in milliseconds (the goal is 200), and keys and buttons down afterwards (the goal is none).

python tools/bench_guard.py [SAMPLES]

On a desktop of its own a second process types, drags, waits for an application that hangs, or for a model. At random
moments it is stopped: by SIGTERM, as `deskhand stop` does; by the stop key; or the user moves the pointer. Printed are
the time until the last event was sent, as the X server saw it, and until the action had ended, as the process reports.
"""

import json
import os
import random
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import ge, xinput, xtest

from deskhand.cli.signals import run_async
from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import DeskhandError
from deskhand.core.geometry import Point
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.roles import Role
from deskhand.desktop.backends import open_desktop
from deskhand.desktop.linux.runtime.named_desktop import start_named, stop_named
from deskhand.desktop.linux.x11.own_events import Sent
from deskhand.desktop.linux.x11.user_activity import KINDS, parsed
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.models.scripted import ScriptedModel
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.user_guard_rules import STOP_KEY, guard_rules, stoppable

NAME = "bench-guard"
SITUATIONS = ("typing", "dragging", "an application hangs", "a model thinks")
WAYS = ("SIGTERM", "the stop key", "the user")
MEASURED = ("last event", "action ended", "all closed")
SETTINGS = SystemSection(person="pause", person_quiet_s=1.0, stop_key=STOP_KEY)
FIXTURE = Path(__file__).parent.parent / "tests" / "apps" / "gtk3_fixture.py"


class SlowModel(ScriptedModel):
    """Never answers."""

    def __init__(self) -> None:
        super().__init__(lambda _: {})

    async def respond(self, request: ModelRequest) -> ModelReply:  # noqa: ARG002 - it does not read
        with action_told():
            await anyio.sleep_forever()
        raise AssertionError


def report(what: JsonObject) -> None:
    print(json.dumps(what), flush=True)


@contextmanager
def action_told() -> Generator[None]:
    report({"begun": time.monotonic()})
    try:
        yield
    finally:
        report({"action": time.monotonic()})


# The process that is stopped


async def work(situation: str, pid: int) -> None:
    """Goes on until it is stopped, with the guard of a session around it."""
    if situation == "a model thinks":
        with tempfile.TemporaryDirectory() as folder:
            configuration = Configuration(system=SETTINGS)
            plan = SessionPlan(
                "s1",
                Path(folder) / "log",
                ("x",),
                SlowModel(),
                desktop=NAME,
                opens=lambda choice, _session, _root: open_desktop(choice),
                configuration=configuration,
            )
            await run_session(plan)
        return
    async with open_desktop(NAME) as desktop:
        await desktop.watch(guard_rules(SETTINGS, shared=desktop.shared))
        with stoppable(desktop.guard):
            await repeat(situation, desktop, pid)


async def repeat(situation: str, desktop: Desktop, pid: int) -> None:
    window = next(window for window in await desktop.windows() if window.pid == pid)
    if situation == "an application hangs":
        seen = await desktop.observe(window)
        field = next(control for control in seen.controls if control.type is Role.TEXTBOX)
        os.kill(pid, signal.SIGSTOP)
        try:
            with action_told():
                while True:
                    with suppress(DeskhandError):
                        await desktop.set_text(field, "x")
        finally:
            os.kill(pid, signal.SIGCONT)
    with action_told():
        while True:
            if situation == "typing":
                await desktop.press([Chord("A", ("ctrl",))] * 5000)
            else:
                await desktop.drag(Point(700, 500), Point(750, 550))


def child(pid: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        try:
            run_async(partial(work, line.strip(), pid))
        except (KeyboardInterrupt, DeskhandError) as stopped:
            report({"ended": time.monotonic(), "why": type(stopped).__name__})
        else:
            report({"ended": time.monotonic(), "why": "it returned"})


# Whoever stops it


class Witness:
    """Records every event of a display; `sent` distinguishes our own."""

    def __init__(self, display: str, sent: Sent) -> None:
        self._display = Display(display)
        self._sent = sent
        sent.watched = True
        extension = self._display.query_extension("XInputExtension")
        assert extension is not None
        opcode = extension.major_opcode
        xinput.XIQueryVersion(display=self._display.display, opcode=opcode, major_version=2, minor_version=2)
        kinds = sum(1 << number for number in KINDS)
        self._display.screen().root.xinput_select_events([(xinput.AllMasterDevices, kinds)])
        self._display.sync()

    def last_s(self) -> float:
        """When the last event came that the other process sent, by the server's clock, which is the machine's."""
        self._display.sync()
        last = 0
        for _ in range(self._display.pending_events()):
            event = self._display.next_event()
            if event.type != ge.GenericEventCode:
                continue
            _, at = struct.unpack_from("=HI", bytes(event.data))
            _, seen = parsed(event.evtype, bytes(event.data))
            if not self._sent.takes(seen):
                last = at
        return last / 1000


class User:
    def __init__(self, display: str, sent: Sent) -> None:
        self._display = Display(display)
        self._sent = sent

    def move(self, x: int) -> None:
        self._send(X.MotionNotify, x=x, y=300)

    def press_stop_key(self) -> None:
        codes = [
            self._display.keysym_to_keycode(XK.string_to_keysym(name))
            for name in ("Control_L", "Alt_L", "Shift_L", "Escape")
        ]
        for code in codes:
            self._send(X.KeyPress, code)
        for code in reversed(codes):
            self._send(X.KeyRelease, code)

    def down(self) -> int:
        buttons = self._display.screen().root.query_pointer().mask & (X.Button1Mask | X.Button2Mask | X.Button3Mask)
        return sum(bytes(self._display.query_keymap())) + buttons

    def _send(self, kind: int, detail: int = 0, x: int = 0, y: int = 0) -> None:
        self._sent.note(kind, detail, x, y)
        xtest.fake_input(self._display, kind, detail, x=x, y=y)
        self._display.sync()


async def sample(
    process: "subprocess.Popen[str]", situation: str, way: str, user: User, witness: Witness
) -> tuple[float, float, float, int]:
    """Milliseconds to the last event, to the action's end, to the end of everything; and those still down."""
    assert process.stdin
    process.stdin.write(f"{situation}\n")
    process.stdin.flush()
    await said(process, "begun")
    await wait(random.uniform(0.02, 0.3))
    began = time.monotonic()
    if way == "SIGTERM":
        process.send_signal(signal.SIGTERM)
    elif way == "the stop key":
        await to_thread.run_sync(user.press_stop_key)
    else:
        user.move(random.randrange(10, 600))
    if way == "the user" and situation in {"an application hangs", "a model thinks"}:
        await wait(0.02)
        process.send_signal(signal.SIGTERM)
    action = await said(process, "action")
    ended = await said(process, "ended")
    return max(0.0, witness.last_s() - began) * 1000, (action - began) * 1000, (ended - began) * 1000, user.down()


async def said(process: "subprocess.Popen[str]", key: str) -> float:
    assert process.stdout
    with anyio.fail_after(30):
        while True:
            line = json.loads(await to_thread.run_sync(process.stdout.readline, abandon_on_cancel=True))
            if key in line:
                return float(line[key])


async def wait(seconds: float) -> None:
    with anyio.move_on_after(seconds):
        await anyio.Event().wait()


async def main(samples: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DESKHAND_DESKTOPS"] = folder
        virtual = await start_named(NAME, size=(800, 600))
        try:
            async with open_desktop(NAME) as desktop:
                await measured(virtual.display, desktop, samples, Path(folder))
        finally:
            await stop_named(NAME)


async def measured(display: str, desktop: Desktop, samples: int, folder: Path) -> None:
    argv = ("/usr/bin/python3", str(FIXTURE), str(folder / "state.json"))
    window = await desktop.launch(Application("fixture", argv, window="^Fixture$"))
    sent = Sent()
    witness = Witness(display, sent)
    user = User(display, sent)
    command = [sys.executable, __file__, "child", str(window.pid)]
    process = subprocess.Popen(  # noqa: ASYNC220 - a measurement
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        print(f"median / worst of {samples}, in milliseconds")
        for situation in SITUATIONS:
            for way in WAYS[:2] if situation in SITUATIONS[2:] else WAYS:
                taken = [await sample(process, situation, way, user, witness) for _ in range(samples)]
                down = sum(1 for *_, pressed in taken if pressed)
                line = "; ".join(
                    f"{what} {statistics.median(values):5.1f} / {max(values):5.1f}"
                    for what, values in zip(MEASURED, list(zip(*taken, strict=True))[:3], strict=True)
                )
                print(f"{situation:<20} {way:<12} {line}; something down: {down} of {samples}", flush=True)
    finally:
        assert process.stdin
        process.stdin.close()
        process.wait(20)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(int(sys.argv[2]))
    else:
        anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 25)
