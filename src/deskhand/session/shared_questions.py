"""Questions that may be answered in several places, such as a terminal and a page: the first answer counts."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import anyio

from deskhand.core.errors import UsageError
from deskhand.core.events import AnsweredFrom
from deskhand.core.ports import Answers, ConfirmationRequest, EventSink, Interactor

T = TypeVar("T")


@dataclass(slots=True)
class _Wait(Generic[T]):
    """A question or confirmation that waits for its first answer. `questions`: None of a confirmation."""

    number: int
    questions: tuple[str, ...] | None
    answers: list[T] = field(default_factory=list[T])
    error: Exception | None = None
    ended: anyio.Event = field(default_factory=anyio.Event)

    def settle(self, *answers: T) -> None:
        if not self.ended.is_set():
            self.answers.extend(answers)
            self.ended.set()


class SharedQuestions:
    """Implements `core.ports.Interactor`: asks by another one, and takes answers that come from elsewhere meanwhile.

    `attending`: the users elsewhere who can be asked; while there are some, no answer of the other is none for them.
    """

    def __init__(self, here: Interactor, events: EventSink) -> None:
        self._here = here
        self._events = events
        self._open: _Wait[Answers] | _Wait[bool | None] | None = None
        self._number = 0
        self.attending = 0

    @property
    def reaches_person(self) -> bool:
        return self._here.reaches_person or self.attending > 0

    @property
    def number(self) -> int:
        """The number of the open wait; 0 without one."""
        return self._open.number if self._open and not self._open.ended.is_set() else 0

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        self._number += 1
        wait = _Wait[Answers](self._number, tuple(questions))
        return await self._first(wait, lambda: self._here.ask(agent, questions), _says_something)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        self._number += 1
        wait = _Wait[bool | None](self._number, None)
        return await self._first(wait, lambda: self._here.confirm(request), lambda decision: decision is not None)

    def answer(self, number: int, answers: dict[str, str], by: str) -> None:
        """Answer the open questions. Raises: UsageError (others are open, or none; nothing is answered)."""
        wait = self._open_wait(number)
        if wait.questions is None:
            raise UsageError("a confirmation is open, no question", fix="approve or reject it")
        given = {question: text for question, text in answers.items() if question in wait.questions and text.strip()}
        if not given:
            raise UsageError("nothing of it answers an open question", fix="give a text for a question as it is asked")
        self._events.emit(AnsweredFrom(what="question", by=by))
        wait.settle(Answers(given))  # pyright: ignore[reportArgumentType] - it has questions

    def decide(self, number: int, by: str, *, approve: bool) -> None:
        """Decide the open confirmation. Raises: UsageError (another is open, or none)."""
        wait = self._open_wait(number)
        if wait.questions is not None:
            raise UsageError("a question is open, no confirmation", fix="answer it")
        self._events.emit(AnsweredFrom(what="confirmation", by=by))
        wait.settle(approve)  # pyright: ignore[reportArgumentType] - it has no questions

    def _open_wait(self, number: int) -> _Wait[Answers] | _Wait[bool | None]:
        wait = self._open
        if wait is None or wait.ended.is_set() or wait.number != number:
            raise UsageError("this has been answered or has timed out", fix="look at what is open now")
        return wait

    async def _first(self, wait: _Wait[T], asks: Callable[[], Awaitable[T]], is_answer: Callable[[T], bool]) -> T:
        """Return the first answer. Raises: the errors of the other interactor."""
        self._open = wait  # pyright: ignore[reportAttributeAccessIssue] - T is one of the two

        async def ask_here() -> None:
            try:
                answer = await asks()
            except Exception as error:  # noqa: BLE001 - raised below, where no task group wraps it
                wait.error = error
                wait.settle()
                return
            if is_answer(answer) or not self.attending:
                wait.settle(answer)

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(ask_here)
                await wait.ended.wait()
                group.cancel_scope.cancel()
        finally:
            wait.ended.set()
        if wait.error is not None:
            raise wait.error
        return wait.answers[0]


def _says_something(answers: Answers) -> bool:
    return not answers.timed_out and any(text.strip() for text in answers.answers.values())
