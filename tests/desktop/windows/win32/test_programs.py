"""Programs of Wine itself are read and driven; the files that they save are the oracle."""

from pathlib import Path, PureWindowsPath

import pytest

from support import wait_for
from win32_helper import Helper, Tree, helper_in, key_of, node_of
from windows_programs import Prefix

pytestmark = [pytest.mark.desktop]


def named(tree: Tree, role: str, name: str) -> Tree:
    """The nodes with this role and name."""
    return [node for node in tree if (node["role"], node["name"]) == (role, name)]


@pytest.mark.requires("windows.programs")
def test_notepad_saves_a_text_by_its_dialog(helper: Helper, prefix: Prefix, tmp_path: Path) -> None:
    prefix.start("notepad.exe")
    notepad = helper.window("Notepad")
    assert [each["program"] for each in helper.ask("windows") if each["hwnd"] == notepad] == ["notepad.exe"]
    text = "line\n" * 4000
    field = next(node["key"] for node in helper.tree(notepad) if node["role"] == "text")
    helper.ask("set_text", key=field, text=text)
    read = node_of(helper.tree(notepad), "text", "")
    assert text.startswith(read["text"])
    assert read["length"] == len(text.replace("\n", "\r\n"))
    assert helper.ask("text", key=field) == text
    helper.act(key_of(helper.tree(notepad), "menu item", "Save as..."))
    dialog = helper.window("#32770", "Save")
    saved = tmp_path / "saved.txt"
    name = wait_for(lambda: [node for node in helper.tree(dialog) if node["text"] == "*.txt"])[0]
    helper.ask("set_text", key=name["key"], text=f"Z:{PureWindowsPath(saved)}")
    helper.act(key_of(helper.tree(dialog), "push button", "Save"))
    assert wait_for(lambda: saved.exists() and saved.read_bytes()) == text.replace("\n", "\r\n").encode()
    assert (
        saved.name in wait_for(lambda: [each["name"] for each in helper.ask("windows") if each["hwnd"] == notepad])[0]
    )


@pytest.mark.requires("windows.programs")
def test_without_the_hook_menus_are_those_of_the_programs_file(prefix: Prefix, helper: Helper) -> None:
    prefix.start("regedit.exe")
    regedit = helper.window("RegEdit_RegEdit")
    with helper_in(prefix, None) as other:
        assert other.ready["hook"] is False
        answer = other.ask("tree", hwnd=regedit)
        live, of_file = (
            {node["name"] for node in tree if node["role"] == "menu item"}
            for tree in (helper.tree(regedit), answer["nodes"])
        )
        assert "Find..." in {name.partition("\t")[0] for name in of_file}
        assert len(live & of_file) > 10
        root = next(node for node in answer["nodes"] if node["role"] == "tree item")
        other.act(root["key"], "expand")
        users = wait_for(lambda: named(other.tree(regedit), "tree item", "HKEY_USERS"))
        other.act(users[0]["key"], "select")
        wait_for(lambda: [node for node in other.tree(regedit) if node["name"].endswith("\\HKEY_USERS")])
        other.act(key_of(other.tree(regedit), "menu item", "About Registry Editor"))
        assert other.tree(other.window("#32770", "About"))
