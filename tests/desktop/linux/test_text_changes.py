"""Replacing texts, tables in documents and PDFs in one step, judged by the saved file."""

import re
import zipfile
from pathlib import Path

import pytest

from deskhand.commands.techniques.office_windows import texts
from deskhand.commands.techniques.office_windows.dialogs import Dialog, Way
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from desktop.linux.fixture import UNO
from desktop.linux.office import opened
from desktop.linux.test_application_interface import TO_READ
from desktop.linux.test_office import CALC, WRITER
from desktop.linux.test_office_drawings import IMPRESS
from desktop.linux.test_saving import GEDIT
from desktop.linux.test_sheet_ranges import BOTH, Lines, run
from documents import Table, Text, write_odt, write_tracked_odt
from drawings import Shape, write_drawing
from spreadsheets import read_ods, write_ods
from support import need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("tool.text-changes")]

STYLED = (
    '<text:p>The <text:span text:style-name="Bold">colour</text:span> of the sky<office:annotation>'
    "<text:p>colour in a comment</text:p></office:annotation></text:p>"
)

PARTS = (
    "<text:p>la<office:annotation><text:p>why?</text:p></office:annotation>ke</text:p>"
    '<text:p>sea <text:placeholder text:placeholder-type="text">&lt;sea&gt;</text:placeholder></text:p>'
    '<text:table-of-content text:name="Contents" text:protected="true"><text:table-of-content-source/>'
    "<text:index-body><text:p>sea 1</text:p></text:index-body></text:table-of-content>"
    '<text:section text:name="Guarded" text:protected="true"><text:p>one</text:p><text:p>two</text:p></text:section>'
)
BOLD = (
    '<style:style style:name="Bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    "</office:automatic-styles>"
)


@pytest.fixture(autouse=True)
def _needs_uno() -> None:
    need(UNO)


async def save(office: LinuxDesktop, window: TargetInfo) -> None:
    done = await run(office, window, "save_document")
    assert done.effect is Effect.CONFIRMED, done


async def undo(office: LinuxDesktop, window: TargetInfo) -> None:
    await office.activate(window)
    await office.press([Chord("z", ("ctrl",))])
    await office.settle(window)


def pairs(**texts: str) -> JsonValue:
    return [{"find": old, "replace": new} for old, new in texts.items()]


def part(file: Path) -> str:
    with zipfile.ZipFile(file) as archive:
        return archive.read("content.xml").decode()


def with_elements(file: Path, elements: str) -> Path:
    """Put elements in the place of the paragraph STYLED."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    content = parts["content.xml"].decode().replace("<text:p>STYLED</text:p>", elements)
    parts["content.xml"] = content.replace("</office:automatic-styles>", BOLD).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file


def with_comment(file: Path) -> Path:
    """A document with a word in bold, and the same word in a comment, a note and a table."""
    write_odt(file, Text("STYLED"), Text("colours and Colour", note="colour below"), Table([["colour", "x"]]))
    return with_elements(file, STYLED)


@pytest.mark.full("the windows' way is tried where something fails", but=["application API"])
@BOTH
async def test_texts_of_a_document_are_replaced_at_once_with_their_formats(
    office: LinuxDesktop, tmp_path: Path, route: Route
) -> None:
    file = with_comment(tmp_path / "sky.odt")
    async with opened(office, WRITER, file) as window:
        wanted = pairs(colour="sky", sky="colour", colours="hues")
        done = await run(office, window, "replace_text", route, pairs=wanted)
        assert (done.effect, done.route) == (Effect.CONFIRMED, route), done
        assert done.result == {"counts": [3, 1, 1]}
        assert "1 in comments" in done.evidence
        await save(office, window)
        content = part(file)
        assert re.search(r"The <text:span [^>]*>sky</text:span> of the colour", content), "in bold as before"
        assert "hues and Colour" in content
        assert "colour in a comment" in content
        assert "sky below" in content
        for _ in range(1 if route is Route.APPLICATION_API else 6):
            await undo(office, window)
        await save(office, window)
        assert re.search(r">colour</text:span> of the sky", part(file)), "one step back, or one for each text"
        none = await run(office, window, "replace_text", pairs=pairs(nowhere="x"))
        assert none.effect is Effect.SUSPECTED_NOOP


@pytest.mark.full("such documents are rare")
async def test_a_comment_in_a_word_is_not_lost_and_a_protected_index_and_fields_stay(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = with_elements(write_odt(tmp_path / "parts.odt", Text("STYLED"), Text("sea, s\u00adea")), PARTS)
    async with opened(office, WRITER, file) as window:
        for lost, new in (("lake", "pond"), ("sea", "sky")):
            done = await run(office, window, "replace_text", pairs=pairs(**{lost: new}))
            if lost == "lake":
                assert done.effect is Effect.PARTIAL, done
                assert '"why?" in comments would be lost or changed; it was undone' in done.evidence
        assert (done.effect, done.result) == (Effect.CONFIRMED, {"counts": [3]}), done
        assert "not replaced: 1 in indexes" in done.evidence
        refused = await run(office, window, "insert_table", rows=[["a"]], after="one")
        assert (refused.effect, "is protected" in refused.evidence) == (Effect.REFUSED, True), refused
        await save(office, window)
        content = part(file)
        assert "why?" in content
        assert re.search(r"sky <text:placeholder[^>]*>&lt;sea&gt;", content)
        assert "sky, sky" in content
        assert "sea 1" in content


@pytest.mark.full("such documents are rare; refusals are tried in memory")
@BOTH
async def test_recorded_changes_and_documents_to_be_read_are_refused(
    office: LinuxDesktop, tmp_path: Path, route: Route
) -> None:
    file = write_tracked_odt(tmp_path / "tracked.odt", [[("", "old "), ("insertion", "new")]], [[[("", "cell")]]])
    async with opened(office, WRITER, file) as window:
        rows: JsonValue = [["a"]]
        for refused in (
            await run(office, window, "replace_text", route, pairs=pairs(old="x")),
            await run(office, window, "insert_table", route, rows=rows),
        ):
            assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
            assert "changes are recorded" in refused.evidence
    file = write_odt(tmp_path / "read.odt", Text("old"))
    async with opened(office, TO_READ, file) as window:
        refused = await run(office, window, "replace_text", route, pairs=pairs(old="x"))
        assert (refused.effect, "for reading only" in refused.evidence) == (Effect.REFUSED, True), refused


@pytest.mark.full("the windows' way is tried where something fails", but=["application API"])
@BOTH
async def test_a_table_is_inserted_after_a_text_and_at_the_caret(
    office: LinuxDesktop, tmp_path: Path, route: Route
) -> None:
    file = write_odt(tmp_path / "report.odt", Text("Title"), Text("Figures:"), Text("End"))
    async with opened(office, WRITER, file) as window:
        rows: JsonValue = [["Town", "Units"], ["Bonn", "=1+1"], ["Rome"]]
        done = await run(office, window, "insert_table", route, rows=rows, after="Figures")
        assert (done.effect, done.route) == (Effect.CONFIRMED, route), done
        await save(office, window)
        found = re.findall(r"<text:p[^>]*>([^<]*)", part(file))
        assert found == ["Title", "Figures:", "Town", "Units", "Bonn", "=1+1", "Rome", "", "End"], "and no line more"
        assert ("6 steps for Undo" in done.evidence) is (route is Route.SYNTHETIC_INPUT)
        for _ in range(1 if route is Route.APPLICATION_API else 6):
            await undo(office, window)
        await save(office, window)
        assert "Bonn" not in part(file), "one step back, or one more for each text"
        done = await run(office, window, "insert_table", route, rows=[["last"]], after="End")
        assert done.effect is Effect.CONFIRMED, done
        await save(office, window)
        assert part(file).index("End") < part(file).index("last")
        if route is Route.SYNTHETIC_INPUT:
            refused = await run(office, window, "insert_table", route, rows=[["x"]], after="last")
            assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
            return
        for text in ("nowhere", "e"):
            refused = await run(office, window, "insert_table", rows=rows, after=text)
            assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
            assert "the text" in refused.evidence
        await office.activate(window)
        await office.press([Chord("home", ("ctrl",))])
        assert (await run(office, window, "insert_table", rows=[["here"]])).effect is Effect.CONFIRMED
        await save(office, window)
        assert part(file).index("here") < part(file).index("Title"), "where the caret was"


async def test_cells_and_slides_are_replaced_and_numbers_and_formulas_stay(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_ods(tmp_path / "list.ods", Lines())
    async with opened(office, CALC, file) as window:
        rows: JsonValue = [['="ad"&"am"']]
        assert (await run(office, window, "write_table", start="E1", rows=rows, formulas=True)).ok
        done = await run(office, window, "replace_text", pairs=pairs(adam="Eve", **{"9": "8"}))
        assert (done.effect, done.result) == (Effect.CONFIRMED, {"counts": [2, 0]}), done
        assert "not replaced: 1 in cells with formulas, 3 in cells with numbers" in done.evidence
        await save(office, window)
        cells = read_ods(file)
        assert [cells[f"A{row}"].value for row in (3, 5)] == ["Eve", "Eve"]
        assert (cells["B3"].value, cells["E1"].value) == ("9", "adam")
    shapes = Shape("Title", (2, 1, 20, 3), "Our plan"), Shape("Box", (4, 4, 9, 4), "plans of 10")
    slides = write_drawing(tmp_path / "talk.odp", *([shape] for shape in shapes))
    async with opened(office, IMPRESS, slides) as window:
        done = await run(office, window, "replace_text", pairs=pairs(plan="idea", **{"0": "8"}))
        assert (done.effect, done.result) == (Effect.CONFIRMED, {"counts": [2, 1]}), done
        await save(office, window)
        assert "Our idea" in part(slides)
        assert "ideas of 18" in part(slides)


@pytest.mark.full("what is taken back is tried in memory")
async def test_a_wrong_replacement_in_slides_is_taken_back(office: LinuxDesktop, tmp_path: Path) -> None:
    shapes = Shape("Title", (2, 1, 20, 3), "plan, plan and planet"), Shape("Box", (4, 4, 9, 4), "No idea\nplan")
    slides = write_drawing(tmp_path / "talk.odp", *([shape] for shape in shapes))
    async with opened(office, IMPRESS, slides) as window, office.application_interface(window) as interface:
        texts = list[list[str]]()
        for request in ("", "replace", "undo"):
            if request == "replace":
                assert (await interface.change(request, pairs=[["plan", "idea"], ["idea", ""]]))["counts"] == [4, 1]
            elif request:
                assert (await interface.change(request, title="Replace"))["undone"] is True
            copy = tmp_path / f"copy{len(texts)}.odp"
            await interface.change("copy", path=str(copy))
            texts.append(re.findall(r"(?<=>)[^<>]*(?=</text:)", part(copy)))
    assert "idea, idea and ideaet" in texts[1]
    assert "No idea" not in texts[1]
    assert texts[2] == texts[0]


@pytest.mark.full("the windows' way is tried in a text")
async def test_cells_are_replaced_by_the_windows_unless_numbers_would_change(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file, route = write_ods(tmp_path / "list.ods", Lines()), Route.SYNTHETIC_INPUT
    async with opened(office, CALC, file) as window:
        refused = await run(office, window, "replace_text", route, pairs=pairs(adam="Eve", **{"9": "8"}))
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
        assert "numbers or formulas" in refused.evidence
        done = await run(office, window, "replace_text", route, pairs=pairs(Bonn="Rome", Rome="Bonn"))
        assert (done.effect, done.result) == (Effect.CONFIRMED, {"counts": [2, 2]}), done
        await save(office, window)
        assert [read_ods(file)[f"C{row}"].value for row in range(2, 7)] == ["Rome", "Bonn", "Rome", "Bonn", "Oslo"]


@pytest.mark.requires("tool.by-windows")
async def test_what_fails_in_between_is_undone_and_no_dialog_stays(
    office: LinuxDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, route = write_odt(tmp_path / "sky.odt", Text("sea and sky")), Route.SYNTHETIC_INPUT
    async with opened(office, WRITER, file) as window:
        replace_all, calls = texts.replace_all, list[str]()

        async def fails_third(opened: Dialog, window: TargetInfo, old: str, new: str) -> bool:
            calls.append(old)
            if len(calls) == 3:
                raise ActionRefused("it is enough")
            return await replace_all(opened, window, old, new)

        with monkeypatch.context() as patch:
            patch.setattr(texts, "replace_all", fails_third)
            failed = await run(office, window, "replace_text", route, pairs=pairs(sea="sky", sky="sea"))
        assert (failed.effect, "2 steps were undone" in failed.evidence) == (Effect.UNVERIFIABLE, True), failed
        for wrong in ({"_REPLACE": Way("Ersetzen", menu=("Datei", "Ersetzen"))}, {"_CHECKED": {"Gross/klein"}}):
            with monkeypatch.context() as patch:
                for name, value in wrong.items():
                    patch.setattr(texts, name, value)
                failed = await run(office, window, "replace_text", route, pairs=pairs(sea="sky"))
            assert failed.error is not None
            assert (failed.error.type, failed.effect) == ("ElementNotFound", Effect.UNVERIFIABLE), failed
            assert "of another version or language" in failed.evidence
        assert all(each.type is not Role.DIALOG for each in await office.windows())
        await save(office, window)
        assert "sea and sky" in part(file)


async def test_an_editor_is_replaced_in_by_one_step(office: LinuxDesktop, tmp_path: Path) -> None:
    file = tmp_path / "sky.txt"
    file.write_text("The colour of the sky\nand the colour of the sea\n")
    window = await office.launch(GEDIT, file)
    done = await run(office, window, "replace_text", pairs=pairs(colour="color"))
    assert (done.effect, done.result) == (Effect.CONFIRMED, {"counts": [2]}), done
    await save(office, window)
    assert file.read_text() == "The color of the sky\nand the color of the sea\n"
    await undo(office, window)
    await save(office, window)
    assert file.read_text() == "The colour of the sky\nand the colour of the sea\n"
    await office.ask_to_close(window)


@pytest.mark.full("the windows' way is tried where something fails", but=["application API"])
@BOTH
async def test_a_pdf_is_written_and_the_document_stays_as_it_is(
    office: LinuxDesktop, tmp_path: Path, route: Route
) -> None:
    file = write_odt(tmp_path / "report.odt", Text("Title"))
    before, pdf = file.read_bytes(), tmp_path / "report.pdf"
    async with opened(office, WRITER, file) as window:
        done = await run(office, window, "export_pdf", route, path=str(pdf))
        assert (done.effect, done.result) == (Effect.CONFIRMED, {"path": str(pdf)}), done
        assert done.route is route
        assert pdf.read_bytes().startswith(b"%PDF-")
        assert (await run(office, window, "export_pdf", path=str(pdf))).effect is Effect.REFUSED
        assert (
            await run(office, window, "export_pdf", route, path=str(pdf), overwrite=True)
        ).effect is Effect.CONFIRMED
    assert file.read_bytes() == before
