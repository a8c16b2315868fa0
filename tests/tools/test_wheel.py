"""What is installed from a wheel is what the checkout is: every file, every command, the demo."""

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from support import ROOT, need

UV: Final = ROOT / ".tools/uv/bin/uv"
PACKAGED: Final = "deskhand/models/playbooks/writer-table-to-calc-chart.yaml"
IMPORT_ALL: Final = """
import importlib, pkgutil, deskhand
for module in pkgutil.walk_packages(deskhand.__path__, "deskhand."):
    left_out = ("__main__", "operator.anthropic_driver", "telemetry.exporting")
    left_out += ("behave.hooks", "behave.phrases", "behave.steps", "_steps")
    left_out += tuple(f"testing.{name}" for name in ("app_marker", "options", "playbook_tests", "plugin", "repeats"))
    if module.name.endswith(left_out) or ".uno_helper." in module.name or ".desktop.windows." in module.name:
        continue  # the first runs, the others are for packages of extras, the system's Python (`uno`), or Windows
    importlib.import_module(module.name)
print(deskhand.__file__)
"""

pytestmark = [pytest.mark.desktop, pytest.mark.long, pytest.mark.requires("build.wheel")]


def run(*argv: object, cwd: Path, env: Mapping[str, str]) -> str:
    """What a command says on stdout. Fails where it fails."""
    done = subprocess.run(
        [str(word) for word in argv], cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, f"{argv}: {done.stderr or done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT, env=os.environ)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path) -> Path:
    """The folder with the programs of an environment that has the wheel and what it asks for, nothing else."""
    need(UV)
    venv = wheel.parent / "venv"
    told = {**os.environ, "UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never"}
    run(UV, "venv", "-q", "--python", sys.executable, venv, cwd=wheel.parent, env=told)
    install = (UV, "pip", "install", "-q", "--python", venv / "bin/python", "-c", ROOT / "requirements.lock", wheel)
    if subprocess.run([*install, "--offline"], cwd=wheel.parent, env=told, capture_output=True, check=False).returncode:
        run(*install, cwd=wheel.parent, env=told)
    return venv / "bin"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a new user; a home whose path is short, for sockets are in it."""
    return {"HOME": str(tmp_path), "PATH": "/usr/local/bin:/usr/bin:/bin"}


def test_every_file_of_the_package_but_notes_for_its_authors_is_in_the_wheel(wheel: Path) -> None:
    here = {
        str(file.relative_to(ROOT / "src"))
        for file in (ROOT / "src/deskhand").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.name != "NOTES.md"
    }
    with zipfile.ZipFile(wheel) as archive:
        there = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert there == here
    assert PACKAGED in there


def without_extras(text: str) -> str:
    """The output of a command, without the check of an extra, which is not installed with the wheel."""
    return re.sub(r'\{"id": "vision".*?\}, ', "", text)


def test_what_an_installed_one_needs_is_installed_with_it(programs: Path, tmp_path: Path, bare: dict[str, str]) -> None:
    module = Path(run(programs / "python", "-c", IMPORT_ALL, cwd=tmp_path, env=bare).strip())
    assert module.is_relative_to(programs.parent)
    run(programs / "deskhand", "playbook", "lint", module.parents[1] / PACKAGED, cwd=tmp_path, env=bare)


@pytest.mark.full("a minute; the files of the wheel are compared, and others run the demo")
def test_an_installed_one_says_and_does_the_same(programs: Path, tmp_path: Path, bare: dict[str, str]) -> None:
    both = [folder / "deskhand" for folder in (programs, Path(sys.executable).parent)]
    for words in (("--help",), ("doctor", "--json")):
        with ThreadPoolExecutor() as at_once:
            said = [at_once.submit(run, program, *words, cwd=tmp_path, env=bare) for program in both]
        assert without_extras(said[0].result()) == without_extras(said[1].result())
    done = json.loads(run(programs / "deskhand", "demo", "--out", "demo", "--json", cwd=tmp_path, env=bare))
    assert done["outcome"] == "success"
    assert (tmp_path / "demo/sales.ods").is_file()
