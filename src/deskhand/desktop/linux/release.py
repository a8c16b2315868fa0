"""Release the keys and buttons that a killed process left down: `python -m deskhand.desktop.linux.release DISPLAY`.

The guardian of a desktop starts it, see `opening`. Where another process has the display by then, that one has
released them.
"""

import os
import sys
from contextlib import suppress

import anyio

from deskhand.core.errors import DesktopBusy, DesktopGone
from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER
from deskhand.desktop.processes import Holder


async def release(display: str) -> None:
    """Hold a display for a moment: all that is down is released as it is taken."""
    holder = Holder(pid=os.getpid(), what="the release of keys after a killed process", brief=True)
    with suppress(DesktopBusy, DesktopGone):
        async with DISPLAY_SERVER.hold(display, holder, patience_s=0.0, of_viewers=True):
            pass


if __name__ == "__main__":
    anyio.run(release, sys.argv[1])
