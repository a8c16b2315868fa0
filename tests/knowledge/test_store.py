"""The store of what was learned: found by plain language, never broken by it, safe against damage and neighbours."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deskhand.core.errors import KnowledgeUnusable, StoreError
from deskhand.knowledge.passages import Piece
from deskhand.knowledge.query import words_of
from deskhand.knowledge.store import KnowledgeStore, Source, knowledge_file

BARS = Piece("Calc › Charts", "Choose Insert > Chart to draw bars of the selected cells.")
PRINT = Piece("Calc › Printing", "Choose File > Print. Running headers repeat on every page.")
MAIL = Piece("Mail › Filters", "A filter moves messages with a chart attached.")


def filled(path: Path) -> KnowledgeStore:
    store = KnowledgeStore(path / "k.sqlite")
    learned = [
        (Source("/docs/calc.md", "document", "calc"), (BARS, PRINT)),
        (Source("/docs/mail.md", "document", "mail"), (MAIL,)),
    ]
    store.change(learned, at=1.0)
    return store


@pytest.fixture
def store(tmp_path: Path) -> KnowledgeStore:
    return filled(tmp_path)


def titles(store: KnowledgeStore, query: str, application: str = "", limit: int = 5) -> list[str]:
    return [passage.title for passage in store.search(query, application, limit)]


@pytest.mark.requires("knowledge.search")
def test_a_request_finds_what_it_is_about_whatever_form_its_words_have(store: KnowledgeStore) -> None:
    (first, *_) = store.search("Please draw a BAR chart of the sales", limit=5)
    assert (first.title, first.kind, first.source) == ("Calc › Charts", "document", "/docs/calc.md")
    assert titles(store, "prints") == ["Calc › Printing"]
    assert titles(store, "quantum") == []
    assert titles(store, "chart", limit=1) == ["Calc › Charts"], "a word of the title counts for more"


@pytest.mark.requires("knowledge.search")
def test_only_what_goes_with_the_application_is_found(store: KnowledgeStore) -> None:
    store.change([(Source("/docs/all.md", "document"), (Piece("All", "Any chart has a title."),))], at=2.0)
    assert set(titles(store, "chart", "libreoffice-calc")) == {"Calc › Charts", "All"}
    assert set(titles(store, "chart", "gimp")) == {"All"}
    assert set(titles(store, "chart")) == {"Calc › Charts", "All", "Mail › Filters"}


@pytest.mark.requires("knowledge.safe-query")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200))
def test_no_text_is_a_syntax_error(store: KnowledgeStore, text: str) -> None:
    store.search(text, "calc")
    store.search(text)


@pytest.mark.requires("knowledge.safe-query")
@pytest.mark.parametrize(
    "query",
    ['"', "AND", "chart AND", "NOT", "NEAR(a b, 2)", "title:chart", "cha*", "^chart", "(((", "a\0b", "-", "'; DROP --"],
)
def test_the_syntax_of_the_index_means_nothing(store: KnowledgeStore, query: str) -> None:
    store.search(query, "calc")
    assert titles(store, "chart"), "everything is still there"


def test_words_that_are_everywhere_do_not_hide_those_that_are_rare(store: KnowledgeStore) -> None:
    many = [Piece(f"Cell {number}", "The cell of a sheet.") for number in range(600)]
    store.change([(Source("/many.md", "document", "calc"), (*many, Piece("Goal", "Seek a goal in a cell.")))], at=2.0)
    assert titles(store, "goal of a cell in a sheet", "calc") == ["Goal"]
    assert len(titles(store, "cell sheet", "calc")) == 5, "and where all are everywhere, they are all there is"


def test_words_that_say_nothing_are_left_out_unless_there_are_no_others() -> None:
    assert words_of("What do I do with the Chart and the chart") == ("chart",)
    assert words_of("what is this") == ("what", "is", "this")
    assert words_of("  ?! ") == ()


@pytest.mark.requires("knowledge.store")
def test_it_lives_in_the_state_folder_and_is_kept(own_environment: Path) -> None:
    assert knowledge_file() == own_environment / "state" / "deskhand" / "knowledge.sqlite"
    for _ in range(2):
        with KnowledgeStore(knowledge_file()) as store:
            store.change([(Source("/a.md", "document"), (BARS,))], at=1.0)
            assert len(store.sources()) == 1
    with closing(sqlite3.connect(knowledge_file())) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_change_that_fails_changes_nothing(store: KnowledgeStore) -> None:
    class Broken(Exception):
        pass

    def learned() -> list[tuple[Source, tuple[Piece, ...]]]:
        raise Broken

    before = store.sources()
    with pytest.raises(Broken):
        store.change((pair for pair in learned()), [before[0].source], at=3.0)
    assert store.sources() == before
    assert titles(store, "bars") == ["Calc › Charts"]


def test_what_is_dropped_is_found_no_more(store: KnowledgeStore) -> None:
    store.change((), [store.sources()[0].source], at=2.0)
    assert titles(store, "chart") == ["Mail › Filters"]


def test_halves_of_characters_are_kept_as_well_as_can_be(store: KnowledgeStore) -> None:
    source = Source("/x/\udcff.md", "document")
    for _ in range(2):
        store.change([(source, (Piece("t\ud800", "zebra \udfff"),))], at=2.0)
    assert titles(store, "zebra") == ["t?"]


@pytest.mark.requires("knowledge.damaged")
@pytest.mark.parametrize("where", ["head", "middle"])
def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, where: str) -> None:
    path = tmp_path / "k.sqlite"
    with KnowledgeStore(path) as store:
        store.change([(Source(f"/{n}.md", "document"), (BARS, PRINT)) for n in range(200)], at=1.0)
    content = bytearray(path.read_bytes())
    start = 0 if where == "head" else 4096
    content[start : start + 40000] = b"\xa5" * 40000
    path.write_bytes(content)
    with pytest.raises(KnowledgeUnusable) as caught:
        KnowledgeStore(path).search("chart")
    assert str(path) in caught.value.message
    assert "delete" in caught.value.fix
    assert "deskhand learn" in caught.value.fix


@pytest.mark.requires("knowledge.damaged")
def test_a_foreign_and_a_newer_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(KnowledgeUnusable, match="not Deskhand's knowledge"):
        KnowledgeStore(path)
    newer = tmp_path / "newer.sqlite"
    KnowledgeStore(newer).close()
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(KnowledgeUnusable, match="format 99"):
        KnowledgeStore(newer)


def test_a_writer_that_keeps_it_is_told_of(store: KnowledgeStore) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with KnowledgeStore(store.path, busy_s=0.0) as second:
            assert titles(second, "bars") == ["Calc › Charts"]
            with pytest.raises(KnowledgeUnusable, match="locked") as caught:
                second.change((), at=2.0)
    assert "try again" in caught.value.fix


def test_a_place_that_cannot_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        KnowledgeStore(tmp_path / "file" / "k.sqlite")
