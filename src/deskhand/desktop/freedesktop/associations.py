"""Applications for types of files, as user and machine chose them (Association between MIME types and applications,
1.0.1).
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from deskhand.desktop.freedesktop.folders import Folders
from deskhand.desktop.freedesktop.keyfile import KeyFile, items, read_key_file

_NAME: Final = "mimeapps.list"
_SUFFIX: Final = ".desktop"


@dataclass(frozen=True)
class Associations:
    """Ids of entries by type: `defaults` in the order of preference, and those `added` to the types of an entry itself
    or `removed` from them.
    """

    defaults: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    added: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    removed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


@cache
def associations(folders: Folders) -> Associations:
    """Return those of the machine, read once per process. Later files cannot change an entry of an earlier one."""
    found = Associations()
    for path in _files(folders):
        try:
            groups = read_key_file(path)
        except OSError:
            continue
        _append(found.defaults, groups, "Default Applications")
        added, removed = dict[str, list[str]](), dict[str, list[str]]()
        _append(added, groups, "Added Associations")
        _append(removed, groups, "Removed Associations")
        for kind, ids in added.items():
            found.added.setdefault(kind, []).extend(i for i in ids if i not in found.removed.get(kind, ()))
        for kind, ids in removed.items():
            found.removed.setdefault(kind, []).extend(i for i in ids if i not in found.added.get(kind, ()))
    return found


def _files(folders: Folders) -> list[Path]:
    """In the order of precedence; in each folder those of the desktop environment come first."""
    places = (*folders.config, *(data / "applications" for data in folders.data))
    names = (*(f"{desktop.lower()}-{_NAME}" for desktop in folders.desktops), _NAME)
    return [place / name for place in places for name in names]


def _append(to: dict[str, list[str]], groups: KeyFile, group: str) -> None:
    for kind, ids in groups.get(group, {}).items():
        known = to.setdefault(kind, [])
        known.extend(name for written in items(ids) if (name := written.removesuffix(_SUFFIX)) not in known)
