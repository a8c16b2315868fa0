"""A sandbox for commands, made by bubblewrap: the system read-only, one writable folder, no network, no leftovers."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_MAX_FILE_BYTES: Final = 2**30
_READABLE: Final = (
    "/usr",
    "/opt",
    "/etc/ImageMagick-6",
    "/etc/ImageMagick-7",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/group",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/ld.so.cache",
    "/etc/libreoffice",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/papersize",
    "/etc/passwd",
    "/etc/perl",
    "/etc/python3",
    "/etc/ssl/certs",
)
"""The parts of the system that programs need. No home folder, password hashes, keys, or sockets of /run."""
_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64")
"""Names at the root: links into /usr on current systems, folders on older ones."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """`folder` is writable, the `readable` folders are not; paths are the same as outside."""

    bwrap: str
    folder: Path
    readable: tuple[Path, ...] = ()

    def wrap(self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> list[str]:
        """The argument vector that runs `argv` inside. Killing it ends everything it started."""
        box = [self.bwrap, *_ISOLATED, "--clearenv"]
        for name, value in environment.items():
            box += ["--setenv", name, value]
        for path in _READABLE:
            box += ["--ro-bind-try", path, path]
        for name in _LINKS:
            box += _link(Path("/", name))
        box += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run"]  # noqa: S108 - the box's own
        box += ["--bind", str(self.folder), str(self.folder)]
        for path in self.readable:
            box += ["--ro-bind-try", str(path), str(path)]
        limits = ["prlimit", f"--fsize={_MAX_FILE_BYTES}", "--core=0", "--"]
        return [*box, "--chdir", str(cwd), "--", *limits, *argv]


_ISOLATED: Final = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")


def find_sandbox(folder: Path, readable: Sequence[Path]) -> Sandbox | None:
    """The sandbox of this machine; None without bubblewrap, or if the kernel does not allow it.

    Tested by running `true` in it, which takes milliseconds.
    """
    bwrap = shutil.which("bwrap", path=PATH)
    if bwrap is None:
        return None
    try:
        tried = subprocess.run(
            [bwrap, *_ISOLATED, "--ro-bind", "/", "/", "true"], capture_output=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Sandbox(bwrap, folder, tuple(readable)) if tried.returncode == 0 else None


def _link(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind-try", str(path), str(path)]
