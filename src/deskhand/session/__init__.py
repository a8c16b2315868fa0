"""One run of the product: rounds, budgets, the user, and the composition root (contract 2.3).

Names are imported on first use: a verb that only observes a desktop needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deskhand.session.build import SessionPlan, run_session
    from deskhand.session.request import run
    from deskhand.session.round import Ending, Round
    from deskhand.session.session import NextRequest, Session

_HOMES = {
    "Ending": "deskhand.session.round",
    "NextRequest": "deskhand.session.session",
    "Round": "deskhand.session.round",
    "Session": "deskhand.session.session",
    "SessionPlan": "deskhand.session.build",
    "run": "deskhand.session.request",
    "run_session": "deskhand.session.build",
}

__all__ = ["Ending", "NextRequest", "Round", "Session", "SessionPlan", "run", "run_session"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'deskhand.session' has no attribute {name!r}")
