"""Dates in ISO form, and the same date as a field writes it: by its parts, or in the form of its present value."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo

_ISO: Final = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)?(?:(?<=\d)[T ](?=\d)|^|$)(?P<time>\d\d:\d\d)?")
_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_HALVES: Final = ("am", "pm")
_PARTS: Final = ("year", "month", "day", "hour", "minute", "am/pm")
_SHORT: Final = 3


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, a time of day, or both; `iso` as it was given."""

    iso: str
    day: date | None
    time: time | None

    @classmethod
    def of(cls, text: str) -> "Moment | None":
        """Return the moment of a text in ISO form; None for any other text. Raises: ValueError if there is no such day.

        `2026-03-12`, `2026-03-12 10:20` (also with `T`), `10:20`.
        """
        found = _ISO.fullmatch(text.strip())
        if found is None or not any(found.groups()):
            return None
        try:
            day = date.fromisoformat(found["date"]) if found["date"] else None
            return cls(text.strip(), day, time.fromisoformat(found["time"]) if found["time"] else None)
        except ValueError as error:
            raise ValueError(f"there is no {text.strip()}: {error}") from error

    def numbers(self, *, halves: bool) -> dict[str, str]:
        """Return the digits of each part; `halves`: hours from 1 to 12, with am or pm."""
        found: dict[str, str] = {}
        if self.day is not None:
            found |= {"year": f"{self.day:%Y}", "month": f"{self.day:%m}", "day": f"{self.day:%d}"}
        if self.time is not None:
            found |= {"hour": f"{self.time:%I}" if halves else f"{self.time:%H}", "minute": f"{self.time:%M}"}
            found |= {"am/pm": _HALVES[self.time.hour >= 12]} if halves else {}
        return found


def parts_of_date(inside: Sequence[TargetInfo]) -> Mapping[str, TargetInfo]:
    """Return the number fields that a date or time of a page consists of, by part; empty if one has an unknown name."""
    fields = [control for control in inside if control.type is Role.SPINBUTTON or _part(control.name) == "am/pm"]
    known = {_part(control.name): control for control in fields}
    return known if "" not in known and len(known) == len(fields) else {}


def _part(name: str) -> str:
    return next((part for part in _PARTS if name.casefold().startswith(part)), "")


def is_date(shown: str) -> bool:
    """True if a field shows a date, with or without a time."""
    return _order(_TOKEN.findall(shown)) is not None or len(re.findall(r"\d+", shown)) >= 3


def in_form_of(shown: str, moment: Moment) -> str:
    """Return a moment in the form of a shown date; empty if its form, or the order of day and month, is not clear."""
    tokens = _TOKEN.findall(shown)
    order = _order(tokens)
    if order is None or moment.day is None:
        return ""
    halves = any(token.casefold() in _HALVES for token in tokens)
    places = {place: part for part, place in order.items()}
    rest = [place for place, token in enumerate(tokens) if token.isdigit() and place not in places]
    if moment.time is not None and len(rest) < 2:
        return ""
    if moment.time is not None:
        places |= {rest[0]: "hour", rest[1]: "minute"}
    wanted = moment.numbers(halves=halves)
    pads = _pads(tokens, order)
    return "".join(_written(token, places.get(place, ""), wanted, pads=pads) for place, token in enumerate(tokens))


def _order(tokens: Sequence[str]) -> dict[str, int] | None:
    """The places of year, month and day; None if they are not clear."""
    named = next((place for place, token in enumerate(tokens) if _month(token) is not None), None)
    wanted = 3 if named is None else 2
    numbers = [place for place, token in enumerate(tokens) if token.isdigit()][:wanted]
    if len(numbers) < wanted:
        return None
    first_is_year = len(tokens[numbers[0]]) == 4
    year = numbers[0] if first_is_year else numbers[-1]
    one, *more = (place for place in numbers if place != year)
    if named is not None:
        return {"year": year, "month": named, "day": one}
    month_first = first_is_year or _is_month_first(tokens, one, more[0])
    if month_first is None:
        return None
    month, day = (one, more[0]) if month_first else (more[0], one)
    return {"year": year, "month": month, "day": day}


def _is_month_first(tokens: Sequence[str], one: int, two: int) -> bool | None:
    """True if the first of two numbers before a year is the month, False if the day; None if that is not clear."""
    if int(tokens[one]) > 12 or tokens[one + 1].strip() == ".":
        return False
    return True if int(tokens[two]) > 12 else None


def _month(token: str) -> int | None:
    word = token.casefold()
    names = [number for number, name in enumerate(_MONTHS) if len(word) >= _SHORT and name.casefold().startswith(word)]
    return names[0] if len(names) == 1 else None


def _pads(tokens: Sequence[str], order: Mapping[str, int]) -> bool:
    """True unless a day or month of one digit is shown, which has no zero before it."""
    return all(len(tokens[order[part]]) > 1 for part in ("month", "day"))


def _written(token: str, part: str, wanted: Mapping[str, str], *, pads: bool) -> str:
    """A token of the shown text, or the wanted part in its form."""
    if token.casefold() in _HALVES and "am/pm" in wanted:
        return wanted["am/pm"].upper() if token.isupper() else wanted["am/pm"]
    text = wanted.get(part, token)
    if part == "month" and not token.isdigit():
        name = _MONTHS[int(text) - 1]
        return name[:_SHORT] if len(token) == _SHORT else name
    if part == "year" and len(token) == 2:
        return text[-2:]
    return text if pads or part in {"", "year", "minute"} else str(int(text))
