"""Tests of desktop programs, in pytest, unittest and behave.

`expect(locator).to_be_checked()` waits for it. The fixtures of pytest are in `deskhand.testing.plugin`, the steps and
hooks of behave in `deskhand.testing.behave`. Names are imported when they are first used: every run of pytest imports
this package.
"""

from importlib import import_module

TYPE_CHECKING = False

if TYPE_CHECKING:
    from deskhand.sync import expect
    from deskhand.testing.unittests import DesktopTestCase

_HOMES = {"DesktopTestCase": "deskhand.testing.unittests", "expect": "deskhand.sync"}

__all__ = ["DesktopTestCase", "expect"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
