"""What a call of a tool costs over MCP: `bench_mcp.py [CALLS]` prints medians and 95th percentiles, in milliseconds.

A desktop in memory is served over stdin and stdout to the official client, so that what is measured is the protocol,
the two processes and our own part, without the time of a real desktop. `ping` is the library alone.
"""

import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from tempfile import TemporaryDirectory
from typing import Final

import anyio
from mcp import Client

from tests.serve.clients import notes_server

GOAL_MS: Final = 2.0
CALLS: Final[tuple[tuple[str, dict[str, object]], ...]] = (
    ("get_desktop_app_info", {}),
    ("observe_window", {}),
    ("texts", {"id": "1"}),
    ("observe_window", {"screenshot": "plain"}),
)


async def measured(calls: int, call: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds, after some to warm up."""
    taken: list[float] = []
    for number in range(calls + 10):
        started = time.perf_counter()
        await call()
        if number >= 10:
            taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken), sorted(taken)[int(len(taken) * 0.95)]


async def main(calls: int) -> None:
    for era in ("legacy", "2026-07-28"):
        with TemporaryDirectory() as folder:
            started = time.perf_counter()
            async with Client(notes_server(f"{folder}/log"), mode=era) as client:
                print(f"{era}: connected after {(time.perf_counter() - started) * 1000:.0f} ms")
                if era == "legacy":
                    print("  {:<40} {:6.2f} {:6.2f}".format("ping", *await measured(calls, client.session.send_ping)))
                for name, arguments in CALLS:

                    async def call(name: str = name, arguments: dict[str, object] = arguments) -> object:
                        return await client.call_tool(name, arguments)

                    median, late = await measured(calls, call)
                    goal = (
                        ""
                        if "screenshot" in arguments
                        else f"  (goal {GOAL_MS:g}: {'met' if median <= GOAL_MS else 'MISSED'})"
                    )
                    told = f"{name} {arguments or ''}"
                    print(f"  {told:<40} {median:6.2f} {late:6.2f}{goal}")


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if sys.argv[1:] else 300)
