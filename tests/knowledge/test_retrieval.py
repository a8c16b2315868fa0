"""Retrieving: the best only, within a budget, and by words and meaning together."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from anyio import sleep_forever
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.errors import DeskhandError, ErrorInfo, ModelBroken
from deskhand.core.model import Passage
from deskhand.core.text import tokens
from deskhand.knowledge.passages import Piece
from deskhand.knowledge.retrieval import EmbeddingRetriever, FusedRetriever, StoreRetriever, fitting, fuse
from deskhand.knowledge.store import KnowledgeStore, Source

CAR = Piece("Cars", "An automobile has an engine.")
BOAT = Piece("Boats", "A ship floats on water.")
TREE = Piece("Trees", "An oak grows leaves near water.")


class ByTheme:
    """An embedder that knows what a few words are about: wheels, water, wood."""

    THEMES = (("car", "automobile", "engine", "vehicle"), ("boat", "ship", "water", "sea"), ("tree", "oak", "forest"))

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def name(self) -> str:
        return "by-theme"

    async def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        self.asked += texts
        return tuple(
            tuple(float(sum(text.casefold().count(word) for word in theme)) for theme in self.THEMES) for text in texts
        )


@pytest.fixture
def store(tmp_path: Path) -> KnowledgeStore:
    store = KnowledgeStore(tmp_path / "k.sqlite")
    store.change([(Source(f"/{piece.title}.md", "document", "x"), (piece,)) for piece in (CAR, BOAT, TREE)], at=1.0)
    return store


def titles(passages: Sequence[Passage]) -> list[str]:
    return [passage.title for passage in passages]


async def test_what_only_shares_a_common_word_is_left_out(tmp_path: Path) -> None:
    store = KnowledgeStore(tmp_path / "k.sqlite")
    many = [Piece(f"Window {number}", "Every window has a title.") for number in range(30)]
    store.change([(Source("/m.md", "document"), (*many, Piece("Solver", "The solver window finds goals.")))], at=1.0)
    assert titles(await StoreRetriever(store).retrieve("solver goals window", "", 5)) == ["Solver"]


@pytest.mark.requires("knowledge.embeddings")
async def test_meaning_finds_what_words_do_not(store: KnowledgeStore) -> None:
    embedder = ByTheme()
    by_meaning = EmbeddingRetriever(store, embedder)
    assert titles(await StoreRetriever(store).retrieve("vehicle", "", 3)) == []
    assert titles(await by_meaning.retrieve("vehicle", "", 1)) == ["Cars"]
    assert len(embedder.asked) == 4, "three passages and the query"
    await by_meaning.retrieve("sea", "x", 1)
    assert len(embedder.asked) == 5, "what was embedded is kept"
    assert await by_meaning.retrieve("sea", "other", 1) == ()


@pytest.mark.requires("knowledge.embeddings")
async def test_words_and_meaning_are_fused_by_rank(store: KnowledgeStore) -> None:
    fused = FusedRetriever((StoreRetriever(store), EmbeddingRetriever(store, ByTheme())))
    assert titles(await fused.retrieve("ship on water", "", 3))[0] == "Boats"
    assert set(titles(await fused.retrieve("oak vehicle", "", 2))) == {"Trees", "Cars"}


class Fails:
    """A retriever that cannot answer, or not in time."""

    def __init__(self, error: DeskhandError | None) -> None:
        self._error = error

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        if self._error is None:
            await sleep_forever()
        raise self._error or AssertionError


@pytest.mark.requires("knowledge.embeddings")
@pytest.mark.parametrize("error", [ModelBroken("it broke"), None])
async def test_where_meaning_cannot_be_asked_for_words_are_enough_and_it_is_told(
    store: KnowledgeStore, error: DeskhandError | None
) -> None:
    told: list[ErrorInfo] = []
    fused = FusedRetriever((StoreRetriever(store), Fails(error)), told.append, deadline_s=0.01)
    assert titles(await fused.retrieve("oak", "", 3)) == ["Trees"]
    assert [info.type for info in told] == ["ModelBroken" if error else "TimeoutError"]


async def test_what_was_forgotten_is_not_near_either(store: KnowledgeStore) -> None:
    by_meaning = EmbeddingRetriever(store, ByTheme())
    await by_meaning.retrieve("vehicle", "", 1)
    store.change((), [one.source for one in store.sources() if "Cars" in one.source.location], at=2.0)
    assert titles(await by_meaning.retrieve("vehicle", "", 3)) != ["Cars"]
    assert len(store.vectors("by-theme")) == 2


def passage(title: str, text: str = "", score: float = 1.0) -> Passage:
    return Passage("document", title, text, f"/{title}", score)


def test_fusing_counts_each_passage_once_and_prefers_what_stands_in_both() -> None:
    a, b, c = passage("a"), passage("b"), passage("c", score=99.0)
    assert titles(fuse([[a, b], [c, b]])) == ["b", "a", "c"]
    assert fuse([]) == ()


@pytest.mark.requires("knowledge.budget")
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=400)), max_size=6), st.integers(0, 300))
def test_what_is_kept_fits_the_budget(texts: list[tuple[str, str]], most: int) -> None:
    kept = fitting([passage(title, text) for title, text in texts], most)
    assert sum(tokens(one.title) + tokens(one.text) for one in kept) <= most


def test_the_first_that_does_not_fit_is_cut_where_it_still_says_something() -> None:
    long = "word " * 200
    cut = fitting([passage("a", "x" * 40), passage("b", long), passage("c", "y")], 60)
    assert [len(one.text) for one in cut[:1]] == [40]
    assert cut[1].text.endswith(" …")
    assert len(cut) == 2
    assert len(fitting([passage("a", "x" * 40), passage("b", long)], 20)) == 1
