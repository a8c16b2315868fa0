"""Tests of desktop programs, in pytest, unittest and behave.

`expect(locator).to_be_checked()` waits for it. The fixtures of pytest are in `deskhand.testing.plugin`.
"""

from deskhand.sync import expect

__all__ = ["expect"]
