"""Numbers as fields show them: in the way of some language, and with a unit behind them. Pure."""

import re
from typing import Final

_FIGURE: Final = re.compile(r"\s*([+-]?)(\d[\d.,'’ \u00a0\u202f]*)(\D*)", re.DOTALL)
"""A sign, digits with what stands between them, and a unit. More digits behind that make a time, a date or a ratio."""

_GROUPS: Final = re.compile(r"\d{1,3}([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*")
_CLOSE: Final = 1e-9


def numbers_in(text: str) -> frozenset[float]:
    """The number at the beginning of a text; two where it may be either of them, as `1,234`, and none where none is."""
    match = _FIGURE.fullmatch(text.replace("\u2212", "-"))
    if match is None:
        plain = _number(text)  # with an exponent
        return frozenset() if plain is None else frozenset({plain})
    digits = match[2].rstrip(" \u00a0\u202f.,'’")
    ways = [digits]
    if found := _GROUPS.match(digits):
        rest = digits[found.end() :]
        if not rest or (rest[0] in ".," and rest[0] != found[1]):
            ways.append(re.sub(r"\D", "", found[0]) + rest)
    numbers = (_number(match[1] + way.replace(",", ".")) for way in ways)
    return frozenset(number for number in numbers if number is not None)


def is_number(text: str, wanted: float) -> bool:
    """Whether a text shows that number, whatever its unit."""
    return any(abs(read - wanted) <= _CLOSE * max(1.0, abs(wanted)) for read in numbers_in(text))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
