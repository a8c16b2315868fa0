"""Twelve tasks in office programs, forms, an editor and file dialogs, scripted for a good and a careless model.

Each is scripted twice: by menus, keys and dialogs, and with the tools that do in one step what people call one thing.

The scripts are data (`tests/apps/wheel_model.py` reads them); the saved file, or the state file of the fixture, judges.
"""

import json
import re
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from cli.driver import Finished, finish, start
from demo.running import playing
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.text import tokens
from desktop.linux.everyday import FORMS
from documents import Text, read_odt, write_docx, write_odt
from drawings import Shape, write_drawing
from spreadsheets import Place, Sheet, read_ods, write_ods
from support import ROOT

MODEL: Final = ROOT / "tests/apps/wheel_model.py"
GOOD: Final = "good"
CARELESS: Final = "careless"
WHOLE: Final = "whole"
"""The good model with the second script."""
SALES: Final = (("Region", "Units"), ("North", "30"), ("South", "10"), ("East", "20"))
SAVE: Final = "{VK_CONTROL}s"
SAVE_AS: Final = "{VK_CONTROL}{VK_SHIFT}s"

Intent = JsonObject


def intent(tool: str, *find: tuple[str, str], optional: bool = False, shows: str = "", **args: JsonValue) -> Intent:
    """An action on the first control that is listed of those roles and names; `optional`: only where one is.

    `shows`: a pattern of the list that proves it.
    """
    made: Intent = {"tool": tool, "args": args}
    if find:
        made["find"] = [[role, name] for role, name in find]
    return made | ({"if": True} if optional else {}) | ({"shows": shows} if shows else {})


def filled(*values: tuple[Sequence[tuple[str, str]], JsonValue]) -> Intent:
    """One `fill` of several controls, each the first that is listed of those roles and names."""
    return intent("fill", values=[{"find": [[*pair] for pair in find], "value": value} for find, value in values])


def keys(text: str, *find: tuple[str, str], shows: str = "") -> Intent:
    return intent("keyboard_input", *find, shows=shows, keys=text)


SAVED: Final = intent("save_document")


@dataclass(frozen=True)
class Task:
    """A request, a pattern for the title of its window, and two scripts of it; the files that it opens, and its judge.

    `opens` returns options of the command line. `judge` gets the folder, in which `copies` has the session's documents.
    `$folder` in the request and the intents is that folder. `confirms`: approvals that the user gives.
    """

    name: str
    request: str
    window: str
    intents: Sequence[Intent]
    whole: Sequence[Intent]
    opens: Callable[[Path], Sequence[object]]
    judge: Callable[[Path], bool]
    confirms: int = 0

    def with_intents(self, intents: Sequence[Intent]) -> "Task":
        return replace(self, intents=intents)

    def script(self, folder: Path, model: str) -> str:
        intents = self.whole if model == WHOLE else self.intents
        told = json.dumps({"window": self.window, "intents": list(intents)})
        return told.replace("$folder", str(folder))


@dataclass(frozen=True)
class Trial:
    """One session of a task with one model; `finished` by the judge, `reported`: as a success, by the session.

    `actions`: those of the script; `steps`: of the session, the host's too; `tokens` is a quarter of the bytes of all
    texts sent.
    """

    task: str
    model: str
    finished: bool
    reported: bool
    actions: int
    steps: int
    calls: int
    tokens: int
    seconds: float
    reason: str

    @property
    def is_false_success(self) -> bool:
        return self.reported and not self.finished

    def __str__(self) -> str:
        ended = "finished" if self.finished else "not done"
        reported = "success" if self.reported else "fail"
        return (
            f"{self.task:14} {self.model:9} {ended:9} {reported:8} actions {self.actions:2}  steps {self.steps:3}  "
            f"calls {self.calls:3}  tokens per step {self.tokens // max(self.calls, 1):5}  {self.seconds:5.1f} s"
            f"{'  FALSE SUCCESS' if self.is_false_success else ''}"
        )


@dataclass(frozen=True)
class Lines(Sheet):
    """A sheet with these texts."""

    lines: Sequence[Sequence[str]] = field(default=SALES)
    filled: Place = (len(SALES), len(SALES[0]))

    def text(self, row: int, column: int) -> str:
        return self.lines[row][column]


def _file(name: str, write: Callable[[Path], object], *options: object) -> Callable[[Path], Sequence[object]]:
    def opens(folder: Path) -> Sequence[object]:
        write(folder / name)
        return ("--file", folder / name, *options)

    return opens


def _form(toolkit: str) -> Callable[[Path], Sequence[object]]:
    """A form that writes its own state."""

    def opens(folder: Path) -> Sequence[object]:
        argv = [*FORMS[toolkit][0], str(folder / "state.json")]
        config = folder / "form.yaml"
        config.write_text(json.dumps({"applications": {"form": {"argv": argv, "window": "^Everyday"}}}), "utf-8")
        return ("--app", "form", "--config", config)

    return opens


def _state(**wanted: JsonValue) -> Callable[[Path], bool]:
    def judge(folder: Path) -> bool:
        state = json.loads((folder / "state.json").read_text("utf-8"))
        return all(state.get(name) == value for name, value in wanted.items())

    return judge


def _cells(name: str, **wanted: str) -> Callable[[Path], bool]:
    """The saved sheet has these values."""

    def judge(folder: Path) -> bool:
        if not (folder / name).exists():
            return False
        sheet = next(iter(re.findall(r'<table:table table:name="([^"]*)"', _part(folder / name, "content.xml"))))
        cells = read_ods(folder / name, sheet)
        return all(place in cells and cells[place].value == value for place, value in wanted.items())

    return judge


def _part(archive: Path, name: str) -> str:
    with zipfile.ZipFile(archive) as opened:
        return opened.read(name).decode()


def _reads(name: str, text: str) -> Callable[[Path], bool]:
    return lambda folder: (folder / name).exists() and (folder / name).read_text("utf-8") == text


def _paragraphs(name: str, *wanted: tuple[str, str]) -> Callable[[Path], bool]:
    """The saved text has just these paragraphs; of each the text, and the style where one is given."""

    def judge(folder: Path) -> bool:
        if not (folder / name).exists() or not zipfile.is_zipfile(folder / name):
            return False
        found = read_odt(folder / name)
        return len(found) == len(wanted) and all(
            each.text == text and style in {"", each.style} for each, (text, style) in zip(found, wanted, strict=True)
        )

    return judge


def _word_lines(name: str, *wanted: str) -> Callable[[Path], bool]:
    def judge(folder: Path) -> bool:
        paragraphs = re.findall(r"<w:p[ >].*?</w:p>", _part(folder / name, "word/document.xml"), re.DOTALL)
        return [re.sub("<[^>]*>", "", each) for each in paragraphs] == [*wanted]

    return judge


def _slides(name: str, *wanted: str) -> Callable[[Path], bool]:
    """The text of each slide of a saved presentation."""

    def judge(folder: Path) -> bool:
        pages = re.findall(r"<draw:page .*?</draw:page>", _part(folder / name, "content.xml"), re.DOTALL)
        texts = [" ".join(re.findall(r"<text:p[^>]*>(.*?)</text:p>", page)) for page in pages]
        return [re.sub("<[^>]*>", "", text).strip() for text in texts] == [*wanted]

    return judge


def _both(*judges: Callable[[Path], bool]) -> Callable[[Path], bool]:
    return lambda folder: all(judge(folder) for judge in judges)


_BOXES: Final = "textbox|combobox"
_FORM: Final = (
    intent("set_edit_text", ("textbox", "Name"), text="Grace Hopper"),
    intent("set_value", ("checkbox", "Agree"), value=True),
    intent("select_item", ("combobox", "Size"), ("combobox", "A4"), item="A5"),
    intent("set_value", ("spinbutton", "Count"), value=7),
    intent("set_value", ("radio|checkbox", "Large"), value=True),
)
_FORM_WHOLE: Final = (
    filled(
        ([("textbox", "Name")], "Grace Hopper"),
        ([("checkbox", "Agree")], True),
        ([("combobox", "Size"), ("combobox", "A4")], "A5"),
        ([("spinbutton", "Count")], 7),
        ([("radio|checkbox", "Large")], True),
    ),
)
_FORM_REQUEST: Final = 'Fill in the form: name "Grace Hopper", agree, size A5, count 7, and choose Large'
_FORM_STATE: Final = _state(name="Grace Hopper", agree=True, size="A5", count=7, radio=["Large"])
_TEXT: Final = "The colour of the sky\nand the colour of the sea\n"

TASKS: Final = (
    Task(
        "writer_style",
        'Make the first line, "Quarterly report", a Heading 1, and save the document',
        "letter",
        [
            intent("click_input", ("paragraph", "Quarterly report")),
            intent("set_edit_text", (_BOXES, "Paragraph Style"), (_BOXES, "Default Paragraph Style"), text="Heading 1"),
            keys(SAVE),
        ],
        [
            intent("click_input", ("paragraph", "Quarterly report")),
            intent("set_edit_text", (_BOXES, "Paragraph Style"), (_BOXES, "Default Paragraph Style"), text="Heading 1"),
            SAVED,
        ],
        _file("letter.odt", lambda path: write_odt(path, Text("Quarterly report"), Text("Kind regards"))),
        _paragraphs("copies/letter.odt", ("Quarterly report", "Heading 1"), ("Kind regards", "")),
    ),
    Task(
        "writer_docx",
        'Add a last line that reads "Second line" to the memo, and save it in its own format',
        "memo",
        [
            keys("{VK_CONTROL}{END}"),
            keys("{ENTER}Second line"),
            keys(SAVE),
            intent("invoke", ("button", "Use Word"), optional=True),
        ],
        [keys("{VK_CONTROL}{END}{ENTER}Second line"), SAVED],
        _file("memo.docx", lambda path: write_docx(path, Text("Memo"))),
        _word_lines("copies/memo.docx", "Memo", "Second line"),
    ),
    Task(
        "calc_formula",
        "Put the sum of the units into B5 as a formula, write Total into A5, and save",
        "units",
        [
            intent("set_edit_text", ("A5|cell", "A5"), ("A5", ""), text="Total"),
            intent("set_edit_text", ("B5|cell", "B5"), ("B5", ""), text="=SUM(B2:B4)"),
            keys(SAVE),
        ],
        [intent("write_table", start="A5", rows=[["Total", "=SUM(B2:B4)"]], formulas=True), SAVED],
        _file("units.ods", lambda path: write_ods(path, Lines())),
        _cells("copies/units.ods", A5="Total", B5="60"),
    ),
    Task(
        "calc_sort",
        "Sort the table by region from Z to A, below its headings, and save",
        "regions",
        [
            intent("select_item", ("table", ""), item="A1:B4"),
            intent("invoke", ("menu", "Data")),
            intent("invoke", ("menuitem", "Sort Descending")),
            keys(SAVE),
        ],
        [intent("sort_range", range="A1:B4", by=[{"column": "A", "descending": True}], header=True), SAVED],
        _file("regions.ods", lambda path: write_ods(path, Lines())),
        _cells("copies/regions.ods", A1="Region", A2="South", A3="North", A4="East", B2="10", B4="20"),
    ),
    Task(
        "calc_csv",
        "Import the file with its columns separated by commas, write Total into A5, and save as $folder/sales.ods",
        "sales",
        [
            intent("invoke", ("button", "OK")),
            intent("set_edit_text", ("A5|cell", "A5"), ("A5", ""), text="Total"),
            keys(SAVE_AS),
            intent("choose_file", path="$folder/sales.ods", create=True),
        ],
        [
            intent("invoke", ("button", "OK")),
            intent("write_table", start="A5", rows=[["Total"]]),
            intent("save_document", path="$folder/sales.ods"),
        ],
        _file("sales.csv", lambda path: path.write_text("\n".join(map(",".join, SALES)) + "\n", "utf-8")),
        _cells("sales.ods", A1="Region", B4="20", A5="Total"),
    ),
    Task(
        "impress_text",
        'Change the text of the second slide to "Our plan", and save',
        "talk",
        [
            intent("select_item", ("listitem", "P2")),
            intent("set_edit_text", ("paragraph", "Agenda"), text="Our plan"),
            keys(SAVE),
        ],
        [intent("replace_text", pairs=[{"find": "Agenda", "replace": "Our plan"}]), SAVED],
        _file(
            "talk.odp",
            lambda path: write_drawing(
                path, [Shape("Title", (2, 1, 20, 3), "Welcome")], [Shape("Box", (4, 4, 12, 4), "Agenda")]
            ),
        ),
        _slides("copies/talk.odp", "Welcome", "Our plan"),
    ),
    Task("form_qt", _FORM_REQUEST, "Everyday", _FORM, _FORM_WHOLE, _form("Qt 5"), _FORM_STATE),
    Task("form_web", _FORM_REQUEST, "Everyday", _FORM, _FORM_WHOLE, _form("Chromium"), _FORM_STATE),
    Task(
        "form_gtk",
        'Set the count to 12, then choose "Ask" in the menu and answer "Tuesday"',
        "Everyday",
        [
            intent("set_value", ("spinbutton", "Count"), value=12),
            intent("invoke", ("button|menu", "File")),
            intent("invoke", ("button|menuitem", "Ask")),
            intent("set_edit_text", ("textbox", "Answer"), text="Tuesday"),
            intent("invoke", ("button", "Take")),
        ],
        [
            intent("set_value", ("spinbutton", "Count"), value=12),
            intent("invoke", ("button|menu", "File")),
            intent("invoke", ("button|menuitem", "Ask")),
            intent("set_edit_text", ("textbox", "Answer"), text="Tuesday"),
            intent("invoke", ("button", "Take")),
        ],
        _form("GTK 4"),
        _state(count=12, asked=1),
    ),
    Task(
        "gedit_replace",
        'Replace every "colour" by "color" in the text, and save it',
        "sky",
        [
            keys("{VK_CONTROL}h"),
            intent("set_edit_text", ("textbox", "Find"), text="colour"),
            intent("set_edit_text", ("textbox", "Replace with"), ("textbox", "Nothing"), text="color"),
            intent("invoke", ("button", "Replace All")),
            intent("invoke", ("button", "Close"), optional=True),
            keys(SAVE),
        ],
        [intent("replace_text", pairs=[{"find": "colour", "replace": "color"}]), SAVED],
        _file("sky.txt", lambda path: path.write_text(_TEXT, "utf-8"), "--with", "gedit"),
        _reads("copies/sky.txt", _TEXT.replace("colour", "color")),
    ),
    Task(
        "gedit_save_as",
        'Put the line "For the archive" before the text, and save it as $folder/archive/sky.txt; the file itself stays',
        "sky",
        [
            keys("{VK_CONTROL}{HOME}For the archive{ENTER}"),
            keys(SAVE_AS),
            intent("choose_file", path="$folder/archive/sky.txt", create=True),
        ],
        [
            keys("{VK_CONTROL}{HOME}For the archive{ENTER}"),
            intent("save_document", path="$folder/archive/sky.txt"),
        ],
        _file(
            "sky.txt", lambda path: (path.parent.joinpath("archive").mkdir(), path.write_text(_TEXT)), "--with", "gedit"
        ),
        _both(_reads("archive/sky.txt", f"For the archive\n{_TEXT}"), _reads("copies/sky.txt", _TEXT)),
    ),
    Task(
        "save_over",
        'Add the line "Edition 2" at the end and save the document over $folder/old.odt, which may be replaced',
        "new",
        [
            keys("{VK_CONTROL}{END}{ENTER}Edition 2"),
            keys(SAVE_AS),
            intent("choose_file", path="$folder/old.odt", overwrite=True),
        ],
        [
            keys("{VK_CONTROL}{END}{ENTER}Edition 2"),
            intent("save_document", path="$folder/old.odt", overwrite=True),
        ],
        _file(
            "new.odt", lambda path: (write_odt(path.with_name("old.odt"), Text("Old")), write_odt(path, Text("New")))
        ),
        _paragraphs("old.odt", ("New", ""), ("Edition 2", "")),
        confirms=3,
    ),
)
BY_NAME: Final[Mapping[str, Task]] = {task.name: task for task in TASKS}


def run(task: Task, model: str, folder: Path) -> Trial:
    """One session; the folder is empty before, and has its prompts and its log after it."""
    folder.mkdir(parents=True, exist_ok=True)
    script, answers, out = folder / "script.json", folder / "answers.yaml", folder / "out"
    script.write_text(task.script(folder, model), "utf-8")
    answers.write_text(json.dumps({"confirmations": ["approve"] * task.confirms}), "utf-8")
    (folder / "copies").symlink_to(out / "log/documents")
    request = task.request.replace("$folder", str(folder))
    opens = task.opens(folder)
    began = time.monotonic()
    careless = ["--careless"] if model == CARELESS else []
    with playing(folder, MODEL, script, "--log", folder / "prompts", *careless) as env:
        options = ("--model", "openai:wheel", "--json", "--confirm", answers, "--out", out, "--max-step", 40)
        done = finish(start("run", request, *opens, *options, env=env))
    return _trial(task, model, folder, done, time.monotonic() - began)


def _trial(task: Task, model: str, folder: Path, done: Finished, seconds: float) -> Trial:
    calls, steps = done.item("model_calls"), done.item("steps")
    assert isinstance(calls, int)
    assert isinstance(steps, int)
    sent = sum(tokens(file.read_text("utf-8")) for file in (folder / "prompts").iterdir())
    return Trial(
        task=task.name,
        model=model,
        finished=task.judge(folder),
        reported=done.item("outcome") == "success",
        actions=len(task.whole if model == WHOLE else task.intents),
        steps=steps,
        calls=calls,
        tokens=sent,
        seconds=seconds,
        reason=str(done.item("reason")),
    )
