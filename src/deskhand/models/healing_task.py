"""The message to a model that is to carry out one step of a playbook: what the step means and why it does not fit."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from deskhand.core.fences import fenced, harmless
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import Message, ModelRequest, TextPart
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.models.parameters import selector_parameter
from deskhand.models.placeholder_values import as_text, filled_selector
from deskhand.models.placeholders import UnknownValue, look_up, references, root_of
from deskhand.models.section_turn import Misfit, SectionTurn
from deskhand.models.selectors import describe
from deskhand.models.steps import Playbook, Step

_LONGEST: Final = 200
_HIDDEN: Final = "•••"
_RULES: Final = """\
A playbook, a fixed list of steps, carries out this subtask. One of its steps no longer fits the window, and you are \
asked for this step alone: do what it means, nothing else, and nothing after it. Answer with one action, and here a \
status means:
- FINISH: with this action the step is done. Its effect is checked. Leave args out for the step's own arguments; in \
args that you give, ${…} stands for a value as it does in the step.
- CONTINUE: an action on the way, such as closing a dialog that is in front. The step is tried again after it.
- FAIL: it is not clear which control is meant now, or the step is not possible; say why in comment. A wrong action is \
worse than none."""
_HAS_RUN: Final = (
    "An action for it was already sent and may have happened. Look whether it did before you repeat anything, and do "
    "not repeat what must not happen twice: claim FAIL then."
)


def with_task(turn: SectionTurn, misfit: Misfit, claims: JsonObject, left: int, request: ModelRequest) -> ModelRequest:
    """The request with the task at the end of its first message of the user.

    `claims`: of the step's reply. `left`: the number of replies, this one included.
    """
    parts = (
        TextPart(harmless("\n".join(_said(turn, misfit, left)))),
        fenced("the step with its values, and why it does not fit", "\n".join(_filled(turn, misfit, claims))),
    )
    messages = list(request.messages)
    at = next((number for number, message in enumerate(messages) if message.role == "user"), None)
    if at is None:
        messages.append(Message("user", parts))
    else:
        messages[at] = Message("user", (*messages[at].parts, *parts))
    return replace(request, messages=tuple(messages))


def _said(turn: SectionTurn, misfit: Misfit, left: int) -> Iterator[str]:
    """The words of the program and of the playbook's author."""
    place = turn.place(misfit.number)
    step = place.step
    yield _RULES
    row = f", row {place.row} of its loop" if place.row else ""
    yield f"The step, in line {step.line}{row}: {step.tool}{_on(step)}"
    if step.args:
        yield f"Its arguments: {_HIDDEN if _is_secret(turn, misfit) else _json(dict(step.args))}"
    if step.save_as:
        yield f"Its result is used later, as {step.save_as}."
    if misfit.has_run:
        yield _HAS_RUN
    yield f"Replies left for this step: {left}."


def _on(step: Step) -> str:
    if isinstance(step.on, Selector):
        return f" on {describe(step.on)}"
    return f" on ${{{step.on}}}" if step.on else ""


def _filled(turn: SectionTurn, misfit: Misfit, claims: JsonObject) -> Iterator[str]:
    """Texts that come from data, from the screen or from a tool."""
    place = turn.place(misfit.number)
    on = place.step.on
    if isinstance(on, str):
        yield f"target: {describe(selector_parameter(turn.values[on]))}"
    elif on is not None:
        yield f"target: {describe(filled_selector(on, place.values))}"
    if not _is_secret(turn, misfit):
        hidden = _passwords(turn.playbook)
        for path in dict.fromkeys(references(dict(place.step.args or {}))):
            if root_of(path) not in hidden:
                yield f"${{{path}}} = {_value(path, turn, misfit)}"
    if "expect" in claims:
        yield f"what is checked then: {_json(claims['expect'])}"
    yield f"why it does not fit: {misfit.reason}"


def _value(path: str, turn: SectionTurn, misfit: Misfit) -> str:
    try:
        text = as_text(look_up(path, turn.place(misfit.number).values))
    except UnknownValue:
        return "not there"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _is_secret(turn: SectionTurn, misfit: Misfit) -> bool:
    """True if the step's arguments may be a password."""
    on = turn.place(misfit.number).step.on
    if isinstance(on, Selector):
        return on.role == Role.PASSWORD
    controls = turn.request.controls
    return on is None and any(each.type is Role.PASSWORD and "focused" in each.states for each in controls)


def _passwords(playbook: Playbook) -> set[str]:
    """Parameters that a step of the playbook types into a password field."""
    steps = [*playbook.host, *(step for steps in playbook.agents.values() for step in steps)]
    typed = (step for step in steps if isinstance(step.on, Selector) and step.on.role == Role.PASSWORD)
    return {root_of(path) for step in typed for path in references(dict(step.args or {}))}


def _json(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 5 * _LONGEST else f"{text[: 5 * _LONGEST]}…"
