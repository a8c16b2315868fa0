"""Core files of programs that died, and their backtraces by gdb."""

import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio

from deskhand.core.errors import BacktraceMissing, MissingRequirement
from deskhand.desktop.linux.runtime.program_exits import Origin

_PATTERN: Final = Path("/proc/sys/kernel/core_pattern")
_WITH_PID: Final = Path("/proc/sys/kernel/core_uses_pid")
_GDB: Final = ("gdb", "--batch", "-nx", "-ex", "set width 0", "-ex", "thread apply all backtrace")
_GDB_S: Final = 60.0
_ALLOW: Final = "ulimit -c unlimited before the desktop is opened, and launch it with argv"


async def backtrace(origin: Origin) -> str:
    """Return the backtrace of all threads of a process that died, with its core file in the first line.

    Raises: MissingRequirement (no gdb), BacktraceMissing.
    """
    if shutil.which(_GDB[0]) is None:
        raise MissingRequirement("gdb is not installed", fix="sudo apt-get install -y gdb")
    core = core_file(origin, _pattern(), with_pid=_is_with_pid())
    try:
        with anyio.fail_after(_GDB_S):
            done = await anyio.run_process(
                [*_GDB, str(origin.program), str(core)], check=False, stderr=subprocess.DEVNULL
            )
    except TimeoutError as error:
        raise BacktraceMissing(f"gdb did not read {core} in {_GDB_S:g} s", fix="run it by hand") from error
    return f"{core}\n{done.stdout.decode(errors='replace').strip()}"


def remove_core(origin: Origin, pattern: str | None = None, *, with_pid: bool | None = None) -> None:
    """Remove the core file that a process left in its folder when it died; one in another place stays.

    `pattern`, `with_pid`: as of `core_file`; None: the kernel's.
    """
    pattern = _pattern() if pattern is None else pattern
    if not pattern.startswith("/"):
        with suppress(BacktraceMissing, OSError):  # there is none, or it is not ours to remove
            core_file(origin, pattern, with_pid=_is_with_pid() if with_pid is None else with_pid).unlink()


def core_file(origin: Origin, pattern: str, *, with_pid: bool) -> Path:
    """Return the core file of a process, written since its window was first seen.

    `pattern`: of the kernel; `with_pid`: the kernel appends the number of the process.

    Raises: BacktraceMissing where it went to another program, or there is none.
    """
    pid = str(origin.process.pid)
    if pattern.startswith("|"):
        program = pattern[1:].split(maxsplit=1)[0] if pattern[1:].split() else "nothing"
        raise BacktraceMissing(
            f"the kernel hands core files to {program}, and writes none", fix=f"ask it, as by: coredumpctl info {pid}"
        )
    named = "".join(_expanded(part, pid) for part in re.split("(%.)", pattern))
    names = [f"{named}.{pid}", named] if with_pid and "%p" not in pattern.lower() else [named]
    folder = Path("/") if named.startswith("/") else origin.folder
    there = [path for name in names for path in folder.glob(name.lstrip("/")) if path.is_file()]
    found = [path for path in there if path.stat().st_mtime >= origin.noted_at]
    if not found:
        raise BacktraceMissing(f"there is no core file {folder / names[0]} of process {pid}", fix=_ALLOW)
    return max(found, key=lambda path: path.stat().st_mtime_ns)


def _pattern() -> str:
    return _PATTERN.read_text().strip()


def _is_with_pid() -> bool:
    return _WITH_PID.read_text().strip() != "0"


def _expanded(part: str, pid: str) -> str:
    match part:
        case "%%":
            return "%"
        case "%p" | "%P":
            return pid
        case _:
            return "*" if part.startswith("%") else part.replace("*", "[*]").replace("?", "[?]")
