"""Policies of the caller's own: functions of the facts, which may hang or raise (decision 0107)."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from typing import Final

from deskhand.core.ports import ActionFacts, Decision, OwnPolicy, Verdict
from deskhand.core.type_checks import items_of

_ANSWERS_S: Final = 10.0
"""Timeout for one policy on one action."""


class OwnPolicies:
    """Asks each in a thread of its own, so that one that hangs cannot hold the session; it denies from then on."""

    def __init__(self, policies: Sequence[OwnPolicy]) -> None:
        self._policies: tuple[OwnPolicy, ...] = tuple(policies)
        self._hang = set[int]()

    def verdicts(self, facts: ActionFacts) -> Iterator[Verdict]:
        for number, policy in enumerate(self._policies):
            name = _name_of(policy)
            if number not in self._hang:
                found = _answer(policy, facts)
                if not isinstance(found, _Hangs):
                    yield from _verdict(name, found, facts)
                    continue
                self._hang.add(number)
            problem = f"the policy {name} did not return within {_ANSWERS_S:g} s"
            yield Verdict(Decision.DENY, name, problem, facts)


class _Hangs:
    """The answer of a policy that did not return in time."""


def _name_of(policy: object) -> str:
    return getattr(policy, "__name__", type(policy).__name__)


def _answer(policy: Callable[[ActionFacts], object], facts: ActionFacts) -> object:
    """Return what a policy returns, or the error that it raises."""
    answers = queue.SimpleQueue[object]()

    def ask() -> None:
        try:
            answers.put(policy(facts))
        except BaseException as error:  # noqa: BLE001 - the code of the caller; nothing passes that it did not judge
            answers.put(error)

    threading.Thread(target=copy_context().run, args=(ask,), daemon=True, name=f"policy {_name_of(policy)}").start()
    try:
        return answers.get(timeout=_ANSWERS_S)
    except queue.Empty:
        return _Hangs()


def _verdict(name: str, found: object, facts: ActionFacts) -> Iterator[Verdict]:
    """Yield the verdict, if any; what is no verdict, or an error, denies."""
    if found is None:
        return
    parts = items_of(found, str)
    if isinstance(found, BaseException):
        problem = f"the policy {name} raised {type(found).__name__}: {found}"
        yield Verdict(Decision.DENY, name, problem, facts)
    elif len(parts) != 2 or parts[0] not in {Decision.CONFIRM, Decision.DENY}:
        problem = f"the policy {name} returned {found!r}, no decision and reason"
        yield Verdict(Decision.DENY, name, problem, facts)
    else:
        yield Verdict(Decision(parts[0]), name, parts[1], facts)
