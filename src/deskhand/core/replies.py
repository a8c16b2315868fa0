"""Replies of models: the reply types of the agents.

snake_case inside; the CamelCase names of the reference design are accepted as aliases.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self, cast

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PrivateAttr,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from deskhand.core.command import Effect
from deskhand.core.patterns import compile_pattern, is_pattern, require_role
from deskhand.core.statuses import normalise_status

_COUNT: Final = re.compile(r"(==|!=|>=|<=|>|<|=)?\s*[0-9]{1,9}")
_WORD: Final = re.compile(r"[\w-]{1,60}")
_ACTION: Final = ("action", "Action")
_EFFECTS: Final = tuple(effect.value for effect in Effect)


def _names(snake: str, *others: str) -> AliasChoices:
    camel = "".join(part.capitalize() for part in snake.split("_"))
    return AliasChoices(snake, camel, *others)


def _as_list(value: object) -> object:
    if value is None or value == "":
        return []
    return [value] if isinstance(value, str) else value


def _as_text(value: object) -> object:
    return "" if value is None else str(value) if isinstance(value, int) else value


def _checked(wanted: str) -> str:
    if is_pattern(wanted):
        compile_pattern(wanted)
    return wanted


def _a_role(wanted: str) -> str:
    require_role(wanted)
    return wanted


def _counted(wanted: str) -> str:
    if wanted.strip() and not _COUNT.fullmatch(wanted.strip()):
        raise ValueError('a number or a comparison such as ">=2"')
    return wanted


def _an_effect(wanted: object) -> object:
    """An effect's word in any case."""
    word = wanted.strip().lower().replace(" ", "_") if isinstance(wanted, str) else wanted
    if word and word not in _EFFECTS:
        raise ValueError(f"one of {', '.join(_EFFECTS)}")
    return word


def _as_expectation(wanted: object) -> object:
    """An expectation given as a text: an effect, or the absolute path of a file.

    Raises: ValueError for any other text.
    """
    if not isinstance(wanted, str):
        return wanted
    text = wanted.strip()
    if not text:
        return None
    if text.lower().replace(" ", "_") in _EFFECTS:
        return {"effect": text}
    if text.startswith("/") and not is_pattern(text):
        return {"file": text}
    raise ValueError('a text must be an effect, such as "confirmed", or the absolute path of a file')


def _word(name: str) -> str:
    name = name.strip()
    if name and not _WORD.fullmatch(name):
        raise ValueError("a plain word: letters, digits, _ and -, at most 60")
    return name


Count = Annotated[str, BeforeValidator(_as_text), AfterValidator(_counted)]
AnEffect = Annotated[str, BeforeValidator(_an_effect)]
SaveAs = Annotated[str, AfterValidator(_word)]
Wanted = Annotated[str, AfterValidator(_checked)]
"""A wanted name or text; an invalid regular expression is returned to its author."""
WantedRole = Annotated[str, AfterValidator(_a_role)]
"""A wanted role; one that does not exist is refused, as it would always count as gone."""
Texts = Annotated[list[str], BeforeValidator(_as_list)]
Text = Annotated[str, BeforeValidator(_as_text)]
Status = Annotated[str, BeforeValidator(lambda value: normalise_status(value) if isinstance(value, str) else value)]


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Selector(_Reply):
    """A control addressed by role, name or value instead of a label (`/…/` is a regular expression)."""

    role: WantedRole = ""
    name: Wanted = ""
    value: Wanted = ""
    within: "Selector | list[Wanted] | None" = None
    nth: Annotated[int, Field(ge=1)] | Literal["first", "last"] | None = None


OF_RESULT: Final[tuple[str, ...]] = ("effect", "rows", "columns", "exit_code")
"""The parts of an expectation that compare an action's result."""


class Expectation(_Reply):
    """Expected state after an action; every given part must be true.

    `rows` and `columns` compare the result's table, `effect` its effect, `exit_code` that of a command. The program
    checks the others itself; without an action, `file` is one that exists. `like`: path of a reference that the window
    is like; models, which have no references, are not offered it.
    """

    effect: AnEffect = Field(default="", description="confirmed")
    rows: Count = Field(default="", description=">=2")
    columns: Count = Field(default="", description=">=3")
    exit_code: Count = ""
    file: str = Field(default="", description="a file that was written")
    window: Wanted = Field(default="", description="title of an open window")
    gone: Selector | None = Field(
        default=None, description='a control that is not there: {"role": "dialog", "name": "Sort"}'
    )
    shows: Selector | None = Field(default=None, description="one that is")
    like: SkipJsonSchema[str] = ""

    @property
    def of_result(self) -> bool:
        """True if a part belongs to the result of an action."""
        return any(getattr(self, name) for name in OF_RESULT)


Expected = Annotated[Expectation | None, BeforeValidator(_as_expectation)]
_EXPECTED: Final = "what the program is to check afterwards"


class ReplyAction(_Reply):
    """One action of a reply. `control_label` and `control_text` are the tool's `id` and `name` arguments.

    The fields of a call may stand in an object `action`.
    """

    function: str = Field(default="", validation_alias=_names("function"), description="name of a tool")
    args: dict[str, JsonValue] = Field(
        default_factory=dict, validation_alias=_names("args"), description="the other arguments of the tool"
    )
    control_label: Text = Field(default="", validation_alias=_names("control_label"), description="id of the control")
    control_text: Text = Field(
        default="",
        validation_alias=_names("control_text"),
        description="its full name, as a check; omit if cut by … or empty",
    )
    save_as: SaveAs = Field(
        default="",
        validation_alias=_names("save_as"),
        description="a name for the data it returns, to pass it on",
    )
    expect: Expected = Field(default=None, validation_alias=_names("expect"), description=_EXPECTED)

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, content: object) -> object:
        return flat(content)


class SaveScreenshot(_Reply):
    save: bool = Field(default=False, description="true: keeps this picture for other agents")
    reason: str = Field(default="", description="why")


def flat(content: object) -> object:
    """The content of a reply with the fields of `action` beside the others; anything else as it is.

    Raises: ValueError for an action that is no object.
    """
    if not isinstance(content, Mapping):
        return content
    given = cast("Mapping[str, object]", content)
    action = next((given[name] for name in _ACTION if given.get(name)), None)
    if action is not None and not isinstance(action, Mapping):
        raise ValueError("action: an object of function, control_label, control_text and args")
    called = cast("Mapping[str, object]", action or {})
    return {name: value for name, value in given.items() if name not in _ACTION} | dict(called)


class AgentReply(ReplyAction):
    """Reply fields common to both agents, with those of an action."""

    observation: str = Field(
        default="",
        validation_alias=_names("observation"),
        description="what matters now",
    )
    thought: str = Field(default="", validation_alias=_names("thought"), description="why this is next")
    status: Status = Field(validation_alias=_names("status"), description="one of those below")
    plan: Texts = Field(
        default_factory=list,
        validation_alias=_names("plan"),
        description="your next steps, shown to you again",
    )
    comment: str = Field(default="", validation_alias=_names("comment"), description="a note for the report")
    questions: Texts = Field(
        default_factory=list,
        validation_alias=_names("questions"),
        description="with PENDING: what only the user can answer",
    )
    result: str = Field(
        default="",
        validation_alias=_names("result"),
        description="with FINISH or FAIL: what came of it",
    )
    _left_out: Mapping[str, str] = PrivateAttr(default_factory=dict[str, str])

    @property
    def left_out(self) -> Mapping[str, str]:
        """Invalid fields that were dropped, each with the reason in a sentence."""
        return self._left_out

    def leaving_out(self, fields: Mapping[str, str]) -> Self:
        """A copy with `left_out` set."""
        same = self.model_copy()
        same._left_out = dict(fields)  # noqa: SLF001 - one of its own class
        return same

    def ordered_actions(self) -> list[ReplyAction]:
        """Actions of the reply, in order; empty if it names no function."""
        if not self.function:
            return []
        return [
            ReplyAction(
                function=self.function,
                args=self.args,
                control_label=self.control_label,
                control_text=self.control_text,
                save_as=self.save_as,
                expect=self.expect,
            )
        ]


class AppAgentResponse(AgentReply):
    """An AppAgent's reply: one action in the flat fields, or an ordered list in `actions` (multi-action)."""

    save_screenshot: SaveScreenshot = Field(
        default=SaveScreenshot(),
        validation_alias=_names("save_screenshot"),
        description="keeps this picture for other agents",
    )
    control_reannotate: Texts = Field(
        default_factory=list,
        validation_alias=_names("control_reannotate"),
        description="ids to number anew in the next picture",
    )
    actions: list[ReplyAction] = Field(
        default_factory=list[ReplyAction],
        validation_alias=_names("actions"),
        description="what to do, in order; the first surprise stops it; leave out to do nothing",
    )

    def ordered_actions(self) -> list[ReplyAction]:
        return list(self.actions) or super().ordered_actions()


class SubScore(_Reply):
    """One part of a judgement."""

    name: str = Field(description="what is judged, in a few words")
    evaluation: Literal["yes", "no", "unsure"] = Field(description="whether it holds")


class EvaluationResponse(_Reply):
    """An EvaluationAgent's judgement of a finished round."""

    thought: str = Field(default="", validation_alias=_names("thought"), description="what speaks for and against")
    complete: Literal["yes", "no", "unsure"] = Field(
        validation_alias=_names("complete"), description="whether the whole request was fulfilled"
    )
    reason: str = Field(validation_alias=_names("reason"), description="why, in a sentence that names what was seen")
    sub_scores: list[SubScore] = Field(
        default_factory=list[SubScore],
        validation_alias=_names("sub_scores"),
        description="each thing that the request asks for, judged by itself",
    )


class HostAgentResponse(AgentReply):
    """A HostAgent's reply. With ASSIGN, a label and no function it means `select_application_window`."""

    current_subtask: str = Field(
        default="",
        description="with ASSIGN: the subtask in full words; its agent knows nothing of your plan",
        validation_alias=AliasChoices("current_subtask", "CurrentSubtask", "Current Sub-Task", "CurrentSubTask"),
    )
    message: Texts = Field(
        default_factory=list,
        validation_alias=_names("message"),
        description="with ASSIGN: what its agent should know besides",
    )
    last: bool = Field(
        default=False,
        validation_alias=_names("last"),
        description="with ASSIGN: true if the request is fulfilled when it succeeds",
    )

    def ordered_actions(self) -> list[ReplyAction]:
        if self.status == "ASSIGN" and self.control_label and not self.function:
            return [
                ReplyAction(
                    function="select_application_window",
                    control_label=self.control_label,
                    control_text=self.control_text,
                    args=self.args,
                    save_as=self.save_as,
                    expect=self.expect,
                )
            ]
        return super().ordered_actions()
