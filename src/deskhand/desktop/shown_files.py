"""Which file a window shows: its title, held against the files that its program is known to have opened or saved."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.core.patterns import in_title
from deskhand.core.roles import Role
from deskhand.core.target import UNSAVED_MARKS, TargetInfo

_MARK: Final = rf"[\s{UNSAVED_MARKS}]*"
_WITH_PATH: Final = re.compile(rf"{_MARK}(~?/.+?)(?: [-–—] [^/]*)?")
"""A title such as `*/home/ada/notes.txt - Mousepad`."""
_WITH_FOLDER: Final = re.compile(rf"{_MARK}(?P<name>[^/]+?) \((?P<folder>~|~?/[^()]*)\).*")
"""A title such as `*notes.txt (~/texts) - gedit`."""
_CUT: Final = "…"


@dataclass(frozen=True, slots=True)
class ShownFile:
    """The file that a window shows; `path` None where it is not known, and `why`.

    `certain`: it was opened or saved in this very window, or the title names its folder. Else only its program is known
    to have it, and the window may show another of that name.
    """

    path: Path | None = None
    why: str = ""
    certain: bool = False

    @property
    def if_certain(self) -> Path | None:
        return self.path if self.certain else None


class ShownFiles:
    """Files that the windows of a desktop show.

    A name alone proves nothing: a file of that name may be anywhere. So only a file counts that we opened or saved
    there (`note`), that the program was started with or has open (`of_process`, by its pid), or that the title names
    with its folder. `shows_pages`: true if a program, by its pid, takes its titles from pages, which may name anything.
    `home`: meaning of `~` in titles.
    """

    def __init__(
        self, home: Path, of_process: Callable[[int], Sequence[Path]], shows_pages: Callable[[int], bool]
    ) -> None:
        self._home = home
        self._of_process = of_process
        self._shows_pages = shows_pages
        self._of_window = defaultdict[tuple[int | None, str], list[Path]](list)
        """By process and window; "" for files that may be in any window of the process."""

    def note(self, window: TargetInfo, file: Path) -> None:
        """Record that the program of a window opened or saved a file there; for a dialog, in any of its windows."""
        files = self._of_window[window.pid, "" if window.type is Role.DIALOG else window.handle]
        file = file.absolute()
        files[:] = [file, *(other for other in files if other != file)]

    def of(self, window: TargetInfo) -> ShownFile:
        """The file that a window shows, by its title as it is given."""
        noted = self._of_window.get((window.pid, window.handle), [])
        known = [*noted, *self._of_program(window)]
        named = [file for file in dict.fromkeys(known) if in_title(file.name).search(window.name)]
        named = [file for file in named if self._is_in(file.parent, window.name)]
        longest = max((len(file.name) for file in named), default=0)
        named = [file for file in named if len(file.name) == longest]
        if not named:
            return ShownFile(why=f'no file that "{window.name}" names is known to be open in its program')
        if len(named) == 1 or named[0] in noted:
            located = named[0] == self._named_with_folder(window)
            return ShownFile(named[0], certain=located or named[0] in noted)
        listed = ", ".join(map(str, named))
        return ShownFile(why=f'"{window.name}" may show any of several files of that name: {listed}')

    def _of_program(self, window: TargetInfo) -> Iterator[Path]:
        """Those of its program, but for those that other windows of it show."""
        if window.pid is None:
            return
        elsewhere = {
            file
            for (pid, handle), files in self._of_window.items()
            for file in files
            if pid == window.pid and handle not in {"", window.handle}
        }
        known = [*self._of_window.get((window.pid, ""), []), *self._of_process(window.pid)]
        yield from (file for file in known if file not in elsewhere)
        if (file := self._named_with_folder(window)) is not None:
            yield file

    def _named_with_folder(self, window: TargetInfo) -> Path | None:
        """A file that is there, and that a title names with its folder; not one of a page, which may name anything."""
        file = None
        if found := _WITH_FOLDER.fullmatch(window.name):
            file = self._at_home(found["folder"]) / found["name"]
        elif found := _WITH_PATH.fullmatch(window.name):
            file = self._at_home(found[1])
        is_told = file is not None and file.is_file() and window.pid is not None and not self._shows_pages(window.pid)
        return file if is_told else None

    def _is_in(self, folder: Path, title: str) -> bool:
        """True if a title that names a folder means this one; titles without one mean any."""
        if found := _WITH_FOLDER.fullmatch(title):
            named = self._at_home(found["folder"])
        elif found := _WITH_PATH.fullmatch(title):
            named = self._at_home(found[1]).parent
        else:
            return True
        begin, cut, end = str(named).partition(_CUT)
        told = str(folder)
        if cut:
            return told.startswith(begin) and told.endswith(end)
        return folder == named or folder.resolve() == named.resolve()

    def _at_home(self, told: str) -> Path:
        return self._home / told[2:] if told.startswith("~/") or told == "~" else Path(told)
