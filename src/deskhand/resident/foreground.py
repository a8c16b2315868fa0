"""Which client has its terminal. The kernel controls jobs for the processes of a session; a server is in none."""

from pathlib import Path
from typing import Final

_NO_TERMINAL: Final = "-1"
_STOPPED: Final = "Tt"


def in_foreground(pid: int) -> bool:
    """False if a process is stopped, ended, or in the background of its terminal; one without a terminal has none."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
    except OSError:
        return False
    state, _, group, _, _, foreground, *_ = after_name.split()
    return state not in _STOPPED and foreground in {group, _NO_TERMINAL}
