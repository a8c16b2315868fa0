"""What is measured says in one sentence what is missing."""

import re
from pathlib import Path

import pytest

from support import ROOT
from tools.needed import end_without


@pytest.mark.requires("build.bench")
def test_a_package_that_is_missing_is_named_with_the_command_that_brings_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end_without("python3-pyatspi", Path(__file__))
    with pytest.raises(SystemExit) as ended:
        end_without("python3-pyatspi", tmp_path / "pyatspi")
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("apt-get install python3-pyatspi")


@pytest.mark.requires("build.bench")
def test_what_measures_with_pyatspi_asks_for_it_before_it_begins() -> None:
    """The walks themselves run on the system's Python, where its absence was a traceback, or nothing at all."""
    apps = [file.name for file in (ROOT / "tests/apps").glob("*.py") if "import pyatspi" in file.read_text("utf-8")]
    assert apps
    users = [
        file for file in (ROOT / "tools").glob("bench_*.py") if any(app in file.read_text("utf-8") for app in apps)
    ]
    assert {file.name for file in users} == {"bench_observe.py", "bench_act.py"}
    for file in users:
        assert 'end_without("python3-pyatspi", PYATSPI)' in file.read_text("utf-8")


@pytest.mark.requires("build.bench")
def test_every_measurement_of_the_makefile_is_a_program_and_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"bench-([a-z]+)", makefile.partition(".PHONY:")[2].partition("\n")[0]))
    assert targets
    for name in targets:
        assert (ROOT / f"tools/bench_{name}.py").is_file()
        assert re.search(rf"^\t@echo .make bench-{name} ", makefile, re.MULTILINE)
        assert re.search(rf"^(bench-\S+ )*bench-{name}[ :]", makefile, re.MULTILINE)
