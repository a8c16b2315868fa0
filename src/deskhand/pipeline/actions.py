"""The actions of a reply: planned, judged together, dispatched one by one, recorded (contract 2.4, 3.2, 4.1)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from deskhand.commands.catalogue import ControlOf, Part
from deskhand.commands.secret_texts import with_typed
from deskhand.core.cell_names import CELL_NAME
from deskhand.core.command import OURS, Command, Effect, Result, ResultStatus, ToolSpec
from deskhand.core.errors import CommandFailed, DeskhandError, ErrorInfo, ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ActionRecord
from deskhand.core.observation import Observation
from deskhand.core.patterns import matches_title
from deskhand.core.ports import CheckResult, Verdict
from deskhand.core.replies import ReplyAction
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo, TargetKind, Trait, comparable_name
from deskhand.core.text import as_line, json_line, legible, quoted, quoted_start
from deskhand.core.type_checks import items_of, pairs_of
from deskhand.perception.control_search import OUT_OF_VIEW
from deskhand.pipeline.outputs import KEPT_BY, MAX_OUTPUT, output_line, parsed, with_inner_json
from deskhand.prompts.outcome import outcome_of
from deskhand.prompts.step_history import given_of

_REFERENCE = "from"
_LONGEST_UNMET: Final = 200
_LOOK_FIRST: Final = "check whether it was done before you repeat it"
_CONTENT: Final = frozenset({"cells", "text", "stdout"})
FOUND: Final = 100
"""Characters of a name or value in a line of found controls."""


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """One action of a reply, ready to be judged: references resolved, arguments validated, target found."""

    action: ReplyAction
    command: Command
    spec: ToolSpec


@dataclass(frozen=True, slots=True)
class HeldAction:
    """An action that waits for the user's approval, with the facts that the user is shown. Nothing of it was sent."""

    planned: PlannedAction
    verdict: Verdict


@dataclass(slots=True)
class ActionCommandInfo:
    """One action and its result."""

    function: str
    arguments: JsonObject
    target: TargetInfo | None
    result: Result
    checks: tuple[CheckResult, ...] = ()
    has_effect: bool = True
    saved_as: str = ""
    part_of: str = ""
    denied: str = ""

    @property
    def action_string(self) -> str:
        """Return `invoke(menuitem "Chart..." [12])`: one line for the user."""
        given = given_of(self.function, self.arguments)
        shown = {name: value for name, value in given.items() if name not in {"id", "name"}}
        parts = [self.target.describe] if self.target else []
        parts += [f"{key}={short(value)}" for key, value in shown.items()]
        return f"{self.function}({', '.join(parts)})"

    @property
    def ran(self) -> bool:
        """True if the action was tried: neither skipped nor refused before anything was sent."""
        return self.result.status is not ResultStatus.SKIPPED and self.result.effect is not Effect.REFUSED

    @property
    def done(self) -> bool:
        """True if nothing contradicts that the action was done: it neither failed nor was skipped."""
        return self.result.status not in {ResultStatus.FAILURE, ResultStatus.SKIPPED}

    @property
    def unmet(self) -> str:
        """The expectations that do not hold; empty where all do. The action itself is done."""
        return unmet_of(self.checks)

    @property
    def good(self) -> bool:
        """True if the action was done and all its expectations hold."""
        return self.done and not self.unmet

    @property
    def proven(self) -> bool:
        """True if a FINISH may rely on it: its effect was confirmed, or it is of a kind that only has to succeed."""
        return self.good and (self.result.ok or not self.has_effect)

    def problem(self) -> str:
        """Return the problem for the next prompt; empty where there is none."""
        if self.result.error is not None:
            return self.result.error.message
        if self.result.status is ResultStatus.SKIPPED:
            return self.result.evidence or "skipped"
        if self.result.status is ResultStatus.FAILURE:
            return self.result.evidence or f"effect {self.result.effect}"
        return ""

    @property
    def advice(self) -> str:
        """The advice for the next prompt; empty where the action was confirmed or no advice is available."""
        if self.result.error is not None and self.result.error.fix:
            return self.result.error.fix
        may_be_done = self.result.delivered and not self.result.ok and not self.result.retry_safe
        return _LOOK_FIRST if may_be_done else ""

    def to_record(self) -> ActionRecord:
        result = self.result
        target = self.target
        on_password = target is not None and target.type is Role.PASSWORD
        return ActionRecord(
            function=self.function,
            arguments=with_typed(self.arguments, surely=True) if on_password else self.arguments,
            target=target.describe if target else "",
            status=result.status,
            effect=result.effect,
            ran=self.ran,
            message=self.problem(),
            target_role=target.type.value if target else "",
            target_name=target.name if target else "",
            output=self._output(),
            evidence=result.evidence,
            advice=self.advice,
            unmet=self.unmet,
            saved_as=self.saved_as,
            part_of=self.part_of,
            denied=self.denied,
        )

    @property
    def is_content(self) -> bool:
        """True if its data is a text, a table or the answer of a foreign server, which a later step may need."""
        has_content = not _CONTENT.isdisjoint(dict(pairs_of(self.result.result)))
        return bool(self._output()) and (has_content or self.result.namespace != OURS)

    def _output(self) -> str:
        """Return the data of a tool that only reads, for the next prompt; a tool that acts reports its effect instead.

        A result without a route sent nothing: the tool read. A foreign server's tool is known by its answer alone.
        """
        looked = self.result.ok and (not self.has_effect or self.result.route is None)
        answered = self.done and self.result.namespace != OURS
        if not (looked or answered) or self.result.result is None:
            return ""
        told = self.result.result
        if self.function == "find_controls":
            return found_lines(told)
        saved = f"all of it is saved as {self.saved_as}" if self.saved_as else KEPT_BY
        shown = told if self.result.namespace == OURS else with_inner_json(told) or told
        return output_line(self.function, shown, kept_by=saved)

    def to_dict(self) -> JsonObject:
        result = self.result
        return {
            "function": self.function,
            "arguments": self.arguments,
            "target": self.target.describe if self.target else "",
            "status": result.status.value,
            "effect": result.effect.value if result.effect else "",
            "route": result.route.value if result.route else "",
            "evidence": result.evidence,
            "error": result.error.message if result.error else "",
        }


@dataclass(slots=True)
class ActionInfo:
    """The actions of one step, in order."""

    actions: list[ActionCommandInfo] = field(default_factory=list[ActionCommandInfo])

    def __iter__(self) -> Iterator[ActionCommandInfo]:
        return iter(self.actions)

    def get_function_calls(self) -> list[str]:
        return [action.function for action in self.actions]

    def to_list_of_dicts(self, *, success_only: bool = False) -> list[JsonObject]:
        return [action.to_dict() for action in self.actions if action.result.ok or not success_only]

    def to_representation(self) -> list[str]:
        """Return one line for each action, with its effect."""
        return [f"{a.action_string} → {outcome_of(a.to_record())}{_doubted(a.unmet)}" for a in self.actions]


def unmet_of(checks: Iterable[CheckResult]) -> str:
    """Return the checks that do not hold, in one line; empty where all do."""
    return "; ".join(f"{check.name}: {check.detail}" for check in checks if not check.ok)


def _doubted(unmet: str) -> str:
    return f"; expectation did not hold: {as_line(unmet, _LONGEST_UNMET)}" if unmet else ""


_NO_ID: Final = "(no id until the next observation)"


def found_lines(found: object) -> str:
    """Return found controls in the form of the list of controls, one a line: `12 button "Save" = "on"`.

    A hit in a document has its number and place: `12 paragraph = "Dear Ada" (hit 2, paragraph 7)`.
    """
    lines: list[str] = []
    rows = [dict(pairs_of(row)) for row in items_of(found, object)]
    for number, row in enumerate(rows):
        lines.append(_found_line(row))
        if sum(map(len, lines)) > MAX_OUTPUT and number + 1 < len(rows):
            lines[-1] = f"… {len(rows) - number} more; narrow the search"
            break
    return "\n".join(lines) or "nothing was found"


def _found_line(row: Mapping[str, object]) -> str:
    label, role, name, value = (str(row.get(key) or "") for key in ("id", "role", "name", "value"))
    hit, place = row.get("hit"), str(row.get("place") or "")
    shown = (quoted_start if row.get(TEXT_CUT) else quoted)(value, FOUND)
    parts = [label or ("(no id)" if place.endswith(OUT_OF_VIEW) else _NO_ID), role]
    parts += [quoted(name, FOUND)] if name else []
    parts += ["=", shown] if value and value != name else []
    parts += [f"({f'hit {hit}, ' if hit else ''}{place})"] if place else []
    return " ".join(parts)


def short(value: JsonValue, limit: int = 60) -> str:
    """Return a value in one short line."""
    if isinstance(value, str):
        return legible(value, limit) or '""'
    text = json_line(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def resolve_references(value: JsonValue, data: Mapping[str, JsonValue]) -> JsonValue:
    """Replace `{"from": "sales.cells"}`, at any depth, by the saved data of that name (contract 3.2).

    Raises: ReplyDefect where nothing is saved under that name.
    """
    if isinstance(value, dict):
        if list(value) == [_REFERENCE] and isinstance(source := value[_REFERENCE], str):
            return look_up(source, data)
        return {key: resolve_references(part, data) for key, part in value.items()}
    if isinstance(value, list):
        return [resolve_references(part, data) for part in value]
    return value


def look_up(source: str, data: Mapping[str, JsonValue]) -> JsonValue:
    """Return the saved value at a dotted path. Raises: ReplyDefect."""
    value: JsonValue = dict(data)
    for part in source.split("."):
        value = parsed(value)
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            known = ", ".join(sorted(data)) or "nothing"
            raise ReplyDefect(f'{{"from": "{source}"}}: nothing is saved under that name; saved: {known}')
    return value


def _undivided(tool: str, arguments: JsonObject, control_of: ControlOf) -> tuple[Part, ...]:  # noqa: ARG001
    return ()


@dataclass(frozen=True, slots=True)
class PlanningGround:
    """The data that a reply is checked against: the tools, the targets of its prompt, the saved data.

    `validate` checks a tool's arguments and raises ReplyDefect with one precise sentence. `parts` divides a call of a
    compound tool; no parts: of any other. `before`: the targets of the
    ids in the agent's last prompt, where ids were assigned anew since; empty where they are the same.
    """

    tools: Mapping[str, ToolSpec]
    validate: Callable[[str, JsonObject], JsonObject]
    targets: Mapping[str, TargetInfo]
    data: Mapping[str, JsonValue]
    window: TargetInfo | None = None
    seen: Observation | None = None
    before: Mapping[str, TargetInfo] = field(default_factory=dict[str, TargetInfo])
    parts: Callable[[str, JsonObject, ControlOf], tuple[Part, ...]] = _undivided


def plan(actions: Sequence[ReplyAction], ground: PlanningGround) -> tuple[PlannedAction, ...]:
    """Plan a reply's actions. Raises: ReplyDefect for an unknown tool, wrong arguments, an unknown id."""
    return tuple(planned for action in actions for planned in _planned(action, ground))


def _planned(action: ReplyAction, ground: PlanningGround) -> tuple[PlannedAction, ...]:
    """Plan one action; of a compound tool its parts, of which the last has the expectation."""
    spec = ground.tools.get(action.function)
    if spec is None:
        raise ReplyDefect(f"there is no tool {action.function!r}; the tools are: {', '.join(sorted(ground.tools))}")
    arguments: dict[str, JsonValue] = {k: resolve_references(v, ground.data) for k, v in action.args.items()}
    if spec.takes_target:
        if action.control_label:
            arguments.setdefault("id", action.control_label)
        if action.control_text:
            arguments.setdefault("name", action.control_text)
    checked = ground.validate(spec.name, arguments)
    parts = ground.parts(spec.name, checked, lambda label, name: _named_target(label, name, ground))
    if not parts:
        target = _target_of(checked, ground) if spec.takes_target else None
        return (PlannedAction(action, _command(spec, checked, target, ground), spec),)
    *others, last = (_planned_part(part, spec.name, ground) for part in parts)
    earlier = (replace(each, command=replace(each.command, is_last=False)) for each in others)
    return (*earlier, replace(last, action=last.action.model_copy(update={"expect": action.expect})))


def _planned_part(part: Part, part_of: str, ground: PlanningGround) -> PlannedAction:
    spec = ground.tools[part.tool]
    command = replace(_command(spec, part.arguments, part.target, ground), part_of=part_of)
    return PlannedAction(ReplyAction(function=part.tool, args=part.arguments), command, spec)


def _command(spec: ToolSpec, arguments: JsonObject, target: TargetInfo | None, ground: PlanningGround) -> Command:
    return Command(
        tool_name=spec.name,
        parameters=arguments,
        tool_type=spec.tool_type,
        target=target,
        window=ground.window,
        seen=ground.seen,
    )


def _named_target(label: str, name: str, ground: PlanningGround) -> TargetInfo:
    """Return the control of an id and, if given, that name. Raises: ReplyDefect."""
    target = _target_of({"id": label, "name": name}, ground)
    if target is None:
        raise ReplyDefect("a control without an id is meant")
    return target


def _target_of(arguments: JsonObject, ground: PlanningGround) -> TargetInfo | None:
    label = str(arguments.get("id") or "")
    if not label:
        return None
    target = ground.targets.get(label)
    if target is None:
        raise ReplyDefect(f"there is no control with id {label!r} in your observation{_out_of_view(label, ground)}")
    name = str(arguments.get("name") or "")
    earlier = ground.before.get(label)
    if not name and target.name and earlier is not None and _differ(earlier, target):
        raise ReplyDefect(
            f"ids changed since your last step: {label!r} is now {target.describe}; "
            "give its name too, or the id you mean"
        )
    check_name(target, name)
    if name and target.type is Role.CELL:
        arguments["name"] = target.name  # given was its name or its text
    return target


def _out_of_view(label: str, ground: PlanningGround) -> str:
    """Return the way to a cell of a spreadsheet that is out of view; empty for other ids."""
    sheets = (each for each in ground.targets.values() if each.type is Role.TABLE and Trait.OF_SHEET in each.traits)
    sheet = next(sheets, None)
    if sheet is None or CELL_NAME.fullmatch(label) is None:
        return ""
    return f"; select_item with item={label} on {sheet.describe} brings that cell into view"


def _differ(one: TargetInfo, other: TargetInfo) -> bool:
    return (one.type, comparable_name(one.name)) != (other.type, comparable_name(other.name))


def check_name(target: TargetInfo, name: str) -> None:
    """Check that a given name is the target's; a control without a name answers to its value or role (contract 4.2),
    a cell to its text too, a window to a part of its title.

    Raises: ReplyDefect.
    """
    if not name or (target.kind is TargetKind.WINDOW and matches_title(name, target.name)):
        return
    known = [target.name] if target.name else [target.value, target.type.value]
    known += [target.value] if target.type is Role.CELL else []
    if comparable_name(name) not in [comparable_name(word) for word in known]:
        raise ReplyDefect(f"control {target.id!r} is {target.describe}, not {name!r}: id and name disagree")


def failure_result(command: Command, error: DeskhandError | ErrorInfo, effect: Effect | None = None) -> Result:
    """Return a failure as a result; nothing was delivered."""
    info = error if isinstance(error, ErrorInfo) else ErrorInfo.of(error)
    return Result(ResultStatus.FAILURE, command.call_id, error=info, effect=effect, evidence=info.message)


def skipped_result(command: Command, why: str) -> Result:
    return Result(ResultStatus.SKIPPED, command.call_id, evidence=why)


def raise_if_failed(result: Result) -> Result:
    """Check the result of a command that a strategy cannot do without. Raises: CommandFailed."""
    if result.status is ResultStatus.FAILURE:
        raise CommandFailed(result.error or ErrorInfo("DispatchError", f"no reason given: {result.evidence}"))
    return result
