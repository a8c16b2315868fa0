"""Confirmations over MCP: elicitation if the client supports it, else no decision, which approves nothing.

Up to protocol 2025-11-25 the client is asked while the call waits. In later versions the call ends with the question,
and the client repeats the call with the answer, which is valid once and for exactly the facts shown.
"""

import secrets
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import mcp_types as types
from anyio import CancelScope, Lock, get_current_task, move_on_after
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from deskhand.core.ports import Answers, AskedLater, ConfirmationRequest, Verdict
from deskhand.policy.engine import describe

_MOST_OPEN: Final = 32
_SCHEMA: Final[types.ElicitRequestedSchema] = {
    "type": "object",
    "properties": {
        "approve": {
            "type": "boolean",
            "title": "Approve",
            "description": "Do exactly this, once",
            "default": False,
        }
    },
    "required": ["approve"],
}


class AskedInTheAnswer(AskedLater):
    """The call ends with a question; `key` identifies its answer."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.result = types.InputRequiredResult(
            input_requests={
                key: types.ElicitRequest(
                    params=types.ElicitRequestFormParams(message=message, requested_schema=_SCHEMA)
                )
            }
        )


@dataclass(slots=True)
class _Caller:
    """The calling client, and the answers in its call."""

    context: ServerRequestContext[Any]
    answers: Mapping[str, object] = field(default_factory=dict[str, object])


class ClientInteractor:
    """Asks the user of the calling client. Other calls have their turn until the user has decided."""

    def __init__(self, *, timeout_s: float, turn: Lock) -> None:
        """`timeout_s`: timeout of a decision; 0: none. `turn`: held by the call that asks, if any."""
        self._timeout_s = timeout_s or None
        self._turn = turn
        self._caller: ContextVar[_Caller | None] = ContextVar("caller", default=None)
        self._open: dict[str, tuple[Verdict, ...]] = {}

    @contextmanager
    def asking(self, context: ServerRequestContext[Any], answers: Mapping[str, object] | None) -> Generator[None]:
        """Send confirmations to this client inside the context."""
        token = self._caller.set(_Caller(context, answers or {}))
        try:
            yield
        finally:
            self._caller.reset(token)

    @property
    def reaches_person(self) -> bool:
        caller = self._caller.get()
        return caller is not None and _can_be_asked(caller.context)

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:  # noqa: ARG002 - a single action asks nothing
        return Answers(timed_out=True)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        """Raises: AskedInTheAnswer if the call must end with the question."""
        caller = self._caller.get()
        if caller is None:
            return None
        message = _message(request)
        if caller.context.session.can_send_request:
            async with self._turn_of_others():
                return await self._ask_now(caller.context, message)
        for key, answer in caller.answers.items():
            if self._open.pop(key, None) == request.facts and isinstance(answer, types.ElicitResult):
                return _decision(answer)
        while len(self._open) >= _MOST_OPEN:
            del self._open[next(iter(self._open))]
        key = secrets.token_urlsafe(24)
        self._open[key] = request.facts
        raise AskedInTheAnswer(key, message)

    @asynccontextmanager
    async def _turn_of_others(self) -> AsyncGenerator[None]:
        owner = self._turn.statistics().owner
        if owner is None or owner.id != get_current_task().id:  # a tool that waits has no turn
            yield
            return
        self._turn.release()
        try:
            yield
        finally:
            with CancelScope(shield=True):  # the call gives its turn back at its end
                await self._turn.acquire()

    async def _ask_now(self, context: ServerRequestContext[Any], message: str) -> bool | None:
        with move_on_after(self._timeout_s):
            try:
                return _decision(await context.session.elicit_form(message, _SCHEMA, context.request_id))
            except (MCPError, ValidationError):
                return None  # the client could not ask, or answered something else
        return None


def _can_be_asked(context: ServerRequestContext[Any]) -> bool:
    """True if the client declares that it can show a form to a user; `{}` means forms."""
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _decision(answer: types.ElicitResult) -> bool | None:
    """Only a submitted form with its box ticked approves; a dismissed form decides nothing."""
    if answer.action == "cancel":
        return None
    return answer.action == "accept" and (answer.content or {}).get("approve") is True


def _message(request: ConfirmationRequest) -> str:
    facts = "\n\n".join("\n".join(describe(verdict)) for verdict in request.facts)
    return f"May {request.agent} do this on the desktop?\n\n{facts}"
