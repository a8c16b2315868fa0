"""What every way of reaching a person does, whoever is at the other end (contract 2.4)."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import anyio
import pytest

from cli.screen import Screen, screen
from deskhand.cli.terminal import TerminalInteractor
from deskhand.core.ports import ConfirmationRequest, Interactor
from deskhand.session.interactors import AutoInteractor, ScriptedInteractor, SplitInteractor

FIRST, SECOND = "Which name?", "Which year?"
REQUEST = ConfirmationRequest("AppAgent/notes", (), "")

Decision: TypeAlias = bool | None
Open: TypeAlias = Callable[[Mapping[str, str], Sequence[Decision]], AbstractAsyncContextManager[Interactor]]


@asynccontextmanager
async def terminal(answers: Mapping[str, str], decisions: Sequence[Decision]) -> AsyncGenerator[Interactor]:
    """Somebody types what was agreed, nothing else; no decision is the end of input."""
    words = {True: "y", False: "no", None: "\x04"}
    with screen() as seen:
        async with anyio.create_task_group() as group:
            group.start_soon(_answer, seen, answers, [words[decision] for decision in decisions])
            yield TerminalInteractor()
            group.cancel_scope.cancel()


async def _answer(seen: Screen, answers: Mapping[str, str], decisions: Sequence[str]) -> None:
    left = list(decisions)
    while True:
        shown = await seen.until("approve? [y/N] ", "answer: ")
        if "approve?" in shown:
            seen.type(left.pop(0))
        elif (agreed := next((answer for question, answer in answers.items() if question in shown), None)) is not None:
            seen.type(agreed)


@asynccontextmanager
async def scripted(answers: Mapping[str, str], decisions: Sequence[Decision]) -> AsyncGenerator[Interactor]:
    yield ScriptedInteractor(answers, [decision for decision in decisions if decision is not None])


@asynccontextmanager
async def split(answers: Mapping[str, str], decisions: Sequence[Decision]) -> AsyncGenerator[Interactor]:
    async with scripted(answers, ()) as asking, scripted({}, decisions) as confirming:
        yield SplitInteractor(asking, confirming)


@asynccontextmanager
async def nobody(answers: Mapping[str, str], decisions: Sequence[Decision]) -> AsyncGenerator[Interactor]:
    """Whatever is agreed, nobody is there."""
    yield AutoInteractor()


EVERY = pytest.mark.parametrize("open_", [terminal, scripted, split, nobody])
WITH_PERSON = pytest.mark.parametrize("open_", [terminal, scripted, split])


@EVERY
@pytest.mark.requires("asking.conformance")
async def test_answers_come_under_the_questions_that_were_asked_and_none_is_empty(open_: Open) -> None:
    async with open_({FIRST: "Ada", SECOND: "", "Never asked": "x"}, ()) as person:
        with anyio.fail_after(30):
            answers = await person.ask("AppAgent/notes", [FIRST, SECOND])
    wanted = {FIRST: "Ada"} if person.reaches_person else {}
    assert dict(answers.answers) == wanted
    assert answers.timed_out is not person.reaches_person


@WITH_PERSON
@pytest.mark.requires("asking.conformance")
async def test_each_decision_holds_for_one_confirmation_and_none_is_no_rejection(open_: Open) -> None:
    async with open_({}, [True, False, None]) as person:
        with anyio.fail_after(30):
            assert [await person.confirm(REQUEST) for _ in range(3)] == [True, False, None]


@EVERY
@pytest.mark.requires("asking.conformance")
async def test_nothing_approves_by_itself(open_: Open) -> None:
    async with open_({}, [None]) as person:
        with anyio.fail_after(30):
            assert await person.confirm(REQUEST) is None


@EVERY
@pytest.mark.requires("asking.conformance")
async def test_a_wait_can_be_given_up_and_costs_nothing_that_comes_later(open_: Open) -> None:
    async with open_({}, [True]) as person:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await person.ask("AppAgent/notes", [FIRST])
        with anyio.fail_after(30):
            assert await person.confirm(REQUEST) is (True if person.reaches_person else None)


async def test_a_person_who_thinks_holds_up_nothing_else() -> None:
    ticked: list[str] = []
    with screen() as seen:
        async with anyio.create_task_group() as group:
            group.start_soon(TerminalInteractor().confirm, REQUEST)
            await seen.until("approve?")
            ticked.append("the loop goes on")
            group.cancel_scope.cancel()
    assert ticked
