"""Tools of other servers in our catalogue, with a foreign server that is honest, dead, slow, lying or huge."""

import sys
import threading
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from time import monotonic

import anyio
import mcp_types as types
import pytest
from mcp.server import Server

from deskhand.commands import Catalogue, CommandDispatcher, ToolContext, standard_catalogue
from deskhand.commands.mcp_client import ForeignServers, ToolServer, tool_servers
from deskhand.commands.mcp_client.connection import MOST_TEXT
from deskhand.config.sections import Configuration, McpSection, ToolServerEntry
from deskhand.core.command import Command, Effect, Result, ResultStatus
from deskhand.core.errors import ConfigurationError, ReplyDefect, ToolServerError
from deskhand.core.ports import Decision
from deskhand.desktop.fake import FakeDesktop
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.policy.rules import default_rules
from deskhand.serve.http import serve_http
from deskhand.serve.mcp import make_server
from deskhand.serve.web_server import Place
from deskhand.session.clock import SystemClock
from notes import Notes
from serve.clients import of_this_run
from support import ROOT
from wire.hostile import HEAD, hostile

TOKEN = "a-token-for-tests-only"  # noqa: S105 - as it says
KEY = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """A server is asked, which takes time that passes."""
    return "asyncio"


@dataclass
class Joined:
    """Our catalogue with what servers brought, and what was told of them."""

    catalogue: Catalogue
    told: list[str] = field(default_factory=list[str])

    @property
    def foreign(self) -> set[str]:
        return {tool.spec.name for tool in self.catalogue if tool.spec.namespace != "deskhand"}

    async def call(self, name: str, **arguments: str) -> Result:
        policy = RulePolicy(default_rules(), Surroundings(tool=self.catalogue.spec))
        dispatcher = CommandDispatcher(self.catalogue, ToolContext(FakeDesktop()), policy, SystemClock())
        spec = self.catalogue.spec(name)
        assert spec is not None
        command = Command(name, self.catalogue.validate(name, dict(arguments)), spec.tool_type)
        clearance = policy.clear(policy.judge(command, None), approved=True)
        return (await dispatcher.execute_commands([command], {command.call_id: clearance}))[0]


def entry(mode: str, **settings: object) -> ToolServerEntry:
    command = [sys.executable, str(ROOT / "tests/wire/foreign.py"), mode]
    return ToolServerEntry.model_validate({"command": command, "reads": ["look_up"], **settings})


@asynccontextmanager
async def joined(*servers: ToolServer) -> AsyncGenerator[Joined]:
    told: list[str] = []

    def tell(name: str, error: ToolServerError) -> None:
        told.append(f"{name}: {type(error).__name__}: {error.message}")

    with anyio.fail_after(30):
        known = [replace(server, environment=of_this_run()) for server in servers]
        async with ForeignServers(known, tell) as opened:
            yield Joined(Catalogue((*standard_catalogue(), *opened.tools)), told)


@pytest.mark.requires("mcp.join")
async def test_a_servers_tools_join_ours_under_its_name_for_those_it_was_set_up_for() -> None:
    settings = {"agents": ("app", "host"), "applications": ("Gedit",)}
    async with joined(ToolServer("words", entry("honest", **settings))) as it:
        assert it.told == []
        assert it.foreign == {"words.look_up", "words.forget"}
        assert "words.look_up" in it.catalogue.specs("app", "gedit")
        assert "words.look_up" in it.catalogue.specs("host", "gedit")
        assert "words.look_up" not in it.catalogue.specs("app", "calc")
        spec = it.catalogue.spec("words.look_up")
        assert spec is not None
        assert len(spec.description) <= 400
        done = await it.call("words.look_up", word="desk")
        assert (done.status, done.result) == (
            ResultStatus.SUCCESS,
            {"server": "words", "text": "a table to work at"},
        )
        assert done.namespace == "mcp:words"


@pytest.mark.requires("mcp.unknown")
async def test_what_nobody_said_only_reads_needs_an_approval_and_is_never_confirmed() -> None:
    async with joined(ToolServer("words", entry("honest"))) as it:
        policy = RulePolicy(default_rules(), Surroundings(tool=it.catalogue.spec))
        assert policy.judge(Command("words.forget"), None).decision is Decision.CONFIRM
        assert policy.judge(Command("words.look_up"), None).decision is Decision.ALLOW
        refused = await it.call("words.forget")
        assert (refused.status, refused.error and refused.error.type) == (ResultStatus.FAILURE, "ToolServerRefused")
        assert refused.delivered
    async with joined(ToolServer("words", entry("honest", reads=()))) as it:
        done = await it.call("words.look_up", word="desk")
        assert (done.status, done.effect, done.retry_safe) == (ResultStatus.NONE, Effect.UNVERIFIABLE, False)


@pytest.mark.requires("mcp.schema")
async def test_arguments_are_held_against_the_schema_before_anything_is_sent() -> None:
    async with joined(ToolServer("words", entry("honest"))) as it:
        for arguments, problem in (
            ({}, "the argument 'word' is missing"),
            ({"word": 3}, "word: should be string"),
            ({"word": "a", "most": True}, "most: should be integer"),
            ({"word": "a", "language": "fr"}, "language: should be one of en, de"),
            ({"word": "a", "colour": "red"}, "there is no argument 'colour'"),
        ):
            with pytest.raises(ReplyDefect) as caught:
                it.catalogue.validate("words.look_up", arguments)  # pyright: ignore[reportArgumentType] - wrong ones
            assert problem in caught.value.message
        it.catalogue.validate("words.look_up", {"word": "a" * 40 + "!"})  # its pattern would take for ever


@pytest.mark.requires("mcp.schema")
async def test_tools_that_cannot_be_used_are_told_of_and_left_out() -> None:
    async with joined(ToolServer("words", entry("bad", tools=()))) as it:
        assert it.foreign == {"words.look_up", "words.forget"}
        assert len(it.told) == 3
        assert all("is not taken" in line for line in it.told)
    async with joined(ToolServer("words", entry("endless", tools=("forget", "fly")))) as it:
        assert it.foreign == {"words.forget"}
        assert it.told == ["words: ToolServerInvalid: the tool server 'words' has no tool 'fly'"]


@pytest.mark.requires("mcp.broken")
@pytest.mark.parametrize("mode", ["silent", "dead", "missing", "flat"])
async def test_a_server_that_does_not_come_up_is_a_typed_failure_and_the_others_join(mode: str) -> None:
    bad = entry(mode, connect_s=0.3) if mode != "missing" else ToolServerEntry(command=("/nowhere/at/all",))
    started = monotonic()
    async with joined(ToolServer("bad", bad), ToolServer("words", entry("garbage"))) as it:
        assert it.foreign == {"words.look_up", "words.forget"}
        assert len(it.told) == 1
        assert it.told[0].startswith("bad: ToolServerUnavailable: ")
    assert monotonic() - started < 15


@pytest.mark.long
@pytest.mark.requires("mcp.broken")
@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("slow", "ToolServerUnavailable"),
        ("stopped", "ToolServerUnavailable"),
        ("dies", None),
        ("lying", "ToolServerInvalid"),
    ],
)
async def test_a_call_that_goes_wrong_is_a_typed_failure_within_its_deadline(mode: str, kind: str | None) -> None:
    async with joined(ToolServer("words", entry(mode, deadline_s=1.0))) as it:
        started = monotonic()
        done = await it.call("words.look_up", word="desk")
        assert monotonic() - started < 8
        assert done.status is ResultStatus.FAILURE
        assert done.error is not None
        assert done.error.type == kind or (kind is None and done.error.type.startswith("ToolServer"))
        assert done.error.recoverable


@pytest.mark.long
@pytest.mark.requires("mcp.broken")
async def test_a_line_without_an_end_ends_the_connection_and_not_the_memory() -> None:
    async with joined(ToolServer("words", entry("flood", deadline_s=10.0))) as it:
        for _ in range(2):
            done = await it.call("words.look_up", word="desk")
            assert done.error is not None
            assert done.error.type.startswith("ToolServer")
            assert "did not answer" not in done.error.message


@pytest.mark.requires("mcp.untrusted")
async def test_what_a_server_says_is_bounded() -> None:
    async with joined(ToolServer("words", entry("huge"))) as it:
        done = await it.call("words.look_up", word="desk")
        assert len(repr(done.result)) < MOST_TEXT + 200


@pytest.mark.requires("mcp.join")
async def test_a_server_in_this_process_and_one_over_http_join_too() -> None:
    async def tools(*_: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="look_up", input_schema={"type": "object"})])

    async def call(*_: object) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(text="from here")])

    here = ToolServer("here", entry("honest"), inside=Server("here", on_list_tools=tools, on_call_tool=call))
    notes = Notes()
    async with served(notes) as address:
        there = ToolServer("there", over_http(address, reads=("observe_window",)), headers=KEY)
        async with joined(here, there, ToolServer("nokey", over_http(address))) as it:
            assert (await it.call("here.look_up")).result == {"server": "here", "text": "from here"}
            assert '"Save"' in repr((await it.call("there.observe_window")).result)
            assert [line.partition(": ")[0] for line in it.told] == ["nokey"]


@pytest.mark.requires("mcp.broken")
async def test_an_http_server_that_is_silent_or_endless_is_a_typed_failure() -> None:
    def silent(gone: threading.Event) -> Iterable[bytes]:
        gone.wait(20)
        yield b""

    def endless(gone: threading.Event) -> Iterable[bytes]:
        yield HEAD + b"\r\n"
        while not gone.is_set():
            yield b" " * 65536

    for answer, patience_s, is_late in ((silent, 0.3, True), (endless, 5.0, False)):
        with hostile(answer) as address:
            async with joined(ToolServer("bad", over_http(address, connect_s=patience_s))) as it:
                assert (it.foreign, len(it.told)) == (set(), 1)
                assert it.told[0].startswith("bad: ToolServerUnavailable: ")
                assert ("was not ready within" in it.told[0]) is is_late


def over_http(address: str, **settings: object) -> ToolServerEntry:
    return ToolServerEntry.model_validate({"address": address, **settings})


@asynccontextmanager
async def served(notes: Notes) -> AsyncGenerator[str]:
    """The address at which a desktop in memory is served."""
    send, receive = anyio.create_memory_object_stream[str](1)
    async with anyio.create_task_group() as group, send, receive:
        server = make_server(notes.desktop, Configuration())
        group.start_soon(lambda: serve_http(server, Place(), TOKEN, ready=send.send_nowait))
        yield await receive.receive()
        group.cancel_scope.cancel()


def test_secrets_come_from_the_environment_or_the_secrets_file_and_show_nowhere() -> None:
    section = McpSection.model_validate(
        {"servers": {"search": {"address": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${KEY}"}}}}
    )
    (server,) = tool_servers(section, {"KEY": "secret-word"})
    assert server.headers == {"Authorization": "Bearer secret-word"}
    assert "secret-word" not in repr(server)
    with pytest.raises(ConfigurationError, match="KEY is set neither"):
        tool_servers(section, {})
