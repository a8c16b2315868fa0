"""Messages of tasks that have no channel of their own, where their user is asked."""

from collections.abc import Sequence

from deskhand.core.ports import Answers, ConfirmationRequest, Interactor
from deskhand.notify.message import confirmation, question
from deskhand.notify.outbox import Outbox


class AnnouncedInteractor:
    """An interactor whose waits are announced by messages; implements `core.ports.Interactor`.

    `session`: as of a message. `outbox`: set while one is open.
    """

    def __init__(self, asked: Interactor, session: str) -> None:
        self._asked = asked
        self._session = session
        self.outbox: Outbox | None = None

    @property
    def reaches_person(self) -> bool:
        return self._asked.reaches_person

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        if self.outbox is not None:
            self.outbox.send_unless_answered(question(self._session, agent, questions))
        try:
            return await self._asked.ask(agent, questions)
        finally:
            self._answered()

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        if self.outbox is not None:
            self.outbox.send_unless_answered(confirmation(self._session, request.agent, len(request.facts)))
        try:
            return await self._asked.confirm(request)
        finally:
            self._answered()

    def _answered(self) -> None:
        if self.outbox is not None:
            self.outbox.answered()
