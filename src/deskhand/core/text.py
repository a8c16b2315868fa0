"""Texts of unknown origin and length, made fit to stand on one line of something bounded; numbers as texts."""

import json
import re
import struct

CUT = "…"
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What a terminal or a reader takes as an order about the rest: controls, directions, tags; and half characters."""
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


def escaped(text: str) -> str:
    """The text with what is not seen, and may turn or hide the rest, written as JSON escapes it; its lines stay."""
    return _UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


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
