"""The server that reads Windows programs, started in Windows CPython on a display of its own."""

import json
import os
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from support import ROOT, need, wait_for

WINE: Final = Path("/usr/lib/wine/wine64")
SERVER: Final = Path("/usr/lib/wine/wineserver64")
PACKAGE: Final = ROOT / "src/deskhand/desktop/windows"
_OPTIONS: Final = {
    "WINEARCH": "win64",
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe,winedbg.exe=",
}
_END_S: Final = 30.0

Node = dict[str, Any]  # of JSON
Tree = list[Node]


@dataclass
class Refusal(Exception):
    """An answer that is an error."""

    kind: str
    message: str


@dataclass
class Prefix:
    """A prefix of Wine on a display."""

    path: Path
    environment: Mapping[str, str]
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list["subprocess.Popen[bytes]"])

    def start(self, *words: str, stdin: int = subprocess.DEVNULL, **more: str) -> "subprocess.Popen[bytes]":
        """Start a Windows program, with `more` in its environment."""
        program = subprocess.Popen(
            [WINE, *words],
            stdin=stdin,
            stdout=subprocess.PIPE,  # Python for Windows does not start with a file there
            stderr=subprocess.DEVNULL,
            env={**self.environment, **more},
        )
        self.started.append(program)
        return program

    def end(self) -> None:
        """End all of its programs."""
        subprocess.run([SERVER, "-k"], env=dict(self.environment), check=False, timeout=_END_S)
        for program in self.started:
            program.wait(_END_S)
            for pipe in (program.stdin, program.stdout):
                if pipe is not None:
                    pipe.close()


def new_prefix(folder: Path, path: Path, desktop: Mapping[str, str]) -> Prefix:
    """A prefix that is a copy of the template in `folder`. Skips the test where Wine or the template is missing."""
    template = next(folder.glob("template-*"), None)
    need(WINE, template or folder / "template")
    assert template is not None
    shutil.copytree(template, path, symlinks=True, copy_function=_link_library)
    for link in [each for each in (path / "drive_c/users").rglob("*") if each.is_symlink()]:
        link.unlink()
        link.symlink_to(desktop["HOME"])  # dialogs for files begin in Documents
    return Prefix(path, {**desktop, **_OPTIONS, "WINEPREFIX": str(path)})


def _link_library(source: str, target: str) -> None:
    """Link a file that programs only read, 690 MB in all, and copy another."""
    if Path(source).suffix in {".dll", ".drv", ".exe", ".sys", ".ttf"}:
        try:
            os.link(source, target)
        except OSError:  # another file system
            shutil.copy2(source, target)
    else:
        shutil.copy2(source, target)


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
        line = self._process.stdout.readline()
        assert line, "the server ended"
        return json.loads(line)


@contextmanager
def helper_in(prefix: Prefix, python: Path, hook: Path | None) -> Generator[Helper]:
    """A server in a prefix; it ends with its stdin."""
    words = [str(python), "-m", "win32.serve", *([f"Z:{hook}"] if hook else [])]
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


def user_folder() -> Path:
    """The user's folder for Windows programs, before a test has another HOME."""
    given = os.environ.get("DESKHAND_WINE")
    return Path(given) if given else Path.home() / ".local/share/deskhand/wine"
