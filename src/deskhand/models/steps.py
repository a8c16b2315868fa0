"""Playbook as data: parameters, sections, steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from deskhand.core.json import JsonValue
from deskhand.core.replies import Expectation, Selector

HOST = "host"


class ParameterType(StrEnum):
    PATH = "path"
    TEXT = "text"
    NUMBER = "number"
    SELECTOR = "selector"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the playbook. `default` None: a value is required."""

    name: str
    type: ParameterType
    default: JsonValue = None


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition of `when` or `unless`; every given part must hold.

    `shows`: a control (host: a window) that matches the selector is visible. `value`: the path of a `${…}` that exists
    and is not empty; with `wanted`, it has this value: a text, `/…/`, or a comparison such as `>=2`.
    """

    line: int
    shows: Selector | None = None
    value: str = ""
    wanted: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Loop of `for_each`: the rows at `path`, each under the name `variable`; two loops are never equal.

    `header`: the first row holds the column names.
    """

    line: int
    variable: str
    path: str
    header: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step as written, `${…}` not yet filled in. `tool` is empty if the step only sets a status.

    `on` is a selector, or the name of a selector parameter; `second` is tried where it matches nothing. Steps of one
    loop are consecutive.
    """

    line: int
    tool: str
    status: str
    on: Selector | str | None = None
    second: Selector | None = None
    args: Mapping[str, JsonValue] | None = None
    save_as: str = ""
    expect: Expectation | None = None
    agent: str = ""
    subtask: str = ""
    result: str = ""
    when: Condition | None = None
    unless: Condition | None = None
    loop: Loop | None = None

    @property
    def conditional(self) -> bool:
        """True if it may be skipped."""
        return self.when is not None or self.unless is not None


@dataclass(frozen=True, slots=True)
class Playbook:
    """A playbook file. `source` is its name in messages, `text` all of it; without a host it has exactly one agent."""

    source: str
    name: str
    parameters: Mapping[str, Parameter]
    host: tuple[Step, ...]
    agents: Mapping[str, tuple[Step, ...]]
    text: str = field(default="", repr=False, compare=False)
