"""Tests of desktop programs, in pytest, unittest and behave.

`expect(locator).to_be_checked()` waits for it. The fixtures of pytest are in `deskhand.testing.plugin`, the steps and
hooks of behave in `deskhand.testing.behave`.
"""

from deskhand.sync import expect
from deskhand.testing.unittests import DesktopTestCase

__all__ = ["DesktopTestCase", "expect"]
