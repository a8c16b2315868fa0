"""The tools of plug-ins, for commands that offer tools."""

from deskhand.cli.console import print_error
from deskhand.commands import Tool, standard_catalogue
from deskhand.session.plugins import load_tools


def plugin_tools() -> tuple[Tool, ...]:
    """Return the tools of plug-ins. A broken one is reported and left out."""
    known = (tool.spec.name for tool in standard_catalogue())
    return load_tools(known, lambda fault: print_error(fault.message, fault.fix))


def plugin_tools_for(name: str) -> tuple[Tool, ...]:
    """Return them where no tool of Deskhand has this name, else none: no plug-in is loaded."""
    return () if any(tool.spec.name == name for tool in standard_catalogue()) else plugin_tools()
