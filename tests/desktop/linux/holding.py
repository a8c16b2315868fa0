"""Another process that has a display's pointer and keyboard, or serves it to viewers."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from support import ROOT

_HOLD = """
import anyio, os, sys
from anyio import to_thread
from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER
from deskhand.desktop.processes import Holder
async def main(display, what, brief):
    us = Holder(pid=os.getpid(), what=what, brief=brief == "brief")
    server = DISPLAY_SERVER
    async with server.open_to_viewers(display, us) if brief == "viewer" else server.hold(display, us, patience_s=0):
        print("held", flush=True)
        await to_thread.run_sync(sys.stdin.read)
anyio.run(main, *sys.argv[1:])
"""


@contextmanager
def held(display: str, what: str = "a test", *, brief: bool = False) -> Generator["subprocess.Popen[str]"]:
    """Somebody else has it until this is left, or until they are killed."""
    with _running(display, what, "brief" if brief else "") as holder:
        yield holder


@contextmanager
def open_to_viewers(display: str) -> Generator["subprocess.Popen[str]"]:
    """Somebody else serves it to viewers until this is left, or until they are killed."""
    with _running(display, "a test", "viewer") as server:
        yield server


@contextmanager
def _running(*arguments: str) -> Generator["subprocess.Popen[str]"]:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        yield holder
    finally:
        holder.communicate(timeout=20)
