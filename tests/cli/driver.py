"""Starts the program as a user does, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from pydantic import TypeAdapter

from deskhand.cli.app import run
from deskhand.core.json import JsonObject, JsonValue
from support import ROOT

PROGRAM: Final = (sys.executable, "-m", "deskhand")
_DEADLINE_S: Final = 120.0

SESSION_KEYS: Final = {
    "outcome",
    "reason",
    "request",
    "session_id",
    "session_dir",
    "documents",
    "outputs",
    "report",
    "steps",
    "model_calls",
    "tokens",
    "cost_usd",
    "wall_s",
    "transitions",
    "subtasks",
    "checks",
    "error",
}


@dataclass(frozen=True)
class Finished:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> JsonObject:
        """Its stdout, which is one JSON object and nothing else."""
        return TypeAdapter(JsonObject).validate_json(self.out)

    @property
    def rows(self) -> list[JsonObject]:
        """Its stdout, which is one JSON list of objects."""
        return TypeAdapter(list[JsonObject]).validate_json(self.out)

    def items(self, key: str) -> list[JsonObject]:
        """A list of objects in its JSON object."""
        return TypeAdapter(list[JsonObject]).validate_python(self.json[key])

    def item(self, *path: str) -> JsonValue:
        """A part of its JSON object."""
        found: JsonValue = self.json
        for key in path:
            assert isinstance(found, dict)
            found = found[key]
        return found


class Console:
    """Runs command lines in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Finished:
        code = run([str(argument) for argument in arguments])
        told = self._capsys.readouterr()
        return Finished(code, told.out, told.err)


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), **changes}


def start(*arguments: object, env: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        env=env or environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def deskhand(*arguments: object, env: Mapping[str, str] | None = None) -> Finished:
    return finish(start(*arguments, env=env))


def finish(process: "subprocess.Popen[str]", err: str = "") -> Finished:
    """Waits for it; `err` is what was read of its stderr before."""
    try:
        out, rest = process.communicate(timeout=_DEADLINE_S)
    finally:
        process.kill()
    return Finished(process.returncode, out, err + rest)


def read_until(process: "subprocess.Popen[str]", word: str) -> str:
    """What it says on stderr up to the line with that word. Fails where it ends without saying it."""
    said = ""
    assert process.stderr is not None
    for line in process.stderr:
        said += line
        if word in line:
            return said
    raise AssertionError(f"it never said {word!r}: {said}")


def processes_with(text: str) -> list[int]:
    """The processes that have `text` on their command line or in their environment, this one left out."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:  # gone, or another user's
            continue
        if text.encode() in told and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found
