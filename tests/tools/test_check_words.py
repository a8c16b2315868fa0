"""Forbidden words are found however they are spelt, and nothing else is."""

from pathlib import Path

import pytest

from tools.check_words import (
    HOSTS,
    LIMITS,
    Figures,
    figures_of,
    findings,
    hosts_in,
    over_limit,
    project_files,
    room_of,
    words_in_python,
)

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
        "other.py: is listed in SLEEPERS and does not sleep"
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


@pytest.mark.requires("build.marker-words")
def test_marker_words_are_counted_in_docstrings_comments_and_pages_without_code(tmp_path: Path) -> None:
    module, page = tmp_path / "src/deskhand/store/lock.py", tmp_path / "docs/page.md"
    for path in (module, page):
        path.parent.mkdir(parents=True)
    module.write_text(
        '"""What is told."""\n\nname = "told"\n"""Whether `told` counts."""\n# it says so  # noqa\n# noqa: what\n'
    )
    page.write_text("It stands [here](what/told.md).\n\n```\nwhat it says\n```\n")
    rooms = figures_of(tmp_path, [module, page])
    assert dict(rooms["src/store"].markers) == {"what": 1, "told": 1, "says": 1}
    assert (rooms["src/store"].words, rooms["src/store"].openings) == (9, 2)
    assert (dict(rooms["docs"].markers), rooms["docs"].words) == ({"stands": 1}, 3)


@pytest.mark.requires("build.marker-words")
def test_a_room_over_its_limit_is_named_and_one_without_a_limit_has_the_aim() -> None:
    room = Figures(words=1000, openings=1)
    room.markers.update({"what": 5})
    assert list(over_limit({"tools": room}, {"tools": (5, 1)})) == []
    assert len(list(over_limit({"tools": room}, {"tools": (4, 0)}))) == 2
    assert len(list(over_limit({"tools": room}, {}))) == 2


@pytest.mark.long
def test_every_limit_is_of_a_room_that_there_is() -> None:
    rooms = {room_of(path.relative_to(ROOT)) for path in project_files(ROOT)}
    assert [room for room in LIMITS if room not in rooms] == []
