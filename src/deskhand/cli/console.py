"""What every verb prints: one JSON object or readable lines on stdout, errors on stderr."""

import json
from dataclasses import dataclass

import typer


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a command ended without its result."""

    type: str
    message: str
    fix: str
    exit_code: int

    @property
    def as_json(self) -> dict[str, str]:
        return {"type": self.type, "message": self.message, "fix": self.fix}


def print_json(value: object) -> None:
    """JSON values as one line. All in ASCII: names of files and controls may hold what no encoding can carry."""
    typer.echo(json.dumps(value))


def tell_failure(failure: Failure, *, as_json: bool, as_session: bool = False) -> None:
    """Says on stderr what happened and what to do; with `as_json` the object with `error` goes to stdout."""
    complain(failure.message, failure.fix)
    if not as_json:
        return
    if as_session:
        from deskhand.cli.sessions import nothing_but  # noqa: PLC0415 - brings the report's models

        print_json(nothing_but(failure).to_json())
    else:
        print_json({"error": failure.as_json})


def complain(message: str, fix: str = "") -> None:
    """What happened and what to do, on stderr."""
    typer.echo(f"deskhand: {message}", err=True)
    if fix:
        typer.echo(f"  fix: {fix}", err=True)
