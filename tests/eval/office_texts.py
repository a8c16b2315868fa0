"""Right and wrong outcomes of the tasks of office-20 in Writer and Impress, and across applications."""

import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from eval.office_edits import BLANK, Edit, Outcomes, below, edit, number, row, second_sheet, words

LEASE: Final = "lease.odt"
_OLD, _NEW = "Harbour Lane Studios", "Quayside Studios"
_LETTER: Final = edit(LEASE, _OLD, _NEW)
_HEADER: Final = edit(LEASE, _OLD, _NEW, "styles.xml")
RENAMED: Final = Outcomes(
    [_LETTER, _HEADER],
    {
        "the café has the new name too": [edit(LEASE, "Harbour Lane café", "Quayside café")],
        "bold words are not bold any more": [edit(LEASE, f'<text:span text:style-name="B">{_NEW}</text:span>', _NEW)],
        "one place is left": [edit(LEASE, f"premises of {_NEW}", f"premises of {_OLD}")],
        "the table has the old name": [edit(LEASE, f">{_NEW}</text:p></table", f">{_OLD}</text:p></table")],
        "the footnote has the old name": [edit(LEASE, f"house rules of {_NEW}", f"house rules of {_OLD}")],
        "another word is gone": [edit(LEASE, "glass and water", "glass")],
        "a paragraph is a heading": [edit(LEASE, '"Text_20_body">Bicycles', '"Heading_20_1">Bicycles')],
    },
    {"the header has the old name": [_LETTER], "the header alone": [_HEADER]},
)

GARDEN: Final = "garden.odt"
_LEVELS: Final = {"Purpose": 1, "Damage": 1, "Trees": 2, "Walls": 2, "Costs": 1, "Next steps": 1}


def _bold(text: str) -> str:
    return f'<text:p text:style-name="Text_20_body"><text:span text:style-name="B">{text}</text:span></text:p>'


def _heading(text: str, level: int) -> str:
    return f'<text:h text:style-name="Heading_20_{level}" text:outline-level="{level}">{text}</text:h>'


def _headings(*texts: str) -> list[Edit]:
    return [edit(GARDEN, _bold(text), _heading(text, _LEVELS[text])) for text in texts]


STYLES: Final = Outcomes(
    _headings(*_LEVELS),
    {
        "a part has the level of its chapter": [edit(GARDEN, _heading("Walls", 2), _heading("Walls", 1))],
        "another paragraph is a heading too": [
            edit(GARDEN, '"Text_20_body">Two inspections', '"Heading_20_2">Two inspections')
        ],
        "a sentence is gone": [edit(GARDEN, "Work takes five weeks.", "")],
        "a heading reads otherwise": [edit(GARDEN, ">Costs<", ">Cost<")],
        "a heading is not in the outline": [
            edit(GARDEN, _heading("Costs", 1), '<text:p text:style-name="Heading_20_1">Costs</text:p>')
        ],
        "the title is a heading": [edit(GARDEN, 'text:style-name="Title"', 'text:style-name="Heading_20_1"')],
    },
    {
        "the last one is left": _headings("Purpose", "Damage", "Trees", "Walls", "Costs"),
        "the chapters alone": _headings("Purpose", "Damage", "Costs", "Next steps"),
        "outline levels without the styles": [
            edit(
                GARDEN,
                _bold(text),
                f'<text:h text:style-name="Text_20_body" text:outline-level="{level}">{text}</text:h>',
            )
            for text, level in _LEVELS.items()
        ],
    },
)

MINUTES: Final = "minutes.odt"
_ROWS: Final = (
    ("Task", "Who", "Until"),
    ("Print the posters", "Piet", "2 May"),
    ("Book the boathouse", "Ulla", "9 May"),
    ("Copy the scores", "Cass", "16 May"),
)


def _table(rows: Sequence[Sequence[str]], below: str = "Tasks agreed:</text:p>") -> list[Edit]:
    body = "".join(
        row(*(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)) for texts in rows
    )
    return [edit(MINUTES, below, f'{below}<table:table table:name="Table1">{body}</table:table>')]


TABLE: Final = Outcomes(
    _table(_ROWS),
    {
        "a paragraph is gone": [edit(MINUTES, "Whoever cannot do a task in time tells Ulla a week before.", "")],
        "a word is not bold any more": [edit(MINUTES, '<text:span text:style-name="B">Tuesday</text:span>', "Tuesday")],
        "a second table": _table(_ROWS[:1], "in the practice room.</text:p>"),
    },
    {
        "a row is missing": _table(_ROWS[:3]),
        "no headings": _table(_ROWS[1:]),
        "a cell is empty": _table([*_ROWS[:3], ("Copy the scores", "Cass", "")]),
        "at the end": _table(_ROWS, "in the practice room.</text:p>"),
        "above its heading": _table(_ROWS, "in the old boathouse.</text:p>"),
        "lines in place of a table": [
            edit(
                MINUTES,
                "Tasks agreed:</text:p>",
                "Tasks agreed:</text:p>"
                + "".join(f'<text:p text:style-name="Text_20_body">{" ".join(texts)}</text:p>' for texts in _ROWS),
            )
        ],
    },
)

OFFER: Final = "quotation.odt"
_PAGE: Final = (
    "Quotation 2027-031",
    "For the renewal of six windows on the ground floor of the parish hall we offer:",
    "Item Pieces Price Window frame, larch 6 2,940.00 Sill, slate 6 510.00 Fitting 1 1,180.00",
    "The sum is 4,630.00 without tax. The offer stands until the end of May.",
    "Ferris & Daughters, joiners",
    "Ferris & Daughters · Mill Yard 3 · Lower Winsham",
)


def _pdf(*lines: str, end: bytes = b"%%EOF\n") -> Edit:
    """A PDF whose font numbers its glyphs by their first use, as those that office programs embed."""
    glyphs = {character: place for place, character in enumerate(dict.fromkeys("".join(lines)), 1)}
    shown = "\n".join(
        f"BT 50 {700 - 20 * place} Td /F1 12 Tf <{''.join(f'{glyphs[c]:02X}' for c in line)}> Tj ET"
        for place, line in enumerate(lines)
    )
    names = "\n".join(f"<{place:02X}> <{ord(character):04X}>" for character, place in glyphs.items())
    bodies = [
        b"<</Type/Page/Contents 2 0 R/Resources 3 0 R>>",
        _stream(shown),
        b"<</Font<</F1 4 0 R>>>>",
        b"<</Type/Font/ToUnicode 5 0 R>>",
        _stream(f"{len(glyphs)} beginbfchar\n{names}\nendbfchar"),
    ]
    objects = b"\n".join(b"%d 0 obj\n%s\nendobj" % (place, body) for place, body in enumerate(bodies, 1))

    def write(folder: Path) -> None:
        (folder / "quotation.pdf").write_bytes(b"%PDF-1.6\n" + objects + b"\n" + end)

    return write


def _stream(text: str) -> bytes:
    packed = zlib.compress(text.encode())
    return b"<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream" % (len(packed), packed)


def _renamed(folder: Path) -> None:
    (folder / "quotation.pdf").write_bytes((folder / OFFER).read_bytes())


PDF: Final = Outcomes(
    [_pdf(*_PAGE)],
    {"the document was changed": [edit(OFFER, "end of May", "end of June")]},
    {
        "the footer is missing": [_pdf(*_PAGE[:-1])],
        "the table is missing": [_pdf(*_PAGE[:2], *_PAGE[3:])],
        "an older state": [_pdf(*_PAGE[:3], _PAGE[3].replace("4,630", "4,360"), *_PAGE[4:])],
        "not written to its end": [_pdf(*_PAGE, end=b"")],
        "an empty page": [_pdf("")],
        "the document under that name": [_renamed],
    },
)

GUILD: Final = "invitation.docx"
_BODY: Final = "word/document.xml"
_DATE: Final = edit(GUILD, "14 May 2027", "21 May 2027", _BODY)
_SECOND: Final = edit(GUILD, "15 May 2027", "22 May 2027", _BODY)
_TOP: Final = edit(GUILD, "14 May 2027", "21 May 2027", "word/header1.xml")
DATE: Final = Outcomes(
    [_DATE, _SECOND, _TOP],
    {
        "the date of the reply too": [edit(GUILD, "14 April 2027", "21 April 2027", _BODY)],
        "the year of the first one too": [edit(GUILD, "14 May 2019", "21 May 2019", _BODY)],
        "bold words are not bold any more": [edit(GUILD, "<w:rPr><w:b/></w:rPr>", "", _BODY)],
        "a row of the table is gone": [edit(GUILD, '<w:t xml:space="preserve">Talks</w:t>', "", _BODY)],
    },
    {
        "the header is left": [_DATE, _SECOND],
        "the second day is left": [_DATE, _TOP],
        "in the text alone": [
            edit(
                GUILD,
                '<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">14 May',
                '<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">21 May',
                _BODY,
            ),
            _SECOND,
            _TOP,
        ],
        "both days in one": [_DATE, edit(GUILD, "15 May 2027", "21 May 2027", _BODY), _TOP],
    },
)

READING: Final = "project.odp"
_POINTS: Final = ("Find volunteers", "Order the lamps", "Open in September")
_BOX: Final = "<draw:frame><draw:text-box><text:p>Thank you</text:p></draw:text-box></draw:frame>"


def _hides(file: str) -> Edit:
    """A style h for slides that are not shown."""
    style = (
        '<style:style style:name="h" style:family="drawing-page">'
        '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    return edit(file, "<office:automatic-styles/>", f"<office:automatic-styles>{style}</office:automatic-styles>")


def _slide(
    title: str, *points: str, before: str = "</office:presentation>", more: str = "", kind: str = "outline"
) -> list[Edit]:
    items = "".join(f"<text:list-item><text:p>{point}</text:p></text:list-item>" for point in points)
    page = (
        '<draw:page draw:name="page4">'
        f'<draw:frame presentation:class="title"><draw:text-box><text:p>{title}</text:p></draw:text-box></draw:frame>'
        f'<draw:frame presentation:class="{kind}"><draw:text-box><text:list>{items}</text:list></draw:text-box>'
        "</draw:frame>"
        f"{more}</draw:page>"
    )
    return [edit(READING, before, page + before)]


_NESTED: Final = f"<text:list><text:list-item><text:p>{_POINTS[2]}</text:p></text:list-item></text:list>"
ADDED: Final = Outcomes(
    _slide("Next steps", *_POINTS),
    {
        "a point of another slide is gone": [edit(READING, "Shelves are ordered", "")],
        "the notes of another slide are gone": [edit(READING, "Mention the grant.", "")],
        "a second new slide": _slide("Next steps", *_POINTS),
        "it is hidden": [_hides(READING), edit(READING, 'draw:name="page4"', 'draw:name="page4" draw:style-name="h"')],
        "one point is below another": [
            edit(
                READING,
                f"<text:list-item><text:p>{_POINTS[2]}</text:p></text:list-item>",
                f"<text:list-item>{_NESTED}</text:list-item>",
            )
        ],
    },
    {
        "two points": _slide("Next steps", *_POINTS[:2]),
        "another order": _slide("Next steps", *reversed(_POINTS)),
        "no title": _slide("", *_POINTS),
        "all in one point": _slide("Next steps", ", ".join(_POINTS)),
        "before the last one": _slide("Next steps", *_POINTS, before='<draw:page draw:name="Money"'),
        "in a text box": _slide("Next steps", *_POINTS, kind=""),
        "a fourth point": _slide("Next steps", *_POINTS, "Thank you"),
        "a text box beside": _slide("Next steps", *_POINTS, more=_BOX),
    },
)

BEES: Final = "talk.odp"
_NAMES: Final = {"page1": "Cover", "page2": "Reasons", "page3": "Costs", "page4": "Questions"}


def _names(**names: str) -> list[Edit]:
    return [edit(BEES, f'draw:name="{old}"', f'draw:name="{new}"') for old, new in names.items()]


NAMES: Final = Outcomes(
    _names(**_NAMES),
    {
        "a title is another one too": [edit(BEES, ">Why roofs?<", ">Reasons<")],
        "a slide is gone": [
            lambda folder: edit(BEES, _page(folder / BEES, "Costs"), "")(folder),
        ],
        "a slide is hidden": [
            _hides(BEES),
            edit(BEES, 'draw:name="Costs"', 'draw:name="Costs" draw:style-name="h"'),
        ],
    },
    {
        "the last one has none": _names(page1="Cover", page2="Reasons", page3="Costs"),
        "another order": _names(page1="Cover", page2="Costs", page3="Reasons", page4="Questions"),
        "titles in place of names": [
            edit(BEES, ">Bees in the city<", ">Cover<"),
            edit(BEES, ">Why roofs?<", ">Reasons<"),
        ],
        "a small letter": _names(**{**_NAMES, "page4": "questions"}),
    },
)


def _page(path: Path, name: str) -> str:
    with zipfile.ZipFile(path) as archive:
        found = re.search(f'<draw:page draw:name="{name}".*?</draw:page>', archive.read("content.xml").decode())
    assert found
    return found[0]


KAYAKS: Final = "offer.odp"


def _hidden(*names: str) -> list[Edit]:
    return [
        _hides(KAYAKS),
        *(edit(KAYAKS, f'draw:name="{name}"', f'draw:name="{name}" draw:style-name="h"') for name in names),
    ]


HIDDEN: Final = Outcomes(
    _hidden("Prices"),
    {
        "its points are gone": [edit(KAYAKS, "Hour: 12", "")],
        "its notes are gone": [edit(KAYAKS, "Not decided yet.", "")],
        "it has another name": [edit(KAYAKS, 'draw:name="Prices"', 'draw:name="Prices (hidden)"')],
    },
    {
        "another one": _hidden("Boats"),
        "two": _hidden("Prices", "Contact"),
        "deleted": [lambda folder: edit(KAYAKS, _page(folder / KAYAKS, "Prices"), "")(folder)],
    },
)

HARVEST, NOTES = "harvest.ods", "notes.odt"
_CROPS: Final = ((1, "Potatoes", 128.5), (2, "Carrots", 46), (3, "Onions", 39.75), (4, "Beans", 22))


def _plots(
    total: str, crops: Sequence[tuple[int, str, float]] = _CROPS, head: bool = True, gap: bool = True
) -> list[Edit]:
    rows = [row(*map(words, ("Plot", "Crop", "Kilos")))] if head else []
    rows += [row(number(plot), words(crop), number(kilos)) for plot, crop, kilos in crops]
    last = [row(BLANK, words("In all"), total)] if total else []
    return [below(HARVEST, (row(BLANK) if gap else "") + "".join(rows + last))]


_KILOS: Final = number(236.25, "=SUM([.C4:.C7])")
TAKEN: Final = Outcomes(
    _plots(_KILOS),
    {
        "kilos are a text": [
            edit(HARVEST, 'office:value-type="float" office:value="39.75"', 'office:value-type="string"')
        ],
        "another sheet was changed": [edit(HARVEST, 'office:value="201.5"', 'office:value="210.5"')],
        "another sheet": [second_sheet(HARVEST)],
        "another word beside the sum": [edit(HARVEST, "In all", "Total")],
        "the document was changed": [edit(NOTES, "Plot 5 lay fallow.", "")],
        "the heading of the sheet is gone": [edit(HARVEST, "This year, by plot", "Harvest")],
    },
    {
        "no sum": _plots(""),
        "a number in place of the formula": _plots(number(236.25)),
        "a formula over three of four": _plots(number(214.25, "=SUM([.C4:.C6])")),
        "no headings": _plots(_KILOS, head=False),
        "one crop is missing": _plots(_KILOS, _CROPS[:3]),
        "a row too high": _plots(_KILOS, gap=False),
        "on the other sheet": [
            below(HARVEST, row(*map(words, ("Plot", "Crop", "Kilos"))), before='<table:table table:name="Plots"')
        ],
    },
)

LETTER, ACCOUNTS = "letter.odt", "accounts.ods"
_FIGURES: Final = {"[BUDGET]": "2700", "[SPENT]": "2694.75", "[LEFT]": "5.25", "[STAGE]": "1634.1"}


def _filled(**other: str) -> list[Edit]:
    return [edit(LETTER, mark, other.get(mark.strip("[]"), figure)) for mark, figure in _FIGURES.items()]


FILLED: Final = Outcomes(
    _filled(),
    {
        "the sum is not bold any more": [edit(LETTER, '<text:span text:style-name="B">2694.75</text:span>', "2694.75")],
        "the other brackets are filled in too": [edit(LETTER, "[HALL]", "hall")],
        "the sheet was changed": [edit(ACCOUNTS, 'office:value="1634.1"', 'office:value="1500"')],
        "another sheet": [second_sheet(ACCOUNTS)],
        "a sentence is gone": [edit(LETTER, "was free of charge", "")],
    },
    {
        "one is left": _filled(STAGE="[STAGE]"),
        "budget and sum are exchanged": _filled(BUDGET="2694.75", SPENT="2700"),
        "the budget of the stage": _filled(STAGE="1500"),
        "a rounded sum": _filled(SPENT="2695"),
        "as the sheet shows it": _filled(SPENT="2,694.75"),
    },
)
