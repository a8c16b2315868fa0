"""The open desktop and the means to act on it, shared by its windows and their locators."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio

from deskhand.core.command import PLUGIN, Effect, Result, ResultStatus
from deskhand.core.errors import ApplicationGone, DesktopError, NotAccessible, ReplyDefect, UsageError
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo, same_window
from deskhand.desktop.protocols import desktop as protocol
from deskhand.desktop.protocols.windows import ProgramState, ProgramStatus
from deskhand.scripting.program_end import with_end
from deskhand.scripting.recording import Attempted, Recording
from deskhand.scripting.results import ActionFailed, is_failure
from deskhand.session.single_action import Hand, NotAllowed, listed_arguments

T = TypeVar("T")

_ID = "1"
_GIVEN = frozenset({"id", "name"})
"""Arguments that the locator gives."""
_POINTS = frozenset({"x", "start_x"})
OBSERVE_S = 5.0
"""Timeout of an observation, unless another is given."""
_ENDS_S = 0.3
"""Time between the loss of a program's connections and its end, where it dies."""
_APPROVE = "give the desktop an interactor that approves it, or change the rule"


@dataclass(slots=True, eq=False)
class Actor:
    """`timeout_s`: how long a locator or window waits where the call names no time.

    `latest`: the windows by their handles, as they were after the last action, or seen since. `recording`: the record
    of actions and expectations; None: there is none. `accept_unconfirmed`: an action that was sent is no failure where
    its effect is in doubt. `update_references`: the present state of a window becomes its reference.
    """

    desktop: protocol.Desktop
    hand: Hand
    timeout_s: float
    latest: dict[str, TargetInfo] = field(default_factory=dict[str, TargetInfo])
    recording: Recording | None = None
    accept_unconfirmed: bool = False
    update_references: bool = False

    async def wait_until(self, holds: Callable[[], Awaitable[T | None]], timeout_s: float | None) -> T | None:
        """Evaluate a condition now, at least once, and then after each change of the desktop; None at the deadline."""
        end_s = anyio.current_time() + (self.timeout_s if timeout_s is None else timeout_s)
        result = await holds()
        if result is not None and result is not False:
            return result
        left_s = end_s - anyio.current_time()
        return await self.desktop.wait_until(holds, deadline_s=left_s) if left_s > 0 else None

    async def observe(self, window: TargetInfo, *, picture: bool = False, deadline_s: float = OBSERVE_S) -> Observation:
        """Observe a window. Raises: ApplicationGone with the end of its program, where that died; as `observe`."""
        try:
            return await self.desktop.observe(window, picture=picture, deadline_s=deadline_s)
        except NotAccessible:
            raise
        except ApplicationGone as error:
            status = await self.end_of(window)
            if status is not None:
                raise with_end(self.desktop, window, error, status) from error
            raise await self._as_not_shown(window, error) from error

    async def _as_not_shown(self, window: TargetInfo, error: ApplicationGone) -> ApplicationGone:
        """Return the error for a window of a program that runs on: that it is not shown, where it is not listed."""
        if any(same_window(window, each) for each in await self.desktop.windows()):
            return error
        shown = f'the window "{window.name}" is not shown: it was closed or hidden, and its program runs on'
        return ApplicationGone(shown, fix="open it again, or expect it to be closed")

    async def end_of(self, window: TargetInfo) -> ProgramStatus | None:
        """Return how the program of a window that is gone ended, maybe a moment later; None if it runs on."""

        async def ended() -> ProgramStatus | None:
            status = await self.desktop.program(window)
            return None if status.state is ProgramState.RUNS else status

        return await self.desktop.wait_until(ended, deadline_s=_ENDS_S)

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
        """Carry out one tool; a refusal by a rule is a result like others. Raises: UsageError, ActionFailed.

        A target is named by its id, unless the arguments have a point on it.
        """
        action = tool if target is None else f"{tool} of {target.describe}"
        if target is not None and window is not None and _POINTS.isdisjoint(arguments):
            target = replace(target, id=_ID)
            if not self._is_plugin_without_id(tool):
                arguments = {"id": _ID, "name": target.name, **arguments}
        attempted = Attempted(tool, arguments, target, window, seen)
        result = await self.recorded(attempted, partial(self._sent, attempted), check=check)
        with suppress(DesktopError):  # whoever acts next is informed of it
            self.note(await self.desktop.windows())
        if check and self._fails(result):
            raise ActionFailed(action, result)
        return result

    async def recorded(
        self, attempted: Attempted, send: Callable[[], Awaitable[Result]], *, check: bool = True
    ) -> Result:
        """Carry out an action, and record it where the desktop is recorded. Raises: as `send`."""
        if self.recording is None:
            return await send()
        return await self.recording.act(attempted, send, fails=self._fails if check else _never)

    def _fails(self, result: Result) -> bool:
        return is_failure(result, accept_unconfirmed=self.accept_unconfirmed)

    async def _sent(self, attempted: Attempted) -> Result:
        """Carry out one tool. Raises: UsageError."""
        try:
            return await self.hand.act(
                attempted.tool,
                attempted.arguments,
                target=attempted.target,
                window=attempted.window,
                seen=attempted.seen,
            )
        except NotAllowed as refusal:
            error = refusal.told(_APPROVE)
            return Result(ResultStatus.FAILURE, "", error=error, effect=Effect.REFUSED, evidence=error.message)
        except ReplyDefect as defect:
            of_control = attempted.target is not None
            raise UsageError(defect.message, fix=self._takes(attempted.tool, of_control=of_control)) from defect

    def note(self, windows: Iterable[TargetInfo]) -> None:
        """Note windows as they are now."""
        self.latest.update((window.handle, window) for window in windows)

    def _is_plugin_without_id(self, tool: str) -> bool:
        """Return whether it is a function whose parameter of the type `Call` alone has the control."""
        spec = self.hand.catalogue.spec(tool)
        return spec is not None and spec.namespace == PLUGIN and not spec.takes_target

    def _takes(self, tool: str, *, of_control: bool) -> str:
        spec = self.hand.catalogue.spec(tool)
        if spec is None:
            return "use one of those"
        given = _GIVEN if of_control else frozenset[str]()
        own = spec.parameters.get("properties")
        properties = {name: each for name, each in own.items() if name not in given} if isinstance(own, dict) else {}
        return f"{tool} takes {listed_arguments({**spec.parameters, 'properties': properties})}"


def _never(_: Result) -> bool:
    return False


def absolute(path: Path | str) -> str:
    """Return a path as the program means it, whose folder may not be that of the applications."""
    return str(Path(path).absolute())
