"""Home folder of a private desktop before its first program starts: settings, an office profile, wrappers.

The wrappers are first on PATH, so that a program started by its plain name is accessible and asks nothing.
"""

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from deskhand.desktop.freedesktop.command_line import WRAPPERS
from deskhand.desktop.linux.runtime import libreoffice_profile
from deskhand.desktop.linux.runtime.guardian import DOCUMENTS, EXITS, OFFICE_PROFILE
from deskhand.desktop.mark import MARK
from deskhand.desktop.processes import INHERITED_BY_ALL

_KEPT_FROM_CALLER: Final = ("PATH", "TERM", "TZ", "USER", "LOGNAME", "JAVA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS")
_FIXED: Final[Mapping[str, str]] = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "XDG_SESSION_TYPE": "x11",
    "XDG_CURRENT_DESKTOP": "openbox",
    "GSETTINGS_BACKEND": "memory",
    "GTK_MODULES": "gail:atk-bridge",
    "GNOME_ACCESSIBILITY": "1",
    "GTK_A11Y": "atspi",
    "GDK_BACKEND": "x11",
    "GSK_RENDERER": "cairo",
    "GTK_USE_PORTAL": "0",
    "GTK_OVERLAY_SCROLLING": "0",
    "GIO_USE_VFS": "local",
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "QT_QPA_PLATFORM": "xcb",
    "SAL_USE_VCLPLUGIN": "gtk3",
}
_GTK_SETTINGS: Final = """[Settings]
gtk-enable-animations=0
gtk-cursor-blink=0
gtk-theme-name=Adwaita
gtk-font-name=DejaVu Sans 10
gtk-recent-files-enabled=0
gtk-primary-button-warps-slider=0
"""
_CHROMIUM: Final = (
    "--force-renderer-accessibility",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--password-store=basic",
    "--ozone-platform=x11",
)
_WITHOUT_SANDBOX: Final = """if [ "$(id -u)" = 0 ] || ! unshare --user --map-root-user true 2>/dev/null; then
  set -- --no-sandbox --test-type "$@"
fi
"""
"""Chromium does not start with its sandbox as root, and may not where users may not have namespaces. It would warn of a
missing one, late, and the warning would move a page down that was just observed: `--test-type` keeps it away.
"""
_SYSTEM_SETTINGS: Final = "/etc/xdg"
_OPENBOX: Final = Path("openbox/rc.xml")
_TAKEN: Final = re.compile(
    r'<mousebind button="(?:\w-)*A-.*?</mousebind>|<keybind key="(?:A-)?Print">.*?</keybind>', re.DOTALL
)
"""Alt with a button or the wheel, which openbox else takes to move and resize windows and to change desktops; and the
Print key, which starts a program of its own.
"""
_OFFICE: Final = ("--norestore", "--nologo", "--nofirststartwizard")
_WRAPPED: Final[Mapping[str, tuple[str, ...]]] = {
    "soffice": _OFFICE,
    "libreoffice": _OFFICE,
    "chromium": _CHROMIUM,
    "chromium-browser": _CHROMIUM,
    "google-chrome": _CHROMIUM,
    "google-chrome-stable": _CHROMIUM,
}
_JAVA_BRIDGE: Final = Path("/usr/share/java/java-atk-wrapper.jar")
_JAVA: Final = (
    "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper",
    f"-Xbootclasspath/a:{_JAVA_BRIDGE}",
)


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders of one desktop: `directory` may be deep, `runtime` is short (sockets are there)."""

    directory: Path
    runtime: Path

    @property
    def home(self) -> Path:
        return self.directory / "home"

    @property
    def config(self) -> Path:
        return self.home / ".config"

    @property
    def office_profile(self) -> Path:
        """Profile of LibreOffice, at its default path, so that its other programs find it too."""
        return self.directory / OFFICE_PROFILE

    @property
    def exits(self) -> Path:
        """Exit codes of programs that were started here and have ended: `PID CODE`, a line each."""
        return self.directory / EXITS

    @property
    def documents(self) -> Path:
        """Documents that programs were given or saved: beside them may be locks to remove in the end."""
        return self.directory / DOCUMENTS

    @property
    def notices(self) -> Path:
        """Parts of the desktop itself that ended and were started again, a line each."""
        return self.directory / "notices"

    @property
    def outside(self) -> tuple[Path, ...]:
        """All that has to be removed in the end."""
        return (self.directory, self.runtime, libreoffice_profile.pipe(self.office_profile))

    @property
    def wrappers(self) -> Path:
        return self.directory / WRAPPERS

    @property
    def logs(self) -> Path:
        return self.directory / "logs"

    @property
    def temporary(self) -> Path:
        return self.runtime / "tmp"

    @property
    def bus_address(self) -> str:
        """The D-Bus address of the session bus."""
        path = quote(bytes(self.runtime / "bus")).replace("~", "%7E")  # which URLs may have as it is, and D-Bus not
        return f"unix:path={path}"

    @property
    def door(self) -> Path:
        return self.runtime / "guardian"


def desktop_environment(places: Folders, mark: str, caller: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of every program of the desktop, except DISPLAY, which the X server chooses.

    `caller` is the result of `without_wrappers`, here and in `prepare`.
    """
    environment = {name: caller[name] for name in (*_KEPT_FROM_CALLER, *INHERITED_BY_ALL) if name in caller}
    environment |= _FIXED
    environment |= {
        "HOME": str(places.home),
        "PATH": f"{places.wrappers}:{caller['PATH']}",
        "TMPDIR": str(places.temporary),
        "XDG_RUNTIME_DIR": str(places.runtime),
        "XDG_CONFIG_HOME": str(places.config),
        "XDG_CACHE_HOME": str(places.home / ".cache"),
        "XDG_DATA_HOME": str(places.home / ".local/share"),
        "XDG_STATE_HOME": str(places.home / ".local/state"),
        "DBUS_SESSION_BUS_ADDRESS": places.bus_address,
        MARK: mark,
    }
    if _java_has_bridge(caller):
        environment["JAVA_CMD"] = str(places.wrappers / "java")  # Debian's starters of Java programs ask no PATH
    return environment


def prepare(places: Folders, caller: Mapping[str, str]) -> None:
    """Writes settings, office profile and wrappers. Raises: OSError."""
    for directory in (places.logs, places.wrappers):
        directory.mkdir(parents=True, mode=0o700)
    places.temporary.mkdir(mode=0o700)
    prepare_home(places, caller)
    for name, arguments in _WRAPPED.items():
        before = _WITHOUT_SANDBOX if arguments is _CHROMIUM else ""
        _write_wrapper(places.wrappers / name, arguments, caller, before)
    if _java_has_bridge(caller):  # a program does not start with the option for a bridge that is missing
        _write_wrapper(places.wrappers / "java", _JAVA, caller)


def prepare_home(places: Folders, caller: Mapping[str, str]) -> None:
    """Write the home folder, which is not there: settings and office profile. Raises: OSError."""
    for directory in (places.config, places.home / ".cache", places.home / ".local/share"):
        directory.mkdir(parents=True, mode=0o700)
    for version in ("gtk-3.0", "gtk-4.0"):
        (places.config / version).mkdir()
        (places.config / version / "settings.ini").write_text(_GTK_SETTINGS)
    _write_openbox(places.config / _OPENBOX, caller)
    libreoffice_profile.seed(places.office_profile, caller)


def _write_openbox(settings: Path, caller: Mapping[str, str]) -> None:
    """Write the machine's settings of openbox without its bindings of Alt with the mouse and of Print."""
    folders = (Path(folder) for folder in (caller.get("XDG_CONFIG_DIRS") or _SYSTEM_SETTINGS).split(":"))
    usual = next((folder / _OPENBOX for folder in folders if (folder / _OPENBOX).is_file()), None)
    if usual is not None:
        settings.parent.mkdir()
        settings.write_text(_TAKEN.sub("", usual.read_text(encoding="utf-8")), encoding="utf-8")


def _write_wrapper(wrapper: Path, arguments: Sequence[str], caller: Mapping[str, str], before: str = "") -> None:
    """A script that runs `before`, then becomes the real program; none where this machine has none."""
    real = shutil.which(wrapper.name, path=caller.get("PATH"))
    if real is None:
        return
    wrapper.write_text(f'#!/bin/sh\n{before}exec {shlex.join([real, *arguments])} "$@"\n')
    wrapper.chmod(0o755)


def _java_has_bridge(caller: Mapping[str, str]) -> bool:
    """True if the Java on the caller's PATH is one that Debian's accessibility bridge was installed into."""
    java = shutil.which("java", path=caller.get("PATH"))
    return (
        java is not None
        and _JAVA_BRIDGE.exists()
        and Path(java).resolve().parent.with_name("lib").joinpath("libatk-wrapper.so").exists()
    )
