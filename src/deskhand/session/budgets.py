"""The budgets of a session; reaching a limit is an outcome of its own (contract 2.3)."""

from dataclasses import dataclass
from typing import Final

from deskhand.config.sections import SystemSection
from deskhand.core.context import Context
from deskhand.core.outcomes import Outcome

_NEARLY: Final = 0.8


@dataclass(frozen=True, slots=True)
class Spent:
    """The outcome of a spent budget, and its reason."""

    outcome: Outcome
    reason: str


@dataclass(frozen=True, slots=True)
class Budgets:
    """The limits of one session, counted from `started_s` on the session's clock."""

    settings: SystemSection
    started_s: float

    def spent(self, context: Context, *, of_steps: bool = True) -> Spent | None:
        """Return the first budget that is used up; waiting for the user does not count.

        `of_steps` False: leaves the step budget out, as the last permitted step may still call a model.
        """
        limits = self.settings
        if of_steps and context.session_step >= limits.max_step:
            return Spent(Outcome.STEP_LIMIT, f"{limits.max_step} steps are used up (max_step)")
        if limits.max_seconds is not None and self._seconds(context) >= limits.max_seconds:
            return Spent(Outcome.TIMEOUT, f"{limits.max_seconds:g} seconds are used up (max_seconds)")
        if limits.max_tokens is not None and context.tokens >= limits.max_tokens:
            return Spent(Outcome.BUDGET, f"{limits.max_tokens} tokens are used up (max_tokens)")
        if limits.max_usd is not None and context.has_unpriced_answer:
            return Spent(
                Outcome.BUDGET, "the price of a call is unknown, so that max_usd cannot be enforced (models.prices)"
            )
        if limits.max_usd is not None and context.cost_usd >= limits.max_usd:
            return Spent(Outcome.BUDGET, f"{limits.max_usd:g} dollars are used up (max_usd)")
        return None

    def nearly_spent(self, context: Context) -> tuple[str, ...]:
        """Return the budgets of which 80 % are used, for the model."""
        limits = self.settings
        uses = [
            (context.session_step, limits.max_step, "steps"),
            (self._seconds(context), limits.max_seconds, "seconds"),
            (context.tokens, limits.max_tokens, "tokens"),
            (context.cost_usd, limits.max_usd, "dollars"),
        ]
        return tuple(
            f"{used:g} of {limit:g} {what} are used up; what is left must do"
            for used, limit, what in uses
            if limit is not None and used >= _NEARLY * limit
        )

    def left_s(self, context: Context) -> float | None:
        """Return the seconds of work that are left, at least zero; None: no limit."""
        limit = self.settings.max_seconds
        return None if limit is None else max(0.0, limit - self._seconds(context))

    def _seconds(self, context: Context) -> float:
        """Return how long the session has run, without the time waiting for the user."""
        return context.clock.monotonic() - self.started_s - context.waited_for_person_s


@dataclass(frozen=True, slots=True)
class SessionAllowance:
    """The budgets of one session, for the code that spends them."""

    budgets: Budgets
    context: Context

    def spent(self) -> str:
        spent = self.budgets.spent(self.context, of_steps=False)
        return spent.reason if spent else ""

    def left_s(self) -> float | None:
        return self.budgets.left_s(self.context)

    def warnings(self) -> tuple[str, ...]:
        return self.budgets.nearly_spent(self.context)
