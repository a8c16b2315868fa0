"""Learning folders, playbooks and sessions: only what changed is read again, and failures teach nothing."""

from pathlib import Path

import pytest

from deskhand.core.errors import UsageError
from deskhand.core.events import ActionFinished, SessionFinished, SessionStarted, SubtaskArchived, SubtaskAssigned
from deskhand.knowledge.learning import Counts, forget, learn_path, learn_session
from deskhand.knowledge.store import KnowledgeStore
from deskhand.store.journal import Journal, read_events
from report.demo_session import write_demo_session
from support import ROOT

PLAYBOOK = ROOT / "src/deskhand/models/playbooks/writer-table-to-calc-chart.yaml"


@pytest.fixture
def store(tmp_path: Path) -> KnowledgeStore:
    return KnowledgeStore(tmp_path / "k.sqlite")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A successful one; drawing its pictures takes longest, so it is written once and only read."""
    folder = tmp_path_factory.mktemp("session")
    write_demo_session(folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "a.md").write_text("# Alpha\nThe first letter.\n")
    (folder / "sub" / "b.html").write_text("<h1>Beta</h1><p>The second letter.</p>")
    (folder / "c.txt").write_text("The third letter.")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / ".git" / "hidden.md").write_text("hidden")
    (folder / "settings.yaml").write_text("colour: blue\n")
    return folder


@pytest.mark.requires("knowledge.learn-again")
def test_a_folder_learned_again_replaces_what_changed_and_drops_what_is_gone(
    store: KnowledgeStore, folder: Path
) -> None:
    assert learn_path(store, folder, "letters", at=1.0) == Counts(added=3, passages=3)
    assert learn_path(store, folder, "letters", at=2.0) == Counts(unchanged=3)
    (folder / "a.md").write_text("# Alpha\nThe very first letter.\n# More\nGreek.\n")
    (folder / "c.txt").unlink()
    (folder / "d.rst").write_text("The fourth letter.")
    again = learn_path(store, folder, "letters", at=3.0)
    assert again == Counts(added=1, changed=1, unchanged=1, dropped=1, passages=3)
    assert [passage.text for passage in store.search("first letter", limit=1)] == ["The very first letter."]
    assert store.search("third") == ()


def test_the_same_folder_for_two_applications_is_learned_for_both(store: KnowledgeStore, folder: Path) -> None:
    learn_path(store, folder, "one", at=1.0)
    assert learn_path(store, folder, "two", at=1.0).added == 3
    assert len(store.search("first", "one")) == len(store.search("first", "two")) == 1
    assert forget(store, str(folder), "one", at=2.0) == 3
    assert (len(store.search("first", "one")), len(store.search("first", "two"))) == (0, 1)


def test_one_file_of_a_folder_can_be_learned_and_forgotten_alone(store: KnowledgeStore, folder: Path) -> None:
    learn_path(store, folder, at=1.0)
    assert learn_path(store, folder / "c.txt", at=2.0) == Counts(unchanged=1)
    assert forget(store, str(folder / "c.txt"), at=2.0) == 1
    with pytest.raises(UsageError, match="nothing was learned from"):
        forget(store, str(folder / "c.txt"), at=2.0)
    assert len(store.sources()) == 2


def test_a_file_that_cannot_be_read_is_told_and_what_it_said_is_dropped(store: KnowledgeStore, folder: Path) -> None:
    learn_path(store, folder, at=1.0)
    (folder / "c.txt").write_bytes(b"\0\0")
    counts = learn_path(store, folder, at=2.0)
    assert (counts.unchanged, counts.dropped, len(counts.problems)) == (2, 1, 1)
    assert "c.txt is not text" in counts.problems[0]
    with pytest.raises(UsageError, match="is not text"):
        learn_path(store, folder / "c.txt", at=2.0)


@pytest.mark.parametrize("name", ["missing", "picture.png", "empty"])
def test_nothing_to_learn_is_said(store: KnowledgeStore, folder: Path, name: str) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(UsageError) as caught:
        learn_path(store, folder / name, at=1.0)
    assert caught.value.fix


@pytest.mark.requires("knowledge.demonstrations")
def test_a_playbook_is_a_demonstration_of_its_sections(store: KnowledgeStore) -> None:
    learn_path(store, PLAYBOOK, "calc", at=1.0)
    (first, *_) = store.search("insert a chart menu item", "calc")
    assert (first.kind, first.title) == ("demonstration", "writer-table-to-calc-chart › calc")
    assert '3. invoke menuitem "Chart..." within "Insert"' in first.text


@pytest.mark.requires("knowledge.experience")
def test_a_successful_session_teaches_what_worked_by_application(store: KnowledgeStore, session: Path) -> None:
    counts = learn_session(store, session, at=1.0)
    assert (counts.added, counts.passages) == (3, 3)
    by_application = {learned.source.application: learned.source for learned in store.sources()}
    assert set(by_application) == {"writer", "calc", "host"}
    assert by_application["calc"].kind == "experience"
    assert by_application["calc"].location.startswith("session:")
    (calc,) = store.search("bar chart", "calc", limit=1)
    assert "What worked:" in calc.text
    assert "Chart..." in calc.text
    assert "Result:" in calc.text
    (host,) = store.search("sales chart", "host", limit=1)
    assert host.text.startswith("Carried out as:\n1. in writer:")
    assert learn_session(store, session, at=2.0) == Counts(changed=3, passages=3)


@pytest.mark.requires("knowledge.experience")
@pytest.mark.parametrize("outcome", ["failed", "rejected", "cancelled", None])
def test_a_session_that_was_no_success_teaches_nothing(
    store: KnowledgeStore, session: Path, tmp_path: Path, outcome: str | None
) -> None:
    events = list(read_events(session))
    with Journal(tmp_path / "log", NoClock()) as journal:
        for event in events:
            if not isinstance(event, SessionFinished):
                journal.emit(event)
            elif outcome is not None:
                journal.emit(event.model_copy(update={"outcome": outcome}))
    with pytest.raises(UsageError, match=f"did not succeed \\({outcome or 'cut off'}\\)"):
        learn_session(store, tmp_path / "log", at=1.0)
    assert store.sources() == ()


@pytest.mark.requires("knowledge.experience", "policy.typed-passwords")
def test_what_was_typed_where_a_password_goes_is_not_learned(store: KnowledgeStore, tmp_path: Path) -> None:
    of = {"step": 1, "agent": "AppAgent/shop"}
    typed = {
        "call_id": "c",
        "tool": "set_edit_text",
        "arguments": {"id": "3", "text": "hunter2"},
        "target": {"id": "3", "role": "password", "name": "Password"},
        "status": "success",
        "seconds": 0.1,
    }
    with Journal(tmp_path / "log", NoClock()) as journal:
        journal.emit(SessionStarted(session_id="s", version="0", request="Log in: hunter2", model="m", desktop="d"))
        journal.emit(
            SubtaskAssigned(agent="AppAgent/shop", subtask="Type hunter2", application="shop", window="", reused=False)
        )
        journal.emit(ActionFinished.model_validate({**of, **typed}))
        ended = {"application": "shop", "status": "FINISH", "outcome": "success", "result": "typed hunter2"}
        subtask = {"agent": "AppAgent/shop", "subtask": "Type hunter2", **ended}
        journal.emit(SubtaskArchived.model_validate(subtask))
        journal.emit(SessionFinished(outcome="success", reason="", seconds=1.0))
    learn_session(store, tmp_path / "log", at=1.0)
    (passage,) = store.search("log in", "shop", limit=1)
    assert 'set_edit_text password "Password" (text •••)' in passage.text
    assert "Result: typed •••" in passage.text
    assert "Log in: •••" in passage.title
    assert "hunter2" not in passage.text + passage.title


class NoClock:
    def monotonic(self) -> float:
        return 0.0

    def now(self) -> float:
        return 1.0
