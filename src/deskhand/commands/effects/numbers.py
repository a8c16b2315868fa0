"""Numbers as shown in fields: in the notation of some language, with a unit. Pure."""

import re
from collections.abc import Iterable
from typing import Final

_MONEY: Final = r"(?:[$€£¥₩₪₫₱₴₹₺₽₿]\s?)?"
_FIGURE: Final = re.compile(rf"\s*{_MONEY}([+-]?){_MONEY}(\d[\d.,'’ \u00a0\u202f]*)(\D*)", re.DOTALL)
"""A sign, a currency sign, digits with separators, and a unit. Further digits would make a time, a date or a ratio."""

_GROUPS: Final = re.compile(r"[1-9]\d{0,2}([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*")
_DECIMALS: Final = re.compile(r"([.,])\d+$")
_CLOSE: Final = 1e-9


def numbers_in(text: str, mark: str = "") -> frozenset[float]:
    """The number at the beginning of a text: none, one, or two if its separator is ambiguous, as in `1,234`.

    `mark`: the decimal mark there, `.` or `,`; empty: not known.
    """
    figure = _figure(text)
    if figure is None:
        plain = _number(text)  # with an exponent
        return frozenset() if plain is None else frozenset({plain})
    sign, digits = figure
    found = _GROUPS.match(digits)
    ways = [digits] if found is None or mark in {"", found[1]} else []
    if found and found[1] != mark:
        rest = digits[found.end() :]
        if not rest or (rest[0] in ".," and rest[0] != found[1]):
            ways.append(re.sub(r"\D", "", found[0]) + rest)
    numbers = (_number(sign + way.replace(",", ".")) for way in ways)
    return frozenset(number for number in numbers if number is not None)


def is_number(text: str, wanted: float, mark: str = "") -> bool:
    """True if a text shows that number, with any unit; `mark`: as for `numbers_in`."""
    return any(abs(read - wanted) <= _CLOSE * max(1.0, abs(wanted)) for read in numbers_in(text, mark))


def decimal_mark(texts: Iterable[str]) -> str:
    """The decimal mark of the first of these numbers that has certain decimals, `.` or `,`; else empty.

    In `1,234` the comma may be either.
    """
    for text in texts:
        _, digits = _figure(text) or ("", "")
        found = _DECIMALS.search(digits)
        if found and not _GROUPS.fullmatch(digits) and numbers_in(text):
            return found[1]
    return ""


def _figure(text: str) -> tuple[str, str] | None:
    """The sign and the digits of the only number in a text, with the separators between the digits."""
    match = _FIGURE.fullmatch(text.replace("\u2212", "-"))
    return (match[1], match[2].rstrip(" \u00a0\u202f.,'’")) if match else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
