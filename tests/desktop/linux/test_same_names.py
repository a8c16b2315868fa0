"""Controls of one role and name, as they are listed in real windows."""

import re
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import ROOT

pytestmark = [pytest.mark.desktop, pytest.mark.requires("prompt.same-names")]

APPS = ROOT / "tests/apps"
USED = ("button", "link", "radio", "textbox")
PAGE = """<!doctype html><title>Same names</title>
<h2>Billing</h2><input aria-label=Street><h2>Shipping</h2><input aria-label=Street>
<fieldset><legend>Home</legend><input aria-label=Phone></fieldset>
<fieldset><legend>Work</legend><input aria-label=Phone></fieldset>
<table><tr><td>Ada<td><button>Delete</button><tr><td>Bob<td><button>Delete</button></table>
<article><h3>Rain</h3><p>It rains.</p><a href=#r>Read more</a></article>
<article><h3>Sun</h3><p>It shines.</p><a href=#s>Read more</a></article>
<div><div>Plan A</div><button>Choose</button></div><div><div>Plan B</div><button>Choose</button></div>
<button>OK</button> <button>OK</button>
"""
WORDS = {
    "GTK 3": [
        'textbox "Street"',
        'textbox "Street"',
        'button "Choose" (of "Home")',
        'button "Choose" (of "Work")',
        'listitem "Ada Delete" | button "Delete"',
        'listitem "Bob Delete" | button "Delete"',
        'button "OK" (left)',
        'button "OK" (right)',
    ],
    "Qt 5": [
        'textbox "Street"',
        'textbox "Street"',
        'textbox "Hours" (after "Monday")',
        'textbox "Hours" (after "Tuesday")',
        'button "Choose" (of "Home")',
        'button "Choose" (of "Work")',
        'button "OK" (upper)',
        'button "OK" (lower)',
        'radio "Other" (1st of 3)',
        'radio "Other" (2nd of 3)',
        'radio "Other" (3rd of 3)',
    ],
    "Chromium": [
        'textbox "Street" (under "Billing")',
        'textbox "Street" (under "Shipping")',
        'textbox "Phone"',
        'textbox "Phone"',
        'button "Delete" (of "Ada")',
        'button "Delete" (of "Bob")',
        'link "Read more" (of "Rain")',
        'link "Read more" (of "Sun")',
        'button "Choose" (after "Plan A")',
        'button "Choose" (after "Plan B")',
        'button "OK" (left)',
        'button "OK" (right)',
    ],
}


async def show(desktop: LinuxDesktop, toolkit: str, folder: Path) -> TargetInfo:
    page = folder / "same_names.html"
    page.write_text(PAGE)
    argv = {
        "GTK 3": ("/usr/bin/python3", str(APPS / "same_names_gtk3.py")),
        "Qt 5": ("/usr/bin/python3", str(APPS / "same_names_qt.py")),
        "Chromium": ("chromium", f"--app={page.as_uri()}"),
    }[toolkit]
    return await desktop.launch(Application("same names", argv, window="^Same names$"))


async def seen_in(desktop: LinuxDesktop, window: TargetInfo) -> list[TargetInfo]:
    await desktop.settle(window)
    return [*(await desktop.observe(window, picture=False)).controls]


def lines_of(window: TargetInfo, controls: list[TargetInfo]) -> list[str]:
    """The lines with a control of `NAMES`, without ids and states."""
    lines = compact(Labeller().label_targets(window, controls)).text.splitlines()
    plain = [re.sub(r"\b\d+ (?=[a-z]+ \")| \((?:focused|not checked)\)", "", line).strip() for line in lines]
    return [line for line in plain if any(f'{role} "' in line for role in USED)]


async def test_controls_of_one_name_are_distinguished_in_windows_of_three_toolkits(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        for toolkit, words in WORDS.items():
            window = await show(desktop, toolkit, tmp_path)
            controls = await seen_in(desktop, window)
            assert [line for line in lines_of(window, controls) if "Close" not in line] == words, toolkit
            fields = [each for each in controls if (each.type, each.name) == (Role.TEXTBOX, "Street")]
            written = await Tools(desktop).run(window, "set_edit_text", fields[1], text="Elm 3")
            assert written.effect is Effect.CONFIRMED, written
            after = lines_of(window, await seen_in(desktop, window))
            changed = [line.replace(' = "Elm 3"', "") for line in after if "Close" not in line]
            assert changed == words, "a value changes no words"
            assert sum("Elm 3" in line for line in after) == 1
