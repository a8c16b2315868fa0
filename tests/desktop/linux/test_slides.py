"""Slides of Impress in the list of controls, and the way to another one."""

import re
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import Trait
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.toolkits.libreoffice.pages import ask_page, name_slides
from deskhand.perception.compact import compact
from desktop.linux.deceiving import Tools
from desktop.linux.test_controls import DOCUMENT_PRESENTATION, FRAME, LABEL, PANEL, PARAGRAPH, at, seen, tree
from desktop.linux.test_office_drawings import IMPRESS
from desktop.linux.test_office_tools import PATIENCE_S, Document, document
from drawings import Shape, Title, write_drawing

TITLES = ("Welcome", "Budget", "", "Risks", *(f"Title {number}" for number in range(5, 13)))


STATUS_BAR = 54


def page_of(attributes: dict[str, str], style: str, text: str, status: str, paper: str = "P") -> str:
    """The page of a presentation whose first shape has a style and a text."""
    nodes = tree(
        ("w", "", FRAME, "Window"),
        ("d", "w", DOCUMENT_PRESENTATION, "Talk"),
        ("s", "d", PANEL, f"PageShape: {paper}"),
        ("t", "d", PANEL, "PlaceHolder 1"),
        ("p", "t", PARAGRAPH, ""),
        ("b", "w", STATUS_BAR, ""),
        ("l", "b", LABEL, ""),
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


@pytest.mark.requires("observe.office")
def test_a_title_that_is_still_that_of_the_slide_before_is_not_listed() -> None:
    attributes = {"page-number": "3", "total-pages": "5", "page-name": "Slide 3"}
    page = "slide 3 of 5"
    assert page_of(attributes, "Title", "The budget", "Slide 2 of 5", paper="Slide 2") == page
    assert page_of(attributes, "Title", "The staff", "Slide 3 of 5", paper="Slide 3") == f'{page}: "The staff"'


async def listed(slides: Document) -> str:
    """The line of the document, without its id."""
    text = compact((await slides.see(slides.window)).controls).text
    return next(line for line in text.splitlines() if line.startswith("document") and "Presentation" in line)


async def until_listed(slides: Document, line: str) -> None:
    """Wait for the line: the shapes of a slide are exposed later than its number."""

    async def is_listed() -> bool | None:
        return True if await listed(slides) == line else None

    assert await slides.desktop.wait_until(is_listed, deadline_s=PATIENCE_S), (line, await listed(slides))


async def until_counted(slides: Document, label: str) -> None:
    """Wait for the number in the status bar, which is late."""

    async def counted() -> bool | None:
        seen = await slides.see(slides.window)
        return True if label in {each.value for each in seen.controls if each.type is Role.LABEL} else None

    assert await slides.desktop.wait_until(counted, deadline_s=PATIENCE_S), label


@pytest.mark.full("a minute; how a slide is listed is tried on recorded replies")
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("observe.office", "command.effect")
async def test_the_slide_in_view_is_listed_with_number_and_title_and_others_are_scrolled_to(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    pages = [[Title(title), Shape("Box", (4, 4, 12, 4), f"text {n}")] for n, title in enumerate(TITLES, 1)]
    line = 'document "talk - LibreOffice Presentation" ({}):'
    async with document(office, IMPRESS, write_drawing(tmp_path / "talk.odp", *pages)) as slides:
        await until_listed(slides, line.format('slide 1 of 12: "Welcome", focused'))
        side_bars = [each.name for each in (await slides.see(slides.window)).controls if Trait.SIDE_BAR in each.traits]
        assert side_bars == ["Properties"]
        for number, slide in ((2, 'slide 2 of 12: "Budget"'), (12, 'slide 12 of 12: "Title 12"'), (3, "slide 3 of 12")):
            went = await slides.run("select_item", slides.window, Role.DOCUMENT, "Slides View", item=f"P{number}")
            assert (went.effect, went.evidence) == (Effect.CONFIRMED, f'listitem "P{number}" is selected')
            await until_listed(slides, line.format(slide))
            await until_counted(slides, f"Slide {number} of 12")
        titled = await slides.run("select_item", slides.window, Role.DOCUMENT, "Slides View", item="risks")
        assert (titled.effect, titled.evidence) == (
            Effect.CONFIRMED,
            'slide 4 of 12: "Risks" is in view, the first of that title',
        )
        await until_counted(slides, "Slide 4 of 12")
        none = await slides.run("select_item", slides.window, Role.DOCUMENT, "Slides View", item="Loss")
        assert (none.effect, none.error and none.error.fix) == (
            Effect.UNVERIFIABLE,
            "no page has that name or title: choose another",
        )
        await until_listed(slides, line.format('slide 4 of 12: "Risks"'))
        seen = await slides.see(slides.window)
        box = next(each for each in seen.controls if each.value == "text 4")
        changed = await Tools(slides.desktop).run(slides.window, "set_edit_text", box, text="text of the fourth")
        assert changed.effect is Effect.CONFIRMED, changed
        saved = await slides.saved()
    fourth = saved[saved.index('draw:name="P4"') : saved.index('draw:name="P5"')]
    assert [re.sub("<[^>]*>", "", text) for text in re.findall(r"<text:p[ >].*?</text:p>", fourth)] == [
        "Risks",
        "text of the fourth",
    ]
