"""Undoing the steps of a change by the keyboard."""

from collections.abc import Sequence
from typing import cast

import pytest

from deskhand.commands.techniques.office_windows.undoing import Steps
from deskhand.core.errors import ApplicationGone, PersonActs
from deskhand.core.geometry import NOWHERE
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

WINDOW = TargetInfo(TargetKind.WINDOW, "w", Role.WINDOW, NOWHERE)


class Office:
    """A desktop on which a user acts at a press, or whose program ends while it handles one."""

    def __init__(self, *, ends_at: int = 0, held_at: int = 0) -> None:
        self.pressed = 0
        self._ends_at, self._held_at = ends_at, held_at

    async def activate(self, _: TargetInfo) -> None:
        return

    async def press(self, chords: Sequence[Chord]) -> None:
        if self.pressed + 1 == self._held_at:
            self._held_at = 0
            raise PersonActs("a user acts")
        self.pressed += len(chords)

    async def settle(self, _: TargetInfo) -> None:
        if self.pressed == self._ends_at:
            raise ApplicationGone("it ended")


@pytest.mark.requires("tool.by-windows")
async def test_what_is_left_to_undo_is_known_where_undoing_was_cut_short() -> None:
    steps, office = Steps(count=5), Office(ends_at=2)
    with pytest.raises(ApplicationGone):
        await steps.undo(cast("Desktop", office), WINDOW)
    assert (office.pressed, steps.count) == (2, 3)
    assert await steps.undo(cast("Desktop", office), WINDOW)
    assert (office.pressed, steps.count) == (5, 0)
    assert not await steps.undo(cast("Desktop", office), WINDOW)


@pytest.mark.requires("tool.by-windows")
async def test_a_step_whose_keys_were_not_sent_is_still_to_be_undone() -> None:
    steps, office = Steps(count=3), Office(held_at=2)
    with pytest.raises(PersonActs):
        await steps.undo(cast("Desktop", office), WINDOW)
    assert (office.pressed, steps.count) == (1, 2)
