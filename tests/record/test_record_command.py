"""`deskhand record` as a program beside a user who works on."""

import signal
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from anyio import to_thread

from cli.driver import environment, finish, start
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.everyday import FORMS
from desktop.linux.fixture import linux_desktop
from record.working import Deed, Person, aimed
from support import need

_STEP_S = 30.0


@asynccontextmanager
async def recording(desktop: LinuxDesktop, file: Path, *command: str) -> AsyncGenerator["subprocess.Popen[str]"]:
    """The program, once it records the work in an application that it starts."""
    display = desktop.environment["DISPLAY"]
    arguments = ("record", "-o", file, "--desktop", display, "--", *command)
    program = start(*arguments, env=environment(**desktop.environment))
    try:
        assert program.stderr is not None
        assert "recording on" in await to_thread.run_sync(program.stderr.readline)
        yield program
    finally:
        program.kill()


async def done(desktop: LinuxDesktop, person: Person, *deeds: Deed) -> None:
    for deed in deeds:
        await person.do(*await aimed(desktop, deed))


@pytest.mark.desktop
@pytest.mark.requires("record.doubts")
async def test_a_press_in_a_menu_that_was_gone_before_it_was_observed_is_marked(tmp_path: Path) -> None:
    command, needed = FORMS["Qt 5"]
    need(needed)
    file = tmp_path / "test_work.py"
    command = (*command, str(tmp_path / "state.json"))
    async with linux_desktop(tmp_path / "desktop") as desktop, recording(desktop, file, *command) as program:
        person = Person(desktop.environment)
        try:
            await done(desktop, person, ("click", "button:Press me"))
            await written(desktop, file, "Press me")
            program.send_signal(signal.SIGSTOP)
            await done(desktop, person, ("click", "File"), ("click", "Ask"), ("click", "Take"), ("click", "Agree"))
            program.send_signal(signal.SIGCONT)
            await written(desktop, file, "Agree")
            program.send_signal(signal.SIGINT)
            ended = await to_thread.run_sync(finish, program)
        finally:
            person.close()
    assert (ended.code, ended.out) == (0, f"{file}: 5 steps\n"), ended
    doubt = "step 3 is brittle: the menu or list that was opened before it was not observed"
    assert f"# {doubt}\n" in file.read_text()
    assert f"{file}: {doubt}\n" in ended.err


async def written(desktop: LinuxDesktop, file: Path, text: str) -> None:
    """Wait until the recording has a text."""

    def read() -> bool | None:
        return (file.is_file() and text in file.read_text(encoding="utf-8")) or None

    async def has_text() -> bool | None:
        return await to_thread.run_sync(read)

    assert await desktop.wait_until(has_text, deadline_s=_STEP_S)
