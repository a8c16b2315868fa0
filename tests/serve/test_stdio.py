"""A desktop in memory, served to the official client over stdin and stdout."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from serve.clients import DEADLINE_S, PROGRAM, connected, ids, notes_server, of_this_run, told
from support import ROOT

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"test","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)
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
@pytest.mark.requires("mcp.ends", "mcp.stdio")
async def test_every_line_is_a_message_and_it_ends_with_its_input(tmp_path: Path) -> None:
    async with await _started(tmp_path / "log") as served:
        assert served.stdin is not None
        assert served.stdout is not None
        tidy = {"name": "invoke", "arguments": {"id": "6", "name": "Tidy"}}  # prints
        asked = [_request(2, "tools/call", {"name": "observe_window"}), _request(3, "tools/call", tidy), HELLO]
        await served.stdin.send(b"this is no message\n" + INITIALIZE + b"".join(asked))
        heard = b""
        with anyio.fail_after(DEADLINE_S):
            while heard.count(b'"id":') < 4:
                heard += await served.stdout.receive()
            await served.stdin.aclose()
            async for part in served.stdout:
                heard += part
            assert await served.wait() == 0
    answers = [json.loads(line) for line in heard.splitlines()]
    assert {answer.get("id") for answer in answers if "result" in answer} == {0, 1, 2, 3}


def _request(number: int, method: str, params: Mapping[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


async def _started(log: Path) -> anyio.abc.Process:
    environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}", "LANG": "C.UTF-8", **of_this_run()}
    return await anyio.open_process(
        [sys.executable, str(PROGRAM), str(log)], stderr=subprocess.DEVNULL, env=environment
    )
