"""`deskhand sessions list|show|diff|prune`."""

from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.prune_sessions import prune
from deskhand.cli.session_argument import SessionArgument
from deskhand.core.errors import EXIT_FAILED
from deskhand.core.json import JsonObject
from deskhand.core.text import one_line
from deskhand.report.differences import Comparison, Difference, compare
from deskhand.report.formatting import moment, plain_value, priced, seconds
from deskhand.report.overview import SessionEntry, State, entry_of, outline, size_in_words
from deskhand.session.session_folders import find_session, session_folders

_REQUEST_SHOWN = 60


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="List, show, compare and remove the recorded sessions.", rich_markup_mode=None)
    group.command("list")(list_all)
    group.command("show")(show)
    group.command("diff")(diff)
    group.command("prune")(prune)
    app.add_typer(group, name="sessions")


def list_all(
    most: Annotated[int | None, typer.Option("--most", help="Largest number to list.", min=1)] = None,
    as_json: JsonOption = False,
) -> None:
    """List the sessions of this user, the newest first. Those of --out are in their own folders and not listed."""
    entries = [entry_of(folder) for folder in session_folders()[:most]]
    if as_json:
        print_json({"sessions": [entry.model_dump(mode="json") for entry in entries], "error": None})
        return
    if not entries:
        print_note("no session was recorded yet")
    for entry in entries:
        print_line(printable(_line(entry)))


def _line(entry: SessionEntry) -> str:
    size = size_in_words(entry.size)
    if entry.state is State.DAMAGED:
        return f"{entry.id}  damaged, {size}: {entry.problem}"
    done = f"{entry.steps:>3} {'step ' if entry.steps == 1 else 'steps'} {seconds(entry.seconds):>10}"
    when = moment(entry.began) if entry.began else "never began"
    end = f"{entry.outcome or entry.state.value:<11}"
    request = one_line(entry.request, _REQUEST_SHOWN)
    return f"{entry.id}  {when}  {end} {done} {priced(entry.cost_usd):>9} {size:>9}  {request}"


def show(session: SessionArgument, as_json: JsonOption = False) -> None:
    """Show a session: its rounds and steps, its actions with their effects, its outcome and its folder."""
    shown, lines = outline(find_session(session))
    if as_json:
        print_json(shown)
        return
    for line in lines:
        print_line(printable(line))


def diff(first: SessionArgument, second: SessionArgument, as_json: JsonOption = False) -> int:
    """Compare two sessions: the first step that differs, and what differed underneath. Exit 0 the same steps, 1 others.

    What was observed is compared by window and number of controls. If that differs first, the first difference in what
    was done is named too. Of a session and its replay the actions that worked are compared.
    """
    found = compare(find_session(first), find_session(second))
    if as_json:
        print_json(_comparison(found))
    else:
        _print_comparison(found)
    return 0 if found.same else EXIT_FAILED


def _comparison(found: Comparison) -> JsonObject:
    return {
        "same": found.same,
        "replay": found.replay,
        "steps": list(found.steps),
        "first": found.step.to_json() if found.step else None,
        "first_done": found.acted.to_json() if found.acted else None,
        "underneath": {name: {"a": a, "b": b} for name, (a, b) in found.underneath.items()},
        "error": None,
    }


def _print_comparison(found: Comparison) -> None:
    if found.replay:
        print_line("one replays the other: the actions that worked are compared")
    if found.step is None:
        print_line("the same actions and outcome" if found.replay else f"the same {found.steps[0]} steps and outcome")
    if found.step is not None:
        _print_difference(found.step)
    if found.acted is not None and found.acted != found.step:
        _print_difference(found.acted)
    for name, values in found.underneath.items():
        print_line(f"underneath: {printable(name)}")
        for mark, value in zip("ab", values, strict=True):
            print_line(f"  {mark}: {'not recorded' if value is None else printable(value)}")


def _print_difference(difference: Difference) -> None:
    print_line(f"step {difference.step} differs in its {difference.aspect}")
    for mark, value in (("a", difference.first), ("b", difference.second)):
        print_line(f"  {mark}: {printable(plain_value(value))}")
