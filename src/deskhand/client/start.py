"""Have the guardian of a desktop start its resident server."""

import fcntl
import json
import os
import socket
import sys
import time
from collections.abc import Mapping

from deskhand.client.place import NAME_VARIABLE, REGISTRY_VARIABLE, Place

SERVER_VARIABLE = "DESKHAND_RESIDENT"
"""`off`: commands are carried out by the processes that were started for them."""
MODULE = "deskhand.resident"
_OF_THE_USER = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
"""Variables of a user's own folders; empty is the same as not set."""
_MAY_BE_SET = ("PATH", "LANG", "LC_ALL", SERVER_VARIABLE, "DESKHAND_TEST_RUN")
_ANSWER_S = 2.0
_ANOTHER_S = 0.25


def is_wanted(environment: Mapping[str, str]) -> bool:
    """False if the user wants no resident server."""
    return environment.get(SERVER_VARIABLE, "").lower() != "off"


def folders_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that name a user's own folders."""
    return {name: environment.get(name, "") for name in _OF_THE_USER}


def start(place: Place, *, wait_s: float = 0.0) -> bool:
    """Start the server of a desktop unless it runs or starts already; nobody depends on it.

    Return whether it was waited for, at most `wait_s`, until it answers.
    """
    try:
        with socket.socket(socket.AF_UNIX) as door:
            door.settimeout(_ANSWER_S)
            door.connect(place.door)
            end = time.monotonic() + wait_s
            while True:
                is_new = not _is_running(place)
                if is_new:
                    door.sendall(json.dumps(_request(place)).encode() + b"\n")
                    _message(door, "id")
                if (left_s := end - time.monotonic()) <= 0:
                    return False
                # The one that has the lock may be one that ends.
                if _answers(door, left_s if is_new else min(left_s, _ANOTHER_S)):
                    return True
    except OSError:
        return False


def _answers(door: socket.socket, within_s: float) -> bool:
    """Wait until a server of the desktop answers. Raises: OSError (the desktop ended)."""
    door.settimeout(within_s)
    try:
        return _message(door, "line")
    except TimeoutError:
        return False
    finally:
        door.settimeout(_ANSWER_S)


def _message(door: socket.socket, key: str) -> bool:
    """Read messages of the guardian until one has this key. Raises: OSError (too late, or its end)."""
    rest = b""
    while data := door.recv(1 << 16):
        *lines, rest = (rest + data).split(b"\n")
        if any(key in json.loads(line) for line in lines):
            return True
    raise ConnectionResetError


def _is_running(place: Place) -> bool:
    descriptor = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _request(place: Place) -> dict[str, object]:
    kept = {name: os.environ[name] for name in _MAY_BE_SET if name in os.environ}
    environment = {**folders_of(os.environ), **kept, NAME_VARIABLE: place.name, REGISTRY_VARIABLE: place.registry}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    return {
        "id": 1,
        "op": "spawn",
        "argv": [sys.executable, "-P", "-m", MODULE, place.name, "{fd}"],
        "announce": True,
        "environment": environment,
        "directory": "/",
        "log": f"{place.directory}/logs/resident.log",
    }
