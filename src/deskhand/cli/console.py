"""Output of every verb: one JSON object or readable lines on stdout, errors on stderr."""

import json
import select
import unicodedata
from dataclasses import dataclass
from typing import Final

import typer

from deskhand.cli.invocation import invocation
from deskhand.core.errors import EXIT_ERROR, EXIT_FAILED, DeskhandError, ErrorInfo

_DEFECT: Final = "This is a defect of Deskhand: please report it with the command and this message."


class OutputLost(DeskhandError):
    """Output could not be written, such as to a file on a full disk."""


_UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"
_FRAMES: Final = range(0x2500, 0x25A0)
"""Box drawing and block elements, used for frames on a terminal."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason why a command ended without its result."""

    type: str
    message: str
    fix: str
    exit_code: int

    @staticmethod
    def of(error: DeskhandError) -> "Failure":
        """A recoverable error counts as failure of the command; any other has its own exit code."""
        code = EXIT_FAILED if error.recoverable else error.exit_code
        return Failure(type(error).__name__, error.message, error.fix, code)

    @staticmethod
    def unhandled(error: Exception) -> "Failure":
        """Report an unforeseen error as a defect of Deskhand."""
        return Failure(type(error).__name__, str(error) or "no message", _DEFECT, EXIT_ERROR)

    @property
    def info(self) -> ErrorInfo:
        return ErrorInfo(self.type, self.message, self.fix)

    @property
    def as_json(self) -> dict[str, str]:
        return {"type": self.type, "message": self.message, "fix": self.fix}


def print_json(value: object) -> None:
    """Print JSON values on one line, in ASCII: names of files and controls may hold characters no encoding carries."""
    print_line(json.dumps(value))


def print_line(line: str) -> None:
    """Print a line on stdout. Raises: BrokenPipeError if its reader has gone, OutputLost if it cannot be written."""
    try:
        typer.echo(line, file=invocation().stdout)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(
            f"Could not write the result: {error.strerror or error}.",
            fix="Send the output to a file or pipe with free space; the session's folder holds the result too.",
        ) from error


def print_note(line: str) -> None:
    """Print a line on stderr."""
    typer.echo(line, file=invocation().stderr)


def reader_is_gone() -> bool:
    """True if stdout is a pipe without a reader; a process that prints nothing would not notice otherwise."""
    try:
        poll = select.poll()
        poll.register(invocation().stdout.fileno(), 0)
    except (OSError, ValueError):  # no file
        return False
    return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


def at_terminal() -> bool:
    """True if a user can read a question on this terminal and answer it."""
    by = invocation()
    return by.stdin is not None and by.stdin.isatty() and by.stderr.isatty()  # pyright: ignore[reportUnnecessaryComparison] - None where it was closed


def printable(text: str) -> str:
    """Text of unknown origin as one line, without characters that control the terminal or imitate a frame on it."""
    return "".join(_harmless(character) for character in text)


def _harmless(character: str) -> str:
    if character in "\t\n" or unicodedata.category(character) == "Zs":  # also a space that does not break the line
        return " "
    return character if character.isprintable() and ord(character) not in _FRAMES else _UNPRINTABLE


def print_error(message: str, fix: str = "") -> None:
    """Print an error and its fix on stderr. Text from the screen in it cannot imitate other output."""
    print_note(f"deskhand: {_lines(message)}")
    if fix:
        print_note(f"  fix: {_lines(fix)}")


def _lines(text: str) -> str:
    """Lines without control characters, those after the first indented."""
    return "\n    ".join(
        "".join(character if character.isprintable() else _harmless(character) for character in line)
        for line in text.split("\n")
    )
