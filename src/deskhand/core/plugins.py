"""Plug-ins: objects that installed packages offer by entry points, loaded one by one.

A package offers a tool by `[project.entry-points."deskhand.tools"]`, `weather = "my_package:weather"`.
"""

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from deskhand.core.errors import PluginBroken, UsageError
from deskhand.core.type_checks import items_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

Report = Callable[[PluginBroken], None]
"""Takes the fault of a plug-in that is left out."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point of an installed package."""

    entry: "EntryPoint"

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def group(self) -> str:
        return self.entry.group

    @property
    def package(self) -> str:
        """Name and version of the package."""
        found = self.entry.dist
        return f"{found.name} {found.version}" if found else "an unknown package"

    @property
    def described(self) -> str:
        return f"the plug-in {self.name} ({self.group}) of {self.package}"

    def load(self) -> object:
        """Import it. Raises: PluginBroken, with the error of the package."""
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:
            raise self.failed(error) from error

    def objects(self, kind: type[T]) -> tuple[T, ...]:
        """Import its objects, one or a list of them. Raises: PluginBroken."""
        loaded = self.load()
        parts = items_of(cast("object", loaded), object) if isinstance(loaded, list | tuple) else (loaded,)
        found = tuple(part for part in parts if isinstance(part, kind))
        if len(found) < len(parts):
            wrong = next(part for part in parts if not isinstance(part, kind))
            raise self.broken(f"a {type(wrong).__name__} is no {kind.__name__}")
        return found

    def maker(self, *arguments: object, **options: object) -> Callable[..., object]:
        """Import its function or class. Raises: PluginBroken, also where it cannot be called with these arguments."""
        loaded = self.load()
        if not callable(loaded):
            raise self.broken(f"a {type(loaded).__name__} is no function or class")
        try:
            inspect.signature(loaded).bind(*arguments, **options)
        except TypeError as error:
            given = ", ".join((*map(repr, arguments), *(f"{name}=…" for name in options)))
            raise self.broken(f"it is called with ({given}), but: {error}") from error
        except ValueError:  # a class of C code says nothing
            pass
        return loaded

    def make(self, kind: type[T], *needed: str, arguments: tuple[object, ...] = ()) -> T:
        """Make its object, which has to have the attributes `needed`. Raises: PluginBroken, UsageError."""
        make = self.maker(*arguments)
        try:
            made = make(*arguments)
        except UsageError:
            raise
        except (Exception, SystemExit) as error:
            raise self.failed(error) from error
        if missing := [part for part in needed if not hasattr(made, part)]:
            what = kind.__name__.lower()
            raise self.broken(f"a {type(made).__name__} is no {what}: it has no {', '.join(missing)}")
        return cast("T", made)

    def failed(self, error: BaseException) -> PluginBroken:
        """Return the error of a plug-in that raised one."""
        return self.broken(f"{type(error).__name__}: {error}")

    def broken(self, why: str) -> PluginBroken:
        """Return the error of a plug-in that cannot be used."""
        return PluginBroken(f"{self.described}: {why}", fix="correct it, or uninstall the package")


def installed(group: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of a group in the order of their names, and of their packages where these are equal."""
    return _found(group, tuple((place, _changed_ns(place)) for place in sys.path))


@lru_cache(maxsize=32)
def _found(group: str, places: tuple[tuple[str, int], ...]) -> tuple[Plugin, ...]:
    """Look for them, which takes milliseconds: only where a place has changed, as by an installation."""
    del places
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes a good part of the start of a verb

    return tuple(sorted(map(Plugin, entry_points(group=group)), key=lambda plugin: (plugin.name, plugin.package)))


def _changed_ns(place: str) -> int:
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0


def load_each(group: str, load: Callable[[Plugin], tuple[T, ...]], report: Report) -> tuple[T, ...]:
    """Return the objects of all plug-ins of a group; one whose loading raises PluginBroken is reported and left out."""
    found: list[T] = []
    for plugin in installed(group):
        try:
            found += load(plugin)
        except PluginBroken as fault:
            report(fault)
    return tuple(found)


def first_of_names(group: str) -> dict[str, Plugin]:
    """Return the plug-ins of a group by their names; of several with one name the first."""
    found: dict[str, Plugin] = {}
    for plugin in installed(group):
        found.setdefault(plugin.name, plugin)
    return found
