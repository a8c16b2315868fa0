"""One run of the product: its rounds, one after the other, and their common outcome (contract 2.3)."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import TypeAlias

import anyio

from deskhand.agents import BasicAgent
from deskhand.agents.evaluation import EvaluationAgent
from deskhand.config.sections import SystemSection
from deskhand.core.context import Context, RunMode
from deskhand.core.outcomes import Outcome
from deskhand.session.budgets import Budgets, SessionAllowance
from deskhand.session.round import STOPPED, Ending, Round

NextRequest: TypeAlias = Callable[[], Awaitable[str]]
"""Asks the user for the next request; empty ends the session."""


class Session:
    """Runs requests with one agent (the host, or an AppAgent without one) until they are done, stopped or out of
    budget.

    `evaluator` judges each finished round. After the given requests, `next_request` is asked for more, as long as
    another round may start. The agents' memory and the blackboard are carried from round to round.
    """

    def __init__(
        self,
        requests: Sequence[str],
        agent: BasicAgent,
        context: Context,
        settings: SystemSection,
        *,
        next_request: NextRequest | None = None,
        evaluator: EvaluationAgent | None = None,
    ) -> None:
        self._requests = tuple(requests)
        self._agent = agent
        self._context = context
        self._settings = settings
        self._next_request = next_request
        self._evaluator = evaluator
        self.ending = Ending(Outcome.ERROR, "the session has not run")

    async def run(self) -> Ending:
        """Return the session's ending: that of the first round without success, otherwise success.

        On cancellation, `ending` is set and the cancellation is passed on.
        """
        budgets = Budgets(self._settings, self._context.clock.monotonic())
        self._context.allowance = SessionAllowance(budgets, self._context)
        waiting, endings = deque(self._requests), list[Ending]()
        try:
            for number in count(1):
                if not self._may_start(number):
                    if waiting:
                        endings.append(Ending(Outcome.STEP_LIMIT, f"{len(waiting)} requests are left (max_round)"))
                    break
                request = waiting.popleft() if waiting else await self._ask_for_more(budgets)
                if request is None:
                    break
                self._context.last_round = not waiting and self._next_request is None
                ending = await Round(number, request, self._agent, self._context, budgets, self._evaluator).run()
                endings.append(ending)
                if self._stops_after(ending, budgets):
                    break
        except anyio.get_cancelled_exc_class():
            self.ending = Ending(Outcome.CANCELLED, STOPPED)
            raise
        endings = endings or [Ending(Outcome.FAILED, "there was no request")]
        self.ending = next((e for e in endings if e.outcome is not Outcome.SUCCESS), endings[-1])
        return self.ending

    def _may_start(self, number: int) -> bool:
        """Return whether `max_round` permits this round. It does not cut a plan short."""
        most = self._settings.max_round
        return most is None or number <= most or self._context.mode is RunMode.FOLLOWER

    def _stops_after(self, ending: Ending, budgets: Budgets) -> bool:
        if ending.outcome is Outcome.ERROR and self._settings.on_error == "stop":
            return True
        return ending.outcome is not Outcome.SUCCESS and budgets.spent(self._context) is not None

    async def _ask_for_more(self, budgets: Budgets) -> str | None:
        """Ask the user for the next request, unless a budget is used up. The wait is not counted."""
        if self._next_request is None or budgets.spent(self._context) is not None:
            return None
        clock = self._context.clock
        started = clock.monotonic()
        try:
            return (await self._next_request()).strip() or None
        finally:
            self._context.waited_for_person_s += clock.monotonic() - started
