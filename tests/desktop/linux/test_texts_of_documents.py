"""Texts of real programs: caret, selection and page in the list of controls, and a search of all pages.

The keys that put the caret there are the judge, and the documents that were written and saved.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.compact import compact
from deskhand.pipeline.actions import found_lines
from desktop.linux.deceiving import Tools
from desktop.linux.office import opened
from documents import Table, Text, pages, read_odt, write_odt

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
            ([FIRST], [f"{head}1{tail}:", "paragraph (focused, caret at start)"]),
        ):
            assert await noted(office, window, keys) == lines
        found = await Tools(office).run(window, "find_controls", None, text="Heron")
        assert found.evidence == "1 hit in the 27 paragraphs of the document; show=1 scrolls to hit 1"
        assert found_lines(found.result) == '(no id) paragraph "A1" = "Heron" (hit 1, paragraph 25, out of view)'


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
    found = await Tools(office).run(window, "find_controls", None, text="/^.?99 är/")
    assert found_lines(found.result).endswith(" (lines 99, 199, 299 of 301)")


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
    found = await Tools(office).run(window, "find_controls", None, text="Ada")
    assert (found.evidence, len(found_lines(found.result).split("\n"))) == ("only the part in view was searched", 1)
    assert "secret" not in compact((await office.observe(window, picture=False)).controls).text


@pytest.mark.full("another test searches a document; test_document_search goes to hits")
@pytest.mark.requires("find.whole-document")
async def test_a_text_on_other_pages_of_a_writer_document_is_found_counted_and_gone_to(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    birds = {"Page 0, line 3.": "A heron waits.", "Page 6, line 3.": "The heron hovers over the field."}
    twice = dict.fromkeys(("Page 8, line 2.", "Page 8, line 5."), "One heron and one kestrel.")
    lines = [
        line for line in pages(10) for line in (line, *map(Text, [(birds | twice).get(line.text, "")])) if line.text
    ]
    hits = [(number, line.text) for number, line in enumerate(lines, 1) if "heron" in line.text]
    file = write_odt(tmp_path / "birds.odt", *lines)
    async with opened(office, WRITER, file) as window:
        await office.activate(window)
        tools = Tools(office)
        found = await tools.run(window, "find_controls", None, text="heron")
        assert found.evidence == f"4 hits in the {len(lines)} paragraphs of the document; show=2 scrolls to hit 2"
        away = [
            f'(no id) paragraph = "{text}" (hit {hit}, paragraph {number}, out of view)'
            for hit, (number, text) in enumerate(hits, 1)
        ]
        here = '(no id until the next observation) paragraph = "A heron waits." (hit 1, paragraph 5)'
        assert found_lines(found.result).split("\n") == [here, *away[1:]]
        seen = await office.observe(window, picture=False)
        assert ("Page 0, line 0.", None) in [(each.value, seen.truncated) for each in seen.controls]
        gone = await tools.run(window, "find_controls", None, text="heron", show=4)
        assert gone.evidence == "hit 4 is in view"
        seen = await office.observe(window, picture=False)
        third, fourth = (each for each in seen.controls if "heron" in each.value)
        assert third.rect.top < fourth.rect.top
        written = await tools.run(window, "set_edit_text", third, text="Written anew.")
        assert (written.effect, written.evidence) == (Effect.CONFIRMED, 'reads "Written anew."')
        assert (await tools.run(window, "click_input", fourth)).delivered
        caret = await noted(office, window, [END])
        assert "(caret on page 9 of 10" in caret[0]
        await office.press([Chord("x"), Chord("s", ("ctrl",))])

        async def saved() -> bool | None:
            texts = [paragraph.text for paragraph in read_odt(file)]
            return (
                True if (texts[hits[2][0] - 1], texts[hits[3][0] - 1]) == ("Written anew.", f"{hits[3][1]}x") else None
            )

        assert await office.wait_until(saved, deadline_s=20), [each.text for each in read_odt(file)]
