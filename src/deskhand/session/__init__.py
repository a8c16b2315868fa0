"""One run of the product: rounds, budgets, people, and the place that wires it (SPEC 2.3)."""

from deskhand.session.round import Round
from deskhand.session.session import Session

__all__ = ["Round", "Session"]
