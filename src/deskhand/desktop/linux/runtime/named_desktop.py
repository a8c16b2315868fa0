"""Named desktops: private desktops that stay up after the process that started them, found again by name.

Each is a file `NAME.json` in the registry directory (`$XDG_STATE_HOME/deskhand/desktops`). A file whose processes are
gone, after a reboot or a kill, is stale: it is recognised by boot and start times and removed, never believed. The
reason of an end is stored for a day, or until the desktop is started again, for callers that ask for it by name. All
functions that read the registry raise RegistryUnusable where a file of it cannot be read or written.
"""

import contextlib
import fcntl
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from time import time
from typing import TextIO

import anyio
import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from deskhand.core.errors import DesktopBusy, DesktopGone, RegistryUnusable, UsageError
from deskhand.desktop.linux.runtime.guardian import GIVEN_UP
from deskhand.desktop.linux.runtime.guardian_client import attach, end_desktop
from deskhand.desktop.linux.runtime.home import Folders
from deskhand.desktop.linux.runtime.virtual_desktop import Facts, VirtualDesktop, boot, check_name
from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE, wine_folder
from deskhand.desktop.mark import MARK
from deskhand.desktop.named import NAME_VARIABLE, REGISTRY_VARIABLE, EndedDesktop, NamedDesktop
from deskhand.desktop.processes import ProcessId, boot_id

_LOCK_S = 60.0
_ASK_AGAIN_S = 0.02
_TOLD_S = 24 * 3600.0
_LAST_WORDS = 300
_ENDED = ".ended"
_FATAL = "(EE) "
"""Prefix of the errors that end an X server; its other output is of no interest then."""
_PROGRAMS = (("its X server", "Xvfb"), ("its session bus", "dbus-daemon"))


class _Entry(BaseModel):
    """The registry's file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    display: str
    environment: dict[str, str]
    a11y_address: str
    directory: Path
    runtime: Path
    mark: str
    boot: str
    keepers: tuple[ProcessId, ...]
    programs: tuple[ProcessId, ...]

    @property
    def alive(self) -> bool:
        return self.boot == boot_id() and all(process.alive for process in (*self.keepers, *self.programs))

    @property
    def places(self) -> Folders:
        return Folders(self.directory, self.runtime)

    @property
    def notice(self) -> str:
        return _last_line(self.places.notices)

    @property
    def why(self) -> str:
        """Return the part of a dead desktop that ended; parts that depended on it did not end by themselves."""
        if self.boot != boot_id():
            return "the machine was started again"
        if not all(keeper.alive for keeper in self.keepers):
            return "the processes that keep it were ended"
        for process, (what, program) in zip(self.programs, _PROGRAMS, strict=False):
            if not process.alive:
                said = _last_line(self.places.logs / f"{program}.log", _FATAL)
                return f"{what}, {program}, ended{f': {said}' if said else ''}"
        return "it is not known why"

    @property
    def public(self) -> NamedDesktop:
        return NamedDesktop(self.name, self.display, self.environment, self.a11y_address, self.directory, self.notice)


async def start_named(name: str, *, size: tuple[int, int] = (1920, 1080), registry: Path | None = None) -> NamedDesktop:
    """Boot a desktop that stays up without us and inherits none of our descriptors; return one that is up already.

    Raises: UsageError (the name), MissingRequirement, DesktopStartFailed, DesktopBusy (another start hangs).
    """
    check_name(name)
    folder = _folder(registry)
    async with _locked(folder, name):
        entry = _read(folder, name)
        if entry and entry.alive:
            return entry.public
        if entry:
            await _end(folder, entry)
        started = await _start(folder, name, size)
        _ended_file(folder, name).unlink(missing_ok=True)
        return started.public


async def list_named(*, registry: Path | None = None) -> tuple[NamedDesktop, ...]:
    """Those that are up, by name; stale entries are cleaned away. Those of `unusable_named` are left out."""
    folder = _folder(registry)
    found: list[NamedDesktop] = []
    for name in _names(folder):
        with contextlib.suppress(RegistryUnusable):
            entry = await _living(folder, name)
            found += [entry.public] if entry else []
    return tuple(found)


def unusable_named(*, registry: Path | None = None) -> tuple[RegistryUnusable, ...]:
    """Why nothing is known of desktops that may be up, by name."""
    folder = _folder(registry)
    errors: list[RegistryUnusable] = []
    for name in _names(folder):
        try:
            _read(folder, name)
        except RegistryUnusable as error:
            errors.append(error)
    return tuple(errors)


def ended_named(*, registry: Path | None = None) -> tuple[EndedDesktop, ...]:
    """Those that ended by themselves within a day and were not started again, the last one first."""
    folder = _folder(registry)
    names = [file.name for file in (folder / _ENDED).glob("*")]
    ended = [(found[0], EndedDesktop(name, found[1])) for name in names if (found := _ended(folder, name))]
    return tuple(desktop for _, desktop in sorted(ended, key=lambda each: each[0], reverse=True))


def forget_ended(desktop: EndedDesktop, *, registry: Path | None = None) -> None:
    """Forget that a desktop ended by itself."""
    _ended_file(_folder(registry), desktop.name).unlink(missing_ok=True)


def not_up(name: str, *, registry: Path | None = None) -> UsageError:
    """Return the error for a desktop that is not up. Raises: UsageError (the name), RegistryUnusable (it may be up)."""
    check_name(name)
    folder = _folder(registry)
    _read(folder, name)
    fix = f"deskhand desktop start {name}"
    found = _ended(folder, name)
    if found:
        return UsageError(f"desktop {name!r} has ended, with its programs: {found[1]}", fix=fix)
    return UsageError(f"no desktop named {name!r} is up", fix=fix)


async def open_named(name: str, *, when_lost: Sequence[str] = (), registry: Path | None = None) -> VirtualDesktop:
    """Connects to a desktop that is up; `close` lets go of it and leaves it running.

    `when_lost`: a command of Python, started with the display if this process ends without `close`.
    Raises: UsageError (none of that name is up), DesktopGone.
    """
    check_name(name)
    entry = await _living(_folder(registry), name)
    if entry is None:
        raise not_up(name, registry=registry)
    places = entry.places
    if GIVEN_UP in entry.notice:
        raise DesktopGone(
            f"no window manager runs on desktop {name!r}: {entry.notice}",
            fix=f"deskhand desktop stop {name}, which ends its programs, then deskhand desktop start {name}",
        )
    facts = Facts(entry.name, entry.display, entry.environment, entry.a11y_address, places, entry.programs)
    control = attach(places.door)
    if when_lost:
        command = [sys.executable, "-P", *when_lost, entry.display]
        await control.when_lost(command, {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))})

    async def let_go() -> None:
        with anyio.CancelScope(shield=True), contextlib.suppress(DesktopGone):
            await control.when_lost(())
        control.close()

    return VirtualDesktop(facts, control, let_go)


async def stop_named(name: str, *, registry: Path | None = None) -> bool:
    """Ends a desktop with everything on it; False when none of that name was up. Raises: UsageError, DesktopBusy."""
    check_name(name)
    folder = _folder(registry)
    async with _locked(folder, name):
        entry = _read(folder, name)
        if entry is None:
            return False
        alive = entry.alive
        await _end(folder, entry)
        return alive


async def stop_all(*, registry: Path | None = None) -> tuple[str, ...]:
    """Ends every desktop of the registry; returns the names of those that were up.

    Raises: RegistryUnusable where one has no usable entry, once the others have ended; DesktopBusy.
    """
    folder = _folder(registry)
    stopped: list[str] = []
    errors: list[RegistryUnusable] = []
    for name in _names(folder):
        try:
            stopped += [name] if await stop_named(name, registry=folder) else []
        except RegistryUnusable as error:
            errors.append(error)
    if errors:
        told = "; ".join(error.message for error in errors)
        raise RegistryUnusable(f"{told}; stopped: {', '.join(stopped) or 'none'}", fix=errors[0].fix)
    return tuple(stopped)


async def _start(folder: Path, name: str, size: tuple[int, int]) -> _Entry:
    facts, keeper = await boot(name, folder, size)
    try:
        environment = {key: value for key, value in facts.environment.items() if key != MARK}
        entry = _Entry(
            name=name,
            display=facts.display,
            environment=environment
            | {NAME_VARIABLE: name, REGISTRY_VARIABLE: str(folder), FOLDER_VARIABLE: str(wine_folder().path)},
            a11y_address=facts.a11y_address,
            directory=facts.places.directory,
            runtime=facts.places.runtime,
            mark=keeper.mark,
            boot=boot_id(),
            keepers=tuple(filter(None, (keeper.guardian, keeper.watcher))),
            programs=facts.programs,
        )
        await keeper.control.listen(facts.places.door)
        _write(folder, entry)
        await keeper.control.detach()
    except BaseException:
        await keeper.close()
        _file(folder, name).unlink(missing_ok=True)
        raise
    keeper.control.close()
    return entry


async def _living(folder: Path, name: str) -> _Entry | None:
    """The entry of a desktop that is up; a stale one is cleaned away."""
    entry = _read(folder, name)
    if entry is None or entry.alive:
        return entry
    if os.environ.get(MARK) == entry.mark:
        return None  # cleaning up would end this process, which runs on it, before it was done
    async with _locked(folder, name):
        entry = _read(folder, name)
        if entry is None or entry.alive:
            return entry
        _note_ended(folder, name, entry.why)
        await _end(folder, entry)
    return None


def _note_ended(folder: Path, name: str, why: str) -> None:
    file = _ended_file(folder, name)
    with contextlib.suppress(OSError):  # a full disk: then there is no notice
        file.parent.mkdir(exist_ok=True, mode=0o700)
        file.write_text(why)


def _ended(folder: Path, name: str) -> tuple[float, str] | None:
    """When and why it ended, if that is not long ago; else it is forgotten."""
    file = _ended_file(folder, name)
    try:
        at, why = file.stat().st_mtime, file.read_text(errors="replace")
    except OSError:
        return None
    if abs(time() - at) <= _TOLD_S:
        return at, why
    file.unlink(missing_ok=True)
    return None


def _ended_file(folder: Path, name: str) -> Path:
    return folder / _ENDED / name


def _last_line(file: Path, mark: str = "") -> str:
    """That has the mark in it; empty where there is none."""
    try:
        lines = file.read_text(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip() and mark in line), "")[:_LAST_WORDS]


async def _end(folder: Path, entry: _Entry) -> None:
    """End the rest of a desktop, which may be nothing, and forget it."""
    keepers = entry.keepers if entry.boot == boot_id() else ()
    await end_desktop(entry.mark, entry.places.outside, keepers)
    _file(folder, entry.name).unlink(missing_ok=True)


def _folder(registry: Path | None) -> Path:
    told = os.environ.get(REGISTRY_VARIABLE)
    usual = Path(told) if told else platformdirs.user_state_path("deskhand", appauthor=False) / "desktops"
    folder = (registry or usual).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise _unusable("make", folder, error) from error
    return folder


def _unusable(doing: str, path: Path, error: OSError) -> RegistryUnusable:
    return RegistryUnusable(
        f"could not {doing} {path}, the registry of desktops: {error.strerror or error}",
        fix="free some space there and let it be read and written, or set XDG_STATE_HOME to a folder that can be",
    )


def _names(folder: Path) -> list[str]:
    return [file.stem for file in sorted(folder.glob("*.json"))]


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.json"


def _read(folder: Path, name: str) -> _Entry | None:
    """None where there is no entry. Raises: RegistryUnusable, also of one that does not parse."""
    file = _file(folder, name)
    try:
        return _Entry.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable("read", file, error) from error
    except ValidationError as error:
        raise RegistryUnusable(
            f"the record of desktop {name!r} is damaged, or of another version of Deskhand, and it may be up: {file}",
            fix=f"deskhand desktop stop {name} with the version that started it, or remove that file if nothing runs",
        ) from error


def _write(folder: Path, entry: _Entry) -> None:
    """Whole or not at all, readable by its owner alone. Raises: RegistryUnusable."""
    file, draft = _file(folder, entry.name), folder / f".{entry.name}.draft"
    try:
        draft.touch(mode=0o600)
        draft.write_text(entry.model_dump_json(indent=1))
        draft.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise _unusable("write", file, error) from error


@contextlib.asynccontextmanager
async def _locked(folder: Path, name: str) -> AsyncGenerator[None]:
    """One starter or stopper of a name at a time, over all processes. Raises: DesktopBusy after a minute."""
    with _lock_file(folder, name) as lock:
        try:
            with anyio.fail_after(_LOCK_S):
                while not _take(lock):  # noqa: ASYNC110 - a lock gives no notice when it is free
                    await anyio.sleep(_ASK_AGAIN_S)
        except TimeoutError as error:
            raise DesktopBusy(
                f"another process has been starting or stopping desktop {name!r} for {_LOCK_S:g} s",
                fix="End that process and try again.",
            ) from error
        yield


def _take(lock: TextIO) -> bool:
    """Try to take the lock. A thread that waited for it would block our exit until another process released it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_file(folder: Path, name: str) -> TextIO:
    """Lock files stay: removing one would let two processes lock two files of one name. Raises: RegistryUnusable."""
    file = folder / ".locks" / name
    try:
        file.parent.mkdir(exist_ok=True, mode=0o700)
        return file.open("a")
    except OSError as error:
        raise _unusable("lock", file, error) from error
