"""Start of the bridge: one for each prefix on a desktop, which exposes the windows of its programs to accessibility."""

import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from deskhand.core.errors import LaunchFailed
from deskhand.desktop.linux.wine.processes import BRIDGE_MODULE

BRIDGE: Final = (sys.executable, "-P", "-m", BRIDGE_MODULE)
READY: Final = b"ready"
_READY_S: Final = 25.0
_TAIL: Final = 1000


def ensure_bridge(prefix: Path, environment: Mapping[str, str], command: Sequence[str] = BRIDGE) -> None:
    """Start the bridge of a prefix and wait until it is ready, unless it runs on this desktop.

    It holds a lock for as long as it runs. Raises: LaunchFailed with its last output, OSError.
    """
    folder = Path(environment.get("XDG_RUNTIME_DIR") or prefix)
    stat = prefix.stat()
    name = f"wine-{stat.st_dev:x}-{stat.st_ino:x}"
    with (folder / f"{name}.start").open("w") as start, (folder / f"{name}.lock").open("w") as alive:
        fcntl.flock(start, fcntl.LOCK_EX)
        if _take(alive.fileno()):
            _start(command, environment, alive.fileno(), folder / f"{name}.log")


def _take(lock: int) -> bool:
    """Take a lock; False where a running bridge has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _start(command: Sequence[str], environment: Mapping[str, str], lock: int, log: Path) -> None:
    """Start a bridge that inherits the lock, as no child of ours. Raises: LaunchFailed, OSError."""
    hear, say = os.pipe()
    with os.fdopen(hear, "rb", 0) as heard, log.open("wb") as output:
        starter = os.fork()
        if not starter:
            _start_and_end(command, environment, lock, (say, output.fileno()))
        os.close(say)
        os.waitpid(starter, 0)
        lines = _heard_until_ready(heard.fileno())
    if READY in lines:
        return
    _end(lines)
    said = log.read_bytes()[-_TAIL:].decode(errors="replace").strip()
    raise LaunchFailed(
        f"the bridge to the windows of Windows programs did not get ready. Its output: {said or '(nothing)'}",
        fix="deskhand doctor names what is missing",
    )


def _start_and_end(
    command: Sequence[str], environment: Mapping[str, str], lock: int, outputs: tuple[int, int]
) -> NoReturn:
    """In the forked child: the bridge falls to the desktop's guardian, as we become another program."""
    try:
        bridge = subprocess.Popen(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=outputs[0],
            stderr=outputs[1],
            pass_fds=(lock,),
            start_new_session=True,  # it is no process of the launched program
        )
        os.write(outputs[0], b"%d\n" % bridge.pid)
    except OSError as error:
        os.write(outputs[1], f"{error}\n".encode())
    finally:
        os._exit(0)


def _heard_until_ready(output: int) -> list[bytes]:
    """Return the lines up to the announcement, or all where the bridge ended or time is over."""
    deadline, heard = time.monotonic() + _READY_S, b""
    while READY not in heard.splitlines():
        ready, _, _ = select.select([output], [], [], max(0.0, deadline - time.monotonic()))
        data = os.read(output, 4096) if ready else b""
        if not data:
            break
        heard += data
    return heard.splitlines()


def _end(lines: Iterable[bytes]) -> None:
    """End a bridge that is not ready; one of the lines is its pid."""
    for pid in (int(line) for line in lines if line.isdigit()):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
