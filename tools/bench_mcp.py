"""The time of a tool call over MCP: `bench_mcp.py [CALLS] [--before DIR]` prints medians and 95th percentiles, in ms.

First a desktop in memory, served over stdin and stdout to the official client: the protocol, two processes and our own
part, without the time of a real desktop. `ping` is the library alone. Then a small window of a real desktop, over
stdin and stdout and over HTTP, in both eras of the protocol; with `--before`, the server of another checkout is
measured in turn with ours, on the same window.
"""

import argparse
import os
import re
import statistics
import subprocess
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import anyio
from mcp import Client, StdioServerParameters

from tests.cli.driver import PROGRAM, deskhand, environment
from tests.serve.clients import TOKEN, notes_server, over_http

GOAL_MS: Final = 2.0
REAL_GOAL_MS: Final = 60.0
ROOT: Final = Path(__file__).resolve().parent.parent
FIXTURE: Final = ROOT / "tests/apps/gtk3_fixture.py"
ERAS: Final = ("legacy", "2026-07-28")
CALLS: Final[tuple[tuple[str, dict[str, object]], ...]] = (
    ("get_desktop_app_info", {}),
    ("observe_window", {}),
    ("texts", {"id": "1"}),
    ("observe_window", {"screenshot": "plain"}),
)
REAL_CALLS: Final[tuple[tuple[str, dict[str, object]], ...]] = (
    ("get_desktop_app_info", {}),
    ("observe_window", {}),
    ("observe_window", {"screenshot": "plain"}),
)


async def measured(calls: int, call: Callable[[], Awaitable[object]]) -> list[float]:
    """Milliseconds of each call, after some to warm up."""
    taken: list[float] = []
    for number in range(calls + 5):
        started = time.perf_counter()
        await call()
        if number >= 5:
            taken.append((time.perf_counter() - started) * 1000)
    return taken


def line(name: str, taken: list[float], goal: float | None) -> str:
    median, late = statistics.median(taken), sorted(taken)[int(len(taken) * 0.95)]
    met = f"  (goal {goal:g}: {'met' if median <= goal else 'MISSED'})" if goal else ""
    return f"  {name:<40} {median:7.2f} {late:7.2f}{met}"


async def in_memory(calls: int) -> None:
    for era in ERAS:
        with TemporaryDirectory() as folder:
            started = time.perf_counter()
            async with Client(notes_server(f"{folder}/log"), mode=era) as client:
                print(f"in memory, {era}: connected after {(time.perf_counter() - started) * 1000:.0f} ms")
                if era == "legacy":
                    print(line("ping", await measured(calls, client.session.send_ping), None))
                for name, arguments in CALLS:

                    async def call(name: str = name, arguments: dict[str, object] = arguments) -> object:
                        return await client.call_tool(name, arguments)

                    goal = None if "screenshot" in arguments else GOAL_MS
                    print(line(f"{name} {arguments or ''}", await measured(calls, call), goal))


@asynccontextmanager
async def served(env: Mapping[str, str], transport: str, era: str) -> AsyncGenerator[Client]:
    command = [*PROGRAM, "mcp", "--desktop", "bench"]
    if transport == "stdio":
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(env))
        async with Client(parameters, mode=era) as client:
            yield client
        return
    command += ["--http", "127.0.0.1:0"]
    async with await anyio.open_process(command, env=env, stderr=subprocess.PIPE) as process:
        assert process.stderr
        said = ""
        while not (address := re.search(r"http://\S+/mcp", said)):
            said += (await process.stderr.receive()).decode()
        async with over_http(address[0], era) as client:
            yield client
        process.terminate()


async def of_a_window(calls: int, before: Path | None) -> None:
    with TemporaryDirectory() as folder:
        env = {**environment(XDG_STATE_HOME=f"{folder}/state", HOME=folder), "DESKHAND_MCP_TOKEN": TOKEN}
        assert deskhand("desktop", "start", "bench", env=env).code == 0
        try:
            started = deskhand(
                "launch", "--desktop", "bench", "--", "/usr/bin/python3", FIXTURE, f"{folder}/s", env=env
            )
            assert started.code == 0, started.err
            for transport in ("stdio", "HTTP"):
                for era in ERAS:
                    await beside(calls, transport, era, env, before)
        finally:
            deskhand("desktop", "stop", "--all", env=env)


async def beside(calls: int, transport: str, era: str, env: Mapping[str, str], before: Path | None) -> None:
    """Measure our server, in turns with that of another checkout."""
    sources = {"before": before, "now": ROOT} if before else {"now": ROOT}
    taken: dict[str, dict[str, list[float]]] = {name: {} for name in sources}
    for _ in range(3):
        for name, source in sources.items():
            async with served({**env, "PYTHONPATH": f"{source}/src"}, transport, era) as client:
                for tool, arguments in REAL_CALLS:

                    async def call(tool: str = tool, arguments: dict[str, object] = arguments) -> object:
                        return await client.call_tool(tool, arguments)

                    told = f"{tool} {arguments or ''}".strip()
                    taken[name].setdefault(told, []).extend(await measured(calls // 3, call))
    print(f"a small window over {transport}, {era}")
    for told, ours in taken["now"].items():
        print(line(told, ours, REAL_GOAL_MS if told == "observe_window" else None))
        if before:
            theirs = statistics.median(taken["before"][told])
            print(f"    before {theirs:.2f}, ratio {theirs / statistics.median(ours):.2f}")


async def main(calls: int, before: Path | None) -> None:
    await in_memory(calls)
    await of_a_window(max(calls // 5, 9), before)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("calls", nargs="?", type=int, default=300)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    os.chdir(ROOT)
    anyio.run(main, options.calls, options.before and options.before.resolve())
