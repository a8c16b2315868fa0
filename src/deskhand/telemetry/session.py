"""The session that is recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from deskhand.core.events import ActionEvent, TraceStarted


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session, or its continuation, that begins at `now` (seconds since 1970).

    `content`: texts are exported too. `secrets`: actions of earlier processes that typed a password; `before`: the
    traces of these processes.
    """

    session_id: str
    version: str
    now: float
    content: bool = False
    secrets: Sequence[ActionEvent] = ()
    before: Sequence[TraceStarted] = ()
