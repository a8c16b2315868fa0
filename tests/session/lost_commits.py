"""A power cut, done to the journal of a killed session: its last commits never reached the disk (decision 0126)."""

import struct
from pathlib import Path
from typing import Final

from deskhand.core.events import ActionIntended
from deskhand.store.journal import JOURNAL_NAME, read_events

_HEADER: Final = 32
_FRAME: Final = struct.Struct(">II16x")
"""The start of a frame: the number of its page, and the size of the database where it ends a commit."""


def lose_commits(session_dir: Path, *, torn: bool) -> int:
    """Lose the events after the last intent, which was on the disk. Returns their number.

    `torn`: half of the first lost commit is there. Of a session without an intent all but the first event are lost.
    """
    events = list(read_events(session_dir))
    intents = [number for number, event in enumerate(events, 1) if isinstance(event, ActionIntended)]
    stays = intents[-1] if intents else 1
    log = session_dir / f"{JOURNAL_NAME}-wal"
    whole = log.read_bytes()
    ends = _commits(whole)
    made = len(ends) - len(events)  # those that made the table
    assert made >= 0, "the log was folded into the file"
    end = ends[made + stays - 1]
    following = ends[made + stays] if stays < len(events) else end
    log.write_bytes(whole[: (end + following) // 2 if torn else end])
    (session_dir / f"{JOURNAL_NAME}-shm").unlink(missing_ok=True)
    assert len(list(read_events(session_dir))) == stays
    return len(events) - stays


def _commits(log: bytes) -> list[int]:
    """Return where each commit of a log ends."""
    (page,) = struct.unpack_from(">I", log, 8)
    frame = 24 + page
    starts = range(_HEADER, len(log) - frame + 1, frame)
    salt = log[16:24]
    return [
        start + frame for start in starts if _FRAME.unpack_from(log, start)[1] and log[start + 8 : start + 16] == salt
    ]
