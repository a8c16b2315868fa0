"""Actions whose result was never written, judged by their visible effects (ADR 0119). Nothing is sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import anyio

from deskhand.commands import CommandDispatcher
from deskhand.commands.expectations import verified
from deskhand.core.command import Command, ToolType
from deskhand.core.errors import DeskhandError
from deskhand.core.events import ActionIntended, ControlState
from deskhand.core.file_stamp import was_written
from deskhand.core.json import JsonObject
from deskhand.core.observation import Observation
from deskhand.core.replies import OF_RESULT
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait, comparable_name
from deskhand.core.text import quoted
from deskhand.core.type_checks import items_of
from deskhand.desktop.applications import Applications, KnownApplication
from deskhand.session.applications import is_window_of

_FILE: Final = "file"
_LONGEST: Final = 80
_LAUNCH: Final = "launch_application"
_OPENS_S: Final = 8.0
"""Timeout for the window of an application that was being started."""
_AGAIN_S: Final = 0.2
_SAVE: Final = "save_document"
_SETTING: Final = {"set_edit_text": "text", "set_value": "value"}
"""Tools that set a value, whichever it was before, and the argument that has it."""
_HARMLESS: Final = frozenset({"select_application_window", "annotation", "summary", "wait", "hover"})
"""Tools that change nothing that a repetition would change again."""
_TWO_STATES: Final = frozenset(
    {Role.CHECKBOX, Role.SWITCH, Role.RADIO, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO, Role.TAB}
)
"""Roles whose press has its state as its effect; a press of an item of a list may also open it."""
_PRESSES: Final = frozenset({"invoke", "click_input"})
_STATE_UNKNOWN: Final = frozenset({Trait.STATE_IS_HIDDEN, Trait.CHECK_NOT_EXPOSED})
_SINGLE: Final = {"count": (None, 1), "double": (None, False), "button": (None, "", "left"), "hold": (None, "")}
"""The arguments of a plain click."""
_SPECIAL: Final = frozenset("{}\n\t")


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement on an action: `happened`, None if that cannot be seen, and the evidence in words.

    `may_repeat`: it did not happen, or sending it again does no harm. `window`: the one that it opened. `shown_by`: the
    place where its effect may be found.
    """

    happened: bool | None
    evidence: str
    may_repeat: bool = False
    window: TargetInfo | None = None
    shown_by: str = "its effect in the application"


@dataclass(frozen=True, slots=True)
class Judge:
    """Compares interrupted actions with the present desktop, through the commands that agents observe with.

    `worked_in`: the handles of the windows that had an agent.
    """

    dispatcher: CommandDispatcher
    applications: Applications
    worked_in: frozenset[str] = frozenset()

    async def judge(self, intent: ActionIntended, window: TargetInfo | None) -> Judged:
        """Judge one action in the present window of its agent. Raises nothing but DesktopGone."""
        if intent.tool in _HARMLESS:
            return Judged(happened=False, evidence="it changes nothing in a document", may_repeat=True)
        try:
            if intent.tool == _LAUNCH:
                return await self._launch(intent)
            if window is None:
                return _unseen("it left nothing that can be looked at")
            expected = await self._expectation(intent, window)
            if expected is None and intent.tool == _SAVE and not intent.arguments.get("path"):
                return Judged(happened=False, evidence="its file was not written since", may_repeat=True)
            return expected or await self._target(intent, window)
        except DeskhandError as error:
            return _unseen(error.message)

    async def _expectation(self, intent: ActionIntended, window: TargetInfo) -> Judged | None:
        """Return that it happened where the state that was expected after it is there; else None."""
        wanted: JsonObject = {name: value for name, value in intent.expect.items() if name not in OF_RESULT}
        if not wanted or not _was_written(wanted.get(_FILE), intent):
            return None
        command = Command("verify", {"expect": wanted}, ToolType.DATA_COLLECTION, window=window)
        checks = verified((await self.dispatcher.execute_commands([command]))[0], tuple(wanted))
        if not checks or not all(check.ok for check in checks):
            return None
        return Judged(happened=True, evidence=f"the state expected after it is there ({', '.join(wanted)})")

    async def _launch(self, intent: ActionIntended) -> Judged:
        """Wait for the window of a launched application that no agent has worked in."""
        given = {name: str(intent.arguments.get(name) or "") for name in ("application", "file")}
        meant = self.applications.launched(given["application"], given["file"])
        found: list[TargetInfo] = []
        with anyio.move_on_after(_OPENS_S):
            while meant is not None and not (found := await self._windows_of(meant)):
                await self._ask("let_time_pass", {"seconds": _AGAIN_S})
        if not found:
            return _unseen("no window of it is open, and it may still be starting")
        if len(found) > 1:
            return _unseen(f"{len(found)} windows of that application are open")
        return Judged(happened=True, evidence=f"{found[0].describe} is open", window=found[0])

    async def _windows_of(self, application: KnownApplication) -> list[TargetInfo]:
        shown = items_of(await self._ask("get_desktop_app_target_info", {}), TargetInfo)
        return [
            each
            for each in shown
            if each.handle not in self.worked_in and is_window_of(each, application, self.applications)
        ]

    async def _ask(self, tool: str, arguments: JsonObject) -> object:
        return (await self.dispatcher.execute_commands([Command(tool, arguments, ToolType.DATA_COLLECTION)]))[0].result

    async def _target(self, intent: ActionIntended, window: TargetInfo) -> Judged:
        """Compare the target with its state before the action."""
        if intent.target is None or intent.before is None:
            return _unseen("it had no target whose state could be compared")
        command = Command("observe_window", {"fresh": True, "final": True}, ToolType.DATA_COLLECTION, window=window)
        seen = (await self.dispatcher.execute_commands([command]))[0].result
        controls = seen.controls if isinstance(seen, Observation) else ()
        now = _found(intent, intent.before, controls)
        if now is None:
            return _unseen(f'the {intent.target.role} "{intent.target.name}" is not there, or there are several')
        return _compared(intent, intent.before, now)


def _compared(intent: ActionIntended, before: ControlState, now: TargetInfo) -> Judged:
    """Judge by the value and the states of the target, before and now."""
    if (name := _SETTING.get(intent.tool)) and intent.arguments.get("clear") is not False:
        wanted = str(intent.arguments.get(name, ""))
        happened = now.value == wanted and now.type is not Role.PASSWORD
        return Judged(happened=happened, evidence=_reads(now), may_repeat=not happened)
    if _is_toggle(intent, now):
        states = _STATES & now.states
        happened = sorted(states) != before.states
        told = f"it is {', '.join(sorted(states)) or 'not checked, selected or expanded'} now"
        return Judged(happened=happened, evidence=told, may_repeat=not happened)
    if intent.tool == "keyboard_input" and before.value is not None:
        return _typed(str(intent.arguments.get("keys", "")), before.value, now)
    return _unseen(f"{now.describe} does not show whether it was used")


def _is_toggle(intent: ActionIntended, now: TargetInfo) -> bool:
    """Return whether the states of the target show if it was pressed once."""
    is_single = all(intent.arguments.get(name) in values for name, values in _SINGLE.items())
    shows = now.type in _TWO_STATES and not _STATE_UNKNOWN & now.traits
    return intent.tool in _PRESSES and is_single and shows


def _typed(keys: str, before: str, now: TargetInfo) -> Judged:
    """Judge typed text: all of it is there, none of it, or a part."""
    if _SPECIAL & set(keys) or not keys:
        return _unseen("its keys may have done something that the text does not show")
    if now.value == before:
        return Judged(happened=False, evidence=f"{_reads(now)}, as before", may_repeat=True)
    if now.value.count(keys) == before.count(keys) + 1 and len(now.value) == len(before) + len(keys):
        return Judged(happened=True, evidence=_reads(now))
    return _unseen(f"{_reads(now)}, which is neither the text before nor all of the new one")


_STATES: Final = frozenset({"checked", "selected", "expanded", "pressed"})


def _found(intent: ActionIntended, before: ControlState, controls: Sequence[TargetInfo]) -> TargetInfo | None:
    """Return the target among the controls: by its handle, or the only one of its role and name."""
    if intent.target is None:
        return None
    name = comparable_name(intent.target.name)
    alike = [c for c in controls if c.type.value == intent.target.role and comparable_name(c.name) == name]
    same = [control for control in alike if control.handle == before.handle]
    found = same or alike
    return found[0] if len(found) == 1 else None


def _reads(control: TargetInfo) -> str:
    if control.type is Role.PASSWORD:
        return "a password is never read back"
    return f"it reads {quoted(control.value, _LONGEST)}" if control.value else "it is empty"


def _was_written(path: object, intent: ActionIntended) -> bool:
    """Return whether an expected file was written after the action was announced; True where none is expected."""
    return not isinstance(path, str) or not path or was_written(path, intent.files) is True


def _unseen(why: str) -> Judged:
    return Judged(happened=None, evidence=why)
