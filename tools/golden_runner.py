"""Run command lines of Deskhand in forks of one process, which imports its modules once.

Started as a script with PYTHONPATH naming the source. Each line on stdin is a JSON list of arguments; the answer is one
JSON line with `out` and `err`. The modules that a run brought in are imported here afterwards, so that later runs find
them: a fork costs a tenth of a new interpreter.
"""

import importlib
import json
import os
import runpy
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import IO


def _run(arguments: list[str], files: Sequence[IO[bytes]]) -> None:
    """In the child: runs the program with its output in `files`, writes the names of its modules, never returns."""
    out, err, modules = files
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (out.fileno(), 1), (err.fileno(), 2)):
        os.dup2(source, target)
    sys.argv = ["deskhand", *arguments]
    try:
        runpy.run_module("deskhand", run_name="__main__")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        modules.write("\n".join(sys.modules).encode())
        modules.flush()
        os._exit(0)


def _answer(arguments: list[str]) -> dict[str, str]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as modules:
        files = [out, err, modules]
        child = os.fork()
        if child == 0:
            _run(arguments, files)
        os.waitpid(child, 0)
        for file in files:
            file.seek(0)
        for name in modules.read().decode().splitlines():
            if name.startswith("deskhand.") and not name.endswith("__main__"):
                with suppress(ImportError):
                    importlib.import_module(name)
        return {"out": out.read().decode(), "err": err.read().decode()}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
