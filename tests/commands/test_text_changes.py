"""Changes of documents are judged by a copy of them, whatever their application answers."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from commands.bench import Bench
from deskhand.commands.effects.text_copy import Kind, counts_in, precedes_paragraph, read_texts, replaced
from deskhand.core.command import Effect, Result, Route
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import Trait
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.application_interface import Document, DocumentKind

pytestmark = pytest.mark.requires("tool.text-changes")

HEAD = (
    '<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">{}</office:document>'
)


@dataclass
class Office:
    """A text document of these lines, elements after them, and tables; `replaces` and `inserts` are its work, whatever
    it answers.
    """

    lines: list[str]
    tracked: bool = False
    counts: list[int] = field(default_factory=lambda: [1])
    replaces: Callable[[list[str]], list[str]] = list
    table: str = ""
    inserts: str = ""
    elements: str = ""
    elements_after: str = ""
    undoes: list[str] | None = None
    """The lines that undoing leaves; None: those from before."""
    writes: list[str] | None = None
    """The lines that inserting a table leaves; None: those that there are."""
    route: Route = Route.APPLICATION_API

    def __post_init__(self) -> None:
        self.document = Document(DocumentKind.TEXT, Path("/letter.odt"))
        self.before = self.lines, self.elements, self.table
        self.desktop = FakeDesktop()
        traits = frozenset({Trait.HAS_OWN_INTERFACE})
        window = FakeWindow("letter.odt - Writer", [FakeControl(Role.DOCUMENT, "Text")], "writer", traits=traits)
        self.window = self.desktop.open(window)
        self.bench = Bench(self.desktop, self.window)

    async def read(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        raise AssertionError(request)

    async def change(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        match request:
            case "copy":
                self._copy(Path(str(arguments["path"])))
                return {}
            case "replace":
                self.before = self.lines, self.elements, self.table
                self.lines, self.elements = self.replaces(self.lines), self.elements_after
                return {"counts": [*self.counts]}
            case "undo":
                self.lines, self.elements, self.table = self.before
                self.lines = self.lines if self.undoes is None else self.undoes
                return {"undone": True}
            case _:
                self.table = self.inserts
                self.lines = self.lines if self.writes is None else self.writes
                return {"name": "Table1"}

    def _copy(self, path: Path) -> None:
        body = "".join(f"<text:p>{escape(line)}</text:p>" for line in self.lines)
        mark = "<text:tracked-changes/>" if self.tracked else ""
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("content.xml", HEAD.format(mark + body + self.elements + self.table))
            archive.writestr("styles.xml", HEAD.format(""))

    async def run(self, tool: str, **arguments: JsonValue) -> Result:
        self.desktop.interfaces[(await self.bench.root()).handle] = self
        return await self.bench.run(tool, None, **arguments)

    async def replace(self, old: str = "sea", new: str = "sky") -> Result:
        return await self.run("replace_text", pairs=[{"find": old, "replace": new}])


def table(*rows: str, name: str = "Table1") -> str:
    texts = (f"<table:table-cell><text:p>{row}</text:p></table:table-cell>" for row in rows)
    cells = (f"<table:table-row>{text}</table:table-row>" for text in texts)
    return f'<table:table table:name="{name}">{"".join(cells)}</table:table>'


async def test_what_reads_replaced_in_a_copy_is_confirmed_with_its_number() -> None:
    office = Office(["the sea", "land"], replaces=lambda _: ["the sky", "land"])
    done = await office.replace()
    assert (done.effect, done.result) == (Effect.CONFIRMED, {"counts": [1]})


@pytest.mark.parametrize(
    ("left", "counts", "effect"),
    [
        (["the sea", "land"], [1], Effect.PARTIAL),
        (["the sky", "Land"], [1], Effect.PARTIAL),
        (["the sky", "land", "more"], [1], Effect.PARTIAL),
        (["the sky", "land"], [2], Effect.UNVERIFIABLE),
    ],
)
async def test_an_answer_alone_confirms_nothing(left: list[str], counts: list[int], effect: Effect) -> None:
    office = Office(["the sea", "land"], replaces=lambda _: left, counts=counts)
    assert (await office.replace()).effect is effect


COMMENT = "<text:p>A<office:annotation><text:p>why sea?</text:p></office:annotation></text:p>"
DRAWING = "<draw:frame><draw:text-box><text:p>sea</text:p></draw:text-box></draw:frame>"
CONTENTS = "<text:table-of-content><text:index-body><text:p>sea 1</text:p></text:index-body></text:table-of-content>"
GUARDED = '<text:section text:protected="true"><text:p>sea</text:p></text:section>'


@pytest.mark.parametrize(
    ("elements", "after", "counts", "effect", "evidence"),
    [
        (COMMENT, COMMENT, [1], Effect.CONFIRMED, '"sea": 1; not replaced: 1 in comments'),
        (COMMENT, "<text:p>A</text:p>", [1], Effect.PARTIAL, '"why sea?" in comments would be lost or changed'),
        (CONTENTS, CONTENTS, [1], Effect.CONFIRMED, '"sea": 1; not replaced: 1 in indexes'),
        (DRAWING, DRAWING, [1], Effect.PARTIAL, '"sea": 1; not replaced: 1 in drawings'),
        (DRAWING, DRAWING.replace("sea", "sky"), [2], Effect.CONFIRMED, '"sea": 2'),
        (DRAWING, DRAWING.replace("sea", "sand"), [2], Effect.PARTIAL, '"sea" in drawings, headers'),
        (GUARDED, GUARDED, [1], Effect.PARTIAL, '"sea": 1; not replaced: 1 in drawings'),
    ],
)
async def test_what_the_application_leaves_is_told_and_what_it_loses_is_undone(
    elements: str, after: str, counts: list[int], effect: Effect, evidence: str
) -> None:
    office = Office(["sea"], counts=counts, elements=elements, elements_after=after, replaces=lambda _: ["sky"])
    done = await office.replace()
    assert (done.effect, done.evidence.count(evidence)) == (effect, 1), done.evidence
    assert ("it was undone" in done.evidence) is ("would be" in done.evidence)


@pytest.mark.parametrize(
    ("old", "note"), [("23", ""), ("1230", "1 in cells with numbers"), ("b", "2 in cells with formulas")]
)
async def test_digits_of_a_number_are_no_text_that_stays(old: str, note: str) -> None:
    number = '<table:table-cell office:value-type="float"{}><text:p>1230</text:p></table:table-cell>'
    text = '<table:table-cell office:value-type="string" table:formula="of:=1"><text:p>a bb</text:p></table:table-cell>'
    cells = number.format("") + number.format(' table:formula="of:=1"').replace("1230", "1239") + text
    office = Office(["the sea"], table=f"<table:table><table:table-row>{cells}</table:table-row></table:table>")
    office.counts = [0]
    done = await office.replace(old)
    assert (done.effect, note in done.evidence) == (Effect.SUSPECTED_NOOP, True), done
    assert bool(note) is ("not replaced" in done.evidence)


@pytest.mark.parametrize("undoes", [True, False])
async def test_a_wrong_replacement_is_undone_only_if_the_copy_reads_as_before(undoes: bool) -> None:
    office = Office(["the sea"], replaces=lambda _: ["the sky", "and more"])
    office.undoes = None if undoes else ["the sky"]
    done = await office.replace()
    assert (done.effect, "it was undone" in done.evidence) == (Effect.PARTIAL, undoes), done


async def test_a_text_that_is_nowhere_and_recorded_changes_change_nothing() -> None:
    assert (await Office(["land"], counts=[0]).replace()).effect is Effect.SUSPECTED_NOOP
    refused = await Office(["the sea"], tracked=True).replace()
    assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
    twice: JsonValue = [{"find": "a", "replace": "b"}, {"find": "a", "replace": "c"}]
    assert (await Office(["a"]).run("replace_text", pairs=twice)).effect is Effect.REFUSED


@pytest.mark.parametrize(
    ("inserted", "effect"),
    [
        (table("a", "b"), Effect.CONFIRMED),
        (table("a", "c"), Effect.PARTIAL),
        (table("a", "b", name="Other"), Effect.PARTIAL),
        ("", Effect.PARTIAL),
    ],
)
async def test_a_table_is_confirmed_by_its_cells_in_a_copy(inserted: str, effect: Effect) -> None:
    office = Office(["Figures"], inserts=inserted)
    assert (await office.run("insert_table", rows=[["a"], ["b"]], after="Figures")).effect is effect


async def test_a_table_at_another_place_is_not_confirmed() -> None:
    office = Office(["Figures", "End"], inserts=table("a"))
    assert (await office.run("insert_table", rows=[["a"]], after="Figures")).effect is Effect.PARTIAL


async def test_a_table_after_an_item_of_a_list_is_confirmed() -> None:
    items = "<text:list><text:list-item><text:p>{}</text:p></text:list-item></text:list>"
    office = Office(["End"], elements=items.format("Figures"), inserts=table("a"))
    assert (await office.run("insert_table", rows=[["a"]], after="Figures")).effect is Effect.CONFIRMED
    office = Office(["Figures"], elements=items.format("other"), inserts=table("a"))
    assert (await office.run("insert_table", rows=[["a"]], after="Figures")).effect is Effect.PARTIAL


async def test_without_the_interface_a_document_is_not_touched() -> None:
    office, rows = Office(["the sea"]), list[JsonValue]([["a"]])
    pairs: JsonValue = [{"find": "a", "replace": "b"}]
    for refused in (
        await office.bench.run("replace_text", pairs=pairs),
        await office.bench.run("insert_table", rows=rows),
    ):
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)


@pytest.mark.parametrize("changed", ['table:formula="of:=[.A1]"', 'office:value-type="float" office:value="6"'])
async def test_a_cell_that_changed_though_it_has_no_text_to_replace_is_never_confirmed(changed: str) -> None:
    office = Office(["the sea"], undoes=["the sky"])

    def works(_: list[str]) -> list[str]:
        office.table = cell(changed)
        return ["the sky"]

    def cell(content: str) -> str:
        row = f"<table:table-row><table:table-cell {content}/></table:table-row>"
        return f'<table:table table:name="S">{row}</table:table>'

    office.table, office.replaces = cell('office:value-type="float" office:value="5"'), works
    done = await office.replace()
    assert (done.effect, "a cell with a number or formula changed" in done.evidence) == (Effect.PARTIAL, True), done
    assert "it was not undone" in done.evidence, "the interface only says so"


async def test_a_field_is_replaced_in_and_read_back() -> None:
    desktop = FakeDesktop()
    text = FakeControl(Role.TEXTBOX, "Name", value="Ada and Ada", states={"editable"})
    window = desktop.open(FakeWindow("Form", [text], "form", focused=text))
    pairs: JsonValue = [{"find": "Ada", "replace": "Grace"}]
    done = await Bench(desktop, window).run("replace_text", text, pairs=pairs)
    assert (done.effect, done.result, text.value) == (Effect.CONFIRMED, {"counts": [2]}, "Grace and Grace")


def test_texts_are_replaced_at_once_and_the_longest_first() -> None:
    pairs = [("colour", "sky"), ("sky", "colour"), ("colours", "hues")]
    assert replaced("colour sky colours", pairs) == "sky colour hues"
    assert replaced("", pairs) == ""
    assert replaced("abcd", [("ab", "1"), ("bcd", "2")]) == "a2"
    assert replaced("co\u00adlour s\u00adk", pairs) == "sky s\u00adk"


def test_paragraphs_of_a_copy_are_read_by_kind(tmp_path: Path) -> None:
    cells = (
        '<table:table-cell office:value-type="float" office:value="5"><text:p>5</text:p></table:table-cell>'
        '<table:table-cell table:formula="of:=1"><text:p>5</text:p></table:table-cell>'
        '<table:table-cell table:number-columns-repeated="2" office:value-type="string"><text:p>5</text:p>'
        "<office:annotation><text:p>5</text:p></office:annotation></table:table-cell>"
    )
    row = f'<table:table-row table:number-rows-repeated="3">{cells}</table:table-row>'
    file = tmp_path / "copy.ods"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", HEAD.format(f"<table:table>{row}</table:table>"))
        archive.writestr("styles.xml", HEAD.format("<text:p>5</text:p>"))
    copy = read_texts(file)
    found = {kind: counts_in(copy.of(kind), [("5", "6")]) for kind in Kind}
    wanted = {Kind.TEXT: 6, Kind.NUMBER: 3, Kind.FORMULA: 3, Kind.COMMENT: 6, Kind.ASIDE: 1, Kind.INDEX: 0}
    assert found == {kind: [count] for kind, count in wanted.items()}
    assert (sum(copy.fixed.values()), copy.tracked) == (2, False)


def test_no_text_reaches_over_a_field_or_a_note(tmp_path: Path) -> None:
    body = (
        "<text:p>se<text:span>a</text:span> s<text:date>e</text:date>a "
        "se<text:note><text:note-body><text:p>sea</text:p></text:note-body></text:note>a</text:p>"
    )
    file = tmp_path / "copy.odt"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", HEAD.format(body))
        archive.writestr("styles.xml", HEAD.format(""))
    assert counts_in(read_texts(file).of(Kind.TEXT), [("sea", "sky")]) == [2]


@pytest.mark.parametrize(
    ("body", "follows"),
    [
        ("<text:p>the sea</text:p><text:p/>", True),
        ("<text:p>the sea</text:p>", False),
        ("<text:p>the sea</text:p><table:table/><text:p/>", False),
        ("<table:table><table:table-cell><text:p>the sea</text:p><text:p/></table:table-cell></table:table>", None),
    ],
)
def test_what_follows_a_paragraph_is_read_from_the_copy(tmp_path: Path, body: str, *, follows: bool | None) -> None:
    file = tmp_path / "copy.odt"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", HEAD.format(f"<office:text>{body}</office:text>"))
        archive.writestr("styles.xml", HEAD.format(""))
    assert precedes_paragraph(file, "sea") is follows
