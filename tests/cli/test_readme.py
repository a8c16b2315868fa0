"""What README.md shows works as it is printed there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.driver import deskhand, environment
from deskhand.cli.app import VERBS
from documents import Text, write_odt
from support import ROOT


def readme() -> str:
    return (ROOT / "README.md").read_text()


def block(language: str) -> str:
    """The one block of code in that language."""
    (code,) = re.findall(rf"```{language}\n(.*?)```", readme(), re.DOTALL)
    return str(code)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, with a document and the playbook of the README."""
    monkeypatch.chdir(tmp_path)
    write_odt(tmp_path / "letter.odt", Text("Dear Ada"))
    (tmp_path / "bold.yaml").write_text(block("yaml"))
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
    shutil.unpack_archive(folder / "out/log/documents/letter.odt", folder / "saved", "zip")
    assert 'fo:font-weight="bold"' in (folder / "saved/content.xml").read_text()


@pytest.mark.desktop
def test_its_python_runs_the_playbook(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", block("python")],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "success The text is bold\n"
