"""Learning of a file, a folder or a session: changed sources are replaced, missing ones dropped."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.core.errors import DeskhandError, UsageError
from deskhand.knowledge import demonstrations
from deskhand.knowledge.documents import PDF, SUFFIXES, check_pdf_reader, read_document
from deskhand.knowledge.experience import experiences
from deskhand.knowledge.passages import Document, Piece, cut
from deskhand.knowledge.store import KnowledgeStore, Source

DOCUMENT: Final = "document"
MAX_FILES: Final = 20_000
_CUT: Final = b"1"
"""Version of the passage cutter; another one makes every file count as changed."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Result of learning: sources by result, the number of passages written, and the problems."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    dropped: int = 0
    passages: int = 0
    problems: tuple[str, ...] = ()


def _ignore(done: int, every: int) -> None:
    """Take no note of the part that is done."""


def learn_path(
    store: KnowledgeStore,
    path: Path,
    application: str = "",
    *,
    at: float,
    seen: Callable[[int, int], None] = _ignore,
) -> Counts:
    """Learn a document, a playbook, or a folder of them for one application (empty: for all).

    `seen` gets the number of the file that is read, and that of all. An unreadable file is reported as a problem;
    passages of an earlier version of it are dropped.
    Raises: UsageError (no such file, nothing to learn there), MissingRequirement, KnowledgeUnusable, StoreError.
    """
    root = path.absolute()
    files = _files(root)
    if any(file.suffix.lower() == PDF for file in files):
        check_pdf_reader()
    known = {
        learned.source.location: learned.source
        for learned in store.sources()
        if learned.source.application == application and _stands_below(learned.source.location, root)
    }
    learned: list[tuple[Source, Sequence[Piece]]] = []
    problems: list[str] = []
    kept: set[str] = set()
    for number, file in enumerate(files, start=1):
        seen(number, len(files))
        try:
            source, document = _read(file, application, known.get(str(file)))
        except DeskhandError as error:
            if not root.is_dir():
                raise
            problems.append(error.message)
            continue
        if source is None:
            continue
        kept.add(source.location)
        if document is not None:
            learned.append((source, cut(document)))
    gone = [source for location, source in known.items() if location not in kept]
    if not kept and not gone and not problems:
        raise UsageError(f"there is nothing to learn in {path}", fix=f"give files that end with {_known_suffixes()}")
    store.change(learned, gone, at=at)
    changed = sum(source.location in known for source, _ in learned)
    return Counts(
        added=len(learned) - changed,
        changed=changed,
        unchanged=len(kept) - len(learned),
        dropped=len(gone),
        passages=sum(len(pieces) for _, pieces in learned),
        problems=tuple(problems),
    )


def learn_session(store: KnowledgeStore, session_dir: Path, *, at: float) -> Counts:
    """Learn from a successful session. Raises: UsageError (it did not succeed), KnowledgeUnusable, StoreError."""
    learned = experiences(session_dir)
    locations = {source.location for source, _ in learned}
    known = [one.source for one in store.sources() if one.source.location in locations]
    scopes = {(source.location, source.application) for source, _ in learned}
    gone = [source for source in known if (source.location, source.application) not in scopes]
    store.change(learned, gone, at=at)
    changed = len(known) - len(gone)
    return Counts(
        added=len(learned) - changed,
        changed=changed,
        dropped=len(gone),
        passages=sum(len(pieces) for _, pieces in learned),
    )


def forget(store: KnowledgeStore, what: str, application: str = "", *, at: float) -> int:
    """Drop the passages of a file, a folder or `session:ID`; return the number of sources. `application` empty: any.

    Raises: UsageError if nothing was learned from there, KnowledgeUnusable, StoreError.
    """
    root = Path(what).absolute()
    meant = [
        learned.source
        for learned in store.sources()
        if (learned.source.location == what or _stands_below(learned.source.location, root))
        and application in {"", learned.source.application}
    ]
    if not meant:
        raise UsageError(f"nothing was learned from {what}", fix="deskhand knowledge list shows the sources")
    store.change((), meant, at=at)
    return len(meant)


def _files(root: Path) -> list[Path]:
    if root.is_file():
        if root.suffix.lower() not in SUFFIXES | demonstrations.SUFFIXES:
            raise UsageError(f"{root} has an unsupported type", fix=f"supported: {_known_suffixes()}")
        return [root]
    if not root.is_dir():
        raise UsageError(f"there is no file or folder {root}", fix="give the path of a file or folder to learn")
    files: list[Path] = []
    for file in _walk(root):
        files.append(file)
        if len(files) > MAX_FILES:
            raise UsageError(f"{root} holds more than {MAX_FILES} files to learn", fix="learn its folders one by one")
    return files


def _walk(root: Path) -> Iterator[Path]:
    """Files of supported types, without hidden ones, in the order of their names."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            if name.startswith(".") or file.suffix.lower() not in SUFFIXES | demonstrations.SUFFIXES:
                continue
            if file.is_file():
                yield file


def _read(file: Path, application: str, known: Source | None) -> tuple[Source | None, Document | None]:
    """Source of a file, and its text if it has changed; no source: a YAML file that is no playbook."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}", fix="correct its permissions") from error
    is_yaml = file.suffix.lower() in demonstrations.SUFFIXES
    text = content.decode("utf-8", "replace") if is_yaml else ""
    if is_yaml and not demonstrations.is_playbook(text):
        return None, None
    digest = hashlib.sha256(_CUT + content).hexdigest()
    source = Source(str(file), demonstrations.KIND if is_yaml else DOCUMENT, application, digest)
    if source == known:
        return source, None
    return source, demonstrations.read_demonstration(file, text) if is_yaml else read_document(file, content)


def _stands_below(location: str, root: Path) -> bool:
    return Path(location).is_absolute() and Path(location).is_relative_to(root)


def _known_suffixes() -> str:
    return " ".join(sorted(SUFFIXES | demonstrations.SUFFIXES))
