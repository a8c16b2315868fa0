"""A person as the model: shown what a model is shown, answering one line a step (SPEC 4.7)."""

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
assign ID WHAT TO DO                             the host hands a subtask to a window
finish [RESULT] · fail REASON · ask QUESTION     without an action
look · screenshot                                look again; look again with new numbers
list · tools · help                              everything that is listed; the tools; these lines
{…}                                              a whole reply, as a model writes it"""


class Terminal(Protocol):
    """Where the person is."""

    async def reply(self, shown: str) -> str | None:
        """Shows a text and gives the line that was typed; None at the end of input."""
        ...


class HumanModel(PersonAsModel):
    """Asks the person for every step. What cannot be meant is said at once and asked again."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    @property
    def name(self) -> str:
        return NAME

    @property
    def pictures(self) -> PictureLimits | None:
        """The person opens the picture that is named."""
        return None

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Raises: ModelUnavailable where there is no more input."""
        shown = view(request)
        while True:
            line = await self._terminal.reply(shown)
            if line is None:
                raise ModelUnavailable("the person has gone: there is no more input", fix="run it in a terminal")
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
    """What the person is told of this step."""
    is_host = request.agent == AgentKind.HOST
    lines = [f"{request.agent_name}: {request.request if is_host else request.subtask or request.request}"]
    lines += [f"  from the host: {line}" for line in request.host_message]
    if is_host and request.previous_subtasks:
        last = request.previous_subtasks[-1]
        lines.append(f"  {last.subtask}: {last.outcome} {last.result or last.error}".rstrip())
    if request.steps_done:
        last_step = request.steps_done[-1]
        lines += [f"  {_told(action)}" for action in last_step.actions]
        lines += [f"  {text}" for text in (last_step.problem, last_step.warning) if text]
    if request.problem:
        lines.append(f"  your reply could not be used: {request.problem}")
    lines += [f"  {warning}" for warning in request.warnings]
    lines.append(compact(request.controls, budget=_LISTED_TOKENS).text or request.seen_text)
    if request.picture:
        lines.append(f"picture: {request.picture}")
    return "\n".join(lines)


def _told(action: ActionRecord) -> str:
    """What an action was, and what came of it."""
    words = [action.function, action.target, "→", action.effect or action.status, action.message or action.evidence]
    told = " ".join(word for word in words if word)
    return f"{told}; what was expected did not hold: {action.unmet}" if action.unmet else told


def parse(line: str, request: ModelRequest) -> JsonObject | str:
    """The reply a line means, or what it asks to be shown. Raises: ReplyDefect."""
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
        raise ReplyDefect(f"{error}; put what has spaces or quotes between quotes") from error
    tools = {tool.name: tool for tool in request.tools}
    if function not in tools:
        raise ReplyDefect(f"there is no tool {function!r}; there are: {', '.join(tools)}; or help")
    reply: JsonObject = {"status": "CONTINUE", "function": function}
    args: JsonObject = {}
    for word in words:
        name, equals, value = word.partition("=")
        if word.startswith("+"):
            reply["status"] = word[1:].upper()
        elif not equals and "control_label" not in reply and tools[function].takes_target:
            reply |= {"control_label": word, **_named(word, request)}
        elif not equals:
            raise ReplyDefect(f"{word!r} is neither an id nor name=value; {function}({_signature(tools[function])})")
        elif name == "save":
            reply["save_as"] = value
        else:
            args[name] = _value(value)
    return {**reply, "args": args}


def _named(label: str, request: ModelRequest) -> JsonObject:
    """The name that goes with an id, so that the two agree. Raises: ReplyDefect where there is no such id."""
    target = next((control for control in request.controls if control.id == label), None)
    if target is None:
        raise ReplyDefect(f"nothing here has the id {label!r}; list shows all")
    return {"control_text": target.name}


def _signature(tool: ToolSpec) -> str:
    properties = tool.parameters.get("properties")
    return ", ".join(properties) if isinstance(properties, dict) else ""


def _value(text: str) -> JsonValue:
    """A number, a list, true or null as such; all else as text. Raises: ReplyDefect."""
    try:
        return read_json(text)
    except NestedTooDeeply as error:
        raise ReplyDefect(f"a value cannot be used: {error}") from error
    except ValueError:
        return text
