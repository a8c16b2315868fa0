"""What an observation says of itself."""

from dataclasses import replace

import pytest

from deskhand.core.observation import Observation, Truncation
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo, TargetKind

WINDOW = TargetInfo(TargetKind.WINDOW, "Notes", Role.WINDOW)
PUT_AWAY = TargetInfo(TargetKind.WINDOW, "Notes", Role.WINDOW, states=frozenset({MINIMIZED}))


@pytest.mark.requires("observe.reservations")
def test_it_says_in_what_way_it_is_not_the_whole_and_final_truth() -> None:
    assert Observation(WINDOW, (), None, 0.0).reservations == ()
    seen = Observation(PUT_AWAY, (), None, 0.0, Truncation("deadline"), provisional=True, unsettled="it is busy")
    seen = replace(seen, untold="it tells no places")
    assert seen.reservations == (
        "not everything could be read: deadline",
        "the window is minimized: no part of it is on the screen",
        "it tells no places",
        "it is busy",
        "states, values in toolbars and the status bar may still change by themselves",
    )
