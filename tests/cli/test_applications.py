"""Applications and files by their names, from the command line to the saved file."""

import subprocess
from pathlib import Path

import pytest

from cli.driver import PROGRAM, Console, Finished
from session.machine import Machine

BOOK = """\
playbook: 1
name: everything
params: {folder: path}
host:
  - {on: {role: window, name: /notes/}, status: ASSIGN, agent: first, subtask: Write into the notes}
  - {app: Mousepad, args: {file: "${folder}/todo.txt"}, expect: {window: /todo/}}
  - {on: {role: window, name: /todo/}, status: ASSIGN, agent: second, subtask: Write into the list}
  - {tool: launch_application, args: {file: "${folder}/page.html"}, expect: {window: /Seen by nobody else/}}
  - {tool: launch_application, args: {file: "${folder}"}, expect: {window: /^things$/}}
  - {status: FINISH, result: Done}
agents:
  first:
    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}{HOME}"}}
    - {tool: keyboard_input, args: {keys: "in gedit{ENTER}"}, expect: {effect: confirmed}}
    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}s"}}
    - {tool: wait, args: {seconds: 1}}
    - {status: FINISH}
  second:
    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}{HOME}"}}
    - {tool: keyboard_input, args: {keys: "in Mousepad{ENTER}"}, expect: {effect: confirmed}}
    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}s"}}
    - {tool: wait, args: {seconds: 1}}
    - {status: FINISH}
"""


@pytest.mark.desktop
@pytest.mark.requires("applications.real", "applications.names", "applications.files")
def test_files_open_where_names_and_the_machine_say_and_are_saved_there(tmp_path: Path) -> None:
    things = tmp_path / "things"
    things.mkdir()
    (things / "todo.txt").write_text("milk\n")
    (things / "page.html").write_text("<title>Seen by nobody else</title>")
    (tmp_path / "notes.ini").write_text("[x]\n")
    (tmp_path / "book.yaml").write_text(BOOK)
    told = subprocess.run(
        [
            *PROGRAM,
            *("run", "Write with Mousepad; look with chromium and the File Manager", "--json"),
            *("--playbook", "book.yaml", "--param", "folder=things", "--out", "out"),
            *("--app", "gedit", "--file", "notes.ini", "--in-place"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    done = Finished(told.returncode, told.stdout, told.stderr)
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert (tmp_path / "notes.ini").read_text() == "in gedit\n[x]\n"
    assert (things / "todo.txt").read_text() == "in Mousepad\nmilk\n"
    assert [subtask["application"] for subtask in done.items("subtasks")] == ["gedit", "mousepad"]


@pytest.mark.requires("applications.listed")
def test_the_applications_of_the_machine_are_listed_with_what_they_open(
    console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in Machine(tmp_path).with_editors().environment().items():
        monkeypatch.setenv(name, value)
    lines = console("applications").out.splitlines()
    assert "org.gnome.gedit (gedit): opens text/plain" in lines
    assert "vim: cannot be opened: it runs in a terminal" in lines
    listed = {str(item["id"]): item for item in console("applications", "--json").items("applications")}
    assert listed["writer"]["command"] == ["soffice", "--writer", "{file}"]
    assert {"libreoffice-writer", "LibreOffice Writer", "Word Processor"} <= set(listed["writer"]["answers_to"])  # pyright: ignore[reportArgumentType]
    assert listed["vim"]["problem"] == "it runs in a terminal"
    assert listed["math"]["listed"] is False, "this machine's LibreOffice has no entry for it"


@pytest.mark.requires("applications.names", "applications.files")
def test_what_no_name_or_file_means_ends_before_anything_starts(
    console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(tmp_path).with_editors()
    machine.types()
    machine.install("kate")
    machine.entry("kate", "Name=Kate\nGenericName=Text Editor\nExec=kate %U")
    for name, value in machine.environment().items():
        monkeypatch.setenv(name, value)
    book = tmp_path / "book.yaml"
    book.write_text(BOOK)
    picture = tmp_path / "a.png"
    picture.touch()
    for options, kind, told in (
        (["--app", "Text Editor"], "ApplicationAmbiguous", "kate, org.xfce.mousepad (Mousepad)"),
        (["--app", "vim"], "ApplicationUnusable", "terminal"),
        (["--app", "geditt"], "ApplicationUnknown", "deskhand applications"),
        (["--file", picture], "NothingOpens", "image/png"),
        (["--file", picture, "--with", "nowhere"], "ApplicationUnknown", "'nowhere'"),
        (["--with", "gedit"], "UsageError", "--with opens the files of --file"),
        (["--file", ""], "UsageError", "--file is empty"),
    ):
        done = console("run", "x", "--playbook", book, "--param", "folder=x", "--desktop", ":9", "--json", *options)
        assert (done.code, done.item("error", "type")) == (2, kind)
        assert told in done.err
