"""Answers on the output: a line of JSON each."""

import json
import sys


class Refused(Exception):
    """A request that cannot be carried out on this document; nothing was changed. `fix`: the next step."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


def answer(content: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(content) + "\n")
    sys.stdout.flush()


def error(kind: str, message: str, fix: str = "") -> dict[str, object]:
    return {"error": {"type": kind, "message": message, "fix": fix}}
