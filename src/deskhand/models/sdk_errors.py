"""Translation of the errors of vendors' SDKs to Deskhand's own; keys never appear in them."""

import json
import ssl
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, cast
from urllib.parse import quote

from deskhand.core.errors import (
    ModelBroken,
    ModelBusy,
    ModelDenied,
    ModelSilent,
    ModelUnavailable,
    RequestRejected,
    RequestTooLong,
)
from deskhand.core.usage import Usage

_LONGEST: Final = 300
_BACKUP: Final = "wait, and try again"
_SILENT: Final = (ModelSilent, "did not answer in time", "raise models.timeout_s")
_BROKEN: Final = (ModelBroken, "failed on its own side", _BACKUP)
_REJECTED: Final = (RequestRejected, "does not take the request", "check the model's name and its abilities")
_TOO_LONG: Final = (RequestTooLong, "cannot read a request that long", "use a model that reads more")
_KINDS: Final[Mapping[int, tuple[type[ModelUnavailable], str, str]]] = {
    400: _REJECTED,
    401: (ModelDenied, "does not accept the key", "check the key and the account"),
    402: (ModelDenied, "reports that the account's quota is used up", "check the account"),
    403: (ModelDenied, "refused the request", "check the key and the account"),
    404: (ModelDenied, "is not known to its server", "check the name and the address"),
    408: _SILENT,
    413: _TOO_LONG,
    422: _REJECTED,
    429: (ModelBusy, "gets too many requests", _BACKUP),
    503: (ModelBusy, "is overloaded", _BACKUP),
    504: _SILENT,
    529: (ModelBusy, "is overloaded", _BACKUP),
}
_LONG_WORDS: Final = ("context length", "context_length", "too many tokens", "maximum context", "too long")


def fault_of_sdk(model: str, error: Exception, secrets: Iterable[str] = ()) -> ModelUnavailable:
    """Translate an error that an SDK raised: one with an HTTP status, a timeout, or a broken connection or answer.

    The cost of a call without an answer is unknown, unless nothing was sent.
    """
    status, said = _status(error), hidden(secrets, _message(error))
    kind, happened, fix = _kind(error, status, said)
    is_free = status is not None or _has_cause(error, ("ConnectError", "ConnectTimeout"))
    shown = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
    details = ": ".join(filter(None, (f"HTTP {status}" if status else "", shown)))
    return kind(
        f"{model} {happened}{f' ({details})' if details else ''}",
        fix=fix,
        retry_after_s=_retry_after(error),
        usage=Usage() if is_free else Usage(cost_usd=None),
    )


def _kind(error: Exception, status: int | None, said: str) -> tuple[type[ModelUnavailable], str, str]:
    if _has_cause(error, ("AnswerRefused", "SSLCertVerificationError")):
        return ModelDenied, "gave an answer that is not read", "check the address and the server there"
    if status is None:
        timed_out = isinstance(error, TimeoutError) or "Timeout" in type(error).__name__
        return _SILENT if timed_out else (ModelBroken, "could not be reached, or broke off", "check the network")
    if status in {400, 422} and any(words in said.lower() for words in _LONG_WORDS):
        return _TOO_LONG
    known = _KINDS.get(status)
    if known is not None:
        return known
    return _BROKEN if status >= 500 or status < 400 else _REJECTED


def _status(error: Exception) -> int | None:
    for name in ("status_code", "code"):
        value: object = getattr(error, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _message(error: Exception) -> str:
    """The server's message in its plainest form, else the system's about the connection."""
    body: object = getattr(error, "body", None)
    for _ in range(2):  # the message, or {"error": {"message"}}
        if not isinstance(body, dict):
            break
        details = cast("dict[str, object]", body)
        if isinstance(message := details.get("message"), str):
            return " ".join(message.split())
        body = details.get("error")
    for cause in reversed([*_causes(error)]):
        said = cause.verify_message if isinstance(cause, ssl.SSLCertVerificationError) else str(cause)
        if said:
            return " ".join(said.split())
    return ""


def _retry_after(error: Exception) -> float | None:
    headers: object = getattr(getattr(error, "response", None), "headers", None)
    given = cast("Mapping[str, str]", headers).get("retry-after") if isinstance(headers, Mapping) else None
    try:
        return max(0.0, float(given)) if given else None
    except ValueError:  # a date
        return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    for _ in range(8):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _has_cause(error: BaseException, names: Iterable[str]) -> bool:
    return any(type(cause).__name__ in names for cause in _causes(error))


def hidden(secrets: Iterable[str], text: str) -> str:
    """The text without these secrets, also in their forms in a URL or in JSON."""
    for secret in secrets:
        if len(secret) >= 4:
            for form in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}:
                text = text.replace(form, "•••")
    return text
