"""What keeping things costs here: `bench_store.py [FOLDER]` (default: a temporary one) prints medians."""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from deskhand.core.events import ActionIntended
from deskhand.store.journal import Journal, read_events

EVENTS = 5000
ROWS = [["North", "1200", "1350", "1280"]] * 20


class _SystemClock:
    def monotonic(self) -> float:
        return time.monotonic()

    def now(self) -> float:
        return time.time()


def _report(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    p99 = ordered[int(len(ordered) * 0.99)]
    median, worst = statistics.median(ordered), ordered[-1]
    print(f"{what:44} median {median * 1e3:8.3f} ms   p99 {p99 * 1e3:8.3f} ms   max {worst * 1e3:8.3f} ms")


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def bench_journal(folder: Path) -> None:
    journal = Journal(folder, _SystemClock())
    intents = [
        ActionIntended(step=1, agent="AppAgent", call_id=str(n), tool="write_table", arguments={"rows": ROWS})  # pyright: ignore[reportArgumentType] - list is invariant
        for n in range(EVENTS)
    ]
    _report(f"emit, {len(intents[0].model_dump_json())} bytes", [_timed(lambda e=event: journal.emit(e)) for event in intents])
    _report(f"close after {EVENTS} events", [_timed(journal.close)])
    _report(f"read {EVENTS} events", [_timed(lambda: list(read_events(folder))) for _ in range(5)])


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        bench_journal(Path(folder))


main()
