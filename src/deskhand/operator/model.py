"""The model of an OperatorAgent: a vendor's computer-use model, asked for turns. Alone it is the host's too."""

import json
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Final, Protocol

from deskhand import ModelSetup
from deskhand.agent_parts import MakeAgent
from deskhand.core.errors import ReplyDefect, UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind, ModelReply, ModelRequest, PictureLimits
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.core.usage import Usage
from deskhand.operator.actions import Codec, Conversation

_ENOUGH: Final = 8192
"""Tokens that are enough for any turn."""


class Transport(Protocol):
    """A connection to a vendor, by its SDK."""

    async def send(self, body: JsonObject) -> Mapping[str, JsonValue]:
        """Return the body of the reply. Raises: ModelUnavailable (one of its kinds), MissingRequirement."""
        ...

    async def close(self) -> None: ...


class OperatorModel:
    """`vendor`: its name in price lists; `agent` makes its agents. As a context, it closes its connection."""

    def __init__(
        self, vendor: str, codec: Codec, transport: Transport, agent: MakeAgent, setup: ModelSetup | None = None
    ) -> None:
        self.codec = codec
        self.agent = agent
        self._vendor = vendor
        self._transport = transport
        self._setup = setup or ModelSetup()

    @property
    def name(self) -> str:
        return f"operator:{self._vendor}/{self.codec.model}"

    @property
    def pictures(self) -> PictureLimits | None:
        """None: its agent makes the pictures."""
        return None

    @property
    def max_output_tokens(self) -> int:
        return self._setup.max_output_tokens or _ENOUGH

    def has_price(self) -> bool:
        return self._setup.has_price(self._vendor, self.codec.model)

    async def __aenter__(self) -> "OperatorModel":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.close()

    async def take_turn(self, conversation: Conversation) -> ModelReply:
        """Ask for one turn; the content is the vendor's body. Raises: ModelUnavailable, ReplyDefect."""
        body = dict(await self._transport.send(self.codec.request(conversation)))
        try:
            turn = self.codec.reply(body)
        except ReplyDefect as defect:
            text = json.dumps(body, ensure_ascii=False, default=str)
            raise ReplyDefect(defect.message, text=text, usage=Usage(cost_usd=None)) from defect
        usage = replace(turn.usage, cost_usd=self._setup.cost_usd(self._vendor, self.codec.model, turn.usage))
        calls = [f"{call.name}: {action!r}" for call in turn.calls for action in call.actions]
        return ModelReply(body, "\n".join(filter(None, (turn.text, *calls))), usage, model=turn.model or self.name)

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Decide for the host: assign the request to the window it is for, and end with its outcome.

        Raises: UsageError for another agent than the host.
        """
        if request.agent != AgentKind.HOST:
            raise UsageError(f"{self.name} drives applications alone, and was asked as {request.agent}")
        content = _host_reply(request)
        return ModelReply(content, json.dumps(content, ensure_ascii=False), model="operator")


def _host_reply(request: ModelRequest) -> JsonObject:
    """Assign the request, again if its result was not accepted, and end: the outcome is that of the subtask."""
    refused = request.steps_done[-1].problem if request.steps_done else ""
    if request.steps_done and request.previous_subtasks:
        last = request.previous_subtasks[-1]
        if last.outcome is not Outcome.SUCCESS or not refused:
            return {"status": "FINISH", "result": last.result or last.error, "comment": last.error}
    window = _window(request)
    if window is None:
        why = "no window is open to work in; give a file, or an application to open"
        return {"status": "FAIL", "result": why, "comment": why}
    return {
        "status": "ASSIGN",
        "current_subtask": request.request,
        "message": [f"The last result was not accepted: {refused}"] if refused else [],
        "control_label": window.id,
        "control_text": window.name,
        "last": True,
    }


def _window(request: ModelRequest) -> TargetInfo | None:
    """The window of the file opened last, else the one in front."""
    shown = [each for each in request.controls if each.kind is TargetKind.WINDOW]
    files = [document.window.handle for document in request.documents if document.window]
    of_file = [each for handle in reversed(files) for each in shown if each.handle == handle]
    windows = [each for each in shown if each.type is Role.WINDOW]
    return next(iter((*of_file, *windows, *shown)), None)
