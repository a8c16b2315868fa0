"""A program that serves the notes application of a desktop in memory as `deskhand mcp` serves a real one.

`notes_server.py LOG`: what its buttons did is written to LOG at the end.
"""

import sys
from pathlib import Path

from deskhand.cli.signals import run_async
from deskhand.config.sections import Configuration
from deskhand.serve.mcp import make_server
from deskhand.serve.stdio import serve_stdio
from notes import Notes


async def serve(notes: Notes) -> None:
    notes.tidy.on_click = lambda: print("for nobody")  # noqa: T201 - what must not reach the client
    await serve_stdio(make_server(notes.desktop, Configuration()))


if __name__ == "__main__":
    notes = Notes()
    try:
        run_async(lambda: serve(notes))
    finally:
        Path(sys.argv[1]).write_text("\n".join(notes.log), encoding="utf-8")
