"""Tracebacks of failed tests, without the code that a tester need not see."""

import re
import sys
import traceback
from types import TracebackType
from typing import Final

_OURS: Final = re.compile(r"/(deskhand(?!/testing/plugin)|anyio|concurrent/futures)/[\w/]+\.py$")
"""Paths of that code."""


def shorten(error: BaseException) -> None:
    """Leave the frames of Deskhand and its event loop out of the traceback of an error, unless it has no others.

    An error of Deskhand says all that the one says which it was made from: that is left out.
    """
    if isinstance(error.__cause__, _deskhand_errors()):
        error.__cause__ = None
    trace: TracebackType | None = None
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        if not _OURS.search(frame.f_code.co_filename):
            trace = TracebackType(trace, frame, frame.f_lasti, line)
    if trace is not None:
        error.__traceback__ = trace


def _deskhand_errors() -> tuple[type[BaseException], ...]:
    """Return the root of Deskhand's errors, if a test has imported it."""
    module = sys.modules.get("deskhand.core.errors")
    return (module.DeskhandError,) if module else ()
