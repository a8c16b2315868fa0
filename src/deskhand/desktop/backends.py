"""The backends of this machine: their requirements, the desktops they open, and the registry of named desktops.

No other module outside `desktop.linux` imports it. Its heavy parts are imported when a desktop is opened.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.desktop.linux.runtime.named_desktop import (
    NAME_VARIABLE,
    EndedDesktop,
    NamedDesktop,
    ended_named,
    forget_ended,
    list_named,
    not_up,
    start_named,
    stop_all,
    stop_named,
    unusable_named,
)
from deskhand.desktop.picture_text.models import FIX, is_installed
from deskhand.desktop.processes import Holder
from deskhand.desktop.protocols.desktop import Desktop

__all__ = [
    "NAME_VARIABLE",
    "VIRTUAL",
    "EndedDesktop",
    "NamedDesktop",
    "Requirement",
    "Virtual",
    "ended_named",
    "forget_ended",
    "holder_of",
    "list_named",
    "not_up",
    "open_desktop",
    "requirements",
    "start_named",
    "stop_all",
    "stop_named",
    "unusable_named",
]

VIRTUAL: Final = "virtual"
"""The choice of a user who wants a private desktop."""

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
        *(_library(module, package) for module, package in _LIBRARIES),
        _vision(),
    )


@dataclass(frozen=True, slots=True)
class Virtual:
    """A private desktop to be started. `root`: the folder in which its own folder is made."""

    name: str
    root: Path
    size: tuple[int, int] = (1920, 1080)


@asynccontextmanager
async def open_desktop(choice: Virtual | str, *, holder: str = "", brief: bool = False) -> AsyncGenerator[Desktop]:
    """Open a new private desktop, or by its name or display (`:N`) one that is up. Leaving ends the former alone.

    `holder`: who has its pointer and keyboard exclusively meanwhile; empty: nobody. `brief`: for one action only.
    Raises: MissingRequirement, DesktopStartFailed, UsageError (there is none, or another event loop than asyncio's),
    DesktopBusy, DesktopGone.
    """
    if not sys.platform.startswith("linux"):
        raise MissingRequirement(f"There is no desktop backend for {sys.platform}.", fix="Run Deskhand on Linux.")
    _require_asyncio()
    from deskhand.desktop.linux.opening import open_running, open_virtual  # noqa: PLC0415 - brings D-Bus and X11

    match choice:
        case Virtual():
            opened = open_virtual(choice.name, choice.root, choice.size, holder)
        case str():
            opened = open_running(choice, holder, brief=brief)
    async with opened as desktop:
        yield desktop


def _require_asyncio() -> None:
    """Raises: UsageError in another event loop, which the D-Bus library cannot use."""
    try:
        asyncio.get_running_loop()
    except RuntimeError as error:
        raise UsageError(
            "desktops need the event loop of asyncio",
            fix="use deskhand.sync in a thread, as by trio.to_thread.run_sync",
        ) from error


async def holder_of(display: str) -> Holder | None:
    """Return who has the pointer and keyboard of a display. Raises: DesktopGone."""
    from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER  # noqa: PLC0415 - brings the X library

    return await DISPLAY_SERVER.holder_of(display)


def _platform() -> Requirement:
    ok = sys.platform.startswith("linux")
    return Requirement("platform", ok, True, sys.platform, "" if ok else "Run Deskhand on Linux.")


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
