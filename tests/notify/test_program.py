"""Messages to a program: it gets JSON and variables, and neither hangs nor floods anybody."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from deskhand.core.errors import NotificationFailed
from deskhand.notify.message import confirmation
from deskhand.notify.program import Program
from support import command_line, wait_for, wait_until_ended

pytestmark = [pytest.mark.requires("notify.command"), pytest.mark.anyio]

MESSAGE = confirmation("20260101-000000-abcdef", "HostAgent", 2)
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "MINE": "yes"}


async def send(*argv: str, deadline_s: float = 10.0) -> None:
    await Program(argv, ENVIRONMENT, deadline_s).send(MESSAGE)


async def test_it_gets_the_message_on_stdin_and_in_variables(tmp_path: Path) -> None:
    script = "cat > in.json; env > variables; echo $# > arguments"
    await send("sh", "-c", f"cd '{tmp_path}'; {script}", "sh", "$(touch hacked)")
    whole = json.loads((tmp_path / "in.json").read_text())
    assert (whole["type"], whole["data"]["actions"]) == ("deskhand.confirmation", 2)
    lines = (tmp_path / "variables").read_text().splitlines()
    variables = {name: value for name, _, value in (line.partition("=") for line in lines)}
    assert (variables["DESKHAND_EVENT"], variables["DESKHAND_SESSION"]) == ("confirmation", MESSAGE.session)
    assert (variables["DESKHAND_TITLE"], variables["DESKHAND_TEXT"]) == (MESSAGE.title, MESSAGE.text)
    assert variables["MINE"] == "yes"
    assert (tmp_path / "arguments").read_text() == "1\n"
    assert not (tmp_path / "hacked").exists()


async def test_one_that_does_not_read_its_input_is_no_failure() -> None:
    await send("true")


async def test_one_that_leaves_a_program_running_has_ended(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    await send("sh", "-c", f"sleep 30 & echo $! > '{pid}'")
    number = int(pid.read_text())
    assert wait_for(lambda: "sleep" in command_line(number))  # for a moment it has none, while it is started
    os.kill(number, signal.SIGKILL)


async def test_one_that_fails_is_reported_with_its_code_and_last_words() -> None:
    with pytest.raises(NotificationFailed, match="the command sh ended with exit code 3: no network"):
        await send("sh", "-c", "echo no network >&2; exit 3")


async def test_one_that_is_missing_is_reported() -> None:
    with pytest.raises(NotificationFailed, match="the command no-such-program could not be started"):
        await send("no-such-program")


async def test_one_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(NotificationFailed, match=r"did not end within 3 s"):
        await send("sh", "-c", f"trap '' TERM; sleep 60 & echo $$ $! > '{pids}'; wait", deadline_s=3.0)
    wait_until_ended([int(pid) for pid in wait_for(pids.read_text).split()])


async def test_one_that_floods_is_ended_before_its_deadline() -> None:
    with pytest.raises(NotificationFailed, match="printed more than 65536 bytes") as raised:
        await send(sys.executable, "-c", "import os\nwhile True: os.write(2, b'x' * 65536)", deadline_s=60.0)
    assert len(raised.value.message) < 500


async def test_what_it_prints_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    await send("sh", "-c", "echo words; echo errors >&2")
    assert capfd.readouterr() == ("", "")
