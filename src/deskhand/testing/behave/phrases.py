"""The registration of steps with behave."""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec

from behave import step  # pyright: ignore[reportUnknownVariableType] - behave is untyped
from behave.matchers import (
    Matcher,
    register_step_matcher_class,  # pyright: ignore[reportUnknownVariableType] - as above
    use_default_step_matcher,  # pyright: ignore[reportUnknownVariableType] - as above
    use_step_matcher,  # pyright: ignore[reportUnknownVariableType] - as above
)
from behave.model_type import Argument

from deskhand.core.errors import AmbiguousTarget, DeskhandError
from deskhand.scripting.results import ExpectationFailed
from deskhand.testing.behave.parts import SEPARATOR, Phrase

P = ParamSpec("P")

_CHOOSE: Final = 'choose one by its name, or by: that is at least "LEFT,TOP" from top left'


class PartsMatcher(Matcher):
    """Behave's interface to `Phrase`."""

    NAME: Final = "deskhand"

    def __init__(self, func: object, pattern: str, step_type: str | None = None) -> None:
        super().__init__(func, pattern, step_type)  # pyright: ignore[reportUnknownMemberType] - behave is untyped
        self._phrase = Phrase(pattern)

    def compile(self) -> "PartsMatcher":
        return self

    def check_match(self, step_text: str) -> list[Argument] | None:
        found = self._phrase.arguments(step_text)
        if found is None:
            return None
        return [
            Argument(each.start, each.end, step_text[each.start : each.end], each.value, each.name) for each in found
        ]


def phrase(*patterns: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Register a step under these patterns, with parts that may be left out after ` | `."""

    def registered(function: Callable[P, None]) -> Callable[P, None]:
        step_function = failing(function)
        for pattern in patterns:
            use_step_matcher(PartsMatcher.NAME if SEPARATOR in pattern else "parse")
            step(pattern)(step_function)  # pyright: ignore[reportArgumentType] - it knows its own context
        use_default_step_matcher()
        return step_function

    return registered


def failing(function: Callable[P, None]) -> Callable[P, None]:
    """Turn errors of a step or hook into failures, which behave shows without a traceback and with the remedy."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except DeskhandError as error:
            raise AssertionError(_shown(error)) from None

    return run


def _shown(error: DeskhandError) -> str:
    match error:
        case ExpectationFailed():  # its remedy is for Python
            return error.message
        case AmbiguousTarget(candidates=candidates):
            return "\n".join([error.message, *(f"  {each}" for each in candidates), _CHOOSE])
        case _:
            return "\n".join(filter(None, (error.message, error.fix)))


register_step_matcher_class(PartsMatcher.NAME, PartsMatcher, override=True)
