"""The tools, agents, models and retrievers of plug-ins, and the list of all plug-ins with their faults."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from deskhand.commands import Tool
from deskhand.core.errors import PluginBroken, UsageError
from deskhand.core.plugins import Plugin, Report, first_of_names, installed, load_each
from deskhand.core.ports import Model, Retriever
from deskhand.desktop.backends import BACKENDS, TOOLKITS, check_desktop_plugin

if TYPE_CHECKING:
    from deskhand.agents import ThirdPartyAgent
    from deskhand.models.setup import ModelSetup
    from deskhand.session.models import MakeModel

T = TypeVar("T")

TOOLS: Final = "deskhand.tools"
"""Each is a tool of `@deskhand.tool`, or several in a list or tuple."""
AGENTS: Final = "deskhand.agents"
"""Each is a `ThirdPartyAgent`, which the host can give subtasks to, or several."""
MODELS: Final = "deskhand.models"
"""Each makes a model, chosen by the entry point's name as in `--model NAME`: without arguments, or with the text after
the colon of `--model NAME:TEXT` and a `ModelSetup`.
"""
RETRIEVERS: Final = "deskhand.retrievers"
"""Each makes a `Retriever` without arguments."""
OPERATOR: Final = "operator"
"""Our own models that are made as those of plug-ins are, `operator:VENDOR/NAME`."""
GROUPS: Final = (TOOLS, AGENTS, MODELS, RETRIEVERS, BACKENDS, TOOLKITS)


def load_tools(taken: Iterable[str], report: Report) -> tuple[Tool, ...]:
    """Load the tools of all plug-ins. `taken`: names of tools that are there already, which no plug-in replaces."""
    there = set(taken)
    return load_each(TOOLS, lambda plugin: _new(plugin, Tool, there), report)


def load_agents(taken: Iterable[str], report: Report) -> "tuple[ThirdPartyAgent, ...]":
    """Load the agents of all plug-ins. `taken`: kinds that are there already, which no plug-in replaces."""
    there = set(taken)
    return load_each(AGENTS, lambda plugin: _new(plugin, _agent_class(), there), report)


def load_retrievers(report: Report) -> tuple[Retriever, ...]:
    """Make the retrievers of all plug-ins."""
    return load_each(RETRIEVERS, lambda plugin: (plugin.make(Retriever, "retrieve"),), report)


def model_makers() -> "Mapping[str, MakeModel]":
    """Return the makers of models by their names, with ours; a package is imported when its model is made."""
    makers = {name: partial(_made, plugin) for name, plugin in first_of_names(MODELS).items()}
    return {**makers, OPERATOR: partial(_made, _operator())}


def _operator() -> Plugin:
    from importlib.metadata import EntryPoint  # noqa: PLC0415 - takes a good part of the start of a verb

    return Plugin(EntryPoint(OPERATOR, "deskhand.operator:operator_model", MODELS))


def _made(plugin: Plugin, name: str, setup: "ModelSetup") -> Model:
    """Make its model. `name`: what follows the plug-in's name and a colon. Raises: PluginBroken, UsageError."""
    takes_name = _takes_name(plugin)
    if name and not takes_name:
        raise UsageError(f"the model {plugin.name} takes no name, and {name!r} was given", fix=f"write {plugin.name}")
    return plugin.make(Model, "name", "pictures", "respond", arguments=(name, setup) if takes_name else ())


def _takes_name(plugin: Plugin) -> bool:
    """True if it is made with a name and a setup, False if without arguments. Raises: PluginBroken."""
    try:
        plugin.maker()
    except PluginBroken as error:
        try:
            plugin.maker("", None)
        except PluginBroken:
            raise error from None
        return True
    return False


def faults(tools: Iterable[str], agents: Iterable[str]) -> tuple[tuple[Plugin, PluginBroken | None], ...]:
    """Return all plug-ins with what keeps them from being used beside those tools and agents."""
    from deskhand.models.language.providers import PROVIDERS  # noqa: PLC0415 - only this list needs their names

    models = {OPERATOR, *PROVIDERS}
    there = {group: set[str]() for group in GROUPS} | {TOOLS: set(tools), AGENTS: set(agents), MODELS: models}
    return tuple((plugin, _fault(plugin, there[group])) for group in GROUPS for plugin in installed(group))


def _fault(plugin: Plugin, there: set[str]) -> PluginBroken | None:
    try:
        _check(plugin, there)
    except PluginBroken as error:
        return error
    return None


def _check(plugin: Plugin, there: set[str]) -> None:
    """Raises: PluginBroken where it cannot be used beside `there`, to which its names are added."""
    match plugin.group:
        case "deskhand.tools":
            _new(plugin, Tool, there)
        case "deskhand.agents":
            _new(plugin, _agent_class(), there)
        case "deskhand.retrievers":
            plugin.make(Retriever, "retrieve")
        case "deskhand.models":
            _claim(plugin, [plugin.name], there, "a model")
            _takes_name(plugin)
        case _:
            _claim(plugin, [plugin.name], there, "a plug-in")
            check_desktop_plugin(plugin)


def _new(plugin: Plugin, kind: type[T], there: set[str]) -> tuple[T, ...]:
    """Return its tools or agents, and add their names. Raises: PluginBroken."""
    objects = plugin.objects(kind)
    _claim(plugin, list(map(_name, objects)), there, "a tool" if plugin.group == TOOLS else "an agent of the kind")
    return objects


def _claim(plugin: Plugin, names: list[str], there: set[str], what: str) -> None:
    """Add its names to those that are taken. Raises: PluginBroken where one of them is."""
    for name in names:
        if name in there:
            raise plugin.broken(f"there is {what} {name!r} already")
    there.update(names)


def _name(loaded: object) -> str:
    return loaded.spec.name if isinstance(loaded, Tool) else str(getattr(loaded, "kind", ""))


def _agent_class() -> "type[ThirdPartyAgent]":
    from deskhand.agents import ThirdPartyAgent  # noqa: PLC0415 - brings all that decides

    return ThirdPartyAgent
