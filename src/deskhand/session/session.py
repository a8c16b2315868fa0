"""One run of the product: its rounds, one after the other, and the outcome they add up to (SPEC 2.3)."""

from collections.abc import Sequence

import anyio

from deskhand.agents import BasicAgent
from deskhand.config.sections import SystemSection
from deskhand.core.context import Context, RunMode
from deskhand.core.outcomes import Outcome
from deskhand.session.budgets import Budgets
from deskhand.session.round import Ending, Round


class Session:
    """Runs requests with one agent (the host, or an AppAgent without one) until done, stopped or spent."""

    def __init__(self, requests: Sequence[str], agent: BasicAgent, context: Context, settings: SystemSection) -> None:
        self._requests = tuple(requests)
        self._agent = agent
        self._context = context
        self._settings = settings
        self.ending = Ending(Outcome.ERROR, "the session has not run")

    async def run(self) -> Ending:
        """The session's ending: the first round's that is not a success, else success.

        Cancelled, `ending` says so and the cancellation goes on.
        """
        budgets = Budgets(self._settings, self._context.clock.monotonic())
        endings: list[Ending] = []
        try:
            for number, request in enumerate(self._requests, start=1):
                if number > self._settings.max_round and self._context.mode is not RunMode.FOLLOWER:
                    left = len(self._requests) - number + 1
                    endings.append(Ending(Outcome.STEP_LIMIT, f"{left} requests are left (max_round)"))
                    break
                ending = await Round(number, request, self._agent, self._context, budgets).run()
                endings.append(ending)
                if ending.outcome is Outcome.ERROR and self._settings.on_error == "stop":
                    break
                if ending.outcome is not Outcome.SUCCESS and budgets.spent(self._context):
                    break
        except anyio.get_cancelled_exc_class():
            self.ending = Ending(Outcome.CANCELLED, "cancelled by the user")
            raise
        self.ending = next((e for e in endings if e.outcome is not Outcome.SUCCESS), endings[-1])
        return self.ending
