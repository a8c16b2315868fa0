"""Selectors, expectations and conditions of a playbook with their `${…}` filled in."""

import json
import operator
import re
from collections.abc import Sequence
from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import is_pattern, matches_text
from deskhand.core.replies import Expectation, Selector
from deskhand.core.target import TargetInfo
from deskhand.models.placeholders import UnknownValue, Values, insert, insert_wanted, insert_wanted_name, look_up
from deskhand.models.selectors import describe, find_all, is_window, picked
from deskhand.models.steps import Condition

_COMPARES: Final = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
COMPARISON: Final = re.compile(r"(?P<how>==|!=|>=|<=|>|<)\s*(?P<number>-?[0-9]+(\.[0-9]+)?)")


def filled_selector(selector: Selector, values: Values) -> Selector:
    """Raises: UnknownValue."""
    within = selector.within
    return selector.model_copy(
        update={
            "role": insert_wanted_name(selector.role, values),
            "name": insert_wanted_name(selector.name, values),
            "value": insert_wanted(selector.value, values),
            "within": filled_selector(within, values)
            if isinstance(within, Selector)
            else within and [insert_wanted_name(name, values) for name in within],
        }
    )


def filled_expectation(expect: Expectation, values: Values) -> JsonObject:
    """The expectation in the form of a reply. Raises: UnknownValue."""
    filled = expect.model_copy(
        update={
            "file": insert(expect.file, values),
            "window": insert_wanted_name(expect.window, values),
            "gone": expect.gone and filled_selector(expect.gone, values),
            "like": insert(expect.like, values),
            "shows": expect.shows and filled_selector(expect.shows, values),
        }
    )
    return filled.model_dump(mode="json", exclude_defaults=True)


def holds(condition: Condition, values: Values, controls: Sequence[TargetInfo], window: TargetInfo | None) -> bool:
    """True if every part of a condition holds. Raises: UnknownValue in a selector or in the wanted value."""
    if condition.shows is not None:
        shows = filled_selector(condition.shows, values)
        if not picked(shows.nth, find_all(shows, controls, window)) and not is_window(shows, window):
            return False
    return not condition.value or _has_value(condition, values)


def _has_value(condition: Condition, values: Values) -> bool:
    """True if the value holds; a missing one does not."""
    try:
        value = look_up(condition.value, values)
    except UnknownValue:
        return False
    if not condition.wanted:
        return value not in (None, False, "", [], {})
    if (comparison := COMPARISON.fullmatch(condition.wanted.strip())) is not None:
        return _compares(value, comparison["how"], float(comparison["number"]))
    return matches_text(insert_wanted(condition.wanted, values), as_text(value))


def as_text(value: JsonValue) -> str:
    """A value as text to insert."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _compares(value: JsonValue, how: str, number: float) -> bool:
    """True if the comparison holds; other values than numbers never do."""
    try:
        mine = float(as_text(value))
    except ValueError:
        return False
    return bool(_COMPARES[how](mine, number))


def described(condition: Condition) -> str:
    """A condition as a phrase."""
    words: list[str] = []
    if condition.shows is not None:
        words.append(f"{describe(condition.shows)} shows")
    if condition.value:
        wanted = condition.wanted
        if not wanted:
            words.append(f"${{{condition.value}}} has a value")
        else:
            words.append(f"${{{condition.value}}} is {wanted if is_pattern(wanted) else repr(wanted)}")
    return " and ".join(words)
