"""Answers to calls, as text and as JSON. Text from the screen is fenced as untrusted, and cut only in its fence."""

from dataclasses import dataclass
from typing import Final

from deskhand.core.command import Result, ResultStatus, ToolSpec
from deskhand.core.errors import ErrorInfo
from deskhand.core.fences import fenced, harmless
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.text import cut, size
from deskhand.core.type_checks import json_of
from deskhand.pipeline.outputs import output_line
from deskhand.session.single_action import result_json

MOST_TEXT: Final = 80_000
"""Limit of a text in an answer, in bytes: many clients cut longer ones, and the end of the fence with it."""
_OPEN: Final = "<<<UNTRUSTED"
_CLOSE: Final = "UNTRUSTED>>>"
_MOST_CANDIDATES: Final = 20
_UNKNOWN_EFFECT: Final = "The effect of this action is unknown: observe the window before you go on."


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a call. `data`: the JSON object of an action. `picture`: bytes and media type. `problem`: the type of
    the error, empty for none.
    """

    text: str
    data: JsonObject | None = None
    picture: tuple[bytes, str] | None = None
    failed: bool = False
    problem: str = ""


def untrusted(what: str, text: str) -> str:
    """Return a text in its fence, cut at a line end before the fence where it is too long."""
    if size(text) > MOST_TEXT:
        kept = cut(text, MOST_TEXT).rpartition("\n")[0] or cut(text, MOST_TEXT)
        text = f"{kept}\n… (cut: {len(text) - len(kept)} characters more)"
    return fenced(what, text).text


def of_value(name: str, value: JsonValue, evidence: str = "") -> Answer:
    """Answer of a tool that reads. `evidence`: the extent of what it read."""
    told = output_line(name, value, most=MOST_TEXT, kept_by="")
    return Answer(fenced("the screen", f"{told}\n({evidence})" if evidence else told).text)


def of_action(spec: ToolSpec, result: Result) -> Answer:
    """Answer of an action: one line, its result, and its JSON object."""
    if result.error is not None:
        failed = of_failure(result)
        return Answer(failed.text, _data(result), failed=True, problem=failed.problem)
    word = result.effect.value if result.effect else result.status.value
    route = f" by {result.route.value}" if result.route else ""
    lines = [untrusted(f"what came of {spec.name}", f"{word}{route}: {result.evidence}")]
    lines += [note] if (note := _note(result)) else []
    if result.result is not None:
        given = output_line(spec.name, json_of(result.result), most=MOST_TEXT, kept_by="")
        lines.append(fenced("the result", given).text)
    return Answer("\n".join(lines), _data(result), failed=result.status is ResultStatus.FAILURE)


def of_failure(result: Result) -> Answer:
    """Answer of a command that failed."""
    info = result.error or ErrorInfo("CommandFailed", "the command failed")
    delivered = "A part of it was already sent." if result.delivered else "Nothing was sent."
    again = "It can be called again." if result.retry_safe else "Calling it again may repeat its effect: observe first."
    return Answer(f"{_problem(info)}\n{delivered} {again}", failed=True, problem=info.type)


def of_error(info: ErrorInfo) -> Answer:
    """Answer of a call that was not carried out."""
    return Answer(_problem(info), failed=True, problem=info.type)


def _problem(info: ErrorInfo) -> str:
    lines = [f"{info.type}: {info.message}", *(f"- {each}" for each in info.candidates[:_MOST_CANDIDATES])]
    told = untrusted("what went wrong", "\n".join(lines))
    return f"{told}\nTo do: {harmless(info.fix)}" if info.fix else told


def _note(result: Result) -> str:
    if result.error is not None:
        return f"To do: {harmless(result.error.fix)}" if result.error.fix else ""
    return _UNKNOWN_EFFECT if result.status is ResultStatus.NONE else ""


def _data(result: Result) -> JsonObject:
    """Return the object of contract 6, its texts from the screen between two marks, in the order of JSON text: many
    clients give a model this object alone.
    """
    told = result_json(result)
    ours: JsonObject = {key: told[key] for key in ("status", "effect", "route", "delivered", "retry_safe")}
    screen: JsonObject = {key: harmless_json(told[key]) for key in ("evidence", "error", "result")}
    return in_marks({**ours, "note": _note(result)}, screen)


def in_marks(ours: JsonObject, screen: JsonObject) -> JsonObject:
    """Return an object of our own fields, then of those with texts from the screen, between two marks."""
    *others, last = screen
    named = f"{', '.join(others)} and {last}" if others else last
    return {**ours, "untrusted": f"{_OPEN} {named}", **screen, "untrusted_end": _CLOSE}


def harmless_json(value: JsonValue) -> JsonValue:
    """Return a value none of whose texts closes the fence."""
    if isinstance(value, str):
        return value.replace(_CLOSE, harmless(_CLOSE))
    if isinstance(value, list):
        return [harmless_json(item) for item in value]
    return {key: harmless_json(item) for key, item in value.items()} if isinstance(value, dict) else value
