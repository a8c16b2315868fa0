"""Private virtual desktops: an X server, a session bus, an accessibility bus and a window manager of our own."""

import contextlib
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import choice
from typing import Final

import anyio

from deskhand.core.errors import (
    DesktopGone,
    DesktopStartFailed,
    LaunchFailed,
    MissingRequirement,
    ResetFailed,
    UsageError,
)
from deskhand.desktop.freedesktop.command_line import without_wrappers
from deskhand.desktop.linux.runtime.clean_state import CleanState
from deskhand.desktop.linux.runtime.guardian_client import Control, Keeper, start_keeper
from deskhand.desktop.linux.runtime.home import Folders, desktop_environment, prepare
from deskhand.desktop.processes import ProcessId, identify

_START_S: Final = 20.0
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SHORT: Final = 40
"""Socket paths end at 108 bytes; the longest below the runtime directory takes about 40."""
_PACKAGES: Final[Mapping[str, str]] = {"Xvfb": "xvfb", "dbus-daemon": "dbus-daemon", "openbox": "openbox"}
_LAUNCHERS: Final = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
_TAIL: Final = 2000
_MOST_PIXELS: Final = 32_767
"""Coordinates of the X protocol are signed numbers of 16 bits."""
_DISPLAYS: Final = range(100, 10_000)
_TRACES: Final = ("/tmp/.X11-unix/X{}", "/tmp/.X{}-lock")  # noqa: S108 - where X servers keep them
_CHDIR: Final = "--chdir="
"""Option of `env` with the folder that a command runs in."""
OWN: Final = "reset a private one, of open_desktop() without a name"
"""Advice where a desktop cannot be reset."""
_MANAGERS: Final = 5
"""So often a window manager that ended is started again: applications go on without one, but nobody sees their windows.
"""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a running desktop for other processes.

    `programs`: those that it needs and that are not started again, the X server and the session bus.
    """

    name: str
    display: str
    environment: Mapping[str, str]
    a11y_address: str
    places: Folders
    programs: tuple[ProcessId, ...]


class VirtualDesktop:
    """A running private desktop."""

    def __init__(
        self,
        facts: Facts,
        control: Control,
        close: Callable[[], Awaitable[None]],
        clean_state: CleanState | None = None,
    ) -> None:
        """`clean_state`: of one that this process started, before its first program."""
        self.facts = facts
        self.control = control
        self._close = close
        self._clean_state = clean_state
        self._started = set[int]()

    @property
    def name(self) -> str:
        """Name in messages."""
        return self.facts.name

    @property
    def display(self) -> str:
        """The X display, `:N`."""
        return self.facts.display

    @property
    def environment(self) -> Mapping[str, str]:
        """The whole environment of a program that is to appear on it."""
        return self.facts.environment

    @property
    def a11y_address(self) -> str:
        """The D-Bus address of its accessibility bus."""
        return self.facts.a11y_address

    @property
    def directory(self) -> Path:
        """Its HOME, logs and wrappers live here; gone after `close`."""
        return self.facts.places.directory

    async def spawn(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str] | None = None,
        log_name: str | None = None,
        directory: Path | None = None,
    ) -> int:
        """Starts a program on the desktop and returns its pid; it ends with the desktop at the latest.

        `environment` adds to the desktop's own; output goes to `directory/logs/<log_name>.log`.
        Raises: LaunchFailed (it cannot be executed), DesktopGone.
        """
        for file in _files_in(argv, directory or Path("/")):
            self.note_document(file)
        log = self.log(log_name or Path(argv[0]).name)
        pid = await self.control.spawn(argv, environment=environment, directory=directory, log=log)
        self._started.add(pid)
        return pid

    def log(self, log_name: str) -> Path:
        """Path of a program's output."""
        return self.facts.places.logs / f"{log_name}.log"

    def note_document(self, file: Path) -> None:
        with contextlib.suppress(OSError), self.facts.places.documents.open("ab") as listed:
            listed.write(bytes(file) + b"\0")

    def exited(self, pid: int) -> int | None:
        """Return the exit code of a program of the desktop, or minus the signal; None while it runs.

        Also of one that an earlier process started, as `deskhand launch` does.
        """
        return self.control.exited(pid) if pid in self._started else self._noted_exit(pid)

    def _noted_exit(self, pid: int) -> int | None:
        try:
            noted = [line.split() for line in self.facts.places.exits.read_text().splitlines()]
        except OSError:
            return None
        return next((int(code) for number, code in reversed(noted) if number == str(pid)), None)

    async def reset(self) -> None:
        """End all programs that were started here, and restore the files of the home folder.

        Raises: UsageError (another process started the desktop), ResetFailed, DesktopGone.
        """
        if self._clean_state is None:
            raise UsageError(f"the desktop {self.name} was not started by this program, and is not reset", fix=OWN)
        await self._clean_state.end_programs()
        try:
            await self._clean_state.restore_files()
        except OSError as error:
            raise ResetFailed(f"the home folder was not restored: {error}", fix="open a new desktop") from error
        self._started.clear()

    async def close(self) -> None:
        """Ends every program of the desktop and removes its directory; nothing of it is left. May be called twice.

        Where the desktop was only opened (`named.open_named`), lets go of it.
        """
        await self._close()


async def start_virtual(name: str, *, root: Path, size: tuple[int, int] = (1920, 1080)) -> VirtualDesktop:
    """Boot a private desktop of `size` physical pixels, with its directory below `root`.

    It ends with `close`, and with this process however that ends. It is ready once windows are managed, the
    accessibility registry answers, and accessibility is enabled for applications.
    Raises: MissingRequirement (with the command that installs it), DesktopStartFailed, UsageError (the name).
    """
    facts, keeper = await boot(name, root, size)
    if keeper.guardian is None:
        await keeper.close()
        raise DesktopStartFailed("the guardian of the private desktop is gone", fix="start it again")
    clean = CleanState.of(facts.places, keeper.mark, keeper.guardian, without_wrappers(os.environ))
    return VirtualDesktop(facts, keeper.control, keeper.close, clean)


async def boot(name: str, root: Path, size: tuple[int, int]) -> tuple[Facts, Keeper]:
    """As `start_virtual`, for those who need the keeper."""
    check_name(name)
    _check_size(size)
    find_requirements(os.environ)
    try:
        places = _make_places(name, root)
        keeper = start_keeper(name, uuid.uuid4().hex, places.outside)
    except OSError as error:
        raise DesktopStartFailed(
            f"The private desktop did not start: {error}", fix=f"Check that {root} can be written to and has space."
        ) from error
    try:
        with anyio.fail_after(_START_S):
            return await _boot(name, size, places, keeper), keeper
    except (LaunchFailed, DesktopGone, OSError, TimeoutError) as error:
        reason = _explain(places, error)
        await keeper.close()
        raise DesktopStartFailed(reason, fix="Run `deskhand doctor`; it tries each part by itself.") from error
    except BaseException:
        await keeper.close()
        raise


def check_name(name: str) -> None:
    """Raises: UsageError."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a desktop", fix="Use letters, digits, dot, dash and underscore, at most 64."
        )


def find_requirements(environment: Mapping[str, str]) -> None:
    """Raises: MissingRequirement for the first program that a desktop needs and this machine lacks."""
    for program, package in _PACKAGES.items():
        if shutil.which(program, path=environment.get("PATH")) is None:
            raise MissingRequirement(f"{program} is not installed", fix=f"sudo apt-get install -y {package}")
    if not any(os.access(launcher, os.X_OK) for launcher in _LAUNCHERS):
        raise MissingRequirement("at-spi-bus-launcher is not installed", fix="sudo apt-get install -y at-spi2-core")


def _files_in(argv: Sequence[str], folder: Path) -> Iterator[Path]:
    """Yield the files among the arguments of a command."""
    folder = next((Path(word.removeprefix(_CHDIR)) for word in argv if word.startswith(_CHDIR)), folder)
    for word in argv[1:]:
        with contextlib.suppress(OSError, ValueError):  # a long argument is no path
            if not word.startswith("-") and (folder / word).is_file():
                yield folder / word


def _make_places(name: str, root: Path) -> Folders:
    """Make directories that no other desktop has, also one of the same name."""
    root.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=root)).resolve()
    return Folders(directory, runtime=Path(tempfile.mkdtemp(prefix="dh-", dir=_short_directory())))


def _short_directory() -> str:
    """Return a directory in which socket paths stay short and survive a logout."""
    usual = tempfile.gettempdir()
    return usual if len(usual) <= _SHORT else "/tmp"  # noqa: S108  a private directory is made below it


async def _boot(name: str, size: tuple[int, int], places: Folders, keeper: Keeper) -> Facts:
    """Start the parts of a desktop; independent ones come up side by side."""
    caller = without_wrappers(os.environ)
    prepare(places, caller)
    control = keeper.control
    environment = desktop_environment(places, keeper.mark, caller)
    await keeper.ready()
    await control.environment(environment)
    server = await control.spawn(_x_server(size), log=places.logs / "Xvfb.log", announce=True, mild=True)
    session = await control.spawn(_session_bus(places), log=places.logs / "dbus-daemon.log", announce=True)
    from deskhand.desktop.linux.runtime import buses, x_server  # noqa: PLC0415  costs 45 ms, while the X server starts
    from deskhand.desktop.linux.x11.connection import close_display  # noqa: PLC0415

    bus = await buses.connect(await _announced(control, session, "dbus-daemon"))
    try:
        environment["DISPLAY"] = ":" + await _announced(control, server, "Xvfb")
        await control.environment(environment)
        manager = await control.spawn(["openbox"], log=places.logs / "openbox.log", again=(_MANAGERS, places.notices))
        display = x_server.open_screen(environment["DISPLAY"])
        try:
            address = await buses.start_accessibility(bus, environment)
            await _until_managed(x_server.is_managed(display), control, manager)
        finally:
            close_display(display)
    finally:
        bus.disconnect()
    programs = tuple(filter(None, map(identify, (server, session))))
    return Facts(name, environment["DISPLAY"], environment, address, places, programs)


def _check_size(size: tuple[int, int]) -> None:
    """Raises: UsageError."""
    if len(size) != 2 or not all(_is_pixels(side) for side in size):
        raise UsageError(
            f"a desktop cannot have the size {size!r}", fix=f"give width and height, each 1 to {_MOST_PIXELS} pixels"
        )


def _is_pixels(side: object) -> bool:
    return isinstance(side, int) and not isinstance(side, bool) and 1 <= side <= _MOST_PIXELS


def _x_server(size: tuple[int, int]) -> list[str]:
    """Return the command of the X server, which reports by `-displayfd` when it is ready.

    Its number is drawn: a program of an ended desktop that still runs, or is started again by a shell, must not appear
    on the next one. Without GLX: its software renderer costs 32 MiB and 20 ms, and the toolkits draw without it.
    """
    display = next(number for number in iter(lambda: choice(_DISPLAYS), None) if not _is_taken(number))
    x_server = ["-screen", "0", f"{size[0]}x{size[1]}x24", "-dpi", "96"]
    return ["Xvfb", "-displayfd", "{fd}", f":{display}", *x_server, "-nolisten", "tcp", "-noreset", "-extension", "GLX"]


def _is_taken(display: int) -> bool:
    """True if an X server has this number, or had it and was killed."""
    return any(Path(name.format(display)).exists() for name in _TRACES)


def _session_bus(places: Folders) -> list[str]:
    address = f"--address={places.bus_address}"
    return ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", address, "--print-address={fd}"]


async def _announced(control: Control, pid: int, program: str) -> str:
    line = await control.line(pid)
    if not line:
        raise LaunchFailed(f"{program} ended while it started")
    return line


async def _until_managed(is_managed: Awaitable[bool], control: Control, manager: int) -> None:
    """Returns when the window manager has taken over. Raises: LaunchFailed when it or the X server ended instead."""
    managed = False
    async with anyio.create_task_group() as tasks:

        async def give_up_at_its_end() -> None:
            with contextlib.suppress(DesktopGone):
                await control.ended(manager)
            tasks.cancel_scope.cancel()

        tasks.start_soon(give_up_at_its_end)
        managed = await is_managed
        tasks.cancel_scope.cancel()
    if not managed:
        raise LaunchFailed("openbox, or the X server, ended while it started")


def _explain(places: Folders, error: BaseException) -> str:
    """Describe a failed start, with the last output of every program."""
    what = str(error) or f"it was not ready within {_START_S:g} s"
    tails = [
        f"{log.name}: {log.read_bytes()[-_TAIL:].decode(errors='replace').strip()}"
        for log in sorted(places.logs.glob("*.log"))
        if log.stat().st_size
    ]
    return "\n".join([f"The private desktop did not start: {what}", *tails])
