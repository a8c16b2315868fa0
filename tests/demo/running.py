"""Runs the demo's task in this process, and looks at what it made with eyes of its own."""

import csv
import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import deskhand.models
from cli.driver import environment
from deskhand.core.events import ActionFinished, Event
from deskhand.core.ports import Checker, Model
from deskhand.eval.spreadsheet import SpreadsheetChecker
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_playbook
from deskhand.models.steps import Playbook
from deskhand.session import Ending, SessionPlan, run_session
from deskhand.session.build import new_session_id
from deskhand.store.journal import read_events
from support import ROOT

REQUEST: Final = "Extract the sales table from the Writer document and create a bar chart in Calc"
PLAYBOOK: Final = Path(deskhand.models.__file__).parent / "playbooks" / "writer-table-to-calc-chart.yaml"
PLAIN_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


@contextmanager
def playing(folder: Path, program: Path, *arguments: str | Path) -> Generator[dict[str, str]]:
    """The environment of a command that asks the model which a program plays while this lasts.

    The program writes its port into the file that is its first argument.
    """
    port_file = folder / "port"
    argv = [sys.executable, program, port_file, *arguments]
    env = environment(PYTHONPATH=str(ROOT / "tests"))
    with subprocess.Popen(argv, cwd=folder, env=env, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            address = f"http://127.0.0.1:{port_file.read_text()}/v1"
            yield environment(OPENAI_BASE_URL=address, OPENAI_API_KEY="sk-nobodys", XDG_STATE_HOME=str(folder))
        finally:
            process.kill()


@dataclass(frozen=True)
class Demo:
    """How it ended, and where things are."""

    ending: Ending
    session_dir: Path
    output: Path

    @property
    def events(self) -> list[Event]:
        return list(read_events(self.session_dir))

    @property
    def actions(self) -> list[ActionFinished]:
        return [event for event in self.events if isinstance(event, ActionFinished)]


def demo_playbook() -> Playbook:
    return load_playbook(PLAYBOOK)


def demo_plan(
    folder: Path,
    documents: Sequence[Path],
    *,
    suffix: str = "ods",
    model: Model | None = None,
    checked: bool = True,
    parameters: Mapping[str, object] | None = None,
) -> SessionPlan:
    """The plan of one demo; `checked` False leaves the caller's check out."""
    output = folder / f"sales.{suffix}"
    checkers: tuple[Checker, ...] = (SpreadsheetChecker(output),) if checked else ()
    return SessionPlan(
        session_id=new_session_id(),
        session_dir=folder / "log",
        requests=(REQUEST,),
        model=model or PlaybookModel(demo_playbook(), {"output": str(output), **(parameters or {})}),
        files=tuple(documents),
        checkers=checkers,
        outputs=(output,),
    )


async def run_demo(plan: SessionPlan) -> Demo:
    return Demo(await run_session(plan), plan.session_dir, plan.outputs[0])


def cells_by_another_program(spreadsheet: Path, folder: Path) -> list[list[str]]:
    """The first sheet as the office suite's own converter writes it, in a profile that all tests of a run share."""
    subprocess.run(
        [
            "soffice",
            f"-env:UserInstallation=file://{folder.parent}/converter",
            "--headless",
            "--convert-to",
            "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false",
            "--outdir",
            str(folder),
            str(spreadsheet),
        ],
        check=True,
        capture_output=True,
        timeout=240,
    )
    text = (folder / f"{spreadsheet.stem}.csv").read_text("utf-8")
    return list(csv.reader(io.StringIO(text, newline="")))


def chart_xml(spreadsheet: Path) -> str:
    """The one chart's own XML, unparsed."""
    with zipfile.ZipFile(spreadsheet) as archive:
        names = [n for n in archive.namelist() if re.fullmatch(r"Object \d+/content\.xml|xl/charts/chart\d+\.xml", n)]
        assert len(names) == 1, names
        return archive.read(names[0]).decode()


def cell_types(spreadsheet: Path) -> str:
    """The sheet's own XML, unparsed."""
    with zipfile.ZipFile(spreadsheet) as archive:
        return archive.read("content.xml").decode()


def assert_chart(spreadsheet: Path, rows: int, columns: int) -> None:
    """A horizontal bar chart over exactly A1 to the last cell: categories, then one series a column."""
    xml = chart_xml(spreadsheet)
    if spreadsheet.suffix == ".ods":
        assert 'chart:class="chart:bar"' in xml
        assert 'chart:vertical="true"' in xml
        values = re.findall(r'chart:values-cell-range-address="([^"]*)"', xml)
        categories = re.findall(r'<chart:categories table:cell-range-address="([^"]*)"', xml)
        names = re.findall(r'chart:label-cell-address="([^"]*)"', xml)
    else:
        assert '<c:barDir val="bar"/>' in xml
        values = re.findall(r"<c:val><c:numRef><c:f>([^<]*)</c:f>", xml)
        categories = re.findall(r"<c:cat><c:strRef><c:f>([^<]*)</c:f>", xml)
        names = re.findall(r"<c:tx><c:strRef><c:f>([^<]*)</c:f>", xml)
    letters = [chr(ord("A") + column) for column in range(columns)]
    assert [plain(v) for v in values] == [column_range(letter, rows) for letter in letters[1:]]
    assert {plain(c) for c in categories} == {column_range("A", rows)}
    assert [plain(n) for n in names] == [f"{letter}1" for letter in letters[1:]]


def column_range(letter: str, rows: int) -> str:
    return f"{letter}2" if rows == 2 else f"{letter}2:{letter}{rows}"


def plain(address: str) -> str:
    """`Sheet1.B2:Sheet1.B5` and `Sheet1!$B$2:$B$5` as `B2:B5`."""
    ends = [re.sub(r"^.*[.!]", "", part).replace("$", "") for part in address.split(":")]
    return ":".join(dict.fromkeys(ends))
