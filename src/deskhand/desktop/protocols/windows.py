"""Windows, their programs and files, and the activity of both."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from typing import Final, Protocol, TypeVar

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Rect
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.shown_files import ShownFile

T = TypeVar("T")

AT_REST_QUIET_S: Final = 0.01
_QUIET_S: Final = 0.05
_AT_REST_S: Final = 0.3
"""A program that changed nothing for so long is at rest."""


def windows_over(window: TargetInfo, listed: Sequence[TargetInfo]) -> tuple[TargetInfo, ...]:
    """Return the windows that cover a part of a window, topmost first; `listed`: all windows in that order."""
    above = takewhile(lambda other: other.handle != window.handle, listed)
    shown = (other for other in above if MINIMIZED not in other.states)
    return tuple(other for other in shown if not other.rect.intersection(window.rect).empty)


def minimized_failure(window: TargetInfo) -> CaptureFailed:
    """Return the error for a picture of a minimized window."""
    return CaptureFailed(
        f'"{window.name}" is minimized: there is no picture of it.', fix="Bring its window to the front first."
    )


class Quiet(StrEnum):
    """Reason why `settle` returned. What cannot be observed is never called settled.

    SETTLED: everything was observed to be quiet. GONE: the application ended. UNSEEN: quiet as far as can be observed,
    the rest is in `Settled.busy`. DEADLINE: something was still busy, or did not answer.
    """

    SETTLED = "settled"
    GONE = "gone"
    UNSEEN = "unseen"
    DEADLINE = "deadline"


@dataclass(frozen=True, slots=True)
class Settled:
    """Result of a wait for quiet.

    `last`: the last change before it was quiet; empty: there was none, or it was not quiet. `busy`: sources still busy
    at the deadline, latest first. `ignored`: sources that changed all the time and were not waited for, and why.
    """

    reason: Quiet
    waited_s: float
    last: str = ""
    busy: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def is_quiet(self) -> bool:
        """True if the application runs and nothing in it changes, as far as can be observed."""
        return self.reason in {Quiet.SETTLED, Quiet.UNSEEN}

    @property
    def summary(self) -> str:
        """One sentence for the user."""
        after = f" after {self.last}" if self.last else ""
        words = {
            Quiet.SETTLED: f"quiet{after}",
            Quiet.GONE: "the application ended",
            Quiet.UNSEEN: f"quiet{after}, as far as can be seen",
            Quiet.DEADLINE: "not quiet",
        }[self.reason]
        busy = f": {'; '.join(self.busy)}" if self.busy else ""
        ignored = f" (not waited for: {'; '.join(self.ignored)})" if self.ignored else ""
        return f"{words} within {self.waited_s:.2f} s{busy}{ignored}"


class Until(StrEnum):
    """Condition that `settle` waits for.

    QUIET: nothing changes. FINAL_STATES: the states of the window's controls are no longer provisional, see
    `Observation.provisional`; returns at once, with `waited_s` 0, where none are. REPORTED: the application has
    reported its content through accessibility; returns at once where it reports at once.
    """

    QUIET = "quiet"
    FINAL_STATES = "final_states"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True)
class Activity:
    """Activity up to now.

    `changes`: number of changes on the whole desktop; it grows with each. `reports`: a number that grows with each
    change that the window's program reports through accessibility. `is_calm`: for a while the program painted and
    reported nothing, except as the effect of an action; False where that is not known, as right after opening.
    `acted_at_s`: time on the session's clock, as `Observation.at_s`, until which an action may still have had effects.
    `quiet_s`: seconds since the window's program last changed or an action was made; 0 where that is not known.
    `restless`: places on the screen that the program repainted by itself of late, as far as was observed; None: too
    many to be known.
    """

    changes: int
    reports: int
    is_calm: bool
    acted_at_s: float
    quiet_s: float = 0.0
    restless: tuple[Rect, ...] | None = ()

    @property
    def look_after_s(self) -> float:
        """The quiet period to wait for before the window is looked at; one at rest only has to show that its program is
        not at work now.
        """
        return AT_REST_QUIET_S if self.quiet_s >= _AT_REST_S else _QUIET_S


@dataclass(frozen=True, slots=True)
class Application:
    """Start command of an application: an argument vector, never a shell line. `{file}` is replaced by the document.

    `window` is a regular expression that the title of its window matches. `name` is the `TargetInfo.application` of its
    windows.
    """

    name: str
    argv: tuple[str, ...]
    argv_with_file: tuple[str, ...] = ()
    window: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


class ProgramState(StrEnum):
    """State of a program. ENDED: normally. DIED: by a signal, or with an error. UNKNOWN: it is gone, and how it ended
    is not known.
    """

    RUNS = "runs"
    ENDED = "ended"
    DIED = "died"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ProgramStatus:
    """State of the program of a window; `how`: how it died, in words."""

    state: ProgramState
    how: str = ""


class Windows(Protocol):
    """Top-level windows, their programs and their activity."""

    async def windows(self) -> tuple[TargetInfo, ...]:
        """Return the top-level windows, dialogs included, front first; the focused one has the state "active".

        `handle` is the window system's id; `application` and `pid` are filled. Raises: DesktopGone.
        """
        ...

    async def launch(
        self, application: Application, file: Path | None = None, *, deadline_s: float = 30.0
    ) -> TargetInfo:
        """Start an application and wait until a NEW window of it can be observed; return that window.

        A launcher that exits after it handed over to a running process is no failure.
        Raises: LaunchFailed (with the program's output), DesktopGone.
        """
        ...

    async def program(self, window: TargetInfo) -> ProgramStatus:
        """Return the state of a window's program, also after the window closed. Raises: DesktopGone."""
        ...

    async def activate(self, window: TargetInfo) -> None:
        """Bring a window to the front and give it the keyboard; return when it has both.

        Raises: ApplicationGone, ActionDeadline, ActionRefused (a menu of another program holds the keyboard).
        """
        ...

    async def popups(self, window: TargetInfo) -> tuple[Rect, ...]:
        """Return the places of the window's program's popups, such as menus and tooltips, exposed as controls or not.

        Raises: DesktopGone.
        """
        ...

    async def ask_to_close(self, window: TargetInfo, *, deadline_s: float = 3.0) -> bool:
        """Ask a window to close, as its own close button does; True if it is gone at the deadline.

        The application decides: a window that asks about unsaved work stays open. Nothing is killed.
        Raises: DesktopGone.
        """
        ...

    def note_file(self, window: TargetInfo, file: Path) -> None:
        """Record that the program of a window opened or saved a file there; `launch` does so by itself.

        For a dialog the file may be shown in any window of the program.
        """
        ...

    def file_of(self, window: TargetInfo) -> ShownFile:
        """Return the file that a window shows, by the title in `window`, or why it is not known. Never raises."""
        ...

    def is_writing(self, window: TargetInfo, file: Path) -> bool:
        """True if the program of a window has a file open for writing now. Never raises."""
        ...

    async def settle(
        self,
        window: TargetInfo | None = None,
        *,
        until: Until = Until.QUIET,
        quiet_s: float = 0.05,
        deadline_s: float = 3.0,
    ) -> Settled:
        """Wait until the UI of that window's application, else of all, is quiet; never raises for a busy UI.

        `until`: the condition that is waited for, see `Until`; both times belong to QUIET. Changes that repeat
        themselves are ignored. Raises: DesktopGone.
        """
        ...

    async def activity(self, window: TargetInfo | None = None) -> Activity:
        """Return the activity of a window's program and of the desktop up to now. Raises: DesktopGone."""
        ...

    async def wait_until(self, condition: Callable[[], Awaitable[T | None]], *, deadline_s: float) -> T | None:
        """Evaluate `condition` now and after each UI change until it is neither None nor False; None at the deadline.

        Errors of `condition` that are `recoverable` count as "not yet".
        """
        ...
