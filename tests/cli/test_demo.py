"""The demo as a user runs it: a process of its own, real applications, real signals."""

import os
import re
import signal
from pathlib import Path

import pytest

from cli.driver import SESSION_KEYS, deskhand, finish, processes_with, read_until, start
from demo.running import assert_chart, cells_by_another_program
from documents import Table, Text, write_docx, write_odt
from store.small_disk import small_disk
from support import wait_until_ended

pytestmark = pytest.mark.desktop

ROWS = [["Region", "Q1", "Q2"], ["North", "10", "20"], ["South", "30", "5"]]


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return write_odt(tmp_path / "report.odt", Text("Sales of the year"), Table(ROWS, "Sales"))


@pytest.mark.full("a minute; CI runs `make demo`, and tests/demo/test_demo.py")
@pytest.mark.requires("cli.run-result", "cli.one-json-object", "demo.progress", "demo.chart", "demo.formats")
def test_the_demo_prints_one_object_and_its_progress_apart_and_replaces_an_earlier_run_where_told_to(
    tmp_path: Path,
) -> None:
    document, out = write_docx(tmp_path / "report.docx", Table(ROWS)), tmp_path / "out"
    (out / "log").mkdir(parents=True)
    (out / "log" / "journal.sqlite").write_text("an old one")
    (out / "sales.xlsx").write_text("an old one")
    done = deskhand("demo", "--document", document, "--out", out, "--format", "xlsx", "--force", "--json")
    assert done.code == 0, done.err
    assert set(done.json) == SESSION_KEYS
    assert done.item("outcome") == "success"
    assert done.item("error") is None
    assert done.item("outputs") == [str(out / "sales.xlsx")]
    assert done.item("session_dir") == str(out / "log")
    assert done.item("report") == str(out / "report.html")
    assert {"machine": "host", "from": "CONTINUE", "to": "ASSIGN", "cause": "llm"} in done.items("transitions")
    assert [subtask["outcome"] for subtask in done.items("subtasks")] == ["success", "success"]
    assert {str(check["name"]) for check in done.items("checks")} >= {"cells", "chart"}
    assert "write_table" in done.err
    assert "CONTINUE → ASSIGN" in done.err
    assert cells_by_another_program(out / "sales.xlsx", tmp_path) == ROWS
    assert_chart(out / "sales.xlsx", rows=len(ROWS), columns=len(ROWS[0]))
    assert (out / "report.html").stat().st_size
    assert not (out / "log" / "desktop").exists()
    assert not processes_with(str(out))


@pytest.mark.full("the choice is tried without a desktop")
@pytest.mark.requires("demo.choose-table", "demo.bad-input", "cli.exit-codes")
def test_two_tables_and_none_chosen_fail_with_the_list(tmp_path: Path) -> None:
    on_the_next_page = [Text("and", new_page=True), Table(ROWS, "Costs")]
    document = write_odt(tmp_path / "two.odt", Table(ROWS, "Sales"), *on_the_next_page)
    done = deskhand("demo", "--document", document, "--out", tmp_path / "out", "--json")
    assert done.code == 1, done.err
    assert done.item("outcome") == "failed"
    assert done.item("error", "type") == "TableNotFound"
    message = str(done.item("error", "message"))
    assert message == 'the document has 2 tables: 1. "Sales", 2. "Costs"; choose one with --table'
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.full("questions of LibreOffice are tried in test_saving")
@pytest.mark.requires("session.asked-at-opening")
def test_a_question_about_a_damaged_file_goes_to_the_agents(tmp_path: Path) -> None:
    document = write_odt(tmp_path / "damaged.odt", Table(ROWS))
    document.write_bytes(document.read_bytes()[:-200])  # a container without its end
    playbook = tmp_path / "nothing.yaml"
    playbook.write_text(
        "playbook: 1\nname: nothing\nhost:\n"
        "  - {on: {role: dialog}, status: ASSIGN, agent: answer, subtask: Do not repair it}\n"
        "  - {status: FINISH, result: left as it is}\n"
        "agents:\n  answer:\n"
        "    - {tool: invoke, on: {role: button, name: 'No'}, status: FINISH}\n"
    )
    done = deskhand("run", "x", "--playbook", playbook, "--file", document, "--out", tmp_path / "out", "--json")
    assert done.code == 0, done.err
    assert done.item("reason") == "left as it is"
    copy = tmp_path / "out" / "log" / "documents" / "damaged.odt"
    assert done.item("documents") == [{"path": str(document), "copy": str(copy), "window": "", "changed": False}]


@pytest.mark.full("a program that dies in a session is tried in test_logging_in")
@pytest.mark.requires("cli.exit-codes")
def test_an_application_that_dies_in_the_middle_fails_the_demo(document: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start("demo", "--document", document, "--out", out, "--json")
    said = read_until(process, "write_table")
    offices = [pid for pid in processes_with(f"{out}/log") if _program(pid) == "soffice.bin"]
    assert offices
    for pid in offices:
        os.kill(pid, signal.SIGKILL)
    done = finish(process, said)
    assert done.code == 1, done.err
    assert done.item("outcome") == "failed"
    assert re.search("gone|the application ended", str(done.item("error", "message")))
    assert (out / "report.html").is_file()
    wait_until_ended(processes_with(str(out)))


@pytest.mark.full("both signals take the same way", but=["15-read_table"])
@pytest.mark.requires("cli.signals", "cli.exit-codes", "cli.one-json-object")
@pytest.mark.parametrize(("number", "moment"), [(signal.SIGINT, "write_table"), (signal.SIGTERM, "read_table")])
def test_a_signal_ends_the_demo_and_leaves_nothing(
    document: Path, tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    out = tmp_path / "out"
    process = start("demo", "--document", document, "--out", out, "--json")
    said = read_until(process, moment)
    process.send_signal(number)
    process.send_signal(number)
    done = finish(process, said)
    assert done.code == 6, done.err
    assert done.item("outcome") == "cancelled"
    assert done.item("error", "type") == "Cancelled"
    assert (out / "report.html").is_file()
    assert not (out / "log" / "desktop").exists()
    wait_until_ended(processes_with(str(out)))


@pytest.mark.full("full disks are tried in test_journal and test_resume_store")
@pytest.mark.requires("cli.exit-codes")
def test_a_full_disk_ends_the_demo_with_four_and_the_path(document: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", 700) as disk:
        done = deskhand("demo", "--document", document, "--out", disk / "out", "--json")
    assert done.code == 4, done.err
    assert done.item("outcome") == "error"
    assert str(disk) in str(done.item("error", "message"))
    assert "space" in str(done.item("error", "fix"))
    wait_until_ended(processes_with(str(disk)))


def _program(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()
