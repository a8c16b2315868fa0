"""Folders of a machine's entries, associations and MIME types (XDG Base Directory Specification)."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_DATA_DIRS = "/usr/local/share:/usr/share"
_CONFIG_DIRS = "/etc/xdg"


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders to search, the user's own first, and the names to search by.

    `desktops` are the names of the running desktop environment, the most specific first; `languages` are the suffixes
    of localised keys in the order of preference, such as `de_AT` and `de`; `path` is the search path of programs.
    """

    data: tuple[Path, ...]
    config: tuple[Path, ...]
    desktops: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    path: str = os.defpath

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Folders":
        """Return the folders that an environment names; relative paths count as not given, by the specification."""
        home = Path(environment.get("HOME") or Path.home())
        data = _absolute(environment.get("XDG_DATA_HOME", "")) or [home / ".local/share"]
        data += _absolute(environment.get("XDG_DATA_DIRS") or _DATA_DIRS)
        config = _absolute(environment.get("XDG_CONFIG_HOME", "")) or [home / ".config"]
        config += _absolute(environment.get("XDG_CONFIG_DIRS") or _CONFIG_DIRS)
        desktops = filter(None, environment.get("XDG_CURRENT_DESKTOP", "").split(":"))
        return cls(
            tuple(dict.fromkeys(data)),
            tuple(dict.fromkeys(config)),
            tuple(desktops),
            tuple(dict.fromkeys(_languages(environment))),
            environment.get("PATH") or os.defpath,
        )


def _absolute(paths: str) -> list[Path]:
    return [Path(path) for path in paths.split(":") if path.startswith("/")]


def _languages(environment: Mapping[str, str]) -> Iterator[str]:
    """The suffixes of localised keys: language, country and modifier, from the exact one to the language alone."""
    chosen = next(filter(None, map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "C")
    if chosen.partition(".")[0] in {"C", "POSIX"}:
        return
    for name in (*filter(None, environment.get("LANGUAGE", "").split(":")), chosen):
        base, _, modifier = name.partition("@")
        place = base.partition(".")[0]
        language = place.partition("_")[0]
        if modifier:
            yield f"{place}@{modifier}"
        yield place
        if modifier:
            yield f"{language}@{modifier}"
        yield language
