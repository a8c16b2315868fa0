"""Errors of vendors' SDKs as Deskhand's own."""

import pytest

from deskhand.core.errors import ModelUnavailable
from deskhand.models.sdk_errors import fault_of_sdk

pytestmark = pytest.mark.requires("operator.failures")


class StatusError(Exception):
    """As the SDKs of Anthropic and OpenAI raise them."""

    def __init__(self, status_code: int, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.body = {"error": {"message": message}}
        self.response = type("Response", (), {"headers": {"retry-after": retry_after} if retry_after else {}})()


def caused_by(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


class ConnectError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "kind", "free"),
    [
        (StatusError(401, "no such key"), "ModelDenied", True),
        (StatusError(400, "prompt is too long"), "RequestTooLong", True),
        (StatusError(413, "large"), "RequestTooLong", True),
        (StatusError(418, "teapot"), "RequestRejected", True),
        (StatusError(429, "slow", "7"), "ModelBusy", True),
        (StatusError(503, "busy"), "ModelBusy", True),
        (StatusError(500, "oops"), "ModelBroken", True),
        (TimeoutError(), "ModelSilent", False),
        (RuntimeError("half an answer"), "ModelBroken", False),
        (caused_by(RuntimeError("Connection error."), ConnectError("refused")), "ModelBroken", True),
    ],
    ids=lambda value: str(value)[:20],
)
def test_each_kind_is_named(error: Exception, kind: str, free: bool) -> None:
    fault = fault_of_sdk("vendor:m", error)
    assert isinstance(fault, ModelUnavailable)
    assert (type(fault).__name__, fault.usage is not None and fault.usage.cost_usd == 0) == (kind, free)
    assert fault.message.startswith("vendor:m ")


def test_the_delay_that_a_server_asks_for_is_kept_and_a_date_is_not() -> None:
    assert fault_of_sdk("m", StatusError(429, "slow", "7")).retry_after_s == 7
    assert fault_of_sdk("m", StatusError(429, "slow", "Wed, 21 Oct 2026 07:28:00 GMT")).retry_after_s is None


def test_no_key_and_no_long_text_is_in_a_message() -> None:
    message = fault_of_sdk("m", StatusError(401, "key sk-secret is bad " + "x" * 1000), ["sk-secret"]).message
    assert "sk-secret" not in message
    assert len(message) < 400
