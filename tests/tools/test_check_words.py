"""Forbidden words are found however they are spelt, and nothing else is."""

from pathlib import Path

import pytest

from tools.check_words import HOSTS, findings, hosts_in, project_files, words_in_python

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.requires("build.words")
@pytest.mark.parametrize("host", HOSTS)
def test_a_registry_host_is_found_with_its_line(host: str) -> None:
    assert [line for line, _ in hosts_in(f"first\nhttps://files.{host.upper()}/simple\n")] == [2]


@pytest.mark.requires("build.words")
@pytest.mark.parametrize(
    "text",
    [
        "import unittest.mock",
        "import unittest.mock as m",
        "from unittest import mock",
        "from unittest.mock import patch",
        "import time\ntime.sleep(1)",
        "import time as t\nt.sleep(1)",
        "from time import sleep",
        "from asyncio import sleep as wait",
        "import asyncio\nasync def f():\n    await asyncio.sleep(0.1)",
        "import anyio\nasync def f():\n    await anyio.sleep(0)",
        "import time\nwait = time.sleep",
    ],
)
def test_mocks_and_sleeps_are_found(text: str) -> None:
    assert list(words_in_python(text))


@pytest.mark.parametrize(
    "text",
    [
        "import time\ntime.monotonic()",
        "import unittest",
        "import anyio\nasync def f():\n    await anyio.sleep_forever()",
        "class Bed:\n    def sleep(self): ...\nbed = Bed()\nbed.sleep()",
        "'''Never time.sleep(1), nor unittest.mock.'''",
    ],
)
def test_harmless_code_is_left_alone(text: str) -> None:
    assert list(words_in_python(text)) == []


def test_a_file_may_sleep_with_a_reason_and_needs_none_once_it_does_not(tmp_path: Path) -> None:
    sleeper, other = tmp_path / "sleeper.py", tmp_path / "other.py"
    sleeper.write_text("import time\ntime.sleep(1)\n")
    other.write_text("")
    allowed = {"sleeper.py": "the wait is the point"}
    assert findings(tmp_path, [sleeper, other], allowed) == []
    assert findings(tmp_path, [sleeper], {}) != []
    assert findings(tmp_path, [sleeper, other], {**allowed, "other.py": "once"}) == [
        "other.py: stands in SLEEPERS and does not sleep"
    ]


@pytest.mark.parametrize("cloned", [True, False])
def test_without_git_the_files_of_the_project_are_found_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, cloned: bool
) -> None:
    monkeypatch.setenv("PATH", "")
    if cloned:
        (tmp_path / ".git").mkdir()
    for name in ("src/a.py", "README.md", ".venv/lib/b.py", "src/__pycache__/a.pyc", ".ci/run"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    names = {path.relative_to(tmp_path).as_posix() for path in project_files(tmp_path)}
    assert names == {"src/a.py", "README.md", ".ci/run"}


@pytest.mark.long
def test_this_project_is_looked_at_as_a_whole() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in project_files(ROOT)}
    assert {"Makefile", "requirements.lock", "src/deskhand/core/errors.py", "tests/requirements.toml"} <= names
    assert not [name for name in names if name.startswith((".venv/", ".tools/", ".git/"))]
