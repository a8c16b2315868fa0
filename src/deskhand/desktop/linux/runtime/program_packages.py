"""Versions of the packages that a running program and its toolkit come from, on systems of Debian's kind."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_TOOLKITS: Final = re.compile(
    r"/lib(?:gtk|gdk|adwaita|Qt\d|KF\d|wx_|SDL|FLTK|tk\d|atk|atspi|jvm|EGL|vcllo)[^/]*\.so", re.IGNORECASE
)
_QUERY: Final = "dpkg-query"
_QUERY_S: Final = 10.0
_USR: Final = "/usr"


def program_packages(pid: int) -> dict[str, str]:
    """Return versions by package; empty for a program that is gone, or on other systems. Blocking, half a second."""
    if shutil.which(_QUERY) is None:
        return {}
    files = [path for file in _files_of(pid) for path in (file, file.removeprefix(_USR))]
    owners = _ask("--search", "--", *files) if files else ""
    names = sorted({line.partition(": ")[0].split(",")[0] for line in owners.splitlines() if ": /" in line})
    listed = _ask("--show", "--showformat", "${Package}\t${Version}\n", "--", *names) if names else ""
    return dict(line.split("\t", 1) for line in listed.splitlines() if "\t" in line)


def _files_of(pid: int) -> Iterator[str]:
    """Yield the program's file and the libraries of toolkits that it has mapped."""
    try:
        yield str(Path(f"/proc/{pid}/exe").readlink())
        mapped = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    yield from sorted({path for path in re.findall(r"/\S+", mapped) if _TOOLKITS.search(path)})


def _ask(*arguments: str) -> str:
    """Return the output for the files and packages that are known."""
    try:
        done = subprocess.run(
            [_QUERY, *arguments], capture_output=True, text=True, check=False, timeout=_QUERY_S, env={"LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
