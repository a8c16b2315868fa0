"""Documents read and cut: at headings, of bounded size, nothing of the text lost."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.knowledge.documents import MAX_BYTES, read_document
from deskhand.knowledge.passages import Document, Piece, Section, cut, pieces
from support import need

MARKDOWN = """\
Before any heading.

# Charts

Setext
------
A chart shows numbers.

```
# no heading: this is code
```

## Bars ##
Press *Insert*.
### Thick
Very.
## Lines
Thin.
"""
PAGE = """\
<html><head><title>The  manual</title><style>p {}</style></head><body><nav>Home | Away</nav>
<h1>Charts &amp; tables</h1><p>A <b>chart</b>
shows numbers.</p><script>alert("no")</script>
<h2>Bars</h2><ul><li>Press Insert</li><li>Choose Bar</li></ul>
<table><tr><th>Key</th><th>Does</th></tr><tr><td>F9</td><td>Recalculates</td></tr></table></body></html>
"""


def read(name: str, text: str) -> tuple[Piece, ...]:
    return cut(read_document(Path(name), text.encode()))


@pytest.mark.requires("knowledge.documents")
def test_markdown_is_cut_at_its_headings_and_code_is_no_heading() -> None:
    assert read("guide.md", MARKDOWN) == (
        Piece("guide", "Before any heading."),
        Piece("guide › Charts › Setext", "A chart shows numbers.\n\n```\n# no heading: this is code\n```"),
        Piece("guide › Charts › Bars", "Press *Insert*."),
        Piece("guide › Charts › Bars › Thick", "Very."),
        Piece("guide › Charts › Lines", "Thin."),
    )


@pytest.mark.requires("knowledge.documents")
def test_a_page_is_its_text_under_its_headings() -> None:
    assert read("page.html", PAGE) == (
        Piece("The manual › Charts & tables", "A chart shows numbers."),
        Piece("The manual › Charts & tables › Bars", "- Press Insert\n- Choose Bar\n\nKey | Does\nF9 | Recalculates"),
    )


def test_a_broken_page_is_still_text() -> None:
    assert read("page.htm", "<p>one<div>two</script></nav><h1>Open<p>three<td>&bogus;") == (
        Piece("page", "one\ntwo\nOpen\n\nthree | &bogus;"),
    )


@given(st.text(max_size=4000), st.integers(min_value=1, max_value=300))
def test_pieces_are_bounded_and_hold_everything_but_white_space(text: str, at_most: int) -> None:
    parts = list(pieces(text, at_most))
    assert all(0 < len(part) <= at_most for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_long_section_is_cut_where_paragraphs_end() -> None:
    first, second = "word " * 150, "more " * 150
    document = Document("d", (Section((), f"{first}\n\n{second}"),))
    assert [piece.text for piece in cut(document)] == [first.strip(), second.strip()]


def test_what_is_no_text_or_too_large_is_refused() -> None:
    with pytest.raises(UsageError, match="is not text"):
        read_document(Path("a.txt"), b"PK\0\0")
    with pytest.raises(UsageError, match="bytes"):
        read_document(Path("a.txt"), b"x" * (MAX_BYTES + 1))


def test_older_text_files_are_read_too() -> None:
    assert cut(read_document(Path("a.txt"), "Größe".encode("cp1252"))) == (Piece("a", "Größe"),)


def _pdf(text: str) -> bytes:
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources 6 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Font << /F1 5 0 R >> >>",
    ]
    body = b"%PDF-1.4\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, o) for n, o in enumerate(objects, 1))
    return body + b"trailer << /Size 7 /Root 1 0 R >>\n%%EOF\n"


@pytest.mark.requires("knowledge.pdf")
def test_a_pdf_is_its_pages(tmp_path: Path) -> None:
    need(Path("/usr/bin/pdftotext"))
    path = tmp_path / "manual.pdf"
    path.write_bytes(_pdf("Press F9 to recalculate"))
    (piece,) = cut(read_document(path, path.read_bytes()))
    assert (piece.title, piece.text) == ("manual › page 1", "Press F9 to recalculate")
    path.write_bytes(b"no pdf at all")
    with pytest.raises(UsageError, match="pdftotext cannot read it"):
        read_document(path, path.read_bytes())


@pytest.mark.requires("knowledge.pdf")
def test_without_a_pdf_reader_the_fix_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingRequirement) as caught:
        read_document(tmp_path / "a.pdf", b"%PDF")
    assert caught.value.fix == "apt-get install poppler-utils"


def test_a_pdf_reader_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pdftotext").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "pdftotext").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("deskhand.knowledge.documents._PDF_DEADLINE_S", 0.2)
    with pytest.raises(UsageError, match="did not finish"):
        read_document(tmp_path / "a.pdf", b"%PDF")
    assert subprocess.run(["pgrep", "-f", f"{tmp_path}/a.pdf"], check=False, capture_output=True).stdout == b""
