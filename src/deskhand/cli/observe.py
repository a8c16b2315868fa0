"""`deskhand observe`."""

from time import monotonic
from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, WindowOption, observed_desktop
from deskhand.cli.id_cache import label
from deskhand.cli.observation_output import Listing, as_object, empty_note, indented, notes, observe_idle
from deskhand.cli.observe_watch import watch as follow
from deskhand.cli.signals import run_async
from deskhand.core.errors import UsageError
from deskhand.core.observation import Observation
from deskhand.core.target import Trait
from deskhand.perception.compact import compact
from deskhand.perception.control_search import UNSEARCHED, Region, Sought, find_controls
from deskhand.session.window_names import chosen_window


def add_to(app: typer.Typer) -> None:
    app.command("observe")(observe)


def observe(  # noqa: PLR0913, PLR0917 - one parameter per option
    desktop: DesktopOption = "",
    window: WindowOption = "",
    role: Annotated[str, typer.Option("--role", help="Only controls of this role; /…/ is a pattern.")] = "",
    name: Annotated[str, typer.Option("--name", help="Only controls of this name; /…/ is a pattern.")] = "",
    text: Annotated[str, typer.Option("--text", help="Only controls with this text in name or value.")] = "",
    region: Annotated[
        str, typer.Option("--region", help="Only controls with their centre in left,top,right,bottom, 0 to 1.")
    ] = "",
    timing: Annotated[bool, typer.Option("--timing", help="Print the duration of each part.")] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Nest the controls instead of listing them.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Continue and print changes; with --json one object per line.")
    ] = False,
    final: Annotated[
        bool, typer.Option("--final", help="Wait up to 3 s until enabled and checked states are final (LibreOffice).")
    ] = False,
    accessible_ids: Annotated[
        bool, typer.Option("--accessible-ids", help="Print also the ids that the program's developers gave controls.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the controls of a window in reading order, as a model gets them; `act` takes their ids."""
    query = _query(role, name, text, region)
    if watch and (tree or timing or accessible_ids):
        fix = "leave out --tree, --timing and --accessible-ids"
        raise UsageError("--watch prints changes, without nesting, timing and accessible ids", fix=fix)
    if watch:
        run_async(lambda: follow(desktop, window, query, final=final, as_json=as_json))
        return
    seen = run_async(lambda: listing(desktop, window, query, final=final, accessible_ids=accessible_ids))
    if as_json:
        print_json(as_object(seen, tree=tree))
        return
    if seen.controls:
        print_line(indented(seen.controls) if tree else compact(seen.controls).text)
    if accessible_ids:
        _print_accessible_ids(seen)
    reservations = (empty_note(seen.observation, seen.controls), _unsearched(query, seen.observation))
    for note in filter(None, (*reservations, *notes(seen.observation, final=final))):
        print_note(f"({printable(note)})")
    if timing:
        print_note(", ".join(f"{name} {value * 1000:.0f} ms" for name, value in seen.timing_s.items()))


def _print_accessible_ids(seen: Listing) -> None:
    listed = [(control, found) for control in seen.controls if (found := seen.accessible_ids.get(control.handle))]
    print_line("\n".join(["accessible ids:", *(f"{each.id} {printable(found)}" for each, found in listed)]))
    if not listed:
        is_exposed = None not in seen.accessible_ids.values()
        print_note("(no control has one)" if is_exposed else "(the program exposes none)")


def _unsearched(query: Sought, observation: Observation) -> str:
    """Return a note where a text may be on other pages of a document, which observing does not scroll to."""
    has_pages = any(Trait.PAGED_TEXT in control.traits for control in observation.controls)
    return f"{UNSEARCHED}: deskhand act find_controls role=paragraph text=… does" if query.text and has_pages else ""


def _query(role: str, name: str, text: str, region: str) -> Sought:
    """Raises: UsageError."""
    try:
        return Sought(role, name, text, _region(region) if region else None)
    except ValueError as error:
        raise UsageError(str(error), fix="see deskhand observe --help") from error


def _region(text: str) -> Region:
    """Raises: ValueError."""
    try:
        left, top, right, bottom = (float(edge) for edge in text.split(","))
    except ValueError as error:
        raise ValueError(f"--region {text!r} is not four numbers separated by commas") from error
    return left, top, right, bottom


async def listing(desktop: str, window: str, query: Sought, *, final: bool, accessible_ids: bool) -> Listing:
    """Observe a window when it is idle, at the latest after a second; with `final`, when its states are.

    A new process knows of no earlier action; without `final` all states of LibreOffice are therefore provisional.
    """
    start = monotonic()
    async with observed_desktop(desktop) as opened:
        target = await chosen_window(opened, window)
        connected = monotonic()
        observation = await observe_idle(opened, target, final=final, other_pages=query.means_tables)
        timing = {"connect": connected - start, **dict(observation.timing_s)}
        controls = find_controls(query, await label(opened, observation), observation.window)
        asked = controls if accessible_ids else ()
        found = await opened.accessible_ids(asked) if asked else ()
        ids = {control.handle: each for control, each in zip(asked, found, strict=True)}
        return Listing(observation, controls, timing | {"total": monotonic() - start}, ids)
