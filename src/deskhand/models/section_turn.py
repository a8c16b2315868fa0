"""One request to one section of a playbook: the position, and the reply there or the reason to stop.

Conditions are evaluated when their turn comes, on the visible elements and saved data of that moment. A menu item that
is not visible is reached as a user would: the menu around it is opened first, which is no step of its own; nor is the
wait for a window that a step of the host names and that is not open yet. A step whose action was refused before
anything happened is tried again; a step whose action ran and failed, or whose expectation was not met, stops the
playbook with file:line and the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NoReturn

from deskhand.core.command import Effect, ResultStatus
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ActionRecord, AgentKind, ModelRequest, StepRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.replies import OF_RESULT, Expectation, Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.form_values import with_ids
from deskhand.models.parameters import selector_parameter
from deskhand.models.placeholder_values import filled_expectation, filled_selector, holds
from deskhand.models.placeholders import UnknownValue, Values, insert, lone_reference, look_up, render, root_of
from deskhand.models.section_position import MENUS, Place, Progress, Unrolled, is_in_menus, progress, without_parts
from deskhand.models.selectors import Mismatch, describe, find
from deskhand.models.set_values import value_not_set
from deskhand.models.step_phrases import phrase
from deskhand.models.steps import Playbook, Step

OF_AN_ACTION: Final = dict.fromkeys(OF_RESULT, "")
_WINDOWS: Final = frozenset({Role.WINDOW.value, Role.DIALOG.value})
_WAIT_FOR: Final = "wait_for"
_ANY_TITLE: Final = "/^/"
_LAUNCH: Final = "launch_application"
_FIND_CONTROLS: Final = "find_controls"
_UNLISTED: Final = "other_pages_unlisted"
_PLANNED: Final = 20
"""Number of later steps in a reply's plan; a loop may have hundreds."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A step that does not fit the situation: `number` is its place, `reason` a phrase without file and line.

    `has_run`: its action ran, and failed or did not do what was expected; it may have happened.
    """

    number: int
    reason: str
    has_run: bool = False


class PlaybookStop(Exception):
    """The playbook cannot go on; the message becomes the reply's comment.

    `misfit`: the step that does not fit, if that is the reason; None if the file itself or its data is.
    """

    def __init__(self, message: str, misfit: Misfit | None = None) -> None:
        super().__init__(message)
        self.misfit = misfit


@dataclass(frozen=True, slots=True)
class _Menu:
    """A menu to open before the wanted item can be reached."""

    control: TargetInfo


@dataclass(frozen=True, slots=True)
class _Unlisted:
    """Tables of a long document that must be read before one of them is chosen."""


@dataclass(frozen=True, slots=True)
class _NotOpenYet:
    """A window to wait for before the host can choose it."""

    selector: Selector


@dataclass(frozen=True, slots=True)
class SectionTurn:
    """One request to one section of the playbook; `values` are those outside of loops."""

    playbook: Playbook
    section: str
    steps: tuple[Step, ...]
    unrolled: Unrolled
    values: Values
    request: ModelRequest
    so_far: Progress = field(init=False)
    """Progress by the earlier steps; it takes a look at each of them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "so_far", progress(self.unrolled.places, self.request.steps_done))

    def position(self) -> int:
        """Number of places that are done or skipped. Raises: PlaybookStop if a done step failed."""
        so_far = self.so_far
        number = so_far.position
        if number and so_far.last is not None:
            self._check_last(number - 1, so_far.last)
        self._check_claim(number)
        if self._is_finished(number) or self._is_unassigned(number):
            return number
        while number < len(self.unrolled.places) and not self._has_its_turn(number):
            number += 1
        return number

    def answer(self, number: int) -> JsonObject:
        """The reply at a position. Raises: PlaybookStop."""
        if self._is_finished(number):
            return self._finish_again(number - 1)
        if self._is_unassigned(number):
            return self._assign_again(number - 1)
        if number == len(self.unrolled.places):
            self._ended(number)
        self._check_launch(number)
        if self.request.problem:
            self._misfits(number, f"the reply made from it was refused: {self.request.problem}")
        try:
            return self._reply(number)
        except UnknownValue as error:
            self._stop(number, str(error))

    def _check_launch(self, number: int) -> None:
        """Stop at a launch that was refused: no change on the screen would permit it."""
        last = self.request.steps_done[-1] if self.request.steps_done else None
        for action in last.actions if last is not None else ():
            if action.function == _LAUNCH == self.place(number).step.tool and action.effect is Effect.REFUSED:
                self._misfits(number, action.message)

    def _is_finished(self, number: int) -> bool:
        """True if a step with status FINISH was the last one done."""
        so_far = self.so_far
        return so_far.last is not None and number == so_far.position and self.place(number - 1).step.status == "FINISH"

    def _is_unassigned(self, number: int) -> bool:
        """True if the last step's action ran and its subtask was not assigned: the action was held for the user."""
        so_far = self.so_far
        if so_far.last is None or number != so_far.position or self.place(number - 1).step.status != "ASSIGN":
            return False
        return not self._has_carried_out(number - 1)

    def _has_carried_out(self, number: int) -> bool:
        """True if the subtask of a step is the last one that was carried out."""
        place = self.place(number)
        last = self.request.previous_subtasks[-1] if self.request.previous_subtasks else None
        return last is not None and last.subtask == insert(place.step.subtask, place.values)

    def _has_its_turn(self, number: int) -> bool:
        """True if a step's conditions hold at present."""
        place = self.place(number)
        shown = self.request.controls, self.request.window
        try:
            return (place.step.when is None or holds(place.step.when, place.values, *shown)) and (
                place.step.unless is None or not holds(place.step.unless, place.values, *shown)
            )
        except UnknownValue as error:
            self._stop(number, str(error))

    def _ended(self, number: int) -> NoReturn:
        source = self.playbook.source
        if self.unrolled.problem:
            raise PlaybookStop(f"{source}:{self.unrolled.line}: {self.section}: {self.unrolled.problem}")
        after = f" after {self._called(number - 1)}" if number else " to take"
        line = self.steps[-1].line
        raise PlaybookStop(
            f"{source}:{line}: playbook ended: {self.section} has no step{after} and none of its steps says FINISH"
        )

    def place(self, number: int) -> Place:
        return self.unrolled.places[number]

    def _check_last(self, number: int, record: StepRecord) -> None:
        """Stop if the latest step that ran did not succeed."""
        step = self.place(number).step
        if record.healing is not None:
            self._check_healed(number, record)
            return
        done = reversed(without_parts(record.actions))
        action = next(action for action in done if action.ran and action.function == step.tool)
        if action.status is ResultStatus.FAILURE:
            reason = record.problem or action.message or f"the action failed ({action.effect})"
            self._misfits(number, reason, has_run=True)
        if action.unmet:
            self._misfits(number, action.unmet, has_run=True)
        if reason := value_not_set(step, action):
            self._misfits(number, reason, has_run=True)
        if record.problem and not _only_unconfirmed(step, action):
            self._misfits(number, record.problem, has_run=True)
        if step.status == "ASSIGN":
            self._check_subtask(number)

    def _check_healed(self, number: int, record: StepRecord) -> None:
        """Stop if the reply that stood for a step did not do it: what its author expected, or a confirmed effect."""
        step = self.place(number).step
        ran = [action for action in record.actions if action.ran]
        doubts = (_doubt(action, expects=step.expect is not None) for action in ran)
        if doubt := record.problem or next(filter(None, doubts), ""):
            self._misfits(number, doubt, has_run=True)
        if step.status == "ASSIGN":
            self._check_subtask(number)

    def _check_subtask(self, number: int) -> None:
        place = self.place(number)
        subtask = insert(place.step.subtask, place.values)
        if not self._has_carried_out(number):
            said = self.request.steps_done[-1]
            if said.reply_status == "ASSIGN" and not said.actions:
                self._stop(number, said.problem or f"subtask {subtask!r} was assigned and never carried out")
            return
        last = self.request.previous_subtasks[-1]
        if last.outcome is not Outcome.SUCCESS:
            reason = last.error or last.result
            self._stop(number, f"subtask {subtask!r} {last.outcome}{f': {reason}' if reason else ''}")

    def _check_claim(self, number: int) -> None:
        """Stop if a FINISH without an action was not accepted: repeating it would not make it true."""
        last = self.request.steps_done[-1] if self.request.steps_done else None
        if last is not None and last.reply_status == "FINISH" and not last.actions and last.problem:
            said = number if last.position is None else last.position
            self._stop(min(said, len(self.unrolled.places) - 1), last.problem)

    def _reply(self, number: int) -> JsonObject:
        place, places = self.place(number), self.unrolled.places
        step = place.step
        target = self._target(number, step.on) if step.on is not None else None
        second = self._second(number, several=target.found) if isinstance(target, Mismatch) else None
        if isinstance(target, Mismatch):
            target = second or self._misfits(number, "; ".join((target.message, *self.request.reservations)))
        if isinstance(target, _Menu):
            return {"observation": self.seen(), **_opening(target.control)}
        if isinstance(target, _Unlisted):
            return {"observation": self.seen(), **_LOOK_FOR_TABLES}
        if isinstance(target, _NotOpenYet):
            return {"observation": self.seen(), **_waiting_for(target.selector)}
        reply: JsonObject = {
            "observation": self.seen(),
            "thought": f"Step {number + 1} of {len(places)}: {self.sentence(place)}.{_by_second(step, second)}",
            "plan": self.plan(number),
        }
        if step.tool:
            reply |= self._action(number, target)
        return {**reply, **self.claims(number)}

    def plan(self, number: int) -> list[JsonValue]:
        """The later steps as phrases."""
        places = self.unrolled.places
        later: list[JsonValue] = [self.sentence(other) for other in places[number + 1 : number + 1 + _PLANNED]]
        more = len(places) - number - 1 - len(later)
        return [*later, *([f"and {more} more"] if more else [])]

    def claims(self, number: int) -> JsonObject:
        """The parts of a reply beside its action: status, expectation, subtask, result. Raises: UnknownValue."""
        place = self.place(number)
        step, values = place.step, place.values
        claims: JsonObject = {"status": step.status}
        if step.save_as:
            claims["save_as"] = step.save_as
        if step.expect is not None:
            claims["expect"] = filled_expectation(step.expect, values)
        if step.status == "ASSIGN":
            claims["current_subtask"] = insert(step.subtask, values)
        if step.result:
            claims["comment" if step.status == "FAIL" else "result"] = insert(step.result, values)
        return claims

    def sentence(self, place: Place) -> str:
        on = place.step.on
        meant = selector_parameter(self.values[on]) if isinstance(on, str) else on
        return f"{phrase(place.step, meant)}{f', row {place.row}' if place.row else ''}"

    def _action(self, number: int, target: TargetInfo | None) -> JsonObject:
        place = self.place(number)
        step = place.step
        tools = [tool.name for tool in self.request.tools]
        if step.tool not in tools:
            self._misfits(number, f"{self.request.agent_name} is offered no such tool; it has: {', '.join(tools)}")
        reply: JsonObject = {"function": step.tool, "args": self.arguments(number, step.args or {})}
        if target is not None:
            reply |= {"control_label": target.id, "control_text": target.name}
        return reply

    def _second(self, number: int, *, several: int) -> TargetInfo | None:
        """The control that the second selector of a step matches, unless `several` match the first one."""
        place = self.place(number)
        if place.step.second is None or several:
            return None
        found = find(filled_selector(place.step.second, place.values), self.request.controls, self.request.window)
        return None if isinstance(found, Mismatch) else found

    def _target(self, number: int, on: Selector | str) -> "TargetInfo | Mismatch | _Menu | _Unlisted | _NotOpenYet":
        written = on if isinstance(on, Selector) else selector_parameter(self.values[on])
        selector = filled_selector(written, self.place(number).values)
        if selector.role == Role.TABLE and self._leaves_tables_out():
            return _Unlisted()
        found = find(selector, self.request.controls, self.request.window)
        if not isinstance(found, Mismatch):
            return found
        if self.request.agent == AgentKind.HOST and not found.found:
            return self._not_open(number, selector, found)
        menu = self._closed_menu(selector) if not found.found else None
        return found if menu is None else _Menu(menu)

    def _not_open(self, number: int, selector: Selector, found: Mismatch) -> _NotOpenYet:
        """Wait for a window once. Raises: PlaybookStop with the list of open windows."""
        if not (selector.name or selector.role in _WINDOWS) or self._was_done(_WAIT_FOR):
            shown = ", ".join(target.describe for target in self.request.controls) or "nothing"
            self._misfits(number, f"wanted {found.wanted}; open are: {shown}")
        return _NotOpenYet(selector)

    def _was_done(self, tool: str) -> bool:
        """True if a tool that is no step of the playbook was the last one called."""
        last = self.request.steps_done[-1] if self.request.steps_done else None
        return last is not None and any(action.function == tool for action in last.actions)

    def _closed_menu(self, selector: Selector) -> TargetInfo | None:
        """The innermost visible menu on the way to a menu item, unless it was opened last."""
        if not is_in_menus(selector) or not isinstance(selector.within, list):
            return None
        for name in reversed(selector.within):
            for role in MENUS:
                menu = find(Selector(role=role, name=name), self.request.controls, self.request.window)
                if isinstance(menu, TargetInfo):
                    return None if self._was_opened(menu) else menu
        return None

    def _leaves_tables_out(self) -> bool:
        """True if a document is visible whose tables on other pages are not listed and were not just read."""
        looked = self._was_done(_FIND_CONTROLS)
        return not looked and any(_UNLISTED in control.states for control in self.request.controls)

    def _was_opened(self, menu: TargetInfo) -> bool:
        if self.request.was_taken_over:
            return False  # the user may have closed it
        last = self.request.steps_done[-1] if self.request.steps_done else None
        return last is not None and any(action.ran and action.target_name == menu.name for action in last.actions)

    def arguments(self, number: int, args: Mapping[str, JsonValue]) -> JsonObject:
        """Arguments of a step; one that is only saved data is sent as a reference, which the program resolves.

        Raises: UnknownValue, PlaybookStop.
        """
        place = self.place(number)
        arguments: JsonObject = {}
        for name, written in args.items():
            path = lone_reference(written) if isinstance(written, str) else None
            if path is not None and "[" not in path and root_of(path) in self.request.blackboard:
                look_up(path, place.values)
                arguments[name] = {"from": path}
            else:
                arguments[name] = render(written, place.values)
        return with_ids(arguments, lambda selector: self._control(number, selector))

    def _control(self, number: int, selector: Selector) -> TargetInfo:
        """The one control of a form. Raises: PlaybookStop."""
        found = find(selector, self.request.controls, self.request.window)
        if isinstance(found, Mismatch):
            self._misfits(number, "; ".join((found.message, *self.request.reservations)))
        return found

    def _finish_again(self, number: int) -> JsonObject:
        """FINISH without an action: its action is done, and only its checks remain."""
        place = self.place(number)
        step = place.step
        reply: JsonObject = {
            "observation": self.seen(),
            "thought": f"Step {number + 1} of {len(self.unrolled.places)} is done; nothing remains to be done.",
            "status": "FINISH",
        }
        if step.expect is not None:
            left = step.expect.model_copy(update=OF_AN_ACTION)
            if left != Expectation():
                reply["expect"] = filled_expectation(left, place.values)
        if step.result:
            reply["result"] = insert(step.result, place.values)
        return reply

    def _assign_again(self, number: int) -> JsonObject:
        """ASSIGN without an action: the window was chosen or opened before."""
        place = self.place(number)
        return {
            "observation": self.seen(),
            "thought": f"Step {number + 1} of {len(self.unrolled.places)} is done, and its subtask is assigned now.",
            "status": "ASSIGN",
            "current_subtask": insert(place.step.subtask, place.values),
        }

    def seen(self) -> str:
        if self.request.seen_text:
            return "the result of its last command"
        is_host = self.request.agent == AgentKind.HOST
        count = sum(not is_host or target.kind is TargetKind.WINDOW for target in self.request.controls)
        what = "window" if is_host else "control"
        counted = f"{count} {what}" if count == 1 else f"{count} {what}s"
        window = self.request.window
        return f'"{window.name}" with {counted}' if window else counted

    def _called(self, number: int) -> str:
        place = self.place(number)
        called = f"step {place.number} ({place.step.tool})" if place.step.tool else f"step {place.number}"
        return f"{called}, row {place.row}" if place.row else called

    def _stop(self, number: int, message: str) -> NoReturn:
        raise PlaybookStop(self._message(number, message))

    def _misfits(self, number: int, reason: str, *, has_run: bool = False) -> NoReturn:
        raise PlaybookStop(self._message(number, reason), Misfit(number, reason, has_run))

    def _message(self, number: int, message: str) -> str:
        line = self.place(number).step.line
        return f"{self.playbook.source}:{line}: {self.section} {self._called(number)}: {message}"


def _by_second(step: Step, second: TargetInfo | None) -> str:
    """The sentence on a control that only the second selector found."""
    if second is None or step.second is None:
        return ""
    return f" Its selector matches nothing; it was found by its second one: {describe(step.second)}."


def _doubt(action: ActionRecord, *, expects: bool) -> str:
    """The reason why an action did not do its step; `expects`: its expectation decides, not its effect."""
    if action.status is ResultStatus.FAILURE:
        return action.message or f"{action.function} failed ({action.effect})"
    if action.unmet or expects or action.effect in {None, Effect.CONFIRMED}:
        return action.unmet
    return f"the effect of {action.function} was not confirmed: {action.effect}"


def _waiting_for(window: Selector) -> JsonObject:
    """The reply that waits for a window."""
    role: JsonObject = {"role": window.role} if window.role in _WINDOWS else {}
    return {
        "thought": "First the window of the next step must open.",
        "status": "CONTINUE",
        "function": _WAIT_FOR,
        "args": {"title": window.name or _ANY_TITLE, **role},
    }


_LOOK_FOR_TABLES: Final[JsonObject] = {
    "thought": "First the tables on the other pages must be read.",
    "status": "CONTINUE",
    "function": _FIND_CONTROLS,
    "args": {"role": Role.TABLE.value},
}


def _opening(menu: TargetInfo) -> JsonObject:
    """The reply that opens a menu."""
    return {
        "thought": f'First the menu "{menu.name}" must be opened.',
        "status": "SCREENSHOT",
        "function": "invoke",
        "args": {},
        "control_label": menu.id,
        "control_text": menu.name,
    }


def _only_unconfirmed(step: Step, action: ActionRecord) -> bool:
    """True if a FINISH was held back only for an effect that could not be verified."""
    checked = step.expect is not None and step.expect.of_result
    unconfirmed = action.effect in {Effect.UNVERIFIABLE, Effect.SUSPECTED_NOOP}
    return step.status == "FINISH" and unconfirmed and not checked
