"""Controls of a window, read and acted on through accessibility."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo


@dataclass(frozen=True, slots=True)
class Caret:
    """Insertion point of a text: `length` and offsets in characters; typing replaces `start` to `end`."""

    length: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged cell of a table, by row and column from 0, and the rows and columns that it covers."""

    row: int
    column: int
    rows: int
    columns: int


class Accessibility(Protocol):
    """Controls, read and acted on through accessibility: no pointer moves.

    Reading changes nothing; only reading a table of a document may take caret and clipboard for a moment, see
    `read_table`.
    """

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,
        other_pages: bool = False,
        deadline_s: float = 5.0,
    ) -> Observation:
        """Return one window's visible controls (and picture) of one moment, without labels (`id` empty).

        `texts`: with those that the window only draws, unless the settings forbid to read pictures.
        Tables of a text document that are out of view are listed with `other_pages`, and from then on as they were
        found; a document of which there may be some has the state "other_pages_unlisted" before.

        Never another window's tree. At the deadline: the controls read up to then, with `truncated` set.
        Raises: ApplicationGone, ApplicationUnresponsive (nothing at all was read), CaptureFailed, DesktopGone.
        """
        ...

    async def unchanged(self, window: TargetInfo, *, within_s: float) -> Observation | None:
        """Return the last observation of a window, without its picture, where it ended at most `within_s` ago and would
        be the same now: since it began nothing of its program was reported or painted, no action was made, and the
        program answers. None otherwise, and where that is not known.
        """
        ...

    async def resolve(self, target: TargetInfo) -> TargetInfo:
        """Return the target in its present state (same id, new rect, states, value): by its handle, else by its
        fingerprint.

        Its identity is read afresh. A handle that has another name now, or is among other texts than its
        `Fingerprint.record`, is not it; see `desktop.identity`.
        Raises: ElementStale (none), AmbiguousTarget (several), ApplicationGone, ApplicationUnresponsive.
        """
        ...

    async def record_of(self, target: TargetInfo) -> tuple[str, ...]:
        """Return the texts of the record that a control of a row belongs to now; of an item, its name.

        Read afresh, by its handle, and without the rest of its window where that is possible.
        Raises: ElementStale (it is gone), ApplicationGone, ApplicationUnresponsive.
        """
        ...

    async def read_text(self, target: TargetInfo) -> str:
        """Return the whole text of a control, empty for a password. Raises: ElementStale, ActionRefused (no text)."""
        ...

    async def description(self, target: TargetInfo) -> str:
        """Return what its program describes a control with beside its name, empty for nothing.

        Raises: ElementStale, ApplicationGone, ActionDeadline.
        """
        ...

    async def accessible_ids(self, targets: Sequence[TargetInfo], *, deadline_s: float = 5.0) -> tuple[str | None, ...]:
        """Return the id that its program's developers gave each control of a window, empty for none.

        None where it may have one that is not exposed. Of a page that is the HTML id; of Qt 6 the names of the objects
        from the application to the control, with a full stop between; of a Windows program the AutomationId, or the
        number of the control. Raises: ApplicationUnresponsive, ApplicationGone, ElementStale, DesktopGone.
        """
        ...

    async def caret(self, target: TargetInfo) -> Caret:
        """Return the insertion point and length of a text, also of a password.

        Raises: ElementStale, ActionRefused (it has no text), ApplicationGone, ApplicationUnresponsive.
        """
        ...

    async def table_shape(self, table: TargetInfo, *, used: bool = False, deadline_s: float = 30.0) -> tuple[int, int]:
        """Return (rows, columns) as the table reports them; a spreadsheet may report a million.

        `used`: of a spreadsheet, from the first cell to the last filled one, perhaps a few more. Cursor and selection
        stay then; the view may move by a row and back.
        An application that loads, stores or lays out a document answers nothing for many seconds, and then all.
        Raises: ActionRefused (no table; `used`: no spreadsheet, or not exposed), ElementStale, ApplicationGone,
        ApplicationUnresponsive.
        """
        ...

    async def formula_cells(self, table: TargetInfo, places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Return those of these cells, by row and column, that hold a formula, whether or not its result is exposed.

        Raises: ActionRefused, ElementStale, ApplicationGone, ActionDeadline.
        """
        ...

    async def merged_cells(self, table: TargetInfo, rows: range, columns: range) -> tuple[Merged, ...]:
        """Return the merged cells that begin in a block, as far as the table exposes them.

        Raises: ElementStale, ActionRefused, ActionDeadline.
        """
        ...

    async def read_table(
        self, table: TargetInfo, rows: range | None = None, columns: range | None = None, *, deadline_s: float = 55.0
    ) -> tuple[tuple[str, ...], ...]:
        """Return the texts of a table, row-major: of a block of cells, or of the whole table and never a part of it.

        A document's table is read whole however the application splits it over pages; caret and clipboard are as
        before then, a selection is lost. A cell that holds a check box alone reads "checked" or "not checked".

        Raises: ElementStale, ActionRefused (not a table, the block is outside, the table is too large to be read
        whole, or the caret or the clipboard could not be restored), ActionDeadline (also where the caret was not).
        """
        ...

    async def selected_count(self, container: TargetInfo) -> int:
        """Return the number of selected children of a container. Raises: ActionRefused (it has no selection)."""
        ...

    async def show_named(self, container: TargetInfo, name: str) -> bool:
        """Scroll a list, table or tree with `Trait.FINDS_ITEMS` to its first item of that name.

        Return False if it has none. Raises: ElementStale, ActionRefused (it is not known whether it has one).
        """
        ...

    async def refreshed_names(self, seen: Observation, after: int) -> Observation | None:
        """Return an observation with the names that its program changed since `Activity.reports` was `after`.

        Only these names are read. None: there are none, or that is not known.
        """
        ...

    async def do_action(self, target: TargetInfo, action: str = "") -> None:
        """Perform a named action, or the control's default action.

        Raises: NotOffered (no such action, nothing was sent), TargetDisabled, ActionRefused (the application refuses),
        ElementStale, ActionDeadline.
        """
        ...

    async def number_limits(self, target: TargetInfo) -> tuple[float, float] | None:
        """Return the least and the greatest number that a control takes; None if it has no such limits.

        Raises: ElementStale, ActionDeadline, ApplicationGone.
        """
        ...

    async def set_text(self, target: TargetInfo, text: str) -> None:
        """Replace the whole text. Raises: ActionRefused, ElementStale, ActionDeadline."""
        ...

    async def put_caret(self, target: TargetInfo, start: int, end: int) -> None:
        """Select characters, or move the caret where `start` is `end`; some controls report success without doing it.

        Raises: ActionRefused, ElementStale, ActionDeadline.
        """
        ...

    async def set_value(self, target: TargetInfo, value: float) -> None:
        """Set a number. Raises: ActionRefused, ElementStale, ActionDeadline."""
        ...

    async def select(self, target: TargetInfo) -> None:
        """Select a child in its container. Raises: ActionRefused, ElementStale, ActionDeadline."""
        ...

    async def focus(self, target: TargetInfo) -> bool:
        """Give a control the keyboard focus, and wait briefly until the control reports it.

        Return True if it did; some controls never report it.

        Raises: ActionRefused, ElementStale, ActionDeadline.
        """
        ...
