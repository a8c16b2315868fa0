"""A desktop in memory, served to the official client over stdin and stdout."""

import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from serve.clients import DEADLINE_S, PROGRAM, connected, ids, notes_server, of_this_run, told
from support import ROOT

HELLO = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


@pytest.mark.long
@pytest.mark.requires("mcp.stdio")
async def test_it_serves_over_stdin_and_stdout_and_nothing_else_reaches_the_client(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with connected(notes_server(log), "auto") as client:
        of = await ids(client)
        await told(client, "invoke", id=of("Tidy"), name="Tidy")  # prints
        await told(client, "invoke", id=of("Save"), name="Save")
        await told(client, "observe_window", screenshot="labelled")
    assert log.read_text() == "Save"


@pytest.mark.long
@pytest.mark.requires("mcp.ends")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_while_its_client_stays(number: signal.Signals, tmp_path: Path) -> None:
    async with await _started(tmp_path / "log") as served:
        assert served.stdin is not None
        assert served.stdout is not None
        await served.stdin.send(HELLO)
        await served.stdout.receive()
        served.send_signal(number)
        with anyio.fail_after(DEADLINE_S):
            assert await served.wait() != 0
    assert (tmp_path / "log").exists()


@pytest.mark.long
@pytest.mark.requires("mcp.ends")
async def test_it_ends_with_its_input_and_answers_what_was_asked_before(tmp_path: Path) -> None:
    async with await _started(tmp_path / "log") as served:
        assert served.stdin is not None
        assert served.stdout is not None
        await served.stdin.send(b"this is no message\n" + HELLO)
        await served.stdin.aclose()
        heard = b""
        with anyio.fail_after(DEADLINE_S):
            async for part in served.stdout:
                heard += part
            assert await served.wait() == 0
    assert b'"id":1,"result"' in heard
    assert (tmp_path / "log").exists()


async def _started(log: Path) -> anyio.abc.Process:
    environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}", "LANG": "C.UTF-8", **of_this_run()}
    return await anyio.open_process(
        [sys.executable, str(PROGRAM), str(log)], stderr=subprocess.DEVNULL, env=environment
    )
