"""Suites written for tests."""

import sys
from collections.abc import Mapping
from pathlib import Path

PASSING = "raise SystemExit(0)\n"
FAILING = "print('B12 is empty')\nraise SystemExit(1)\n"


def write_suite(folder: Path, tasks: Mapping[str, Mapping[str, str]], suite: str = "") -> Path:
    """Write files of tasks, by the names of tasks and files, and `suite.yaml` if there is one; return the folder."""
    folder.mkdir(exist_ok=True)
    if suite:
        (folder / "suite.yaml").write_text(suite)
    for name, files in tasks.items():
        for path, text in files.items():
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return folder


def task(request: str = "Write a note", check: str = FAILING, *lines: str) -> dict[str, str]:
    """Files of a task whose check is a Python program."""
    keys = (f"request: {request}", "check: [python, check.py]", *lines)
    return {"task.yaml": "\n".join(keys), "check.py": check}


PYTHON = sys.executable
