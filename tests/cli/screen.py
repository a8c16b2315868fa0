"""A terminal with somebody at its far end."""

import os
import pty
import sys
from collections.abc import Generator
from contextlib import contextmanager

import anyio


class Screen:
    """What stands on it so far, and a keyboard."""

    def __init__(self, end: int) -> None:
        self.end = end
        self.text = ""
        self._read = 0

    async def until(self, *words: str) -> str:
        """Reads on until one of the words is shown; what was shown since the last call."""
        with anyio.fail_after(10):
            while not any(word in self.text[self._read :] for word in words):
                await anyio.wait_readable(self.end)
                self.text += os.read(self.end, 65536).decode()
        start, self._read = self._read, len(self.text)
        return self.text[start:]

    async def type_after(self, prompt: str, *lines: str) -> None:
        """Types a line whenever the prompt is shown."""
        for line in lines:
            await self.until(prompt)
            self.type(line)

    def type(self, line: str) -> None:
        """`\\x04` alone is the end of input."""
        os.write(self.end, (line if line == "\x04" else f"{line}\n").encode())


@contextmanager
def screen() -> Generator[Screen]:
    """A terminal that is our stdin and stderr while it lasts."""
    ours, theirs = pty.openpty()
    before = sys.stdin, sys.stderr
    with os.fdopen(theirs, "r") as stdin, os.fdopen(os.dup(theirs), "w") as stderr:
        sys.stdin, sys.stderr = stdin, stderr
        try:
            yield Screen(ours)
        finally:
            sys.stdin, sys.stderr = before
            os.close(ours)
