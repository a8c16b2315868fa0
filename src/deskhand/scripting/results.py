"""Results of actions, and the errors of unconfirmed actions and unmet expectations."""

from dataclasses import dataclass
from pathlib import Path

from deskhand.core.command import Effect, Result
from deskhand.core.errors import EXIT_FAILED, DeskhandError
from deskhand.core.target import TargetInfo


class ActionFailed(DeskhandError):
    """An action was refused or failed, or its effect was not confirmed; `result` is its whole result."""

    recoverable = True
    exit_code = EXIT_FAILED

    def __init__(self, action: str, result: Result) -> None:
        effect = (result.effect or Effect.REFUSED).replace("_", " ")
        reason = result.error.message if result.error else result.evidence
        super().__init__(f"{action}: {effect}: {reason}", fix=result.error.fix if result.error else "")
        self.result = result


def is_failure(result: Result, *, accept_unconfirmed: bool) -> bool:
    """Return whether it is no success. `accept_unconfirmed`: nor an action that was sent with an effect in doubt."""
    return not result.ok and not (accept_unconfirmed and result.delivered and result.error is None)


@dataclass(frozen=True, slots=True)
class Unmet:
    """An expectation that was not met, as phrases: `button "Save" of "Notes"`, `to be visible`, `none is there`.

    `nearest`: the controls most like the wanted one, where none matches, with their place in screen pixels, the most
    similar first. `changes`: those in the window and on the desktop meanwhile. `picture`: a picture of the
    window with the `framed` controls, which match or are the nearest, where the desktop is recorded.
    """

    subject: str
    expected: str
    actual: str
    nearest: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    waited_s: float = 0.0
    picture: Path | None = None
    framed: tuple[TargetInfo, ...] = ()

    @property
    def details(self) -> str:
        """Its actual state, the nearest controls and the changes, a line each."""
        lines = [f"{self.actual} (after {self.waited_s:.1f} s)"]
        lines += [f"nearest: {'; '.join(self.nearest)}"] if self.nearest else []
        lines += [f"changed meanwhile: {'; '.join(self.changes)}"] if self.changes else []
        return "\n".join(lines)

    @property
    def message(self) -> str:
        shown = f"\npicture: {self.picture}" if self.picture else ""
        return f"{self.subject} was expected {self.expected}, but {self.details}{shown}"


class ExpectationFailed(DeskhandError, AssertionError):
    """A control or window is not as a script expects; `unmet` has the details."""

    recoverable = True
    exit_code = EXIT_FAILED

    def __init__(self, unmet: Unmet) -> None:
        fix = "correct the locator" if unmet.nearest else "correct the expectation or the program"
        super().__init__(unmet.message, fix=f"{fix}, or wait longer: timeout_s")
        self.unmet = unmet
