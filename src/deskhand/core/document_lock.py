"""Lock files that programs leave beside a document while they have it open, and the user named in them."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LONGEST: Final = 4096
_UNKNOWN: Final = "another user"
_SHORT_STEM: Final = 6
_OWNER_TEXT: Final = slice(1, 54)
"""Bytes of an owner file with the user's name, after a byte with its length."""


@dataclass(frozen=True, slots=True)
class DocumentLock:
    """A lock file, and the user that holds it. The program may have ended without removing it."""

    file: Path
    holder: str

    @property
    def fix(self) -> str:
        return f"ask them to close it; if nobody has it open, remove {self.file}"


def lock_of(document: Path) -> DocumentLock | None:
    """Return the lock of a document; None if there is none that can be read.

    Those of office suites (`.~lock.NAME#`, `~$NAME`) and of Emacs (`.#NAME`).
    """
    return next(_locks(document), None)


def _locks(document: Path) -> Iterator[DocumentLock]:
    folder, name = document.parent, document.name
    with suppress(OSError, ValueError):
        file = folder / f".~lock.{name}#"
        yield DocumentLock(file, _of_fields(_read(file).decode(errors="replace")))
    with suppress(OSError, ValueError):
        file = folder / f".#{name}"
        yield DocumentLock(file, os.readlink(file).partition(".")[0] or _UNKNOWN)  # noqa: PTH115 - it is no path
    for file in dict.fromkeys((folder / f"~${name}", folder / f"~${_shortened(document)}")):
        with suppress(OSError, ValueError):
            content = _read(file)
            yield DocumentLock(
                file, content[_OWNER_TEXT][: sum(content[:1])].decode("latin-1").strip("\0 ") or _UNKNOWN
            )


def _read(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_LONGEST)


def _shortened(document: Path) -> str:
    """The name in an owner file of a word processor, which replaces up to two letters of a long name."""
    return document.name[min(2, max(0, len(document.stem) - _SHORT_STEM)) :]


def _of_fields(text: str) -> str:
    """The holder in `NAME,LOGIN,HOST,TIME,PROFILE;`, with commas in fields escaped."""
    fields = [field.replace("\0", ",") for field in text.replace("\\,", "\0").rstrip(";\n").split(",")]
    name, login, host, time = (*fields, "", "", "", "")[:4]
    who = f"{name} ({login})" if name and login else name or login or _UNKNOWN
    return who + (f" on {host}" if host else "") + (f" since {time}" if time else "")
