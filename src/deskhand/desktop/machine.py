"""Facts on which a session ran that may explain why another one went differently: systems, packages, fonts, theme."""

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from deskhand.core.file_stamp import stamp_of

_PACKAGES: Final = (
    *("at-spi2-core", "libatspi2.0-0", "libatk-adaptor", "libatk-bridge2.0-0", "dbus", "xvfb", "openbox", "fontconfig"),
    *("libgtk-3-0", "libgtk-4-1", "libqt5gui5", "libqt6gui6", "openjdk-", "libreoffice-core", "python3-uno"),
    *("chromium", "firefox", "firefox-esr", "google-chrome-stable"),
)
"""Packages of accessibility, toolkits and applications that Deskhand knows; one that ends in `-` is a beginning."""
_STATUS: Final = Path("/var/lib/dpkg/status")
_RELEASE: Final = Path("/etc/os-release")
_FONTS: Final = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
_LOCALE: Final = ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE", "TZ")
_THEME: Final = ("GTK_THEME", "QT_STYLE_OVERRIDE", "QT_QPA_PLATFORMTHEME", "GDK_SCALE", "QT_SCALE_FACTOR")
_LARGEST: Final = 8 << 20
"""Bytes; a larger document is identified by its size and time, as hashing it would delay the session."""


def machine_facts(environment: Mapping[str, str], documents: Iterable[Path]) -> dict[str, str]:
    """Facts by name; `environment` is that of the desktop's programs. A fact that cannot be read is left out.

    Blocking: 4 ms, the first time 9, with 254 font files and 860 kB of package status.
    """
    system = platform.uname()
    facts = {
        "python": platform.python_version(),
        "kernel": f"{system.system} {system.release} {system.machine}",
        "distribution": _distribution(),
        "theme": _theme(environment),
        "fonts": _fonts(Path(environment.get("HOME", "/nonexistent"))),
    }
    facts |= {name: environment[name] for name in (*_LOCALE, *_THEME) if name in environment}
    facts |= {f"package {name}": version for name, version in _packages()}
    facts |= {f"document {path.name}": _document(path) for path in documents}
    return {name: value for name, value in facts.items() if value}


def _distribution() -> str:
    with suppress(OSError):
        for line in _RELEASE.read_text("utf-8", "replace").splitlines():
            name, _, value = line.partition("=")
            if name == "PRETTY_NAME":
                return value.strip('"')
    return ""


def _theme(environment: Mapping[str, str]) -> str:
    """Settings of GTK 3 for the desktop's programs, in one line."""
    folder = environment.get("XDG_CONFIG_HOME") or f"{environment.get('HOME', '/nonexistent')}/.config"
    with suppress(OSError):
        lines = Path(folder, "gtk-3.0", "settings.ini").read_text("utf-8", "replace").splitlines()
        return ", ".join(sorted(line.strip() for line in lines if "=" in line))
    return ""


def _fonts(home: Path) -> str:
    """Digest of the names and sizes of all font files."""
    digest, count = hashlib.sha256(), 0
    for folder in (*_FONTS, home / ".local/share/fonts", home / ".fonts"):
        for place, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                stamp = stamp_of(Path(place, name))
                digest.update(f"{place}/{name}\0{stamp.size if stamp else 0}\0".encode("utf-8", "surrogateescape"))
                count += 1
    return f"{count} files, {digest.hexdigest()[:16]}" if count else ""


def _packages() -> Iterator[tuple[str, str]]:
    """Name and version of the installed packages, on systems of Debian's kind."""
    try:
        stanzas = _STATUS.read_text("utf-8", "replace").split("\n\n")
    except OSError:
        return
    for stanza in stanzas:
        name = stanza[len("Package: ") : stanza.find("\n")]
        if _is_known(name.removesuffix("t64")) and "\nStatus: install ok installed\n" in stanza:
            yield name, stanza.partition("\nVersion: ")[2].partition("\n")[0]


def _is_known(name: str) -> bool:
    return name in _PACKAGES or (name.startswith("openjdk-") and name.endswith("-jre"))


def _document(path: Path) -> str:
    stamp = stamp_of(path)
    if stamp is None:
        return ""
    if stamp.size > _LARGEST:
        return f"{stamp.size} bytes of {stamp.modified_ns}"
    with suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return ""
