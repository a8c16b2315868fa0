"""What every verb prints: one JSON object or readable lines on stdout, errors on stderr."""

import json
import select
import sys
import unicodedata
from dataclasses import dataclass
from typing import Final

import typer

from deskhand.core.errors import EXIT_ERROR, EXIT_FAILED, DeskhandError, ErrorInfo

_DEFECT: Final = "This is a defect of Deskhand: please report it with the command and this message."


class OutputLost(DeskhandError):
    """What was to be printed could not be, such as into a file on a full disk."""


_UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"
_FRAMES: Final = range(0x2500, 0x25A0)
"""Box drawing and block elements: what frames on a terminal are made of."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a command ended without its result."""

    type: str
    message: str
    fix: str
    exit_code: int

    @staticmethod
    def of(error: DeskhandError) -> "Failure":
        """Where the way is only barred for now, the command failed; else the error knows its exit code."""
        code = EXIT_FAILED if error.recoverable else error.exit_code
        return Failure(type(error).__name__, error.message, error.fix, code)

    @staticmethod
    def unhandled(error: Exception) -> "Failure":
        """Of an error that nobody foresaw."""
        return Failure(type(error).__name__, str(error) or "no message", _DEFECT, EXIT_ERROR)

    @property
    def info(self) -> ErrorInfo:
        return ErrorInfo(self.type, self.message, self.fix)

    @property
    def as_json(self) -> dict[str, str]:
        return {"type": self.type, "message": self.message, "fix": self.fix}


def print_json(value: object) -> None:
    """JSON values as one line. All in ASCII: names of files and controls may hold what no encoding can carry."""
    say(json.dumps(value))


def say(line: str) -> None:
    """A line on stdout. Raises: BrokenPipeError where its reader has gone, OutputLost where it cannot be written."""
    try:
        typer.echo(line)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(
            f"Could not write the result: {error.strerror or error}.",
            fix="Send the output somewhere that can take it; the session's folder holds the result too.",
        ) from error


def reader_is_gone() -> bool:
    """Whether stdout is a pipe that nobody reads any more; what has nothing to print would not notice."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
    except (OSError, ValueError):  # no file
        return False
    return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


def at_terminal() -> bool:
    """Whether somebody can be shown something and answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()  # pyright: ignore[reportUnnecessaryComparison] - None where it was closed


def printable(text: str) -> str:
    """Text of unknown origin as one line that says what it says, and does nothing to the terminal or a frame on it."""
    return "".join(_harmless(character) for character in text)


def _harmless(character: str) -> str:
    if character in "\t\n" or unicodedata.category(character) == "Zs":  # also a space that does not break the line
        return " "
    return character if character.isprintable() and ord(character) not in _FRAMES else _UNPRINTABLE


def complain(message: str, fix: str = "") -> None:
    """What happened and what to do, on stderr. What comes from the screen in it cannot pass for something else."""
    typer.echo(f"deskhand: {_lines(message)}", err=True)
    if fix:
        typer.echo(f"  fix: {_lines(fix)}", err=True)


def _lines(text: str) -> str:
    """Each harmless to the terminal, those after the first one indented."""
    return "\n    ".join(
        "".join(character if character.isprintable() else _harmless(character) for character in line)
        for line in text.split("\n")
    )
