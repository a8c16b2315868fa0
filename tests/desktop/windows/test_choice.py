"""Sources of controls by window, and the places of passwords."""

import pytest

from deskhand.core.geometry import Rect
from deskhand.desktop.windows.choice import exposes_nothing, is_place
from deskhand.desktop.windows.passwords import PasswordPlaces
from deskhand.desktop.windows.win32.nodes import Node

FRAME = Node(key="7", parent=None, role="frame", name="Notes")


@pytest.mark.requires("windows.uia-setting")
def test_a_window_with_menus_and_panels_alone_exposes_nothing() -> None:
    panel = Node(key="8", parent="7", role="panel", name="Chrome Legacy Window")
    menu = Node(key="7/m0", parent="7", role="menu", name="File")
    assert exposes_nothing([FRAME, panel, menu])
    assert not exposes_nothing([FRAME, panel, Node(key="9", parent="8", role="push button", name="Save")])


def test_items_and_controls_without_identity_are_known_by_their_places() -> None:
    assert [is_place(key) for key in ("7", "9/i3", "9/n0x1f", "7/u42.7.1", "7/:0:1", "7/u42.7.1:0")] == [
        False, True, True, False, True, True]  # fmt: skip


def test_the_place_of_a_password_moves_with_its_window() -> None:
    places = PasswordPlaces()
    secret = Node(key="7/u1", parent="7", role="password text", rect=(10, 20, 60, 40))
    places.note(7, Rect(0, 0, 300, 200), [FRAME, secret, Node(key="7/u2", parent="7", role="password text")])
    assert places.now(7, Rect(5, 7, 305, 207)) == (Rect(15, 27, 65, 47),)
    assert places.now(8, Rect(0, 0, 9, 9)) == ()
    places.keep({8})
    assert places.now(7, Rect(0, 0, 300, 200)) == ()
