"""`deskhand plugins`."""

import typer

from deskhand.cli.console import print_json, print_line, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.core.errors import EXIT_FAILED, PluginBroken
from deskhand.session.plugins import GROUPS, Plugin, installed


def add_to(app: typer.Typer) -> None:
    app.command("plugins")(plugins)


def plugins(as_json: JsonOption = False) -> int:
    """List the plug-ins of installed packages, with their faults. Exit code 1: one of them cannot be used."""
    rows = [(plugin, _fault(plugin)) for group in GROUPS for plugin in installed(group)]
    if as_json:
        print_json(
            [
                {"group": plugin.group, "name": plugin.name, "package": plugin.package, "fault": fault or None}
                for plugin, fault in rows
            ]
        )
    elif not rows:
        typer.echo(f"no plug-in is installed; a package offers some by entry points: {', '.join(GROUPS)}", err=True)
    else:
        for plugin, fault in rows:
            print_line(f"{plugin.group:<16} {printable(plugin.name):<20} {printable(fault or plugin.package)}")
    return EXIT_FAILED if any(fault for _, fault in rows) else 0


def _fault(plugin: Plugin) -> str:
    try:
        plugin.check()
    except PluginBroken as error:
        return error.message
    return ""
