"""Labels of controls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.cell_names import CELL_NAME
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import ITEMS, TargetInfo, Trait, comparable_name

_TEXT_ROLES: Final = frozenset({Role.HEADING, Role.LABEL, Role.PARAGRAPH, Role.TEXT})
"""Roles between which a style changes the same text."""


@dataclass(frozen=True, slots=True)
class _Labelled:
    """An id, and identifying properties of its control: an item's name, and its record if it has one."""

    id: str
    item: str
    record: tuple[str, ...]

    def is_of(self, target: TargetInfo) -> bool:
        """Return whether it is still the same control. A control of the same name beside it only adds or removes
        texts of its record.
        """
        record, before = set(_record(target)), set(self.record)
        return self.item == _item(target) and (record <= before or before <= record)


class Labeller:
    """Gives the controls of one agent's observations their ids, `1`, `2`, …

    While a control lives in the same window it keeps its id, also after it was not visible. An id is never given to
    another control before the numbering restarts: at another window, or on request. An object that is reused for
    another item, or that is now in another record, is another control; so is another text in a place of a picture.

    With `cells_by_address` the id of a cell of a spreadsheet is its address, as `B7`; of two with one address, the
    second has a number.
    """

    def __init__(self, *, cells_by_address: bool = False) -> None:
        self._cells_by_address = cells_by_address
        self._window = ""
        self._ids: dict[tuple[str, Role], _Labelled] = {}
        self._last = 0
        self.numbering = 0
        """Number of restarts from 1, the first one included."""

    @property
    def last(self) -> int:
        """The highest id given."""
        return self._last

    def resume(self, window: TargetInfo, labelled: Sequence[TargetInfo], last: int) -> None:
        """Continue from another labeller's labels of a window; `last` is the highest id it gave."""
        self._window, self._last = window.handle, last
        self._ids = {
            _key(target): _Labelled(target.id, _item(target), _record(target))
            for target in reversed(labelled)
            if target.handle
        }

    def go_on(self, window: TargetInfo, last: int) -> None:
        """Start new ids of this window above `last`; given ones stay."""
        if window.handle != self._window:
            self._window, self._ids = window.handle, {}
        self._last = max(self._last, last)

    def label(self, observation: Observation, *, fresh: bool = False) -> tuple[TargetInfo, ...]:
        """The observation's controls with their ids, in its order. `fresh`: a SCREENSHOT step, number from 1."""
        return self.label_targets(observation.window, observation.controls, fresh=fresh)

    def label_targets(
        self, window: TargetInfo, targets: Sequence[TargetInfo], *, fresh: bool = False
    ) -> tuple[TargetInfo, ...]:
        """As `label`, for targets of a window from several sources.

        One without a handle (a grounding box) cannot be recognised again: it gets a new id each time. So does one whose
        handle now belongs to a control of another role, unless both are roles of texts.
        """
        if fresh or window.handle != self._window:
            self._window = window.handle
            self._ids = {}
            self._last = 0
            self.numbering += 1
        used: set[str] = set()
        return tuple(target.labelled(self._address(target, used) or self._label(target, used)) for target in targets)

    def _address(self, target: TargetInfo, used: set[str]) -> str:
        if not self._cells_by_address or target.name in used or not _is_cell_of_sheet(target):
            return ""
        used.add(target.name)
        return target.name

    def _label(self, target: TargetInfo, used: set[str]) -> str:
        known = self._ids.get(_key(target)) if target.handle else None
        if known is None or known.id in used or not known.is_of(target):
            self._last += 1
            label = str(self._last)
        else:
            label = known.id
        if target.handle and (known is None or known.id not in used):  # of two with one handle the first has the id
            record = _record(target) or (known.record if known and known.id == label else ())
            self._ids[_key(target)] = _Labelled(label, _item(target), record)
        used.add(label)
        return label


def _is_cell_of_sheet(target: TargetInfo) -> bool:
    is_cell = target.type is Role.CELL and Trait.OF_SHEET in target.traits
    return is_cell and CELL_NAME.fullmatch(target.name) is not None


def _key(target: TargetInfo) -> tuple[str, Role]:
    return target.handle, Role.TEXT if target.type in _TEXT_ROLES else target.type


def _item(target: TargetInfo) -> str:
    return comparable_name(target.name) if target.type in ITEMS or target.sighting else ""


def _record(target: TargetInfo) -> tuple[str, ...]:
    return target.fingerprint.record if target.fingerprint else ()
