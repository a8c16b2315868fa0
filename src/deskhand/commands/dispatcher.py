"""The dispatcher: the only way to run a tool, with deadlines, clearances and typed results (contract 4.1)."""

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Final

import anyio

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Catalogue, Tool
from deskhand.commands.effects.form_changes import FormWatch
from deskhand.commands.window_lookup import dialog_over, found
from deskhand.core.command import (
    PRESSING_KEYS,
    Clearance,
    Command,
    Effect,
    Result,
    ResultStatus,
    ToolType,
    status_of_effect,
)
from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    ApplicationUnresponsive,
    ClearanceMissing,
    DeskhandError,
    ElementNotFound,
    ElementStale,
    ErrorInfo,
    PersonActs,
    PersonStays,
    ReplyDefect,
)
from deskhand.core.ports import Clock, Policy
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, comparable_name, same_window

_DEADLINE_S: Final = 20.0
_RELEASE_S: Final = 1.0
_PRESSES_FIRST: Final = re.compile(rf"(\{{VK_\w+\}})*({PRESSING_KEYS.pattern})")
"""Keys that press what has the keyboard, which may have it only since the observation."""
REFUSALS: Final = (
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    ElementNotFound,
    ElementStale,
    PersonActs,
    PersonStays,
    ReplyDefect,
)


class CommandDispatcher:
    """Runs commands on one desktop, one result each, in order; refuses an action without its clearance.

    `cut_off`: the result of the command that was cancelled while it ran, which returns none.
    """

    def __init__(self, catalogue: Catalogue, tools: ToolContext, policy: Policy, clock: Clock) -> None:
        self.catalogue = catalogue
        self.cut_off: Result | None = None
        self._tools = tools
        self._policy = policy
        self._clock = clock
        self._form = FormWatch()

    async def execute_commands(
        self, commands: Sequence[Command], clearances: Mapping[str, Clearance] | None = None
    ) -> list[Result]:
        """Return one result per command, in order; `clearances` by call id.

        Raises: ClearanceMissing for an action without a matching clearance (nothing of it was sent).
        """
        return [await self._execute(command, (clearances or {}).get(command.call_id)) for command in commands]

    async def resolve(self, command: Command) -> TargetInfo | None:
        """Resolve the command's target again.

        Raises: ElementStale, AmbiguousTarget, ApplicationGone, ApplicationUnresponsive, ActionDeadline.
        """
        deadline_s = self._deadline_s(command)
        try:
            with anyio.fail_after(deadline_s):
                return await self._resolve(command)
        except TimeoutError as error:
            raise ActionDeadline(
                f"{command.tool_name} was not sent: its target was not found again within {deadline_s:g} s"
            ) from error

    async def in_present_windows(self, command: Command) -> Command:
        """Return the command with its windows as they are now, to be judged: a title marks unsaved changes.

        The root window replaces an observed one that is gone; a root window that is gone stays as it was. An observed
        one keeps its place, which those of its controls belong to. A dialog that gets the keys is observed, if it was
        not and can be, and so is any window where they may press what has the keyboard. Raises: DesktopGone.
        """
        if command.window is None and command.seen is None:
            return command
        windows = await self._tools.desktop.windows()
        root = _present(command.window, windows) or command.window
        typed_in = _unseen_for_keys(command, root, windows)
        if typed_in is not None:
            with suppress(ApplicationGone, ApplicationUnresponsive):
                return replace(command, window=root, seen=await self._tools.desktop.observe(typed_in, picture=False))
        if command.seen is None:
            return replace(command, window=root)
        shown = _present(command.seen.window, windows) or root or command.seen.window
        shown = replace(shown, rect=command.seen.window.rect)
        return replace(command, window=root, seen=replace(command.seen, window=shown))

    async def _resolve(self, command: Command) -> TargetInfo | None:
        target = command.target
        if target is None or target.kind is TargetKind.THIRD_PARTY_AGENT:
            return target
        return await found(self._tools.desktop, target)

    def _deadline_s(self, command: Command) -> float:
        tool = self.catalogue.get(command.tool_name)
        return command.deadline_s or (tool.spec.deadline_s if tool else _DEADLINE_S)

    async def _execute(self, command: Command, clearance: Clearance | None) -> Result:
        tool = self.catalogue.get(command.tool_name)
        if tool is None:
            info = ErrorInfo("DispatchError", f"there is no tool {command.tool_name!r}")
            return Result(ResultStatus.FAILURE, command.call_id, error=info)
        started = self._clock.monotonic()
        context = self._tools.fresh()
        deadline_s = self._deadline_s(command)
        try:
            acts = tool.spec.tool_type is ToolType.ACTION
            async with self._tools.desktop.guard.acting() if acts else nullcontext():
                with anyio.fail_after(deadline_s):  # waiting for the user does not count as the action's time
                    target = await self._resolve(command)
                    _check_name(command, target)
                    if acts:
                        self._redeem(clearance, command, target)
                    outcome = await self._run(tool, context, Call(command, target, command.window, tool.expects))
        except ClearanceMissing:
            raise
        except DeskhandError as error:
            return _failed(tool, command, context, error, self._clock.monotonic() - started)
        except TimeoutError:
            await self.release()
            error = ActionDeadline(f"{command.tool_name} did not finish within {deadline_s:g} s")
            return _failed(tool, command, context, error, self._clock.monotonic() - started)
        except anyio.get_cancelled_exc_class():
            self.cut_off = _cut_off(tool, command, context, self._clock.monotonic() - started)
            await self.release()
            raise
        return _finished(tool, command, context, outcome, self._clock.monotonic() - started)

    async def release(self) -> None:
        """Release what earlier actions left down: nobody knows what it is needed for after one that was cut short."""
        with anyio.move_on_after(_RELEASE_S, shield=True), suppress(DeskhandError):
            if (await self._tools.desktop.left_down()).names:
                await self._tools.desktop.let_go()

    def _redeem(self, clearance: Clearance | None, command: Command, target: TargetInfo | None) -> None:
        if clearance is None:
            raise ClearanceMissing(
                f"{command.tool_name} was sent without a clearance", fix="ask the policy for one before dispatch"
            )
        self._policy.redeem(clearance, command, target)

    async def _run(self, tool: Tool, context: ToolContext, call: Call) -> ToolOutcome:
        arguments = tool.read(call.command.parameters)
        if call.command.part_of:
            return await self._form.run(context.desktop, call, partial(tool.run, context, call, arguments))
        self._form.forget()
        return await tool.run(context, call, arguments)


def _present(window: TargetInfo | None, windows: Sequence[TargetInfo]) -> TargetInfo | None:
    return next((each for each in windows if window is not None and same_window(each, window)), None)


def _unseen_for_keys(command: Command, root: TargetInfo | None, windows: Sequence[TargetInfo]) -> TargetInfo | None:
    """Return the window that gets the keys of a command without a target, if its observation does not show what they
    may press; else None.
    """
    if root is None or command.target is not None or "keys" not in command.parameters:
        return None
    seen, keys = command.seen, str(command.parameters["keys"])
    dialog = dialog_over(root, windows) or (root if root.type is Role.DIALOG else None)
    unseen = dialog is not None and (seen is None or seen.window.handle != dialog.handle)
    presses = PRESSING_KEYS.search(keys) if seen is None else _PRESSES_FIRST.match(keys)
    return (dialog or root) if unseen or presses else None


def _check_name(command: Command, target: TargetInfo | None) -> None:
    """Refuse a control that was renamed since the caller named it (contract 4.2). Raises: ActionRefused."""
    name = command.parameters.get("name")
    if (
        target is None
        or target.kind is not TargetKind.CONTROL
        or not target.name
        or not isinstance(name, str)
        or not name
    ):
        return
    if comparable_name(name) != comparable_name(target.name):
        raise ActionRefused(f"{target.describe} is not called {name!r} any more", fix="observe the window again")


def _finished(tool: Tool, command: Command, context: ToolContext, outcome: ToolOutcome, seconds: float) -> Result:
    effect = outcome.effect
    status = status_of_effect(effect) if effect is not None else ResultStatus.SUCCESS
    return Result(
        status=status,
        call_id=command.call_id,
        result=outcome.data,
        namespace=tool.spec.namespace,
        effect=effect,
        route=outcome.route,
        evidence=_with_notes(outcome.evidence, context),
        delivered=context.delivered,
        retry_safe=outcome.retry_safe,
        seconds=seconds,
    )


def _failed(tool: Tool, command: Command, context: ToolContext, error: DeskhandError, seconds: float) -> Result:
    acted = tool.spec.tool_type is ToolType.ACTION
    refused = acted and not context.delivered and isinstance(error, REFUSALS)
    sent = Effect.SUSPECTED_NOOP if context.restored and isinstance(error, REFUSALS) else Effect.UNVERIFIABLE
    effect = None if not acted else Effect.REFUSED if refused else sent
    if isinstance(error, PersonActs) and error.sent:
        effect = Effect.PARTIAL
    message = _with_notes(error.message, context)
    return Result(
        status=ResultStatus.FAILURE,
        call_id=command.call_id,
        error=replace(ErrorInfo.of(error), message=message),
        namespace=tool.spec.namespace,
        effect=effect,
        evidence=message,
        delivered=context.delivered,
        retry_safe=not context.delivered or effect is Effect.SUSPECTED_NOOP,
        seconds=seconds,
    )


def _with_notes(evidence: str, context: ToolContext) -> str:
    return "; ".join(filter(None, [evidence, *context.notes]))


def _cut_off(tool: Tool, command: Command, context: ToolContext, seconds: float) -> Result:
    """Build the result of a cancelled command: input may have been sent, its effect was not checked."""
    acted = tool.spec.tool_type is ToolType.ACTION
    message = f"{command.tool_name} was cancelled: "
    if context.delivered:
        message += "something of it had been sent, and its effect was not checked"
    else:
        message += "nothing had been sent" if acted else "it only reads"
    message = _with_notes(message, context)
    effect = Effect.UNVERIFIABLE if context.delivered else Effect.REFUSED
    fix = "Look at the desktop before you send it again." if context.delivered else ""
    return Result(
        status=ResultStatus.FAILURE,
        call_id=command.call_id,
        error=ErrorInfo("Cancelled", message, fix),
        namespace=tool.spec.namespace,
        effect=effect if acted else None,
        evidence=message if acted else "",
        delivered=context.delivered,
        retry_safe=not context.delivered,
        seconds=seconds,
    )
