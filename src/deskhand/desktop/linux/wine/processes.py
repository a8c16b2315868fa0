"""Processes of Windows programs and of the bridge, as the kernel exposes them."""

from pathlib import Path
from typing import Final

BRIDGE_MODULE: Final = "deskhand.desktop.linux.wine.bridge"
"""Module that runs as the bridge."""

_LOADERS: Final = ("wine", "wine-preloader", "wine64", "wine64-preloader")
"""Programs that run Windows ones; their command line is that of the Windows program."""


def speaks_for(bridge: int, program: int) -> bool:
    """True if a process is the bridge, and the other one a Windows program; with 0 for that, if it is the bridge."""
    return _is_bridge(bridge) and (program == 0 or runs_windows_program(program))


def runs_windows_program(pid: int) -> bool:
    """True for a process of Wine."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name in _LOADERS
    except OSError:
        return False


def _is_bridge(pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return BRIDGE_MODULE.encode() in words[1:4]
