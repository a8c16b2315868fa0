"""What looking things up costs here: `bench_knowledge.py [PASSAGES]` (default: 10 000) prints medians."""

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from deskhand.knowledge.passages import Piece
from deskhand.knowledge.store import KnowledgeStore, Source

PASSAGES = 10_000
QUERIES = 300
WORDS_EACH = 120
VOCABULARY = 8_000
REQUESTS = (
    "Extract the sales table from the Writer document and create a bar chart in Calc",
    "Please rename all files in the folder and send them by mail",
    "How do I change the page margins of the second section?",
)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PASSAGES
    chance = random.Random(1)
    # Few words are in every passage and most in hardly any, as in real text.
    common = " ".join(REQUESTS).split()
    words = common + [f"{chance.choice('bdfgklmnprst')}{number:x}ing" for number in range(VOCABULARY)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    with tempfile.TemporaryDirectory() as folder, KnowledgeStore(Path(folder) / "knowledge.sqlite") as store:
        started = time.perf_counter()
        store.change(
            (
                (
                    Source(f"/docs/{number}.md", "document", f"app{number % 5}"),
                    [
                        Piece(
                            " ".join(chance.choices(words, weights, k=4)),
                            " ".join(chance.choices(words, weights, k=WORDS_EACH)),
                        )
                    ],
                )
                for number in range(count)
            ),
            at=0.0,
        )
        size = store.path.stat().st_size / 1e6
        print(f"{count} passages learned in {time.perf_counter() - started:.1f} s, {size:.1f} MB")
        for what, application in (("of one application", "app3"), ("of all", "")):
            took: list[float] = []
            for number in range(QUERIES):
                query = f"{REQUESTS[number % len(REQUESTS)]} {' '.join(chance.choices(words, weights, k=4))}"
                began = time.perf_counter()
                store.search(query, application, 5)
                took.append(time.perf_counter() - began)
            ordered = sorted(took)
            print(
                f"search {what:20} median {statistics.median(ordered) * 1e3:6.2f} ms"
                f"   p99 {ordered[int(len(ordered) * 0.99)] * 1e3:6.2f} ms"
            )


if __name__ == "__main__":
    main()
