"""A list of steps for one call, read and checked as a whole. A step is written as in a playbook (docs/playbooks.md)."""

from collections.abc import Callable, Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskhand.core.command import ToolSpec
from deskhand.core.errors import StepsInvalid
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.replies import Expectation, Expected, Selector
from deskhand.models.playbook_tools import call_problems, wrong_values
from deskhand.models.steps import Step

_FORM: Final = "tool, on, args, window, expect"
_FIX: Final = "correct these steps and call again: none of the list was carried out"


class GivenStep(BaseModel):
    """One step. `on`: its control, by a selector; without one, `args` has the id. `window`: an id or title; empty: that
    of the step before.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str = Field(min_length=1)
    on: Selector | None = None
    args: dict[str, JsonValue] = Field(default_factory=dict)
    window: str = ""
    expect: Expected = None


def read_steps(
    given: JsonValue, offered: Mapping[str, ToolSpec], validate: Callable[[str, JsonObject], JsonObject]
) -> tuple[GivenStep, ...]:
    """Return the steps of a list. `offered`: the tools that a step may name; `validate` raises ReplyDefect.

    Raises: StepsInvalid, with every faulty step by its number, from 1.
    """
    if not isinstance(given, list) or not given:
        raise StepsInvalid("steps: should be a list with at least one step", fix=f"a step has {_FORM}")
    steps: list[GivenStep] = []
    problems: list[str] = []
    for number, each in enumerate(given, 1):
        step, found = _read(number, each, offered, validate)
        problems += [f"step {number}: {problem}" for problem in found]
        steps += [step] if step else []
    if problems:
        raise StepsInvalid("\n".join(problems), fix=_FIX)
    return tuple(steps)


def _read(
    number: int,
    given: JsonValue,
    offered: Mapping[str, ToolSpec],
    validate: Callable[[str, JsonObject], JsonObject],
) -> tuple[GivenStep | None, list[str]]:
    if not isinstance(given, dict):
        return None, [f"should be an object of {_FORM}, not {given!r}"]
    try:
        step = GivenStep.model_validate({key: value for key, value in given.items() if value is not None})
    except ValidationError as error:
        return None, [_reason(problem["loc"], problem["type"], problem["msg"]) for problem in error.errors()]
    if spec := offered.get(step.tool):
        step = step.model_copy(update={"args": as_meant(step.args, spec.parameters)})
    return step, [*_empty_selectors(step), *_call_problems(number, step, offered, validate)]


def _reason(place: tuple[int | str, ...], kind: str, message: str) -> str:
    if kind == "extra_forbidden" and len(place) == 1:
        return f"has no key {place[0]!r}; a step has {_FORM}"
    return f"{'.'.join(map(str, place))}: {message.removeprefix('Value error, ')}"


def _empty_selectors(step: GivenStep) -> list[str]:
    expect = step.expect or Expectation()
    selectors = {"on": step.on, "expect.shows": expect.shows, "expect.gone": expect.gone}
    return [
        f"{name} is empty; give a role, a name or a value" for name, each in selectors.items() if each == Selector()
    ]


def _call_problems(
    number: int,
    given: GivenStep,
    offered: Mapping[str, ToolSpec],
    validate: Callable[[str, JsonObject], JsonObject],
) -> list[str]:
    step = Step(number, given.tool, "", on=given.on, args=given.args)
    return [*call_problems(step, offered, "there is")] or wrong_values(step, validate)


def as_meant(given: JsonObject, schema: JsonObject) -> JsonObject:
    """Return arguments without nulls, which mean the default, and with whole numbers as text where text is taken."""
    properties = schema.get("properties")
    schemas = properties if isinstance(properties, dict) else {}

    def meant(name: str, value: JsonValue) -> JsonValue:
        of_value = schemas.get(name)
        is_text = isinstance(of_value, dict) and of_value.get("type") == "string"
        return str(value) if is_text and isinstance(value, int) and not isinstance(value, bool) else value

    return {name: meant(name, value) for name, value in given.items() if value is not None}


def first_id(given: JsonObject) -> JsonValue:
    """Return the id of the control of a call; of several, as of a form, the first."""
    values = given.get("values")
    first = values[0] if isinstance(values, list) and values else given
    return first.get("id") if isinstance(first, dict) else None


def any_id(given: Mapping[str, JsonValue]) -> JsonValue:
    """Return an id in the arguments of a call, of a form or of a list of steps; None if there is none."""
    if (label := first_id(dict(given))) is not None:
        return label
    steps = given.get("steps")
    calls = (step.get("args") for step in steps if isinstance(step, dict)) if isinstance(steps, list) else ()
    labels = (first_id(call) for call in calls if isinstance(call, dict))
    return next((label for label in labels if label is not None), None)
