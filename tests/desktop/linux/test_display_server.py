"""A second display server, beside x11, that needs no change in any other room."""

from contextlib import AsyncExitStack
from time import monotonic

import pytest

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.client import BUS, Call, Reply
from deskhand.desktop.linux.atspi.roles import PUSH_BUTTON
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.runtime.launcher import LocalPrograms
from deskhand.desktop.linux.wiring import parts_of
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.input import Chord
from desktop.linux.fixture import SomePlace
from desktop.linux.stub_server import SCREEN, StubServer
from desktop.linux.test_tree import FRAME, ROOT, FakeApplication, FakeObject

pytestmark = [pytest.mark.anyio, pytest.mark.requires("desktop.display-server")]

PLACE = SomePlace("stub", "stub-0", {}, "")
WINDOW = TargetInfo(
    TargetKind.WINDOW, "Letter", Role.WINDOW, SCREEN, states=frozenset({"active"}), handle="stub:1", pid=7
)
OBJECTS = {
    "/frame": FakeObject(FRAME, "Letter", children=["/save"], place=(0, 0, 64, 48)),
    "/save": FakeObject(PUSH_BUTTON, "Save", actions=["click"], place=(10, 20, 20, 10)),
}


class Registered(FakeApplication):
    """An application that the registry lists, of process 7."""

    async def _answer(self, call: Call) -> Reply:
        if call.destination == BUS:
            return [7]
        if call.destination == calls.REGISTRY:
            return [[[ROOT.bus, calls.ROOT_PATH]]]
        return await super()._answer(call)


async def test_a_desktop_is_observed_and_acted_on_over_a_display_server_that_no_room_knows() -> None:
    server, activity = StubServer(WINDOW), Activity(Pulse())
    parts = parts_of(PLACE, server, Registered(OBJECTS), activity, LocalPrograms({}), monotonic)
    async with AsyncExitStack() as stack:
        desktop = LinuxDesktop(PLACE, parts, stack, shared=True)
        assert await desktop.windows() == (WINDOW,)
        seen = await desktop.observe(WINDOW)
        (save,) = [control for control in seen.controls if control.name == "Save"]
        assert (save.rect, seen.picture and seen.picture.rect) == (Rect(10, 20, 30, 30), SCREEN)
        await desktop.click(await desktop.aim(WINDOW, save.rect, save))
        await desktop.press([Chord("s", ("ctrl",))])
        await desktop.offer_clipboard({"UTF8_STRING": b"text"})
        assert await desktop.read_clipboard() == b"text"
    assert server.sent == ["left x1 at 20,25", "s"]
