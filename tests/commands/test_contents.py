"""Which texts stand in a file, packed ones too."""

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from commands.bench import bench
from deskhand.core.json import JsonValue
from deskhand.core.ports import CheckResult, Satisfaction
from deskhand.core.type_checks import items_of
from documents import Table, Text, write_docx, write_odt

pytestmark = pytest.mark.requires("verify.packed")


async def looked(file: Path, contains: str) -> tuple[Satisfaction, str]:
    expect: JsonValue = {"file": str(file), "contains": contains}
    (check,) = items_of((await bench().run("verify", expect=expect, wait_s=0)).result, CheckResult)
    return check.verdict, check.detail


def zipped(file: Path, **parts: bytes) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "."), content)
    return file


def packed(file: Path, **parts: str) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/") + ".xml", content)
    return file


@pytest.mark.parametrize("write", [write_odt, write_docx])
async def test_a_text_of_an_office_document_stands_in_it(tmp_path: Path, write: Callable[..., Path]) -> None:
    file = write(
        tmp_path / "report",
        Text("The sales of this & that year."),
        Table((("Region", "Q1"), ("North", "00123")), "Sales"),
    )
    for there in ("The sales of this & that year.", "sales", "00123", "Region\nQ1"):
        assert (await looked(file, there))[0] is Satisfaction.SATISFIED, there
    for missing in ("The costs", "RegionQ1", "text:p", "w:document", "LibreOffice"):
        verdict, detail = await looked(file, missing)
        assert verdict is Satisfaction.UNSATISFIED, detail
        assert f'"{missing}" is not in the text of its' in detail


async def test_a_text_that_is_split_over_elements_is_one_and_those_of_two_cells_are_two(tmp_path: Path) -> None:
    runs = "<w:p><w:r><w:t>one wo</w:t></w:r><w:proofErr/><w:r><w:rPr><w:b/></w:rPr><w:t>rd</w:t></w:r></w:p>"
    shared = "<sst><si><t>first</t></si><si><r><t>sec</t></r><r><t>ond &#228;</t></r></si></sst>"
    odt = "<text:p>a<text:s text:c='2'/>b<text:tab/>c<text:span>d</text:span><text:line-break/>e<!-- x --></text:p>"
    file = packed(tmp_path / "a.docx", word__document=runs, xl__sharedStrings=shared, content=odt)
    for there in ("one word", "second ä", "a b cd", "a  b", "cd\ne"):
        assert (await looked(file, there))[0] is Satisfaction.SATISFIED, there
    for missing in ("firstsec", "wordfirst", "x", "cde"):
        assert (await looked(file, missing))[0] is Satisfaction.UNSATISFIED, missing


async def test_what_only_describes_a_document_does_not_stand_in_it(tmp_path: Path) -> None:
    file = packed(tmp_path / "a.odt", content="<p>words</p>", settings="<i>true</i>", meta="<g>Writer</g>")
    assert [(await looked(file, text))[0].value for text in ("words", "true", "Writer")] == [
        *("satisfied", "unsatisfied", "unsatisfied")
    ]


async def test_what_was_deleted_while_changes_were_recorded_and_macros_do_not_stand_in_a_document(
    tmp_path: Path,
) -> None:
    changes = (
        "<text:tracked-changes><text:changed-region><text:p>old</text:p></text:changed-region></text:tracked-changes>"
    )
    odt = f"<office:text>{changes}<text:p>new</text:p><text:tracked-changes/><text:p>end</text:p></office:text>"
    deleted = "<w:del><w:r><w:delText xml:space='preserve'>cut </w:delText></w:r></w:del><w:r><w:t>kept</w:t></w:r>"
    moved = (
        "<w:p><w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>here</w:t></w:r></w:moveTo></w:p>"
    )
    file = packed(
        tmp_path / "a.odt",
        content=odt,
        word__document=f"<w:p>{deleted}</w:p>{moved}",
        Basic__Standard__Module1="<script:module>MsgBox</script:module>",
        Scripts__python__macro="def run",
    )
    for there in ("new", "end", "kept", "here"):
        assert (await looked(file, there))[0] is Satisfaction.SATISFIED, there
    for missing in ("old", "cut", "away", "MsgBox", "def run"):
        assert (await looked(file, missing))[0] is Satisfaction.UNSATISFIED, missing


async def test_what_is_packed_otherwise_encrypted_damaged_or_too_large_is_unknown_and_says_what_to_do(
    tmp_path: Path,
) -> None:
    manifest = "<manifest:encryption-data/>"
    encrypted = packed(tmp_path / "locked.odt", content="x", **{"META-INF__manifest": manifest})
    damaged = tmp_path / "damaged.odt"
    damaged.write_bytes(packed(tmp_path / "whole.odt", content="<p>words</p>").read_bytes()[:40])
    pdf, gz = tmp_path / "a.pdf", tmp_path / "a.txt.gz"
    pdf.write_bytes(b"%PDF-1.7 ...")
    gz.write_bytes(gzip.compress(b"words"))
    large = packed(tmp_path / "large.ods", content=f"<p>{'x' * 17_000_000}</p><p>words</p>")
    many = packed(tmp_path / "many.zip", **{f"part{number}": "" for number in range(1001)})
    for file, why in (
        (encrypted, "it is encrypted"),
        (damaged, "it cannot be unpacked"),
        (pdf, "a PDF packs its text"),
        (gz, "it is packed by gzip"),
        (large, "unpacked it is too large to search"),
        (many, "unpacked it is too large to search"),
    ):
        verdict, detail = await looked(file, "words")
        assert (verdict, detail.startswith(f"{file.name} was not searched: {why}")) == (
            Satisfaction.UNKNOWN,
            True,
        ), detail
        assert detail.endswith("open it in its application and check the window")


async def test_a_text_in_utf_16_stands_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two", encoding="utf-16")
    assert (await looked(tmp_path / "a.txt", "two"))[0] is Satisfaction.SATISFIED
    assert (await looked(tmp_path / "a.txt", "three"))[0] is Satisfaction.UNSATISFIED


async def test_an_archive_is_unsatisfied_only_where_all_of_it_was_looked_through(tmp_path: Path) -> None:
    pictures = {f"{number}__png": b"" for number in range(1000)}
    many = zipped(tmp_path / "many.zip", **pictures, notes__txt=b"words")
    wide = zipped(tmp_path / "wide.zip", notes__txt="words ä".encode("utf-16"), more__txt="more ö".encode("utf-32"))
    for file, there in ((many, "words"), (wide, "words ä"), (wide, "more ö")):
        assert (await looked(file, there))[0] is Satisfaction.SATISFIED, file
        assert (await looked(file, "other"))[0] is Satisfaction.UNSATISFIED, file
    odt = packed(tmp_path / "inner.odt", content="<p>words</p>").read_bytes()
    for part, content, why in (
        ("a.odt", odt, "it is packed itself"),
        ("a.pdf", b"%PDF-1.7 ...", "a PDF packs its text"),
        ("a.txt", "wörds".encode("latin-1"), "its text is not in UTF-8"),
        ("a.bin", b"\0\1\2", "it is no plain text"),
    ):
        file = zipped(tmp_path / "a.zip", **{part: content, "b__txt": b"plain"})
        verdict, detail = await looked(file, "wörds")
        assert (verdict, f"its part {part} cannot be searched: {why}:" in detail) == (Satisfaction.UNKNOWN, True), (
            detail
        )
        assert (await looked(file, "plain"))[0] is Satisfaction.SATISFIED


async def test_a_text_in_another_encoding_is_unknown_and_lines_may_end_in_any_way(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    for content, text, verdict in (
        ("Müller".encode("latin-1"), "Müller", Satisfaction.UNKNOWN),
        ("Müller".encode("latin-1"), "Ada", Satisfaction.UNSATISFIED),
        ("Müller".encode(), "Maß", Satisfaction.UNSATISFIED),
        (b"a\0b", "ab", Satisfaction.UNKNOWN),
        (b"a\r\nb", "a\nb", Satisfaction.SATISFIED),
        (b"a\nb", "a\r\nb", Satisfaction.SATISFIED),
        (b"a\rb", "a\nb", Satisfaction.SATISFIED),
    ):
        file.write_bytes(content)
        assert (await looked(file, text))[0] is verdict, (content, text)
