"""Buttons of GTK 4 are called what a person reads on them."""

from pathlib import Path

import pytest

from deskhand.core.roles import Role
from deskhand.desktop.base import Application
from desktop.linux.fixture import linux_desktop
from support import ROOT

PROGRAM = ("/usr/bin/python3", str(ROOT / "tests/apps/named_gtk4.py"))


@pytest.mark.desktop
@pytest.mark.requires("observe.gtk4")
async def test_a_button_of_gtk_4_is_called_what_stands_on_it_or_in_its_tooltip(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("named", PROGRAM, window="^Named$"))
        seen = (await desktop.observe(window, picture=False)).controls
        buttons = [control for control in seen if control.type is Role.BUTTON]
        words = ["Save", "7 7", "a_b", "7", "Plain", "Go Go", "Child", "In a box", "Copy it", "Keep", "Press"]
        assert [button.name for button in buttons] == words
        assert [(await desktop.resolve(button)).name for button in buttons] == words
