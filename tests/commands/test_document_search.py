"""Search for a text in a document that shows only a part of itself: the exact answer, and the view after it."""

import pytest

from commands.bench import Bench
from deskhand.core.command import Result
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.pipeline.actions import found_lines
from paged import Paged, letter


async def find(paged: Paged, text: str, **given: str | int) -> Result:
    return await Bench(paged.desktop, paged.window).run("find_controls", None, text=text, **given)


def rows(result: Result) -> list[str]:
    return found_lines(result.result).split("\n")


@pytest.mark.requires("find.whole-document")
async def test_a_text_is_found_on_all_pages_and_the_view_comes_back() -> None:
    paged = Paged(letter(), top=30)
    before = paged.in_view
    found = await find(paged, "heron")
    assert found.evidence == "3 hits in the 200 paragraphs of the document; show=1 scrolls to hit 1"
    assert rows(found) == [
        '(no id) paragraph = "a heron waits" (hit 1, paragraph 3, out of view)',
        '(no id) paragraph = "heron and kestrel" (hit 2, paragraph 161, out of view)',
        '(no id) paragraph = "heron and kestrel" (hit 3, paragraph 165, out of view)',
    ]
    assert paged.in_view == before


@pytest.mark.requires("find.whole-document")
@pytest.mark.parametrize("top", [0, 90, 180])
async def test_a_hit_is_scrolled_to_by_its_number(top: int) -> None:
    paged = Paged(letter(), top=top)
    found = await find(paged, "kestrel", show=2)
    assert found.evidence == "hit 2 is in view"
    assert paged.in_view.count("heron and kestrel") == 2
    assert rows(found) == [
        '(no id) paragraph = "a kestrel" (hit 1, paragraph 121, out of view)',
        '(no id until the next observation) paragraph = "heron and kestrel" (hit 2, paragraph 161)',
        '(no id until the next observation) paragraph = "heron and kestrel" (hit 3, paragraph 165)',
    ]


@pytest.mark.requires("find.whole-document")
@pytest.mark.parametrize(
    ("given", "evidence"),
    [
        ({"text": "osprey"}, "no hits in the 200 paragraphs of the document"),
        ({"text": "a heron waits"}, "1 hit in the 200 paragraphs of the document"),
        (
            {"text": "/^heron/", "role": "paragraph"},
            "2 hits in the 200 paragraphs of the document; show=1 scrolls to hit 1",
        ),
        ({"text": "heron", "show": 4}, "there is no hit 4: 3 hits in the 200 paragraphs of the document"),
        ({"text": "Bold"}, "other pages were not searched: role=paragraph does"),
        ({"text": "Bold", "role": "button"}, ""),
    ],
)
async def test_the_answer_has_the_extent_of_the_search(given: dict[str, str | int], evidence: str) -> None:
    paged = Paged(letter())
    assert (await Bench(paged.desktop, paged.window).run("find_controls", None, **given)).evidence == evidence


@pytest.mark.requires("find.whole-document")
@pytest.mark.parametrize(
    ("top", "extent", "count"),
    [(0, "1 hit; only the first 20 paragraphs were searched", 1), (2, "only the part in view was searched", 1)],
)
async def test_a_document_under_another_window_is_searched_in_view(top: int, extent: str, count: int) -> None:
    paged = Paged(letter(), top=top)
    paged.desktop.open(FakeWindow("Over", [FakeControl(Role.LABEL, "Over it")], "over", rect=Rect(0, 0, 700, 700)))
    found = await find(paged, "heron")
    assert found.evidence == f"{extent}: another window covers the document"
    assert len(rows(found)) == count
    assert 'paragraph = "a heron waits"' in rows(found)[0]


@pytest.mark.requires("find.whole-document")
async def test_of_a_document_without_pages_only_the_part_in_view_is_searched() -> None:
    paged = Paged(letter())
    paged.document.traits = frozenset()
    found = await find(paged, "heron")
    assert found.evidence == "only the part in view was searched"
    assert len(rows(found)) == 1
    assert paged.top == 0


@pytest.mark.requires("find.whole-document")
async def test_a_short_document_is_searched_without_a_turn_of_the_view() -> None:
    paged = Paged(["one", "two heron", "three"])
    found = await find(paged, "heron")
    assert found.evidence == "1 hit in the 3 paragraphs of the document"
    assert "hit 1, paragraph 2)" in rows(found)[0]


@pytest.mark.requires("find.whole-document")
async def test_a_long_paragraph_is_quoted_around_the_hit() -> None:
    paged = Paged(["word " * 100 + "heron" + " word" * 100, *["line"] * 40])
    (row,) = rows(await find(paged, "heron"))
    assert "heron" in row
    assert "…" in row
    assert len(row) < 260


@pytest.mark.requires("find.whole-document")
@pytest.mark.parametrize(
    ("hits", "place"),
    [
        ([7], "line 7 of 400"),
        ([7, 300], "lines 7, 300 of 400"),
        (list(range(1, 13)), f"lines {', '.join(map(str, range(1, 11)))} and 2 more of 400"),
    ],
)
async def test_a_long_field_has_the_lines_of_its_hits(hits: list[int], place: str) -> None:
    text = "\n".join("a heron" if number in hits else f"{number} of a long text" for number in range(1, 401))
    desktop = FakeDesktop()
    notes = FakeControl(Role.TEXTBOX, "Notes", text, states={TEXT_CUT})
    it = Bench(desktop, desktop.open(FakeWindow("Notes", [notes], "notes")))
    found = await it.run("find_controls", text="heron")
    assert found_lines(found.result).endswith(f" ({place})")


@pytest.mark.requires("find.whole-document")
async def test_that_a_view_could_not_be_read_is_in_the_answer_once() -> None:
    paged = Paged(letter())
    paged.desktop.faults.truncate_after = 20
    found = await find(paged, "heron")
    assert found.evidence.count("not everything could be read: deadline") == 1
    assert "paragraphs of the document" in found.evidence


@pytest.mark.requires("find.whole-document")
async def test_a_text_beyond_the_observed_part_of_a_long_paragraph_is_found() -> None:
    lines = letter()
    lines[10], lines[150] = (f"{'many words ' * 400}and an {bird} at the end" for bird in ("osprey", "osprey"))
    found = await find(Paged(lines), "osprey")
    assert found.evidence == "2 hits in the 200 paragraphs of the document; show=2 scrolls to hit 2"
    assert [row.partition(" (hit")[0][-25:] for row in rows(found)] == [' and an osprey at the end"'[-25:]] * 2
    shown = await find(Paged(lines), "osprey", show=2)
    assert shown.evidence == "hit 2 is in view"


@pytest.mark.requires("find.whole-document")
async def test_a_search_of_a_dialog_in_front_names_it() -> None:
    paged = Paged(letter())
    paged.desktop.open(
        FakeWindow("Find", [FakeControl(Role.BUTTON, "Close")], "writer", dialog=True, owner=paged.window)
    )
    found = await find(paged, "heron")
    assert found.evidence == 'only dialog "Find", which is in front, was searched'
    assert rows(found) == ["nothing was found"]
