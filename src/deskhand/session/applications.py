"""The application registry: names to ways of starting them (SPEC 4.2)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from deskhand.config.sections import ApplicationEntry
from deskhand.core.errors import UsageError
from deskhand.desktop.base import Application


def _office(name: str, module: str, title: str) -> Application:
    return Application(
        name=name,
        argv=("soffice", f"--{module}"),
        argv_with_file=("soffice", f"--{module}", "{file}"),
        window=rf"{title}$",
    )


BUILT_IN: Final = (
    _office("writer", "writer", "LibreOffice Writer"),
    _office("calc", "calc", "LibreOffice Calc"),
    _office("impress", "impress", "LibreOffice Impress"),
)
_BY_SUFFIX: Final = {
    ".odt": "writer",
    ".docx": "writer",
    ".doc": "writer",
    ".rtf": "writer",
    ".txt": "writer",
    ".ods": "calc",
    ".xlsx": "calc",
    ".csv": "calc",
    ".odp": "impress",
    ".pptx": "impress",
    ".ppt": "impress",
}


def application_registry(configured: Mapping[str, ApplicationEntry]) -> dict[str, Application]:
    """The built-in applications and those of the configuration, which win."""
    registry = {application.name: application for application in BUILT_IN}
    for name, entry in configured.items():
        registry[name] = Application(name, entry.argv, entry.argv_with_file, entry.window, entry.environment)
    return registry


def application_for(file: Path, registry: Mapping[str, Application]) -> Application:
    """What a file is opened with. Raises: UsageError for a suffix nobody opens."""
    name = _BY_SUFFIX.get(file.suffix.lower())
    if name is None or name not in registry:
        known = " ".join(_BY_SUFFIX)
        raise UsageError(f"nothing here opens {file.name!r}", fix=f"give a file that ends with one of: {known}")
    return registry[name]
