"""Translation of providers' errors to Deskhand's own; keys never appear in them."""

import ssl
from collections.abc import Iterable
from typing import Final, cast

import httpx2
from pydantic_ai import exceptions as theirs

from deskhand.core.errors import (
    ModelBroken,
    ModelBusy,
    ModelDenied,
    ModelRefused,
    ModelSilent,
    ModelUnavailable,
    RequestRejected,
    RequestTooLong,
)
from deskhand.core.usage import Usage
from deskhand.models.language.network import AnswerRefused
from deskhand.models.sdk_errors import causes, hidden, in_brackets, is_too_long, message_in_body

FAULTS: Final = (
    theirs.AgentRunError,
    theirs.UserError,
    ExceptionGroup,
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)
"""Errors a call may raise: the library's own, and those of its code on an answer of unexpected form."""
_CATEGORIES: tuple[tuple[type[Exception], type[ModelUnavailable], str, str], ...] = (
    (theirs.ModelRateLimitError, ModelBusy, "gets too many requests", "wait, or give another model as backup"),
    (theirs.ModelQuotaExceededError, ModelDenied, "reports that the account's quota is used up", "check the account"),
    (theirs.ModelUnavailableError, ModelBusy, "is overloaded", "wait, or give another model as backup"),
    (theirs.ModelServerError, ModelBroken, "failed on its own side", "wait, or give another model as backup"),
    (theirs.ModelTimeoutError, ModelSilent, "did not answer in time", "raise models.timeout_s, or try another model"),
    (theirs.ModelRequestTimeout, ModelSilent, "did not answer in time", "raise models.timeout_s, or try another model"),
    (TimeoutError, ModelSilent, "did not answer in time", "raise models.timeout_s, or try another model"),
    (theirs.UserError, RequestRejected, "cannot be asked this way", "deskhand models test MODEL"),
    (theirs.ModelConnectionError, ModelBroken, "could not be reached", "check the network and the address"),
    (theirs.ModelContextWindowExceededError, RequestTooLong, "cannot read a request that long", "use a larger model"),
    (theirs.ModelAuthenticationError, ModelDenied, "does not accept the key", "check the key and the account"),
    (theirs.ModelNotFoundError, ModelDenied, "is not known to its server", "check the name and the address"),
    (theirs.ModelRequestRejectedError, RequestRejected, "does not take the request", "deskhand models test MODEL"),
    (theirs.ContentFilterError, ModelRefused, "declined: a content filter stopped it", "reword the request"),
)
_UNTRUSTED: Final = (ModelDenied, "gave an answer that is not read", "check the address and the server there")
_UNCLEAR: Final = (400, 404, 413, 422)


def fault_of(model: str, error: Exception, secrets: Iterable[str]) -> ModelUnavailable:
    """Translate an error of a call. It includes the server's message, shortened and without keys.

    The cost of a call that reached the server and ended without an answer is unknown: it may have been processed.
    """
    if isinstance(error, ExceptionGroup):
        inner = cast("ExceptionGroup[Exception]", error).exceptions
        return fault_of(model, inner[0], secrets)
    met = _met_on_the_way(error)
    said = _without(secrets, met or _server_message(error))
    status = error.status_code if isinstance(error, theirs.ModelHTTPError) else None
    kind, happened, fix = _UNTRUSTED if met else _kind_of(error, status, said)
    waits = error.retry_after if isinstance(error, theirs.ModelAPIError) else None
    answered = status is not None or issubclass(kind, RequestRejected | ModelDenied)
    never_sent = any(isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout) for cause in causes(error))
    is_free = answered or never_sent
    message = f"{model} {happened}{in_brackets(status, said)}"
    return kind(message, fix=fix, retry_after_s=waits, usage=Usage() if is_free else Usage(cost_usd=None))


def _met_on_the_way(error: BaseException) -> str:
    """Reason why an answer must not be read, in words; empty if there is none."""
    for cause in causes(error):
        if isinstance(cause, AnswerRefused):
            return str(cause)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not valid: {cause.verify_message}"
    return ""


def _kind_of(error: Exception, status: int | None, said: str) -> tuple[type[ModelUnavailable], str, str]:
    """The error's class, its message, and its fix."""
    for theirs_is, ours, happened, fix in _CATEGORIES:
        if isinstance(error, theirs_is) and not (ours is RequestRejected and is_too_long(said)):
            return ours, happened, fix
    if status == 413 or (status in _UNCLEAR and is_too_long(said)):
        return RequestTooLong, "cannot read a request that long", "use a model that reads more"
    if status in _UNCLEAR:
        return RequestRejected, "does not take the request", "deskhand models test MODEL"
    if status is not None and status < 500:
        return ModelDenied, "refused the request", "check the key and the account"
    return ModelBroken, "gave no answer that can be read", "wait, or give another model as backup"


def _server_message(error: Exception) -> str:
    """The server's message in its plainest form."""
    if isinstance(error, IndexError):
        return "there is no choice in it"
    if (told := message_in_body(error)) is not None:
        return told
    return _innermost(error) if isinstance(error, theirs.ModelConnectionError) else str(error)


def _innermost(error: BaseException) -> str:
    """The system's message about a connection; the libraries in between report only that there is none."""
    return next((said for cause in reversed([*causes(error)]) if (said := str(cause))), "")


def _without(secrets: Iterable[str], text: str) -> str:
    return " ".join(hidden(secrets, text).split())
