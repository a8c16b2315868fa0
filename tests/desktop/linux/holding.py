"""Another process that has a display's pointer and keyboard."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from support import ROOT

_HOLD = """
import anyio, os, sys
from anyio import to_thread
from deskhand.desktop.linux.x11.input_lock import hold_display
from deskhand.desktop.processes import Holder
async def main(display, what, brief):
    async with hold_display(display, Holder(pid=os.getpid(), what=what, brief=bool(brief)), patience_s=0):
        print("held", flush=True)
        await to_thread.run_sync(sys.stdin.read)
anyio.run(main, *sys.argv[1:])
"""


@contextmanager
def held(display: str, what: str = "a test", *, brief: bool = False) -> Generator["subprocess.Popen[str]"]:
    """Somebody else has it until this is left, or until they are killed."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, display, what, "1" if brief else ""],
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
