"""Which windows lie over one."""

import pytest

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo, TargetKind
from deskhand.desktop.protocols.windows import windows_over


def window(name: str, left: int, *states: str) -> TargetInfo:
    place = Rect(left, 0, left + 100, 100)
    return TargetInfo(TargetKind.WINDOW, name, Role.WINDOW, rect=place, handle=name, states=frozenset(states))


@pytest.mark.requires("cli.screenshot")
def test_those_that_cover_a_part_are_named_and_no_others() -> None:
    main, find = window("Main", 0), window("Find", 90)
    listed = (find, window("Beside", 100), window("Put away", 0, MINIMIZED), main, window("Below", 50))
    assert windows_over(main, listed) == (find,)
