"""Results of actions, and the error of one that is not confirmed."""

from deskhand.core.command import Effect, Result
from deskhand.core.errors import EXIT_FAILED, DeskhandError


class ActionFailed(DeskhandError):
    """An action was refused or failed, or its effect was not confirmed; `result` is its whole result."""

    recoverable = True
    exit_code = EXIT_FAILED

    def __init__(self, action: str, result: Result) -> None:
        effect = (result.effect or Effect.REFUSED).replace("_", " ")
        reason = result.error.message if result.error else result.evidence
        super().__init__(f"{action}: {effect}: {reason}", fix=result.error.fix if result.error else "")
        self.result = result


def checked(action: str, result: Result, *, check: bool) -> Result:
    """Return the result. Raises: ActionFailed, with `check`, where it is no success."""
    if check and not result.ok:
        raise ActionFailed(action, result)
    return result
