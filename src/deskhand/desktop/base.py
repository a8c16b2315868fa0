"""What every desktop backend does.

Contract for all methods: they never hang (each has a deadline and raises at it), never act on anything but what they
were given, and raise the typed errors of `core.errors`; a `TargetInfo` is addressed by its `handle` alone unless a
method says otherwise. All points and rectangles are physical screen pixels. One caller at a time may act; a second
concurrent action raises DesktopBusy. Beside the errors that a method names, each may raise DesktopGone, and one that is
given a window or a control ApplicationGone, ApplicationUnresponsive or, for a control, ElementStale.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from typing import Protocol, TypeVar

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Observation, Picture
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.shown_files import ShownFile
from deskhand.desktop.user_guard import Guard, GuardRules

T = TypeVar("T")


def windows_over(window: TargetInfo, listed: Sequence[TargetInfo]) -> tuple[TargetInfo, ...]:
    """The windows that cover a part of a window, the topmost first; `listed` are all of them, in that order."""
    above = takewhile(lambda other: other.handle != window.handle, listed)
    shown = (other for other in above if MINIMIZED not in other.states)
    return tuple(other for other in shown if not other.rect.intersection(window.rect).empty)


def minimized_failure(window: TargetInfo) -> CaptureFailed:
    """What is raised where a picture of a minimized window is asked for."""
    return CaptureFailed(
        f'"{window.name}" is minimized: there is no picture of it.', fix="Bring its window to the front first."
    )


class Quiet(StrEnum):
    """Why `settle` returned. What is not known is never called settled.

    SETTLED: everything was seen to be quiet. GONE: the application ended. UNSEEN: quiet, as far as it can be seen;
    what cannot is in `Settled.busy`. DEADLINE: something was still going on, or somebody did not answer.
    """

    SETTLED = "settled"
    GONE = "gone"
    UNSEEN = "unseen"
    DEADLINE = "deadline"


@dataclass(frozen=True, slots=True)
class Settled:
    """How a wait for quiet ended.

    `last`: what changed last before it was quiet; empty: nothing changed, or it was not quiet. `busy`: what was still
    going on at the deadline, the latest first. `ignored`: what kept changing and was not waited for, and why.
    """

    reason: Quiet
    waited_s: float
    last: str = ""
    busy: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """One sentence for a person."""
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
    reported through accessibility what it shows; returns at once where it reports at once.
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
    """

    changes: int
    reports: int
    is_calm: bool
    acted_at_s: float


@dataclass(frozen=True, slots=True)
class Application:
    """How an application is started: an argument vector, never a shell line. `{file}` is replaced by the document.

    `window` is a regular expression that the title of its window matches. `name` is what windows of it report as
    `TargetInfo.application`.
    """

    name: str
    argv: tuple[str, ...]
    argv_with_file: tuple[str, ...] = ()
    window: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class ScreenInfo:
    """One screen of a desktop. `scale` is how many physical pixels its setting makes of one, None where none is set."""

    name: str
    rect: Rect
    primary: bool = False
    scale: float | None = None


@dataclass(frozen=True, slots=True)
class Aim:
    """Where a click reaches what was meant, as hit-testing found it.

    `window` is the window as it stood then and `taken_by` what takes a click there, the backend's own reference. Both
    are looked at again as part of the press: where they no longer hold, nothing is pressed.
    """

    point: Point
    window: TargetInfo
    taken_by: str = ""


class ProgramState(StrEnum):
    """How a program is. ENDED: in good order. DIED: by a signal, or with an error. UNKNOWN: it is gone, and nobody
    knows how it ended.
    """

    RUNS = "runs"
    ENDED = "ended"
    DIED = "died"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ProgramStatus:
    """How the program of a window is; `how` it died, in words."""

    state: ProgramState
    how: str = ""


class MouseButton(StrEnum):
    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Chord:
    """Keys pressed together: modifiers (`ctrl`, `shift`, `alt`, `super`), then one key.

    `key` is a printable character or one of: enter esc tab backspace delete insert home end pageup pagedown up down
    left right space f1..f12 menu, decimal (a number pad's: the mark before decimals that the application takes).
    """

    key: str
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Caret:
    """Where the next character goes in a text: `length` and places in characters; `start` to `end` is replaced."""

    length: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Merged:
    """A cell of a table, by row and column from 0, and the rows and columns that it stands for."""

    row: int
    column: int
    rows: int
    columns: int


def point_of(at: Point | Aim) -> Point:
    """Where it is on the screen."""
    return at.point if isinstance(at, Aim) else at


class Windows(Protocol):
    """Windows and applications."""

    async def windows(self) -> tuple[TargetInfo, ...]:
        """The top-level windows, dialogs included, front first. `states` holds "active" for the focused one.

        `handle` is the window system's id; `application` and `pid` are filled. Raises: DesktopGone.
        """
        ...

    async def launch(
        self, application: Application, file: Path | None = None, *, deadline_s: float = 30.0
    ) -> TargetInfo:
        """Starts an application and waits until a NEW window of it is ready to be observed; returns that window.

        A launcher that exits after handing over to a running process is no failure.
        Raises: LaunchFailed (with what it printed), DesktopGone.
        """
        ...

    async def program(self, window: TargetInfo) -> ProgramStatus:
        """How the program of a window is, whether the window is still there or not. Raises: DesktopGone."""
        ...

    async def activate(self, window: TargetInfo) -> None:
        """Brings a window to the front and gives it the keyboard; returns when it has both.

        Raises: ApplicationGone, ActionDeadline, ActionRefused (a menu of another program keeps the keyboard).
        """
        ...

    async def ask_to_close(self, window: TargetInfo, *, deadline_s: float = 3.0) -> bool:
        """Asks a window to close, as its own close button does; whether it is gone at the deadline.

        What it answers is up to its application: one that asks about unsaved work stays. Nothing is killed.
        Raises: DesktopGone.
        """
        ...

    def note_file(self, window: TargetInfo, file: Path) -> None:
        """Keeps that the program of a window opened or saved a file there; `launch` does so by itself.

        With a dialog's it may be in any window of the program.
        """
        ...

    def file_of(self, window: TargetInfo) -> ShownFile:
        """The file that a window shows, by its title as it is given, or why that is not known. Never raises."""
        ...

    def is_writing(self, window: TargetInfo, file: Path) -> bool:
        """Whether the program of a window has a file open at this moment and may write to it. Never raises."""
        ...


class Eyes(Protocol):
    """Seeing. Seeing never changes anything; only reading a table of a document may take caret and clipboard for a
    moment, see `read_table`.
    """

    async def observe(
        self, window: TargetInfo, *, picture: bool = True, other_pages: bool = False, deadline_s: float = 5.0
    ) -> Observation:
        """One window's showing controls (and picture) of one moment, labelled by nobody yet (`id` empty).

        Tables of a text document that are out of view are listed with `other_pages`, and from then on as they were
        found; a document of which there may be some has the state "other_pages_unlisted" before.

        Never another window's tree. At the deadline: what was read so far, with `truncated` set.
        Raises: ApplicationGone, ApplicationUnresponsive (nothing at all was read), CaptureFailed, DesktopGone.
        """
        ...

    async def screenshot(self, region: Rect | None = None) -> Picture:
        """The whole desktop, or a part of it. Raises: CaptureFailed, DesktopGone."""
        ...

    async def screens(self) -> tuple[ScreenInfo, ...]:
        """The screens of the desktop, the primary one first. Raises: DesktopGone."""
        ...

    async def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        """Hit test: find the point of a place at which a click reaches it, its middle where that is visible.

        `control` is the control at that place: its application is asked, too, where it reports hits, and what covers
        it inside its own window counts as well.

        `window.rect` has to be from before `place` was looked at: a window that moved since is refused.
        Raises: TargetCovered, TargetMoving, ActionRefused (off the screen), ApplicationGone, DesktopGone.
        """
        ...

    async def resolve(self, target: TargetInfo) -> TargetInfo:
        """The target as it is now (same id, new rect, states, value): by its handle, else by its fingerprint.

        What it is known by is read afresh. A handle that lives under another name or among other texts than its
        `Fingerprint.record` is not it; see `desktop.identity`.
        Raises: ElementStale (none), AmbiguousTarget (several), ApplicationGone, ApplicationUnresponsive.
        """
        ...

    async def read_text(self, target: TargetInfo) -> str:
        """The whole text of a control, empty for a password. Raises: ElementStale, ActionRefused (it has no text)."""
        ...

    async def caret(self, target: TargetInfo) -> Caret:
        """Where a text takes the next character, and how long it is, of a password too.

        Raises: ElementStale, ActionRefused (it has no text), ApplicationGone, ApplicationUnresponsive.
        """
        ...

    async def table_shape(self, table: TargetInfo, *, used: bool = False) -> tuple[int, int]:
        """Return (rows, columns) as the table reports them; a spreadsheet may report a million.

        `used`: of a spreadsheet, from the first cell to the last filled one, perhaps a few more. Cursor and selection
        stay then; the view may move by a row and back.
        Raises: ActionRefused (no table; `used`: no spreadsheet, or not exposed), ElementStale, ApplicationGone.
        """
        ...

    async def untold_cells(self, table: TargetInfo, places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Which of these cells without text, by row and column, hold a formula of which no result is told.

        Raises: ActionRefused, ElementStale, ApplicationGone, ActionDeadline.
        """
        ...

    async def merged_cells(self, table: TargetInfo, rows: range, columns: range) -> tuple[Merged, ...]:
        """Those that begin in a block and stand for more than one place, as far as the table tells.

        Raises: ElementStale, ActionRefused, ActionDeadline.
        """
        ...

    async def read_table(
        self, table: TargetInfo, rows: range | None = None, columns: range | None = None, *, deadline_s: float = 10.0
    ) -> tuple[tuple[str, ...], ...]:
        """Return the texts of a table, row-major: of a block of cells, or of the whole table and never a part of it.

        A document's table is read whole however the application splits it over pages; caret and clipboard are as
        before then, a selection is lost. A cell that holds a check box alone reads "checked" or "not checked".

        Raises: ElementStale, ActionRefused (not a table, the block is outside, the table is too large to be read
        whole, or the caret or the clipboard could not be restored), ActionDeadline (also where the caret was not).
        """
        ...

    async def selected_count(self, container: TargetInfo) -> int:
        """How many children a container says are selected. Raises: ActionRefused (it has no selection)."""
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

    async def paint_mark(self) -> float:
        """A mark for `painted_since`; only the latest one is known."""
        ...

    async def painted_since(self, mark: float, window: TargetInfo, place: Rect) -> bool | None:
        """Whether a window, or a menu of its program, looks otherwise in a place than at the mark.

        `window` as it was at the mark. None where that cannot be known: the window has moved, nothing of the place can
        be seen, or what can be seen is the same and another part cannot. Raises: DesktopGone.
        """
        ...

    async def activity(self, window: TargetInfo | None = None) -> Activity:
        """Return the activity of a window's program and of the desktop up to now. Raises: DesktopGone."""
        ...

    async def renamed(self, seen: Observation, after: int) -> Observation | None:
        """Return an observation with the names that its program changed since `Activity.reports` was `after`.

        Only these names are read. None: there are none, or that is not known.
        """
        ...

    async def wait_until(self, condition: Callable[[], Awaitable[T | None]], *, deadline_s: float) -> T | None:
        """Evaluates `condition` now and after every UI change until it is neither None nor False; None at the deadline.

        Errors of `condition` that are `recoverable` count as "not yet".
        """
        ...


class Hands(Protocol):
    """Acting. `via accessibility` methods move no pointer and steal no focus; the others are synthetic input."""

    async def do_action(self, target: TargetInfo, action: str = "") -> None:
        """Accessibility: performs a named action, or the control's default one.

        Raises: NotOffered (no such action, nothing was sent), TargetDisabled, ActionRefused (it says no),
        ElementStale, ActionDeadline.
        """
        ...

    async def set_text(self, target: TargetInfo, text: str) -> None:
        """Accessibility: replaces the whole text. Raises: ActionRefused, ElementStale, ActionDeadline."""
        ...

    async def put_caret(self, target: TargetInfo, start: int, end: int) -> None:
        """Accessibility: selects characters, or puts the caret where `start` is `end`; some only say that they did.

        Raises: ActionRefused, ElementStale, ActionDeadline.
        """
        ...

    async def set_value(self, target: TargetInfo, value: float) -> None:
        """Accessibility: sets a number. Raises: ActionRefused, ElementStale, ActionDeadline."""
        ...

    async def select(self, target: TargetInfo) -> None:
        """Accessibility: selects a child in its container. Raises: ActionRefused, ElementStale, ActionDeadline."""
        ...

    async def focus(self, target: TargetInfo) -> bool:
        """Accessibility: gives a control the keyboard focus, and waits a moment until the control says so.

        Returns whether it did: not every one ever says so.

        Raises: ActionRefused, ElementStale, ActionDeadline.
        """
        ...

    async def click(self, at: Point | Aim, *, button: MouseButton = MouseButton.LEFT, count: int = 1) -> None:
        """Synthetic input: moves the pointer and clicks `count` times, as one: it first waits until it is `apart`.

        Raises: TargetCovered, TargetMoving, ApplicationGone where an aim no longer holds; nothing was pressed then.
        """
        ...

    async def apart(self, point: Point, *, button: MouseButton = MouseButton.LEFT) -> bool:
        """Waits until a press here is not taken for the second half of a double click with the one before it.

        Returns whether that took a while, about half a second: what stands at the point may be something else now.
        """
        ...

    async def drag(self, start: Point | Aim, end: Point | Aim, *, button: MouseButton = MouseButton.LEFT) -> float:
        """Synthetic input: presses at `start` once it is `apart`, moves, releases at `end`.

        In between it is waited until the application has taken in what was sent; the button is up however it ends.
        Returns a mark for `painted_since` of when the press and the first motions had been taken in.
        Raises: as `click`; ActionDeadline and PersonActs with what was sent where the drag had begun, and ended early.
        """
        ...

    async def hover(self, at: Point | Aim) -> Point:
        """Synthetic input: moves the pointer; returns where it was. Raises: as `click`."""
        ...

    async def scroll(self, at: Point | Aim, notches: int) -> None:
        """Synthetic input: turns the wheel at a point; positive is up. Raises: as `click`."""
        ...

    async def press(self, chords: Sequence[Chord]) -> None:
        """Synthetic input: presses chords one after the other; no key stays down, whatever happens.

        Any character can be pressed, whatever the keyboard layout. Raises: ActionRefused (before a key goes down).
        """
        ...

    async def offer_clipboard(self, formats: Mapping[str, bytes]) -> None:
        """Owns the clipboard with these contents (target name → bytes) until replaced or closed; lets go without, also
        while a person acts or another action runs.
        """
        ...

    async def clipboard_fetches(self) -> int:
        """How often some program took what was offered last; forms that are only listed do not count."""
        ...

    async def whole_clipboard(self, *, most_bytes: int, deadline_s: float = 1.0) -> Mapping[str, bytes] | None:
        """All forms of what is on the clipboard, empty for nothing; None where it is more, or takes longer."""
        ...

    async def read_clipboard(self, target: str = "UTF8_STRING", *, deadline_s: float = 2.0) -> bytes | None:
        """The clipboard's content in one form; empty where nobody owns it or the form is not offered, None where its
        owner does not give it in time.

        Raises: ActionRefused where it is too large to be read.
        """
        ...


class Desktop(Windows, Eyes, Hands, Protocol):
    """One desktop, opened. `name` is what messages call it; `environment` starts programs that appear on it."""

    @property
    def name(self) -> str: ...

    @property
    def environment(self) -> Mapping[str, str]: ...

    @property
    def shared(self) -> bool:
        """Whether it is there for people too: a display that was up before we came, and not one that we made."""
        ...

    @property
    def guard(self) -> Guard:
        """What keeps actions off while a person uses it; lets everything pass until `watch` is called."""
        ...

    async def watch(self, rules: GuardRules) -> tuple[str, ...]:
        """From now on until it is closed a person at this desktop is noticed, as `rules` say; called once.

        Returns what of it could not be had, in sentences. Every method of `Hands` raises PersonActs while a person
        acts, an action that has begun too, at its next key or click. Raises: DesktopGone.
        """
        ...

    async def close(self) -> None:
        """Lets go of every connection and, where this object started the desktop, ends it with all its programs."""
        ...
