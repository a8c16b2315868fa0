"""The ordinary actions of `everyday.py`, by application, in their order; each with the judge of it."""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.roles import Role
from desktop.linux.everyday import (
    FOLDER,
    SECOND,
    Deed,
    Worked,
    cell,
    changed,
    closed,
    in_front,
    is_now,
    keys,
    more,
    opened,
    reads,
    shown_anew,
    turned,
    written,
)

R: Final = Role
_LINES: Final = "first of several words\nsecond"
_PROSE: Final = "Other words here, and so many of them that they fill the whole line"
_SHEET: Final = "Sheet Sheet1"


def copied(into: Deed, worked: Worked) -> list[Deed]:
    """A text that is put on the clipboard and pasted into a control of the application."""
    return [Deed("clipboard", None, "", {"text": "by clipboard"}, worked, later=2), into, keys("{VK_CONTROL}v", worked)]


def chosen(name: str, worked: Worked, **given: bool) -> Deed:
    """A file of the application's folder, for the dialog that is open."""
    return Deed("choose_file", None, "", {"path": f"{FOLDER}/{name}", **given}, worked)


def beside(own: str) -> list[Deed]:
    """Another application, launched with a file, and the windows of both brought to the front."""
    given = {"application": "mousepad", "file": f"{FOLDER}/{SECOND}.txt"}
    return [
        Deed("launch_application", None, "", given, shown_anew("Mousepad")),
        Deed("select_application_window", R.WINDOW, own, {}, in_front(own)),
        Deed("select_application_window", R.WINDOW, "Mousepad", {}, in_front("Mousepad")),
    ]


def office(kind: str) -> list[Deed]:
    """Save As, Open, and other windows, in an application of LibreOffice."""
    return [
        keys("{VK_CONTROL}{VK_SHIFT}s", opened("Save")),
        chosen(f"copy.{kind}", written(f"copy.{kind}"), create=True),
        keys("{VK_CONTROL}o", opened("Open")),
        chosen(f"{SECOND}.{kind}", opened(f"{SECOND}.{kind}")),
        *beside(f"copy.{kind}"),
    ]


def form(toolkit: str) -> list[Deed]:
    """The actions on the everyday form of a toolkit, without those that its controls do not offer."""
    gtk, swing = toolkit == "GTK 4", toolkit == "Swing"
    radio, mark = R.CHECKBOX if gtk else R.RADIO, R.CHECKBOX if toolkit.startswith("Qt") else R.BUTTON
    several = [  # GTK 4 offers no selection of several to accessibility
        keys("{VK_SHIFT}{DOWN}", more("fruit")),
        Deed("select_item", R.LISTITEM, "Pear", {}, turned("fruit", ["Pear"])),
    ]
    return [
        *_presses(mark, radio),
        *_texts(),
        Deed("select_item", R.LISTITEM, "Plum", {}, turned("fruit", ["Plum"])),
        Deed("select_item", R.LIST, "Fruit", {"item": "Pear"}, turned("fruit", ["Pear"])),
        Deed("click_input", R.LISTITEM, "Plum", {}, turned("fruit", ["Plum"])),
        Deed("click_input", R.LISTITEM, "Apple", {}, turned("fruit", ["Apple"])),
        keys("{DOWN}", changed("fruit")),
        *([] if gtk else several),
        Deed("select_item", R.COMBOBOX, "Size" if gtk else "A4", {"item": "A5"}, turned("size", "A5")),
        *([] if swing else _sliders()),
        Deed("set_value", R.SPINBUTTON, "Count", {"value": 7}, turned("count", 7)),
        Deed("keyboard_input", R.SPINBUTTON, "Count", {"keys": "{UP}"}, turned("count", 8)),
        Deed("select_item", R.TAB, "Two", {}, turned("tab", "Two")),
        Deed("click_input", R.TAB, "One", {}, turned("tab", "One")),
        *([keys("{RIGHT}", turned("tab", "Two"))] if gtk else []),
        *_menus(R.BUTTON if gtk else R.MENU if swing else R.MENUITEM, R.CHECKBOX if swing else R.MENUITEM),
        Deed("keyboard_input", R.TEXTBOX, "Filter", {"keys": "P"}, turned("shown", ["Pear", "Plum"])),
        keys("l", turned("shown", ["Plum"])),
        keys("{BACK}{BACK}", more("shown", 3)),
        keys("{VK_SHIFT}{TAB}", changed("focus")),
        Deed("set_edit_text", R.TEXTBOX, "Name", {"text": "x"}, turned("name", "x")),
        *copied(Deed("click_input", R.TEXTBOX, "Name", {}, changed("focus")), reads("name", "by clipboard")),
        Deed("invoke", R.BUTTON, "Pick", {}, opened("Pick a file")),
        chosen(f"{SECOND}.txt", turned("picked", f"{SECOND}.txt")),
        *beside("Everyday"),
    ]


def _sliders() -> list[Deed]:
    """Those of Swing take a number by accessibility and do nothing with it, and do not listen to the wheel."""
    return [
        Deed("set_value", R.SLIDER, "Volume", {"value": 60}, turned("volume", 60)),
        Deed("wheel_mouse_input", R.SLIDER, "Volume", {"wheel_dist": -2}, changed("volume")),
    ]


def _presses(mark: Role, radio: Role) -> list[Deed]:
    return [
        Deed("invoke", R.BUTTON, "Press me", {}, more("pressed")),
        Deed("click_input", R.BUTTON, "Press me", {}, more("pressed")),
        Deed("click_on_coordinates", R.BUTTON, "Press me", {}, more("pressed"), to=0.0),
        Deed("invoke", R.BUTTON, "Silent", {}, more("silent"), shows=False),
        Deed("click_input", R.BUTTON, "Silent", {}, more("silent"), shows=False),
        Deed("invoke", mark, "Mark", {}, turned("mark", True)),
        Deed("click_input", mark, "Mark", {}, turned("mark", False)),
        Deed("invoke", R.CHECKBOX, "Agree", {}, turned("agree", True)),
        Deed("click_input", R.CHECKBOX, "Agree", {}, turned("agree", False)),
        Deed("set_value", R.CHECKBOX, "Agree", {"value": True}, turned("agree", True)),
        keys(" ", turned("agree", False)),
        Deed("invoke", radio, "Small", {}, turned("radio", ["Small"])),
        Deed("click_input", radio, "Large", {}, turned("radio", ["Large"])),
        Deed("set_value", radio, "Small", {"value": True}, turned("radio", ["Small"])),
    ]


def _texts() -> list[Deed]:
    return [
        Deed("set_edit_text", R.TEXTBOX, "Name", {"text": "Grace"}, turned("name", "Grace")),
        Deed("keyboard_input", R.TEXTBOX, "Name", {"keys": "x1"}, reads("name", "x1")),
        keys("{END}{BACK}", changed("name")),
        keys("{VK_SHIFT}{HOME}", changed("caret")),
        keys("{END}", changed("caret")),
        keys("{VK_CONTROL}a", changed("caret")),
        keys("{DELETE}", turned("name", "")),
        keys("two words", turned("name", "two words")),
        keys("{HOME}", turned("caret", [0, 0])),
        Deed("click_input", R.TEXTBOX, "Name", {"double": True}, changed("caret")),
        keys("{VK_CONTROL}a", turned("caret", [0, 9])),
        keys("{VK_CONTROL}c", reads("notes", "two words"), later=3),
        Deed("click_input", R.TEXTBOX, "Notes", {}, changed("focus")),
        keys("line one{ENTER}line two{ENTER}", turned("notes", "line one\nline two\n")),
        keys("{VK_CONTROL}v", reads("notes", "two words")),
        Deed("set_edit_text", R.TEXTBOX, "Notes", {"text": _LINES}, turned("notes", _LINES)),
        Deed("drag_on_coordinates", R.TEXTBOX, "Notes", {}, turned("notes_selected", True), to=0.1),
        Deed("keyboard_input", R.PASSWORD, "Secret", {"keys": "abc"}, changed("secret")),
        Deed("set_edit_text", R.PASSWORD, "Secret", {"text": "another one"}, turned("secret", "another one")),
        Deed("set_edit_text", R.TEXTBOX, "Name", {"text": ""}, turned("name", "")),
    ]


def _menus(role: Role, check: Role) -> list[Deed]:
    """The items are clicked but once: the menus of Qt stay open where an item was pressed by accessibility."""
    return [
        Deed("invoke", role, "File", {}, turned("menu", True)),
        keys("{ESC}", turned("menu", False)),
        Deed("click_input", role, "File", {}, turned("menu", True)),
        Deed("click_input", R.MENUITEM, "Count up", {}, more("counted")),
        Deed("click_input", role, "File", {}, turned("menu", True)),
        Deed("click_input", check, "Wrap lines", {}, turned("wrap", True)),
        Deed("click_input", role, "File", {}, turned("menu", True)),
        Deed("invoke", R.MENUITEM, "Ask", {}, turned("dialog", True)),
        Deed("set_edit_text", R.TEXTBOX, "Answer", {"text": "yes"}, turned("answer", "yes"), dialog=True),
        Deed("keyboard_input", R.TEXTBOX, "Answer", {"keys": "!"}, reads("answer", "!"), dialog=True),
        Deed("invoke", R.BUTTON, "Take", {}, more("asked"), dialog=True),
    ]


def page() -> list[Deed]:
    """The actions on the everyday page."""
    return [
        *_presses(R.BUTTON, R.RADIO),
        *_texts(),
        Deed("select_item", R.LISTITEM, "Plum", {}, turned("fruit", ["Plum"])),
        Deed("select_item", R.LIST, "Many", {"item": "Pear"}, turned("fruit", ["Pear"])),
        Deed("click_input", R.LISTITEM, "Cherry", {}, turned("fruit", ["Cherry"])),
        Deed("click_input", R.LISTITEM, "Apple", {}, turned("fruit", ["Apple"])),
        keys("{DOWN}", turned("fruit", ["Pear"])),
        keys("{VK_SHIFT}{DOWN}", more("fruit")),
        Deed("select_item", R.COMBOBOX, "Size", {"item": "Letter"}, turned("size", "Letter")),
        Deed("set_value", R.SLIDER, "Volume", {"value": 60}, turned("volume", 60)),
        Deed("set_value", R.SPINBUTTON, "Count", {"value": 7}, turned("count", 7)),
        Deed("keyboard_input", R.SPINBUTTON, "Count", {"keys": "{UP}"}, turned("count", 8)),
        Deed("invoke", R.TAB, "Two", {}, turned("tab", "Two")),
        Deed("select_item", R.TAB, "One", {}, turned("tab", "One")),
        Deed("click_input", R.TAB, "Two", {}, turned("tab", "Two")),
        Deed("set_edit_text", R.TEXTBOX, "Editor", {"text": "new text"}, turned("editor", "new text")),
        Deed("keyboard_input", R.TEXTBOX, "Editor", {"keys": " more"}, reads("editor", "more")),
        Deed("invoke", R.BUTTON, "More", {}, turned("more", True)),
        Deed("click_input", R.BUTTON, "More", {}, turned("more", False)),
        Deed("keyboard_input", R.TEXTBOX, "Filter", {"keys": "P"}, turned("shown", ["Pear", "Plum"])),
        keys("l", turned("shown", ["Plum"])),
        keys("{BACK}{BACK}", more("shown", 3)),
        keys("{TAB}", changed("focus")),
        Deed("invoke", R.BUTTON, "Ask", {}, turned("dialog", True)),
        Deed("set_edit_text", R.TEXTBOX, "Answer", {"text": "yes"}, turned("answer", "yes")),
        Deed("click_input", R.BUTTON, "Take", {}, turned("dialog", False)),
        Deed("invoke", R.LINK, "Below", {}, turned("hash", "#below")),
        Deed("wheel_mouse_input", None, "", {"wheel_dist": 30}, changed("scrolled")),
        Deed("wheel_mouse_input", None, "", {"wheel_dist": -3}, changed("scrolled")),
        keys("{PGDN}", changed("scrolled")),
        keys("{HOME}", turned("scrolled", 0)),
        Deed("invoke", R.BUTTON, "Reload", {}, changed("loaded")),
        Deed("click_input", R.BUTTON, "Reload", {}, changed("loaded")),
        keys("{F5}", changed("loaded")),
        Deed("keyboard_input", R.TEXTBOX, "Search", {"keys": "find me{ENTER}"}, turned("query", "?q=find+me")),
        Deed("set_edit_text", R.TEXTBOX, "Name", {"text": "kept"}, turned("name", "kept")),
        Deed("invoke", R.BUTTON, "Reload", {}, changed("loaded")),
        *copied(Deed("click_input", R.TEXTBOX, "Name", {}, changed("focus")), reads("name", "by clipboard")),
        Deed("click_input", R.BUTTON, "Upload: No file chosen", {}, opened("Open")),
        chosen(f"{SECOND}.txt", turned("picked", f"{SECOND}.txt")),
        *beside("Everyday"),
    ]


CALC: Final = [
    Deed("select_item", R.TABLE, _SHEET, {"item": "B3"}, turned("cursor", "B3")),
    Deed("select_item", R.TABLE, _SHEET, {"item": "A1"}, turned("cursor", "A1")),
    keys("North{ENTER}", cell("A1", "North")),
    keys("South{TAB}12{ENTER}", cell("B2", "12")),
    Deed("set_edit_text", R.CELL, "B1", {"text": "12"}, cell("B1", "12")),
    Deed("set_edit_text", R.CELL, "B3", {"text": "=B1*2"}, cell("B3", "24")),
    Deed("set_edit_text", R.CELL, "C1", {"text": "words"}, cell("C1", "words")),
    Deed("write_table", None, "", {"start": "D1", "rows": [["a", "b"], ["1", "2"]]}, cell("E2", "2")),
    Deed("select_item", R.TABLE, _SHEET, {"item": "A1:B2"}, turned("selected", "Sheet1.A1:B2")),
    Deed("select_item", R.CELL, "C1", {}, turned("cursor", "C1")),
    Deed("invoke", R.BUTTON, "Bold", {}, turned("bold", True)),
    keys("{VK_CONTROL}b", turned("bold", False)),
    keys("{VK_CONTROL}i", turned("italic", True)),
    keys("{VK_CONTROL}i", turned("italic", False)),
    Deed("click_input", R.BUTTON, "Italic", {}, turned("italic", True)),
    keys("{DELETE}", cell("C1", "")),
    keys("{VK_CONTROL}z", cell("C1", "words")),
    keys("{VK_CONTROL}y", cell("C1", "")),
    Deed("invoke", R.BUTTON, "Undo", {}, cell("C1", "words")),
    Deed("click_input", R.CELL, "E1", {}, turned("cursor", "E1")),
    keys("{VK_SHIFT}{DOWN}", turned("selected", "Sheet1.E1:E2")),
    keys("{VK_CONTROL}{HOME}", turned("cursor", "A1")),
    keys("{RIGHT}", turned("cursor", "B1")),
    Deed("drag_on_coordinates", R.CELL, "A3", {}, changed("selected"), to=1.5),
    Deed("click_input", R.CELL, "A2", {"double": True}, cell("A2", "Southern"), later=1),
    keys("ern{ENTER}", cell("A2", "Southern")),
    keys("=SUM(B1:B2){ENTER}", cell("A3", "24")),
    Deed("wheel_mouse_input", None, "", {"wheel_dist": -5}, changed("top")),
    Deed("wheel_mouse_input", None, "", {"wheel_dist": 5}, changed("top")),
    Deed("invoke", R.MENU, "Insert", {}, more("menus")),
    keys("{ESC}", more("menus", -1)),
    Deed("click_input", R.MENU, "Sheet", {}, more("menus")),
    keys("{ESC}", more("menus", -1)),
    Deed("invoke", R.BUTTON, "Find and Replace", {}, opened("Find and Replace")),
    Deed("keyboard_input", R.TEXTBOX, "", {"keys": "words"}, opened("Search Results"), dialog=True, later=1),
    Deed("invoke", R.BUTTON, "Find All", {}, opened("Search Results"), dialog=True),
    keys("{ESC}", closed("Search Results"), dialog=True),
    Deed("invoke", R.BUTTON, "Close", {}, closed("Find and Replace"), dialog=True),
    Deed("write_table", None, "", {"start": "G5", "rows": [["a"], ["c"], ["b"]]}, cell("G7", "b")),
    Deed("select_item", R.TABLE, _SHEET, {"item": "G5:G7"}, turned("selected", "Sheet1.G5:G7")),
    Deed("invoke", R.BUTTON, "Sort Descending", {}, cell("G5", "c")),
    Deed("click_input", R.BUTTON, "Sort Ascending", {}, cell("G5", "a")),
    keys("{VK_CONTROL}c", cell("I5", "a"), later=2),
    Deed("select_item", R.TABLE, _SHEET, {"item": "I5"}, turned("cursor", "I5")),
    keys("{VK_CONTROL}v", cell("I5", "a")),
    keys("{ESC}", is_now("cursor", "I5"), shows=False),
    Deed("drag_on_coordinates", R.CELL, "G5", {}, changed("selected"), to=2.0),
    Deed("select_item", R.CELL, "B1", {}, turned("cursor", "B1")),
    Deed("invoke", R.BUTTON, "Percent", {}, changed("format")),
    Deed("click_input", R.BUTTON, "Currency", {}, changed("format")),
    Deed("click_input", R.CELL, "A1", {"button": "right"}, more("menus")),
    keys("{ESC}", more("menus", -1)),
    Deed("select_item", R.TAB, "Sheet2", {}, turned("sheet", "Sheet2")),
    Deed("click_input", R.TAB, "Sheet1", {}, turned("sheet", "Sheet1")),
    keys("{VK_CONTROL}{PGDN}", turned("sheet", "Sheet2")),
    Deed("select_item", R.TAB, "Sheet1", {}, turned("sheet", "Sheet1")),
    Deed("click_input", R.BUTTON, "Add", {}, more("sheets")),
    keys("{VK_CONTROL}s", changed("saved")),
    keys("9{ENTER}", changed("used")),
    Deed("invoke", R.BUTTON, "Save", {}, changed("saved")),
    *copied(Deed("select_item", R.CELL, "H1", {}, turned("cursor", "H1")), cell("H1", "by clipboard")),
    *office("ods"),
]

WRITER: Final = [
    Deed("set_edit_text", R.PARAGRAPH, "", {"text": _PROSE}, reads("paragraphs", _PROSE)),
    keys("{VK_CONTROL}{HOME}", turned("cursor", 0)),
    Deed("click_input", R.PARAGRAPH, "", {}, changed("cursor")),
    keys("{END}", changed("cursor")),
    keys(" and more", reads("paragraphs", f"{_PROSE} and more")),
    keys("{ENTER}", more("paragraphs")),
    keys("Second paragraph{ENTER}", reads("paragraphs", "Second paragraph")),
    keys("{VK_CONTROL}z", changed("paragraphs")),
    keys("{VK_CONTROL}y", changed("paragraphs")),
    keys("{VK_CONTROL}{HOME}", turned("cursor", 0)),
    keys("{RIGHT}", turned("cursor", 1)),
    keys("{VK_SHIFT}{END}", changed("selected")),
    Deed("invoke", R.BUTTON, "Bold", {}, turned("bold", True)),
    keys("{VK_CONTROL}i", turned("italic", True)),
    keys("{VK_CONTROL}i", turned("italic", False)),
    keys("{VK_CONTROL}b", turned("bold", False)),
    Deed("click_input", R.BUTTON, "Italic", {}, turned("italic", True)),
    Deed("invoke", R.BUTTON, "Center", {}, changed("aligned")),
    keys("{VK_CONTROL}l", changed("aligned")),
    Deed("click_input", R.PARAGRAPH, "", {"double": True}, changed("selected")),
    keys("{VK_CONTROL}a", reads("selected", "Last words")),
    keys("{VK_CONTROL}{END}", turned("selected", "")),
    Deed("drag_on_coordinates", R.PARAGRAPH, "", {}, changed("selected"), to=0.3),
    keys("{VK_CONTROL}c", changed("paragraphs"), later=2),
    keys("{VK_CONTROL}{END}", turned("selected", "")),
    keys("{VK_CONTROL}v", changed("paragraphs")),
    Deed("invoke", R.BUTTON, "Undo", {}, changed("paragraphs")),
    Deed("invoke", R.BUTTON, "Redo", {}, changed("paragraphs")),
    Deed("invoke", R.MENU, "Insert", {}, more("menus")),
    keys("{ESC}", more("menus", -1)),
    Deed("click_input", R.MENU, "Format", {}, more("menus")),
    keys("{ESC}", more("menus", -1)),
    keys("{ENTER}", more("paragraphs")),
    keys("{VK_CONTROL}{F12}", opened("Insert Table")),
    Deed("set_value", R.SPINBUTTON, "Columns:", {"value": 3}, more("tables"), dialog=True, later=1),
    Deed("invoke", R.BUTTON, "Insert", {}, more("tables"), dialog=True),
    keys("cell", reads("tables", "cell")),
    keys("{TAB}", turned("cell", "B1")),
    keys("{VK_SHIFT}{TAB}", turned("cell", "A1")),
    keys("{VK_CONTROL}h", opened("Find")),
    Deed("keyboard_input", R.TEXTBOX, "", {"keys": "words"}, changed("chosen"), dialog=True, later=1),
    Deed("invoke", R.BUTTON, "Find All", {}, changed("chosen"), dialog=True),
    Deed("invoke", R.BUTTON, "Close", {}, closed("Find"), dialog=True),
    Deed("click_input", R.PARAGRAPH, "", {}, changed("cursor", "chosen")),
    Deed("invoke", R.BUTTON, "Unordered List", {}, changed("listed", "style")),
    keys("{F12}", reads("labels", "1.")),
    Deed("wheel_mouse_input", None, "", {"wheel_dist": -5}, changed("view")),
    Deed("wheel_mouse_input", None, "", {"wheel_dist": 5}, changed("view")),
    keys("{VK_CONTROL}s", changed("saved")),
    keys("x", changed("paragraphs")),
    Deed("invoke", R.BUTTON, "Save", {}, changed("saved")),
    keys("{VK_CONTROL}{F2}", opened("Fields")),
    Deed("invoke", R.BUTTON, "Close", {}, closed("Fields"), dialog=True),
    *copied(keys("{VK_CONTROL}{END}", changed("cursor", "cell")), reads("paragraphs", "by clipboard")),
    *office("odt"),
]

IMPRESS: Final = [
    keys("{VK_CONTROL}m", more("slides")),
    Deed("select_item", R.LISTITEM, "P1", {}, turned("slide", 1)),
    keys("{PGDN}", changed("slide")),
    Deed("click_input", R.LISTITEM, "P1", {}, turned("slide", 1)),
    Deed("invoke", R.BUTTON, "New Slide", {}, more("slides")),
    keys("{VK_CONTROL}z", more("slides", -1)),
    Deed("click_input", R.GROUP, "Box", {}, more("selected")),
    keys("{RIGHT}", changed("shapes")),
    keys("{F2}", reads("texts", "Boxed!"), later=1),
    keys("{END}!", reads("texts", "Boxed!")),
    keys("{ESC}", turned("selected", []), later=1),
    keys("{ESC}", turned("selected", [])),
    Deed("click_input", R.GROUP, "Box", {"double": True}, reads("texts", "Replaced"), later=2),
    keys("{VK_CONTROL}a", reads("texts", "Replaced"), later=1),
    keys("Replaced", reads("texts", "Replaced")),
    keys("{ESC}", turned("selected", []), later=1),
    keys("{ESC}", turned("selected", [])),
    Deed("drag_on_coordinates", R.GROUP, "Box", {}, changed("shapes"), to=0.5),
    keys("{VK_CONTROL}z", changed("shapes")),
    Deed("invoke", R.BUTTON, "Duplicate Slide", {}, more("slides")),
    Deed("invoke", R.BUTTON, "Delete Slide", {}, more("slides", -1)),
    Deed("invoke", R.MENU, "Slide", {}, more("menus")),
    keys("{ESC}", more("menus", -1)),
    Deed("click_input", R.MENU, "Insert", {}, more("menus")),
    keys("{ESC}", more("menus", -1)),
    Deed("wheel_mouse_input", None, "", {"wheel_dist": -3}, changed("view", "slide")),
    keys("{VK_CONTROL}a", changed("selected")),
    keys("{VK_CONTROL}c", changed("shapes", "slides"), later=1),
    keys("{VK_CONTROL}v", changed("shapes", "slides")),
    keys("{DELETE}", changed("shapes", "slides")),
    Deed("invoke", R.BUTTON, "Find and Replace", {}, opened("Find")),
    Deed("invoke", R.BUTTON, "Close", {}, closed("Find"), dialog=True),
    keys("{VK_CONTROL}s", changed("saved")),
    keys("{VK_CONTROL}m", more("slides")),
    Deed("invoke", R.BUTTON, "Save", {}, changed("saved")),
    *office("odp"),
]

GEDIT: Final = [
    Deed("click_input", R.TEXTBOX, "", {}, changed("caret")),
    keys("typed", reads("text", "typed")),
    keys("{ENTER}", changed("text")),
    Deed("click_input", R.TEXTBOX, "", {"double": True}, changed("selected")),
    keys("{VK_CONTROL}{HOME}", turned("caret", 0)),
    keys("{RIGHT}", turned("caret", 1)),
    keys("{VK_SHIFT}{DOWN}", changed("selected")),
    keys("{DELETE}", changed("text")),
    keys("{VK_CONTROL}z", changed("text")),
    keys("{VK_CONTROL}{VK_SHIFT}z", changed("text")),
    Deed("drag_on_coordinates", R.TEXTBOX, "", {}, changed("selected"), to=0.2),
    keys("{VK_CONTROL}a", changed("selected")),
    keys("{VK_CONTROL}c", changed("text"), later=2),
    keys("{VK_CONTROL}{END}", turned("selected", [])),
    keys("{VK_CONTROL}v", changed("text")),
    Deed("wheel_mouse_input", None, "", {"wheel_dist": 5}, changed("scrolled")),
    Deed("wheel_mouse_input", None, "", {"wheel_dist": -5}, changed("scrolled")),
    Deed("set_edit_text", R.TEXTBOX, "", {"text": "one two\nthree four\n"}, changed("text")),
    keys("{VK_CONTROL}f", changed("focus")),
    keys("four", turned("searched", "four")),
    keys("{ENTER}", changed("focus", "selected")),
    keys("{VK_CONTROL}s", changed("saved")),
    keys("new words{ENTER}", reads("text", "new words")),
    Deed("invoke", R.BUTTON, "Save", {}, changed("saved")),
    Deed("click_input", R.BUTTON, "Menu", {}, changed("menus", "focus")),
    keys("{ESC}", changed("menus", "focus")),
    keys("{VK_CONTROL}h", opened("Find and Replace")),
    Deed("keyboard_input", R.TEXTBOX, "", {"keys": "two"}, changed("text"), dialog=True, later=2),
    Deed("set_edit_text", R.TEXTBOX, "Nothing", {"text": "2"}, reads("text", "one 2"), dialog=True, later=1),
    Deed("invoke", R.BUTTON, "Replace All", {}, changed("text"), dialog=True),
    keys("{ESC}", closed("Find and Replace"), dialog=True),
    keys("{VK_CONTROL}i", changed("focus")),
    keys("2{ENTER}", changed("focus")),
    keys("line{ENTER}" * 3, changed("text")),
    *copied(keys("{VK_CONTROL}{END}", changed("caret")), reads("text", "by clipboard")),
    keys("{VK_CONTROL}{VK_SHIFT}s", opened("Save")),
    chosen("copy.txt", written("copy.txt"), create=True),
    keys("{VK_CONTROL}n", opened("Untitled")),
    keys("{VK_CONTROL}o", opened("Open")),
    chosen(f"{SECOND}.txt", opened(f"{SECOND}.txt")),
    *beside("gedit"),
]

DEEDS: Final[Mapping[str, Sequence[Deed]]] = {
    "Calc": CALC,
    "Writer": WRITER,
    "Impress": IMPRESS,
    "gedit": GEDIT,
    "Chromium": page(),
    "GTK 4": form("GTK 4"),
    "Qt 5": form("Qt 5"),
    "Swing": form("Swing"),
}

_SAMPLE: Final = frozenset(
    {
        ("click_on_coordinates", "Press me"),
        ("invoke", "Mark"),
        ("set_edit_text", "Notes"),
        ("drag_on_coordinates", "Notes"),
        ("keyboard_input", "Secret"),
        ("set_edit_text", "Secret"),
        ("click_input", "Plum"),
        ("click_input", "Cherry"),
        ("keyboard_input", "Filter"),
        ("click_input", "Reload"),
        ("keyboard_input", "Search"),
        ("invoke", "Pick"),
        ("click_input", "Upload: No file chosen"),
        ("choose_file", ""),
        ("launch_application", ""),
        ("select_application_window", "Everyday"),
    }
)


def sample(application: str) -> list[Deed]:
    """A few of the actions in one application."""
    return [deed for deed in DEEDS[application] if (deed.tool, deed.name) in _SAMPLE]
