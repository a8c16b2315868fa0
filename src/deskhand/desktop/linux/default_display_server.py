"""Display server that desktops are opened on: the only module that names one, beside the start of a virtual desktop."""

from typing import Final

from deskhand.desktop.linux.display_server import DisplayServerKind
from deskhand.desktop.linux.x11.display import X11

DISPLAY_SERVER: Final[DisplayServerKind] = X11()
