"""A playbook whose steps that no longer fit are carried out by a language model, one at a time (ADR 0125).

As long as all steps fit, the language model is not asked. Where one does not fit, or its action failed, the request
goes to the model with the step's meaning. Its reply stands for that step: it gets the step's own status, expectation
and name for its data, and is marked with its place (`core.model.Healing`), so that nothing is stored here either.
Later rows of a loop repeat the actions of an earlier row without the model.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from deskhand.core.command import ResultStatus
from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind, Healing, ModelReply, ModelRequest, PictureLimits, StepRecord
from deskhand.core.ports import Model
from deskhand.core.replies import Selector, flat
from deskhand.core.statuses import normalise_status
from deskhand.core.target import TargetInfo
from deskhand.core.usage import Usage
from deskhand.models.healed_step import Unwritable, written_on_the_way, written_step
from deskhand.models.healing_task import with_task
from deskhand.models.placeholder_values import filled_selector
from deskhand.models.placeholders import UnknownValue
from deskhand.models.playbook import PlaybookModel, Turned
from deskhand.models.section_turn import Misfit, PlaybookStop, SectionTurn
from deskhand.models.selectors import find, find_all, picked
from deskhand.models.steps import Playbook

MOST_REPLIES: Final = 5
"""Replies of the model to one step; in a loop, to one row of it."""
_PATIENCE: Final = 2
"""Times in a row that the playbook's own action is refused before the model is asked."""
_SELECT: Final = "select_application_window"
_ASSIGN: Final = "ASSIGN"
_DONE: Final = "FINISH"
_ON_THE_WAY: Final = frozenset({"CONTINUE", "SCREENSHOT"})
_FAIL: Final = "FAIL"
_GIVES_UP: Final = frozenset({"FAIL", "ERROR"})
_OF_TARGET: Final = ("id", "name")
_LABELS: Final = ("controllabel", "controltext")


class HealingModel(PlaybookModel):
    """Answers with the steps of a playbook; a step that does not fit is given to `healer` alone."""

    def __init__(self, playbook: Playbook, parameters: Mapping[str, object] | None = None, *, healer: Model) -> None:
        """Raises: UsageError if a parameter is missing, unknown or of the wrong type."""
        super().__init__(playbook, parameters)
        self.healer = healer

    @property
    def pictures(self) -> PictureLimits | None:
        return self.healer.pictures

    async def respond(self, request: ModelRequest) -> ModelReply:
        """The next step as a reply, of the playbook or of the model. Raises: as the model, and ReplyDefect."""
        found = self.turned(replace(request, problem=""))
        if request.problem and found.misfit is None:
            found = self.turned(request)
        misfit = found.misfit or _refused(found, request.steps_done)
        if misfit is None or found.turn is None:
            return found.reply
        healing = _StepHealing(found.turn, misfit, request)
        if not request.problem and (again := healing.as_before()) is not None:
            return replace(again, model=self.name)
        if not healing.left:
            return _stopped(found.reply, misfit, f"{self.healer.name} gave {MOST_REPLIES} replies for it")
        if found.turn.place(misfit.number).step.status == _FAIL:
            return found.reply
        try:
            claims = found.turn.claims(misfit.number)
        except UnknownValue:
            return found.reply
        answer = await self.healer.respond(with_task(found.turn, misfit, claims, healing.left, request))
        try:
            return healing.reply(answer, claims, found, self.healer.name)
        except ReplyDefect as defect:
            raise ReplyDefect(defect.message, text=answer.text, usage=answer.usage) from defect


def _refused(found: Turned, done: Sequence[StepRecord]) -> Misfit | None:
    """The step whose action was refused before anything happened, several times in a row."""
    last = done[-_PATIENCE:]
    position = found.reply.position
    if position is None or len(last) < _PATIENCE or found.turn is None or not found.reply.content.get("function"):
        return None
    if not all(record.position == position and _was_refused(record) for record in last):
        return None
    return Misfit(position, last[-1].problem)


def _was_refused(record: StepRecord) -> bool:
    return (
        record.healing is None
        and bool(record.actions)
        and not any(action.ran or action.denied for action in record.actions)
    )


def _stopped(reply: ModelReply, misfit: Misfit, why: str) -> ModelReply:
    """The reply of a playbook that stops, with the reason why its step was not healed."""
    comment = str(reply.content.get("comment") or misfit.reason)
    content: JsonObject = {
        "status": "FAIL",
        "thought": "The playbook stops here.",
        "comment": f"{comment}; not healed: {why}",
    }
    return replace(reply, content=content, text=json.dumps(content, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class _Said:
    """The part of a model's reply that is used."""

    status: str
    function: str
    args: JsonObject
    label: str
    name: str
    thought: str
    reason: str

    @classmethod
    def of(cls, content: JsonObject) -> "_Said":
        """Raises: ReplyDefect."""
        fields = _fields(content)
        actions = fields.pop("actions", None)
        if isinstance(actions, list) and actions:
            if len(actions) > 1 or not isinstance(actions[0], dict):
                raise ReplyDefect("actions: give one action alone, the one for this step")
            fields |= _fields(actions[0])
        args = fields.get("args") or {}
        if not isinstance(args, dict):
            raise ReplyDefect("args: an object")
        label, name = (_text(fields, each) or _text(args, key) for each, key in zip(_LABELS, _OF_TARGET, strict=True))
        return cls(
            normalise_status(_text(fields, "status")),
            _text(fields, "function"),
            {key: value for key, value in args.items() if key not in _OF_TARGET and value is not None},
            label,
            name,
            _text(fields, "thought"),
            next(filter(None, (_text(fields, each) for each in ("comment", "result", "thought"))), "no reason"),
        )

    def is_done(self, *, assigns: bool) -> bool:
        """True if this action does the step; `assigns`: one that assigns a subtask. Raises: ReplyDefect."""
        if self.status == _DONE or (self.status == _ASSIGN and assigns):
            return True
        if self.status not in _ON_THE_WAY:
            raise ReplyDefect(f"status {self.status!r} cannot be claimed here; allowed: FINISH, CONTINUE, FAIL")
        return False


def _fields(content: JsonObject) -> JsonObject:
    """The fields by their names without case and underscores. Raises: ReplyDefect."""
    try:
        given = cast("JsonObject", flat(content))
    except ValueError as error:
        raise ReplyDefect(str(error)) from error
    return {name.replace("_", "").lower(): value for name, value in given.items() if value is not None}


def _text(fields: JsonObject, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


@dataclass(frozen=True, slots=True)
class _StepHealing:
    """One request for a step that does not fit."""

    turn: SectionTurn
    misfit: Misfit
    request: ModelRequest

    @property
    def left(self) -> int:
        """Number of replies that the model has left for this step."""
        return max(0, MOST_REPLIES - sum(bool(record.healing and record.healing.model) for record in self._here()))

    def _here(self) -> Iterator[StepRecord]:
        """The earlier replies that stood for this place."""
        return (
            record
            for record in self.request.steps_done
            if record.healing is not None and record.position == self.misfit.number
        )

    def reply(self, answer: ModelReply, claims: JsonObject, found: Turned, healer: str) -> ModelReply:
        """The model's answer as a reply for the step. Raises: ReplyDefect."""
        said = _Said.of(answer.content)
        usage = replace(answer, position=self.misfit.number, model=answer.model or healer)
        if said.status in _GIVES_UP:
            stopped = _stopped(found.reply, self.misfit, f"{usage.model} says: {said.reason}")
            return replace(usage, content=stopped.content, text=stopped.text)
        is_done = said.is_done(assigns=claims["status"] == _ASSIGN)
        function = said.function or (_SELECT if self.request.agent == AgentKind.HOST and said.label else "")
        if is_done:
            self._check_acts(function)
        args, own = self._arguments(function, said)
        action: JsonObject = {"function": function, "args": args} if function else {}
        if said.label:
            action |= {"control_label": said.label, "control_text": said.name}
        mark = self._mark(function, said.label, None if own else said.args, is_done=is_done, model=usage.model)
        return self._made(usage, mark, action, claims, said.thought)

    def _check_acts(self, function: str) -> None:
        """Raises: ReplyDefect where the step would count as done by a tool that changes nothing."""
        step = self.turn.place(self.misfit.number).step
        if not function:
            raise ReplyDefect("status FINISH needs the action that does the step")
        effects = {tool.name: tool.has_effect for tool in self.request.tools}
        only_reads = effects.get(step.tool, True) and not effects.get(function, True)
        if only_reads and not (self.misfit.has_run and step.expect is not None):
            raise ReplyDefect(f"{function} only reads: it cannot do the step, which is {step.tool}")

    def _arguments(self, function: str, said: _Said) -> tuple[JsonObject, bool]:
        """The arguments, and whether they are the step's own. Raises: ReplyDefect."""
        number = self.misfit.number
        step = self.turn.place(number).step
        own = function == step.tool and not said.args
        try:
            return self.turn.arguments(number, (step.args or {}) if own else said.args), own
        except (UnknownValue, PlaybookStop) as error:
            raise ReplyDefect(f"args: {error}") from error

    def _mark(self, function: str, label: str, given: JsonObject | None, *, is_done: bool, model: str) -> Healing:
        place = self.turn.place(self.misfit.number)
        mark = Healing(self.turn.section, place.number, is_done, self.misfit.reason, model)
        target = next((each for each in self.request.controls if each.id == label), None) if label else None
        if not function:
            return mark
        try:
            if is_done:
                written = written_step(function, target, given, place, self.request)
            else:
                written = written_on_the_way(function, target, given or {}, place, self.request)
        except (Unwritable, UnknownValue) as reason:
            return replace(mark, unwritten=str(reason))
        return replace(mark, written=written)

    def _made(
        self, reply: ModelReply, mark: Healing, action: JsonObject, claims: JsonObject, thought: str
    ) -> ModelReply:
        number = self.misfit.number
        called = f"Step {number + 1} of {len(self.turn.unrolled.places)}, healed"
        content: JsonObject = {
            "observation": self.turn.seen(),
            "thought": f"{called}: {thought}" if thought else f"{called}.",
            "plan": self.turn.plan(number),
            **(claims if mark.is_done else {"status": "CONTINUE"}),
            **action,
        }
        text = json.dumps(content, ensure_ascii=False)
        return replace(reply, content=content, text=text, position=number, healing=mark)

    def as_before(self) -> ModelReply | None:
        """The next action of an earlier row of the loop, if it fits here; None: the model has to be asked."""
        if self.misfit.has_run:
            return None
        for record in self._of_an_earlier_row()[len(list(self._here())) :]:
            mark = record.healing
            if mark is None or not mark.written:
                return None
            if self._fits(mark.written):
                return self._repeated(mark)
            if mark.is_done:
                return None
        return None

    def _of_an_earlier_row(self) -> list[StepRecord]:
        """The replies that stood for the same step in the latest row that needed them, if it succeeded."""
        number = self.misfit.number
        place = self.turn.place(number)
        key = (self.turn.section, place.number)
        earlier = [
            record
            for record in self.request.steps_done
            if record.healing is not None
            and (record.healing.section, record.healing.step) == key
            and (record.position or 0) < number
        ]
        latest = max((record.position or 0 for record in earlier), default=0)
        return [record for record in earlier if record.position == latest and worked(record)]

    def _fits(self, written: JsonObject) -> bool:
        """True if the target of a written step is visible, and the condition of one on the way holds."""
        when = written.get("when")
        shows = when.get("shows") if isinstance(when, dict) else written.get("on")
        if shows is None:
            return True
        try:
            selector = self._selector(shows)
        except UnknownValue:
            return False
        seen = find_all(selector, self.request.controls, self.request.window)
        return bool(picked(selector.nth, seen)) if when else self._found(selector) is not None

    def _selector(self, written: JsonValue) -> Selector:
        """Raises: UnknownValue."""
        return filled_selector(Selector.model_validate(written), self.turn.place(self.misfit.number).values)

    def _found(self, selector: Selector) -> TargetInfo | None:
        found = find(selector, self.request.controls, self.request.window)
        return found if isinstance(found, TargetInfo) else None

    def _repeated(self, mark: Healing) -> ModelReply | None:
        number = self.misfit.number
        args = mark.written.get("args")
        try:
            claims = self.turn.claims(number)
            arguments = self.turn.arguments(number, args if isinstance(args, dict) else {})
            target = self._found(self._selector(mark.written["on"])) if "on" in mark.written else None
        except (UnknownValue, PlaybookStop):
            return None
        action: JsonObject = {"function": mark.written["tool"], "args": arguments}
        if target is not None:
            action |= {"control_label": target.id, "control_text": target.name}
        again = replace(mark, model="", why=self.misfit.reason)
        return self._made(ModelReply({}, "", Usage()), again, action, claims, "as in the row before")


def worked(record: StepRecord) -> bool:
    """True if the actions of a step ran, and nothing contradicts that they did what was expected."""
    ran = (action.ran and action.status is not ResultStatus.FAILURE and not action.unmet for action in record.actions)
    return bool(record.actions) and not record.problem and all(ran)
