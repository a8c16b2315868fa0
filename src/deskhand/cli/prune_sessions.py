"""`deskhand sessions prune`."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand.cli.console import Failure, at_terminal, print_error, print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.core.errors import EXIT_ERROR, StoreError, UsageError
from deskhand.core.json import JsonValue
from deskhand.report.overview import SessionEntry, State, entry_of, size_in_words
from deskhand.session.session_folders import check_session, remove_session, session_folders

_AGE: Final = re.compile(r"(\d{1,6})([mhdw])")
_SECONDS: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}


@dataclass(slots=True)
class _Done:
    """`kept`: those that were old enough, and did not record their end or cannot be read."""

    removed: list[SessionEntry]
    kept: list[SessionEntry]
    failures: list[StoreError]

    @property
    def size(self) -> int:
        return sum(entry.size for entry in self.removed)


def prune(
    older_than: Annotated[
        str, typer.Option(metavar="AGE", help="Ended longer ago than this: 30d, 12h, 4w.", show_default=False)
    ] = "",
    keep: Annotated[int | None, typer.Option(metavar="N", help="Keep the newest N.", min=0, show_default=False)] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be removed.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also those without a recorded end, and damaged ones.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Remove the folders of finished sessions of this user; with both options, those that both allow.

    Running sessions stay. One without a recorded end stays without --force: it may still be resumed.
    """
    old = _old([entry_of(folder) for folder in session_folders()], _before(older_than, keep), keep or 0)
    meant = [entry for entry in old if force or entry.state is State.FINISHED]
    done = _Done([], [entry for entry in old if entry not in meant], [])
    if dry_run:
        _each(meant, done, check_session)
    elif meant and (yes or _agreed(meant)):
        _each(meant, done, remove_session)
    _print(done, dry_run=dry_run, as_json=as_json)
    return EXIT_ERROR if done.failures else 0


def _before(older_than: str, keep: int | None) -> float | None:
    """The time before which sessions ended that are meant; None: at any time. Raises: UsageError."""
    if not older_than:
        if keep is None:
            raise UsageError("no sessions are named", fix="deskhand sessions prune --older-than 30d, or --keep 20")
        return None
    match = _AGE.fullmatch(older_than)
    if match is None:
        raise UsageError(f"{older_than!r} is not an age", fix="give minutes, hours, days or weeks: 90m, 12h, 30d, 4w")
    return time.time() - float(match[1]) * _SECONDS[match[2]]


def _old(entries: Sequence[SessionEntry], before: float | None, keep: int) -> list[SessionEntry]:
    """The entries after the `keep` newest that do not run and ended before that time, if there is one.

    The end of a damaged one is that of its last change.
    """
    newest_first = sorted(entries, key=_ended, reverse=True)
    return [
        entry
        for entry in newest_first[keep:]
        if entry.state is not State.RUNNING and (before is None or _ended(entry) < before)
    ]


def _ended(entry: SessionEntry) -> float:
    if entry.ended:
        return entry.ended
    try:
        return Path(entry.session_dir).stat().st_mtime
    except OSError:
        return time.time()


def _agreed(meant: Sequence[SessionEntry]) -> bool:
    """Ask the user. Raises: UsageError without a terminal."""
    told = f"{_count(meant)}, {size_in_words(sum(entry.size for entry in meant))}"
    if not at_terminal():
        raise UsageError(
            f"{told} would be removed, and nobody can be asked", fix="add --yes, or list them with --dry-run"
        )
    for entry in meant:
        print_note(printable(_line(entry)))
    return typer.confirm(f"Remove {told}?", err=True)


def _each(meant: Sequence[SessionEntry], done: _Done, work: Callable[[Path], None]) -> None:
    for entry in meant:
        try:
            work(Path(entry.session_dir))
            done.removed.append(entry)
        except StoreError as error:
            done.failures.append(error)


def _print(done: _Done, *, dry_run: bool, as_json: bool) -> None:
    for error in done.failures:
        print_error(error.message, error.fix)
    if as_json:
        removed: list[JsonValue] = [entry.id for entry in done.removed]
        kept: list[JsonValue] = [entry.id for entry in done.kept]
        failure = {**Failure.of(done.failures[0]).as_json} if done.failures else None
        print_json({"removed": removed, "bytes": done.size, "dry_run": dry_run, "kept": kept, "error": failure})
        return
    for entry in done.removed:
        print_line(printable(_line(entry)))
    print_note(f"{'would remove' if dry_run else 'removed'} {_count(done.removed)}, {size_in_words(done.size)}")
    if done.kept:
        print_note(f"kept {len(done.kept)} without a recorded end; --force removes them too")


def _count(entries: Sequence[SessionEntry]) -> str:
    return f"{len(entries)} session{'' if len(entries) == 1 else 's'}"


def _line(entry: SessionEntry) -> str:
    return f"{entry.id} {entry.outcome or entry.state.value} {size_in_words(entry.size)}"
