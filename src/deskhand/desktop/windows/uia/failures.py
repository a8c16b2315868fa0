"""Results of failed calls as failures, those of the reader of Win32."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from deskhand.desktop.windows.uia.numbers import Result
from deskhand.desktop.windows.win32.failures import Failure, Gone, Hung, Refused


class Disabled(Refused):
    """The control is disabled."""


_GONE: Final = "the control or its program is gone"
_SILENT: Final = "its program does not answer"
_KINDS: Final[dict[Result, tuple[type[Failure], str]]] = {
    Result.UIA_E_ELEMENTNOTAVAILABLE: (Gone, _GONE),
    Result.RPC_E_DISCONNECTED: (Gone, _GONE),
    Result.RPC_S_SERVER_UNAVAILABLE: (Gone, _GONE),
    Result.RPC_S_CALL_FAILED: (Gone, _GONE),
    Result.UIA_E_TIMEOUT: (Hung, _SILENT),
    Result.RPC_E_CALL_REJECTED: (Hung, _SILENT),
    Result.RPC_E_SERVERCALL_RETRYLATER: (Hung, _SILENT),
    Result.UIA_E_ELEMENTNOTENABLED: (Disabled, "it is disabled"),
    Result.E_ACCESSDENIED: (Refused, "its program has higher rights, or it takes no change"),
    Result.E_INVALIDARG: (Refused, "it does not take this value"),
    Result.E_NOTIMPL: (Refused, "its program does not implement this"),
    Result.UIA_E_NOTSUPPORTED: (Refused, "it does not support this"),
    Result.UIA_E_INVALIDOPERATION: (Refused, "it cannot do this now"),
}


def failure_of(error: Exception) -> Failure:
    """Return a failure of UI Automation as that of a request."""
    number = int(getattr(error, "hresult", 0)) & 0xFFFFFFFF
    try:
        kind, text = _KINDS[Result(number)]
    except (KeyError, ValueError):
        kind, text = Refused, "UI Automation failed"
    return kind(f"{text} ({number:#010x})")


@contextmanager
def translated(error: type[Exception]) -> Generator[None]:
    """Have errors of UI Automation be failures. Raises: Gone, Hung, Disabled, Refused."""
    try:
        yield
    except error as raised:
        raise failure_of(raised) from raised
