"""Demonstrations: playbooks, as the phrases of their steps."""

import re
from pathlib import Path
from typing import Final

from deskhand.knowledge.passages import Document, Section
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.step_phrases import phrases

KIND: Final = "demonstration"
SUFFIXES: Final = frozenset({".yaml", ".yml"})
_IS_ONE: Final = re.compile(r"^playbook[ \t]*:", re.MULTILINE)


def is_playbook(text: str) -> bool:
    """True if YAML text declares itself a playbook."""
    return _IS_ONE.search(text) is not None


def read_demonstration(path: Path, text: str) -> Document:
    """A playbook's sections as numbered phrases. Raises: PlaybookInvalid."""
    playbook = parse_playbook(text, str(path))
    sections = {**({"host": playbook.host} if playbook.host else {}), **playbook.agents}
    return Document(
        playbook.name,
        tuple(
            Section((name,), "\n".join(f"{number}. {phrase}" for number, phrase in enumerate(phrases(steps), start=1)))
            for name, steps in sections.items()
        ),
    )
