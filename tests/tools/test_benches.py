"""The benchmarks that open applications can be made ready: what they open is there."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tools import bench_observe, bench_peers, bench_tokens, peers

pytestmark = pytest.mark.requires("build.bench")


@pytest.mark.parametrize("subjects", [bench_observe.subjects, bench_tokens.subjects])
def test_a_benchmark_knows_what_it_opens(subjects: Callable[[Path], Sequence[object]], tmp_path: Path) -> None:
    assert len(subjects(tmp_path)) > 4


def test_the_windows_beside_cua_driver_have_goals_and_files(tmp_path: Path) -> None:
    opened = bench_peers.programs(tmp_path)
    assert opened.keys() == bench_peers.GOALS.keys()
    assert all(file.is_file() for argv in opened.values() for file in argv if isinstance(file, Path))


def test_cua_driver_reports_nothing_and_has_a_home_of_its_own(tmp_path: Path) -> None:
    given = peers.cua_environment({"DISPLAY": ":7", "HOME": "/h", "XDG_CACHE_HOME": "/h/.cache"}, tmp_path)
    assert given == {
        **peers.SILENT,
        "DISPLAY": ":7",
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "XDG_CACHE_HOME"),
    }
