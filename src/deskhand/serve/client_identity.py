"""The identity of a calling client: the session of the older protocols, a cookie in those without one."""

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mcp.server import ServerRequestContext
from starlette.datastructures import MutableHeaders
from starlette.requests import Request

if TYPE_CHECKING:
    from starlette.types import Message, Scope, Send

_SESSION: Final = "mcp-session-id"
_COOKIE: Final = "deskhand-client"


@dataclass(frozen=True, slots=True)
class Client:
    """A calling client. `is_new`: this is its first request, or it returns no cookie."""

    id: str
    is_new: bool = False


_STDIO: Final = Client("stdio")
"""The one client of stdin and stdout."""


def client_of(context: ServerRequestContext[Any]) -> Client:
    request = context.request
    if not isinstance(request, Request):
        return _STDIO
    if given := request.headers.get(_SESSION) or request.cookies.get(_COOKIE):
        return Client(given)
    return Client(request.scope.get(_COOKIE, ""), is_new=True)


def marked(scope: "Scope", send: "Send", path: str) -> "Send":
    """Return a `send` that gives a new client its cookie, for `path`; the identity is in the scope, too."""
    headers = Request(scope).headers
    if _SESSION in headers or _COOKIE in Request(scope).cookies:
        return send
    scope[_COOKIE] = secrets.token_urlsafe(16)

    async def send_marked(message: "Message") -> None:
        if message["type"] == "http.response.start":
            cookie = f"{_COOKIE}={scope[_COOKIE]}; Path={path}; HttpOnly; SameSite=Strict"
            MutableHeaders(scope=message).append("set-cookie", cookie)
        await send(message)

    return send_marked
