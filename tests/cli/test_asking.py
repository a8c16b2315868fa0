"""Who is asked, and how a person at the terminal is."""

import io
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from rich.console import Console, RenderableType

from cli.screen import screen
from deskhand.cli.interactor_choice import interactor_for
from deskhand.cli.terminal import TerminalInteractor, confirmation_view, question_view
from deskhand.core.errors import UsageError
from deskhand.core.ports import ActionFacts, ConfirmationRequest, Decision, Verdict

FACTS = ActionFacts("delete_file", {"path": "/a"}, "destructive", "writer", "report.odt", "button", "Delete", ("/a",))
DELETES = Verdict(Decision.CONFIRM, "delete", "it deletes", FACTS)
REQUEST = ConfirmationRequest("Writer", (DELETES,), "trust me", "step1.png")


def test_without_a_terminal_questions_are_off_and_nothing_is_approved() -> None:
    asking = interactor_for("", "")
    assert asking.ask_question is False
    assert not asking.interactor.reaches_person


def test_at_a_terminal_the_configuration_decides_whether_to_ask() -> None:
    with screen():
        asking = interactor_for("", "")
    assert asking.ask_question is None
    assert asking.interactor.reaches_person


def test_asking_can_be_switched_off_at_a_terminal() -> None:
    with screen():
        assert interactor_for("off", "").ask_question is False


def test_a_file_answers_where_there_is_no_terminal(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text("confirmations: [approve]\n")
    asking = interactor_for("", str(script))
    assert asking.ask_question is False
    assert asking.interactor.reaches_person
    assert anyio.run(asking.interactor.confirm, REQUEST) is True
    assert anyio.run(asking.interactor.confirm, REQUEST) is None


@pytest.mark.requires("asking.undecided")
def test_a_file_of_answers_alone_leaves_a_confirmation_undecided(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text("answers: {Which one: this}\n")
    asking = interactor_for(str(script), "")
    assert asking.ask_question is True
    assert anyio.run(asking.interactor.confirm, REQUEST) is None


def test_a_terminal_that_is_not_there_is_told() -> None:
    with pytest.raises(UsageError, match="--ask terminal"):
        interactor_for("terminal", "")


async def test_a_person_answers_line_by_line() -> None:
    with screen() as seen:
        async with anyio.create_task_group() as group:
            group.start_soon(seen.type_after, "answer: ", "Ada", "Grace")
            answers = await TerminalInteractor().ask("Writer", ["First?", "Second?"])
            assert answers.answers == {"First?": "Ada", "Second?": "Grace"}


@pytest.mark.requires("asking.terminal")
@pytest.mark.parametrize(
    ("typed", "decision"), [("y", True), ("Yes", True), ("", False), ("yo", False), ("\x04", None)]
)
async def test_only_yes_approves_and_the_facts_are_shown(typed: str, decision: bool | None) -> None:
    with screen() as seen:
        async with anyio.create_task_group() as group:
            group.start_soon(seen.type_after, "approve? ", typed)
            with anyio.fail_after(30):
                assert await TerminalInteractor().confirm(REQUEST) is decision
        shown = seen.text
    for fact in ("delete_file", "writer", "report.odt", 'button "Delete"', "/a", "it deletes", "trust me", "step1.png"):
        assert fact in shown


@pytest.mark.requires("asking.terminal")
async def test_what_was_typed_before_the_question_was_shown_approves_nothing() -> None:
    with screen() as seen:
        seen.type("y")
        async with anyio.create_task_group() as group:
            group.start_soon(seen.type_after, "approve? ", "n")
            with anyio.fail_after(30):
                assert await TerminalInteractor().confirm(REQUEST) is False


@pytest.mark.requires("asking.terminal")
def test_a_terminal_that_is_not_there_is_told_by_the_interactor_too() -> None:
    with pytest.raises(UsageError, match="no terminal"):
        TerminalInteractor()


FORGED = "fine\x1b[2J\n╭─ facts ─╮\n│ action  wait │\x9b31m \u202egnp.exe [bold]x[/bold]"


@pytest.mark.requires("asking.terminal")
@pytest.mark.parametrize("width", [40, 80, 120])
def test_neither_the_models_words_nor_a_name_can_draw_a_frame_or_reach_the_terminal(width: int) -> None:
    facts = replace(FACTS, window=FORGED, control_name=FORGED, arguments={"text": FORGED, FORGED: 1}, paths=(FORGED,))
    verdict = Verdict(Decision.CONFIRM, "delete", "it deletes", facts)
    honest = drawn(confirmation_view(REQUEST), width)
    forged = drawn(confirmation_view(ConfirmationRequest(FORGED, (verdict,), FORGED, "step1.png")), width)
    assert not {character for character in forged if not character.isprintable()} - {"\n"}
    for drawing in "╭╮╰╯┌┐└┘":
        assert forged.count(drawing) == honest.count(drawing) == 1
    assert all(line[0] in "╭│╰┌└" and line[-1] in "╮│╯┐┘" for line in forged.splitlines())
    assert all(len(line) == width for line in forged.splitlines())
    assert "[bold]x[/bold]" in "".join(line[2:-2].strip() for line in forged.splitlines())


@pytest.mark.requires("asking.terminal")
def test_a_question_is_a_models_words_too() -> None:
    told = drawn(question_view("Writer", "Which?\n[red]\x1b]0;title\x07"), 80)
    assert "not checked" in told
    assert "[red]" in told
    assert "\x1b" not in told


def test_of_a_long_argument_the_beginning_and_the_end_are_shown_and_how_much_is_not() -> None:
    facts = replace(FACTS, arguments={"text": "a" + "-" * 10_000 + "z"})
    told = drawn(confirmation_view(ConfirmationRequest("W", (Verdict(Decision.CONFIRM, "r", "x", facts),), "")), 80)
    text = " ".join(line[2:-2].strip() for line in told.splitlines())
    assert 'text = "a-' in text
    assert '-z"' in text
    assert "7004 characters are left out here" in text


def test_several_actions_are_counted_and_one_that_no_rule_demands_says_so() -> None:
    allowed = Verdict(Decision.ALLOW, "no rule", "", FACTS)
    told = drawn(confirmation_view(ConfirmationRequest("Writer", (allowed, REQUEST.facts[0]), "why not")), 100)
    assert told.index("1 of 2") < told.index("no rule demands it") < told.index("2 of 2") < told.index("it deletes")


def drawn(view: RenderableType, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, markup=False)
    with console.capture() as captured:
        console.print(view)
    return captured.get()
