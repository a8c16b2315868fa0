"""Texts of unknown origin and length, made safe for one bounded line; numbers as text; sizes and addresses."""

import json
import re
import struct
from urllib.parse import urlsplit

CUT = "…"
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that affect the display of others: controls, directions, tags; and lone surrogates."""
_BLANK = re.compile(
    r"[\u00a0\u00ad\u115f\u1160\u1680\u180e\u2000-\u200b\u202f\u205f\u2060\u2800\u3000\u3164\uffa0]|" + _UNSEEN.pattern
)
"""Characters that are displayed as a blank or not at all, except the common space."""
_BREAK = re.compile(r" *[\t\n\v\f\r\x85\u2028\u2029]\s*")
_WHOLE_ESCAPES = re.compile(r"(?:[^\\]|\\(?:u[0-9a-fA-F]{4}|[^u]))*", re.DOTALL)
_WHOLE = 1e15
_SINGLE_DIGITS = range(6, 10)
_WORD = re.compile(r"[^\W\d_]{3,}")
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")


def cut(text: str, most: int) -> str:
    """The text in at most `most` bytes of UTF-8; a longer one is cut and ends in `…` if there is room for it.

    Lone surrogates, which UTF-8 cannot encode, become `?`.
    """
    data = text[: most + 1].encode("utf-8", errors="replace")
    if len(data) <= most:
        return data.decode()
    room = most - size(CUT)
    return data[:room].decode("utf-8", errors="ignore") + CUT if room >= 0 else ""


def one_line(text: str, most: int) -> str:
    """The text with line ends and runs of spaces as single spaces, in at most `most` bytes of UTF-8."""
    longest = 2 * most + 100
    whole = " ".join(text[:longest].split())
    return cut(f"{whole}{CUT}" if len(text) > longest else whole, most)


def both_ends(text: str, most: int) -> str:
    """As `one_line`; of a longer text the beginning, the number of characters left out, and the end."""
    whole = " ".join(text.split())
    if size(whole) <= most:
        return cut(whole, most)
    begin = cut(whole, most // 2).removesuffix(CUT)
    end = cut(whole[::-1], most // 2).removesuffix(CUT)[::-1]
    return f"{begin}{CUT}{len(whole) - len(begin) - len(end)}{CUT}{end}"


def as_line(text: str, most: int) -> str:
    """A line that may contain quoted texts, in at most `most` bytes of UTF-8: its spaces are unchanged.

    Line ends and tabs outside a quoted text become a space; invisible characters are escaped.
    """
    longest = 2 * most + 100
    line = _BLANK.sub(_as_escape, _BREAK.sub(" ", text[:longest].strip()))
    return cut(f"{line}{CUT}" if len(text) > longest else line, most)


def escaped(text: str) -> str:
    """The text with JSON escapes for invisible characters that affect others; line ends are unchanged."""
    return _UNSEEN.sub(_as_escape, text)


def _as_escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def json_line(value: object) -> str:
    """A value as JSON on one line, in which all characters are distinguishable.

    Blanks other than the common space are escaped, as line ends and tabs are: `\\u00a0`. Values without a JSON form are
    converted with `str`.
    """
    return _BLANK.sub(_as_escape, json.dumps(value, ensure_ascii=False, default=str))


def quoted(text: str, longest: int | None = None) -> str:
    """A text as a JSON string, exact as in `json_line`.

    A text longer than `longest` characters: its beginning, the number of characters left out, and its end:
    `"Dear A" …1874… "rs, B"`.
    """
    if longest is None or len(text) <= longest:
        return json_line(text)
    end = longest // 2
    begin = longest - end
    return f"{json_line(text[:begin])} {CUT}{len(text) - longest}{CUT} {json_line(text[len(text) - end :])}"


def quoted_start(text: str, longest: int) -> str:
    """The beginning of a text of unknown full length: `"Dear A" …1994 or more…`."""
    shown = text[:longest]
    return f"{json_line(shown)} {CUT}{len(text) - len(shown) + 1} or more{CUT}"


def legible(text: str, longest: int) -> str:
    """A text within a line: plain if that shows each of its characters, else quoted."""
    words = text.split()
    plain = text == " ".join(words) and not _BLANK.search(text) and not text.startswith('"')
    return text if plain and len(text) <= longest else quoted(text, longest)


def cut_json(text: str, most: int) -> str:
    """The beginning of JSON in at most `most` bytes of UTF-8, without a partial escape or a mark of the cut."""
    data = text[: most + 1].encode("utf-8", errors="replace")[:most]
    whole = _WHOLE_ESCAPES.match(data.decode("utf-8", errors="ignore"))
    return whole[0] if whole else ""


def is_text(text: str) -> bool:
    """True if programs accept the text: no NUL character, no lone surrogate."""
    return not any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text)


def number_text(number: float) -> str:
    """A number in common notation with all significant digits: a program that stores 32 bits returns 0.30000001192."""
    if abs(number) < _WHOLE and number == int(number):
        return str(int(number))
    for digits in _SINGLE_DIGITS:
        text = f"{number:.{digits}g}"
        if _single(float(text)) == number:
            return text
    return f"{number:.15g}"


def _single(number: float) -> float:
    """The nearest 32-bit number."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return number


def size(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text.encode("utf-8", errors="replace"))


def tokens(text: str) -> int:
    """Prompt tokens of a text, estimated as ceil(UTF-8 bytes / 4) for budgets. Costs use the provider's own counts."""
    return (len(text.encode("utf-8", errors="surrogatepass")) + 3) // 4


def is_address(text: str) -> bool:
    """True if a text is the URL of an HTTP server."""
    try:
        parts = urlsplit(text)
        well_formed = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port or host
        return False
    return well_formed and text.isprintable() and " " not in text


def stems(text: str) -> frozenset[str]:
    """The words of a text of at least three letters, in lower case and without their commonest endings."""
    return frozenset(_ENDING.sub("", word) for word in _WORD.findall(text.lower()))
