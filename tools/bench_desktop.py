"""How long a private desktop takes to be ready and gone, what it costs when idle, and what several cost with Calc.

    python -m tools.bench_desktop [STARTS] [--beside N]

Memory is what the processes have for themselves, and their part of what they share.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from deskhand.desktop.linux.desktop import open_linux
from deskhand.desktop.linux.runtime.guardian import descendants
from deskhand.desktop.linux.runtime.virtual_desktop import VirtualDesktop, boot
from deskhand.session.applications import BUILT_IN

SIZE = (1920, 1080)


def pss_mib(pid: int) -> float:
    """The memory of a process with what it shares divided among its sharers, in MiB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()


def memory_mib(watcher: int) -> dict[int, float]:
    """Of every process of a desktop."""
    return {pid: pss_mib(pid) for pid in {watcher, *descendants(watcher)}}


async def side_by_side(count: int) -> None:
    """Desktops with an empty sheet each, all up at once."""
    calc = next(application for application in BUILT_IN if application.name == "calc")
    async with AsyncExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        watchers: list[int] = []
        for number in range(count):
            facts, keeper = await boot(f"beside{number}", root / str(number), SIZE)
            stack.push_async_callback(keeper.close)
            desktop = await open_linux(VirtualDesktop(facts, keeper.control, _nothing))
            stack.push_async_callback(desktop.close)
            await desktop.launch(calc, deadline_s=60)
            if keeper.watcher:
                watchers.append(keeper.watcher.pid)
        total = sum(sum(memory_mib(watcher).values()) for watcher in watchers)
        print(f"{count} desktops with Calc: {total:.0f} MiB, {total / count:.0f} each")


async def _nothing() -> None:
    """The keeper is closed by whoever opened it."""


async def main(starts: int) -> None:
    ready: list[float] = []
    gone: list[float] = []
    with tempfile.TemporaryDirectory() as root:
        for number in range(starts):
            began = time.perf_counter()
            _, keeper = await boot("bench", Path(root), SIZE)
            ready.append((time.perf_counter() - began) * 1000)
            if number == starts - 1 and keeper.watcher:
                memory = memory_mib(keeper.watcher.pid)
                for pid, mib in sorted(memory.items(), key=lambda item: -item[1]):
                    print(f"  {mib:6.1f} MiB  {command(pid)}")
                print(f"idle PSS: {sum(memory.values()):.1f} MiB")
            began = time.perf_counter()
            await keeper.close()
            gone.append((time.perf_counter() - began) * 1000)
    for what, values in (("ready", ready), ("gone", gone)):
        p95 = sorted(values)[max(0, round(len(values) * 0.95) - 1)]
        print(f"{what}: first {values[0]:.0f}, p50 {statistics.median(values):.0f}, p95 {p95:.0f} ms of {starts}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("starts", nargs="?", type=int, default=20)
    parser.add_argument("--beside", type=int, default=0)
    given = parser.parse_args()
    asyncio.run(main(given.starts))
    if given.beside:
        asyncio.run(side_by_side(given.beside))
