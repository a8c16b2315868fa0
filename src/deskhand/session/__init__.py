"""One run of the product: rounds, budgets, people, and the place that wires it (SPEC 2.3)."""

from deskhand.session.build import SessionPlan, run, run_session
from deskhand.session.round import Ending, Round
from deskhand.session.session import NextRequest, Session

__all__ = ["Ending", "NextRequest", "Round", "Session", "SessionPlan", "run", "run_session"]
