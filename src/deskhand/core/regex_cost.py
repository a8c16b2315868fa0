"""Worst-case time of a regular expression, estimated from its text before it runs.

A search cannot be interrupted: it blocks the interpreter, in a thread as well. Patterns that could take exponential
time are refused, slow ones search fewer characters. The estimate counts consecutive repetitions, each of which
multiplies the work by the length of the text, and choices that multiply it further; a repetition of a part that itself
varies multiplies without limit.
"""

import re
from dataclasses import dataclass
from math import inf, log2
from typing import Final

_LARGE: Final = 10
"""Up to this number a counted repetition counts as written out; above it as unlimited."""
_MOST_CHOICES: Final = 10.0
"""Bits."""
_LIMITS: Final = (100_000, 20_000, 5_000, 500, 120, 50)
"""Characters by degree; measured, each takes at most about 50 ms."""
_GROUP: Final = re.compile(r"\((?:\?(?:P<\w+>|[aiLmsu-]*:|<?[=!]|>|P=\w+(?=\))|[aiLmsu]+(?=\))|#[^)]*(?=\))))?")
_QUANTIFIER: Final = re.compile(r"(?:(?P<mark>[*+?])|\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)\})[?+]?")
_ATOM: Final = re.compile(r"\\(?:[xuUN](?:\{[^}]*\}|[0-9a-fA-F]+)|.)|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_BACK: Final = re.compile(r"\\[1-9]")


@dataclass(frozen=True, slots=True)
class _Cost:
    """`loops`: consecutive repetitions; `bits`: further choices; `first`: the first character."""

    loops: int = 0
    bits: float = 0.0
    first: str = ""


def searchable(pattern: str) -> int:
    """Number of characters of a text in which a valid pattern may be searched.

    Raises: ValueError with the reason if it could take exponential time.
    """
    if "(?x" in pattern or "(?(" in pattern:
        raise ValueError("verbose and conditional expressions are not supported")
    cost, end = _alternatives(pattern, 0)
    if end != len(pattern):
        raise ValueError("it is too complex")
    anchored = pattern.startswith("^") and "|" not in pattern
    degree = cost.loops + (0 if anchored else 1)
    if degree >= len(_LIMITS) or cost.bits > _MOST_CHOICES:
        raise ValueError("it has too many repetitions or choices, and could take for ever; simplify it")
    return _LIMITS[degree]


def _alternatives(pattern: str, at: int) -> tuple[_Cost, int]:
    costs: list[_Cost] = []
    while True:
        cost, at = _sequence(pattern, at)
        costs.append(cost)
        if at >= len(pattern) or pattern[at] != "|":
            break
        at += 1
    firsts = {cost.first.casefold() for cost in costs}
    distinct = "" not in firsts and len(firsts) == len(costs)
    bits = max(cost.bits for cost in costs) + (0.0 if distinct else log2(len(costs)))
    return _Cost(max(cost.loops for cost in costs), bits, costs[0].first if len(costs) == 1 else ""), at


def _sequence(pattern: str, at: int) -> tuple[_Cost, int]:
    whole, is_first = _Cost(), True
    while at < len(pattern) and pattern[at] not in "|)":
        atom, at = _atom(pattern, at)
        quantifier = _QUANTIFIER.match(pattern, at)
        if quantifier is not None and quantifier[0] not in {"{}", "{,}"}:
            atom, at = _repeated(atom, quantifier), quantifier.end()
        first = atom.first if is_first else whole.first
        whole, is_first = _Cost(whole.loops + atom.loops, whole.bits + atom.bits, first), False
    return whole, at


def _atom(pattern: str, at: int) -> tuple[_Cost, int]:
    if pattern[at] == "(":
        opening = _GROUP.match(pattern, at)
        inner, end = _alternatives(pattern, opening.end() if opening else at + 1)
        if end >= len(pattern):
            raise ValueError("it is too complex")
        return inner, end + 1
    atom = _ATOM.match(pattern, at)
    text = atom[0] if atom else pattern[at]
    plain = text if len(text) == 1 and text not in ".^$" else ""
    return _Cost(loops=1 if _BACK.fullmatch(text) else 0, first=plain), at + len(text)


def _repeated(cost: _Cost, quantifier: re.Match[str]) -> _Cost:
    least, most = _bounds(quantifier)
    varies = cost.loops or cost.bits
    if most > _LARGE:
        if varies:
            raise ValueError(f"{quantifier[0]} repeats a part that itself varies, and could take for ever; simplify it")
        return _Cost(loops=0 if least == most else 1, first=cost.first if least else "")
    times = int(most)
    bits = cost.bits * times + (log2(most - least + 1) if most > least else 0.0)
    return _Cost(cost.loops * times, bits, cost.first if least else "")


def _bounds(quantifier: re.Match[str]) -> tuple[int, float]:
    match quantifier["mark"]:
        case "*":
            return 0, inf
        case "+":
            return 1, inf
        case "?":
            return 0, 1
        case _:
            least = int(quantifier["least"] or 0)
            if not quantifier["comma"]:
                return least, least
            return least, int(quantifier["most"]) if quantifier["most"] else inf
