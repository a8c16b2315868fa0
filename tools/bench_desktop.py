"""How long a private desktop takes to be ready and gone, and what it costs when idle.

python tools/bench_desktop.py [STARTS]
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from deskhand.desktop.linux.guardian import descendants
from deskhand.desktop.linux.virtual import boot

SIZE = (1920, 1080)


def pss_mib(pid: int) -> float:
    """The memory of a process with what it shares divided among its sharers, in MiB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()


async def main(starts: int) -> None:
    ready: list[float] = []
    gone: list[float] = []
    with tempfile.TemporaryDirectory() as root:
        for number in range(starts):
            began = time.perf_counter()
            _, keeper = await boot("bench", Path(root), SIZE)
            ready.append((time.perf_counter() - began) * 1000)
            if number == starts - 1 and keeper.watcher:
                memory = {pid: pss_mib(pid) for pid in {keeper.watcher.pid, *descendants(keeper.watcher.pid)}}
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
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
