"""Slides of Impress in the list of controls, and the way to another one."""

import re
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.toolkits.libreoffice.pages import ask_page, name_slides
from deskhand.perception.compact import compact
from desktop.linux.deceiving import Tools
from desktop.linux.test_controls import DOCUMENT_PRESENTATION, FRAME, LABEL, PANEL, PARAGRAPH, at, seen, tree
from desktop.linux.test_office_drawings import IMPRESS
from desktop.linux.test_office_tools import PATIENCE_S, Document, document
from drawings import Shape, Title, write_drawing

TITLES = ("Welcome", "Budget", "", "Risks", *(f"Title {number}" for number in range(5, 17)))


STATUS_BAR = 54


def page_of(attributes: dict[str, str], style: str, text: str, status: str) -> str:
    """The page of a presentation whose first shape has a style and a text."""
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("d", "w", DOCUMENT_PRESENTATION, "Talk"),
        ("t", "d", PANEL, "PlaceHolder 1"),
        ("p", "t", PARAGRAPH, ""),
        ("s", "w", STATUS_BAR, ""),
        ("l", "s", LABEL, ""),
    )
    at(nodes, "p").text, at(nodes, "l").text = text, status
    replies = {"d": attributes, "t": {"style": style}}
    for path, reply in replies.items():
        for _, take in ask_page(at(nodes, path), nodes):
            take(at(nodes, path), (reply,))
    name_slides(nodes)
    return next(each.note for each in seen(nodes) if each.name == "Talk")


@pytest.mark.requires("observe.office")
@pytest.mark.parametrize(
    ("number", "count", "style", "text", "status", "page"),
    [
        ("2", "5", "Title", "The\nbudget", "Slide 2 of 5", 'slide 2 of 5: "The budget"'),
        ("3", "5", "Title", "", "Slide 2 of 5", "slide 3 of 5"),
        ("2", "5", "Outliner", "The budget", "2. dia, összesen: 5", "slide 2 of 5"),
        ("2", "5", "Title", "Click to add Title", "", "slide 2 of 5"),
        ("1", "1", "Title", "Click to edit the title text format", "Slide 1 of 5", ""),
        ("65536", "1", "", "", "Slide 1 of 1 (5)", ""),
        ("", "", "Title", "The budget", "", ""),
    ],
    ids=["title", "late status", "no title", "empty title", "masters", "handouts", "no numbers"],
)
def test_a_view_that_counts_other_pages_has_no_slide_and_an_empty_title_is_none(
    number: str, count: str, style: str, text: str, status: str, page: str
) -> None:
    attributes = {"page-number": number, "total-pages": count, "page-name": "P"}
    assert page_of(attributes, style, text, status) == page


async def listed(slides: Document) -> str:
    """The line of the document, without its id."""
    text = compact((await slides.see(slides.window)).controls).text
    return next(line for line in text.splitlines() if line.startswith("document") and "Presentation" in line)


async def until_counted(slides: Document, label: str) -> None:
    """Wait for the number in the status bar, which is late."""

    async def counted() -> bool | None:
        seen = await slides.see(slides.window)
        return True if label in {each.value for each in seen.controls if each.type is Role.LABEL} else None

    assert await slides.desktop.wait_until(counted, deadline_s=PATIENCE_S), label


@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("observe.office", "command.effect")
async def test_the_slide_in_view_is_listed_with_number_and_title_and_others_are_scrolled_to(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    pages = [[Title(title), Shape("Box", (4, 4, 12, 4), f"text {n}")] for n, title in enumerate(TITLES, 1)]
    line = 'document "talk - LibreOffice Presentation" ({}):'
    async with document(office, IMPRESS, write_drawing(tmp_path / "talk.odp", *pages)) as slides:
        assert await listed(slides) == line.format('slide 1 of 16: "Welcome", focused')
        for number, slide in ((2, 'slide 2 of 16: "Budget"'), (15, 'slide 15 of 16: "Title 15"'), (3, "slide 3 of 16")):
            went = await slides.run("select_item", slides.window, Role.DOCUMENT, "Slides View", item=f"P{number}")
            assert (went.effect, went.evidence) == (Effect.CONFIRMED, f'listitem "P{number}" is selected')
            assert await listed(slides) == line.format(slide), "an empty title is none"
            await until_counted(slides, f"Slide {number} of 16")
        seen = await slides.see(slides.window)
        box = next(each for each in seen.controls if each.value == "text 3")
        changed = await Tools(slides.desktop).run(slides.window, "set_edit_text", box, text="text of the third")
        assert changed.effect is Effect.CONFIRMED, changed
        saved = await slides.saved()
    third = saved[saved.index('draw:name="P3"') : saved.index('draw:name="P4"')]
    assert [re.sub("<[^>]*>", "", text) for text in re.findall(r"<text:p[ >].*?</text:p>", third)] == [
        "text of the third"
    ]
