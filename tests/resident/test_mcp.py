"""MCP clients of one desktop's resident server: several at once, one after the other, and the end of the server."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import anyio
import pytest
from mcp import Client, StdioServerParameters

from cli.driver import PROGRAM
from resident.served import Up
from serve.clients import ERAS, connected, refused, told
from support import ROOT, wait_for, wait_until_ended

pytestmark = [pytest.mark.desktop, pytest.mark.requires("resident.mcp")]

INITIALIZE: Final[Mapping[str, object]] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
_BUTTON: Final = re.compile(r'(\d+) button "Press me"')


@asynccontextmanager
async def agent(up: Up, era: str = ERAS[0]) -> AsyncGenerator[Client]:
    """A client that starts `deskhand mcp`, as a coding agent does."""
    command, *arguments = (*PROGRAM, "mcp", "--files", str(up.folder))
    async with connected(StdioServerParameters(command=command, args=arguments, env=up.env), era) as client:
        yield client


async def button_of(client: Client) -> str:
    found = _BUTTON.search(await told(client, "observe_window"))
    assert found
    return found[1]


def pressed(up: Up) -> int:
    return int(str(up.state["pressed"]))


async def test_two_agents_and_the_command_line_act_on_the_same_ids(up: Up) -> None:
    before = pressed(up)
    async with agent(up) as one, agent(up, ERAS[1]) as other:
        id_ = await button_of(one)
        assert "confirmed" in await told(other, "invoke", id=id_, name="Press me")
        assert await button_of(other) == id_
        assert "confirmed" in await told(one, "invoke", id=id_)
        done = up("act", "invoke", f"id={id_}")
        assert done.code == 0, done.err
    assert pressed(up) == before + 3
    assert len(up.servers) == 1


async def test_a_client_that_starts_a_server_for_each_call_keeps_its_ids(up: Up) -> None:
    before = pressed(up)
    async with agent(up) as client:
        id_ = await button_of(client)
    async with agent(up) as client:
        assert "confirmed" in await told(client, "invoke", id=id_, name="Press me")
    assert pressed(up) == before + 1


@pytest.mark.full("both eras take the same way", but=["2026-07-28"])
@pytest.mark.parametrize("era", ERAS)
async def test_the_end_of_the_server_is_an_error_of_the_open_call_and_the_next_one_has_another_server(
    up: Up, era: str
) -> None:
    async with agent(up, era) as client:
        id_ = await button_of(client)
        server = up.server()
        errors: list[str] = []

        async def wait() -> None:
            errors.append(await refused(client, "hold_keys", keys="{SHIFT}", seconds=30))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.to_thread.run_sync(wait_for, up.keys_down)
            os.kill(server, signal.SIGKILL)
        assert "its effect is unknown" in errors[0]
        before = pressed(up)
        assert "confirmed" in await told(client, "invoke", id=id_, name="Press me")
        assert pressed(up) == before + 1
        assert up.servers != [server]
    wait_for(lambda: up.keys_down() == 0)


def test_the_messages_of_a_client_go_to_the_next_server_and_their_answers_come_once(up: Up) -> None:
    server = up.server()
    with raw_client(up) as client:
        said = exchange(client, {"id": "é", "method": "initialize", "params": INITIALIZE})
        assert said["id"] == "é"
        exchange(client, {"id": 1, "method": "ping"}, {"method": "notifications/initialized"})
        os.kill(server, signal.SIGKILL)
        wait_for(lambda: server not in up.servers)
        assert [exchange(client, {"id": number, "method": "ping"})["id"] for number in (2, 3)] == [2, 3]


def test_a_client_that_reads_no_more_is_left_in_silence(up: Up) -> None:
    up.server()
    with raw_client(up) as client:
        exchange(client, {"id": 0, "method": "initialize", "params": INITIALIZE})
        assert client.stdin
        assert client.stdout
        assert client.stderr
        send(client, {"method": "notifications/initialized"}, *({"id": each, "method": "ping"} for each in range(50)))
        client.stdout.close()
        client.stdin.close()
        assert (client.wait(20), client.stderr.read()) == (0, b"")


@pytest.mark.full("such messages are rare")
def test_a_message_that_is_too_long_ends_the_client_with_the_reason_and_not_the_server(up: Up) -> None:
    server = up.server()
    with raw_client(up) as client:
        exchange(client, {"id": 0, "method": "initialize", "params": INITIALIZE})
        assert client.stdin
        assert client.stdout
        assert client.stderr
        with suppress(BrokenPipeError):
            send(client, {"id": 1, "method": "ping", "params": {"text": "x" * (17 << 20)}})
        assert client.wait(20) == 2
        assert b"more than 16 MiB" in client.stderr.read()
        assert b"ServerLost" not in client.stdout.read()
    assert up.servers == [server]


def test_an_approval_that_a_killed_server_asked_for_approves_nothing_at_the_next(up: Up, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(
        "policy: 1\nrules:\n- {name: ask, match: {tool: invoke}, decision: confirm, reason: test}\n"
    )
    server = up.server()
    before = pressed(up)
    button = up("observe", "--name", "Press me", "--json").items("controls")[0]["id"]
    call = {"method": "tools/call", "params": {"name": "invoke", "arguments": {"id": button}}}
    yes = {"action": "accept", "content": {"approve": True}}
    no = {"action": "decline"}
    with raw_client(up, DESKHAND_POLICY__FILES=f"[{tmp_path}/rules.yaml]") as client:
        asking: dict[str, object] = {"elicitation": {}}
        exchange(client, {"id": 0, "method": "initialize", "params": {**INITIALIZE, "capabilities": asking}})
        first = exchange(client, {"method": "notifications/initialized"}, {"id": 1, **call})
        os.kill(server, signal.SIGKILL)
        assert "ServerLost" in str(exchange(client))
        second = exchange(client, {"id": 2, **call})
        assert [each.get("method", each) for each in (first, second)] == ["elicitation/create"] * 2
        answers = {"id": first["id"], "result": yes}, {"id": second["id"], "result": no}
        assert exchange(client, *answers)["id"] == 2
        assert pressed(up) == before
        third = exchange(client, {"id": 3, **call})
        assert "confirmed" in str(exchange(client, {"id": third["id"], "result": yes}))
    assert pressed(up) == before + 1


@contextmanager
def raw_client(up: Up, **env: str) -> Generator["subprocess.Popen[bytes]"]:
    pipe = subprocess.PIPE
    with subprocess.Popen([*PROGRAM, "mcp"], env={**up.env, **env}, stdin=pipe, stdout=pipe, stderr=pipe) as client:
        try:
            yield client
        finally:
            client.kill()


def send(client: "subprocess.Popen[bytes]", *messages: Mapping[str, object]) -> None:
    assert client.stdin
    client.stdin.writelines(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages)
    client.stdin.flush()


def exchange(client: "subprocess.Popen[bytes]", *messages: Mapping[str, object]) -> dict[str, object]:
    """The next message of the server."""
    send(client, *messages)
    assert client.stdout
    said: dict[str, object] = json.loads(client.stdout.readline())
    return said


@pytest.mark.full("test_server replaces a server of another build")
async def test_an_upgrade_does_not_end_the_session_of_an_agent(up: Up, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src/deskhand", tmp_path / "deskhand", ignore=shutil.ignore_patterns("__pycache__"))
    upgraded = replace(up, env={**up.env, "PYTHONPATH": str(tmp_path)})
    upgraded.server()
    async with agent(upgraded) as client:
        id_ = await button_of(client)
        (old,) = up.servers
        (tmp_path / "deskhand/core/errors.py").touch()
        await anyio.to_thread.run_sync(wait_for, lambda: "another build" in upgraded("windows").err)
        await anyio.to_thread.run_sync(wait_until_ended, [old])
        assert "confirmed" in await told(client, "invoke", id=id_, name="Press me")
    up.server()


async def test_what_an_agent_left_down_is_released_when_it_leaves(up: Up) -> None:
    async with agent(up) as client:
        await button_of(client)
        await client.call_tool("hold_keys", {"keys": "{SHIFT}"})
        assert up.keys_down()
    wait_for(lambda: up.keys_down() == 0)


async def test_another_process_that_holds_the_desktop_is_an_error_of_the_call(up: Up) -> None:
    async with agent(up) as client:
        held = json.loads(up("desktop", "list", "--json").out)["desktops"][0]["held_by"]
        assert held["what"] == "deskhand mcp"
        await told(client, "observe_window")
    done = up("desktop", "list", "--json")
    assert json.loads(done.out)["desktops"][0]["held_by"] is None
