"""How a person at the terminal is asked, and who answers for `--ask` and `--confirm`."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import typer

from deskhand.core.errors import UsageError
from deskhand.core.ports import Answers, ConfirmationRequest, Interactor, Verdict
from deskhand.session.interactors import AutoInteractor, SplitInteractor, read_script

_LINE = 65536


class TerminalInteractor:
    """Asks on stderr and reads lines from the terminal on stdin, without holding up anything else."""

    @property
    def reaches_person(self) -> bool:
        return True

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        answers: dict[str, str] = {}
        for question in questions:
            typer.secho(f"\n{agent} asks: {question}", err=True, bold=True)
            answers[question] = await _line("answer: ")
        return Answers(answers)

    async def confirm(self, request: ConfirmationRequest) -> bool:
        typer.secho(f"\n{request.agent} wants to do this:", err=True, bold=True)
        for verdict in request.facts:
            for fact in _facts(verdict):
                typer.echo(f"  {fact}", err=True)
        if request.model_says:
            typer.echo(f"  in the model's own words: {request.model_says}", err=True)
        return (await _line("approve? [y/N] ")).lower() in {"y", "yes"}


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked; `ask_question` is the setting that goes with it, None: as configured."""

    interactor: Interactor
    ask_question: bool | None


def interactor_for(ask: str, confirm: str) -> Asking:
    """Who answers for `--ask off|terminal|FILE` and `--confirm ask|never|FILE`; empty: a person, where there is one.

    Raises: UsageError (no terminal, an unreadable file).
    """
    person: Interactor | None = TerminalInteractor() if _at_terminal() else None
    nobody = AutoInteractor()
    if ask == "terminal":
        asking = _needed(person, "--ask terminal")
    elif ask == "off":
        asking = nobody
    else:
        asking = read_script(Path(ask)) if ask else person or nobody
    if confirm == "ask":
        confirming = _needed(person, "--confirm ask")
    elif confirm == "never":
        confirming = nobody
    else:
        confirming = read_script(Path(confirm)) if confirm else person or nobody
    wanted = None if not ask and person else asking.reaches_person
    return Asking(SplitInteractor(asking, confirming), wanted)


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()  # pyright: ignore[reportUnnecessaryComparison] - None where it was closed


def _needed(person: Interactor | None, option: str) -> Interactor:
    if person is None:
        raise UsageError(f"{option} needs a terminal, and there is none", fix="give a file of answers instead")
    return person


def _facts(verdict: Verdict) -> list[str]:
    facts = verdict.facts
    control = f'{facts.control_role} "{facts.control_name}"' if facts.control_role else ""
    rows = {
        "action": facts.tool,
        "application": facts.application,
        "window": facts.window,
        "control": control,
        "arguments": ", ".join(f"{name}={value!r}" for name, value in facts.arguments.items()),
        "files": ", ".join(facts.paths),
        "rule": f"{verdict.rule}: {verdict.reason}",
    }
    return [f"{name:<12} {value}" for name, value in rows.items() if value]


async def _line(prompt: str) -> str:
    """The next line from the terminal, which hands out one at a time. Nothing is read ahead."""
    typer.echo(prompt, err=True, nl=False)
    await anyio.wait_readable(sys.stdin.fileno())
    return os.read(sys.stdin.fileno(), _LINE).decode(errors="replace").strip()
