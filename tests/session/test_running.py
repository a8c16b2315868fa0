"""What works now is found and stopped from elsewhere, and nothing else is ever hit."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deskhand.desktop.processes import ProcessId, boot_id, identify
from deskhand.session.running_sessions import Running, announced, running, stop
from support import ROOT, wait_until_ended

pytestmark = pytest.mark.requires("guard.stop")

WORK = """
import sys, signal, select
from deskhand.session.running_sessions import announced
if sys.argv[2]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with announced("session", sys.argv[1], "virtual"):
    print("works", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Processes take time that passes."""
    return "asyncio"


@contextmanager
def worker(name: str, *, stubborn: bool = False) -> Generator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", WORK, name, "1" if stubborn else ""],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == "works\n"
        yield process
    finally:
        process.kill()
        process.communicate(timeout=20)
        wait_until_ended([process.pid])


def folder() -> Path:
    return Path(os.environ["XDG_STATE_HOME"]) / "deskhand" / "running"


async def test_what_works_is_found_and_stopped() -> None:
    with worker("first") as process, worker("second"):
        assert [entry.id for entry in running()] == ["first", "second"]
        assert await stop(running()[0], deadline_s=20)
        process.wait(20)
        assert [entry.id for entry in running()] == ["second"]
    assert running() == ()
    assert list(folder().iterdir()) == []


async def test_what_does_not_end_in_time_is_told() -> None:
    with worker("deaf", stubborn=True):
        assert not await stop(running()[0], deadline_s=0.1)


@pytest.mark.parametrize("wrong", ["started", "boot"])
async def test_a_process_that_only_has_the_number_of_one_that_is_gone_is_never_hit(wrong: str) -> None:
    us = identify(os.getpid())
    assert us is not None
    other = ProcessId(us.pid, us.started - (wrong == "started"))
    entry = Running(
        id="gone", what="session", desktop="virtual", boot=f"{boot_id()}{'x' if wrong == 'boot' else ''}", process=other
    )
    folder().mkdir(parents=True)
    (folder() / "1-gone.json").write_text(entry.model_dump_json())
    (folder() / "2-broken.json").write_text("{")
    assert running() == ()
    assert list(folder().iterdir()) == []
    if wrong == "started":
        assert await stop(entry, deadline_s=0)


def test_as_long_as_something_works_it_is_announced() -> None:
    with announced("deskhand act", "7", ":1"):
        (entry,) = running()
        assert (entry.id, entry.what, entry.desktop, entry.process.pid) == ("7", "deskhand act", ":1", os.getpid())
        assert json.loads(next(folder().iterdir()).read_text())["process"]["pid"] == os.getpid()
    assert running() == ()


def test_where_it_cannot_be_announced_it_works_all_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with announced("deskhand act", "7", ":1"):
        assert running() == ()
