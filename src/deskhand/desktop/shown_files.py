"""Which file a window shows: its title, held against the files that its program is known to have opened or saved."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.core.target import UNSAVED_MARKS, TargetInfo
from deskhand.core.titles import in_title

_MARK: Final = rf"[\s{UNSAVED_MARKS}]*"
_WITH_PATH: Final = re.compile(rf"{_MARK}(~?/.+?)(?: [-–—] [^/]*)?")
"""A title such as `*/home/ada/notes.txt - Mousepad`."""
_WITH_FOLDER: Final = re.compile(rf"{_MARK}(?P<name>[^/]+?) \((?P<folder>~|~?/[^()]*)\).*")
"""A title such as `*notes.txt (~/texts) - gedit`."""
_CUT: Final = "…"


@dataclass(frozen=True, slots=True)
class ShownFile:
    """The file that a window shows; `path` None where it is not known, and `why`."""

    path: Path | None = None
    why: str = ""


class ShownFiles:
    """Knows which file each window of a desktop shows.

    A name alone tells nothing: a file of that name may be anywhere. So only a file counts that we opened or saved there
    (`note`), that the program was started with or has open (`of_process`, by its pid), or that the title names with its
    folder. `shows_pages`: whether a program, by its pid, takes its titles from pages, which may name anything. `home`:
    what `~` stands for in titles.
    """

    def __init__(
        self, home: Path, of_process: Callable[[int], Sequence[Path]], shows_pages: Callable[[int], bool]
    ) -> None:
        self._home = home
        self._of_process = of_process
        self._shows_pages = shows_pages
        self._of_window = defaultdict[tuple[str, int | None], list[Path]](list)

    def note(self, window: TargetInfo, file: Path) -> None:
        """Keeps that the program of a window opened or saved a file there."""
        files = self._of_window[window.handle, window.pid]
        file = file.absolute()
        files[:] = [file, *(other for other in files if other != file)]

    def of(self, window: TargetInfo) -> ShownFile:
        """The file that a window shows, by its title as it is given."""
        noted = self._of_window.get((window.handle, window.pid), [])
        known = [*noted, *self._of_program(window)]
        named = [file for file in dict.fromkeys(known) if in_title(file.name).search(window.name)]
        named = [file for file in named if self._is_in(file.parent, window.name)]
        longest = max((len(file.name) for file in named), default=0)
        named = [file for file in named if len(file.name) == longest]
        if not named:
            return ShownFile(why=f'no file that "{window.name}" names is known to be open in its program')
        if len(named) == 1 or named[0] in noted:
            return ShownFile(named[0])
        listed = ", ".join(map(str, named))
        return ShownFile(why=f'"{window.name}" may show any of several files of that name: {listed}')

    def _of_program(self, window: TargetInfo) -> Iterator[Path]:
        if window.pid is None:
            return
        for (_, pid), files in self._of_window.items():
            yield from files if pid == window.pid else ()
        yield from self._of_process(window.pid)
        file = self._named_with_folder(window.name)
        if file is not None and file.is_file() and not self._shows_pages(window.pid):
            yield file

    def _named_with_folder(self, title: str) -> Path | None:
        if found := _WITH_FOLDER.fullmatch(title):
            return self._at_home(found["folder"]) / found["name"]
        return self._at_home(found[1]) if (found := _WITH_PATH.fullmatch(title)) else None

    def _is_in(self, folder: Path, title: str) -> bool:
        """Whether a title that names a folder means this one; such as name none mean any."""
        found = _WITH_FOLDER.fullmatch(title)
        if found is None:
            return True
        begin, cut, end = str(self._at_home(found["folder"])).partition(_CUT)
        told = str(folder)
        return told.startswith(begin) and told.endswith(end) if cut else told == begin

    def _at_home(self, told: str) -> Path:
        return self._home / told[2:] if told.startswith("~/") or told == "~" else Path(told)
