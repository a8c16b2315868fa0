"""An application does to a document, and answers, what is drawn at random: the document alone confirms."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commands.test_save_document import Office as SavingOffice
from commands.test_save_document import write_bytes
from commands.test_sheet_ranges import Office as SheetOffice
from commands.test_sheet_ranges import Rows
from commands.test_text_changes import Office as TextOffice
from commands.test_text_changes import table
from deskhand.commands.effects.text_copy import replaced
from deskhand.core.command import Effect

pytestmark = pytest.mark.requires("effect.no-lie")

LINES = st.lists(st.text("ab ", min_size=1, max_size=4), min_size=1, max_size=3)
TEXTS = st.text("ab", min_size=1, max_size=2)
ROWS = st.sampled_from([["", ""], ["a", "1"], ["a", "2"], ["10", "a"], ["2", "b"]])
SHEET = st.lists(ROWS, min_size=3, max_size=3)
HEAD = ["Name", "N"]


def numbered(rows: Sequence[Sequence[str]]) -> list[tuple[bool, float, str]]:
    """The first column as it is sorted: numbers, texts, empty cells."""
    cells = (row[0] for row in rows)
    return [(not cell, float(cell) if cell.isdecimal() else 100.0, cell) for cell in cells]


@given(LINES, TEXTS, st.text("abc", max_size=2), st.one_of(st.none(), LINES), st.integers(0, 4))
async def test_a_replacement_is_confirmed_only_if_it_is_what_the_document_reads(
    lines: list[str], old: str, new: str, comes: list[str] | None, count: int
) -> None:
    wanted = [replaced(line, [(old, new)]) for line in lines]
    left = wanted if comes is None else comes
    office = TextOffice(lines, counts=[count], replaces=lambda _: left)
    done = await office.replace(old, new)
    right = sum(line.count(old) for line in lines)
    is_done = Counter(left) == Counter(wanted) and count == right > 0
    assert (done.effect is Effect.CONFIRMED) is is_done, done


@given(
    LINES, st.one_of(st.none(), LINES), st.sampled_from(["a", "b"]), st.sampled_from(["Table1", "Other"]), st.booleans()
)
async def test_a_table_is_confirmed_only_with_its_cells_and_every_other_text_as_before(
    lines: list[str], comes: list[str] | None, cell: str, name: str, after: bool
) -> None:
    office = TextOffice(lines, inserts=table("a", cell, name=name), writes=comes)
    done = await office.run("insert_table", rows=[["a"], ["b"]], after=lines[-1].strip() if after else "")
    left = lines if comes is None else comes
    kept = Counter(filter(None, left)) == Counter(filter(None, lines)) or (not after and was_split(lines, left))
    is_done = cell == "b" and name == "Table1" and kept and (not after or lines[-1].strip() in left[-1])
    assert (done.effect is Effect.CONFIRMED) is is_done, done


def was_split(lines: list[str], left: list[str]) -> bool:
    """True if one paragraph was parted by the table."""
    lost, new = Counter(lines) - Counter(left), Counter(filter(None, left)) - Counter(lines)
    parts = [*new.elements()]
    return lost.total() == 1 and len(parts) <= 2 and {*lost} <= {"".join(parts), "".join(reversed(parts))}


@given(SHEET, st.one_of(st.none(), st.permutations(range(3)), SHEET), st.booleans(), st.booleans(), st.booleans())
@example([["2", "b"], ["a", "2"], ["a", "1"]], [0, 2, 1], True, True, True)
async def test_rows_are_confirmed_only_in_the_order_that_document_and_window_have(
    rows: Rows, comes: Sequence[int] | Rows | None, shows: bool, also_copied: bool, swaps: bool
) -> None:
    order = sorted(range(3), key=lambda place: numbered(rows)[place])
    places = order if comes is None else [place for place in comes if isinstance(place, int)]
    left = [rows[place] for place in places] or [row for row in comes or () if isinstance(row, list)]
    office = SheetOffice([HEAD, *rows], lambda _: [HEAD, *left])
    office.shows, office.copies = shows, also_copied
    office.swaps = swaps
    done = await office.run("sort_range", by=[{"column": "A"}], header=True)
    shown, copied = (left if shows else rows), (left if also_copied else rows)
    shown = [shown[1], shown[0], shown[2]] if shows and swaps else shown
    fine = [numbered(each) == sorted(numbered(rows)) and sorted(each) == sorted(rows) for each in (shown, copied)]
    assert done.effect is not Effect.CONFIRMED or (all(fine) and shown == copied), done
    assert done.effect is Effect.CONFIRMED or not (all(fine) and shown == copied), done


@given(SHEET, st.one_of(st.none(), SHEET), st.booleans(), st.booleans())
@example([["", ""], ["a", "1"], ["a", "1"]], None, True, False)
async def test_duplicates_are_confirmed_as_removed_only_if_document_and_window_lack_them(
    rows: Rows, comes: Rows | None, shows: bool, also_copied: bool
) -> None:
    kept = [row for place, row in enumerate(rows) if row == ["", ""] or row not in rows[:place]]
    wanted = [*kept, *[["", ""]] * (3 - len(kept))]
    left = wanted if comes is None else comes
    office = SheetOffice([HEAD, *rows], lambda _: [HEAD, *left])
    office.shows, office.copies = shows, also_copied
    done = await office.run("remove_duplicates", header=True)
    is_done = kept == rows or all(each == wanted for each in (left if shows else rows, left if also_copied else rows))
    assert (done.effect is Effect.CONFIRMED) is is_done, done


@given(SHEET, st.one_of(st.none(), SHEET), st.sampled_from(["", "bold"]))
async def test_a_format_is_confirmed_only_on_cells_with_their_values(
    rows: Rows, comes: Rows | None, styled: str
) -> None:
    left = rows if comes is None else comes
    done = await SheetOffice([HEAD, *rows], lambda _: [HEAD, *left], styled).run("format_range", bold=True)
    assert (done.effect is Effect.CONFIRMED) is (left == rows and styled == "bold"), done


PDF = b"%PDF-1.7\nx\n%%EOF\n"


@settings(max_examples=30)
@given(st.sampled_from([b"", b"%PDF-1.7\nx", b"x", PDF, None]), st.booleans(), st.booleans())
async def test_a_pdf_is_confirmed_only_if_it_was_written_whole(
    content: bytes | None, was_there: bool, open_: bool
) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "report.pdf")
        if was_there:
            write_bytes(file, b"old")
        office = SavingOffice(Path(folder, "letter.odt"))
        office.exports = content
        if open_:
            office.desktop.files_being_written.add(file)
        done = await office.export(file, overwrite=True)
    assert (done.effect is Effect.CONFIRMED) is (content == PDF and not open_), done
