"""Full-text query from plain language, without query operators."""

import re
from collections.abc import Sequence
from typing import Final

_WORD: Final = re.compile(r"\w+")
_MOST_WORDS: Final = 16
_LONGEST: Final = 40
_SAY_NOTHING: Final = frozenset(
    {
        *("a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by"),
        *("can", "could", "did", "do", "does", "for", "from", "get", "give", "had", "has", "have", "how", "i"),
        *("if", "in", "into", "is", "it", "its", "just", "like", "make", "me", "my", "no", "not", "now"),
        *("of", "on", "one", "only", "or", "our", "out", "over", "please", "put", "should", "so", "some", "such"),
        *("than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "up", "us"),
        *("use", "want", "was", "we", "were", "what", "when", "where", "which", "who", "will", "with", "would", "you"),
        *("your"),
    }
)


def words_of(query: str) -> tuple[str, ...]:
    """Significant words, each once, in order; all words if none is significant."""
    found = list(dict.fromkeys(word[:_LONGEST] for word in _WORD.findall(query.casefold())))
    telling = [word for word in found if word not in _SAY_NOTHING]
    return tuple((telling or found)[:_MOST_WORDS])


def any_of(words: Sequence[str]) -> str:
    """A full-text expression for any of the words. Words from `words_of` cannot cause a syntax error."""
    # A quoted word is a string: AND, NEAR, a colon or a star in it mean nothing. A word contains no quotes.
    return " OR ".join(f'"{word}"' for word in words)
