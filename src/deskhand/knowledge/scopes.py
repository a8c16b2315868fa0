"""Applicability of knowledge to applications."""

import re
from typing import Final

HOST: Final = "host"
"""Scope of experiences from whole requests: for the agent that assigns subtasks."""
_WORD: Final = re.compile(r"\w+")


def applies(learned_for: str, application: str) -> bool:
    """True if knowledge learned for one name applies to an application as reported by its windows.

    It does if every word of the name is one of the application's: `calc` applies to `libreoffice-calc`. Knowledge
    without a name applies to all.
    """
    return set(_words(learned_for)) <= set(_words(application))


def _words(name: str) -> list[str]:
    return _WORD.findall(name.casefold().replace("_", " "))
