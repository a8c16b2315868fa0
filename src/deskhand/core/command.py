"""Commands sent to tools and their results."""

import re
import uuid
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from deskhand.core.errors import ErrorInfo
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import json_of

OURS: Final = "deskhand"
"""Namespace of the tools that come with the program."""
PLUGIN: Final = "plugin"
"""Namespace of tools that the user's own code or an installed plug-in brings."""
TRUSTED: Final = frozenset({OURS, PLUGIN})
"""Namespaces whose descriptions come from code that runs here anyway."""
PRESSING_KEYS: Final = re.compile(r" |\{(?:KP_)?ENTER\}")
"""Keys, in canonical spelling, that press the button with the keyboard."""


class ToolType(StrEnum):
    DATA_COLLECTION = "data_collection"
    ACTION = "action"


class EffectClass(StrEnum):
    """Kind of change an action makes; policies match on it."""

    NONE = "none"
    NAVIGATE = "navigate"
    EDIT = "edit"
    CREATE_FILE = "create_file"
    OVERWRITE_FILE = "overwrite_file"
    DELETE = "delete"
    SEND = "send"
    PAY = "pay"
    INSTALL = "install"
    SHELL = "shell"
    SYSTEM = "system"
    LAUNCH = "launch"
    CLOSE = "close"
    UNKNOWN = "unknown"


class Effect(StrEnum):
    """Effect of an action as observed by the program, not by the model."""

    CONFIRMED = "confirmed"
    PARTIAL = "partial"
    UNVERIFIABLE = "unverifiable"
    SUSPECTED_NOOP = "suspected_noop"
    REFUSED = "refused"


class Route(StrEnum):
    ACCESSIBILITY = "accessibility"
    SYNTHETIC_INPUT = "synthetic input"
    APPLICATION_API = "application API"


class Needed(StrEnum):
    """A part of the screen without which a tool is useless; a prompt lists the tool once it was there."""

    SHEET = "sheet"
    TABLE = "table"
    """A table, tree or list, or a document, which may have tables on other pages."""
    DIALOG = "dialog"
    FORM = "form"
    """Two or more controls that can be filled, outside of toolbars."""
    DOCUMENT = "document"
    """A document, a sheet, or a text of several lines that can be changed."""
    OFFICE_DOCUMENT = "office_document"
    """A document of an application with an interface of its own."""
    TEXT_DOCUMENT = "text_document"
    """The same, unless it is a sheet."""
    PICTURE = "picture"
    """A picture of the window in the prompt."""


class ResultStatus(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"
    SKIPPED = "skipped"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One entry of the catalogue.

    `parameters` is a JSON schema; `has_effect` is False for tools that need only succeed. `audience`: the kinds of
    agents that are offered the tool; empty for a tool of the program itself. `applications`: the only applications in
    which agents are offered it; empty: all. `needs`: a prompt lists the tool once that was on the screen; None: always.
    `in_prompts`: False for a tool that no prompt lists, for those who know it by name; `rare`: the same of arguments.
    `decided`: arguments that a model decides itself: saved data is no value of them.
    The description of a tool whose `namespace` is not in `TRUSTED` is untrusted.
    """

    name: str
    description: str
    parameters: JsonObject
    tool_type: ToolType
    effect_class: EffectClass
    audience: frozenset[str]
    namespace: str = OURS
    has_effect: bool = True
    takes_target: bool = False
    deadline_s: float = 20.0
    applications: frozenset[str] = frozenset()
    needs: Needed | None = None
    in_prompts: bool = True
    rare: frozenset[str] = frozenset()
    decided: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Command:
    """A tool call.

    `target` is the control of its `id` in the observation the prompt was made from, `window` the root window of its
    application, `seen` the agent's observation when it decided. `part_of`: the compound tool that it belongs to; then
    its effect is `partial` if anything else of the form changed with it. `is_last`: no other part of it follows.
    """

    tool_name: str
    parameters: JsonObject = field(default_factory=dict[str, JsonValue])
    tool_type: ToolType = ToolType.ACTION
    call_id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    target: TargetInfo | None = None
    window: TargetInfo | None = None
    seen: Observation | None = None
    deadline_s: float | None = None
    part_of: str = ""
    is_last: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """Result of one command.

    `result` is the tool's data: JSON for action tools, a typed value for tools of the program itself. `effect`,
    `route` and `evidence` are set for actions. `delivered`: True if anything reached the application; `retry_safe`:
    True if sending the command again cannot do harm.
    """

    status: ResultStatus
    call_id: str
    result: object = None
    error: ErrorInfo | None = None
    namespace: str = OURS
    effect: Effect | None = None
    route: Route | None = None
    evidence: str = ""
    delivered: bool = False
    retry_safe: bool = True
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.status is ResultStatus.SUCCESS

    def part(self, *path: str | int) -> JsonValue:
        """A part of the tool's data: `part("cells", 0, 1)`. Raises: LookupError, with what there is."""
        found = json_of(self.result)
        for place in path:
            if isinstance(found, dict) and place in found:
                found = found[str(place)]
            elif isinstance(found, list) and isinstance(place, int) and place < len(found):
                found = found[place]
            else:
                there = ", ".join(found) if isinstance(found, dict) else type(found).__name__
                raise LookupError(f"the result has no {place!r} (it has: {there})")
        return found


@dataclass(frozen=True, slots=True)
class Clearance:
    """Permission for one command on one resolved target, issued and checked by the policy port, used once."""

    call_id: str
    digest: str
    token: str


def status_of_effect(effect: Effect) -> ResultStatus:
    """`ResultStatus` of an action from its effect."""
    match effect:
        case Effect.CONFIRMED:
            return ResultStatus.SUCCESS
        case Effect.PARTIAL | Effect.REFUSED:
            return ResultStatus.FAILURE
        case Effect.UNVERIFIABLE | Effect.SUSPECTED_NOOP:
            return ResultStatus.NONE
