"""A named desktop with a resident server, and a window of the fixture on it."""

import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cli.driver import Finished, deskhand
from deskhand.desktop.linux.runtime.guardian import descendants
from desktop.linux.fixture import keys_down
from support import command_line, wait_for

_SERVER: Final = "deskhand.resident"


@dataclass(frozen=True)
class Up:
    """A desktop with a window of the fixture."""

    env: dict[str, str]
    folder: Path

    def __call__(self, *arguments: object, **env: str) -> Finished:
        return deskhand(*arguments, env={**self.env, **env})

    @property
    def entry(self) -> Path:
        (entry,) = self.folder.rglob("desktops/*.json")
        return entry

    @property
    def state(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.folder / "state.json").read_text())
        return found

    @property
    def servers(self) -> list[int]:
        guardian = json.loads(self.entry.read_text())["keepers"][0]["pid"]
        return [pid for pid in descendants(guardian) if _SERVER in command_line(pid)]

    def server(self, **env: str) -> int:
        """The server, once it answers; the first command may have started it."""
        wait_for(lambda: self("windows", **env).code == 0 and self._is_answered())
        (server,) = self.servers
        return server

    def _is_answered(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(json.loads(self.entry.read_text())["runtime"] + "/resident") == 0

    def keys_down(self) -> int:
        return keys_down(json.loads(self.entry.read_text())["display"])
