"""What a private desktop's HOME holds before the first program starts: settings, an office profile, wrappers.

The wrappers stand first on PATH, so that a program started by its plain name is accessible and asks nothing.
"""

import hashlib
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from deskhand.desktop.linux.processes import KEPT_BY_ALL, MARK

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
    "--no-sandbox",
    "--force-renderer-accessibility",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--password-store=basic",
    "--ozone-platform=x11",
)
_OFFICE: Final = ("--norestore", "--nologo", "--nofirststartwizard")
_WRAPPED: Final[Mapping[str, tuple[str, ...]]] = {
    "soffice": _OFFICE,
    "libreoffice": _OFFICE,
    "chromium": _CHROMIUM,
    "chromium-browser": _CHROMIUM,
    "google-chrome": _CHROMIUM,
}
_JAVA_BRIDGE: Final = Path("/usr/share/java/java-atk-wrapper.jar")
_JAVA: Final = (
    "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper",
    f"-Xbootclasspath/a:{_JAVA_BRIDGE}",
)

_FAR_FUTURE: Final = "4102444800"
_COMMON: Final = "/org.openoffice.Office.Common"
_OFFICE_SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    # What is typed stays what was typed.
    "/org.openoffice.Office.Calc/Input": {
        "AutoInput": "false",
        "ReplaceCellsWarning": "false",
        "ExpandFormatting": "false",
        "DetectiveAuto": "false",
    },
    f"{_COMMON}/AutoCorrect": dict.fromkeys(
        (
            "AddNonBreakingSpace",
            "CapitalAtStartSentence",
            "ChangeAngleQuotes",
            "ChangeDash",
            "ChangeOrdinalNumber",
            "ChangeUnderlineWeight",
            "CorrectAccidentalCapsLock",
            "RemoveDoubleSpaces",
            "ReplaceDoubleQuote",
            "ReplaceSingleQuote",
            "SetInetAttribute",
            "TransliterateRTL",
            "TwoCapitalsAtStart",
            "UseReplacementTable",
        ),
        "false",
    ),
    "/org.openoffice.Office.Linguistic/SpellChecking": {"IsSpellAuto": "false"},
    # No lock files, no recovery, no prompts.
    f"{_COMMON}/Misc": {
        "UseLocking": "false",
        "UseDocumentSystemFileLocking": "false",
        "UseDocumentOOoLockFile": "false",
        "UseWebDAVFileLocking": "false",
        "ShowTipOfTheDay": "false",
        "FirstRun": "false",
        "CrashReport": "false",
        "UseSystemFileDialog": "true",
        "ShowLinkWarningDialog": "false",
        "PerformFileExtCheck": "false",
    },
    f"{_COMMON}/Save/Document": {"WarnAlienFormat": "false", "GenerateThumbnail": "false", "AutoSave": "false"},
    "/org.openoffice.Office.Recovery/AutoSave": {"Enabled": "false"},
    "/org.openoffice.Office.Recovery/RecoveryInfo": {"Enabled": "false"},
    # No bars and boxes of a first start.
    "/org.openoffice.Office.UI.Infobar/Enabled": dict.fromkeys(
        ("Donate", "GetInvolved", "WhatsNew", "HyphenationMissing", "HiddenTrackChanges"), "false"
    ),
    "/org.openoffice.Setup/Office": {"ooSetupInstCompleted": "true", "LastCompatibilityCheckID": "x"},
    "/org.openoffice.Setup/Product": {
        "ooSetupLastVersion": "7.4",
        "LastTimeGetInvolvedShown": _FAR_FUTURE,
        "LastTimeDonateShown": _FAR_FUTURE,
    },
    # Nothing moves by itself.
    f"{_COMMON}/Accessibility": {"IsAllowAnimatedGraphics": "false", "IsAllowAnimatedText": "false"},
    f"{_COMMON}/View": {"MenuIcons": "false"},
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where one desktop keeps its things: `directory` may be deep, `runtime` is short (sockets live there)."""

    directory: Path
    runtime: Path

    @property
    def home(self) -> Path:
        return self.directory / "home"

    @property
    def config(self) -> Path:
        return self.home / ".config"

    @property
    def office(self) -> Path:
        """LibreOffice's profile, where it looks without being told; so its other programs find it too."""
        return self.config / "libreoffice/4"

    @property
    def outside(self) -> tuple[Path, ...]:
        """All that has to be removed in the end."""
        return (self.directory, self.runtime, _office_pipe(self.office))

    @property
    def wrappers(self) -> Path:
        return self.directory / "bin"

    @property
    def logs(self) -> Path:
        return self.directory / "logs"

    @property
    def temporary(self) -> Path:
        return self.runtime / "tmp"

    @property
    def bus(self) -> Path:
        return self.runtime / "bus"

    @property
    def door(self) -> Path:
        return self.runtime / "guardian"


def desktop_environment(places: Places, mark: str, caller: Mapping[str, str]) -> dict[str, str]:
    """What every program of the desktop starts with, except DISPLAY, which the X server chooses."""
    environment = {name: caller[name] for name in (*_KEPT_FROM_CALLER, *KEPT_BY_ALL) if name in caller}
    environment |= _FIXED
    environment |= {
        "HOME": str(places.home),
        "PATH": f"{places.wrappers}:{caller.get('PATH', os.defpath)}",
        "TMPDIR": str(places.temporary),
        "XDG_RUNTIME_DIR": str(places.runtime),
        "XDG_CONFIG_HOME": str(places.config),
        "XDG_CACHE_HOME": str(places.home / ".cache"),
        "XDG_DATA_HOME": str(places.home / ".local/share"),
        "XDG_STATE_HOME": str(places.home / ".local/state"),
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={places.bus}",
        MARK: mark,
    }
    return environment


def prepare(places: Places, caller: Mapping[str, str]) -> None:
    """Writes settings, office profile and wrappers. Raises: OSError."""
    for directory in (
        places.config,
        places.logs,
        places.wrappers,
        places.home / ".cache",
        places.home / ".local/share",
    ):
        directory.mkdir(parents=True, mode=0o700)
    places.temporary.mkdir(mode=0o700)
    for version in ("gtk-3.0", "gtk-4.0"):
        (places.config / version).mkdir()
        (places.config / version / "settings.ini").write_text(_GTK_SETTINGS)
    seed_office_profile(places.office)
    for name, arguments in _WRAPPED.items():
        _write_wrapper(places.wrappers / name, arguments, caller)
    if _JAVA_BRIDGE.exists():  # a program that is told of a bridge that is not there does not start
        _write_wrapper(places.wrappers / "java", _JAVA, caller, libraries=_java_libraries())


def seed_office_profile(profile: Path) -> None:
    """Writes a LibreOffice profile that shows nothing unasked and changes nothing typed. Raises: OSError."""
    user = profile / "user"
    user.mkdir(parents=True)
    (user / "registrymodifications.xcu").write_text(office_settings(_OFFICE_SETTINGS))


def _office_pipe(profile: Path) -> Path:
    """The socket by which a second soffice finds the first; named after the profile, and a killed one leaves it."""
    digest = hashlib.md5(profile.as_uri().encode("utf-16-le"), usedforsecurity=False).digest()
    name = "".join(f"{byte:x}" for byte in digest)
    return Path(f"/tmp/OSL_PIPE_{os.getuid()}_SingleOfficeIPC_{name}")  # noqa: S108  not ours to choose


def office_settings(settings: Mapping[str, Mapping[str, str]]) -> str:
    """The text of a `registrymodifications.xcu` with these values (path → property → value)."""
    items = "".join(
        f'<item oor:path="{escape(path)}"><prop oor:name="{escape(name)}" oor:op="fuse">'
        f"<value>{escape(value)}</value></prop></item>\n"
        for path, properties in settings.items()
        for name, value in properties.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry"'
        ' xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n'
        f"{items}</oor:items>\n"
    )


def _java_libraries() -> str:
    """Where the bridge's native part lies: Debian's own Java looks there, others have to be told."""
    return ":".join(str(library.parent) for library in Path("/usr/lib").glob("*/jni/libatk-wrapper.so"))


def _write_wrapper(wrapper: Path, arguments: Sequence[str], caller: Mapping[str, str], *, libraries: str = "") -> None:
    """A script that becomes the real program; none where this machine has none."""
    real = shutil.which(wrapper.name, path=caller.get("PATH", os.defpath))
    if real is None:
        return
    path = (
        f'export LD_LIBRARY_PATH="${{LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}}"{shlex.quote(libraries)}\n'
        if libraries
        else ""
    )
    wrapper.write_text(f'#!/bin/sh\n{path}exec {shlex.join([real, *arguments])} "$@"\n')
    wrapper.chmod(0o755)
