"""Waiting for the user, or for an event that a tool announced (contract 2.4)."""

from collections.abc import Awaitable

import anyio

from deskhand.commands.secret_texts import may_be_password, with_typed
from deskhand.core.outside_events import Arrival, ExternalEvents
from deskhand.core.ports import Answers
from deskhand.core.roles import Role
from deskhand.pipeline.actions import HeldAction, short
from deskhand.prompts.step_history import given_of


async def first_of(asking: Awaitable[Answers] | None, external: ExternalEvents) -> Answers | tuple[Arrival, ...]:
    """Return the first to arrive: the user's answer, or announced events. The caller sets the timeout.

    The user is not asked where `asking` is None. Without an answer, the announced event is awaited. Raises the errors
    of asking.
    """
    answers = Answers(timed_out=True)
    if asking is not None:
        with anyio.CancelScope() as until_arrival, external.calling(until_arrival.cancel):
            answers = await asking
        if says_something(answers):
            return answers
    return await external.next_arrivals() if external.outstanding else answers


def says_something(answers: Answers) -> bool:
    """Return whether any question was answered; an empty answer is none."""
    return not answers.timed_out and any(answer.strip() for answer in answers.answers.values())


def fact_line(held: HeldAction) -> str:
    """Return one line of the journal on a held action. Text that may be typed into a password field is left out."""
    verdict, command = held.verdict, held.planned.command
    facts, told = verdict.facts, dict(verdict.facts.arguments)
    on_password = command.target is not None and command.target.type is Role.PASSWORD
    if on_password or may_be_password(command):
        told = with_typed(told, surely=on_password)
    given = given_of(facts.tool, told)
    arguments = ", ".join(f"{name}={short(str(value))}" for name, value in given.items() if name not in {"id", "name"})
    called = f"{facts.tool} {facts.control_name}".strip()
    return f"{verdict.rule}: {called}{f' ({arguments})' if arguments else ''}"
