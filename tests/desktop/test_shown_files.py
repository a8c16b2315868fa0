"""Which file a window shows: never one that only has the same name."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.runtime.open_files import files_of, is_writing
from deskhand.desktop.shown_files import ShownFiles

pytestmark = pytest.mark.requires("effect.saved")


def window(title: str, handle: str = "x:1", pid: int = 7, role: Role = Role.WINDOW) -> TargetInfo:
    return TargetInfo(TargetKind.WINDOW, title, role, handle=handle, pid=pid)


def knowing(*files: str, home: Path = Path("/home/ada"), pages: bool = False) -> ShownFiles:
    def of_process(_: int) -> Sequence[Path]:
        return [Path(file) for file in files]

    return ShownFiles(home, of_process, lambda _: pages)


def test_a_file_counts_once_its_program_is_known_to_have_it_and_its_title_names_it() -> None:
    shown = knowing("/a/letter.odt", "/a/other.odt")
    assert shown.of(window("letter.odt - LibreOffice Writer")).path == Path("/a/letter.odt")
    assert shown.of(window("my letter.odt - LibreOffice Writer")).path is None
    assert shown.of(window("Untitled 1 - LibreOffice Writer")).path is None
    unknown = knowing().of(window("letter.odt - LibreOffice Writer"))
    assert (unknown.path, "no file that" in unknown.why) == (None, True)


def test_of_files_of_one_name_that_counts_which_was_opened_in_the_window_or_is_in_the_folder_that_is_named() -> None:
    shown = knowing("/a/letter.odt", "/b/letter.odt")
    both = shown.of(window("letter.odt - LibreOffice Writer"))
    assert (both.path, "/a/letter.odt, /b/letter.odt" in both.why) == (None, True)
    assert shown.of(window("letter.odt (/b) - gedit")).path == Path("/b/letter.odt")
    assert shown.of(window("letter.odt (/c) - gedit")).path is None
    assert shown.of(window("*/a/letter.odt [Read Only] - Mousepad")).path == Path("/a/letter.odt")
    shown.note(window("letter.odt - LibreOffice Writer"), Path("/c/letter.odt"))
    assert shown.of(window("letter.odt - LibreOffice Writer")).path == Path("/c/letter.odt")
    other = window("letter.odt - LibreOffice Writer", handle="x:2")
    assert shown.of(other).path is None
    assert shown.of(window("letter.odt - LibreOffice Writer", pid=8)).path is None, "the handle is another program's"


def test_what_another_window_shows_is_not_what_this_one_shows_though_it_has_the_name() -> None:
    first, second = (window("letter.odt - LibreOffice Writer", handle=f"x:{number}") for number in (1, 2))
    shown = knowing("/a/letter.odt")
    assert (shown.of(first).path, shown.of(first).certain) == (Path("/a/letter.odt"), False), "its program has it"
    shown.note(first, Path("/a/letter.odt"))
    assert (shown.of(first).path, shown.of(first).certain) == (Path("/a/letter.odt"), True)
    assert shown.of(second).path is None
    shown.note(window("Open", handle="x:3", role=Role.DIALOG), Path("/b/letter.odt"))
    assert (shown.of(second).path, shown.of(second).certain) == (Path("/b/letter.odt"), False)


def test_a_title_that_names_the_folder_is_enough_unless_a_page_may_have_made_it(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.touch()
    titles = (
        f"*{file} - Mousepad",
        f"*notes.txt ({tmp_path}) - gedit",
        "notes.txt (~) - gedit",
        "~/notes.txt - Mousepad",
    )
    for title in titles:
        shown = knowing(home=tmp_path).of(window(title))
        assert (shown.path, shown.certain) == (file, True), title
        assert knowing(home=tmp_path, pages=True).of(window(title)).path is None, title
    assert knowing().of(window(f"{file}.old - Mousepad")).path is None, "there is no such file"


def test_a_folder_that_is_shortened_in_a_title_is_known_by_its_ends() -> None:
    shown = knowing("/long/way/to/it/notes.txt")
    assert shown.of(window("notes.txt (/long/w…to/it) - gedit")).path == Path("/long/way/to/it/notes.txt")
    assert shown.of(window("notes.txt (/short…to/it) - gedit")).path is None


def test_what_a_process_was_started_with_and_is_writing_is_read_from_the_kernel(tmp_path: Path) -> None:
    process, given, opened = tmp_path / "7", tmp_path / "given file.txt", tmp_path / "opened.txt"
    (process / "fd").mkdir(parents=True)
    for file in (given, opened, tmp_path / "by uri.txt"):
        file.touch()
    uri = (tmp_path / "by uri.txt").as_uri()
    (process / "cmdline").write_bytes(f"editor\0--new\0given file.txt\0{uri}\0{tmp_path}\0missing.txt\0".encode())
    (process / "cwd").symlink_to(tmp_path)
    (process / "fd/3").symlink_to(opened)
    (process / "fd/4").symlink_to("pipe:[123]")
    assert set(files_of(7, str(tmp_path))) == {given, tmp_path / "by uri.txt", opened}
    (process / "fdinfo").mkdir()
    for flags, writes in (("0100000", False), ("02100002", True), ("0100001", True)):
        (process / "fdinfo/3").write_text(f"pos:\t0\nflags:\t{flags}\n")
        assert (is_writing(7, opened, str(tmp_path)), is_writing(7, given, str(tmp_path))) == (writes, False)
    assert files_of(8, str(tmp_path)) == ()
