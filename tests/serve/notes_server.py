"""A program that serves the notes application of a desktop in memory as `deskhand mcp` serves a real one.

`notes_server.py LOG [PROGRESS_S]`: a line for each press of a button is written to LOG as it happens. While the file
LOG.busy exists, another program holds the desktop.
"""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from deskhand.cli.signals import run_async
from deskhand.config.sections import Configuration
from deskhand.core.errors import DesktopBusy
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.serve.mcp import PROGRESS_S, make_server
from deskhand.serve.served_desktop import serving
from deskhand.serve.stdio import serve_stdio
from notes import Notes


async def serve(notes: Notes, log: Path, progress_s: float) -> None:
    notes.tidy.on_click = lambda: print("for nobody")  # noqa: T201 - what must not reach the client

    @asynccontextmanager
    async def opening() -> AsyncGenerator[Desktop]:
        if log.with_suffix(".busy").exists():
            raise DesktopBusy("notes is held by deskhand run (process 7).", fix="Wait for its end.")
        yield notes.desktop

    async with serving("notes", opening) as desktop:
        await serve_stdio(make_server(desktop, Configuration(), progress_s=progress_s))


if __name__ == "__main__":
    log = Path(sys.argv[1])
    log.touch()
    notes = Notes(on_press=lambda pressed: log.write_text("\n".join(pressed), encoding="utf-8"))
    run_async(lambda: serve(notes, log, float(sys.argv[2]) if sys.argv[2:] else PROGRESS_S))
