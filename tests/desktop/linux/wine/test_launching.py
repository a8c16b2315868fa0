"""Commands that are programs of Windows, and what is started in their place."""

import sys
from pathlib import Path

import pytest

from deskhand.core.errors import MissingRequirement
from deskhand.desktop.applications import WITH_CORE
from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE, WineFolder
from deskhand.desktop.linux.wine import installation
from deskhand.desktop.linux.wine.installation import Wine
from deskhand.desktop.linux.wine.launching import under_wine
from deskhand.desktop.protocols.windows import Application

RUN = (sys.executable, "-P", "-m", "deskhand.desktop.linux.wine.run")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user who has installed everything."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    python = WineFolder(tmp_path).python
    python.parent.mkdir()
    python.touch()
    wine = Wine(Path("/wine64"), Path("/wineserver64"), Path("/libraries"))
    monkeypatch.setattr("deskhand.desktop.linux.wine.launching.need_wine", lambda: wine)
    return tmp_path


@pytest.mark.requires("wine.launch")
@pytest.mark.parametrize("before", [(), ("env", "--chdir=/home", "A=1"), (*WITH_CORE, "env", "--chdir=/home")])
@pytest.mark.parametrize("program", ["notepad.exe", "/opt/App.EXE", "shortcut.lnk", "setup.msi", r"C:\a\b.exe"])
def test_a_program_of_windows_is_run_by_wine_in_its_place(folder: Path, before: tuple[str, ...], program: str) -> None:
    given = Application("it", (*before, program, "/p"), (*before, program, "{file}"), environment={"B": "2"})
    started = under_wine(given)
    assert started.argv == (*before, *RUN, program, "/p")
    assert started.argv_with_file == (*before, *RUN, program, "{file}")
    assert started.environment["B"] == "2"
    assert started.environment[FOLDER_VARIABLE] == str(folder)


@pytest.mark.parametrize(
    "argv", [("gedit", "setup.exe"), ("env", "A=b.exe", "gedit"), ("soffice", "--writer"), ("env",)]
)
def test_every_other_command_stays_as_it_is(argv: tuple[str, ...]) -> None:
    given = Application("it", argv)
    assert under_wine(given) is given


def test_a_program_of_linux_with_such_a_name_stays_as_it_is(tmp_path: Path) -> None:
    program = tmp_path / "tool.exe"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    given = Application("it", (str(program),))
    assert under_wine(given) is given


@pytest.mark.requires("wine.missing")
def test_without_wine_the_error_names_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "find_wine", lambda: None)
    with pytest.raises(MissingRequirement, match="needs Wine") as caught:
        under_wine(Application("it", ("notepad.exe",)))
    assert "wine64" in caught.value.fix


@pytest.mark.requires("wine.missing")
def test_without_its_python_the_error_names_the_command_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WineFolder(folder).python.unlink()
    with pytest.raises(MissingRequirement) as caught:
        under_wine(Application("it", ("notepad.exe",)))
    assert caught.value.fix == "deskhand wine install"
