"""The open desktop and the means to act on it, shared by its windows and their locators."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from deskhand.core.command import Effect, Result, ResultStatus
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols import desktop as protocol
from deskhand.scripting.results import checked
from deskhand.session.single_action import Hand, NotAllowed

T = TypeVar("T")

_ID = "1"
_APPROVE = "give the desktop an interactor that approves it, or change the rule"


@dataclass(frozen=True, slots=True)
class Actor:
    """`timeout_s`: how long a locator or window waits where the call names no time."""

    desktop: protocol.Desktop
    hand: Hand
    timeout_s: float

    async def wait_until(self, holds: Callable[[], Awaitable[T | None]], timeout_s: float | None) -> T | None:
        """Evaluate a condition now, at least once, and then after each change of the desktop; None at the deadline."""
        result = await holds()
        if result is not None and result is not False:
            return result
        deadline_s = self.timeout_s if timeout_s is None else timeout_s
        return await self.desktop.wait_until(holds, deadline_s=deadline_s) if deadline_s > 0 else None

    async def act(
        self,
        tool: str,
        arguments: JsonObject,
        *,
        check: bool,
        target: TargetInfo | None = None,
        window: TargetInfo | None = None,
        seen: Observation | None = None,
    ) -> Result:
        """Carry out one tool; a refusal by a rule is a result like others. Raises: ReplyDefect, ActionFailed."""
        action = tool if target is None else f"{tool} of {target.describe}"
        if target is not None and window is not None:
            target = replace(target, id=_ID)
            arguments = {"id": _ID, "name": target.name, **arguments}
        try:
            result = await self.hand.act(tool, arguments, target=target, window=window, seen=seen)
        except NotAllowed as refusal:
            error = refusal.told(_APPROVE)
            result = Result(ResultStatus.FAILURE, "", error=error, effect=Effect.REFUSED, evidence=error.message)
        return checked(action, result, check=check)


def absolute(path: Path | str) -> str:
    """Return a path as the program means it, whose folder may not be that of the applications."""
    return str(Path(path).absolute())
