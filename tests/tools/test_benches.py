"""The benchmarks that open applications can be made ready: what they open is there."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tools import bench_observe, bench_tokens

pytestmark = pytest.mark.requires("build.bench")


@pytest.mark.parametrize("subjects", [bench_observe.subjects, bench_tokens.subjects])
def test_a_benchmark_knows_what_it_opens(subjects: Callable[[Path], Sequence[object]], tmp_path: Path) -> None:
    assert len(subjects(tmp_path)) > 4
