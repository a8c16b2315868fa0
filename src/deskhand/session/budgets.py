"""What a session may spend; reaching a limit is an outcome of its own (SPEC 2.3)."""

from dataclasses import dataclass

from deskhand.config.sections import SystemSection
from deskhand.core.context import Context
from deskhand.core.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Spent:
    """Which outcome a spent budget means, and the words for it."""

    outcome: Outcome
    reason: str


@dataclass(frozen=True, slots=True)
class Budgets:
    """The limits of one session, counted from `started_s` on the session's clock."""

    settings: SystemSection
    started_s: float

    def spent(self, context: Context) -> Spent | None:
        """The first budget that is used up; waiting for a person does not count."""
        limits = self.settings
        if context.session_step >= limits.max_step:
            return Spent(Outcome.STEP_LIMIT, f"{limits.max_step} steps are used up (max_step)")
        if limits.max_seconds is not None and self._seconds(context) >= limits.max_seconds:
            return Spent(Outcome.TIMEOUT, f"{limits.max_seconds:g} seconds are used up (max_seconds)")
        if limits.max_tokens is not None and context.tokens >= limits.max_tokens:
            return Spent(Outcome.BUDGET, f"{limits.max_tokens} tokens are used up (max_tokens)")
        if limits.max_usd is not None and context.cost_usd >= limits.max_usd:
            return Spent(Outcome.BUDGET, f"{limits.max_usd:g} dollars are used up (max_usd)")
        return None

    def _seconds(self, context: Context) -> float:
        """How long the session has run, without waiting for a person."""
        return context.clock.monotonic() - self.started_s - context.waited_for_person_s
