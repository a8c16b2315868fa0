"""The window that shows what a program handed over to a process of it that ran already (SPEC 4.2)."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from re import compile as pattern
from time import monotonic
from typing import Final

from deskhand.core.target import TargetInfo

_STAYS_S: Final = 1.0
"""A title that does not name what was handed over may be one on the way to another, until it has stayed so long."""
_INTERPRETER: Final = pattern(r"(python|perl|ruby|node|java|gjs|mono|sh|bash|dash)[\d.]*")
_SHARED_FOLDERS: Final = frozenset(map(Path, ("/", "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin")))
_SCRIPT_BYTES: Final = 64 * 1024


class HandedOver:
    """What was handed over by a command, and the windows that were there `before` it."""

    def __init__(self, argv: Sequence[str], before: Sequence[TargetInfo]) -> None:
        self._words = _without_env(argv)
        self._files = [name for word in self._words[1:] if not word.startswith("-") and (name := Path(word).name)]
        self._before = {window.handle: window.name for window in before}
        self._belonging = {window.handle for window in before if self._belongs(window)}
        self._renamed: dict[tuple[str, str], float] = {}

    def shown_in(self, windows: Sequence[TargetInfo]) -> TargetInfo | None:
        """The window of the same program that names what was handed over and is new in that or active; else one that
        has had another title for a while. `windows` as they are now, front first.
        """
        own = [window for window in windows if window.handle in self._belonging]
        renamed = [window for window in own if window.name and window.name != self._before[window.handle]]
        for window in own:
            if any(name in window.name for name in self._files) and (window in renamed or "active" in window.states):
                return window
        now = monotonic()
        return next((w for w in renamed if now - self._renamed.setdefault((w.handle, w.name), now) >= _STAYS_S), None)

    def _belongs(self, window: TargetInfo) -> bool:
        """Whether the window is of the program that was started, as far as that can be told."""
        if not self._words or window.pid is None:
            return False
        path = shutil.which(self._words[0])
        real = Path(path).resolve() if path else Path(self._words[0])
        names = {_stem(_own(self._words)), _stem(_own([str(real), *self._words[1:]]))}
        try:
            command = Path(f"/proc/{window.pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
            executable = Path(f"/proc/{window.pid}/exe").readlink()
        except OSError:
            return False  # it is gone, or another user's
        running = _own([str(executable), *command[1:]])
        if _stem(running) in names - {""} or any(_is_class(window.application, name) for name in names):
            return True
        folder = Path(running).parent
        return folder.is_absolute() and folder not in _SHARED_FOLDERS and f"{folder}/" in _script(real)


def _without_env(argv: Sequence[str]) -> list[str]:
    """The program and its arguments, without the `env` before it."""
    words = list(argv)
    while words and Path(words[0]).name == "env":
        del words[0]
        while words and (words[0].startswith("-") or "=" in words[0]):
            del words[0]
    return words


def _own(words: Sequence[str]) -> str:
    """The program's file; of what an interpreter runs, the script."""
    if not _INTERPRETER.fullmatch(Path(words[0]).name):
        return words[0]
    return next((word for word in words[1:] if word and not word.startswith("-")), "")


def _stem(program: str) -> str:
    return Path(program).stem.lower()


def _is_class(application: str, name: str) -> bool:
    return bool(name) and (application == name or application.startswith(f"{name}-"))


def _script(program: Path) -> str:
    """The text of a program that is a script; empty for others."""
    try:
        with program.open("rb") as file:
            text = file.read(_SCRIPT_BYTES)
    except OSError:
        return ""
    return text.decode(errors="replace") if text.startswith(b"#!") else ""
