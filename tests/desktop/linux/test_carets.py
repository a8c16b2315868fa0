"""Caret, selection and page in the list of controls of real programs; the keys that put them there are the judge."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.compact import compact
from desktop.linux.office import opened
from documents import Table, Text, pages, write_odt

pytestmark = pytest.mark.desktop

WRITER = Application("writer", ("soffice", "--writer"), ("soffice", "--writer", "{file}"), "Writer$")
MOUSEPAD = Application("mousepad", ("mousepad", "{file}"), ("mousepad", "{file}"), "Mousepad$")
CHROMIUM = Application("chromium", ("chromium", "{file}"), ("chromium", "{file}"), "Form")
HOME, END = Chord("home"), Chord("end")
FIRST, LAST = Chord("home", ("ctrl",)), Chord("end", ("ctrl",))
RIGHT, WORD = Chord("right"), Chord("right", ("ctrl", "shift"))
DOWN, LINE, ALL = Chord("down"), Chord("down", ("shift",)), Chord("a", ("ctrl",))
PAGE = """<title>Form</title><textarea autofocus rows=6 cols=40>first line
second line here</textarea><p><input value="Ada Lovelace"><input type=password value="secret words">
<div contenteditable>one <b>bold</b> word<p>another</div>"""


async def noted(desktop: LinuxDesktop, window: TargetInfo, keys: Sequence[Chord]) -> list[str]:
    """The roles and states of the lines with a caret or a selection after these keys."""
    await desktop.press(keys)
    await desktop.settle(window, quiet_s=0.1)
    text = compact((await desktop.observe(window, picture=False)).controls).text
    lines = re.findall(r"^ *(document|paragraph|textbox).*? ([(](?:focused|caret).*)$", text, re.MULTILINE)
    return [f"{role} {states}" for role, states in lines if re.search("caret|selected", states)]


@pytest.mark.requires("observe.caret")
async def test_a_writer_document_has_the_page_and_the_paragraph_of_its_caret_and_the_selected_text(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_odt(tmp_path / "birds.odt", *pages(3), Table([["Heron", "7"]], "Count"), Text("the end"))
    async with opened(office, WRITER, file) as window:
        await office.activate(window)
        head, tail = "document (caret on page ", " of 3, other_pages_unlisted)"
        for keys, lines in (
            ([FIRST], [f"{head}1{tail}:", "paragraph (focused, caret at start)"]),
            ([RIGHT] * 5, [f"{head}1{tail}:", 'paragraph (focused, caret after "Page ")']),
            ([WORD], [f"{head}1{tail}:", 'paragraph (focused, selected "0")']),
            (
                [LINE, LINE, HOME, *[DOWN] * 2, LINE, LINE],
                [
                    f'{head}1{tail} (selected in view: 2 paragraphs, "Page 0, line 4.\\nPage 0, line 5."):',
                    "paragraph (focused, caret at start)",
                ],
            ),
            ([LAST], [f"{head}3{tail}:", "paragraph (focused, caret at end)"]),
        ):
            assert await noted(office, window, keys) == lines


@pytest.mark.requires("observe.caret")
async def test_a_text_of_many_lines_has_the_line_of_its_caret_and_the_selected_text(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("".join(f"{number} är die Nummer 😀 dieser Zeile\n" for number in range(1, 301)))
    window = await office.launch(MOUSEPAD, file)
    await office.activate(window)
    for keys, state in (
        ([FIRST], "focused, caret at start of line 1"),
        ([*[DOWN] * 11], "focused, caret at start of line 12"),
        ([END], 'focused, caret in line 12 after "…Nummer 😀 dieser Zeile"'),
        ([HOME, WORD], 'focused, selected in line 12 "12"'),
        ([RIGHT, LINE], 'focused, selected in line 12 " är die Nummer 😀 dieser Zeile\\n13"'),
        ([LAST], "focused, caret at end"),
        ([ALL], "focused, all selected"),
    ):
        (line,) = await noted(office, window, keys)
        assert line == f"textbox ({state})"


@pytest.mark.requires("observe.caret")
async def test_fields_of_a_page_have_caret_and_selection_and_a_password_has_neither(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file, tab = tmp_path / "form.html", Chord("tab")
    file.write_text(PAGE)
    window = await office.launch(CHROMIUM, file)
    await office.activate(window)
    for keys, lines in (
        ([LAST], ["textbox (focused, caret at end)"]),
        ([HOME, RIGHT], ['textbox (focused, caret in line 2 after "s")']),
        ([ALL], ["textbox (focused, all selected)"]),
        ([tab], ["textbox (focused, all selected)"]),
        ([HOME, WORD], ['textbox (focused, selected "Ada")']),
        ([END], []),
        ([tab], []),
        ([tab, RIGHT], []),
    ):
        assert await noted(office, window, keys) == lines
    assert "secret" not in compact((await office.observe(window, picture=False)).controls).text
