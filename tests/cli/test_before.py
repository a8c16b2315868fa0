"""What ends `demo` and `run` before anything has started."""

import errno
import json
import os
import shlex
import sqlite3
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from cli.driver import PROGRAM, SESSION_KEYS, Console, environment
from deskhand.core.json import JsonObject
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal, read_events
from documents import Table, write_docx, write_odt

ROWS = [["Region", "Q1"], ["North", "1"]]
PLAYBOOK = """\
playbook: 1
name: nothing
params: {output: path, table: {type: selector, default: {role: table}}}
host:
  - {status: FINISH, result: done}
agents: {}
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return write_odt(tmp_path / "report.odt", Table(ROWS))


@pytest.fixture
def playbook(tmp_path: Path) -> Path:
    path = tmp_path / "nothing.yaml"
    path.write_text(PLAYBOOK)
    return path


def write_parts(path: Path, parts: Mapping[str, str]) -> None:
    """A container with these parts, and whatever is in them."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def refused(console: Console, *arguments: object) -> str:
    """The message of a command that ends with 2, its JSON object complete."""
    done = console(*arguments, "--json")
    assert done.code == 2, done
    assert set(done.json) == SESSION_KEYS
    assert done.item("error", "fix")
    return str(done.item("error", "message"))


@pytest.mark.requires("demo.bad-input")
@pytest.mark.parametrize(
    "name",
    [
        "missing.odt",
        "folder.odt",
        "pipe.odt",
        "broken.odt",
        "half.odt",
        "flipped.odt",
        "empty.docx",
        "table.xlsx",
        "renamed.odt",
    ],
)
def test_the_demo_refuses_what_is_no_text_document(console: Console, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.odt").mkdir()
    os.mkfifo(tmp_path / "pipe.odt")
    (tmp_path / "broken.odt").write_bytes(b"PK\x03\x04 and then nothing")
    write_parts(tmp_path / "half.odt", {"content.xml": "<office:document-content><and then nothing"})
    whole = write_odt(tmp_path / "flipped.odt", Table(ROWS)).read_bytes()
    (tmp_path / "flipped.odt").write_bytes(whole.replace(b"North", b"n0rth"))
    (tmp_path / "empty.docx").touch()
    (tmp_path / "table.xlsx").touch()
    write_docx(tmp_path / "renamed.odt", Table(ROWS))
    out = tmp_path / "out"
    assert name in refused(console, "demo", "--document", tmp_path / name, "--out", out)
    assert not out.exists()


@pytest.mark.requires("demo.bad-input")
def test_a_protected_document_is_told_before_an_application_asks_for_its_password(
    console: Console, tmp_path: Path
) -> None:
    manifest = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    write_parts(tmp_path / "secret.odt", {"META-INF/manifest.xml": manifest, "content.xml": "\x01\x02"})
    (tmp_path / "secret.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more")
    for name in ("secret.odt", "secret.docx"):
        assert "password" in refused(console, "demo", "--document", tmp_path / name, "--out", tmp_path / "out")


def test_run_does_not_wait_for_the_writer_of_a_pipe(console: Console, playbook: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.odt")
    assert "pipe" in refused(console, "run", "x", "--playbook", playbook, "--file", tmp_path / "pipe.odt")


@pytest.mark.requires("demo.bad-input")
def test_the_demo_replaces_nothing_unasked(console: Console, document: Path, tmp_path: Path) -> None:
    output = tmp_path / "out" / "sales.ods"
    output.parent.mkdir()
    output.write_text("mine")
    message = refused(console, "demo", "--document", document, "--out", output.parent)
    assert str(output) in message
    assert output.read_text() == "mine"


@pytest.mark.requires("demo.bad-input")
def test_the_demo_keeps_the_log_of_an_earlier_run(console: Console, document: Path, tmp_path: Path) -> None:
    journal = tmp_path / "out" / "log" / "journal.sqlite"
    journal.parent.mkdir(parents=True)
    sqlite3.connect(journal).close()
    assert str(journal) in refused(console, "demo", "--document", document, "--out", tmp_path / "out")


@pytest.mark.requires("demo.bad-input")
def test_force_leaves_a_session_alone_that_still_runs(console: Console, document: Path, tmp_path: Path) -> None:
    with Journal(tmp_path / "log", SystemClock()) as journal:
        for options in ((), ("--force",)):
            assert "running" in refused(console, "demo", "--document", document, "--out", tmp_path, *options)
        assert journal.path.exists()


@pytest.mark.requires("demo.bad-input")
def test_force_replaces_no_folder_where_the_spreadsheet_would_go(
    console: Console, document: Path, tmp_path: Path
) -> None:
    (tmp_path / "out" / "sales.ods").mkdir(parents=True)
    message = refused(console, "demo", "--document", document, "--out", tmp_path / "out", "--force")
    assert message == f"{tmp_path}/out/sales.ods is a folder"


@pytest.mark.requires("demo.bad-input")
def test_a_folder_called_log_that_holds_no_session_is_left_alone(
    console: Console, document: Path, tmp_path: Path
) -> None:
    for name in ("sales.ods", "log/build.txt"):
        file = tmp_path / "out" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
    message = refused(console, "demo", "--document", document, "--out", tmp_path / "out", "--force")
    assert f"{tmp_path}/out/log" in message
    assert (tmp_path / "out/log/build.txt").read_text() == "mine"


@pytest.mark.requires("demo.bad-input")
def test_a_page_of_another_is_replaced_only_where_one_says_so(
    console: Console, document: Path, playbook: Path, tmp_path: Path
) -> None:
    (tmp_path / "report.html").write_text("mine")
    assert "report.html" in refused(console, "demo", "--document", document, "--out", tmp_path)
    command = ("run", "x", "--playbook", playbook, "--param", "output=x", "--desktop", "nosuch", "--out", tmp_path)
    assert "report.html" in refused(console, *command)
    assert (tmp_path / "report.html").read_text() == "mine"


@pytest.mark.parametrize("option", ["--document", "--file", "--param", "--playbook"])
def test_what_a_run_is_about_is_not_removed_with_the_log_it_lies_in(
    console: Console, playbook: Path, tmp_path: Path, option: str
) -> None:
    log = tmp_path / "out" / "log"
    log.mkdir(parents=True)
    (log / "journal.sqlite").touch()
    document = write_odt(log / "worked.odt", Table(ROWS))
    if option == "--playbook":
        document.write_text(PLAYBOOK)
    link = tmp_path / "link.odt"
    link.symlink_to(document)
    for path in (document, link):
        options = [option, f"output={path}" if option == "--param" else path, "--out", tmp_path / "out", "--force"]
        verb = ["demo"] if option == "--document" else ["run", "x", "--playbook", playbook, "--desktop", "nosuch"]
        verb += ["--param", "output=x"] if option in {"--file", "--playbook"} else []
        assert f"{path} " in refused(console, *verb, *options)
        assert document.is_file()


def test_a_log_that_cannot_be_removed_ends_the_command(
    console: Console, document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("deskhand.cli.preflight.shutil.rmtree", fail)
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "journal.sqlite").touch()
    done = console("demo", "--document", document, "--out", tmp_path, "--force", "--json")
    assert (done.code, done.item("error", "type")) == (4, "StoreError")
    assert done.item("error", "message") == f"Could not remove {tmp_path}/log: Permission denied."


def test_a_path_that_cannot_be_is_told_with_the_parameter_that_has_it(console: Console, playbook: Path) -> None:
    long = "x" * 300
    assert long in refused(console, "run", "x", "--playbook", playbook, "--param", f"output={long}")


def test_a_parameter_cannot_be_the_page_of_its_session(console: Console, playbook: Path, tmp_path: Path) -> None:
    page = tmp_path / "out" / "report.html"
    options = ["--param", f"output={page}", "--out", page.parent, "--desktop", "nosuch"]
    assert f"{page} " in refused(console, "run", "x", "--playbook", playbook, *options)
    assert not page.exists()


@pytest.mark.parametrize("name", ["x" * 300, "/".join(["x" * 200] * 3), os.fsdecode(b"\xff\xfe")])
def test_a_folder_that_cannot_be_is_told(console: Console, document: Path, tmp_path: Path, name: str) -> None:
    assert "the path" in refused(console, "demo", "--document", document, "--out", tmp_path / name)


def test_a_file_is_no_folder_for_the_output(console: Console, document: Path) -> None:
    assert "is not a folder" in refused(console, "demo", "--document", document, "--out", document)


@pytest.mark.requires("demo.bad-input", "cli.exit-codes")
@pytest.mark.parametrize("program", ["Xvfb", "soffice"])
def test_a_missing_program_is_named_with_what_brings_it(
    console: Console, document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for present in {"Xvfb", "dbus-daemon", "openbox", "soffice"} - {program}:
        (programs / present).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(programs))
    done = console("demo", "--document", document, "--out", tmp_path / "out", "--json")
    assert done.code == 2
    assert done.item("error", "type") == "MissingRequirement"
    assert program in str(done.item("reason"))
    assert "apt-get install" in str(done.item("error", "fix"))
    assert not (tmp_path / "out").exists()


def test_a_wrong_setting_is_told_before_anything_starts(
    console: Console, document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_SYSTEM__MAX_STEPS", "3")
    assert "max_step" in refused(console, "demo", "--document", document)


@pytest.mark.requires("model.names", "model.keys")
def test_run_says_what_is_wrong_with_a_model_before_anything_starts(console: Console) -> None:
    assert "not provider:name" in refused(console, "run", "x", "--model", "gpt")
    assert "OPENAI_API_KEY" in refused(console, "run", "x", "--model", "openai:gpt")
    book = ("--playbook", "book.yaml")
    assert "exclude each other" in refused(console, "run", "x", "--model", "openai:gpt", *book)


def test_run_needs_somebody_who_decides(console: Console) -> None:
    assert "no model is chosen" in refused(console, "run", "x")


def test_run_needs_steps_for_the_host(console: Console, tmp_path: Path) -> None:
    path = tmp_path / "hostless.yaml"
    path.write_text("playbook: 1\nname: n\nagents:\n  writer: [{status: FINISH}]\n")
    assert "no steps for the host" in refused(console, "run", "x", "--playbook", path)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--param", "output"], "NAME=VALUE"),
        (["--param", "outptu=x"], "outptu"),
        ([], "'output' (path) is missing"),
        (["--param", "output=x", "--file", "/nowhere/a.odt"], "/nowhere/a.odt"),
        (["--param", "output=x", "--file", "/usr/bin/env"], "application/octet-stream"),
        (["--param", "output=x", "--app", "emacs"], "emacs"),
        (["--param", "output=x", "--table", "0"], "counted from 1"),
        (["--param", "output=x", "--ask", "terminal"], "terminal"),
        (["--param", "output=x", "--confirm", "ask"], "terminal"),
        (["--param", "output=x", "--confirm", "/nowhere/answers.yaml"], "/nowhere/answers.yaml"),
        (["--param", "output=x", "--config", "/nowhere/config.yaml"], "/nowhere/config.yaml"),
        (["--param", "output=x", "--max-step", "0"], "max_step"),
    ],
)
def test_run_names_the_option_that_is_wrong(console: Console, playbook: Path, options: list[str], word: str) -> None:
    assert word in refused(console, "run", "x", "--playbook", playbook, *options)


@pytest.mark.requires("cli.exit-codes")
def test_a_desktop_that_is_not_up_ends_the_session_with_two(console: Console, playbook: Path, tmp_path: Path) -> None:
    done = console(
        "run",
        "do it",
        "--playbook",
        playbook,
        "--param",
        "output=x",
        "--desktop",
        "nosuch",
        "--out",
        tmp_path,
        "--json",
    )
    assert done.code == 2
    assert done.item("outcome") == "error"
    assert "nosuch" in str(done.item("error", "message"))
    assert done.item("session_dir") == str(tmp_path / "log")
    assert (tmp_path / "report.html").is_file()


@pytest.mark.full("a start of the command each; this one has them all", but=["<&- >&- 2>&-"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.long
def test_closed_streams_change_nothing(playbook: Path, tmp_path: Path, closed: str) -> None:
    words = ["run", "x", "--playbook", playbook, "--out", tmp_path / "out", "--desktop", "not-up", "--json"]
    words += ["--param", "output=sales.ods"]
    line = shlex.join([*PROGRAM, *map(str, words)])
    assert subprocess.run(["sh", "-c", f"{line} {closed}"], env=environment(), check=False).returncode == 2
    assert list(read_events(tmp_path / "out" / "log"))


@pytest.mark.long
def test_a_result_that_cannot_be_written_is_told(playbook: Path, tmp_path: Path) -> None:
    words = ["run", "x", "--playbook", playbook, "--out", tmp_path / "out", "--desktop", "not-up", "--json"]
    line = shlex.join([*PROGRAM, *map(str, words), "--param", "output=sales.ods"])
    done = subprocess.run(["sh", "-c", f"{line} >/dev/full"], env=environment(), capture_output=True, check=False)
    assert done.returncode == 4
    assert b"Could not write the result: No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_without_out_a_session_lives_with_the_others(console: Console, playbook: Path, own_environment: Path) -> None:
    done = console("run", "do it", "--playbook", playbook, "--param", "output=x", "--desktop", "nosuch", "--json")
    sessions = own_environment / "state" / "deskhand" / "sessions"
    assert done.item("session_dir") == str(sessions / str(done.item("session_id")))


@pytest.mark.requires("cli.which-desktop")
@pytest.mark.parametrize("verb", [["windows"], ["observe"], ["screenshot", "-o", "x.png"], ["launch", "--", "true"]])
def test_a_verb_needs_a_desktop(console: Console, verb: list[str]) -> None:
    done = console(*verb[:1], "--json", *verb[1:])
    assert done.code == 2
    assert "no desktop is up" in done.err


@pytest.mark.requires("cli.which-desktop")
def test_the_environment_says_which_desktop(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_DESKTOP", "other")
    done = console("windows")
    assert done.code == 2
    assert "'other'" in done.err


@pytest.mark.parametrize("display", [":9753", ":65000", ":x"])
def test_a_display_without_a_server_is_a_usage_error(console: Console, display: str) -> None:
    done = console("windows", "--desktop", display)
    assert done.code == 2
    assert display in done.err


def test_the_environment_of_another_display_is_refused(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":9754")
    done = console("windows", "--desktop", ":9753")
    assert done.code == 2
    assert ":9754" in done.err


def test_a_folder_without_a_journal_has_no_report(console: Console, tmp_path: Path) -> None:
    done = console("report", tmp_path, "--json")
    assert done.code == 2
    assert set(done.json) == {"error"}


@pytest.mark.requires("cli.stale-desktops")
def test_stale_entries_are_cleaned_away(console: Console, own_environment: Path) -> None:
    registry = own_environment / "state" / "deskhand" / "desktops"
    registry.mkdir(parents=True)
    old: JsonObject = {"name": "old", "display": ":99", "environment": {}, "a11y_address": "", "mark": "none"}
    old |= {"directory": "/nonexistent/a", "runtime": "/nonexistent/b"}
    old |= {"boot": "earlier", "keepers": [], "programs": []}
    (registry / "old.json").write_text(json.dumps(old))
    ended = [{"name": "old", "why": "the machine was started again"}]
    assert console("desktop", "list", "--json").json == {"desktops": [], "ended": ended, "unusable": []}
    assert console("desktop", "stop", "--all", "--json").json == {"stopped": []}
    assert not list(registry.glob("*.json"))


def test_stopping_needs_a_name_or_all(console: Console) -> None:
    assert console("desktop", "stop").code == 2
    assert console("desktop", "stop", "a", "--all").code == 2
    assert console("desktop", "stop", "a").code == 2


@pytest.mark.parametrize("size", ["big", "1920", "1920x1080x24", "99999x600"])
def test_a_size_is_width_and_height(console: Console, size: str) -> None:
    assert console("desktop", "start", "a", "--size", size).code == 2


def test_a_state_folder_that_cannot_be_made_is_named(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKHAND_DESKTOPS", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    for verb in (["desktop", "list"], ["desktop", "start", "a"], ["windows"]):
        done = console(*verb)
        assert (verb, done.code) == (verb, 2)
        assert "/dev/null/deskhand/desktops" in done.err
        assert "XDG_STATE_HOME" in done.err


def test_a_launch_of_nothing_is_a_usage_error(console: Console) -> None:
    done = console("launch", "--", "")
    assert (done.code, "no program is named" in done.err) == (2, True)


@pytest.mark.full("a start of the command each; all verbs print in one place", but=["verb0"])
@pytest.mark.parametrize("verb", [["models", "list"], ["desktop", "list", "--json"], ["doctor"], ["--version"]])
@pytest.mark.long
def test_a_result_that_the_disk_cannot_take_is_told_as_that(verb: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROGRAM, *verb], env=environment(), stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, b"Could not write the result: No space left" in done.stderr) == (4, True)
