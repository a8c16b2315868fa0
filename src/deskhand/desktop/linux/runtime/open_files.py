"""Files that a process was started with or has open, from the kernel."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit


def files_of(pid: int, processes: str = "/proc") -> tuple[Path, ...]:
    """Those that it was started with and those that it has open; none of a process that is gone or another user's."""
    folder = Path(processes, str(pid))
    return tuple(dict.fromkeys(file for file in (*_started_with(folder), *_open_in(folder)) if _is_file(file)))


def is_writing(pid: int, file: Path, processes: str = "/proc") -> bool:
    """True if a process has this file open now and may write to it."""
    folder, real = Path(processes, str(pid)), file.resolve()
    return any(path == real and _may_write(folder / "fdinfo" / name) for name, path in _descriptors(folder))


def _started_with(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        words = (folder / "cmdline").read_bytes().split(b"\0")[1:]
        base = (folder / "cwd").readlink()
        for word in filter(None, words):
            told = os.fsdecode(word)
            yield Path(unquote(urlsplit(told).path)) if told.startswith("file://") else base / told


def _open_in(folder: Path) -> Iterator[Path]:
    return (path for _, path in _descriptors(folder))


def _descriptors(folder: Path) -> Iterator[tuple[str, Path]]:
    with suppress(OSError):
        for descriptor in (folder / "fd").iterdir():
            with suppress(OSError):  # it was closed meanwhile
                yield descriptor.name, descriptor.readlink()


def _may_write(info: Path) -> bool:
    """True if a descriptor was opened to write. LibreOffice has one on a file of Word open to read."""
    with suppress(OSError):
        flags = next((line.split()[1] for line in info.read_text().splitlines() if line.startswith("flags:")), "0")
        return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY
    return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # no path at all, as a long argument
