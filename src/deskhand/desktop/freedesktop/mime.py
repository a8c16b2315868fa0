"""The type of a file by the machine's MIME database (Shared MIME-info Database 0.22): its name, then its content."""

import mimetypes
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final

from deskhand.desktop.freedesktop.folders import Folders

FOLDER: Final = "inode/directory"
TEXT: Final = "text/plain"
UNKNOWN: Final = "application/octet-stream"
_MAGIC: Final = b"MIME-Magic\0\n"
_MOST_READ: Final = 64 * 1024
"""Bytes of a file that are read; all rules but those of disc images use no more than 20 KiB."""
_SNIFFED: Final = 4096
_ENDINGS: Final = {
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".odg": "application/vnd.oasis.opendocument.graphics",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
"""Types that are needed where a machine has no database; Python knows some others."""


@dataclass(frozen=True, slots=True)
class _Glob:
    """A pattern of names; one that is not `exact` is in lower case and compared so."""

    pattern: str
    type: str
    weight: int
    exact: bool

    def matches(self, name: str) -> bool:
        if not any(char in self.pattern for char in "*?["):
            return name == self.pattern
        rest = self.pattern[1:]
        if self.pattern[0] == "*" and not any(char in rest for char in "*?["):
            return name.endswith(rest)
        return fnmatchcase(name, self.pattern)


@dataclass(frozen=True, slots=True)
class _Test:
    """One line of a rule: `value` is at one of the places from `start`, under `mask`; and, where there are some, one of
    the tests `below` holds too.
    """

    depth: int
    start: int
    value: bytes
    mask: bytes
    places: int
    below: list["_Test"] = field(default_factory=list["_Test"])

    def holds(self, content: bytes) -> bool:
        return self._stands(content) and (not self.below or any(test.holds(content) for test in self.below))

    def _stands(self, content: bytes) -> bool:
        size = len(self.value)
        if not self.mask:
            end = self.start + self.places - 1 + size
            return content.find(self.value, self.start, end) >= 0
        wanted = bytes(a & b for a, b in zip(self.value, self.mask, strict=True))
        for start in range(self.start, self.start + self.places):
            part = content[start : start + size]
            if len(part) == size and bytes(a & b for a, b in zip(part, self.mask, strict=True)) == wanted:
                return True
        return False


@dataclass(frozen=True, slots=True)
class _Rule:
    """Content rule of a type: one of `tests` holds."""

    priority: int
    type: str
    tests: list[_Test]


@dataclass(frozen=True)
class MimeDatabase:
    """Types of files, and their parent types."""

    globs: tuple[_Glob, ...] = ()
    rules: tuple[_Rule, ...] = ()
    parents: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    aliases: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def is_there(self) -> bool:
        """True if the machine has a database; without one a few types are known by their suffix."""
        return bool(self.globs)

    def type_of(self, path: Path) -> str:
        """The type of a file or folder. Raises: OSError where it cannot be read."""
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            return FOLDER if stat.S_ISDIR(mode) else UNKNOWN  # a pipe would keep us waiting for its writer
        if not self.is_there:
            return _by_suffix(path.name) or self._by_content(_beginning(path))
        named = self._by_name(path.name)
        if len(named) == 1:
            return named[0]
        content = _beginning(path)
        if not named:
            return self._by_content(content)
        for said in self._said_by(content):
            if found := next((kind for kind in self.kinds_of(said) if kind in named), ""):
                return found
        is_text = _is_text(content)
        return next((kind for kind in named if (TEXT in self.kinds_of(kind)) is is_text), named[0])

    def kinds_of(self, mime_type: str) -> list[str]:
        """The type and all that it is a kind of, the nearest first. Any text is plain text."""
        kinds = [self.canonical(mime_type)]
        for kind in kinds:
            parents = [self.canonical(parent) for parent in self.parents.get(kind, [])]
            kinds += [parent for parent in parents if parent not in kinds and parent != UNKNOWN]
        if kinds[0].startswith("text/") and TEXT not in kinds:
            kinds.append(TEXT)
        return kinds

    def canonical(self, mime_type: str) -> str:
        """The name under which the database knows a type."""
        return self.aliases.get(mime_type, mime_type)

    def _by_name(self, name: str) -> list[str]:
        """The types that the name speaks for equally well: by the heaviest, then the longest pattern, then by one that
        minds the case of letters.
        """
        lower = name.lower()
        found = [glob for glob in self.globs if glob.matches(name if glob.exact else lower)]
        if not found:
            return []
        best = max(map(_strength, found))
        return list(dict.fromkeys(glob.type for glob in found if _strength(glob) == best))

    def _by_content(self, content: bytes) -> str:
        return next(self._said_by(content), "") or (TEXT if _is_text(content) else UNKNOWN)

    def _said_by(self, content: bytes) -> Iterator[str]:
        for rule in self.rules:
            if any(test.holds(content) for test in rule.tests):
                yield rule.type


def _strength(glob: _Glob) -> tuple[int, int, bool]:
    return glob.weight, len(glob.pattern), glob.exact


@cache
def mime_database(folders: Folders) -> MimeDatabase:
    """The database of the machine, read once per process; one without types where there is none."""
    globs: dict[tuple[str, str, bool], _Glob] = {}
    rules: dict[str, list[_Rule]] = {}
    parents: dict[str, list[str]] = {}
    aliases: dict[str, str] = {}
    for data in reversed(folders.data):
        root = data / "mime"
        _add_globs(_text(root / "globs2"), globs)
        for rule in _magic(_bytes(root / "magic")):
            if rule.tests and rule.tests[0].value == b"__NOMAGIC__":
                rules.pop(rule.type, None)
            else:
                rules.setdefault(rule.type, []).append(rule)
        for line in _text(root / "subclasses").splitlines():
            kind, _, parent = line.partition(" ")
            parents.setdefault(kind, []).append(parent)
        aliases |= {
            alias: kind for line in _text(root / "aliases").splitlines() for alias, _, kind in [line.partition(" ")]
        }
    ordered = sorted((rule for each in rules.values() for rule in each), key=lambda rule: -rule.priority)
    return MimeDatabase(tuple(globs.values()), tuple(ordered), parents, aliases)


def _add_globs(text: str, globs: dict[tuple[str, str, bool], _Glob]) -> None:
    """Those of a folder join those of the folders after it, or replace them (`__NOGLOBS__`)."""
    for line in text.splitlines():
        parts = line.split(":")
        if line.startswith("#") or len(parts) < 3 or not parts[0].isdecimal() or not parts[2]:
            continue
        weight, kind, pattern = int(parts[0]), parts[1], parts[2]
        if pattern == "__NOGLOBS__":
            for key in [key for key in globs if key[0] == kind]:
                del globs[key]
            continue
        exact = len(parts) > 3 and "cs" in parts[3].split(",")
        globs[kind, pattern, exact] = _Glob(pattern if exact else pattern.lower(), kind, weight, exact)


def _magic(data: bytes) -> Iterator[_Rule]:
    """The rules of a `magic` file; none where it is damaged from there on."""
    if not data.startswith(_MAGIC):
        return
    at = len(_MAGIC)
    try:
        while at < len(data):
            end = data.index(b"]\n", at)
            priority, _, kind = data[at + 1 : end].decode().partition(":")
            at = end + 2
            tests: list[_Test] = []
            while at < len(data) and data[at : at + 1] != b"[":
                test, at = _test(data, at)
                tests.append(test)
            yield _Rule(int(priority), kind, _nested(tests))
    except (ValueError, IndexError):
        return


def _test(data: bytes, at: int) -> tuple[_Test, int]:
    """One line, `[depth]>start=value[&mask][~word][+places]`, and where the next begins.

    Raises: ValueError, IndexError.
    """
    mark = data.index(b">", at)
    depth = int(data[at:mark] or b"0")
    equals = data.index(b"=", mark)
    start = int(data[mark + 1 : equals])
    size = int.from_bytes(data[equals + 1 : equals + 3], "big")
    at = equals + 3
    value, at = data[at : at + size], at + size
    mask, word, places = b"", 1, 1
    while data[at] != ord("\n"):
        sign, at = data[at : at + 1], at + 1
        if sign == b"&":
            mask, at = data[at : at + size], at + size
            continue
        end = at
        while data[end : end + 1].isdigit():
            end += 1
        number, at = int(data[at:end]), end
        if sign == b"~":
            word = number
        elif sign == b"+":
            places = number
    if word > 1 and sys.byteorder == "little":
        value, mask = _swapped(value, word), _swapped(mask, word)
    return _Test(depth, start, value, mask, places), at + 1


def _swapped(data: bytes, word: int) -> bytes:
    """Numbers are written with their highest byte first, and are in files in this machine's byte order."""
    return b"".join(data[at : at + word][::-1] for at in range(0, len(data), word))


def _nested(tests: Sequence[_Test]) -> list[_Test]:
    """Return the tests of depth 0, each with those below it."""
    above: list[_Test] = []
    tops: list[_Test] = []
    for test in tests:
        del above[test.depth :]
        (above[-1].below if above else tops).append(test)
        above.append(test)
    return tops


def _by_suffix(name: str) -> str:
    """The type of a name without the machine's database; empty where it is not known."""
    suffix = Path(name).suffix.lower()
    return _ENDINGS.get(suffix) or mimetypes.MimeTypes(strict=True).guess_type(f"x{suffix}")[0] or ""


def _is_text(content: bytes) -> bool:
    """True if the beginning of a file is text in any encoding, by its control characters."""
    return not any(byte < 9 or (13 < byte < 32 and byte != 27) or byte == 127 for byte in content[:_SNIFFED])


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_READ)


def _text(path: Path) -> str:
    return _bytes(path).decode(errors="replace")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
