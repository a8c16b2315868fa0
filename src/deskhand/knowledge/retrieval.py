"""Search by words, by vectors, and both fused by rank."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from operator import mul
from typing import Final

from anyio import fail_after, to_thread

from deskhand.core.errors import DeskhandError, ErrorInfo
from deskhand.core.model import Passage
from deskhand.core.ports import Embedder, Retriever
from deskhand.core.text import tokens
from deskhand.knowledge.store import KnowledgeStore

_RANK_OFFSET: Final = 60  # of reciprocal rank fusion, as published: a smaller one favours the first ranks
_OVERFETCH: Final = 4
_WEAK: Final = 0.3
"""Fraction of the best score; passages below it share a common word only."""
_BATCH: Final = 64
_LEAST: Final = 24
"""Tokens; a passage cut shorter than this is useless."""


@dataclass(frozen=True, slots=True)
class StoreRetriever:
    """Search by words; scores are bm25, higher is better."""

    store: KnowledgeStore

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        """Raises: KnowledgeUnusable."""
        search = partial(self.store.search, query, application, limit)
        found = await to_thread.run_sync(search, abandon_on_cancel=True)
        return tuple(passage for passage in found if passage.score >= _WEAK * found[0].score)


@dataclass(frozen=True, slots=True)
class EmbeddingRetriever:
    """Search by meaning; scores are cosines. New passages are embedded at the next query.

    Every vector is compared, so the time is proportional to the number of passages: suitable for tens of thousands, not
    for millions.
    """

    store: KnowledgeStore
    embedder: Embedder

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        """Raises: KnowledgeUnusable, and errors of the embedder."""
        await self.catch_up()
        (wanted,) = await self.embedder.embed((query,))
        return await to_thread.run_sync(partial(self._nearest, wanted, application, limit))

    async def catch_up(self) -> None:
        """Embed passages without a vector. Raises: KnowledgeUnusable, and errors of the embedder."""
        while missing := await to_thread.run_sync(self.store.without_vector, self.embedder.name, _BATCH):
            vectors = await self.embedder.embed([text for _, text in missing])
            numbered = list(zip((number for number, _ in missing), vectors, strict=True))
            await to_thread.run_sync(self.store.add_vectors, self.embedder.name, numbered)

    def _nearest(self, wanted: Sequence[float], application: str, limit: int) -> tuple[Passage, ...]:
        vectors = self.store.vectors(self.embedder.name, application)
        scored = sorted(((_cosine(wanted, vector), -number) for number, vector in vectors), reverse=True)[:limit]
        passages = self.store.passages([-number for _, number in scored])
        return tuple(replace(passages[-number], score=score) for score, number in scored if -number in passages)


def _untold(_: ErrorInfo) -> None:
    """Ignore a problem."""


@dataclass(frozen=True, slots=True)
class FusedRetriever:
    """Several retrievers as one: a high rank in any of them counts, independent of the scales of their scores.

    The first one must succeed. Another that fails, or takes longer than `deadline_s`, is left out, and `tell` is
    called.
    """

    retrievers: tuple[Retriever, ...]
    tell: Callable[[ErrorInfo], None] = _untold
    deadline_s: float = 5.0

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        """Raises: errors of the first one."""
        wanted = query, application, limit * _OVERFETCH
        rankings = [await self.retrievers[0].retrieve(*wanted)]
        for one in self.retrievers[1:]:
            try:
                with fail_after(self.deadline_s):
                    rankings.append(await one.retrieve(*wanted))
            except (DeskhandError, TimeoutError) as error:
                self.tell(ErrorInfo.of(error))
        return fuse(rankings)[:limit]


def fuse(rankings: Sequence[Sequence[Passage]]) -> tuple[Passage, ...]:
    """Rankings as one, by reciprocal rank; a passage in several is listed once."""
    scores: dict[Passage, float] = {}
    for ranking in rankings:
        for place, passage in enumerate(ranking, start=1):
            same = replace(passage, score=0.0)
            scores[same] = scores.get(same, 0.0) + 1 / (_RANK_OFFSET + place)
    best_first = sorted(scores.items(), key=lambda item: -item[1])
    return tuple(replace(passage, score=score) for passage, score in best_first)


def fitting(passages: Sequence[Passage], max_tokens: int) -> tuple[Passage, ...]:
    """The best passages that fit into `max_tokens` together; the first that does not is cut if enough of it remains."""
    kept: list[Passage] = []
    room = max_tokens
    for passage in passages:
        needed = tokens(passage.title) + tokens(passage.text)
        if needed <= room:
            kept.append(passage)
            room -= needed
            continue
        left = room - tokens(passage.title)
        if left >= _LEAST:
            kept.append(replace(passage, text=_shortened(passage.text, left)))
        break
    return tuple(kept)


def _shortened(text: str, most: int) -> str:
    encoded = text.encode("utf-8", "replace")[: most * 4 - 4]
    return f"{encoded.decode('utf-8', 'ignore').rstrip()} …"


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    length = sqrt(sum(map(mul, one, one)) * sum(map(mul, other, other)))
    return sum(map(mul, one, other)) / length if length else 0.0
