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
    return kind(
        f"{model} {happened}{in_brackets(status, said)}",
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
    if status in {400, 422} and is_too_long(said):
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
    if (told := message_in_body(error)) is not None:
        return " ".join(told.split())
    for cause in reversed([*causes(error)]):
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


def message_in_body(error: Exception) -> str | None:
    """The message that the server wrote into its answer; None if there is none."""
    body: object = getattr(error, "body", None)
    for _ in range(2):  # the message, or {"error": {"message"}}
        if not isinstance(body, dict):
            break
        details = cast("dict[str, object]", body)
        if isinstance(message := details.get("message"), str):
            return message
        body = details.get("error")
    return None


def is_too_long(said: str) -> bool:
    """True if a server's message is about the length of the request."""
    return any(words in said.lower() for words in _LONG_WORDS)


def in_brackets(status: int | None, said: str) -> str:
    """The end of a sentence on an error: the status and the server's message, shortened; empty without both."""
    parts = [f"HTTP {status}"] if status else []
    parts += [said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"] if said else []
    return f" ({': '.join(parts)})" if parts else ""


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error and its causes; the libraries in between wrap it in errors of their own."""
    cause: BaseException | None = error
    for _ in range(8):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _has_cause(error: BaseException, names: Iterable[str]) -> bool:
    return any(type(cause).__name__ in names for cause in causes(error))


def hidden(secrets: Iterable[str], text: str) -> str:
    """The text without these secrets, also in their forms in a URL or in JSON."""
    for secret in secrets:
        if len(secret) >= 4:
            for form in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}:
                text = text.replace(form, "•••")
    return text
