"""Descriptions of named desktops: private ones that stay up after the process that started them."""

from dataclasses import dataclass
from pathlib import Path

NAME_VARIABLE = "DESKHAND_DESKTOP"
REGISTRY_VARIABLE = "DESKHAND_DESKTOPS"
"""Variable with the path of the registry, for programs on a desktop: their HOME is not the one it was started from."""


@dataclass(frozen=True, slots=True)
class NamedDesktop:
    """A desktop that is up. `environment` starts programs on it; a shell may export it.

    `notice`: the part of it that last ended and was started again; empty: none.
    """

    name: str
    display: str
    environment: dict[str, str]
    a11y_address: str
    directory: Path
    notice: str = ""


@dataclass(frozen=True, slots=True)
class EndedDesktop:
    """One that has ended by itself, and `why`."""

    name: str
    why: str
