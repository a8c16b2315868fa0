"""MCP over streamable HTTP, protected by a bearer token and by lists of allowed hosts and origins."""

import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse

from deskhand.core.errors import UsageError
from deskhand.serve.client_identity import marked
from deskhand.serve.web_server import Place, listen, serve_until_cancelled

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH: Final = "/mcp"
MOST_BYTES: Final = 4 * 1024 * 1024
_LEAST_TOKEN: Final = 16


def check_token(token: str) -> str:
    """Raises: UsageError for a token that could be guessed, or that no header can carry."""
    if len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"the token is too weak: use {_LEAST_TOKEN} or more letters, digits and signs without spaces",
            fix='python3 -c "import secrets; print(secrets.token_urlsafe(32))"',
        )
    return token


async def serve_http(server: Server[Any], place: Place, token: str, *, ready: Callable[[str], None]) -> None:
    """Serve until cancelled; `ready` gets the address when the server listens. Raises: UsageError."""
    listening = listen(place)
    shown = f"[{place.host}]" if ":" in place.host else place.host
    hosts = [f"{host}:*" for host in place.hosts]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=place.host,
        max_request_body_size=MOST_BYTES,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[*hosts, *place.hosts],
            allowed_origins=[f"http://{host}" for host in (*hosts, *place.hosts)],
        ),
    )
    config = uvicorn.Config(
        _Guarded(app, token),
        log_config=None,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    await serve_until_cancelled(config, listening, lambda: ready(f"http://{shown}:{listening.getsockname()[1]}{PATH}"))


class _Guarded:
    """Middleware that rejects requests without the token before it examines anything else."""

    def __init__(self, app: "ASGIApp", token: str) -> None:
        self._app = app
        self._wanted = f"bearer {token}".encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http" and not self._is_known(scope):
            refusal = PlainTextResponse(
                "a bearer token is needed: Authorization: Bearer TOKEN",
                status_code=401,
                headers={"www-authenticate": 'Bearer realm="deskhand"'},
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, marked(scope, send, PATH) if scope["type"] == "http" else send)

    def _is_known(self, scope: "Scope") -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1:
            return False
        kind, _, token = given[0].partition(b" ")
        return hmac.compare_digest(kind.lower() + b" " + token.strip(), self._wanted)
