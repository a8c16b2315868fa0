"""Programs that serve a display to VNC viewers, and the Debian packages that bring them."""

import shutil
from pathlib import Path
from typing import Final

X11VNC: Final = "x11vnc"
WEBSOCKIFY: Final = "websockify"
NOVNC: Final = Path("/usr/share/novnc")
PAGE: Final = "vnc.html"


def missing_viewer_programs(*, web: bool, search_path: str | None = None) -> tuple[str, ...]:
    """Return the packages that are missing; `web`: of what browsers need too."""
    missing = [name for name in (X11VNC, WEBSOCKIFY)[: 2 if web else 1] if shutil.which(name, path=search_path) is None]
    if web and not (NOVNC / PAGE).is_file():
        missing.append("novnc")
    return tuple(missing)
