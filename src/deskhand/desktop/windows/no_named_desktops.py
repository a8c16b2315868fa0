"""The registry of named desktops on Windows, where there are none: a user has one desktop."""

from pathlib import Path

from deskhand.core.errors import MissingRequirement, RegistryUnusable, UsageError
from deskhand.desktop.named import EndedDesktop, NamedDesktop
from deskhand.desktop.windows.base import NAME

_FIX = f"use your own desktop: --desktop {NAME}"


async def start_named(name: str, *, size: tuple[int, int] = (1920, 1080), registry: Path | None = None) -> NamedDesktop:  # noqa: ARG001 - as on Linux
    """Raises: MissingRequirement."""
    raise MissingRequirement(f"desktop {name!r} cannot be started: there are no named desktops on Windows", fix=_FIX)


async def list_named(*, registry: Path | None = None) -> tuple[NamedDesktop, ...]:  # noqa: ARG001 - as on Linux
    """Return none."""
    return ()


def unusable_named(*, registry: Path | None = None) -> tuple[RegistryUnusable, ...]:  # noqa: ARG001 - as on Linux
    """Return none."""
    return ()


def ended_named(*, registry: Path | None = None) -> tuple[EndedDesktop, ...]:  # noqa: ARG001 - as on Linux
    """Return none."""
    return ()


def forget_ended(desktop: EndedDesktop, *, registry: Path | None = None) -> None:
    """Do nothing."""


def not_up(name: str, *, registry: Path | None = None) -> UsageError:  # noqa: ARG001 - as on Linux
    """Return the error for a desktop that is not up."""
    return UsageError(f"no desktop named {name!r} is up: there are none on Windows", fix=_FIX)


async def stop_named(name: str, *, registry: Path | None = None) -> bool:  # noqa: ARG001 - as on Linux
    """Return False: there is none of that name."""
    return False


async def stop_all(*, registry: Path | None = None) -> tuple[str, ...]:  # noqa: ARG001 - as on Linux
    """Return none."""
    return ()
