"""Appearance of a typed text in a changed text: an occurrence that was there before does not count. Pure."""

import re
from difflib import SequenceMatcher
from typing import Final

from deskhand.commands.effects.numbers import numbers_in
from deskhand.core.target import comparable_name

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
