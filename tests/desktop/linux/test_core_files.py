"""The core file of a process is found by the kernel's pattern, or its absence is explained."""

from pathlib import Path

import pytest

from deskhand.core.errors import BacktraceMissing
from deskhand.desktop.linux.runtime.core_files import core_file, remove_core
from deskhand.desktop.linux.runtime.program_exits import Origin
from deskhand.desktop.processes import ProcessId

pytestmark = pytest.mark.requires("python.crash")


def origin(folder: Path, noted_at: float = 0.0) -> Origin:
    return Origin(ProcessId(42, 1), None, Path("/usr/bin/app"), folder, noted_at)


@pytest.mark.parametrize(
    ("pattern", "name", "with_pid"),
    [
        ("core", "core", False),
        ("core", "core.42", True),
        ("core.%e.%p", "core.app.42", False),
        ("a%%b-%P-%t", "a%b-42-1700000000", True),
    ],
)
def test_it_is_found_by_the_pattern(tmp_path: Path, pattern: str, name: str, with_pid: bool) -> None:
    (tmp_path / name).touch()
    (tmp_path / "core.43").touch()
    assert core_file(origin(tmp_path), pattern, with_pid=with_pid) == tmp_path / name
    other = core_file(origin(Path("/")), f"{tmp_path}/{pattern}", with_pid=with_pid)
    assert other == tmp_path / name


def test_the_one_of_a_process_is_removed_unless_an_administrator_collects_them(tmp_path: Path) -> None:
    mine, another = tmp_path / "core.42", tmp_path / "core.43"
    for path in (mine, another):
        path.touch()
    remove_core(origin(tmp_path), f"{tmp_path}/core.%p", with_pid=False)
    assert mine.exists()
    remove_core(origin(tmp_path, mine.stat().st_mtime + 1), "core.%p", with_pid=False)
    assert mine.exists(), "it is older than the process"
    remove_core(origin(tmp_path), "core.%p", with_pid=False)
    remove_core(origin(tmp_path), "core.%p", with_pid=False)
    assert (mine.exists(), another.exists()) == (False, True)


def test_one_that_is_older_or_goes_elsewhere_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "core").touch()
    after = (tmp_path / "core").stat().st_mtime + 1
    with pytest.raises(BacktraceMissing, match=r"no core file .*/core of process 42"):
        core_file(origin(tmp_path, after), "core", with_pid=False)
    with pytest.raises(BacktraceMissing, match="hands core files to /usr/lib/systemd/systemd-coredump") as caught:
        core_file(origin(tmp_path), "|/usr/lib/systemd/systemd-coredump %P %u", with_pid=False)
    assert caught.value.fix == "ask it, as by: coredumpctl info 42"
