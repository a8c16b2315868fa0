"""Applications that can be opened, by all their names, and those that open a file."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from deskhand.core.errors import ApplicationAmbiguous, ApplicationUnknown, ApplicationUnusable, NothingOpens
from deskhand.desktop.program_names import is_windows_program, windows_programs_in
from deskhand.desktop.protocols.windows import Application

OFFERED: Final = 40
"""Applications that a model is offered by name; it may name any other one as well."""
IN_TERMINAL: Final = "it runs in a terminal"
WITH_CORE: Final = ("sh", "-c", 'ulimit -S -c "$(ulimit -H -c)"; exec "$@"', "sh")
"""Lets a program leave a core file in its folder, as far as the limits of this process allow."""
_NEAR: Final = 8
_PLAIN_TEXT: Final = "text/plain"
_MADE_FOR: Final = {
    "text/html": "WebBrowser",
    "text/": "TextEditor",
    "inode/directory": "FileManager",
    "image/": "Viewer",
    "application/pdf": "Viewer",
}
"""Category of the applications made for a type, by how the type begins; others open it too."""
_LIST: Final = "deskhand applications lists them"


@dataclass(frozen=True, slots=True)
class KnownApplication:
    """An application and its names.

    `id` is its identity, which no other one has; `aliases` are as good. It answers to its `names`, `programs`,
    `generic_names` and `keywords` too, to each kind of them only where nothing answers by a kind before it. `types` are
    the MIME types that it opens; `takes_files`: it declares some, or a place for a file in its command. `is_listed`: it
    is offered without being named. `problem`: why it cannot be opened; `source`: where it was found.
    """

    id: str
    application: Application
    aliases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    generic_names: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    takes_files: bool = True
    categories: frozenset[str] = frozenset()
    is_listed: bool = True
    problem: str = ""
    source: str = ""

    @property
    def title(self) -> str:
        """The name for people."""
        return self.names[0] if self.names else self.id

    @property
    def described(self) -> str:
        """Return its identity, with its display name where that adds something."""
        return self.id if comparable(self.title) == comparable(self.id) else f"{self.id} ({self.title})"

    @property
    def answers_to(self) -> tuple[tuple[str, ...], ...]:
        """Its names by kind, the strongest first, keywords last."""
        return ((self.id, self.described, *self.aliases), self.names, self.programs, self.generic_names, self.keywords)


@dataclass(frozen=True, slots=True)
class FileTypes:
    """Types of files on a machine.

    `type_of` gives the MIME type of a path (and raises OSError); `kinds_of` a type and all its parent types, the
    nearest first; `chosen` the ids that user and machine prefer for a type; `added` and `removed` change the types of
    the applications themselves.
    """

    type_of: Callable[[Path], str]
    kinds_of: Callable[[str], Sequence[str]]
    chosen: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    added: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    removed: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


def comparable(name: str) -> str:
    """A name as names of applications are compared: without case, and blanks counted once."""
    return " ".join(name.split()).casefold()


def path_given(file: str) -> Path:
    """The path of a file as it is given: `~` is a home, and a relative one begins in the folder of this process."""
    return Path(os.path.expanduser(file)).absolute()  # noqa: PTH111 - a home that is not known is no error here


class Applications:
    """Applications by their names, and by the files that they open. Immutable."""

    def __init__(
        self,
        known: Iterable[KnownApplication] = (),
        types: Callable[[], FileTypes] | None = None,
        suffixes: Mapping[str, str] | None = None,
    ) -> None:
        """`known` is iterated, and `types` called, once they are needed: most actions launch nothing.

        `suffixes` maps those of files to the ids of the applications that open them where the user chose no other.
        """
        self._given = known
        self._read_types = types
        self._suffixes = suffixes or {}

    @classmethod
    def of(cls, applications: Iterable[Application]) -> "Applications":
        """Those that answer to their plain names alone."""
        return cls(KnownApplication(each.name, each) for each in applications)

    def __iter__(self) -> Iterator[KnownApplication]:
        """All of them, also those that cannot be opened, by their ids."""
        return iter(sorted(self._known.values(), key=lambda each: comparable(each.id)))

    def with_file(self, name: str) -> KnownApplication:
        """The one that answers to a name, to open a file. Raises: as `find`; ApplicationUnusable if it takes none."""
        found = self.find(name)
        if found.takes_files:
            return found
        raise ApplicationUnusable(
            f"{found.described} opens no files: it declares no types, and no place for a file in its command",
            fix=f"open it without one, or give its `argv_with_file` in your configuration: applications: {found.id}",
        )

    def find(self, name: str) -> KnownApplication:
        """The one that answers to a name; a program of Windows, by its name or path, need not be one of these.

        Raises: ApplicationUnknown, ApplicationAmbiguous, ApplicationUnusable.
        """
        meant = self._meant(name)
        usable = [each for each in meant if not each.problem]
        if len(usable) == 1:
            return usable[0]
        if usable:
            told = tuple(each.described for each in usable)
            raise ApplicationAmbiguous(
                f"several applications are called {name!r}: {', '.join(told)}", told, fix="name one by its id"
            )
        if meant:
            raise _unusable(meant[0])
        if is_windows_program(name):
            return _windows_program(name)
        near = ", ".join(each.described for each in self._near(name))
        fix = f"did you mean {near}? {_LIST}" if near else _LIST
        raise ApplicationUnknown(f"there is no application {name!r}", fix=fix)

    def strictly(self, name: str) -> KnownApplication | None:
        """The only one whose identity, name or program it is, also where that one cannot be opened."""
        found = next((found for index in self._by_name[:3] if (found := index.get(comparable(name)))), None)
        return found[0] if found and len(found) == 1 else None

    def opener(self, file: Path, among: Sequence[str] = ()) -> KnownApplication:
        """Return the application for a file or folder: the one of `among` (ids) that opens its type, else the one that
        user and machine chose, else the one that is most specific to it. Raises: NothingOpens, naming the type.
        """
        openers = list(dict.fromkeys(each.id for each in self._openers(file)))
        chosen = next((name for name in openers if name in among), openers[0] if openers else None)
        if chosen is None:
            kind = next(iter(self._kinds(file)), "")
            told = f" (its type is {kind})" if kind else ""
            raise NothingOpens(
                f"nothing on this machine opens {file.name!r}{told}",
                fix=f"say which application is to open it, as with --with APP; {_LIST}",
            )
        return self._known[chosen]

    def launched(self, name: str, file: str = "") -> KnownApplication | None:
        """Return the application that a launch by name, or of a file alone, starts; None where there are none or
        several.
        """
        try:
            if name:
                return self.find(name)
            return self.opener(path_given(file)) if file else None
        except (ApplicationUnknown, ApplicationAmbiguous, ApplicationUnusable, NothingOpens):
            return None

    def named_in(self, text: str) -> frozenset[str]:
        """The ids of those that a text names: by a whole name, in any case, that means one application.

        Of names that overlap the longest counts, and a part of a path or of a longer word is no name. Nor are keywords
        and generic names of one word.
        """
        left = comparable(text)
        ids: set[str] = set()
        for name in self._names:
            if name not in left:
                continue
            left, count = re.subn(rf"(?<![\w./\\-]){re.escape(name)}(?![\w/\\]|\.\w)", "\0", left)
            if count and (found := self.launched(name)):
                ids.add(found.id)
        return frozenset(ids) | windows_programs_in(text)

    def offered(self, files: Iterable[Path] = ()) -> tuple[tuple[str, ...], int]:
        """Names to offer, those that open the files first, and how many more there are."""
        fitting: dict[str, None] = {}
        for file in files:
            fitting.update(dict.fromkeys(each.id for each in self._openers(file)))
        listed = [each.id for each in self if each.is_listed and not each.problem]
        ids = [*(name for name in fitting if name in listed), *(name for name in listed if name not in fitting)]
        return tuple(self._known[name].described for name in ids[:OFFERED]), max(0, len(ids) - OFFERED)

    @cached_property
    def _known(self) -> dict[str, KnownApplication]:
        return {each.id: each for each in self._given}

    @cached_property
    def _types(self) -> FileTypes | None:
        return self._read_types() if self._read_types else None

    def _meant(self, name: str) -> list[KnownApplication]:
        """All that answer to a name most strongly; of several those that are listed, where there are some."""
        for index in self._by_name:
            if found := index.get(comparable(name)):
                can = [each for each in found if not each.problem] or found
                return [each for each in can if each.is_listed] or can
        return []

    @cached_property
    def _by_name(self) -> tuple[dict[str, list[KnownApplication]], ...]:
        """Return the applications for each name, by strength of the name."""
        indexes: tuple[dict[str, list[KnownApplication]], ...] = tuple({} for _ in range(5))
        for each in self:
            for index, names in zip(indexes, each.answers_to, strict=True):
                for name in dict.fromkeys(map(comparable, names)):
                    if name:
                        index.setdefault(name, []).append(each)
        return indexes

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """Return the names that are recognised in a text, the longest first: no single letter, no keyword, and of
        generic names none of a single word, as "office" is.
        """
        *strong, generic, _ = self._by_name
        names = dict.fromkeys(name for index in strong for name in index if len(name) > 1)
        names.update(dict.fromkeys(name for name in generic if " " in name))
        return tuple(sorted(names, key=len, reverse=True))

    def _near(self, name: str) -> list[KnownApplication]:
        """Those that can be opened and share a word with a name."""
        words = set(comparable(name).split())
        return [each for each in self if each.is_listed and not each.problem and words & _words_of(each)][:_NEAR]

    def _kinds(self, file: Path) -> Sequence[str]:
        """The type of a file and all that it is a kind of; none where that cannot be known."""
        if self._types is None:
            return ()
        try:
            return self._types.kinds_of(self._types.type_of(file))
        except (OSError, ValueError):  # a path with a null character is none
            return ()

    def _openers(self, file: Path) -> Iterator[KnownApplication]:
        """Return all applications that can open a file, the best first; some come several times.

        Those by the suffix come before those that declare the type, but not for plain text.
        """
        types = self._types
        by_suffix = self._known.get(self._suffixes.get(file.suffix.lower(), ""))
        for number, kind in enumerate(self._kinds(file)):
            if types is None:
                break
            yield from self._usable(types.chosen.get(kind, ()))
            if number == 0 and by_suffix and by_suffix.is_listed and kind != _PLAIN_TEXT:
                yield by_suffix
            yield from self._usable(types.added.get(kind, ()))
            removed = {found.id for found in self._usable(types.removed.get(kind, ()))}
            declared = [each for each in self if kind in each.types and not each.problem and each.id not in removed]
            yield from sorted(declared, key=lambda each: _rank(each, kind))
        if by_suffix:
            yield by_suffix

    def _usable(self, ids: Iterable[str]) -> Iterator[KnownApplication]:
        for name in ids:
            found = next(iter(self._by_name[0].get(comparable(name), ())), None)
            if found is not None and not found.problem:
                yield found


def _windows_program(name: str) -> KnownApplication:
    """A program of Windows; its identity is its name in small letters, or its path."""
    if "/" in name:
        name = str(path_given(name))
    elif "\\" not in name:
        name = name.lower()
    return KnownApplication(name, Application(re.split(r"[\\/]", name)[-1], (name,)), source="named")


def in_folder(folder: Path, argv: Sequence[str], *, with_core: bool = False) -> tuple[str, ...]:
    """Return the argument vector that starts a program in a folder. `with_core`: it may leave a core file there.

    On Windows it is the program's own: programs start in the folder of this process, and leave no core files.
    """
    if sys.platform == "win32":
        return tuple(argv)
    return (*(WITH_CORE if with_core else ()), "env", f"--chdir={folder}", *argv)


def _unusable(known: KnownApplication) -> ApplicationUnusable:
    program = known.application.argv[0] if known.application.argv else "PROGRAM"
    fix = (
        f"give it a terminal, in your own configuration: applications: {{{known.id}: {{argv: [xterm, -e, {program}]}}}}"
        if known.problem == IN_TERMINAL
        else f"install its program, or say how it is started under `applications` in your own configuration; {_LIST}"
    )
    return ApplicationUnusable(f"{known.described} cannot be opened: {known.problem}", fix=fix)


def _rank(known: KnownApplication, kind: str) -> tuple[bool, bool, int, str]:
    """Sort listed applications made for such files first, then those that open the fewest other types."""
    made_for = next((category for begin, category in _MADE_FOR.items() if kind.startswith(begin)), "")
    return not known.is_listed, made_for not in known.categories, len(known.types), known.id


def _words_of(known: KnownApplication) -> set[str]:
    return {word for names in known.answers_to for name in names for word in comparable(name).split()}
