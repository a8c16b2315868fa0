"""What README.md shows works as it is printed there."""

import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cli.driver import deskhand, environment
from deskhand.cli.app import VERBS
from documents import Text, write_odt
from support import ROOT, need_sandbox


def readme() -> str:
    return (ROOT / "README.md").read_text()


def block(language: str, name: str = "") -> str:
    """The one block of code in that language that has this word."""
    (code,) = (code for code in re.findall(rf"```{language}\n(.*?)```", readme(), re.DOTALL) if name in code)
    return str(code)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, with a document and the playbook of the README."""
    monkeypatch.chdir(tmp_path)
    write_odt(tmp_path / "letter.odt", Text("Dear Ada"))
    (tmp_path / "bold.yaml").write_text(block("yaml", "name: text-in-bold"))
    return tmp_path


def test_every_verb_it_names_is_there() -> None:
    named = set(re.findall(r"\bdeskhand ([a-z]+)\b", "".join(re.findall(r"```\n(.*?)```", readme(), re.DOTALL))))
    assert named
    assert named <= {verb.name for verb in VERBS}


@pytest.mark.desktop
def test_its_playbook_does_what_it_says(folder: Path) -> None:
    line = re.search(r"`deskhand (run [^`]*bold\.yaml[^`]*)`", readme())
    assert line
    assert line[1] == 'run "Make it bold" --playbook bold.yaml --file letter.odt'
    done = deskhand("run", "Make it bold", "--playbook", "bold.yaml", "--file", "letter.odt", "--out", "out")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split() == ["outcome", "success"]
    assert is_bold(folder / "out/log/documents/letter.odt")


@pytest.mark.desktop
@pytest.mark.requires("shell.assigned")
def test_its_commands_run_in_the_sandbox(folder: Path) -> None:
    need_sandbox()
    (folder / "words.yaml").write_text(block("yaml", "name: words"))
    done = deskhand("run", "Count the words", "--playbook", "words.yaml", "--file", "letter.odt", "--json")
    assert done.code == 0, done.err
    assert done.item("reason") == "2 letter.txt\n"


@pytest.mark.desktop
@pytest.mark.requires("applications.own")
def test_a_line_is_added_to_a_text_in_an_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (echo, run) = re.findall(r"^(echo .*|deskhand run .*--with gedit.*)$", readme(), re.MULTILINE)
    subprocess.run(["sh", "-c", echo], check=True)
    (tmp_path / "bread.yaml").write_text(block("yaml", "name: bread"))
    done = deskhand(*shlex.split(run)[1:], "--out", "out", "--json")
    assert done.code == 0, done.err
    assert (tmp_path / "out/log/documents/notes.txt").read_text() == "Milk\nBread\n"
    assert (tmp_path / "notes.txt").read_text() == "Milk\n"


@pytest.mark.desktop
@pytest.mark.requires("applications.own")
def test_a_page_opens_in_the_browser_and_is_worked_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tip.html").write_text(block("html"))
    (tmp_path / "tip.yaml").write_text(block("yaml", "name: tip"))
    done = deskhand(*command_with("tip.html"), "--json")
    assert done.code == 0, done.err
    assert done.item("reason") == "The tip is 4.2"


@pytest.mark.desktop
def test_its_python_runs_the_playbook(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", block("python", "deskhand.run(")],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    assert done.stdout == "success The text is bold\n"


def command_with(word: str) -> list[str]:
    """The one command line in the text that has this word, without the program's name."""
    (line,) = re.findall(rf"`deskhand ([^`]*{word}[^`]*)`", readme())
    return shlex.split(str(line))


@pytest.mark.desktop
@pytest.mark.requires("round.follower")
def test_its_plan_is_followed(folder: Path) -> None:
    (folder / "plan.json").write_text(block("json"))
    done = deskhand(*command_with("follower"), "--json")
    assert done.code == 0, done.err
    assert done.item("request") == "A letter in bold"
    assert is_bold(folder / "out/log/documents/letter.odt")


@pytest.mark.desktop
@pytest.mark.requires("cli.batch")
def test_its_batch_runs_and_is_not_repeated(folder: Path) -> None:
    (folder / "tasks.jsonl").write_text(block("jsonl"))
    write_odt(folder / "copy.odt", Text("Dear Bob"))
    done = deskhand(*command_with("batch"), "--json")
    assert done.code == 0, done.err
    for name in ("letter", "copy"):
        assert is_bold(folder / f"out/{name}/log/documents/{name}.odt")
    again = deskhand(*command_with("batch"), "--json")
    assert [task["skipped"] for task in again.items("tasks")] == [True, True]


def is_bold(document: Path) -> bool:
    with zipfile.ZipFile(document) as archive:
        return b'fo:font-weight="bold"' in archive.read("content.xml")
