"""The playbook model: decides by a file of steps instead of a language model (SPEC 4.7).

It keeps nothing between calls. Where it stands follows from the request alone: step k is done when an action with
that step's tool ran, in order. A menu item that does not show is reached as a person would reach it: the menu it
stands within is opened first, which is no step of its own. A step whose action was refused before anything happened
is tried again; a step whose action ran and failed, or whose expectation did not hold, stops the playbook with FAIL,
file:line and what happened.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from deskhand.core.command import Effect, ResultStatus
from deskhand.core.errors import PlaybookInvalid
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ActionRecord, AgentKind, ModelReply, ModelRequest, PictureLimits, StepRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.patterns import matches_name
from deskhand.core.replies import Expectation, Selector
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.parameters import bind, selector_parameter
from deskhand.models.selectors import Mismatch, describe, find
from deskhand.models.steps import HOST, Playbook, Step
from deskhand.models.templates import UnknownValue, Values, insert, insert_wanted, lone_reference, look_up, render


class _Stop(Exception):
    """The playbook does not fit what it meets; the message is what the reply says."""


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a section has come: `position` steps are done; `last` is the record in which the latest one ran."""

    position: int
    last: StepRecord | None


def progress(steps: Sequence[Step], done: Sequence[StepRecord]) -> int:
    """How many steps are done: a step is when an action with its tool ran after those of the steps before it."""
    return _progress(steps, done).position


class PlaybookModel:
    """Answers with the steps of a playbook."""

    def __init__(self, playbook: Playbook, parameters: Mapping[str, object] | None = None) -> None:
        """Raises: UsageError where a parameter is missing, unknown or of the wrong type."""
        self._playbook = playbook
        self._parameters = bind(playbook, parameters or {})

    @property
    def name(self) -> str:
        return f"playbook:{self._playbook.name}"

    @property
    def pictures(self) -> PictureLimits | None:
        return None

    @property
    def subtasks(self) -> tuple[str, ...]:
        """What the host's steps hand out, in order."""
        handed_out = (step.subtask for step in self._playbook.host if step.status == "ASSIGN")
        return tuple(dict.fromkeys(insert(subtask, self._parameters) for subtask in handed_out))

    def final_expectation(self, data: Mapping[str, JsonValue]) -> Expectation | None:
        """What the host's FINISH wants to be true, for where a plan takes the host's place; None: nothing.

        `data` is what was saved. Raises: PlaybookInvalid where it needs data that nobody saved.
        """
        last = next((step for step in self._playbook.host if step.status == "FINISH"), None)
        if last is None or last.expect is None:
            return None
        try:
            wanted = _expectation(last.expect, {**data, **self._parameters})
        except UnknownValue as error:
            raise PlaybookInvalid(f"{self._playbook.source}:{last.line}: {error}") from error
        return Expectation.model_validate(wanted).model_copy(update=_OF_AN_ACTION)

    async def respond(self, request: ModelRequest) -> ModelReply:
        """The next step as a reply; FAIL with the reason in `comment` where the playbook does not fit."""
        content: JsonObject
        position: int | None = None
        try:
            section, steps = self._section(request)
            position = progress(steps, request.steps_done)
            values: Values = {**request.blackboard, **self._parameters}
            content = _Turn(self._playbook, section, steps, values, request).answer()
        except _Stop as stop:
            content = {"status": "FAIL", "thought": "The playbook stops here.", "comment": str(stop)}
        text = json.dumps(content, ensure_ascii=False)
        return ModelReply(content, text, model=self.name, position=position)

    def _section(self, request: ModelRequest) -> tuple[str, tuple[Step, ...]]:
        playbook = self._playbook
        if request.agent == AgentKind.HOST:
            if not playbook.host:
                raise _Stop(f"{playbook.source}: the playbook has no steps for the host")
            return HOST, playbook.host
        if not playbook.host:
            return next(iter(playbook.agents.items()))
        for step in playbook.host:
            if step.status == "ASSIGN" and insert(step.subtask, self._parameters) == request.subtask:
                return step.agent, playbook.agents[step.agent]
        known = ", ".join(map(repr, self.subtasks)) or "none"
        raise _Stop(f"{playbook.source}: no ASSIGN step hands out the subtask {request.subtask!r}; it has: {known}")


_MENUS = ("menu", "menuitem")
_OF_AN_ACTION = {"rows": "", "columns": "", "effect": ""}


@dataclass(frozen=True, slots=True)
class _Menu:
    """A menu that has to be opened before what is wanted can be reached."""

    control: TargetInfo


@dataclass(frozen=True, slots=True)
class _Turn:
    """One question to one section of the playbook."""

    playbook: Playbook
    section: str
    steps: tuple[Step, ...]
    values: Values
    request: ModelRequest

    def answer(self) -> JsonObject:
        so_far = _progress(self.steps, self.request.steps_done)
        if so_far.position and so_far.last is not None:
            self._check_last(so_far.position - 1, so_far.last)
        self._check_claim(so_far.position)
        number = so_far.position
        if number and self.steps[number - 1].status == "FINISH":
            return self._finish_again(number - 1)
        if number == len(self.steps):
            raise _Stop(
                f"{self.playbook.source}:{self.steps[-1].line}: playbook ended: {self.section} has no step "
                f"after {self._called(number - 1)} and none of its steps says FINISH"
            )
        if self.request.problem:
            self._stop(number, f"the reply made from it was refused: {self.request.problem}")
        try:
            return self._reply(number)
        except UnknownValue as error:
            self._stop(number, str(error))

    def _check_last(self, number: int, record: StepRecord) -> None:
        """Stops where the latest step that ran did not do what it was meant to do."""
        step = self.steps[number]
        action = next(action for action in reversed(record.actions) if action.ran and action.function == step.tool)
        if action.status is ResultStatus.FAILURE:
            self._stop(number, record.problem or action.message or f"the action failed ({action.effect})")
        if record.problem and not _only_unconfirmed(step, action):
            self._stop(number, record.problem)
        if step.status == "ASSIGN":
            self._check_subtask(number)

    def _check_subtask(self, number: int) -> None:
        subtask = insert(self.steps[number].subtask, self.values)
        last = self.request.previous_subtasks[-1] if self.request.previous_subtasks else None
        if last is None or last.subtask != subtask:
            self._stop(number, f"subtask {subtask!r} was handed out and never carried out")
        if last.outcome is not Outcome.SUCCESS:
            reason = last.error or last.result
            self._stop(number, f"subtask {subtask!r} {last.outcome}{f': {reason}' if reason else ''}")

    def _check_claim(self, number: int) -> None:
        """Stops where a FINISH without an action was not accepted: saying it again would not make it true."""
        last = self.request.steps_done[-1] if self.request.steps_done else None
        if last is not None and last.reply_status == "FINISH" and not last.actions and last.problem:
            self._stop(min(number, len(self.steps) - 1), last.problem)

    def _reply(self, number: int) -> JsonObject:
        step = self.steps[number]
        target = self._target(number, step.on) if step.on is not None else None
        if isinstance(target, _Menu):
            return {"observation": self._seen(), **_opening(target.control)}
        reply: JsonObject = {
            "observation": self._seen(),
            "thought": f"Step {number + 1} of {len(self.steps)}: {sentence(step, self.values)}.",
            "status": step.status,
            "plan": [sentence(later, self.values) for later in self.steps[number + 1 :]],
        }
        if step.tool:
            reply |= self._action(number, target)
        if step.expect is not None:
            reply["expect"] = _expectation(step.expect, self.values)
        if step.status == "ASSIGN":
            reply["current_subtask"] = insert(step.subtask, self.values)
        if step.result:
            reply["comment" if step.status == "FAIL" else "result"] = insert(step.result, self.values)
        return reply

    def _action(self, number: int, target: TargetInfo | None) -> JsonObject:
        step = self.steps[number]
        tools = [tool.name for tool in self.request.tools]
        if step.tool not in tools:
            self._stop(number, f"{self.request.agent_name} is offered no such tool; it has: {', '.join(tools)}")
        reply: JsonObject = {"function": step.tool, "args": self._arguments(step)}
        if target is not None:
            reply |= {"control_label": target.id, "control_text": target.name}
        if step.save_as:
            reply["save_as"] = step.save_as
        return reply

    def _target(self, number: int, on: Selector | str) -> "TargetInfo | _Menu":
        written = on if isinstance(on, Selector) else selector_parameter(self.values[on])
        selector = _selector(written, self.values)
        found = find(selector, self.request.controls, self.request.window)
        if not isinstance(found, Mismatch):
            return found
        menu = self._closed_menu(selector) if not found.found else None
        if menu is None:
            self._stop(number, found.message)
        return _Menu(menu)

    def _closed_menu(self, selector: Selector) -> TargetInfo | None:
        """The innermost showing menu on the way to a menu item, unless it is the one that was opened last."""
        if not _is_in_menus(selector) or not isinstance(selector.within, list):
            return None
        for name in reversed(selector.within):
            for role in _MENUS:
                menu = find(Selector(role=role, name=name), self.request.controls, self.request.window)
                if isinstance(menu, TargetInfo):
                    return None if self._was_opened(menu) else menu
        return None

    def _was_opened(self, menu: TargetInfo) -> bool:
        last = self.request.steps_done[-1] if self.request.steps_done else None
        return last is not None and any(action.ran and action.target_name == menu.name for action in last.actions)

    def _arguments(self, step: Step) -> JsonObject:
        """An argument that is nothing but saved data goes as a reference, which the program resolves (SPEC 3.2)."""
        arguments: JsonObject = {}
        for name, written in (step.args or {}).items():
            path = lone_reference(written) if isinstance(written, str) else None
            if path is not None and path.partition(".")[0] in self.request.blackboard:
                look_up(path, self.values)
                arguments[name] = {"from": path}
            else:
                arguments[name] = render(written, self.values)
        return arguments

    def _finish_again(self, number: int) -> JsonObject:
        """FINISH without an action: its own action is done, and only its checks are left to hold."""
        step = self.steps[number]
        reply: JsonObject = {
            "observation": self._seen(),
            "thought": f"Step {number + 1} of {len(self.steps)} is done; nothing is left to do.",
            "status": "FINISH",
        }
        if step.expect is not None:
            left = step.expect.model_copy(update=_OF_AN_ACTION)
            if left != Expectation():
                reply["expect"] = _expectation(left, self.values)
        if step.result:
            reply["result"] = insert(step.result, self.values)
        return reply

    def _seen(self) -> str:
        if self.request.seen_text:
            return "what its last command left"
        is_host = self.request.agent == AgentKind.HOST
        count = sum(not is_host or target.kind is TargetKind.WINDOW for target in self.request.controls)
        what = "window" if is_host else "control"
        counted = f"{count} {what}" if count == 1 else f"{count} {what}s"
        window = self.request.window
        return f'"{window.name}" with {counted}' if window else counted

    def _called(self, number: int) -> str:
        tool = self.steps[number].tool
        return f"step {number + 1} ({tool})" if tool else f"step {number + 1}"

    def _stop(self, number: int, message: str) -> NoReturn:
        line = self.steps[number].line
        raise _Stop(f"{self.playbook.source}:{line}: {self.section} {self._called(number)}: {message}")


def sentence(step: Step, values: Values) -> str:
    """A step as a plain phrase: `invoke menuitem "Chart..." within "Insert"`; `values` are the playbook's."""
    if not step.tool:
        return f"say {step.status}"
    words = [step.tool]
    if step.on is not None:
        on = step.on if isinstance(step.on, Selector) else selector_parameter(values[step.on])
        words.append(describe(on))
    if step.args:
        words.append(f"({', '.join(f'{name} {_short(value)}' for name, value in step.args.items())})")
    if step.status == "ASSIGN":
        words.append(f'and hand "{step.subtask}" to {step.agent}')
    return " ".join(words)


def _short(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _progress(steps: Sequence[Step], done: Sequence[StepRecord]) -> _Progress:
    position, last = 0, None
    for record in done:
        for action in record.actions:
            if position < len(steps) and _is_opening(steps[position], action):
                continue
            if action.ran and position < len(steps) and action.function == steps[position].tool:
                position, last = position + 1, record
    return _Progress(position, last)


def _is_in_menus(selector: Selector) -> bool:
    return selector.role.startswith("menuitem") and bool(selector.within)


def _is_opening(step: Step, action: ActionRecord) -> bool:
    """Whether an action opened a menu on the way to this step's item."""
    on = step.on
    if not isinstance(on, Selector) or not _is_in_menus(on) or not isinstance(on.within, list):
        return False
    return action.target_role in _MENUS and any(matches_name(name, action.target_name) for name in on.within)


def _opening(menu: TargetInfo) -> JsonObject:
    """The reply that opens a menu."""
    return {
        "thought": f'First the menu "{menu.name}" is opened.',
        "status": "SCREENSHOT",
        "function": "invoke",
        "args": {},
        "control_label": menu.id,
        "control_text": menu.name,
    }


def _only_unconfirmed(step: Step, action: ActionRecord) -> bool:
    """Whether a FINISH was held back for nothing but an effect that could not be read back (SPEC 3.2)."""
    checked = step.expect is not None and (step.expect.rows or step.expect.columns or step.expect.effect)
    unconfirmed = action.effect in {Effect.UNVERIFIABLE, Effect.SUSPECTED_NOOP}
    return step.status == "FINISH" and unconfirmed and not checked


def _selector(selector: Selector, values: Values) -> Selector:
    within = selector.within
    return selector.model_copy(
        update={
            "role": insert_wanted(selector.role, values),
            "name": insert_wanted(selector.name, values),
            "value": insert_wanted(selector.value, values),
            "within": _selector(within, values)
            if isinstance(within, Selector)
            else within and [insert_wanted(name, values) for name in within],
        }
    )


def _expectation(expect: Expectation, values: Values) -> JsonObject:
    filled = expect.model_copy(
        update={
            "file": insert(expect.file, values),
            "window": insert_wanted(expect.window, values),
            "gone": expect.gone and _selector(expect.gone, values),
            "shows": expect.shows and _selector(expect.shows, values),
        }
    )
    return filled.model_dump(mode="json", exclude_defaults=True)
