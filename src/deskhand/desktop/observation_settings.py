"""Settings of a user by which a desktop is observed."""

import sys

from deskhand.config.sections import Configuration
from deskhand.desktop.protocols.desktop import Desktop


def observe_by(desktop: Desktop, settings: Configuration) -> None:
    """Have a desktop read texts of pictures or not, and controls from the sources of the settings."""
    desktop.reads_pictures = settings.grounding.read_texts
    if sys.platform == "win32":
        from deskhand.desktop.windows.desktop import WindowsDesktop  # noqa: PLC0415 - needs the libraries of Windows

        if isinstance(desktop, WindowsDesktop):
            desktop.controls.sources = settings.system.control_backend
