"""Whether a text that was typed came to stand where something reads otherwise now: nothing counts that was so before.

Pure.
"""

import re
from difflib import SequenceMatcher
from typing import Final

from deskhand.commands.effects.numbers import numbers_in
from deskhand.core.target import comparable_name

_SIGNED: Final = re.compile(r"[^\d\s.,:]")


def came_to_stand(text: str, was: str, reads: str) -> bool:
    """Whether it stands in what a control reads more often than in what it read, or in the place of something else.

    Of what had more lines than it shows those that went on top are not counted. Where that which was is all still
    there, whatever was put in somewhere was not the text: keys may have been lost.
    """
    if text not in reads:
        return False
    before = _without_scrolled_out(was, reads)
    return reads.count(text) > before.count(text) or _was_put_in(text, was, reads)


def _without_scrolled_out(was: str, reads: str) -> str:
    """What was, from the line on that is the first one now."""
    then, now = was.split("\n"), reads.split("\n")
    kept = SequenceMatcher(None, then, now, autojunk=False).find_longest_match()
    scrolled = kept.b == 0 and any(line.strip() for line in now[: kept.size])
    return "\n".join(then[kept.a :]) if scrolled else was


def _was_put_in(text: str, was: str, reads: str) -> bool:
    """Whether the text is all that came, whatever went for it; nothing did where all that was is still there."""
    most = len(was) + len(text)
    pairs = enumerate(zip(was, reads, strict=False))
    same = next((place for place, (then, now) in pairs if then != now), min(len(was), len(reads)))
    is_all_there = len(reads) >= len(was) and reads.endswith(was[same:])
    if len(reads) > most or (is_all_there and len(reads) < most):
        return False
    starts = (found.start() for found in re.finditer(f"(?={re.escape(text)})", reads))
    return any(was.startswith(reads[:start]) and was.endswith(reads[start + len(text) :]) for start in starts)


def may_be_count(text: str) -> bool:
    """Whether it may be a count, a time or the number of a line."""
    return bool(numbers_in(text)) and not _SIGNED.search(text)


def came_into_title(text: str, was: str, title: str) -> bool:
    """Whether a title names, as a word or words of it, what that before did not; a number alone has to be all of it."""
    wanted, said, before = (comparable_name(each).casefold() for each in (text, title, was))
    if may_be_count(text):
        return said == wanted != before
    words = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
    return len(words.findall(said)) > len(words.findall(before))
