"""One run of the product: its rounds, one after the other, and their common outcome (contract 2.3)."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

import anyio

from deskhand.agents import BasicAgent
from deskhand.agents.evaluation import EvaluationAgent
from deskhand.config.sections import SystemSection
from deskhand.core.context import Context, RunMode
from deskhand.core.outcomes import Outcome
from deskhand.session.budgets import Budgets, SessionAllowance
from deskhand.session.round import STOPPED, Ending, ResumePoint, Round

NextRequest: TypeAlias = Callable[[], Awaitable[str]]
"""Asks the user for the next request; empty ends the session."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The part of a session that another process carried out: the endings of its rounds, and the one it was in.

    `seconds`: the time of work, with that of waiting for the user. `request` is that of the interrupted round.
    """

    endings: tuple[Ending, ...] = ()
    seconds: float = 0.0
    request: str = ""
    point: ResumePoint | None = None


class Session:
    """Runs requests with one agent (the host, or an AppAgent without one) until they are done, stopped or out of
    budget.

    `evaluator` judges each finished round. After the given requests, `next_request` is asked for more, as long as
    another round may start. The agents' memory and the blackboard are carried from round to round.
    """

    def __init__(  # noqa: PLR0913 - keyword options
        self,
        requests: Sequence[str],
        agent: BasicAgent,
        context: Context,
        settings: SystemSection,
        *,
        next_request: NextRequest | None = None,
        evaluator: EvaluationAgent | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        """`earlier`: the session goes on after it; `requests` are those that have not begun."""
        self._requests = tuple(requests)
        self._agent = agent
        self._context = context
        self._settings = settings
        self._next_request = next_request
        self._evaluator = evaluator
        self._earlier = earlier or Earlier()
        self.ending = Ending(Outcome.ERROR, "the session has not run")

    async def run(self) -> Ending:
        """Return the session's ending: that of the first round without success, otherwise success.

        On cancellation, `ending` is set and the cancellation is passed on.
        """
        earlier = self._earlier
        budgets = Budgets(self._settings, self._context.clock.monotonic() - earlier.seconds)
        self._context.allowance = SessionAllowance(budgets, self._context)
        waiting, endings, point = deque(self._requests), list(earlier.endings), earlier.point
        try:
            for number in count(len(endings) + 1):
                if point is None and self._is_over(number, waiting, endings, budgets):
                    break
                request = earlier.request if point else await self._next(waiting, budgets)
                if request is None:
                    break
                self._context.last_round = not waiting and self._next_request is None
                current = Round(number, request, self._agent, self._context, budgets, self._evaluator)
                endings.append(await current.run(point))
                point = None
        except anyio.get_cancelled_exc_class():
            self.ending = Ending(Outcome.CANCELLED, STOPPED)
            raise
        endings = endings or [Ending(Outcome.FAILED, "there was no request")]
        self.ending = next((e for e in endings if e.outcome is not Outcome.SUCCESS), endings[-1])
        return self.ending

    def _is_over(self, number: int, waiting: deque[str], endings: list[Ending], budgets: Budgets) -> bool:
        """Return whether no further round begins. Adds the ending of the requests that are left."""
        if endings and self._stops_after(endings[-1], budgets):
            return True
        if self._may_start(number):
            return False
        if waiting:
            endings.append(Ending(Outcome.STEP_LIMIT, f"{len(waiting)} requests are left (max_round)"))
        return True

    def _may_start(self, number: int) -> bool:
        """Return whether `max_round` permits this round. It does not cut a plan short."""
        most = self._settings.max_round
        return most is None or number <= most or self._context.mode is RunMode.FOLLOWER

    def _stops_after(self, ending: Ending, budgets: Budgets) -> bool:
        if ending.outcome is Outcome.ERROR and self._settings.on_error == "stop":
            return True
        return ending.outcome is not Outcome.SUCCESS and budgets.spent(self._context) is not None

    async def _next(self, waiting: deque[str], budgets: Budgets) -> str | None:
        return waiting.popleft() if waiting else await self._ask_for_more(budgets)

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
