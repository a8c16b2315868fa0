"""Comparison of a rule's words with the user's request: an action that the request orders."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from deskhand.core.patterns import matched_text

_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"[.!?;\n。！？]+")
_SHORTEST: Final = 3
_ENDING: Final = 2
"""Letters at the end of a word that may differ: "löschen", "lösche"."""
_LEAST_STEM: Final = 4
_SCRIPT_WITHOUT_BLANKS: Final = "\u2e80"
_GENERAL: Final = frozenset(
    {"the", "your", "now", "place", "confirm", "complete", "jetzt", "alle", "will", "not", "down", "out"}
)
"""Words that name no action."""
_NEGATED: Final = re.compile(
    r"n['’]t\b|\b(?:not|never|no|without|nicht|kein\w*|ohne|niemals|ne|pas|sans|jamais|sin|nunca|non|senza|não|sem|"
    r"niet|geen|zonder|nooit|nie|bez|nigdy|inte|utan|aldrig|не|без|никогда)\b|[不别別勿]|ない|ません|ずに",
    re.IGNORECASE,
)


def is_ordered(wanted: Sequence[str], text: str, request: str) -> bool:
    """Return whether a sentence of the request, without a negation, has a word that these patterns find in a text."""
    stems = [stem for pattern in wanted for stem in _stems(matched_text(pattern, text))]
    sentences = [sentence for sentence in _SENTENCE.split(request.casefold()) if not _NEGATED.search(sentence)]
    return any(re.search(stem, sentence) for stem in stems for sentence in sentences)


def _stems(text: str) -> Iterator[str]:
    """Yield a pattern for each word that names an action, in all its forms."""
    for word in _WORD.findall(text.casefold()):
        if word[0] >= _SCRIPT_WITHOUT_BLANKS:
            yield re.escape(word)
        elif len(word) >= _SHORTEST and word not in _GENERAL:
            yield rf"(?<!\w){re.escape(word[: max(_LEAST_STEM, len(word) - _ENDING)])}"
