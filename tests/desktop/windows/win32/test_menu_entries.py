"""The hook's lines become items of menus."""

import pytest

from deskhand.desktop.windows.win32.menu_entries import CHECKED, GREYED, SUBMENU, parsed


@pytest.mark.requires("windows.menus")
def test_items_have_their_place_in_each_menu_above_them() -> None:
    lines = "0 10 0 4 24 33 42 &File\n1 1 256 0 0 0 0 &New\tCtrl+N\n1 10 0 0 0 0 0 &Recent\n2 2 7 0 0 0 0 a b\n"
    menu = parsed(lines + "0 10 0 33 24 60 42 \n")
    assert [entry.key for entry in menu.entries] == ["m0@0", "m0.0@256", "m0.1@0", "m0.1.0@7", "m1@0"]
    assert [entry.flags for entry in menu.entries] == [SUBMENU, GREYED, SUBMENU, CHECKED, SUBMENU]
    assert [entry.label for entry in menu.entries] == ["&File", "&New\tCtrl+N", "&Recent", "a b", ""]
    assert menu.entries[0].rect == (4, 24, 33, 42)
    assert menu.complete


@pytest.mark.requires("windows.menus")
def test_a_menu_that_was_cut_is_not_complete() -> None:
    assert not parsed("0 0 1 0 0 0 0 One\n+\n").complete
    assert parsed("").entries == ()
