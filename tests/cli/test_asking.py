"""Who is asked, and how a person at the terminal is."""

import os
import pty
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from deskhand.cli.asking import TerminalInteractor, interactor_for
from deskhand.core.errors import UsageError
from deskhand.core.ports import ActionFacts, ConfirmationRequest, Decision, Verdict

FACTS = ActionFacts("delete_file", {"path": "/a"}, "destructive", "writer", "report.odt", "button", "Delete", ("/a",))
REQUEST = ConfirmationRequest("Writer", (Verdict(Decision.CONFIRM, "delete", "it deletes", FACTS),), "trust me")


@contextmanager
def terminal() -> Generator[int]:
    """A terminal that is our stdin and stderr; yields its far end, where a person types and reads."""
    ours, theirs = pty.openpty()
    before = sys.stdin, sys.stderr
    with os.fdopen(theirs, "r") as stdin, os.fdopen(os.dup(theirs), "w") as stderr:
        sys.stdin, sys.stderr = stdin, stderr
        try:
            yield ours
        finally:
            sys.stdin, sys.stderr = before
            os.close(ours)


def test_without_a_terminal_questions_are_off_and_nothing_is_approved() -> None:
    asking = interactor_for("", "")
    assert asking.ask_question is False
    assert not asking.interactor.reaches_person


def test_at_a_terminal_the_configuration_decides_whether_to_ask() -> None:
    with terminal():
        asking = interactor_for("", "")
    assert asking.ask_question is None
    assert asking.interactor.reaches_person


def test_asking_can_be_switched_off_at_a_terminal() -> None:
    with terminal():
        assert interactor_for("off", "").ask_question is False


def test_a_file_answers_where_there_is_no_terminal(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text("confirmations: [approve]\n")
    asking = interactor_for("", str(script))
    assert asking.ask_question is False
    assert asking.interactor.reaches_person
    assert anyio.run(asking.interactor.confirm, REQUEST)
    assert not anyio.run(asking.interactor.confirm, REQUEST)


def test_a_terminal_that_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match="--ask terminal"):
        interactor_for("terminal", "")


async def test_a_person_answers_line_by_line() -> None:
    with terminal() as keyboard, anyio.fail_after(5):
        os.write(keyboard, b"Ada\nGrace\n")
        answers = await TerminalInteractor().ask("Writer", ["First?", "Second?"])
    assert answers.answers == {"First?": "Ada", "Second?": "Grace"}


@pytest.mark.parametrize(("typed", "approved"), [(b"y\n", True), (b"Yes\n", True), (b"\n", False), (b"yo\n", False)])
async def test_only_yes_approves_and_the_facts_are_shown(typed: bytes, approved: bool) -> None:
    with terminal() as keyboard, anyio.fail_after(5):
        os.write(keyboard, typed)
        assert await TerminalInteractor().confirm(REQUEST) is approved
        sys.stderr.flush()
        shown = ""
        while "approve?" not in shown:
            await anyio.wait_readable(keyboard)
            shown += os.read(keyboard, 65536).decode()
    for fact in ("delete_file", "writer", "report.odt", 'button "Delete"', "/a", "it deletes", "trust me"):
        assert fact in shown
