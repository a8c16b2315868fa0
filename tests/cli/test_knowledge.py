"""`deskhand learn` and `deskhand knowledge`."""

from pathlib import Path

import pytest

from cli.driver import Console
from deskhand.knowledge.store import knowledge_file
from report.demo_session import write_demo_session
from wire.server import Answer, Json, vectors, wire


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "charts.md").write_text("# Bars\nChoose Insert, then Chart.\n")
    (folder / "print.md").write_text("# Printing\nPress the printer button.\n")
    return folder


@pytest.mark.requires("knowledge.commands", "cli.one-json-object")
def test_a_folder_is_learned_found_listed_and_forgotten(console: Console, folder: Path) -> None:
    learned = console("learn", folder, "--app", "calc", "--json")
    assert (learned.code, learned.json) == (
        0,
        {"added": 2, "changed": 0, "unchanged": 0, "dropped": 0, "passages": 2, "problems": [], "error": None},
    )
    found = console("knowledge", "search", "how do I draw a chart?", "--app", "libreoffice-calc", "--json")
    (passage,) = found.items("passages")
    assert passage["title"] == "charts › Bars"
    assert (passage["kind"], passage["source"]) == ("document", str(folder / "charts.md"))
    assert console("knowledge", "search", "chart", "--app", "gimp", "--json").items("passages") == []
    listed = console("knowledge", "list", "--json").items("sources")
    assert [(one["source"], one["application"], one["passages"]) for one in listed] == [
        (str(folder / "charts.md"), "calc", 1),
        (str(folder / "print.md"), "calc", 1),
    ]
    assert console("knowledge", "forget", folder / "charts.md", "--json").json == {"forgotten": 1, "error": None}
    assert console("knowledge", "forget", "--all", "--json").json == {"forgotten": 1, "error": None}
    assert console("knowledge", "list", "--json").items("sources") == []


@pytest.mark.requires("knowledge.commands")
def test_the_same_is_said_in_words(console: Console, folder: Path) -> None:
    assert "2 learned; 2 passages written" in console("learn", folder, "--app", "calc").out
    assert "2 unchanged; 0 passages written" in console("learn", folder, "--app", "calc").out
    assert "charts › Bars (document:" in console("knowledge", "search", "chart").out
    assert "about calc, 1 passages" in console("knowledge", "list").out
    assert "no learned passage fits" in console("knowledge", "search", "zebra").err


def test_a_session_is_learned_from_its_folder(console: Console, tmp_path: Path) -> None:
    write_demo_session(tmp_path / "log")
    assert console("learn", "--session", tmp_path / "log", "--json").item("added") == 3


@pytest.mark.parametrize(
    "arguments",
    [["learn"], ["learn", "x", "--session", "y"], ["learn", "--session", "y", "--app", "z"], ["knowledge", "forget"]],
)
def test_unclear_commands_are_usage_errors(console: Console, arguments: list[str]) -> None:
    done = console(*arguments, "--json")
    assert (done.code, done.item("error", "type")) == (2, "UsageError")


@pytest.mark.requires("knowledge.damaged")
def test_a_damaged_file_is_a_usage_error_with_its_fix(console: Console, folder: Path) -> None:
    knowledge_file().parent.mkdir(parents=True)
    knowledge_file().write_bytes(b"nonsense" * 1000)
    done = console("learn", folder, "--json")
    assert (done.code, done.item("error", "type")) == (2, "KnowledgeUnusable")
    assert "delete" in str(done.item("error", "fix"))


def test_what_cannot_be_read_is_told_beside_the_rest(console: Console, folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"\0")
    done = console("learn", folder)
    assert (done.code, "1 unreadable" in done.out, "is not text" in done.err) == (0, True, True)
    (folder / "charts.md").unlink()
    (folder / "print.md").unlink()
    done = console("learn", folder, "--json")
    assert (done.code, done.item("error", "message")) == (1, "none of 1 files can be read")


def by_theme(body: Json) -> Answer:
    """Embeds by one theme: printing."""
    return vectors(*([1.0, float("print" in text.lower() or "paper" in text.lower())] for text in body["input"]))


@pytest.mark.requires("knowledge.embeddings", "knowledge.commands")
def test_with_an_embedding_model_what_is_near_in_meaning_is_found_too(
    console: Console, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_MODELS__EMBEDDINGS", "openai:text-embedding-3-small")
    with wire(script=by_theme) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
        assert console("learn", folder).code == 0
        assert len(server.heard) == 1, "both passages were embedded when they were learned"
        (first, *_) = console("knowledge", "search", "put it on paper", "--json").items("passages")
        assert first["title"] == "print › Printing"
        assert len(server.heard) == 2, "and only the question since"
    done = console("knowledge", "search", "printer")
    assert "print › Printing" in done.out
    assert "the search by meaning failed: openai:text-embedding-3-small" in done.err
    (folder / "more.md").write_text("# More\nSomething else.\n")
    done = console("learn", folder)
    assert (done.code, "learned for search by words, not yet by meaning" in done.err) == (0, True)
