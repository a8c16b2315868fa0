"""Reasons why a program exposes nothing to accessibility, by the libraries that it has loaded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class _Bridge:
    """A toolkit that exposes its controls only through a library of another package."""

    toolkit: str
    loads: str
    bridge: str
    package: str


_BRIDGES: Final = (
    _Bridge("GTK 2", "/libgtk-x11-2.0.so", "/libatk-bridge", "libatk-adaptor"),
    _Bridge("Java", "/libjvm.so", "/libatk-wrapper", "libatk-wrapper-java-jni"),
)
_WINE: Final = "/x86_64-unix/ntdll.so"
_WITHOUT_BRIDGE: Final = "a Windows program that no bridge serves; end it, and start it by `deskhand launch`"
_ITSELF: Final = "it draws its content itself"


def why_silent(pid: int | None) -> str:
    """Return why the program of a window exposes nothing; empty where its libraries cannot be read."""
    try:
        loaded = Path(f"/proc/{pid}/maps").read_text("utf-8", errors="replace") if pid else ""
    except OSError:
        return ""
    missing = (each for each in _BRIDGES if each.loads in loaded and each.bridge not in loaded)
    found = next(missing, None)
    if found is not None:
        return f"{found.toolkit} without its bridge; install {found.package} and start it again"
    if _WINE in loaded:
        return _WITHOUT_BRIDGE
    return _ITSELF if loaded else ""
