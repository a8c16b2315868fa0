"""Steps that run commands on the desktop, and steps about their output."""

import subprocess
from collections.abc import Callable
from typing import Final

from deskhand.core.errors import UsageError
from deskhand.core.text import quoted
from deskhand.testing.behave.context import CommandOutput, Context
from deskhand.testing.behave.phrases import phrase

_ENDS_S: Final = 60.0
_LONGEST: Final = 2000
"""Characters of an output in a message."""
_COMPARISONS: Final[dict[str, Callable[[str, str], bool]]] = {
    "is": str.__eq__,
    "contains": str.__contains__,
    "begins with": str.startswith,
    "ends with": str.endswith,
}
_NEGATIONS: Final = {
    "is not": "is",
    "does not contain": "contains",
    "does not begin with": "begins with",
    "does not end with": "ends with",
}


@phrase('Run and save command output: "{command}"')
def run_command(context: Context, command: str) -> None:
    """Run a shell command on the desktop. One that takes longer than a minute fails the step."""
    try:
        done = subprocess.run(
            ("sh", "-c", command),
            env=dict(context.desktop.environment),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_ENDS_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AssertionError(f'"{command}" did not end within {_ENDS_S:g} seconds') from None
    context.last_command = CommandOutput(command, done.stdout.removesuffix("\n"), done.stderr, done.returncode)


@phrase('Last command output "{operand}" "{expected}"')
def expect_output(context: Context, operand: str, expected: str) -> None:
    output = _last(context)
    if not _holds(operand, output.text, expected):
        errors = f"\nits errors: {quoted(output.errors, _LONGEST)}" if output.errors else ""
        raise AssertionError(
            f'the output of "{output.command}" was expected: {operand} "{expected}"\n'
            f"it is: {quoted(output.text, _LONGEST)}{errors}"
        )


@phrase('Return code of last command output "{operand}" "{expected:d}"')
def expect_code(context: Context, operand: str, expected: int) -> None:
    output = _last(context)
    if operand not in {"is", "is not"}:
        raise UsageError(f'a return code cannot be compared by "{operand}"', fix="write is, or is not")
    if not _holds(operand, str(output.code), str(expected)):
        errors = f"\nits errors: {quoted(output.errors, _LONGEST)}" if output.errors else ""
        raise AssertionError(f'"{output.command}" ended with {output.code}; expected: {operand} {expected}{errors}')


def _last(context: Context) -> CommandOutput:
    output = context.last_command
    if output is None:
        raise UsageError("no command has run in this scenario", fix='begin with: Run and save command output: "…"')
    return output


def _holds(operand: str, text: str, expected: str) -> bool:
    """Raises: UsageError for a comparison that does not exist."""
    compare = _COMPARISONS.get(_NEGATIONS.get(operand, operand))
    if compare is None:
        raise UsageError(
            f'outputs cannot be compared by "{operand}"', fix=f"write one of {', '.join([*_COMPARISONS, *_NEGATIONS])}"
        )
    return compare(text, expected) is (operand in _COMPARISONS)
