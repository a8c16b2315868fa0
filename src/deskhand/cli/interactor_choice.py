"""Choice of who answers questions (`--ask`) and approves actions (`--confirm`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from deskhand.cli.console import at_terminal
from deskhand.cli.invocation import invocation
from deskhand.core.errors import UsageError
from deskhand.core.ports import Interactor
from deskhand.session.interactors import AutoInteractor, NeverInteractor, SplitInteractor, read_script

if TYPE_CHECKING:
    from deskhand.cli.terminal import TerminalInteractor

AskOption: TypeAlias = Annotated[
    str,
    typer.Option(metavar="off|terminal|FILE", help="Who answers questions; a FILE holds answers: {question: answer}."),
]
ConfirmOption: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="ask|never|FILE",
        help="Who approves actions; a FILE holds confirmations: [approve, reject, …], in the order asked.",
    ),
]


@dataclass(frozen=True, slots=True)
class Asking:
    """`ask_question` is the setting that fits the interactor; None: as configured."""

    interactor: Interactor
    ask_question: bool | None


def interactor_for(ask: str, confirm: str) -> Asking:
    """Interactor for `--ask off|terminal|FILE` and `--confirm ask|never|FILE`; empty: the user, if at a terminal.

    Raises: UsageError (no terminal, an unreadable file).
    """
    person = person_at_terminal()
    nobody = AutoInteractor()
    if ask == "terminal":
        asking = _needed(person, "--ask terminal")
    elif ask == "off":
        asking = nobody
    else:
        asking = read_script(invocation().path(Path(ask))) if ask else person or nobody
    if confirm == "ask":
        confirming = _needed(person, "--confirm ask")
    elif confirm == "never":
        confirming = NeverInteractor()
    else:
        confirming = read_script(invocation().path(Path(confirm))) if confirm else person or nobody
    wanted = None if not ask and person else asking.reaches_person
    return Asking(SplitInteractor(asking, confirming), wanted)


def person_at_terminal() -> "TerminalInteractor | None":
    """Interactor of the terminal, None if there is no terminal. Its modules are loaded only if there is one."""
    if not at_terminal():
        return None
    from deskhand.cli.terminal import TerminalInteractor  # noqa: PLC0415 - see the docstring

    return TerminalInteractor()


def _needed(person: Interactor | None, option: str) -> Interactor:
    if person is None:
        raise UsageError(
            f"{option} needs a terminal, and there is none", fix=f"{option.split(maxsplit=1)[0]} FILE, with the answers"
        )
    return person
