"""Plug-ins: objects that installed packages offer by entry points, loaded one by one.

A package offers a tool by `[project.entry-points."deskhand.tools"]`, `weather = "my_package:weather"`.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Final, TypeVar, cast

from deskhand.commands import Tool
from deskhand.core.errors import PluginBroken
from deskhand.core.ports import Model
from deskhand.core.type_checks import items_of

if TYPE_CHECKING:
    from deskhand.agents import ThirdPartyAgent

T = TypeVar("T")

TOOLS: Final = "deskhand.tools"
"""Each is a tool of `@deskhand.tool`, or several in a list or tuple."""
AGENTS: Final = "deskhand.agents"
"""Each is a `ThirdPartyAgent`, which the host can give subtasks to, or several."""
MODELS: Final = "deskhand.models"
"""Each makes a model without arguments; it is chosen by the entry point's name, as in `--model NAME`."""
GROUPS: Final = (TOOLS, AGENTS, MODELS)


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point of an installed package."""

    entry: EntryPoint

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

    def load(self) -> object:
        """Import it. Raises: PluginBroken, with the error of the package."""
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:
            raise self.broken(f"{type(error).__name__}: {error}") from error

    def objects(self, kind: type[T]) -> tuple[T, ...]:
        """Import its objects, one or a list of them. Raises: PluginBroken."""
        loaded = self.load()
        parts = items_of(cast("object", loaded), object) if isinstance(loaded, list | tuple) else (loaded,)
        found = tuple(part for part in parts if isinstance(part, kind))
        if len(found) < len(parts):
            wrong = next(part for part in parts if not isinstance(part, kind))
            raise self.broken(f"a {type(wrong).__name__} is no {kind.__name__}")
        return found

    def maker(self) -> Callable[[], object]:
        """Import its function or class. Raises: PluginBroken, also where it cannot be called without arguments."""
        loaded = self.load()
        if not callable(loaded):
            raise self.broken(f"a {type(loaded).__name__} is no function or class")
        try:
            inspect.signature(loaded).bind()
        except TypeError as error:
            raise self.broken(f"it is called without arguments, but: {error}") from error
        except ValueError:  # a class of C code says nothing
            pass
        return loaded

    def model(self) -> Model:
        """Make its model. Raises: PluginBroken."""
        make = self.maker()
        try:
            made = make()
        except (Exception, SystemExit) as error:
            raise self.broken(f"{type(error).__name__}: {error}") from error
        if missing := [part for part in ("name", "pictures", "respond") if not hasattr(made, part)]:
            raise self.broken(f"a {type(made).__name__} is no model: it has no {', '.join(missing)}")
        return cast("Model", made)

    def check(self, there: set[str]) -> None:
        """Raises: PluginBroken where it cannot be used beside `there`, to which its tools or agents are added."""
        match self.group:
            case "deskhand.tools":
                _new(self, Tool, there)
            case "deskhand.agents":
                _new(self, _agent_class(), there)
            case _:
                self.maker()

    def broken(self, why: str) -> PluginBroken:
        """Return the error of a plug-in that cannot be used."""
        where = f"the plug-in {self.name} ({self.group}) of {self.package}"
        return PluginBroken(f"{where}: {why}", fix="correct it, or uninstall the package")


def installed(group: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of a group in the order of their names."""
    return tuple(Plugin(entry) for entry in sorted(entry_points(group=group), key=lambda entry: entry.name))


Report = Callable[[PluginBroken], None]
"""Takes the fault of a plug-in that is left out."""


def load_tools(taken: Iterable[str], report: Report) -> tuple[Tool, ...]:
    """Load the tools of all plug-ins. `taken`: names of tools that are there already, which no plug-in replaces."""
    there = set(taken)
    return _loaded(TOOLS, lambda plugin: _new(plugin, Tool, there), report)


def load_agents(taken: Iterable[str], report: Report) -> "tuple[ThirdPartyAgent, ...]":
    """Load the agents of all plug-ins. `taken`: kinds that are there already, which no plug-in replaces."""
    there = set(taken)
    return _loaded(AGENTS, lambda plugin: _new(plugin, _agent_class(), there), report)


def faults(tools: Iterable[str], agents: Iterable[str]) -> tuple[tuple[Plugin, PluginBroken | None], ...]:
    """Return all plug-ins with what keeps them from being used beside those tools and agents."""
    there = {TOOLS: set(tools), AGENTS: set(agents), MODELS: set[str]()}
    return tuple((plugin, _fault(plugin, there[group])) for group in GROUPS for plugin in installed(group))


def _fault(plugin: Plugin, there: set[str]) -> PluginBroken | None:
    try:
        plugin.check(there)
    except PluginBroken as error:
        return error
    return None


def _loaded(group: str, load: Callable[[Plugin], tuple[T, ...]], report: Report) -> tuple[T, ...]:
    found: list[T] = []
    for plugin in installed(group):
        try:
            found += load(plugin)
        except PluginBroken as fault:
            report(fault)
    return tuple(found)


def _new(plugin: Plugin, kind: type[T], there: set[str]) -> tuple[T, ...]:
    """Return its tools or agents, and add their names. Raises: PluginBroken."""
    objects = plugin.objects(kind)
    for name in map(_name, objects):
        if name in there:
            what = "a tool" if plugin.group == TOOLS else "an agent of the kind"
            raise plugin.broken(f"there is {what} {name!r} already")
    there |= set(map(_name, objects))
    return objects


def _name(loaded: object) -> str:
    return loaded.spec.name if isinstance(loaded, Tool) else str(getattr(loaded, "kind", ""))


def _agent_class() -> "type[ThirdPartyAgent]":
    from deskhand.agents import ThirdPartyAgent  # noqa: PLC0415 - brings all that decides

    return ThirdPartyAgent


def model_makers() -> Mapping[str, Callable[[], Model]]:
    """Return the makers of models by their names; a package is imported when its model is made."""
    return {plugin.name: plugin.model for plugin in installed(MODELS)}
