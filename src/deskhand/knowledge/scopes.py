"""Which knowledge goes with which application."""

import re
from typing import Final

HOST: Final = "host"
"""What whole requests taught: for whoever hands out subtasks."""
_WORD: Final = re.compile(r"\w+")


def applies(learned_for: str, application: str) -> bool:
    """Whether what was learned for one name goes with an application as its windows report it.

    It does where every word of the name is one of the application's: `calc` goes with `libreoffice-calc`. What was
    learned for no name goes with all.
    """
    return set(_words(learned_for)) <= set(_words(application))


def _words(name: str) -> list[str]:
    return _WORD.findall(name.casefold().replace("_", " "))
