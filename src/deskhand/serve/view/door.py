"""Access to a view: for pages of its own address alone, with the token, which the first request makes a cookie of."""

import hmac
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_POLICY: Final = "; ".join((
    "default-src 'none'",
    *(f"{kind}-src 'self'" for kind in ("script", "style", "connect")),
    "img-src 'self' data:",
    *(f"{kind} 'none'" for kind in ("base-uri", "form-action", "frame-ancestors")),
))  # fmt: skip
_HEADERS: Final = {
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class Door:
    """Middleware that refuses, with a sentence, all requests but those of the view's own page."""

    def __init__(self, app: "ASGIApp", token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = tuple(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))
        self._cookie = f"deskhand-view-{port}"
        """Browsers send a cookie to all ports of a host."""

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        answer = self._answer(scope)
        if answer is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            answer.headers.update(_HEADERS)
            await answer(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _answer(self, scope: "Scope") -> Response | None:
        """Return the answer to a request that does not get in; None for one that does."""
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        if host not in self._hosts:
            return _refusal(f"This page is at http://{self._hosts[0]} alone: open the address that was printed.", 421)
        if origin and origin != f"http://{host}":
            return _refusal("Pages of other addresses get nothing from here.")
        if scope["type"] == "http" and (given := _token_in(scope)) is not None:
            if not self._is_token(given):
                return _refusal("The token is wrong: open the address that was printed, as it is.")
            return self._let_in()
        if not self._is_token(self._cookie_of(scope)):
            return _refusal("The token is missing: open the address that was printed, with its token.")
        return None

    def _let_in(self) -> Response:
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(self._cookie, self._token.decode(), httponly=True, samesite="strict")
        return answer

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors="replace"), self._token)

    def _cookie_of(self, scope: "Scope") -> str:
        try:
            found = SimpleCookie(_header(scope, b"cookie")).get(self._cookie)
        except CookieError:
            return ""
        return found.value if found else ""


def with_headers(response: Response) -> Response:
    """Return a response that a browser does not store, and other pages cannot use."""
    response.headers.update(_HEADERS)
    return response


def _refusal(sentence: str, status: int = 403) -> Response:
    return PlainTextResponse(f"{sentence}\n", status_code=status)


def _header(scope: "Scope", name: bytes) -> str:
    """Return the value of a header; empty unless it is there once."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def _token_in(scope: "Scope") -> str | None:
    given = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True).get("token")
    return given[0] if given else None
