"""Files by the names that programs of Windows and of Linux give them."""

from pathlib import Path

import pytest

from deskhand.desktop.linux.wine.paths import linux_path, program_file, windows_path


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    prefix = tmp_path / "prefix"
    for folder in ("windows/system32", "Program Files/Editor"):
        (prefix / "drive_c" / folder).mkdir(parents=True)
    (prefix / "dosdevices").mkdir()
    (prefix / "dosdevices" / "c:").symlink_to("../drive_c")
    (prefix / "dosdevices" / "z:").symlink_to("/")
    for file in ("windows/notepad.exe", "windows/system32/notepad.exe", "Program Files/Editor/Edit.exe"):
        (prefix / "drive_c" / file).touch()
    return prefix


def test_a_file_is_named_on_the_drive_that_is_nearest(prefix: Path) -> None:
    assert windows_path(prefix / "drive_c/windows/notepad.exe", prefix) == r"C:\windows\notepad.exe"
    assert windows_path(Path("/etc/passwd"), prefix) == r"Z:\etc\passwd"
    assert windows_path(Path("/"), prefix) == "Z:\\"


def test_a_file_on_no_drive_has_no_name(prefix: Path) -> None:
    (prefix / "dosdevices" / "z:").unlink()
    assert windows_path(Path("/etc/passwd"), prefix) is None


@pytest.mark.parametrize("name", [r"C:\Windows\NOTEPAD.exe", "c:/windows/notepad.exe"])
def test_a_windows_path_is_found_in_any_case(prefix: Path, name: str) -> None:
    assert linux_path(name, prefix) == prefix / "drive_c/windows/notepad.exe"


@pytest.mark.parametrize("name", [r"C:\windows\none.exe", r"D:\notepad.exe", r"\\server\share\x.exe"])
def test_a_windows_path_of_nothing_is_none(prefix: Path, name: str) -> None:
    assert program_file(name, prefix) is None


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("notepad.exe", "windows/system32/notepad.exe"),
        ("NOTEPAD.EXE", "windows/system32/notepad.exe"),
        ("edit.exe", "Program Files/Editor/Edit.exe"),
        (r"C:\Program Files\Editor\edit.exe", "Program Files/Editor/Edit.exe"),
    ],
)
def test_a_program_is_found_by_its_name_or_path(prefix: Path, name: str, file: str) -> None:
    assert program_file(name, prefix) == prefix / "drive_c" / file


def test_a_program_in_the_present_folder_comes_first(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (prefix.parent / "notepad.exe").touch()
    monkeypatch.chdir(prefix.parent)
    assert program_file("notepad.exe", prefix) == prefix.parent / "notepad.exe"
    assert program_file("./none.exe", prefix) is None
