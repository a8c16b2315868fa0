"""Which label a control goes by (SPEC 4.4)."""

from collections.abc import Sequence
from dataclasses import replace

from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo


class Labeller:
    """Gives the controls of one agent's observations their ids, `1`, `2`, …

    While a control lives in the same window it keeps its id, also after it was out of sight. An id is never given to
    another control before the numbering starts afresh: at another window, or where the caller says so.
    """

    def __init__(self) -> None:
        self._window = ""
        self._ids: dict[tuple[str, Role], str] = {}
        self._last = 0

    def label(self, observation: Observation, *, fresh: bool = False) -> tuple[TargetInfo, ...]:
        """The observation's controls with their ids, in its order. `fresh`: a SCREENSHOT step, number from 1."""
        return self.label_targets(observation.window, observation.controls, fresh=fresh)

    def label_targets(
        self, window: TargetInfo, targets: Sequence[TargetInfo], *, fresh: bool = False
    ) -> tuple[TargetInfo, ...]:
        """As `label`, for targets of a window that came from several sources.

        One without a handle (a grounding box) cannot be recognised again: it gets a new id each time. So does one
        whose handle now belongs to a control of another role.
        """
        if fresh or window.handle != self._window:
            self._window = window.handle
            self._ids = {}
            self._last = 0
        used: set[str] = set()
        labelled: list[TargetInfo] = []
        for target in targets:
            label = self._ids.get((target.handle, target.type)) if target.handle else None
            if label is None or label in used:
                label = self._next(target)
            used.add(label)
            labelled.append(replace(target, id=label))
        return tuple(labelled)

    def _next(self, target: TargetInfo) -> str:
        self._last += 1
        label = str(self._last)
        if target.handle:
            self._ids.setdefault((target.handle, target.type), label)
        return label
