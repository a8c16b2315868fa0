"""Texts of unknown origin and length, made fit to stand on one line of something bounded; numbers as texts."""

import json
import re
import struct

CUT = "…"
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What a terminal or a reader takes as an order about the rest: controls, directions, tags; and half characters."""
_BLANK = re.compile(
    r"[\u00a0\u00ad\u115f\u1160\u1680\u180e\u2000-\u200b\u202f\u205f\u2060\u2800\u3000\u3164\uffa0]|" + _UNSEEN.pattern
)
"""What looks like a blank, or like nothing, and is no common blank."""
_BREAK = re.compile(r" *[\t\n\v\f\r\x85\u2028\u2029]\s*")
_WHOLE_ESCAPES = re.compile(r"(?:[^\\]|\\(?:u[0-9a-fA-F]{4}|[^u]))*", re.DOTALL)
_WHOLE = 1e15
_SINGLE_DIGITS = range(6, 10)


def cut(text: str, most: int) -> str:
    """The text in at most `most` bytes of UTF-8; where it is longer, its beginning and `…`, where there is room for it.

    Halves of characters (lone surrogates), which no UTF-8 can carry, become `?`.
    """
    data = text[: most + 1].encode("utf-8", errors="replace")
    if len(data) <= most:
        return data.decode()
    room = most - size(CUT)
    return data[:room].decode("utf-8", errors="ignore") + CUT if room >= 0 else ""


def one_line(text: str, most: int) -> str:
    """The text with its line ends and runs of spaces as single spaces, in at most `most` bytes of UTF-8."""
    longest = 2 * most + 100
    whole = " ".join(text[:longest].split())
    return cut(f"{whole}{CUT}" if len(text) > longest else whole, most)


def as_line(text: str, most: int) -> str:
    """A line that may hold quoted texts, in at most `most` bytes of UTF-8: its blanks stay as they are.

    Line ends and tabs outside of a quoted text become a space, and what is not seen is escaped.
    """
    longest = 2 * most + 100
    line = _BLANK.sub(_as_escape, _BREAK.sub(" ", text[:longest].strip()))
    return cut(f"{line}{CUT}" if len(text) > longest else line, most)


def escaped(text: str) -> str:
    """The text with what is not seen, and may turn or hide the rest, written as JSON escapes it; its lines stay."""
    return _UNSEEN.sub(_as_escape, text)


def _as_escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def json_line(value: object) -> str:
    """A value as JSON on one line, in which every character can be told from every other.

    Blanks other than the common one are escapes, as line ends and tabs are: `\\u00a0`. What JSON has no form for is
    told as `str` does.
    """
    return _BLANK.sub(_as_escape, json.dumps(value, ensure_ascii=False, default=str))


def quoted(text: str, longest: int | None = None) -> str:
    """A text as a JSON string, exact as by `json_line`.

    One that is longer than `longest` characters: its beginning and its end, and between them how many characters are
    left out, `"Dear A" …1874… "rs, B"`.
    """
    if longest is None or len(text) <= longest:
        return json_line(text)
    end = longest // 2
    begin = longest - end
    return f"{json_line(text[:begin])} {CUT}{len(text) - longest}{CUT} {json_line(text[len(text) - end :])}"


def quoted_start(text: str, longest: int) -> str:
    """The beginning of a text of which no more is known than that it goes on: `"Dear A" …1994 or more…`."""
    shown = text[:longest]
    return f"{json_line(shown)} {CUT}{len(text) - len(shown) + 1} or more{CUT}"


def legible(text: str, longest: int) -> str:
    """A text within a line: words as they are, and quoted where that would not show each of its characters."""
    words = text.split()
    plain = text == " ".join(words) and not _BLANK.search(text) and not text.startswith('"')
    return text if plain and len(text) <= longest else quoted(text, longest)


def cut_json(text: str, most: int) -> str:
    """The beginning of JSON in at most `most` bytes of UTF-8, none of its escapes cut in two; no mark of the cut."""
    data = text[: most + 1].encode("utf-8", errors="replace")[:most]
    whole = _WHOLE_ESCAPES.match(data.decode("utf-8", errors="ignore"))
    return whole[0] if whole else ""


def is_text(text: str) -> bool:
    """Whether programs can take it: no character of number 0, no half of one (a lone surrogate)."""
    return not any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text)


def number_text(number: float) -> str:
    """A number as people write it, with all of its digits and no more: some programs keep 0.3 as 0.30000001192."""
    if abs(number) < _WHOLE and number == int(number):
        return str(int(number))
    for digits in _SINGLE_DIGITS:
        text = f"{number:.{digits}g}"
        if _single(float(text)) == number:
            return text
    return f"{number:.15g}"


def _single(number: float) -> float:
    """The nearest number of 32 bits."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return number


def size(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text.encode("utf-8", errors="replace"))
