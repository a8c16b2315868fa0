"""Each key name of docs/keys.md reaches a window as that key, in the spelling that policy rules are applied to."""

import re
from pathlib import Path
from typing import Final

import pytest
from Xlib import XK
from Xlib.display import Display

from deskhand.commands import standard_catalogue
from deskhand.commands.key_syntax import parse_keys
from desktop.linux.fixture import linux_desktop
from desktop.linux.sentinel import sentinel_below
from support import ROOT

KEYSYMS: Final = {
    "Control": "Control_L",
    "Shift": "Shift_L",
    "Alt": "Alt_L",
    "Super": "Super_L",
    "Enter": "Return",
    "Esc": "Escape",
    "Tab": "Tab",
    "Backspace": "BackSpace",
    "Delete": "Delete",
    "Insert": "Insert",
    "Home": "Home",
    "End": "End",
    "Page Up": "Page_Up",
    "Page Down": "Page_Down",
    "Space": "space",
    "menu key": "Menu",
}
"""By row of the page; arrows and function keys are named as X names them."""

OTHERS: Final = {
    "PRINTSCREEN": "Print",
    "SNAPSHOT": "Print",
    "CAPSLOCK": "Caps_Lock",
    "CAPITAL": "Caps_Lock",
    "NUMLOCK": "Num_Lock",
    "SCROLLLOCK": "Scroll_Lock",
    "SCROLL": "Scroll_Lock",
    "KPDECIMAL": "KP_Delete",
    "DECIMAL": "KP_Delete",
}
"""By name, in rows of several keys; those of the number pad are named alike, but for one that has two keysyms."""


def names_on_the_page() -> list[tuple[str, str]]:
    """Each name, and the keysym of its row."""
    page = (ROOT / "docs/keys.md").read_text(encoding="utf-8").partition("<!-- keys -->")[2].partition("<!-- end")[0]
    rows: list[tuple[str, str]] = re.findall(r"^\| ([^|`]+) \| (`.+`) \|$", page, re.MULTILINE)
    named = [(name, row) for row, names in rows for name in names.replace("`", "").split()]
    return [(name, KEYSYMS.get(row) or _keysym(name)) for name, row in named]


def _keysym(name: str) -> str:
    pad = re.fullmatch(r"(?:KP|NUMPAD)(\w+)|(ADD|SUBTRACT|MULTIPLY|DIVIDE)", name)
    return OTHERS.get(name) or (f"KP_{(pad[1] or pad[2]).capitalize()}" if pad else name.capitalize())


@pytest.mark.desktop
@pytest.mark.requires("typing.chords")
async def test_each_key_name_presses_its_key(tmp_path: Path) -> None:
    names = [*names_on_the_page(), ("VK_APPS", "Menu"), ("vk_menu", "Alt_L")]
    async with linux_desktop(tmp_path) as desktop, sentinel_below(desktop, tmp_path) as sentinel:
        display = Display(desktop.environment["DISPLAY"])
        codes = {keysym: display.keysym_to_keycode(XK.string_to_keysym(keysym)) for _, keysym in names}
        x_key = display.keysym_to_keycode(XK.string_to_keysym("x"))
        display.close()
        assert all(codes.values()), codes
        holding = {codes[modifier] for modifier in ("Control_L", "Shift_L", "Alt_L", "Super_L")}
        keys = "".join(f"{{{name}}}" + "x" * (codes[keysym] in holding) for name, keysym in names)
        judged = standard_catalogue().validate("keyboard_input", {"keys": keys})["keys"]
        await desktop.activate(sentinel.window)
        await sentinel.heard()
        await desktop.press(parse_keys(str(judged)))
        pressed = [each.detail for each in await sentinel.leaks()]
    wanted = [code for _, keysym in names for code in [codes[keysym], *[x_key] * (codes[keysym] in holding)]]
    assert pressed == wanted, f"{len(names)} names as {judged}"
