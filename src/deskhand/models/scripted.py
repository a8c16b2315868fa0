"""A model with scripted answers, for tests and for harnesses that drive agents without a language model."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeGuard

from pydantic import BaseModel

from deskhand.core.errors import DeskhandError, ModelUnavailable, ReplyDefect
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelReply, ModelRequest, PictureLimits
from deskhand.core.usage import Usage
from deskhand.models.language.extract import reply_object

ScriptedReply: TypeAlias = ModelReply | BaseModel | JsonObject | str | DeskhandError
Script: TypeAlias = (
    Sequence[ScriptedReply] | Mapping[str, Sequence[ScriptedReply]] | Callable[[ModelRequest], ScriptedReply]
)


class ScriptedModel:
    """Answers from a list, from one list per `agent_name`, or from a function; an error in a list is raised.

    A string is the text of a language model: its JSON object is extracted, and a defect raised if there is none.

    `requests` are the requests received, in order, including those without an answer.
    """

    def __init__(self, script: Script, *, name: str = "scripted", pictures: PictureLimits | None = None) -> None:
        self._script = script
        self._pictures = pictures
        self._name = name
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def pictures(self) -> PictureLimits | None:
        return self._pictures

    async def respond(self, request: ModelRequest) -> ModelReply:
        """The next answer. Raises: ModelUnavailable at the end of the script, or the script's error."""
        self.requests.append(request)
        reply = self._script(request) if _is_function(self._script) else self._next(request)
        if isinstance(reply, DeskhandError):
            raise reply
        if isinstance(reply, ModelReply):
            return reply
        if isinstance(reply, str):
            return _read(reply, self._name)
        content = reply.model_dump(mode="json") if isinstance(reply, BaseModel) else reply
        return ModelReply(content=content, text=json.dumps(content, ensure_ascii=False), model=self._name)

    def _next(self, request: ModelRequest) -> ScriptedReply:
        replies: Sequence[ScriptedReply] = ()
        asked = len(self.requests)
        if _is_by_agent(self._script):
            replies = self._script.get(request.agent_name, ())
            asked = sum(seen.agent_name == request.agent_name for seen in self.requests)
        elif _is_list(self._script):
            replies = self._script
        if asked > len(replies):
            raise ModelUnavailable(
                f"the script of {self._name} has no reply number {asked} for {request.agent_name}",
                fix="give the scripted model one reply per step",
            )
        return replies[asked - 1]


def _read(text: str, name: str) -> ModelReply:
    try:
        return ModelReply(reply_object(text), text, model=name)
    except ReplyDefect as defect:
        raise ReplyDefect(defect.message, text=text, usage=Usage()) from defect


def _is_function(script: Script) -> TypeGuard[Callable[[ModelRequest], ScriptedReply]]:
    return callable(script)


def _is_by_agent(script: Script) -> TypeGuard[Mapping[str, Sequence[ScriptedReply]]]:
    return isinstance(script, Mapping)


def _is_list(script: Script) -> TypeGuard[Sequence[ScriptedReply]]:
    return isinstance(script, Sequence)
