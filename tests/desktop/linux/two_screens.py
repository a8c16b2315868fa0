"""A desktop with two monitors: a real X server with the dummy driver, where there is one.

It stands in for Xvfb, which has one screen only: a program of that name that comes first on PATH.
"""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import anyio
import pytest

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.fixture import linux_desktop
from support import need

SCREENS: Final = (Rect(0, 0, 1280, 800), Rect(1280, 100, 2304, 868))
"""The second stands lower, so that a corner of the whole is on no screen."""

_DRIVER: Final = Path("/usr/lib/xorg/modules/drivers/dummy_drv.so")
_CONFIG: Final = """
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "AutoEnableDevices" "false"
EndSection
Section "Device"
  Identifier "dummy"
  Driver "dummy"
  VideoRam 65536
EndSection
Section "Monitor"
  Identifier "monitor"
  HorizSync 5.0-1000.0
  VertRefresh 5.0-200.0
EndSection
Section "Screen"
  Identifier "screen"
  Device "dummy"
  Monitor "monitor"
  DefaultDepth 24
  SubSection "Display"
    Depth 24
    Modes "1280x800"
    Virtual 2304 868
  EndSubSection
EndSection
"""


def skip_without_two_screens() -> None:
    """Where it cannot be had, the test is not run; it never passes."""
    if os.geteuid() != 0:
        pytest.skip("not run: an X server of its own needs root here")
    need(Path("/usr/bin/Xorg"), Path("/usr/bin/xrandr"), _DRIVER)


@asynccontextmanager
async def two_screens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[LinuxDesktop]:
    """A desktop on `SCREENS`."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "dummy.conf").write_text(_CONFIG)
    server = programs / "Xvfb"
    server.write_text(
        f'#!/bin/sh\nexec Xorg -displayfd "$2" -config {programs}/dummy.conf -logfile {programs}/log'
        " -nolisten tcp -noreset -novtswitch\n"
    )
    server.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    async with linux_desktop(folder) as desktop:
        environment = {**os.environ, "DISPLAY": desktop.environment["DISPLAY"]}
        first, second = ((f"{screen.left}x{screen.top}", f"{screen.width}x{screen.height}") for screen in SCREENS)
        on_first = ("--output", "DUMMY0", "--mode", first[1], "--pos", first[0], "--primary")
        on_second = ("--output", "DUMMY1", "--mode", second[1], "--pos", second[0])
        for arguments in (("--addmode", "DUMMY1", second[1]), (*on_first, *on_second)):
            with anyio.fail_after(10):
                await anyio.run_process(["xrandr", *arguments], env=environment)
        yield desktop
