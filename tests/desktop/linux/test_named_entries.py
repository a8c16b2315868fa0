"""What the registry of named desktops says where its files are not as it wrote them; no desktop is started here."""

import contextlib
import fcntl
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.driver import environment
from deskhand.core.errors import RegistryUnusable
from deskhand.desktop.linux.runtime.named_desktop import open_named, stop_named
from support import wait_for


def _no_folder(registry: Path) -> Path:
    registry.touch()
    return registry


def _no_locks(registry: Path) -> Path:
    registry.mkdir()
    (registry / ".locks").touch()
    return registry / ".locks/one"


def _no_lock(registry: Path) -> Path:
    lock = registry / ".locks/one"
    lock.mkdir(parents=True)
    return lock


def _no_entry(registry: Path) -> Path:
    entry = registry / "one.json"
    entry.mkdir(parents=True)
    return entry


@pytest.mark.requires("cli.stale-desktops")
@pytest.mark.parametrize("happens", [_no_folder, _no_locks, _no_lock, _no_entry])
async def test_a_file_that_cannot_be_used_is_named_with_what_to_do(
    tmp_path: Path, happens: Callable[[Path], Path]
) -> None:
    registry = tmp_path / "desktops"
    file = happens(registry)
    with pytest.raises(RegistryUnusable, match=f" {file}, the registry of desktops: ") as told:
        await stop_named("one", registry=registry)
    assert "free some space there" in told.value.fix
    assert told.value.exit_code == 2


async def test_an_entry_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    _no_entry(tmp_path / "desktops")
    with pytest.raises(RegistryUnusable, match="could not read"):
        await open_named("one", registry=tmp_path / "desktops")


def _files_of(pid: int) -> list[str]:
    found: list[str] = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed just now
            found.append(str(link.readlink()))
    return found


STOP = """
import anyio, signal, sys
from pathlib import Path
from deskhand.core.errors import DesktopBusy
from deskhand.desktop.linux.runtime import named_desktop

async def stop():
    named_desktop._LOCK_S = float(sys.argv[2])
    print("waits", flush=True)
    try:
        await named_desktop.stop_named("one", registry=Path(sys.argv[1]))
    except DesktopBusy:
        print("busy")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
try:
    anyio.run(stop)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.requires("desktop.busy")
@pytest.mark.parametrize(("patience_s", "told"), [(0.1, "busy"), (60.0, "interrupted")])
def test_who_waits_for_another_that_starts_it_ends_when_it_gives_up(
    tmp_path: Path, patience_s: float, told: str
) -> None:
    (tmp_path / ".locks").mkdir()
    with (tmp_path / ".locks/one").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = subprocess.Popen(
            [sys.executable, "-c", STOP, str(tmp_path), str(patience_s)],
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert waiting.stdout
            assert waiting.stdout.readline() == "waits\n"
            if told == "interrupted":
                wait_for(lambda: str(tmp_path / ".locks/one") in _files_of(waiting.pid))
                waiting.send_signal(signal.SIGINT)
            said, _ = waiting.communicate(timeout=10)
        finally:
            waiting.kill()
            waiting.wait()
    assert said == f"{told}\n"
