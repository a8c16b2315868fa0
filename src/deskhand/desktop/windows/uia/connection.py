"""UI Automation itself, by comtypes."""

import ctypes
import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Final, Protocol, TypeVar, cast

from deskhand.core.errors import MissingRequirement
from deskhand.desktop.windows.uia.com import Automation, Connection, Pattern, Unknown

T = TypeVar("T")
_LIBRARY: Final = "UIAutomationCore.dll"
_CLASSES: Final = ("{E22AD333-B25F-460C-83D0-0581107395C9}", "{FF48DBA4-60EF-4201-AA87-54103EEF594E}")
"""CUIAutomation8, and CUIAutomation."""
_CONNECTION_MS: Final = 1000
_TRANSACTION_MS: Final = 4000
"""Timeouts of a program that does not answer; the second one is 20 s by default."""
_MANY_THREADS: Final = 0  # COINIT_MULTITHREADED
_FIX: Final = "take uia out of system.control_backend: win32 reads controls by messages"


class _Timeouts(Protocol):
    """IUIAutomation2."""

    ConnectionTimeout: int
    TransactionTimeout: int


def connect() -> Connection:
    """Return UI Automation of this process. Blocking: the first time, comtypes reads its type library.

    Raises: MissingRequirement.
    """
    _share_between_threads()
    try:
        comtypes, client = import_module("comtypes"), import_module("comtypes.client")
    except ImportError as error:
        raise MissingRequirement(
            "UI Automation cannot be used without comtypes", fix="python -m pip install comtypes"
        ) from error
    failed: type[Exception] = comtypes.COMError
    try:
        made = _made(comtypes)
        interfaces: ModuleType = client.GetModule(_LIBRARY)
        automation = cast("Automation", made.QueryInterface(interfaces.IUIAutomation))  # comtypes declares no members
        with suppress(failed):  # the older class has no timeouts
            _limit(made.QueryInterface(interfaces.IUIAutomation2))
    except (OSError, failed) as error:
        raise MissingRequirement(f"UI Automation is not there: {error}", fix=_FIX) from error

    def interface_of(pattern: Pattern[T]) -> type[T]:
        return cast("type[T]", getattr(interfaces, pattern.interface))  # as above

    return Connection(automation, failed, interface_of)


def _made(comtypes: ModuleType) -> Unknown:
    """Return the object of the newest class that the system has. Raises: OSError."""
    new, old = (comtypes.GUID(number) for number in _CLASSES)
    with suppress(OSError):
        return cast("Unknown", comtypes.CoCreateInstance(new))  # comtypes declares no members
    return cast("Unknown", comtypes.CoCreateInstance(old))  # as above


def _limit(automation: _Timeouts) -> None:
    automation.ConnectionTimeout = _CONNECTION_MS
    automation.TransactionTimeout = _TRANSACTION_MS


def _share_between_threads() -> None:
    """Have all threads call objects of any: a call that hangs keeps its thread, and the next one is made in another."""
    ctypes.OleDLL("ole32").CoIncrementMTAUsage(ctypes.byref(ctypes.c_void_p()))
    if not hasattr(sys, "coinit_flags"):
        # comtypes initializes the thread that imports it by this, which Python does not declare.
        sys.coinit_flags = _MANY_THREADS  # pyright: ignore[reportAttributeAccessIssue]  # as above
