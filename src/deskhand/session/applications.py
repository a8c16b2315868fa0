"""The applications of this machine, with those of the configuration, which take precedence (contract 4.2)."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from deskhand.config.sections import ApplicationEntry
from deskhand.core.target import TargetInfo
from deskhand.desktop.applications import Applications, FileTypes, KnownApplication
from deskhand.desktop.freedesktop.associations import associations
from deskhand.desktop.freedesktop.entries import Entry, entries
from deskhand.desktop.freedesktop.folders import Folders
from deskhand.desktop.freedesktop.mime import mime_database
from deskhand.desktop.protocols.windows import Application

_PROGRAM: Final = "soffice"


def _office(name: str) -> Application:
    return Application(
        name=name,
        argv=(_PROGRAM, f"--{name}"),
        argv_with_file=(_PROGRAM, f"--{name}", "{file}"),
        window=rf"LibreOffice {name.title()}$",
    )


BUILT_IN: Final = tuple(map(_office, ("writer", "calc", "impress", "draw", "math")))
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
    ".odg": "draw",
    ".odf": "math",
}


def applications(
    configured: Mapping[str, ApplicationEntry], environment: Mapping[str, str] | None = None
) -> Applications:
    """Return the applications that can be opened here; the machine is read once per process, on first use.

    `environment` names the folders of desktop entries; None: that of this process.
    """
    folders = Folders.of(os.environ if environment is None else environment)
    known = _with_configuration(_of_machine(folders), configured)
    return Applications(known, partial(_types_of, folders), _BY_SUFFIX)


def _types_of(folders: Folders) -> FileTypes:
    database, chosen = mime_database(folders), associations(folders)
    return FileTypes(database.type_of, database.kinds_of, chosen.defaults, chosen.added, chosen.removed)


def _of_machine(folders: Folders) -> Iterator[KnownApplication]:
    """Yield the recipes, each with the data of its desktop entry, then the other entries."""
    has_office = shutil.which(_PROGRAM, path=folders.path) is not None
    left = {entry.id: entry for entry in entries(folders)}
    of_recipes = {recipe.name: entry for recipe in BUILT_IN for entry in left.values() if _starts(entry, recipe)}
    for recipe in BUILT_IN:
        title = recipe.window.removesuffix("$")
        known = KnownApplication(recipe.name, recipe, names=(title,), source="built in")
        entry = of_recipes.get(recipe.name)
        if entry is None:
            problem = "LibreOffice is installed without it" if of_recipes else ""
            yield replace(known, is_listed=has_office and not problem, problem=problem)
            continue
        del left[entry.id]
        said = _of_entry(entry)
        yield replace(
            said,
            id=recipe.name,
            application=recipe if has_office else replace(said.application, name=recipe.name, window=recipe.window),
            aliases=(said.id, *said.aliases),
            names=tuple(dict.fromkeys((*said.names, title))),
            is_listed=said.is_listed and not said.problem,
            problem="",  # the error for the missing LibreOffice names the command that installs it
        )
    yield from map(_of_entry, left.values())


def _starts(entry: Entry, recipe: Application) -> bool:
    """Return whether an entry is that of a recipe, for any LibreOffice installation and launcher."""
    return "libreoffice" in entry.id.lower() and recipe.argv[1] in entry.argv


def _of_entry(entry: Entry) -> KnownApplication:
    last = entry.id.rpartition(".")[2]
    program = Path(entry.argv[0]).name if entry.argv else last
    own = (program,) if entry.is_alone else ()
    return KnownApplication(
        id=entry.id,
        application=Application(program or last, entry.argv, entry.argv_with_file),
        aliases=(f"{entry.id}.desktop",),
        names=(*entry.names, *((last,) if entry.id.count(".") > 1 else ())),  # org.gnome.gedit, and not python3.11
        programs=(*own, *filter(None, (entry.window_class,))),
        generic_names=entry.generic_names,
        keywords=entry.keywords,
        types=entry.types,
        takes_files=entry.takes_files,
        categories=frozenset(entry.categories),
        is_listed=entry.is_shown,
        problem=entry.problem,
        source=str(entry.path),
    )


def _with_configuration(
    known: Iterable[KnownApplication], configured: Mapping[str, ApplicationEntry]
) -> Iterator[KnownApplication]:
    """Yield the applications with the configured ones changed or added."""
    found = {each.id: each for each in known}
    for name, entry in configured.items():
        meant = Applications(found.values()).strictly(name) or KnownApplication(name, Application(name, ()))
        own = Application(meant.application.name, entry.argv, entry.argv_with_file, entry.window, entry.environment)
        found[meant.id] = replace(
            meant, application=own, is_listed=True, problem="", takes_files=True, source="configuration"
        )
    yield from found.values()


def is_window_of(window: TargetInfo, application: KnownApplication, known: Applications) -> bool:
    """Return whether a window belongs to an application, by the name that it reports: that of its program or script."""
    reported = known.launched(window.application)
    is_it = reported is not None and reported.id == application.id
    command = application.application.argv[:2]
    return is_it or window.application in {application.application.name, *(Path(part).name for part in command)}


@dataclass(frozen=True, slots=True)
class Opening:
    """The applications that a session opens first: each of `files` in one, and `applications` without a file."""

    files: tuple[tuple[Path, KnownApplication], ...]
    applications: tuple[KnownApplication, ...]

    @classmethod
    def of(cls, files: Iterable[Path], names: Iterable[str], opens_with: str, known: Applications) -> "Opening":
        """Choose the application of each file: that called `opens_with`, otherwise one of those called `names` that
        opens such files, otherwise the machine's default. Those of `names` that open a file are not opened again.

        Raises: UsageError where an application is unknown or cannot be opened, or none opens a file.
        """
        named = [known.find(name) for name in names]
        chosen = known.with_file(opens_with) if opens_with else None
        among = [each.id for each in named]
        opened = tuple((file, chosen or known.opener(file, among)) for file in files)
        openers = {opener.id for _, opener in opened}
        return cls(opened, tuple(each for each in named if each.id not in openers))

    @property
    def all(self) -> tuple[KnownApplication, ...]:
        """All applications that are opened."""
        return (*(opener for _, opener in self.files), *self.applications)
