"""The code that a process runs, to notice that it was changed on disk: by an upgrade, or by a developer."""

import sys
from pathlib import Path
from time import monotonic
from typing import Final, TypeAlias

import deskhand

_AGAIN_S: Final = 1.0
_Stamp: TypeAlias = tuple[int, int, int] | None


class LoadedCode:
    """The modules of this package in the state in which they were first found."""

    def __init__(self) -> None:
        self.folder = str(Path(deskhand.__file__).parent)
        self._stamps: dict[str, _Stamp] = {}
        self._checked = 0.0
        self._has_changed = not self._is_same()

    @property
    def has_changed(self) -> bool:
        """True if the file of a loaded module was changed, replaced or removed; checked once in a second at most."""
        if not self._has_changed and monotonic() - self._checked >= _AGAIN_S:
            self._has_changed = not self._is_same()
        return self._has_changed

    def _is_same(self) -> bool:
        self._checked = monotonic()
        return all(self._stamps.setdefault(file, stamp) == stamp for file, stamp in self._present())

    def _present(self) -> list[tuple[str, _Stamp]]:
        names = [name for name in sys.modules if name.partition(".")[0] == "deskhand"]
        files = [file for name in names if (file := getattr(sys.modules[name], "__file__", None))]
        return [(file, _stamp(file)) for file in files]


def _stamp(file: str) -> _Stamp:
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
