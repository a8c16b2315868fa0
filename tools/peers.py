"""The programs that `bench_peers` puts side by side: builds of Deskhand, Cua Driver and dogtail (`.venv-peers`)."""

import json
import os
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

ROOT: Final = Path(__file__).resolve().parent.parent
PEERS: Final = ROOT / ".venv-peers"
SYSTEM_PACKAGES: Final = "/usr/lib/python3/dist-packages"
DESKTOP: Final = "bench"
SILENT: Final = {
    "DO_NOT_TRACK": "1",
    "CUA_TELEMETRY": "0",
    "CUA_DRIVER_RS_TELEMETRY_ENABLED": "false",
    "CUA_DRIVER_RS_UPDATE_CHECK": "false",
    "CUA_LOG": "error",
}
"""What Cua Driver's pages name against telemetry and the look for updates; and no warning for each action."""

NO_POINTER: Final = "--no-overlay"
"""Cua Driver draws a pointer over all windows, which is a change of them to whoever waits for calm."""

WITHOUT_PICTURE: Final = {"include_screenshot": False}
WHOLE: Final = {**WITHOUT_PICTURE, "max_elements": 1_000_000, "timeout_ms": 120_000}
WITHOUT_DELAYS: Final = """[config]
action_delay = 0
default_delay = 0
double_click_delay = 0
search_back_off_delay = 0
typing_delay = 0
debug_file = None
debug_file_persistence = True
"""
"""dogtail's settings; without the last, no file for its log is an error."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window as Deskhand and as Cua Driver name it."""

    id: str
    pid: int

    @property
    def of_cua(self) -> dict[str, int]:
        return {"pid": self.pid, "window_id": int(self.id.partition(":")[2], 16)}


@dataclass(frozen=True, slots=True)
class Build:
    """A checkout of Deskhand with its environment, and a private desktop of its own below `home`."""

    checkout: Path
    home: Path

    @property
    def program(self) -> str:
        return str(self.checkout / ".venv/bin/deskhand")

    @property
    def environment(self) -> dict[str, str]:
        inherited = {name: text for name, text in os.environ.items() if name != "PYTHONPATH" and name[:4] != "XDG_"}
        return {**inherited, "HOME": str(self.home)}

    def argv(self, verb: str, *arguments: str) -> list[str]:
        return [self.program, verb, "--desktop", DESKTOP, *arguments]

    def run(self, verb: str, *arguments: str) -> str:
        """Carry out a command on the desktop. Raises: RuntimeError."""
        return output(self.argv(verb, *arguments), self.environment)

    @contextmanager
    def desktop(self) -> Generator[dict[str, str]]:
        """Start the desktop; yield the environment of its programs."""
        told = output([self.program, "desktop", "start", DESKTOP, "--json"], self.environment)
        try:
            yield {**self.environment, **json.loads(told)["env"]}
        finally:
            output([self.program, "desktop", "stop", DESKTOP], self.environment)

    def launch(self, *argv: object) -> Window:
        told = json.loads(self.run("launch", "--json", "--", *map(str, argv)))
        return Window(told["id"], told["pid"])

    def label(self, window: Window, name: str) -> str:
        """Return the id of a control of that name."""
        controls = json.loads(self.run("observe", "--json", "--window", window.id))["controls"]
        return next(control["id"] for control in controls if control["name"] == name)


def output(argv: list[str], environment: Mapping[str, str]) -> str:
    """Return what a command printed. Raises: RuntimeError with what it said where its exit code is not 0."""
    done = subprocess.run(argv, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{argv} ended with exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def cua_driver() -> str:
    """Return its program, without the script in Python that starts it."""
    return str(next(PEERS.glob("lib/python*/site-packages/cua_driver/bin/cua-driver")))


def cua_environment(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return that of a desktop, with a home of Cua Driver's own: the path of its socket has to be short."""
    folders = {name: str(home / name) for name in environment if name[:4] == "XDG_" and name[-5:] == "_HOME"}
    return {**environment, **folders, **SILENT, "HOME": str(home)}


@asynccontextmanager
async def cua_served(environment: Mapping[str, str]) -> AsyncGenerator[None]:
    """Run the server that its commands need."""
    argv = [cua_driver(), "serve", NO_POINTER]
    async with await anyio.open_process(argv, env=environment, stdout=subprocess.DEVNULL) as process:
        assert process.stderr
        said = b""
        with anyio.fail_after(30):
            while b"listening" not in said:
                said += await process.stderr.receive()
        try:
            yield
        finally:
            if process.returncode is None:
                process.terminate()


@asynccontextmanager
async def session(argv: list[str], environment: Mapping[str, str]) -> AsyncGenerator[Client]:
    """Connect to a server over stdin and stdout."""
    parameters = StdioServerParameters(command=argv[0], args=argv[1:], env=dict(environment))
    async with Client(parameters, mode="legacy") as client:
        yield client


async def call(client: Client, tool: str, **arguments: object) -> CallToolResult:
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(f"{tool} {arguments}: {text_of(result)}")
    return result


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def data_of(result: CallToolResult) -> dict[str, Any]:  # Any: JSON
    return cast("dict[str, Any]", result.structured_content)


@asynccontextmanager
async def dogtail(
    folder: Path, environment: Mapping[str, str], pid: int, name: str
) -> AsyncGenerator[Callable[[], Awaitable[object]]]:
    """Yield what finds a button by dogtail and presses it."""
    (folder / "dogtail_config.ini").write_text(WITHOUT_DELAYS)
    argv = [str(PEERS / "bin/python"), str(ROOT / "tests/apps/dogtail_press.py"), str(pid), name]
    own = {**environment, "PYTHONPATH": SYSTEM_PACKAGES}
    async with await anyio.open_process(argv, env=own, cwd=folder, stderr=None) as process:
        commands, answers = process.stdin, process.stdout and BufferedByteReceiveStream(process.stdout)
        assert commands
        assert answers

        async def press() -> object:
            await commands.send(b"press\n")
            return await answers.receive_until(b"\n", 100)

        yield press
        await commands.aclose()
