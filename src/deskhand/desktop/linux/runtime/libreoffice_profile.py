"""A LibreOffice profile, seeded before its first start: it shows nothing unasked and changes nothing typed.

Written for 7.4 to 25.2; a version ignores the settings it does not know.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

_FAR_FUTURE: Final = "4102444800"
_COMMON: Final = "/org.openoffice.Office.Common"
_SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    # Typed text is not corrected.
    "/org.openoffice.Office.Calc/Input": {
        "AutoInput": "false",
        "ReplaceCellsWarning": "false",
        "ExpandFormatting": "false",
        "DetectiveAuto": "false",
        "WarnActiveSheet": "false",
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
            "SetDOIAttribute",
            "SetInetAttribute",
            "TransliterateRTL",
            "TwoCapitalsAtStart",
            "UseReplacementTable",
        ),
        "false",
    ),
    "/org.openoffice.Office.Writer/AutoFunction/Completion": {"Enable": "false"},
    # Impress starts with an empty presentation, not with a choice of templates.
    "/org.openoffice.Office.Impress/Misc/NewDoc": {"AutoPilot": "false"},
    "/org.openoffice.Office.Linguistic/SpellChecking": {"IsSpellAuto": "false"},
    # No recovery, no prompts. Documents are locked by lock files, which name their holder; a lock on the file itself
    # would need it open for writing all the time, and saving could not be observed.
    f"{_COMMON}/Misc": {
        "UseDocumentSystemFileLocking": "false",
        "AllowOverrideLocking": "false",
        "ShowTipOfTheDay": "false",
        "FirstRun": "false",
        "CrashReport": "false",
        "UseSystemFileDialog": "true",
        "ShowLinkWarningDialog": "false",
        "PerformFileExtCheck": "false",
        "QuerySetInsMode": "false",
        "OfferSafeMode": "false",
        "ShowDonation": "false",
        "TempFileNextToLocalFile": "false",
    },
    f"{_COMMON}/Save/Document": dict.fromkeys(
        ("WarnAlienFormat", "GenerateThumbnail", "AutoSave", "CreateBackup"), "false"
    ),
    "/org.openoffice.Office.Recovery/AutoSave": {"Enabled": "false"},
    "/org.openoffice.Office.Recovery/RecoveryInfo": {"Enabled": "false"},
    # No bars and boxes of a first start.
    "/org.openoffice.Office.UI.Infobar/Enabled": dict.fromkeys(
        ("Donate", "GetInvolved", "WhatsNew", "HyphenationMissing", "HiddenTrackChanges"), "false"
    ),
    "/org.openoffice.Setup/Office": {"ooSetupInstCompleted": "true"},
    "/org.openoffice.Setup/Product": {
        "WhatsNew": "false",
        "WhatsNewDialog": "false",
        "LastTimeGetInvolvedShown": _FAR_FUTURE,
        "LastTimeDonateShown": _FAR_FUTURE,
    },
    # Nothing moves by itself.
    f"{_COMMON}/Accessibility": {"IsAllowAnimatedGraphics": "false", "IsAllowAnimatedText": "false"},
    f"{_COMMON}/View/Menu": {"ShowIconsInMenues": "false", "IsSystemIconsInMenus": "false"},
}


def seed(profile: Path, caller: Mapping[str, str]) -> None:
    """Writes the profile for the office suite on the caller's PATH. Raises: OSError."""
    user = profile / "user"
    user.mkdir(parents=True)
    program = _program_directory(caller)
    build = _value(program / "versionrc", "buildid") if program else ""
    version = _value(program / "bootstraprc", "ProductKey").rpartition(" ")[2] if program else ""
    own: dict[str, Mapping[str, str]] = {}
    if build:
        # Without these the suite synchronises its extensions and restarts itself in its first start: 0.3 s, and it
        # appears, vanishes and appears again on the accessibility bus.
        own["/org.openoffice.Setup/Office"] = {"LastCompatibilityCheckID": build}
        (user / "extensions").mkdir()
        (user / "extensions/buildid").write_text(build)
    if version:
        own["/org.openoffice.Setup/Product"] = {"ooSetupLastVersion": version}
    merged = {path: {**values, **own.get(path, {})} for path, values in _SETTINGS.items()}
    (user / "registrymodifications.xcu").write_text(settings_file(merged))


def settings_file(settings: Mapping[str, Mapping[str, str]]) -> str:
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


def pipe(profile: Path) -> Path:
    """The socket by which a second soffice finds the first; named after the profile, and a killed one leaves it."""
    digest = hashlib.md5(profile.as_uri().encode("utf-16-le"), usedforsecurity=False).digest()
    name = "".join(f"{byte:x}" for byte in digest)
    return Path(f"/tmp/OSL_PIPE_{os.getuid()}_SingleOfficeIPC_{name}")  # noqa: S108  not ours to choose


def _program_directory(caller: Mapping[str, str]) -> Path | None:
    found = shutil.which("soffice", path=caller.get("PATH"))
    return Path(found).resolve().parent if found else None


def _value(file: Path, key: str) -> str:
    """A value of one of the suite's own settings files; empty where there is none."""
    if not file.exists():
        return ""
    for line in file.read_text(errors="replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == key:
            return value.strip()
    return ""
