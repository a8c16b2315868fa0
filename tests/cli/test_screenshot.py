"""What `deskhand screenshot` says beside the picture."""

import pytest

from deskhand.cli.screenshot import titles_over
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.base import MINIMIZED


def window(name: str, left: int, *states: str) -> TargetInfo:
    place = Rect(left, 0, left + 100, 100)
    return TargetInfo(TargetKind.WINDOW, name, Role.WINDOW, rect=place, handle=name, states=frozenset(states))


@pytest.mark.requires("cli.screenshot")
def test_the_windows_that_cover_a_part_are_named_and_no_others() -> None:
    main = window("Main", 0)
    listed = (window("Find", 90), window("Beside", 100), window("Hidden", 0, MINIMIZED), main, window("Below", 50))
    assert titles_over(main, listed) == ("Find",)
