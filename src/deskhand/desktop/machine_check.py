"""All checks of a machine: its requirements, and a private desktop that is started and shown."""

import tempfile
from pathlib import Path
from typing import Final

import anyio

from deskhand.core.errors import DeskhandError
from deskhand.desktop.backends import Requirement, Virtual, open_desktop, requirements

_DEADLINE_S: Final = 60.0


async def machine_check() -> list[Requirement]:
    """Check this machine; where a desktop can start, one is."""
    checks = list(requirements())
    if can_start_desktop(checks):
        checks.append(await _try_desktop())
    return checks


def can_start_desktop(checks: list[Requirement]) -> bool:
    """True if nothing is missing that each desktop needs, whatever works on it."""
    return all(check.ok for check in checks if check.required and not check.id.startswith("libreoffice"))


async def _try_desktop() -> Requirement:
    """Start a private desktop and take a picture of it."""
    with tempfile.TemporaryDirectory(prefix="deskhand-doctor-") as folder:
        try:
            with anyio.fail_after(_DEADLINE_S):
                async with open_desktop(Virtual("doctor", Path(folder))) as desktop:
                    picture = await desktop.screenshot()
        except DeskhandError as error:
            return Requirement("desktop", False, True, error.message, error.fix)
        except TimeoutError:
            return Requirement("desktop", False, True, f"was not ready within {_DEADLINE_S:g} s", "Try again.")
    size = f"{picture.rect.width}x{picture.rect.height}"
    return Requirement("desktop", True, True, f"a private desktop of {size} started and returned a picture")
