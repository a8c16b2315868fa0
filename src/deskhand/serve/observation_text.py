"""Observations as text for a client: the whole list of controls, or the changes since another observation."""

from typing import Final

from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.perception.compact import compact, with_lines
from deskhand.perception.delta import delta

_FIRST: Final = "no earlier list of this window: this is all of it"
_TRUNCATED: Final = "changes are not known, as not everything was read: this is all of it"
_SHORTER: Final = "this is all of it, which is shorter than the changes"
_SAME: Final = "nothing changed since the last list of this window"
_SINCE: Final = "changes since the last list of this window, the rest is as it was"


def whole(seen: Observation, note: str = "") -> str:
    """Return the window, what has to be known about the observation, and all controls, one a line."""
    lines = [_window(seen.window), *(f"({each})" for each in seen.reservations), *([f"({note})"] if note else [])]
    return "\n".join([*lines, compact(seen.controls).text])


def changes(before: Observation | None, seen: Observation) -> str:
    """Return the same with lines for changed controls only: `+` new, `-` gone, `~` changed.

    All are listed where there is no earlier observation, a part was not read, or that is shorter.
    """
    if before is None:
        return whole(seen, _FIRST)
    if before.truncated or seen.truncated:
        return whole(seen, _TRUNCATED)
    found = delta(with_lines(before.controls), with_lines(seen.controls))
    head = [_window(seen.window), *(f"({each})" for each in seen.reservations)]
    if not found:
        return "\n".join([*head, f"({_SAME})"])
    text = "\n".join([*head, f"({_SINCE}: {found.counts})", *([found.text] if found.has_lines else [])])
    everything = whole(seen, _SHORTER)
    return text if len(text) < len(everything) else everything


def _window(window: TargetInfo) -> str:
    unsaved = ", with unsaved changes" if window.unsaved else ""
    return f'window {window.handle} "{window.name}" of {window.application or "an unknown application"}{unsaved}'
