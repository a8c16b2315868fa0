"""A user in place of the model: reads the same observation and answers one line a step."""

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from deskhand.core.command import ToolSpec
from deskhand.core.errors import ModelUnavailable, ReplyDefect
from deskhand.core.json import JsonObject, JsonValue, NestedTooDeeply, read_json
from deskhand.core.model import ActionRecord, AgentKind, ModelReply, ModelRequest, PictureLimits
from deskhand.core.ports import PersonAsModel
from deskhand.core.usage import Usage
from deskhand.models.language.extract import reply_object
from deskhand.perception.compact import compact

NAME: Final = "human"
_LISTED_TOKENS: Final = 1500
_HELP: Final = """\
TOOL [ID] [name=value …] [save=NAME] [+STATUS]   one action, such as
    invoke 12 · set_edit_text 5 text="two words" · read_table 7 save=sales +finish
assign ID SUBTASK                                the host gives a subtask to a window
finish [RESULT] · fail REASON · ask QUESTION     without an action
look · screenshot                                observe again; observe again with new numbers
list · tools · help                              all elements; the tools; these lines
{…}                                              a whole reply, as a model writes it"""


class Terminal(Protocol):
    """Input and output of the user."""

    async def reply(self, shown: str) -> str | None:
        """Show a text and return the line that was typed; None at the end of input."""
        ...


class HumanModel(PersonAsModel):
    """Ask the user for every step. A line that cannot be read is reported at once and asked for again."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    @property
    def name(self) -> str:
        return NAME

    @property
    def pictures(self) -> PictureLimits | None:
        """None: the user opens the picture that is named."""
        return None

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Raises: ModelUnavailable at the end of input."""
        shown = view(request)
        while True:
            line = await self._terminal.reply(shown)
            if line is None:
                raise ModelUnavailable("the input has ended", fix="run it in a terminal")
            try:
                content = parse(line, request)
            except ReplyDefect as defect:
                shown = f"  {defect.message}"
                continue
            if isinstance(content, str):
                shown = content
                continue
            return ModelReply(content, json.dumps(content, ensure_ascii=False), Usage(), model=NAME)


def view(request: ModelRequest) -> str:
    """Text shown to the user for this step."""
    is_host = request.agent == AgentKind.HOST
    lines = [f"{request.agent_name}: {request.request if is_host else request.subtask or request.request}"]
    lines += [f"  from the host: {line}" for line in request.host_message]
    if is_host and request.previous_subtasks:
        last = request.previous_subtasks[-1]
        lines.append(f"  {last.subtask}: {last.outcome} {last.result or last.error}".rstrip())
    if request.steps_done:
        last_step = request.steps_done[-1]
        lines += [f"  {_action_line(action)}" for action in last_step.actions]
        lines += [f"  {text}" for text in (last_step.problem, last_step.warning) if text]
    if request.problem:
        lines.append(f"  your reply could not be used: {request.problem}")
    lines += [f"  {warning}" for warning in request.warnings]
    lines.append(compact(request.controls, budget=_LISTED_TOKENS).text or request.seen_text)
    if request.picture:
        lines.append(f"picture: {request.picture}")
    return "\n".join(lines)


def _action_line(action: ActionRecord) -> str:
    """One line about an action and its result."""
    words = [action.function, action.target, "→", action.effect or action.status, action.message or action.evidence]
    line = " ".join(word for word in words if word)
    return f"{line}; the expected effect was missing: {action.unmet}" if action.unmet else line


def parse(line: str, request: ModelRequest) -> JsonObject | str:
    """Return the reply of a line, or the text it asks to be shown. Raises: ReplyDefect."""
    line = line.strip()
    word, _, rest = line.partition(" ")
    rest = rest.strip()
    if line.startswith("{"):
        return reply_object(line)
    if word.lower() in _SHOWN:
        return _SHOWN[word.lower()](request)
    if word.lower() in _WITHOUT_ACTION:
        return _WITHOUT_ACTION[word.lower()](rest)
    if word.lower() == "assign":
        label, _, subtask = rest.partition(" ")
        return {"status": "ASSIGN", "control_label": label, "current_subtask": subtask, **_named(label, request)}
    return _action(line, request)


def _tools(request: ModelRequest) -> str:
    return "\n".join(f"{tool.name}({_signature(tool)})  {tool.description}" for tool in request.tools)


def _all(request: ModelRequest) -> str:
    return compact(request.controls).text or request.seen_text


_SHOWN: Final[Mapping[str, Callable[[ModelRequest], str]]] = {
    "": lambda _: _HELP,
    "help": lambda _: _HELP,
    "?": lambda _: _HELP,
    "list": _all,
    "tools": _tools,
}
_WITHOUT_ACTION: Final[Mapping[str, Callable[[str], JsonObject]]] = {
    "look": lambda _: {"status": "CONTINUE"},
    "screenshot": lambda _: {"status": "SCREENSHOT"},
    "finish": lambda rest: {"status": "FINISH", "result": rest},
    "fail": lambda rest: {"status": "FAIL", "comment": rest},
    "ask": lambda rest: {"status": "PENDING", "questions": [rest]},
}


def _action(line: str, request: ModelRequest) -> JsonObject:
    """Raises: ReplyDefect."""
    try:
        function, *words = shlex.split(line)
    except ValueError as error:
        raise ReplyDefect(f"{error}; put values with spaces or quotes between quotes") from error
    tools = {tool.name: tool for tool in request.tools}
    if function not in tools:
        raise ReplyDefect(f"there is no tool {function!r}; the tools are: {', '.join(tools)}; type help for more")
    reply: JsonObject = {"status": "CONTINUE", "function": function}
    args: JsonObject = {}
    for word in words:
        name, equals, value = word.partition("=")
        if word.startswith("+"):
            reply["status"] = word[1:].upper()
        elif not equals and "control_label" not in reply and tools[function].takes_target:
            reply |= {"control_label": word, **_named(word, request)}
        elif not equals:
            raise ReplyDefect(
                f"{word!r} is neither an id nor name=value; use {function}({_signature(tools[function])})"
            )
        elif name == "save":
            reply["save_as"] = value
        else:
            args[name] = _value(value)
    return {**reply, "args": args}


def _named(label: str, request: ModelRequest) -> JsonObject:
    """Name that belongs to an id, so that both agree. Raises: ReplyDefect if there is no such id."""
    target = next((control for control in request.controls if control.id == label), None)
    if target is None:
        raise ReplyDefect(f"no element has the id {label!r}; type list for all ids")
    return {"control_text": target.name}


def _signature(tool: ToolSpec) -> str:
    properties = tool.parameters.get("properties")
    return ", ".join(properties) if isinstance(properties, dict) else ""


def _value(text: str) -> JsonValue:
    """Number, list, true or null as such; all else as text. Raises: ReplyDefect."""
    try:
        return read_json(text)
    except NestedTooDeeply as error:
        raise ReplyDefect(f"the value cannot be used: {error}") from error
    except ValueError:
        return text
