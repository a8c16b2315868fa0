"""Marks around text of unknown origin in a prompt or an answer."""

import re
from typing import Final

from deskhand.core.model import TextPart
from deskhand.core.text import escaped

_MARKS: Final = re.compile(r"<{3,}|>{3,}")


def fenced(what: str, text: str) -> TextPart:
    """Return text as data, between marks that nothing in it can close."""
    return TextPart(f"<<<UNTRUSTED {what}\n{harmless(text).strip()}\nUNTRUSTED>>>", untrusted=True)


def harmless(text: str) -> str:
    """Escape the marks of a fence as JSON does: quoted text stays exact."""
    return _MARKS.sub(lambda match: "".join(f"\\u{ord(mark):04x}" for mark in match.group()), escaped(text))
