"""Record of the machine, the desktop and the documents that a session runs on."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from anyio import to_thread

from deskhand.core.errors import DesktopError
from deskhand.core.events import RanOn
from deskhand.desktop.machine import machine_facts
from deskhand.desktop.protocols.desktop import Desktop


async def ran_on(desktop: Desktop, files: Sequence[Path]) -> RanOn:
    """Return the facts at the start of a session; `files` are the documents that it will open."""
    facts = await to_thread.run_sync(machine_facts, desktop.environment, files)
    with suppress(DesktopError):  # the session reports that by itself
        for screen in await desktop.screens():
            place = screen.rect
            facts[f"screen {screen.name}"] = f"{place.width}x{place.height}, scale {screen.scale or 'not set'}"
    return RanOn(facts=facts)
