"""Prefixes of desktops are copies: nothing that programs do in one reaches the template or another one."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand.desktop.linux.wine.prefix import link_unchangeable, make_template
from tools.windows_scripts import FOLDER
from windows_programs import Prefix, new_prefix

pytestmark = pytest.mark.desktop

KEY = r"HKCU\Software\Deskhand"
INI = "drive_c/windows/win.ini"
PROGRAM = "drive_c/windows/system32/notepad.exe"


def prefix_in(place: Path) -> Prefix:
    """A prefix of a home of its own."""
    place.mkdir()
    folders = {name: str(place) for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR")}
    return new_prefix(place / ".wine", {**folders, "PATH": os.environ["PATH"]})


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Prefix, Prefix]]:
    folder = tmp_path_factory.mktemp("prefixes")
    prefixes = prefix_in(folder / "first"), prefix_in(folder / "second")
    yield prefixes
    for prefix in prefixes:
        prefix.end()


def stamps(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Facts that a change of a file's content or mode alters."""
    found = [path for path in folder.rglob("*") if not path.is_dir()]
    return {str(path): (s.st_mtime_ns, s.st_size, s.st_mode) for path in found for s in [path.lstat()]}


@pytest.mark.requires("wine.own-prefix")
def test_what_a_program_writes_in_one_prefix_is_in_no_other(two: tuple[Prefix, Prefix]) -> None:
    first, second = two
    wine = first.wine
    template = make_template(wine, FOLDER)
    before, libraries = stamps(template), stamps(wine.libraries)
    first.run("reg", "add", KEY, "/v", "Colour", "/d", "green", "/f")
    first.run("cmd", "/c", r"echo more>>C:\windows\win.ini & echo more>>C:\windows\system32\notepad.exe")
    assert "green" in first.run("reg", "query", KEY, "/v", "Colour")
    assert "green" not in second.run("reg", "query", KEY, "/v", "Colour")
    first.end()  # which writes the registry
    assert "green" in (first.path / "user.reg").read_text("latin-1")
    assert (first.path / INI).read_bytes().rstrip().endswith(b"more")
    assert not (second.path / INI).read_bytes().rstrip().endswith(b"more")
    assert not (second.path / PROGRAM).read_bytes().rstrip().endswith(b"more")
    assert stamps(template) == before
    assert stamps(wine.libraries) == libraries


@pytest.mark.requires("wine.own-prefix")
def test_the_folders_of_a_user_are_the_home_of_the_desktop(two: tuple[Prefix, Prefix]) -> None:
    for prefix in two:
        links = [path for path in (prefix.path / "drive_c/users").rglob("*") if path.is_symlink()]
        assert {path.name for path in links} >= {"Documents", "Desktop"}
        assert {path.readlink() for path in links} == {prefix.path.parent}


def can_only_read(path: object, mode: int) -> bool:
    return mode != os.W_OK


def test_a_file_of_wine_that_the_user_cannot_change_is_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libraries, folder = tmp_path / "libraries", tmp_path / "prefix/drive_c/windows"
    for place, files in (
        (libraries, {"a.dll": "a", "b.dll": "b"}),
        (folder, {"a.dll": "a", "b.dll": "B", "c.ini": "c"}),
    ):
        place.mkdir(parents=True)
        for name, text in files.items():
            (place / name).write_text(text)
    link_unchangeable(tmp_path / "prefix", libraries)
    if os.getuid() == 0:
        assert not (folder / "a.dll").is_symlink()
    monkeypatch.setattr("os.access", can_only_read)
    link_unchangeable(tmp_path / "prefix", libraries)
    assert (folder / "a.dll").readlink() == libraries / "a.dll"
    assert [(folder / name).is_symlink() for name in ("b.dll", "c.ini")] == [False, False]
