"""`deskhand plugins`."""

import typer

from deskhand.agents.builtin_kinds import THIRD_PARTY
from deskhand.cli.console import print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.commands import standard_catalogue
from deskhand.core.errors import EXIT_FAILED
from deskhand.core.model import AgentKind
from deskhand.session.plugins import GROUPS, faults


def add_to(app: typer.Typer) -> None:
    app.command("plugins")(plugins)


def plugins(as_json: JsonOption = False) -> int:
    """List the plug-ins of installed packages, with their faults. Exit code 1: one of them cannot be used."""
    tools = (tool.spec.name for tool in standard_catalogue())
    agents = (*AgentKind, *(agent.kind for agent in THIRD_PARTY))
    rows = [(plugin, fault.message if fault else "") for plugin, fault in faults(tools, agents)]
    if as_json:
        print_json(
            [
                {"group": plugin.group, "name": plugin.name, "package": plugin.package, "fault": fault or None}
                for plugin, fault in rows
            ]
        )
    elif not rows:
        print_note(f"no plug-in is installed; a package offers some by entry points: {', '.join(GROUPS)}")
    else:
        for plugin, fault in rows:
            print_line(f"{plugin.group:<20} {printable(plugin.name):<20} {printable(fault or plugin.package)}")
    return EXIT_FAILED if any(fault for _, fault in rows) else 0
