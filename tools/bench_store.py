"""What keeping things costs here: `bench_store.py [FOLDER]` (default: a temporary one) prints medians."""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import Image, ImageDraw

from deskhand.core.events import ActionFinished, ActionIntended
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.core.observation import Picture
from deskhand.store.audit import audit
from deskhand.store.journal import Journal, read_events
from deskhand.store.png import encode_png
from deskhand.store.record_chain import FIRST_PREVIOUS, record_hash

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
    arguments: JsonObject = {"rows": [[*row] for row in ROWS]}
    intents = [
        ActionIntended(step=1, agent="AppAgent", call_id=str(number), tool="write_table", arguments=arguments)
        for number in range(EVENTS)
    ]
    size = len(intents[0].model_dump_json())
    results = [
        ActionFinished.model_validate(
            {**event.model_dump(exclude={"v", "kind", "before", "expect", "files"}), "status": "success"}
        )
        for event in intents
    ]
    _report(f"emit an intent of {size} bytes, on the disk", [_timed(partial(journal.emit, event)) for event in intents])
    _report("emit its result", [_timed(partial(journal.emit, event)) for event in results])
    kind, body = intents[0].kind.encode(), intents[0].model_dump_json().encode()
    chained = partial(record_hash, FIRST_PREVIOUS, 1, 1.0, kind, 1, body)
    _report("of it the hash of the record", [_timed(chained) for _ in intents])
    _report(f"close after {2 * EVENTS} events", [_timed(journal.close)])
    _report(f"read {2 * EVENTS} events", [_timed(lambda: list(read_events(folder))) for _ in range(5)])
    _report(f"audit {EVENTS} events", [_timed(partial(audit, folder)) for _ in range(5)])


def bench_pictures(folder: Path) -> None:
    screen = screen_like(1920, 1080)
    picture = Picture(screen.tobytes(), Rect(0, 0, 1920, 1080))
    _report(
        f"encode 1920x1080, {len(encode_png(picture)) // 1000} kB",
        [_timed(lambda: encode_png(picture)) for _ in range(15)],
    )
    _report(
        "encode the same with Pillow, level 1",
        [_timed(lambda: screen.save(folder / "p.png", compress_level=1)) for _ in range(3)],
    )


def screen_like(width: int, height: int) -> Image.Image:
    """Flat areas, lines and text, as a busy window has them."""
    image = Image.new("RGB", (width, height), "#f4f4f4")
    draw = ImageDraw.Draw(image)
    for row in range(0, height, 22):
        draw.line((0, row, width, row), fill="#c8c8c8")
        for column in range(0, width, 160):
            draw.text((column + 6, row + 5), f"Cell {row * 7919 + column}", fill="#202020")
    return image


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        bench_journal(Path(folder))
        bench_pictures(Path(folder))


main()
