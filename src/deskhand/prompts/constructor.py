"""Renders a model's messages from the typed values of its request."""

import json
import re
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from deskhand.core.json import JsonObject
from deskhand.core.model import Message, ModelRequest, TextPart
from deskhand.core.replies import AgentReply
from deskhand.perception.compact import compact

_PROVISIONAL: Final = "What the controls say of being enabled or checked may still change by itself."
_LONGEST_REPLY: Final = 4000
_MARKS: Final = re.compile(r"<{3,}|>{3,}")


@cache
def _environment() -> Environment:
    """The shipped templates, each compiled once in a process."""
    loader = PackageLoader("deskhand.prompts", "templates")
    return Environment(  # noqa: S701 - the output is a prompt, not a page
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )


@cache
def _schema(reply_type: type[AgentReply]) -> str:
    """What a reply has to look like, as compact JSON."""
    return json.dumps(reply_type.model_json_schema(by_alias=False), separators=(",", ":"))


class MessageConstructor:
    """Builds the messages of one kind of agent.

    What never changes comes first. What came from a screen, a document or a tool is fenced as untrusted, the record
    of earlier steps included: it quotes the names of controls.
    """

    def __init__(self, kind: str, reply_type: type[AgentReply]) -> None:
        """`kind` names the templates: `KIND_system.md.j2`, `KIND_task.md.j2`, `KIND_seen.md.j2`."""
        self._kind = kind
        self._reply_type = reply_type

    @property
    def reply_schema(self) -> JsonObject:
        """What a reply has to look like, as a JSON schema."""
        return self._reply_type.model_json_schema(by_alias=False)

    def messages(self, request: ModelRequest, blackboard: str, *, tight: bool = False) -> tuple[Message, ...]:
        """The system message, then what is known, then what was seen; `tight`: of it only what matters most.

        What the program warns of is its own word, and stands with the task.
        """
        system = self._render(
            f"{self._kind}_system",
            tools=request.tools,
            statuses=request.allowed_statuses,
            schema=_schema(self._reply_type),
        )
        task = self._render(f"{self._kind}_task", request=request)
        if request.steps_done and (warning := request.steps_done[-1].warning):
            task = f"{task.rstrip()}\n{warning}"
        if request.provisional:
            task = f"{task.rstrip()}\n{_PROVISIONAL}"
        past = self._render("past", request=request, blackboard=blackboard)
        seen = self._render(
            f"{self._kind}_seen",
            request=request,
            controls=compact(request.controls, budget=700 if tight else 2000).text,
        )
        return (
            Message("system", (TextPart(system),)),
            Message("user", (TextPart(task), fenced("what happened so far", past), fenced("the screen", seen))),
        )

    def _render(self, part: str, **values: object) -> str:
        return _environment().get_template(f"{part}.md.j2").render(**values)


def repair_messages(said: str, problem: str) -> tuple[Message, ...]:
    """What is added to the messages after a reply that could not be used: the reply, and what is wrong with it."""
    answer = (Message("assistant", (TextPart(said[:_LONGEST_REPLY]),)),) if said.strip() else ()
    asked = f"This reply could not be used, and nothing of it was done: {problem}\nAnswer again with one JSON object."
    return (*answer, Message("user", (TextPart(asked),)))


def fenced(what: str, text: str) -> TextPart:
    """Text that is data and never an instruction, between marks that nothing in it can close."""
    harmless = _MARKS.sub(lambda match: " ".join(match.group()), text)
    return TextPart(f"<<<UNTRUSTED {what}\n{harmless.strip()}\nUNTRUSTED>>>", untrusted=True)
