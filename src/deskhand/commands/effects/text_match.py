"""Appearance of a typed text in a changed text: an occurrence that was there before does not count. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from typing import Final

from deskhand.core.target import comparable_name

_MONEY: Final = r"(?:[$€£¥₩₪₫₱₴₹₺₽₿]\s?)?"
_FIGURE: Final = re.compile(rf"\s*{_MONEY}([+-]?){_MONEY}(\d[\d.,'’ \u00a0\u202f]*)(\D*)", re.DOTALL)
"""A sign, a currency sign, digits with separators, and a unit. Further digits would make a time, a date or a ratio."""
_GROUPS: Final = re.compile(r"[1-9]\d{0,2}([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*")
_DECIMALS: Final = re.compile(r"([.,])\d+$")
_CLOSE: Final = 1e-9

_SIGNED: Final = re.compile(r"[^\d\s.,:]")


def text_appeared(text: str, was: str, reads: str) -> bool:
    """True if the text occurs more often than before, or replaced another text.

    Lines that a scrolled control dropped at its top do not count as before. If all the old text is still there, any
    other insertion is not the text: keys may have been lost.
    """
    if text not in reads:
        return False
    before = _without_scrolled_out(was, reads)
    return reads.count(text) > before.count(text) or _was_put_in(text, was, reads)


def _without_scrolled_out(was: str, reads: str) -> str:
    """The old text from the line on that is the first one now."""
    then, now = was.split("\n"), reads.split("\n")
    match = SequenceMatcher(None, then, now, autojunk=False).find_longest_match()
    scrolled = match.b == 0 and any(line.strip() for line in now[: match.size])
    return "\n".join(then[match.a :]) if scrolled else was


def _was_put_in(text: str, was: str, reads: str) -> bool:
    """True if the text is all that was inserted, possibly replacing another; False if all the old text is still there
    beside a shorter insertion.
    """
    most = len(was) + len(text)
    pairs = enumerate(zip(was, reads, strict=False))
    same = next((place for place, (then, now) in pairs if then != now), min(len(was), len(reads)))
    is_all_there = len(reads) >= len(was) and reads.endswith(was[same:])
    if len(reads) > most or (is_all_there and len(reads) < most):
        return False
    starts = (found.start() for found in re.finditer(f"(?={re.escape(text)})", reads))
    return any(was.startswith(reads[:start]) and was.endswith(reads[start + len(text) :]) for start in starts)


def is_entered(text: str, others: Collection[str], was: str, reads: str, *, parts: bool) -> bool:
    """True if a line of a field is what it was, with the text put in and nothing else but the other texts.

    `parts`: the text may have replaced a part of the line, up to the end of a word. Otherwise it replaced all or
    nothing. So what a program added to complete the text does not count.
    """
    lines = ["", *map(_without_blanks, was.split("\n"))]
    wanted = " ".join(text.split())
    shown = [" ".join(line.split()) for line in reads.split("\n")]
    new = Counter(shown) - Counter(" ".join(line.split()) for line in was.split("\n"))
    for now in [line for line in new if wanted in line] or shown:  # a line that scrolled may equal one from before
        for found in re.finditer(re.escape(wanted), now):
            before, after = (_without(others, part) for part in (now[: found.start()], now[found.end() :]))
            cut = parts and (not after or not now[found.end()].isalnum())
            if any(before + after == old or (cut and _is_cut(old, before, after)) for old in lines):
                return True
    return False


def _is_cut(old: str, before: str, after: str) -> bool:
    """True if a text began and ended so."""
    return old.startswith(before) and old.endswith(after)


def _without(others: Collection[str], part: str) -> str:
    for other in sorted(others, key=len, reverse=True):
        part = part.replace(" ".join(other.split()), "", 1)
    return _without_blanks(part)


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def is_same_formula(one: str, other: str) -> bool:
    """True for formulas that differ only in case and in what separates arguments, as languages do."""
    return _plain_formula(one) == _plain_formula(other)


def _plain_formula(formula: str) -> str:
    parts = formula.split('"')  # every second one is a text
    return '"'.join(part if number % 2 else part.upper().replace(";", ",") for number, part in enumerate(parts))


def may_be_count(text: str) -> bool:
    """True for a number that may be a count, a time or a line number."""
    return bool(numbers_in(text)) and not _SIGNED.search(text)


def appeared_in_title(text: str, was: str, title: str) -> bool:
    """True if a title contains the text as whole words more often than before; a mere number has to be all of it."""
    wanted, reads, before = (comparable_name(each).casefold() for each in (text, title, was))
    if may_be_count(text):
        return reads == wanted != before
    words = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
    return len(words.findall(reads)) > len(words.findall(before))


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


def is_shown(text: str, number: float, mark: str = "") -> bool:
    """True if a text shows a number, rounded to its decimals; `mark`: as for `numbers_in`."""
    decimals = _DECIMALS.search((_figure(text) or ("", ""))[1])
    rounded = 0.5 * 10.0 ** -len(decimals[0][1:]) if decimals else 0.0
    return any(abs(shown - number) <= rounded + _CLOSE * max(1.0, abs(number)) for shown in numbers_in(text, mark))


def is_nearly(text: str, wanted: float, mark: str = "") -> bool:
    """True if a text shows a number that was rounded to single precision on its way, as Chromium does."""
    # upstream: not reported
    # seen in: 156
    near = 1e-6 * abs(wanted)
    return not is_number(text, wanted, mark) and any(abs(read - wanted) <= near for read in numbers_in(text, mark))


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


_MISREAD: Final = str.maketrans({"0": "o", "5": "s", "8": "b", "1": "", "i": "", "j": "", "l": "", "t": ""})
"""Characters that a reader of pictures mistakes for one another, and those that it may read in a stroke or overlook."""


def surely_read(text: str) -> str:
    """The part of a text from a picture that is certain: two readings with the same one may be of the same text."""
    return "".join(character for character in text.casefold().translate(_MISREAD) if character.isalnum())
