"""Scintilla, and controls of toolkits that extend those of Windows; what the program has itself is the oracle."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support import need, wait_for
from tools.windows_python import HOME
from tools.windows_scripts import FOLDER, ROOT
from win32_helper import Helper, Node, Refusal, key_of, node_of
from windows_programs import Prefix

pytestmark = [pytest.mark.desktop, pytest.mark.requires("windows.classes")]

LIBRARY = HOME / "site" / "pythonwin" / "scintilla.dll"
"""Of pywin32, which a requirement brings on Windows."""

TEXT = "Grüße\nżółć 😀\n"


class Editor:
    """The program with its window open."""

    def __init__(self, helper: Helper, prefix: Prefix, folder: Path) -> None:
        need(LIBRARY)
        script, self._state = ROOT / "tests/apps/editor_win32.py", folder / "state.json"
        python = str(FOLDER.python.with_name("pythonw.exe"))
        prefix.start(python, f"Z:{script}", f"Z:{LIBRARY}", str(self._state))
        self.helper, self.window = helper, helper.window("FixtureWindow", "Editor")
        wait_for(self._state.exists)

    def state(self) -> Any:
        return json.loads(self._state.read_bytes())

    def has(self, **wanted: object) -> None:
        wait_for(lambda: {name: self.state()[name] for name in wanted} == wanted)

    def tree(self) -> list[Node]:
        return self.helper.tree(self.window)

    def fields(self) -> list[Node]:
        """The three fields of Scintilla: of UTF-8, of the system's code page, and one that cannot be changed."""
        return [node for node in self.tree() if node["class"] == "Scintilla"]


@pytest.fixture(scope="module")
def editor(helper: Helper, prefix: Prefix, tmp_path_factory: pytest.TempPathFactory) -> Editor:
    return Editor(helper, prefix, tmp_path_factory.mktemp("editor"))


def test_a_text_of_scintilla_is_set_and_read_whatever_its_encoding_and_line_ends(editor: Editor) -> None:
    code, old, fixed = editor.fields()
    assert ["editable" in field["states"] for field in (code, old, fixed)] == [True, True, False]
    editor.helper.ask("set_text", key=code["key"], text=TEXT)
    editor.helper.ask("set_text", key=old["key"], text="Müller\nMeier")
    editor.has(code=TEXT, old="Müller\r\nMeier")
    assert [field["text"] for field in editor.fields()] == [TEXT, "Müller\nMeier", ""]
    assert editor.helper.ask("text", key=old["key"]) == "Müller\nMeier"
    with pytest.raises(Refusal, match="read-only"):
        editor.helper.ask("set_text", key=fixed["key"], text="no")
    with pytest.raises(Refusal, match="has not all characters"):
        editor.helper.ask("set_text", key=old["key"], text="ż")
    assert editor.state()["old"] == "Müller\r\nMeier"


def test_a_long_text_of_scintilla_is_set_whole_and_its_beginning_is_in_the_tree(editor: Editor) -> None:
    code, old, _ = editor.fields()
    long = "".join(f"line {number} ä\n" for number in range(20_000))
    editor.helper.ask("set_text", key=code["key"], text=long)
    editor.has(code=long)
    assert editor.helper.ask("text", key=code["key"]) == long
    editor.helper.ask("set_text", key=old["key"], text=long)
    for node in editor.fields()[:2]:
        assert len(node["text"]) > 14_000
        assert long.startswith(node["text"])
        assert (node["length"], node["caret"]) == (len(long), len(long))
    editor.helper.ask("select_text", key=old["key"], start=100_000, end=100_003)
    node = editor.fields()[1]
    assert (node["caret"], node["selection"]) == (100_003, [100_000, 100_003])


def test_a_text_of_scintilla_is_set_in_one_step_to_undo(editor: Editor) -> None:
    code = editor.fields()[0]["key"]
    editor.helper.ask("set_text", key=code, text="first\n")
    editor.has(code="first\n")
    editor.helper.ask("set_text", key=code, text="second\n" * 30_000)
    editor.has(code="second\n" * 30_000)
    editor.helper.act(key_of(editor.tree(), "push button", "Undo"))
    editor.has(code="first\n")


def test_offsets_of_scintilla_are_characters(editor: Editor) -> None:
    code, old, _ = editor.fields()
    editor.helper.ask("set_text", key=code["key"], text=TEXT)
    editor.helper.ask("select_text", key=code["key"], start=6, end=10)
    before, chosen = len("Grüße\n".encode()), len("żółć".encode())
    editor.has(selected=[before, before + chosen])
    node = editor.fields()[0]
    assert (node["caret"], node["selection"]) == (10, [6, 10])
    editor.helper.ask("insert_text", key=code["key"], at=6, text="und\n")
    editor.has(code="Grüße\nund\nżółć 😀\n")
    editor.helper.ask("set_text", key=old["key"], text="one\ntwo")
    for at, text in ((4, "and "), (3, "!")):
        editor.helper.ask("insert_text", key=old["key"], at=at, text=text)
    editor.has(old="one!\r\nand two")
    editor.helper.ask("delete_text", key=old["key"], start=3, end=5)
    editor.has(old="oneand two")
    note = node_of(editor.tree(), "text", "Note")["key"]
    editor.helper.ask("set_text", key=note, text="one\ntwo")
    editor.helper.ask("delete_text", key=note, start=2, end=5)
    editor.has(note="onwo")


def test_bytes_that_are_no_characters_move_no_offset(editor: Editor) -> None:
    code = editor.fields()[0]["key"]
    editor.helper.act(key_of(editor.tree(), "push button", "Spoil"))
    wait_for(lambda: editor.fields()[0]["text"] == "a\N{REPLACEMENT CHARACTER}bü\N{REPLACEMENT CHARACTER}" * 2)
    assert editor.helper.ask("text", key=code) == editor.fields()[0]["text"]
    editor.helper.ask("select_text", key=code, start=2, end=4)
    editor.has(selected=[2, 5])
    assert editor.fields()[0]["selection"] == [2, 4]


def test_line_ends_count_as_the_text_has_them_whatever_new_ones_are(editor: Editor) -> None:
    code, size = editor.fields()[0]["key"], 20_000
    editor.helper.act(key_of(editor.tree(), "push button", "Mix"))
    wait_for(lambda: editor.fields()[0]["length"] == size * 2)
    editor.helper.ask("select_text", key=code, start=size, end=size + 2)
    node = editor.fields()[0]
    assert (node["caret"], node["selection"]) == (size + 2, [size, size + 2])


def test_controls_that_toolkits_derive_are_those_that_they_derive_from(editor: Editor) -> None:
    note = node_of(editor.tree(), "text", "Note")
    editor.helper.ask("set_text", key=note["key"], text="Dear Ada\nand Grace")
    editor.helper.act(key_of(editor.tree(), "check box", "Agreed"))
    pears = [node for node in editor.tree() if node["name"] == "Pear"]
    editor.helper.act(pears[0]["key"], "select")
    editor.has(note="Dear Ada\r\nand Grace", agreed=1, fruit=1)
    assert "checked" in node_of(editor.tree(), "check box", "Agreed")["states"]


def test_the_caret_of_a_long_text_is_told_where_it_is(editor: Editor) -> None:
    note, long = node_of(editor.tree(), "text", "Note")["key"], "ä 1234\n" * 3_500
    editor.helper.ask("set_text", key=note, text=long)
    editor.helper.ask("select_text", key=note, start=24_000, end=24_005)
    node = node_of(editor.tree(), "text", "Note")
    assert (node["caret"], node["selection"]) == (24_005, [24_000, 24_005])
    assert len(node["text"]) < 20_000, "only the beginning of it is in the tree"
    assert long.startswith(node["text"].removesuffix("\r"))


def test_a_field_has_the_label_beside_it_also_where_that_is_made_after_it(editor: Editor) -> None:
    texts = {node["name"]: node["text"] for node in editor.tree() if node["role"] == "entry"}
    assert texts == {"Town": "TOWN", "Street": "STREET"}


def test_a_date_and_a_time_are_told_apart_and_their_arrows_are_part_of_them(editor: Editor) -> None:
    def dates() -> dict[str, str]:
        return {node["name"]: node["text"] for node in editor.tree() if node["role"] == "date editor"}

    assert re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", dates()["Day"])
    assert not [node for node in editor.tree() if node["role"] == "spin button"]
    (box,) = (node for node in editor.tree() if node["role"] == "check box" and not node["name"])
    assert (dates()["Hour"], "checked" in box["states"]) == ("", False), "a time that may be left out has a box"
    editor.helper.act(box["key"])
    wait_for(lambda: re.fullmatch(r"[0-9]{2}:[0-9]{2}:[0-9]{2}", dates()["Hour"]))


def test_a_button_with_a_picture_has_the_name_of_its_tooltip(editor: Editor) -> None:
    assert node_of(editor.tree(), "push button", "Print the order")["actions"] == ["press", "focus"]


def test_items_that_the_panel_around_their_list_cuts_off_are_not_shown(editor: Editor) -> None:
    panel = next(node for node in editor.tree() if node["class"] == "FixturePanel")
    items = [node for node in editor.tree() if node["name"] in {"Apple", "Pear", "Fig", "Kiwi"}][4:]
    left, top, right, bottom = panel["rect"]
    assert ["showing" in node["states"] for node in items] == [True, True, False, False]
    for node in items[:2]:
        assert left <= node["rect"][0] < node["rect"][2] <= right
        assert top <= node["rect"][1] < node["rect"][3] <= bottom
