"""`deskhand observe`."""

from time import monotonic
from typing import Annotated

import typer

from deskhand.cli.console import print_json, printable, say
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, WindowOption, chosen_desktop
from deskhand.cli.id_cache import label
from deskhand.cli.observation_output import Seen, as_object, indented, look_at, notes_on, nothing_in
from deskhand.cli.observe_watch import watch as follow
from deskhand.cli.signals import run_async
from deskhand.core.errors import UsageError
from deskhand.perception.compact import compact
from deskhand.perception.control_search import Region, Sought, find_controls
from deskhand.session.window_names import chosen_window


def add_to(app: typer.Typer) -> None:
    app.command("observe")(observe)


def observe(  # noqa: PLR0913, PLR0917 - the options of the verb
    desktop: DesktopOption = "",
    window: WindowOption = "",
    role: Annotated[str, typer.Option("--role", help="Only controls of this role; /…/ is searched for.")] = "",
    name: Annotated[str, typer.Option("--name", help="Only controls of this name; /…/ is searched for.")] = "",
    text: Annotated[str, typer.Option("--text", help="Only controls with this in name or value.")] = "",
    region: Annotated[
        str, typer.Option("--region", help="Only controls with their centre in left,top,right,bottom, 0 to 1.")
    ] = "",
    timing: Annotated[bool, typer.Option("--timing", help="Say where the time went.")] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Nest the controls instead of listing them.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on and print what changes; with --json an object a line.")
    ] = False,
    final: Annotated[
        bool, typer.Option("--final", help="Wait up to 3 s until what is enabled or checked is final (LibreOffice).")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the controls of a window in reading order, as a model would get them; `act` knows them by these ids."""
    sought = _sought(role, name, text, region)
    if watch and (tree or timing):
        raise UsageError(
            "--watch prints what changes, which is neither nested nor timed", fix="leave out --tree and --timing"
        )
    if watch:
        run_async(lambda: follow(desktop, window, sought, final=final, as_json=as_json))
        return
    seen = run_async(lambda: look(desktop, window, sought, final=final))
    if as_json:
        print_json(as_object(seen, tree=tree))
        return
    if seen.controls:
        say(indented(seen.controls) if tree else compact(seen.controls).text)
    for note in filter(None, (nothing_in(seen.observation, seen.controls), *notes_on(seen.observation, final=final))):
        typer.echo(f"({printable(note)})", err=True)
    if timing:
        typer.echo(", ".join(f"{name} {value * 1000:.0f} ms" for name, value in seen.timing_s.items()), err=True)


def _sought(role: str, name: str, text: str, region: str) -> Sought:
    """Raises: UsageError."""
    try:
        return Sought(role, name, text, _region(region) if region else None)
    except ValueError as error:
        raise UsageError(str(error), fix="deskhand observe --help says what can be looked for") from error


def _region(text: str) -> Region:
    """Raises: ValueError."""
    try:
        left, top, right, bottom = (float(edge) for edge in text.split(","))
    except ValueError as error:
        raise ValueError(f"--region {text!r} is not four numbers with commas between them") from error
    return left, top, right, bottom


async def look(desktop: str, window: str, sought: Sought, *, final: bool) -> Seen:
    """Looks at a window once it is quiet, or after a second; with `final`, once its states are.

    Who has just come knows of nothing that was done before, so that without it all states of LibreOffice may change.
    """
    start = monotonic()
    async with chosen_desktop(desktop) as opened:
        target = await chosen_window(opened, window)
        connected = monotonic()
        observation = await look_at(opened, target, final=final, other_pages=sought.means_tables)
        timing = {"connect": connected - start, **dict(observation.timing_s)}
        controls = find_controls(sought, await label(opened, observation), observation.window)
        return Seen(observation, controls, timing | {"total": monotonic() - start})
