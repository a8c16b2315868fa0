"""Files that tasks read, sent to a node by the hash of their content: each content once for each node and batch."""

import hashlib
import os
import shutil
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import anyio
from anyio import to_thread

from deskhand.core.errors import UsageError
from deskhand.core.file_stamp import Stamp, stamp_of
from deskhand.store.atomic_files import make_folder, store_error

_PIECE_BYTES: Final = 4 << 20
_MOST_FILES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Input:
    """A file or folder that a task reads. `path`: its path here. `name`: its path below the task's inputs, or, where it
    is in the task's folder, below that. `files`: path below it → hash; "" for a file itself.
    """

    path: str
    name: str
    in_folder: bool
    files: tuple[tuple[str, str], ...]
    folders: tuple[str, ...] = ()


@dataclass(slots=True)
class Shipment:
    """Hashes of files of this machine; a file is read again when it was written."""

    _digests: dict[str, tuple[Stamp, str]] = field(default_factory=dict[str, tuple[Stamp, str]])
    _places: dict[str, Path] = field(default_factory=dict[str, Path])

    def inputs(self, paths: Sequence[Path], folder: Path) -> tuple[Input, ...]:
        """The files and folders at `paths`. `folder`: that of the task. Raises: UsageError."""
        return tuple(self._input(number, path, folder) for number, path in enumerate(dict.fromkeys(paths)))

    def path_of(self, digest: str) -> Path:
        """A file with this content."""
        return self._places[digest]

    def _input(self, number: int, path: Path, folder: Path) -> Input:
        in_folder = path.is_relative_to(folder)
        name = str(path.relative_to(folder)) if in_folder else f"{number}/{path.name}"
        if path.is_file():
            return Input(str(path), name, in_folder, (("", self._digest(path)),))
        folders = tuple(str(each.relative_to(path)) for each in _below(path) if each.is_dir())
        files = tuple((str(each.relative_to(path)), self._digest(each)) for each in _below(path) if each.is_file())
        if len(files) > _MOST_FILES:
            raise UsageError(f"{path} has more than {_MOST_FILES} files", fix="give the files that the tasks need")
        return Input(str(path), name, in_folder, files, folders)

    def _digest(self, path: Path) -> str:
        stamp, known = stamp_of(path), self._digests.get(str(path))
        if known is None or known[0] != stamp or stamp is None:
            try:
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise UsageError(
                    f"cannot read {path}: {error.strerror or error}", fix="give the path of a readable file"
                ) from error
            if stamp is None:
                return digest
            known = self._digests[str(path)] = (stamp, digest)
        self._places[known[1]] = path
        return known[1]


def _below(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        yield from (Path(root) / name for name in sorted((*folders, *names)))


Send = Callable[[str, int, bytes, bool], Awaitable[None]]


@dataclass(slots=True)
class NodeContents:
    """The contents that a node has, as the command knows it: two tasks that begin at once send a content once."""

    send: Send
    sent: set[str] = field(default_factory=set[str])
    _guard: anyio.Lock = field(default_factory=anyio.Lock)

    async def bring(self, shipment: Shipment, digests: Sequence[str]) -> None:
        """Return when the node has these contents. Raises: NodeLost, UsageError (a file was changed meanwhile)."""
        async with self._guard:
            for digest in dict.fromkeys(digests):
                if digest not in self.sent:
                    await self._bring(shipment.path_of(digest), digest)
                    self.sent.add(digest)

    async def _bring(self, path: Path, digest: str) -> None:
        made, offset = hashlib.sha256(), 0
        try:
            with path.open("rb") as file:
                while True:
                    data = await to_thread.run_sync(file.read, _PIECE_BYTES)
                    made.update(data)
                    last = len(data) < _PIECE_BYTES
                    if last and made.hexdigest() != digest:
                        raise UsageError(f"{path} was changed while it was sent", fix="run the same command again")
                    await self.send(digest, offset, data, last)
                    offset += len(data)
                    if last:
                        return
        except OSError as error:
            raise UsageError(
                f"cannot read {path}: {error.strerror or error}", fix="give the path of a readable file"
            ) from error


@dataclass(frozen=True, slots=True)
class ContentStore:
    """The contents on a node, by their hashes."""

    folder: Path

    def take(self, digest: str, offset: int, data: bytes, last: bool) -> None:
        """Write a piece; the content is there after the last one. Raises: StoreError."""
        part = self.folder / f"{digest}.part"
        try:
            make_folder(self.folder, private=True)
            with part.open("wb" if offset == 0 else "r+b") as file:
                file.seek(offset)
                file.write(data)
            if last:
                part.replace(self.folder / digest)
        except OSError as error:
            raise store_error("write", part, error) from error

    def lay_out(self, inputs: Sequence[Input], folder: Path, beside: Path) -> dict[str, Path]:
        """Copy inputs into a task's `folder`, or `beside` it; return their places by their paths on the other machine.

        Raises: StoreError.
        """
        places: dict[str, Path] = {}
        for item in inputs:
            place = places[item.path] = (folder if item.in_folder else beside) / item.name
            try:
                for below in item.folders:
                    (place / below).mkdir(parents=True, exist_ok=True)
                for below, digest in item.files:
                    target = place / below if below else place
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(self.folder / digest, target)
                if not item.files:
                    place.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise store_error("write", place, error) from error
        return places
