"""Bridge between the Windows programs of a prefix and the accessibility bus of their desktop.

    python -P -m deskhand.desktop.linux.wine.bridge

The prefix is that of the environment. `ready` is printed once Windows programs can be read; the bridge ends with its
helper, its display or its bus. Each Windows process with a window is an application on the bus, whose toolkit is Win32;
its number on Linux is an attribute of the application.
"""

import asyncio
import os
import sys
from math import inf
from typing import Final

import anyio

from deskhand.desktop.linux.runtime.attach import find_running
from deskhand.desktop.linux.wine.bridge_start import READY
from deskhand.desktop.linux.wine.events import event_of
from deskhand.desktop.linux.wine.helper import Helper, HelperRefusal, helper_command
from deskhand.desktop.linux.wine.program_bus import ProgramBus
from deskhand.desktop.linux.wine.window_tree import Json, TopWindow, top_windows
from deskhand.desktop.linux.wine.x_windows import XWindows

_AGAIN_S: Final = 0.02
_SELDOM_S: Final = 2.0
"""Between two looks at windows of which one has no X window, or no process, yet: the first, and the longest one."""


class Bridge:
    """The programs of one prefix on one bus."""

    def __init__(self, address: str) -> None:
        """`address`: of the accessibility bus."""
        self._address = address
        self._programs: dict[int, ProgramBus] = {}
        self._changed = asyncio.Event()
        self._x = XWindows(self._take_change)

    async def run(self) -> None:
        """Serve until the helper ends. Raises: DesktopGone, MissingRequirement, OSError."""
        helper = await Helper.start(*helper_command(os.environ), self._take_event)
        await self._look(helper)
        sys.stdout.buffer.write(READY + b"\n")
        sys.stdout.buffer.flush()
        watching = asyncio.ensure_future(self._watch(helper))
        try:
            await asyncio.wait([watching, helper.ended], return_when=asyncio.FIRST_COMPLETED)
        finally:
            watching.cancel()
            helper.close()

    async def _watch(self, helper: Helper) -> None:
        """Look at the windows after each change, and again soon while one has not reported its process yet."""
        again_s = _AGAIN_S
        while True:
            with anyio.move_on_after(again_s):
                await self._changed.wait()
                again_s = _AGAIN_S
            self._changed.clear()
            is_whole = await self._look(helper)
            again_s = inf if is_whole else min(again_s * 2, _SELDOM_S)

    async def _look(self, helper: Helper) -> bool:
        """Give each process with a window a connection, and end those of processes without one.

        Return False if a window is on its way to the screen.
        """
        try:
            windows = top_windows(await helper.ask("windows"))
        except HelperRefusal:
            return False
        present = {window.pid: window for window in reversed(windows) if window.xid}
        served = {pid for pid, program in self._programs.items() if not program.serving.done()}
        for pid in self._programs.keys() - (present.keys() & served):
            self._programs.pop(pid).leave()
        for pid in present.keys() - self._programs.keys():
            await self._enter(helper, present[pid])
        return {window.pid for window in windows} <= self._programs.keys()

    async def _enter(self, helper: Helper, window: TopWindow) -> None:
        process = self._x.process_of(window.xid)
        if process:
            self._programs[window.pid] = await ProgramBus.enter(self._address, helper, window, process)

    def _take_change(self) -> None:
        """A window of the screen came or went."""
        self._changed.set()
        for program in self._programs.values():
            program.forget()

    def _take_event(self, told: Json) -> None:
        """Pass an event of a window on to the program that it belongs to."""
        event = event_of(told)
        if event is None:
            return
        if event.sets_windows:
            self._changed.set()
        program = self._programs.get(int(told["pid"]))
        if program is not None:
            program.happened(event, int(told["hwnd"]))


async def _main() -> None:
    desktop = await find_running(os.environ["DISPLAY"], os.environ)
    await Bridge(desktop.a11y_address).run()


if __name__ == "__main__":
    asyncio.run(_main())
