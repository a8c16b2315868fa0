"""Interactors without a user: none can be reached, or the answers come from a file (contract 2.4)."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from deskhand.config.yaml_values import Located, Source
from deskhand.core.errors import UsageError
from deskhand.core.patterns import compile_pattern, is_pattern, matches_name
from deskhand.core.ports import Answers, ConfirmationRequest, Interactor


class AutoInteractor:
    """No user can be reached: each wait times out at once, and a missing decision is never an approval."""

    @property
    def reaches_person(self) -> bool:
        return False

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:  # noqa: ARG002 - nobody hears them
        return Answers(timed_out=True)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:  # noqa: ARG002 - nobody sees it
        return None


class NeverInteractor(AutoInteractor):
    """Every action that needs an approval is rejected at once."""

    @property
    def reaches_person(self) -> bool:
        return True

    async def confirm(self, request: ConfirmationRequest) -> bool | None:  # noqa: ARG002 - decided beforehand
        return False


class ScriptedInteractor:
    """Answers from a script: questions by their text, confirmations in order; none where the script has no answer."""

    def __init__(self, answers: Mapping[str, str], confirmations: Iterable[bool] = ()) -> None:
        """`answers`: question, or pattern `/…/` found in it → answer; the first match is used."""
        self._answers = dict(answers)
        self._confirmations = deque(confirmations)

    @property
    def reaches_person(self) -> bool:
        return True

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:  # noqa: ARG002 - all agents get the same
        found = {question: answer for question in questions if (answer := self._answer(question))}
        return Answers(found, timed_out=not found)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:  # noqa: ARG002 - decided beforehand
        return self._confirmations.popleft() if self._confirmations else None

    def _answer(self, question: str) -> str:
        return next((answer for wanted, answer in self._answers.items() if matches_name(wanted, question)), "")


class SplitInteractor:
    """Sends questions to one interactor and confirmations to another."""

    def __init__(self, asking: Interactor, confirming: Interactor) -> None:
        self._asking = asking
        self._confirming = confirming

    @property
    def reaches_person(self) -> bool:
        return self._asking.reaches_person or self._confirming.reaches_person

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        return await self._asking.ask(agent, questions)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        return await self._confirming.confirm(request)


def read_script(path: Path) -> ScriptedInteractor:
    """Read `answers: {question: answer}` and `confirmations: [approve, reject, …]`; either may be left out.

    Raises: UsageError, naming every problem by its line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the answers {path}: {error}", fix="give a readable YAML file") from error
    source = Source(str(path))
    root = source.parse(text)
    entries = source.mapping(root, "the script", ["answers", "confirmations"]) if root else {}
    answers = _answers(entries["answers"], source) if "answers" in entries else {}
    decisions = _decisions(entries["confirmations"], source) if "confirmations" in entries else []
    if source.problems:
        raise UsageError("\n".join(source.problems), fix=f"correct {path} at the lines named")
    return ScriptedInteractor(answers, decisions)


def _answers(node: Located, source: Source) -> dict[str, str]:
    answers: dict[str, str] = {}
    for wanted, answer in source.mapping(node, "answers").items():
        answers[wanted] = source.text(answer, "an answer")
        if is_pattern(wanted):
            try:
                compile_pattern(wanted)
            except ValueError as error:
                source.complain(answer.line, str(error))
    return answers


def _decisions(node: Located, source: Source) -> list[bool]:
    decisions: list[bool] = []
    for item in source.items(node, "confirmations"):
        if item.value not in {"approve", "reject"}:
            source.complain(item.line, "a confirmation is approve or reject")
        decisions.append(item.value == "approve")
    return decisions
