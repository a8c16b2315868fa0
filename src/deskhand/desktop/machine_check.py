"""All checks of a machine: its requirements, and a private desktop that is started and shown."""

import tempfile
from pathlib import Path
from typing import Final

import anyio

from deskhand.core.errors import DeskhandError
from deskhand.desktop.backends import (
    Requirement,
    Virtual,
    open_desktop,
    own_desktop,
    requirements,
    windows_programs,
)

_DEADLINE_S: Final = 60.0


async def machine_check() -> list[Requirement]:
    """Check this machine; where a desktop can start, one is."""
    checks = [*requirements(), *windows_programs()]
    if can_start_desktop(checks):
        checks.append(await _try_desktop())
    return checks


def can_start_desktop(checks: list[Requirement]) -> bool:
    """True if nothing is missing that each desktop needs, whatever works on it."""
    return all(check.ok for check in checks if check.required and not check.id.startswith("libreoffice"))


async def _try_desktop() -> Requirement:
    """Start a private desktop, or open the user's own where there are no others, and take a picture of it."""
    own = own_desktop()
    with tempfile.TemporaryDirectory(prefix="deskhand-doctor-") as folder:
        try:
            with anyio.fail_after(_DEADLINE_S):
                async with open_desktop(own or Virtual("doctor", Path(folder))) as desktop:
                    picture = await desktop.screenshot()
        except DeskhandError as error:
            return Requirement("desktop", False, True, error.message, error.fix)
        except TimeoutError:
            return Requirement("desktop", False, True, f"was not ready within {_DEADLINE_S:g} s", "Try again.")
    size = f"{picture.rect.width}x{picture.rect.height}"
    done = "your desktop" if own else "a private desktop", "opened" if own else "started"
    return Requirement("desktop", True, True, f"{done[0]} of {size} {done[1]} and returned a picture")
