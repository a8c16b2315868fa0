"""`observe --watch`: what changes in a window is told as it changes."""

import anyio
import pytest

from deskhand.cli.watching import follow
from deskhand.core.errors import ApplicationGone
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.perception.delta import Delta
from deskhand.perception.finding import Sought


@pytest.mark.requires("cli.watch")
async def test_each_change_is_told_and_nothing_else() -> None:
    desktop = FakeDesktop()
    name = FakeControl(Role.TEXTBOX, "Name", "Ada")
    save = FakeControl(Role.BUTTON, "Save")
    window = desktop.open(FakeWindow("Main", [name, save]))
    told: list[str] = []
    arrived = anyio.Event()

    def show(_: TargetInfo, seen: tuple[TargetInfo, ...], changed: Delta | None) -> None:
        nonlocal arrived
        told.append(changed.text if changed else " ".join(control.name for control in seen))
        arrived.set()

    async def next_line() -> str:
        nonlocal arrived
        with anyio.fail_after(5):
            await arrived.wait()
        arrived = anyio.Event()
        return told[-1]

    async def watch() -> None:
        (target, *_) = await desktop.windows()
        with pytest.raises(ApplicationGone):
            await follow(desktop, target, Sought(), show)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        assert await next_line() == "Name Save"
        name.value = "Bob"
        desktop.touch()
        assert await next_line() == '~ 1 textbox "Name" = "Bob" (focused)'
        desktop.touch()
        window.controls.remove(save)
        desktop.touch()
        assert await next_line() == '- 2 button "Save"'
        desktop.close_window(window)
    assert len(told) == 3
