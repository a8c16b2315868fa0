"""Messages on the user's own desktop: a real bus, and a daemon for notifications in the place of the desktop's."""

import os
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from dbus_fast import Message as BusMessage
from dbus_fast import MessageType
from dbus_fast.aio import MessageBus

from deskhand.core.errors import NotificationFailed
from deskhand.desktop.linux import notification
from deskhand.desktop.linux.runtime.named_desktop import NamedDesktop
from deskhand.notify.desktop import DesktopNotification
from deskhand.notify.message import question

pytestmark = [pytest.mark.requires("notify.desktop"), pytest.mark.anyio, pytest.mark.desktop]

MESSAGE = question("20260101-000000-abcdef", "HostAgent", ["Is a < b & c?"])


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    return "asyncio"


@contextmanager
def bus(folder: Path) -> Generator[str]:
    address = f"unix:path={folder / 'bus'}"
    command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", f"--address={address}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        try:
            assert daemon.stdout is not None
            assert daemon.stdout.readline().startswith(address)
            yield address
        finally:
            daemon.terminate()


@asynccontextmanager
async def shows(address: str, *capabilities: str, hangs: bool = False) -> AsyncGenerator[list[list[Any]]]:
    """A daemon of a desktop that shows notifications: the arguments it got."""
    shown: list[list[Any]] = []
    connection = await MessageBus(bus_address=address).connect()

    def answer(message: BusMessage) -> BusMessage | bool | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        if hangs:
            return True  # it is dealt with, without an answer
        if message.member == "GetCapabilities":
            return BusMessage.new_method_return(message, "as", [[*capabilities]])
        shown.append(message.body)
        return BusMessage.new_method_return(message, "u", [len(shown)])

    connection.add_message_handler(answer)
    await connection.request_name("org.freedesktop.Notifications")
    try:
        yield shown
    finally:
        connection.disconnect()


async def send(address: str, deadline_s: float = 10.0) -> None:
    environment = {"DBUS_SESSION_BUS_ADDRESS": address}
    await DesktopNotification(environment, deadline_s).send(MESSAGE)


async def test_the_desktop_shows_title_and_text(tmp_path: Path) -> None:
    with bus(tmp_path) as address:
        async with shows(address, "body") as shown:
            await send(address)
    ((name, replaces, _, title, body, actions, hints, timeout),) = shown
    assert (name, replaces, title, body) == ("Deskhand", 0, "Deskhand has a question", MESSAGE.text)
    assert (actions, hints["urgency"].value, timeout) == ([], 1, -1)


async def test_where_bodies_are_markup_a_question_cannot_write_any(tmp_path: Path) -> None:
    with bus(tmp_path) as address:
        async with shows(address, "body", "body-markup") as shown:
            await send(address)
    assert shown[0][4].startswith("Is a &lt; b &amp; c?\n")


async def test_a_desktop_without_notifications_is_reported(tmp_path: Path) -> None:
    with bus(tmp_path) as address, pytest.raises(NotificationFailed, match="the desktop shows no notifications"):
        await send(address)


async def test_a_daemon_that_hangs_has_its_deadline(tmp_path: Path) -> None:
    with bus(tmp_path) as address:
        async with shows(address, hangs=True):
            with pytest.raises(NotificationFailed, match=r"did not answer within 0\.2 s"):
                await send(address, deadline_s=0.2)


@pytest.mark.parametrize("address", ["", "unix:path=/nowhere/bus", "no address"])
async def test_without_a_bus_it_is_reported(address: str) -> None:
    with pytest.raises(NotificationFailed, match=r"session bus|DBUS_SESSION_BUS_ADDRESS"):
        await send(address)


async def test_a_desktop_of_agents_is_never_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with bus(tmp_path) as address:
        environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address}

        async def named() -> tuple[NamedDesktop, ...]:
            await anyio.lowlevel.checkpoint()
            return (NamedDesktop("work", ":9", environment, "", tmp_path),)

        async with shows(address) as shown:
            with pytest.raises(NotificationFailed, match="of a private desktop, where agents work"):
                await DesktopNotification({**environment, notification.MARK: "x"}, 10.0).send(MESSAGE)
            monkeypatch.setattr(notification, "list_named", named)
            with pytest.raises(NotificationFailed, match="of the desktop work, where agents work"):
                await send(address)
    assert shown == []
