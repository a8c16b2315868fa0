"""Window of a file that a program handed over to a running process of it (contract 4.2)."""

import shutil
from collections.abc import Sequence
from math import inf
from pathlib import Path
from re import compile as pattern
from time import monotonic
from typing import Final

from deskhand.core.patterns import in_title
from deskhand.core.target import TargetInfo
from deskhand.desktop.freedesktop.command_line import without_env

_STAYS_S: Final = 1.0
"""Time for which a title that does not name the file must stay: it may be one on the way to another."""
_NOTHING_ELSE_S: Final = 3.0
"""Time in which a new window would come: a window that names the file already may show another of that name."""
_INTERPRETER: Final = pattern(r"(python|perl|ruby|node|java|gjs|mono|sh|bash|dash)[\d.]*")
_SHARED_FOLDERS: Final = frozenset(map(Path, ("/", "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin")))
_REPLACED: Final = " (deleted)"
"""Suffix that the kernel appends to the file of a program that was updated while it runs."""
_SCRIPT_BYTES: Final = 64 * 1024


class HandedOver:
    """Files handed over by a command, and the windows that were there `before` it."""

    def __init__(self, argv: Sequence[str], before: Sequence[TargetInfo]) -> None:
        self._words = without_env(argv)
        handed = [word for word in self._words[1:] if _is_file(word) and word != _own(self._words)]
        self._files = [in_title(Path(word).name) for word in handed]
        self._before = {window.handle: window for window in before if self.belongs(window)}
        strangers = [window for window in before if window.handle not in self._before and window.pid is not None]
        self._strangers = {(window.pid, window.application) for window in strangers}
        self._since: dict[str, tuple[tuple[str, bool], float]] = {}

    @property
    def owners(self) -> frozenset[int]:
        """The processes of the same program that had windows already."""
        return frozenset(window.pid for window in self._before.values() if window.pid is not None)

    def own(self, windows: Sequence[TargetInfo]) -> list[TargetInfo]:
        """Those of the same program that were there already. `windows` as they are now."""
        return [window for window in windows if window.handle in self._before and window.name]

    def shown_in(self, windows: Sequence[TargetInfo]) -> TargetInfo | None:
        """Return the window of the same program that names the file, and newly does so or came to the front; else one
        that has had another title, or been in front, for a while, or that had it open all the time. `windows`: the
        present ones.
        """
        own = self.own(windows)
        for window in own:
            if self.is_named(window) and (self._came(window) or window.name != self._before[window.handle].name):
                return window
        return next((window for window in own if self._stays_s(window) >= self._patience_s(window)), None)

    def _patience_s(self, window: TargetInfo) -> float:
        if window.name != self._before[window.handle].name:
            return _STAYS_S
        if self._came(window) and not self._files:
            return _STAYS_S
        is_it = self._came(window) or (self.is_named(window) and "active" in window.states)
        return _NOTHING_ELSE_S if is_it else inf

    def _came(self, window: TargetInfo) -> bool:
        """True if it is in front now, and was not before."""
        return "active" in window.states - self._before[window.handle].states

    def _stays_s(self, window: TargetInfo) -> float:
        """Return the seconds for which it has had this title and state."""
        now = window.name, "active" in window.states
        seen, since = self._since.get(window.handle, (now, monotonic()))
        if seen != now:
            since = monotonic()
        self._since[window.handle] = now, since
        return monotonic() - since

    def is_named(self, window: TargetInfo) -> bool:
        """True if a title names the file."""
        return any(name.search(window.name) for name in self._files)

    def is_strange(self, window: TargetInfo) -> bool:
        """True if another program owns a window: one that had windows of that class before, and is named nowhere in the
        command, as behind `nice` or a starter.

        (The class is compared too, for in containers several programs have one process number.)
        """
        if (window.pid, window.application) not in self._strangers:
            return False
        words = [word for word in self._words if not word.startswith("-")]
        return not any(_is_class(window.application, _stem(word)) for word in words)

    def belongs(self, window: TargetInfo) -> bool:
        """True if the window is of the program that was started, as far as that can be known."""
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
        running = _own([str(executable).removesuffix(_REPLACED), *command[1:]])
        if _stem(running) in names - {""} or any(_is_class(window.application, name) for name in names):
            return True
        folder = Path(running).parent
        return folder.is_absolute() and folder not in _SHARED_FOLDERS and f"{folder}/" in _script(real)


def _is_file(word: str) -> bool:
    """True if an argument names a file or folder, as far as that can be known."""
    path = Path(word)
    return not word.startswith("-") and bool(path.name) and (bool(path.suffix) or "/" in word)


def _own(words: Sequence[str]) -> str:
    """Return the program's file; for an interpreter, the script."""
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
