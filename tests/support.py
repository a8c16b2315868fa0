"""Waiting for the real world in tests: always for a condition, always with a deadline."""

import errno
import os
import platform
import select
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import pytest
from Xlib import Xatom
from Xlib.display import Display
from Xlib.error import BadWindow

from deskhand.commands.techniques.sandbox import find_sandbox
from tools.bootstrap import is_x86_64

T = TypeVar("T")

ROOT: Final = Path(__file__).parent.parent
FULL: Final = os.environ.get("DESKHAND_TRIALS") == "full"
"""Full trials are run, not the samples of CI."""

QT6: Final = ROOT / ".venv-qt6/bin/python"
"""The Python that has Qt 6; the system's has Qt 5."""

QT_PYTHONS: Final = (Path("/usr/bin/python3"), QT6)
_LOOK_AGAIN_S: Final = 0.02


def wait_for(condition: Callable[[], T], deadline_s: float = 60.0) -> T:
    """What `condition` returns as soon as it is true. Fails at the deadline."""
    end = time.monotonic() + deadline_s
    while not (value := condition()):
        assert time.monotonic() < end, f"nothing came of it within {deadline_s} s"
        select.select([], [], [], _LOOK_AGAIN_S)
    return value


@contextmanager
def writing_to(pipe: Path, deadline_s: float = 60.0) -> Generator[int]:
    """The writing end of a named pipe, once somebody reads it; opening it plainly would wait for ever.

    Fails at the deadline.
    """

    def end() -> list[int]:
        try:
            return [os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)]
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return []

    (opened,) = wait_for(end, deadline_s)
    try:
        yield opened
    finally:
        os.close(opened)


def wait_until_ended(pids: Iterable[int], deadline_s: float = 60.0) -> None:
    """Returns when none of these processes runs. Fails at the deadline."""
    end = time.monotonic() + deadline_s
    for pid in pids:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            ready = select.select([handle], [], [], max(0.0, end - time.monotonic()))[0]
        finally:
            os.close(handle)
        assert ready, f"process {pid} is still there: {command_line(pid)}"


def window_titles(display: str) -> list[str]:
    """The titles of the windows that the window manager of a display manages."""
    connection = Display(display)
    try:
        root = connection.screen().root
        clients = root.get_full_property(connection.intern_atom("_NET_CLIENT_LIST"), Xatom.WINDOW)
        return [_title(connection, window) for window in clients.value] if clients else []
    finally:
        connection.close()


def _title(connection: Display, window: int) -> str:
    try:
        name = connection.create_resource_object("window", window).get_full_property(
            connection.intern_atom("_NET_WM_NAME"), connection.intern_atom("UTF8_STRING")
        )
    except BadWindow:
        return ""
    return name.value.decode(errors="replace") if name and isinstance(name.value, bytes) else ""


def command_line(pid: int) -> str:
    """Empty for a process that is gone or a zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def is_in_ci(name: str, full: pytest.Mark | None) -> bool:
    """False for a test that its marker `full` leaves to full trials; `name`: with its parameters."""
    return full is None or any(has_parameter(name, kept) for kept in full.kwargs.get("but", ()))


def has_parameter(name: str, parameter: str) -> bool:
    """True for a test with this parameter, by its id; or with several, by the ids of neighbours joined."""
    return f"-{parameter}-" in f"-{name.partition('[')[2].removesuffix(']')}-"


def need(*files: Path) -> None:
    """Skips the test where one of them is missing. `make test` brings them all, Qt 6 where there is one for it."""
    for file in files:
        if not file.exists() and file == QT6 and not is_x86_64(platform.machine()):
            pytest.skip(f"not run: Qt 6 is not brought on {platform.machine()}")
        if not file.exists():
            pytest.skip(f"not run: {file} is missing; make test brings it")


def need_sandbox() -> None:
    """Skips where the kernel lets nobody but root make a sandbox, as in a chroot; for root it has to work."""
    if find_sandbox(Path("/tmp"), []) is None:
        assert os.geteuid() != 0, "bubblewrap does not work for root on this machine"
        pytest.skip("not run: bubblewrap may not be used by this user here")
