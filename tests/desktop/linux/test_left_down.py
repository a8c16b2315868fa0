"""Groups that are left down: at most one button and one chord, until its time is over."""

import pytest

from deskhand.core.errors import ActionRefused
from deskhand.desktop.linux.x11.left_down import BUTTON, KEYS, Group, Groups
from deskhand.desktop.protocols.input import LeftDown

pytestmark = pytest.mark.requires("act.every-move")

LEFT = Group("left", ((5, 1),), 10.0)
SHIFT = Group("shift", ((3, 50),), 20.0)


def both() -> Groups:
    groups = Groups()
    groups.note(KEYS, SHIFT)
    groups.note(BUTTON, LEFT)
    return groups


def test_a_second_of_a_kind_is_refused_and_names_the_first() -> None:
    groups = Groups()
    groups.note(BUTTON, LEFT)
    groups.require_none(KEYS)
    with pytest.raises(ActionRefused, match="left was pressed before"):
        groups.require_none(BUTTON)


def test_the_button_is_released_before_the_keys() -> None:
    groups = both()
    assert groups.names == LeftDown("left", "shift")
    assert groups.take() == (LEFT, SHIFT)
    assert (groups.names.names, bool(groups)) == ((), False)


def test_each_has_its_own_time() -> None:
    groups = both()
    assert (groups.left_s(4.0), [*groups.due(4.0)]) == (6.0, [])
    assert (groups.left_s(15.0), [*groups.due(15.0)]) == (0.0, [BUTTON])
    assert Groups().left_s(0.0) is None
    assert ((3, 50) in groups, (3, 51) in groups) == (True, False)
