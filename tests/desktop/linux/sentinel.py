"""A second window beside an application under test: whatever reaches it was not meant for it."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal

import anyio
from pydantic import BaseModel, ConfigDict
from Xlib.display import Display
from Xlib.protocol.event import ClientMessage

from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from support import ROOT

PROGRAM: Final = ROOT / "tests/apps/sentinel.py"
_HEARS_S: Final = 10.0
FOCUS: Final = ("focus in", "focus out")


class Heard(BaseModel):
    """One event; `detail` is a keycode, a button or the number of a mark."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    event: Literal["key", "button", "drag", "focus in", "focus out", "mark"]
    detail: int


class Sentinel:
    """What the window heard since it was last asked."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, file: Path) -> None:
        self.window = window
        self._desktop = desktop
        self._file = file
        self._read = 0
        self._marks = 0

    async def heard(self) -> list[Heard]:
        """All that was sent before this was asked, keyboard focus included."""
        self._marks += 1
        self._mark(self._marks)

        async def complete() -> list[Heard] | None:
            text = self._file.read_text(encoding="utf-8")
            lines = [Heard.model_validate_json(line) for line in text.splitlines()] if text.endswith("\n") else []
            done = any(each.event == "mark" and each.detail == self._marks for each in lines)
            return lines if done else None

        lines = await self._desktop.wait_until(complete, deadline_s=_HEARS_S)
        assert lines is not None, "the sentinel does not answer"
        new, self._read = lines[self._read :], len(lines)
        return [each for each in new if each.event != "mark"]

    async def leaks(self) -> list[Heard]:
        """Clicks and keys; the window manager moves the focus when windows come and go."""
        return [each for each in await self.heard() if each.event not in FOCUS]

    def _mark(self, number: int) -> None:
        display = Display(self._desktop.environment["DISPLAY"])
        try:
            window = display.create_resource_object("window", int(self.window.handle.removeprefix("x11:"), 16))
            kind = display.intern_atom("SENTINEL_MARK")
            window.send_event(ClientMessage(window=window, client_type=kind, data=(32, [number, 0, 0, 0, 0])))
            display.sync()
        finally:
            display.close()


@asynccontextmanager
async def sentinel_below(desktop: LinuxDesktop, folder: Path) -> AsyncGenerator[Sentinel]:
    """A sentinel as large as the screen and below all other windows; at the end nothing may have reached it."""
    file = folder / "sentinel.jsonl"
    width, height = (await desktop.screens())[0].rect.right, (await desktop.screens())[0].rect.bottom
    argv = (sys.executable, str(PROGRAM), str(file), "0", "0", str(width), str(height))
    said = folder / "sentinel.err"
    with said.open("wb") as errors:
        process = await anyio.open_process(argv, env={**os.environ, **desktop.environment}, stderr=errors)
    try:

        async def shown() -> TargetInfo | None:
            return next((window for window in await desktop.windows() if window.name == "Sentinel"), None)

        window = await desktop.wait_until(shown, deadline_s=_HEARS_S)
        assert window is not None, f"the sentinel does not show: {process.returncode}, {said.read_text()}"
        sentinel = Sentinel(desktop, window, file)
        yield sentinel
        leaks = await sentinel.leaks()
    finally:
        process.kill()
        await process.wait()
    assert leaks == [], "clicks or keys reached a window that they were not meant for"
