"""A letter typed after a tool goes where the keyboard was before, or where the tool put it: the saved file decides.

The letter opens a menu where a menu bar has the keyboard. Tools in the toolkits' fixtures: `tools_tried.letters_after`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

from deskhand.commands.key_syntax import parse_keys
from deskhand.core.command import Effect
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent
from desktop.linux.office import opened
from support import FULL

pytestmark = [pytest.mark.desktop, pytest.mark.long]

SAVES_S: Final = 10.0
NAMESPACES: Final = {
    "office": "office",
    "text": "text",
    "table": "table",
    "draw": "drawing",
    "svg": "svg-compatible",
    "style": "style",
}
HEAD: Final = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{where}:1.0"' for name, where in NAMESPACES.items()
)
TEXTS: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
CLOSE: Final = "</office:body></office:document>"


def cell(text: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'


def grid(name: str, rows: Sequence[Sequence[str]]) -> str:
    columns = f'<table:table-column table:number-columns-repeated="{len(rows[0])}"/>'
    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}">{columns}{lines}</table:table>'


ROWS: Final = (("Item", "Qty"), ("Lamp", "4"), ("Chair", "6"))
FRAME: Final = (
    '<draw:frame text:anchor-type="paragraph" svg:width="8cm" svg:height="3cm" svg:x="6cm" svg:y="3cm">'
    f"<draw:text-box>{grid('Framed', ROWS)}<text:p/></draw:text-box></draw:frame>"
)
INNER: Final = grid("Outer", (("Before", "After"),)).replace(
    "<text:p>After</text:p>", grid("Inner", ROWS) + "<text:p/>"
)
TEXT: Final = f"<office:text><text:p>Start{FRAME}</text:p>{INNER}<text:p>End</text:p></office:text>"
RIGHT_TO_LEFT: Final = (
    '<office:automatic-styles><style:style style:name="R" style:family="table"><style:table-properties '
    'style:writing-mode="rl-tb"/></style:style></office:automatic-styles>'
)
HEBREW: Final = (("פריט", "כמות"), ("מנורה", "4"), ("כיסא", "6"))
MERGED: Final = grid("Merged", HEBREW).replace(
    "<table:table-cell ", '<table:table-cell table:number-rows-spanned="2" ', 1
)
LEFTWARDS: Final = "".join(
    table.replace("<table:table ", '<table:table table:style-name="R" ') + "<text:p/>"
    for table in (grid("Plain", HEBREW), MERGED.replace(cell("מנורה"), "<table:covered-table-cell/>"))
)
SHEET: Final = f"<office:spreadsheet>{grid('Sheet1', ROWS)}</office:spreadsheet>"
SLIDE: Final = (
    '<office:presentation><draw:page draw:name="One"><draw:frame svg:width="10cm" svg:height="4cm" svg:x="2cm" '
    'svg:y="2cm"><draw:text-box><text:p>Start</text:p></draw:text-box></draw:frame></draw:page></office:presentation>'
)


@dataclass(frozen=True, slots=True)
class Use:
    """A tool, on the control of a role whose name or value contains a text."""

    tool: str
    role: Role | None = None
    having: str = ""
    given: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


READS: Final = (
    Use("find_controls", given={"role": "button"}),
    Use("verify", given={"expect": {"shows": {"role": "button"}}, "wait_s": 0}),
    Use("clipboard", given={"text": "copied"}),
    Use("invoke", Role.BUTTON, "Bold"),
)
UNDER_A_LIST: Final[tuple[tuple[str, dict[str, JsonValue]], ...]] = (
    ("set_edit_text", {"text": "x"}),
    ("click_input", {}),
    ("select_item", {}),
    ("write_table", {"start": "B2", "rows": [["x"]]}),
)
SOME: Final = READS if FULL else READS[-1:]


class Document:
    """A document in its window. A letter and what enters it are typed, the document saved, and the file read."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, file: Path, keys: str = "e") -> None:
        self.agent, self.desktop, self.window, self.file, self._keys = Agent(desktop), desktop, window, file, keys

    async def look(self, use: Use) -> tuple[Observation, TargetInfo | None]:
        async def found() -> tuple[Observation, TargetInfo | None] | None:
            seen = await self.desktop.observe(self.window, picture=False)
            if use.role is None:
                return seen, None
            meant = [c for c in seen.controls if c.type is use.role and use.having in f"{c.name} {c.value}"]
            return (seen, replace(meant[0], id="1")) if meant else None

        looked = await self.desktop.wait_until(found, deadline_s=SAVES_S)
        assert looked is not None, use
        return looked

    async def change_after(self, use: Use) -> tuple[list[str], list[str]]:
        """The texts of the file that went and came with the letter that is typed after a tool."""
        before = words(self.file)
        seen, target = await self.look(use)
        result = await self.agent.act(use.tool, seen, target, **use.given)
        assert result.error is None, (use, result)
        stamp = self.file.stat().st_mtime_ns
        await self.desktop.press(parse_keys(self._keys))
        await self.desktop.settle(self.window)
        await self.desktop.press(parse_keys("{VK_CONTROL}s"))

        async def saved() -> list[str] | None:
            return words(self.file) if self.file.stat().st_mtime_ns != stamp else None

        now = await self.desktop.wait_until(saved, deadline_s=SAVES_S)
        assert now is not None, f"nothing was saved after {use}; {[w.name for w in await self.desktop.windows()]}"
        return list((Counter(before) - Counter(now)).elements()), list((Counter(now) - Counter(before)).elements())


def words(file: Path) -> list[str]:
    """The texts of a document, one for each paragraph; the words of a text file."""
    text = file.read_text(encoding="utf-8")
    if not text.startswith("<?xml"):
        return text.split()
    body = ElementTree.fromstring(text)[-1]  # noqa: S314 - our own
    found = [shown(paragraph) for paragraph in body.iter(f"{TEXTS}p")]
    return [text for text in found if text]


def shown(element: ElementTree.Element) -> str:
    """The text of an element, without that of frames in it."""
    parts = [element.text or ""]
    for inside in element:
        parts += [shown(inside) if inside.tag == f"{TEXTS}span" else "", inside.tail or ""]
    return "".join(parts).strip()


def flat(folder: Path, name: str, kind: str, body: str, styles: str = "") -> Path:
    file = folder / name
    mime = f'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.{kind}"'
    head = f'<?xml version="1.0" encoding="UTF-8"?><office:document {HEAD} {mime}>{styles}<office:body>'
    file.write_text(head + body + CLOSE, encoding="utf-8")
    return file


WRITER: Final = Application("writer", ("soffice", "--writer"), ("soffice", "--writer", "{file}"), "Writer$")
CALC: Final = Application("calc", ("soffice", "--calc"), ("soffice", "--calc", "{file}"), "Calc$")
IMPRESS: Final = Application("impress", ("soffice", "--impress"), ("soffice", "--impress", "{file}"), "Impress$")
GEDIT: Final = Application("gedit", ("gedit",), ("gedit", "{file}"), "gedit$")


@pytest.mark.requires("act.tools")
async def test_a_letter_goes_into_the_text_after_each_tool_in_writer(office: LinuxDesktop, tmp_path: Path) -> None:
    file = flat(tmp_path, "text.fodt", "text", TEXT)
    async with opened(office, WRITER, file) as window:
        document = Document(office, window, file)
        for use in (*tables(3 if FULL else 1), Use("texts", Role.PARAGRAPH, "End"), *SOME):
            went, came = await document.change_after(use)
            assert len(went) == len(came) == 1, (use, went, came)
            assert came[0].replace("e", "") == "Start", (use, went, came)
            assert came[0].count("e") == went[0].count("e") + 1


@pytest.mark.full("such tables are rare")
@pytest.mark.requires("act.tools")
async def test_a_letter_goes_into_the_text_after_a_table_from_right_to_left_was_read(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    body = f"<office:text><text:p>Start</text:p>{LEFTWARDS}<text:p>End</text:p></office:text>"
    file = flat(tmp_path, "leftwards.fodt", "text", body, RIGHT_TO_LEFT)
    async with opened(office, WRITER, file) as window:
        document = Document(office, window, file)
        for name in ("Plain", "Merged"):
            read = await document.agent.act("read_table", *await document.look(Use("read_table", Role.TABLE, name)))
            data = read.result
            assert isinstance(data, dict), read
            assert (data["cells"][0], data["cells"][-1]) == (list(HEBREW[0]), list(HEBREW[-1])), data
            went, came = await document.change_after(Use("wait", given={"seconds": 0.1}))
            assert len(went) == len(came) == 1, (name, went, came)
            assert came[0].replace("e", "") == "Start", (name, went, came)


def tables(times: int) -> list[Use]:
    """Tables in a frame and in a table, which are copied to be read."""
    return [Use("read_table", Role.TABLE, name) for name in ("Framed", "Inner") for _ in range(times)]


@pytest.mark.full("a table of a window in front is tried")
@pytest.mark.requires("act.tools")
async def test_a_letter_goes_where_it_went_after_a_table_of_a_window_behind_was_read(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    text = flat(tmp_path, "behind.fodt", "text", TEXT)
    sheet = flat(tmp_path, "front.fods", "spreadsheet", SHEET)
    async with opened(office, WRITER, text) as behind, opened(office, CALC, sheet) as front:
        was = words(text)
        document = Document(office, front, sheet, "e{ENTER}")
        seen, table = await Document(office, behind, text).look(tables(1)[0])
        read = await document.agent.act("read_table", seen, table)
        assert read.error is None, read
        went, came = await document.change_after(Use("wait", given={"seconds": 0.1}))
        assert (went, came, words(text)) == (["Item"], ["e"], was)


@pytest.mark.full("other programs are tried; keys into cells in test_confirmed_cells")
@pytest.mark.requires("act.tools")
async def test_a_letter_goes_into_the_cell_after_each_tool_in_calc(office: LinuxDesktop, tmp_path: Path) -> None:
    file = flat(tmp_path, "sheet.fods", "spreadsheet", SHEET)
    async with opened(office, CALC, file) as window:
        document = Document(office, window, file, "e{ENTER}")
        uses = (
            Use("select_item", Role.TABLE, "Sheet1", {"item": "C5"}),
            Use("read_table", Role.TABLE, "Sheet1", {"range": "A1:B3"}),
            Use("texts", Role.CELL, "A1"),
            *SOME,
        )
        for use in uses:
            assert await document.change_after(use) == ([], ["e"]), use
        assert await document.change_after(Use("select_item", Role.TABLE, "Sheet1", {"item": "A2"})) == (
            ["Lamp"],
            ["e"],
        )


@pytest.mark.full("cells under an open list are rarely meant")
@pytest.mark.requires("act.refusals")
async def test_cells_under_an_open_list_are_not_acted_on_and_a_list_opened_in_vain_is_closed(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = flat(tmp_path, "listed.fods", "spreadsheet", SHEET)
    async with opened(office, CALC, file) as window:
        document = Document(office, window, file, "e{ENTER}")
        font = Use("select_item", Role.GROUP, "Font Name", {"item": "No Such Font"})
        missing = await document.agent.act(font.tool, *await document.look(font), **font.given)
        assert missing.error is not None
        assert "closed again" in missing.error.fix
        assert await document.change_after(Use("wait", given={"seconds": 0.1})) == (["Item"], ["e"])
        seen, box = await document.look(font)
        assert box is not None
        await office.do_action(next(part for part in seen.inside_of(box) if part.type is Role.BUTTON))
        await office.settle(window)
        cell = Use("", Role.CELL, "B2")
        for tool, given in UNDER_A_LIST:
            seen, target = await document.look(cell)
            refused = await document.agent.act(tool, seen, target if tool != "write_table" else None, **given)
            assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), (tool, refused)
            assert "is open" in refused.evidence
        await office.press(parse_keys("{ESC}"))
        assert "4" in words(file)


@pytest.mark.full("other programs take the same way")
@pytest.mark.requires("act.tools")
async def test_a_letter_goes_into_the_shape_after_each_tool_in_impress(office: LinuxDesktop, tmp_path: Path) -> None:
    file = flat(tmp_path, "slides.fodp", "presentation", SLIDE)
    async with opened(office, IMPRESS, file) as window:
        document = Document(office, window, file)
        seen, box = await document.look(Use("", Role.PARAGRAPH, "Start"))
        assert box is not None
        await document.agent.act("click_input", seen, box, double=True)
        for use in (Use("texts", Role.PARAGRAPH, "Start"), *SOME):
            went, came = await document.change_after(use)
            assert len(went) == len(came) == 1, (use, went, came)
            assert came[0].count("e") == went[0].count("e") + 1, (use, went, came)


@pytest.mark.requires("act.tools")
async def test_a_letter_goes_into_the_text_after_each_tool_in_gedit(office: LinuxDesktop, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("Start\n", encoding="utf-8")
    window = await office.launch(GEDIT, file)
    try:
        document = Document(office, window, file)
        uses = (
            *(READS[:3] if FULL else READS[2:3]),
            Use("texts", Role.TEXTBOX, "tart"),
            Use("wheel_mouse_input", given={"wheel_dist": -1}),
        )
        for use in uses:
            went, came = await document.change_after(use)
            assert (len(went), len(came)) == (1, 1), (use, went, came)
            assert came[0].count("e") == went[0].count("e") + 1, (use, went, came)
        seen, _ = await document.look(Use(""))
        await document.agent.act("keyboard_input", seen, keys="{VK_CONTROL}f")
        last = await document.agent.act("keyboard_input", (await document.look(Use("")))[0], keys="{ESC}{F8}")
        decides, _, before = last.evidence.partition("; before that: ")
        assert before, last
        assert before not in decides, "it was confirmed by what the first of its keys did"
    finally:
        await office.ask_to_close(window)
