"""The parts of a command line and of its PATH that are the program's own."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from re import compile as pattern
from typing import Final

WRAPPERS: Final = "deskhand-bin"
_ENV_TAKES: Final = pattern(r"-[i0v]*[uCa]|--unset|--chdir|--argv0")
"""The options of `env` of which the next word is a part."""


def without_env(argv: Sequence[str]) -> list[str]:
    """The program and its arguments, without the `env` before it."""
    words = list(argv)
    while words and Path(words[0]).name == "env":
        del words[0]
        while words and (words[0].startswith("-") or "=" in words[0]):
            del words[: 2 if _ENV_TAKES.fullmatch(words[0]) else 1]
    return words


def without_wrappers(caller: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment, its PATH freed of another desktop's wrappers: they go when that desktop goes."""
    path = caller.get("PATH", os.defpath).split(os.pathsep)
    return {**caller, "PATH": os.pathsep.join(part for part in path if Path(part).name != WRAPPERS)}
