"""Ray clusters whose nodes are in network namespaces of their own: each has an address, a home, and can be cut off.

The head is at 10.77.0.1 and is where commands run; the others are at 10.77.0.2 and so on, on a bridge of the head's.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from support import ROOT

PORT: Final = 6379
ADDRESS: Final = f"10.77.0.1:{PORT}"
_START_S: Final = 120
_FAST: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_enable_metrics_collection": "0",
    "RAY_worker_niceness": "0",
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "2500",
    "RAY_health_check_failure_threshold": "2",
}


@dataclass(frozen=True)
class Node:
    """One node. `name`: of its namespace."""

    name: str
    address: str
    home: Path
    environment: Mapping[str, str]

    def command(self, *argv: str) -> list[str]:
        return ["ip", "netns", "exec", self.name, *argv]

    def pids(self) -> list[int]:
        listed = subprocess.run(("ip", "netns", "pids", self.name), capture_output=True, text=True, check=False)
        return [int(line) for line in listed.stdout.split()]

    def kill(self) -> None:
        """Everything of the node ends at once, as when its machine loses its power."""
        while pids := self.pids():
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for pid in pids:
                _wait_gone(pid)

    def cut_off(self) -> None:
        """The node loses its network."""
        _ip("-n", self.name, "link", "set", "eth0", "down")

    @property
    def state(self) -> Path:
        """The folders of batches on the node."""
        return self.home / "state/deskhand/fleet"


def _wait_gone(pid: int) -> None:
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(pid)
        select.select([handle], [], [], 10)
        os.close(handle)


def _ip(*argv: str) -> None:
    subprocess.run(("ip", *argv), capture_output=True, text=True, check=True)


@dataclass
class Nodes:
    """Makes nodes; the first is the head."""

    folder: Path
    prefix: str = field(default_factory=lambda: f"dh{os.getpid()}")
    made: list[Node] = field(default_factory=list[Node])

    def add(self, *, desktops: int, path: Sequence[Path] = ()) -> subprocess.Popen[str]:
        """Begin to start a node. `path`: folders with Python packages that it finds first."""
        number = len(self.made) + 1
        name, address, home = f"{self.prefix}n{number}", f"10.77.0.{number}", self.folder / f"home{number}"
        (home / "run").mkdir(mode=0o700, parents=True)
        _ip("netns", "add", name)
        paths = (*path, ROOT, ROOT / "src", ROOT / "tests")
        own = {"HOME": home, "XDG_STATE_HOME": home / "state", "XDG_RUNTIME_DIR": home / "run"}
        environment = {
            **os.environ, **_FAST, **{key: str(value) for key, value in own.items()},
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
        }  # fmt: skip
        node = Node(name, address, home, environment)
        self.made.append(node)
        _ip("-n", name, "link", "set", "lo", "up")
        head = self.made[0]
        if node is head:
            _ip("-n", name, "link", "add", "br0", "type", "bridge")
            _ip("-n", name, "addr", "add", f"{address}/24", "dev", "br0")
            _ip("-n", name, "link", "set", "br0", "up")
            wanted = ("--head", f"--port={PORT}", "--include-dashboard=false", "--no-monitor")
        else:
            _ip("-n", head.name, "link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            _ip("-n", head.name, "link", "set", f"v{number}", "master", "br0", "up")
            _ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            _ip("-n", name, "link", "set", "eth0", "up")
            wanted = (f"--address={ADDRESS}",)
        argv = (
            str(Path(sys.executable).with_name("ray")), "start", *wanted, f"--node-ip-address={address}",
            "--num-cpus=0", f"--temp-dir={self.folder}/t{number}", "--object-store-memory=80000000",
            "--include-log-monitor=false",
            "--resources", json.dumps({"deskhand_desktop": desktops} if desktops else {}),
        )  # fmt: skip
        return subprocess.Popen(
            node.command(*argv), env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def run(self, *argv: str, home: Path, cwd: Path | None = None) -> subprocess.Popen[str]:
        """Start a command on the head's machine."""
        head = self.made[0]
        environment = {**head.environment, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
        return subprocess.Popen(
            head.command(sys.executable, *argv), env=environment, cwd=cwd, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def remove(self) -> None:
        for node in reversed(self.made):
            node.kill()
            _ip("netns", "del", node.name)


def up(*starts: subprocess.Popen[str]) -> None:
    """Wait until nodes are part of the cluster."""
    for start in starts:
        out, _ = start.communicate(timeout=_START_S)
        assert start.returncode == 0, out


def nodes() -> Iterator[Nodes]:
    """Nodes that end with the caller."""
    probe = f"dh{os.getpid()}probe"
    try:
        _ip("netns", "add", probe)
        _ip("netns", "del", probe)
    except (OSError, subprocess.CalledProcessError) as error:
        told = getattr(error, "stderr", "") or error
        pytest.skip(f"not run: no network namespace can be made here: {told}")
    folder = Path(tempfile.mkdtemp(prefix="dh-ray-"))  # paths of sockets are short
    made = Nodes(folder)
    try:
        yield made
    finally:
        made.remove()
        shutil.rmtree(folder, ignore_errors=True)
