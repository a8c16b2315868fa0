"""How a person is asked where there is none, or where the answers are written down (SPEC 2.4)."""

from collections.abc import Sequence

from deskhand.core.ports import Answers, ConfirmationRequest


class AutoInteractor:
    """Nobody can be asked: waiting has timed out before it began, and no decision is never approval."""

    @property
    def reaches_person(self) -> bool:
        return False

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:  # noqa: ARG002 - nobody hears them
        return Answers(timed_out=True)

    async def confirm(self, request: ConfirmationRequest) -> bool:  # noqa: ARG002 - nobody sees it
        return False
