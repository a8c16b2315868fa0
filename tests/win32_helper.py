"""The server that reads Windows programs, started in Windows CPython on a display of its own."""

import json
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from support import ROOT, wait_for
from tools.windows_scripts import FOLDER
from windows_programs import Prefix

PACKAGE: Final = ROOT / "src/deskhand/desktop/windows"
_END_S: Final = 30.0
_ANSWER_S: Final = 60.0

Node = dict[str, Any]  # of JSON
Tree = list[Node]


@dataclass
class Refusal(Exception):
    """An answer that is an error."""

    kind: str
    message: str


class Helper:
    """Asks a server."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._number = 0
        self.events: list[Node] = []
        self.ready = self._line()

    def ask(self, do: str, **arguments: object) -> Any:  # JSON
        """The answer to a request. Raises Refusal."""
        self._number += 1
        assert self._process.stdin is not None
        request = {"id": self._number, "do": do, **arguments}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        while "event" in (answer := self._line()):
            self.events.append(answer)
        assert answer["id"] == self._number
        if "error" in answer:
            raise Refusal(answer["error"], answer["message"])
        return answer["ok"]

    def window(self, kind: str, name: str = "") -> int:
        """The handle of the window of this class, and with this name, once it is there."""

        def found() -> list[int]:
            windows = self.ask("windows")
            return [each["hwnd"] for each in windows if each["class"] == kind and name in each["name"]]

        return wait_for(found)[0]

    def tree(self, window: int) -> Tree:
        """All nodes of a window."""
        return self.ask("tree", hwnd=window)["nodes"]

    def act(self, key: str, action: str = "press") -> None:
        """Carry out an action."""
        self.ask("act", key=key, action=action)

    def _line(self) -> Node:
        assert self._process.stdout is not None
        watch = threading.Timer(_ANSWER_S, self._process.kill)
        watch.start()
        line = self._process.stdout.readline()
        watch.cancel()
        assert line, f"the server ended, or did not answer within {_ANSWER_S:g} s"
        return json.loads(line)


@contextmanager
def helper_in(prefix: Prefix, hook: Path | None) -> Generator[Helper]:
    """A server in a prefix; it ends with its stdin."""
    words = [str(FOLDER.python), "-m", "win32.serve", *([f"Z:{hook}"] if hook else [])]
    process = prefix.start(*words, stdin=subprocess.PIPE, PYTHONPATH=f"Z:{PACKAGE}", PYTHONDONTWRITEBYTECODE="1")
    yield Helper(process)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(_END_S) == 0


def key_of(tree: Tree, role: str, name: str) -> str:
    """The key of the first node with this role and name."""
    return node_of(tree, role, name)["key"]


def node_of(tree: Tree, role: str, name: str) -> Node:
    """The first node with this role and name."""
    found = [node for node in tree if node["role"] == role and node["name"] == name]
    assert found, f"no {role} {name!r} among {sorted({(node['role'], node['name']) for node in tree})}"
    return found[0]
