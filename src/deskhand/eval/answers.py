"""Answers of a task to the questions and confirmations of its session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.ports import Answers, ConfirmationRequest

OTHERWISE: Final = "proceed"
"""Answer to a question that the task does not foresee."""


@dataclass(frozen=True, slots=True)
class TaskAnswers:
    """Answers by a part of the question, in any case; the first that fits. `approves`: all confirmations, else none.

    Implements `core.ports.Interactor`.
    """

    answers: Mapping[str, str]
    approves: bool

    @property
    def reaches_person(self) -> bool:
        return True

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:  # noqa: ARG002 - all agents get the same
        return Answers({question: self._answer(question) for question in questions})

    async def confirm(self, request: ConfirmationRequest) -> bool:  # noqa: ARG002 - decided by the task
        return self.approves

    def _answer(self, question: str) -> str:
        asked = question.casefold()
        return next((answer for part, answer in self.answers.items() if part.casefold() in asked), OTHERWISE)
