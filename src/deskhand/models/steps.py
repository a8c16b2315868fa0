"""A playbook as data: parameters, sections, steps (contract 4.7)."""

from collections.abc import Mapping
from dataclasses import dataclass
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
    """A value that a run of the playbook is given. `default` None: it must be given."""

    name: str
    type: ParameterType
    default: JsonValue = None


@dataclass(frozen=True, slots=True)
class Condition:
    """What `when` or `unless` looks at; every part that is given must hold.

    `shows`: a control (host: a window) that answers to the selector shows. `value`: the path of a `${…}` that is there
    and says something; with `wanted`, that is this: a text, `/…/`, or a comparison such as `>=2`.
    """

    line: int
    shows: Selector | None = None
    value: str = ""
    wanted: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """What `for_each` runs over: the rows at `path`, each under the name `variable`; two loops are never the same one.

    `header`: the first row names the columns and is no row itself.
    """

    line: int
    variable: str
    path: str
    header: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it is written, `${…}` not yet filled in. `tool` is empty where it only says a status.

    `on` is a selector, or the name of a parameter that is one. Steps of one loop follow one another.
    """

    line: int
    tool: str
    status: str
    on: Selector | str | None = None
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
        """Whether it may be left out."""
        return self.when is not None or self.unless is not None


@dataclass(frozen=True, slots=True)
class Playbook:
    """A playbook file. `source` is what messages call it; without a host it has exactly one agent."""

    source: str
    name: str
    parameters: Mapping[str, Parameter]
    host: tuple[Step, ...]
    agents: Mapping[str, tuple[Step, ...]]
