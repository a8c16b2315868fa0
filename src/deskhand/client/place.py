"""The sockets of named desktops, as far as a command line has to know them."""

import json
import os
from collections.abc import Mapping, Sequence

NAME_VARIABLE = "DESKHAND_DESKTOP"
REGISTRY_VARIABLE = "DESKHAND_DESKTOPS"
"""Variable with the path of the registry, for programs on a desktop: their HOME is not the one it was started from."""
SOCKET = "resident"
DOOR = "guardian"
"""Names of sockets in the folder `runtime` of a desktop."""


class Place:
    """A desktop that the registry lists. `runtime` has its sockets, `directory` its files."""

    def __init__(self, name: str, registry: str, runtime: str, directory: str) -> None:
        self.name = name
        self.registry = registry
        self.runtime = runtime
        self.directory = directory

    @property
    def socket(self) -> str:
        return f"{self.runtime}/{SOCKET}"

    @property
    def lock(self) -> str:
        """A file that the resident server has locked, from its start to its end."""
        return f"{self.runtime}/{SOCKET}.lock"

    def has_home(self, environment: Mapping[str, str]) -> bool:
        """Return whether the home folder is that of programs on the desktop, as in a shell of `deskhand desktop env`.

        The settings of its commands are not those of the server's user.
        """
        return environment.get("HOME", "").startswith(f"{self.directory}/")

    @property
    def door(self) -> str:
        return f"{self.runtime}/{DOOR}"


def place_of(arguments: Sequence[str], environment: Mapping[str, str]) -> Place | None:
    """Return the named desktop that a command line means; None where only the whole program can find it."""
    folder = _registry(environment)
    name = _option(arguments) or environment.get(NAME_VARIABLE, "") or _only_one(folder)
    return find(name, folder)


def find(name: str, folder: str) -> Place | None:
    """Return the place of the desktop of this name in a registry; None without a readable entry."""
    if not name or "/" in name:
        return None
    try:
        with open(f"{folder}/{name}.json", encoding="utf-8") as file:
            entry = json.load(file)
        return Place(name, folder, entry["runtime"], entry["directory"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _option(arguments: Sequence[str]) -> str:
    """The value of --desktop, the last one if it is given twice."""
    found = ""
    for number, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--desktop":
            found = arguments[number + 1] if number + 1 < len(arguments) else ""
        elif argument.startswith("--desktop="):
            found = argument.partition("=")[2]
    return found


def _registry(environment: Mapping[str, str]) -> str:
    if given := environment.get(REGISTRY_VARIABLE):
        return given
    state = environment.get("XDG_STATE_HOME", "").strip()
    return f"{state or os.path.expanduser('~/.local/state')}/deskhand/desktops"


def _only_one(folder: str) -> str:
    try:
        names = [entry[:-5] for entry in os.listdir(folder) if entry.endswith(".json")]
    except OSError:
        return ""
    return names[0] if len(names) == 1 else ""
