"""Wine prefixes of desktops: each is a copy of one template, which is made once for a user and a version of Wine."""

import fcntl
import filecmp
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from deskhand.core.errors import LaunchFailed
from deskhand.desktop.linux.runtime.wine_folder import WineFolder
from deskhand.desktop.linux.wine.installation import Wine, wine_environment

_MAKE_S: Final = 120.0
_SETUP: Final = (("wineboot", "-u"), ("winecfg", "-v", "win10"))
_SERVER_FILE: Final = "wineserver"
"""File of a prefix with the place of its server's socket, on Debian: two prefixes must not share it."""
_TAIL: Final = 1000
_CALLERS: Final = ("PATH", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "WINEDEBUG")


def make_prefix(wine: Wine, folder: WineFolder, prefix: Path, home: Path) -> None:
    """Make a prefix, unless it is there, for programs whose home folder is `home`. The first one takes some 15 s.

    Nothing that is done in it changes the template or another prefix: files are copies, but for those of Wine itself
    that this user may not change, which are links. Raises: LaunchFailed, OSError.
    """
    if prefix.is_dir():
        return
    folder.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = Path(tempfile.mkdtemp(prefix=f"{prefix.name}-", dir=prefix.parent))
    try:
        with (folder.path / "lock").open("w") as lock:
            template = _template(wine, folder, lock.fileno())
            shutil.copytree(template, new, symlinks=True, dirs_exist_ok=True)
        _link_home(new, home)
        new.rename(prefix)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def make_template(wine: Wine, folder: WineFolder) -> Path:
    """Return the template; make it where it is missing. Blocking: some 15 s. Raises: LaunchFailed, OSError."""
    folder.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder.path / "lock").open("w") as lock:
        return _template(wine, folder, lock.fileno())


def _template(wine: Wine, folder: WineFolder, lock: int) -> Path:
    """Return the template, locked against removal as long as `lock` is open."""
    template = folder.path / f"template-{wine.identity}"
    fcntl.flock(lock, fcntl.LOCK_SH)
    if template.is_dir():
        return template
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not template.is_dir():
        with tempfile.TemporaryDirectory(prefix="new-", dir=folder.path) as place:
            _set_up(wine, Path(place)).rename(template)
    for old in folder.path.glob("template-*"):
        if old != template:
            shutil.rmtree(old, ignore_errors=True)
    return template


def _set_up(wine: Wine, place: Path) -> Path:
    """Make a prefix in an empty folder, without a display. Raises: LaunchFailed."""
    prefix = place / "prefix"
    kept = {name: os.environ[name] for name in _CALLERS if name in os.environ}
    folders = {"HOME": str(place), "TMPDIR": str(place), "XDG_RUNTIME_DIR": str(place)}
    environment = wine_environment(prefix, {**kept, **folders})
    try:
        for words in _SETUP:
            _run((wine.loader, *words), environment, place / "log")
    finally:
        end_prefix(wine, environment)  # its server writes the registry before it ends
    if not (prefix / "system.reg").is_file():
        raise _failed(place / "log", "it wrote no registry")
    (prefix / _SERVER_FILE).unlink(missing_ok=True)
    link_unchangeable(prefix, wine.libraries)
    return prefix


def link_unchangeable(prefix: Path, libraries: Path) -> None:
    """Replace the files that equal one of Wine's own `libraries`, which this user can only read, by links to that."""
    for path in list(_unchangeable(prefix, libraries)):
        path.unlink()
        path.symlink_to(libraries / path.name)


def end_prefix(wine: Wine, environment: Mapping[str, str]) -> None:
    """End all programs of the prefix of an environment, and wait; where there are none, nothing happens."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            (wine.server, "-k"),
            env=dict(environment),
            check=False,
            timeout=_MAKE_S,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _run(command: tuple[Path | str, ...], environment: Mapping[str, str], log: Path) -> None:
    """Raises: LaunchFailed where it does not end in time; exit codes of Wine's own programs mean nothing."""
    try:
        with log.open("ab") as output:  # no pipe: services that stay would hold it open
            subprocess.run(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                check=False,
                timeout=_MAKE_S,
            )
    except subprocess.TimeoutExpired as error:
        raise _failed(log, f"{command[1]} did not end within {_MAKE_S:g} s") from error


def _failed(log: Path, reason: str) -> LaunchFailed:
    said = log.read_bytes()[-_TAIL:].decode(errors="replace").strip() if log.exists() else ""
    return LaunchFailed(
        f"Wine could not make a prefix: {reason}. Its output: {said or '(nothing)'}",
        fix="check that the disk has 1 GB of space, and that Wine runs: winecfg",
    )


def _unchangeable(prefix: Path, libraries: Path) -> Iterator[Path]:
    for path in (prefix / "drive_c").rglob("*.*"):
        own = libraries / path.name
        is_file = path.is_file() and not path.is_symlink() and own.is_file()
        if is_file and not os.access(own, os.W_OK) and filecmp.cmp(path, own, shallow=False):
            yield path


def _link_home(prefix: Path, home: Path) -> None:
    """Make the folders of a user, such as Documents, be those of a home; they are the only links there."""
    for path in [path for path in (prefix / "drive_c" / "users").rglob("*") if path.is_symlink()]:
        path.unlink()
        path.symlink_to(home)
