"""A window that is gone because its program crashed is no effect, also for a process that did not start the program."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.linux.desktop import open_linux
from deskhand.desktop.linux.runtime.named_desktop import open_named, start_named, stop_named
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools

pytestmark = [pytest.mark.desktop, pytest.mark.requires("effect.crash")]

APPS: Final = Path(__file__).parents[2] / "apps"
ENDINGS: Final = (
    ("ending_gtk3.py", "Quit", ""),
    ("ending_gtk3.py", "Fail", "exit code 3"),
    ("ending_gtk3.py", "Crash", "signal 11"),
    ("ending_gtk3.py", "Close, then fail", "exit code 3"),
    ("ending_gtk3.py", "Close, then quit", ""),
    ("ending_qt.py", "Quit", ""),
    ("ending_qt.py", "Crash", "signal 11"),
)


def ending(script: str) -> Application:
    return Application("ending", ("/usr/bin/python3", str(APPS / script)))


async def test_the_end_of_a_program_is_confirmed_only_if_it_was_normal(tmp_path: Path) -> None:
    """The programs are started by one connection, and ended over another, as by `launch` and `act`."""
    registry = tmp_path / "registry"
    await start_named("one", size=(800, 600), registry=registry)
    try:
        starter = await open_linux(await open_named("one", registry=registry))
        other = await open_linux(await open_named("one", registry=registry))
        tools = Tools(other)
        for script, name, how in ENDINGS:
            window = await starter.launch(ending(script))
            result = await tools.run(window, "click_input", await tools.find(window, name, Role.BUTTON))
            wanted = Effect.PARTIAL if how else Effect.CONFIRMED
            assert (result.effect, f"died ({how})" in result.evidence) == (wanted, bool(how)), (name, result)
        for tool, role, arguments, how in (
            ("click_input", Role.LISTITEM, {}, "exit code 4"),
            ("keyboard_input", Role.TEXTBOX, {"keys": "x{ENTER}"}, "signal 6"),
        ):
            window = await starter.launch(ending("ending_gtk3.py"))
            seen = await other.observe(window, picture=False)
            target = next(control for control in seen.controls if control.type is role)
            result = await tools.run(window, tool, replace(target, id="1"), **arguments)
            assert (result.effect, f"died ({how})" in result.evidence) == (Effect.PARTIAL, True), result
        await starter.close()
        await other.close()
    finally:
        await stop_named("one", registry=registry)
