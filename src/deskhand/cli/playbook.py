"""`deskhand playbook lint|show|export|certify`."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from deskhand.agents.builtin_kinds import THIRD_PARTY
from deskhand.cli.certify import certify
from deskhand.cli.console import print_error, print_json, print_line, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.form_choice import FormOption, ReplaceOption, check_form
from deskhand.commands import Catalogue, standard_catalogue
from deskhand.core.errors import EXIT_USAGE, PlaybookInvalid
from deskhand.core.events import DocumentOpened
from deskhand.core.json import JsonObject
from deskhand.models.playbook_file import load_playbook, read_draft
from deskhand.models.playbook_tools import tool_problems
from deskhand.models.step_phrases import phrases
from deskhand.models.steps import HOST, Playbook, Step
from deskhand.report.exports import in_form
from deskhand.report.playbook import exported
from deskhand.report.script_plan import Origin
from deskhand.session.session_folders import find_session
from deskhand.store.atomic_files import write_atomic
from deskhand.store.journal import read_events


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Check a playbook, explain it, try it under faults, or make one from a session.", rich_markup_mode=None
    )
    group.command("lint")(lint)
    group.command("show")(show)
    group.command("export")(export)
    group.command("certify")(certify)
    app.add_typer(group, name="playbook")


def lint(
    file: Annotated[list[Path], typer.Argument(help="The playbooks.", show_default=False)], as_json: JsonOption = False
) -> int:
    """Report every problem of playbooks with its line; exit 2 if there is one."""
    problems: list[str] = []
    catalogue = _catalogue()
    tools = {tool.spec.name: tool.spec for tool in catalogue}
    for path in file:
        try:
            draft = read_draft(path)
            found = draft.problems
            if draft.playbook is not None:
                found += tool_problems(draft.playbook, tools, catalogue.validate)
            problems += sorted(dict.fromkeys(found), key=_line_of)
        except PlaybookInvalid as error:
            problems += error.message.splitlines()
    if as_json:
        message = f"{len(problems)} problems in {len(file)} playbooks"
        error = (
            {"type": "PlaybookInvalid", "message": message, "fix": "correct the listed problems"} if problems else None
        )
        print_json({"ok": not problems, "problems": list(problems), "error": error})
    else:
        for problem in problems:
            print_line(printable(problem))
        if not problems:
            print_error("no problems found" if len(file) == 1 else f"no problems found in {len(file)} playbooks")
    return EXIT_USAGE if problems else 0


def export(
    source: Annotated[
        str,
        typer.Argument(
            metavar="ID|DIR|FILE", help="Id of a session, its folder, or a playbook's file.", show_default=False
        ),
    ],
    command: Annotated[
        list[str] | None, typer.Argument(help="Program of the first window, after --, where no step launches it.")
    ] = None,
    *,
    output: FormOption,
    name: Annotated[str, typer.Option(help="Name of the playbook.", show_default="that of its file")] = "",
    force: ReplaceOption = False,
) -> None:
    """Make a playbook, a test or a feature from a session that succeeded, or from a playbook."""
    check_form(output, force=force)
    playbook, origin = _playbook_of(source, name or output.stem)
    text = in_form(playbook, output, replace(origin, command=tuple(command or ())))
    write_atomic(output, text.encode(), doing="write the playbook")
    print_line(printable(str(output)))


def _playbook_of(source: str, name: str) -> tuple[Playbook, Origin]:
    """The playbook of a file or session, and its origin."""
    if Path(source).is_file():
        return replace(load_playbook(Path(source)), name=name), Origin(Path(source).name)
    session_dir = find_session(source)
    events = read_events(session_dir)
    files = tuple(event.path for event in events if isinstance(event, DocumentOpened))
    return exported(session_dir, name).playbook, Origin(f"the session {source}", files=files)


def show(
    file: Annotated[Path, typer.Argument(help="The playbook.", show_default=False)], as_json: JsonOption = False
) -> None:
    """Print a playbook's steps as phrases, its parameters, and the tools it needs."""
    playbook = load_playbook(file)
    if as_json:
        print_json(_object(playbook))
        return
    for line in _lines(playbook):
        print_line(printable(line))


def _line_of(problem: str) -> int:
    """Line number of a problem: `source:line: message`."""
    return int(problem.partition(": ")[0].rpartition(":")[2])


def _catalogue() -> Catalogue:
    """Tools of all agents."""
    with TemporaryDirectory() as folder:
        brought = [tool for agent in THIRD_PARTY for tool in agent.tools(Path(folder))]
    return Catalogue((*standard_catalogue(), *brought))


def _sections(playbook: Playbook) -> dict[str, tuple[Step, ...]]:
    return {**({HOST: playbook.host} if playbook.host else {}), **playbook.agents}


def _needs(playbook: Playbook) -> list[str]:
    """Tools that its steps use, each once."""
    return sorted({step.tool for steps in _sections(playbook).values() for step in steps if step.tool})


def _object(playbook: Playbook) -> JsonObject:
    return {
        "name": playbook.name,
        "parameters": [
            {"name": one.name, "type": one.type.value, "default": one.default, "required": one.default is None}
            for one in playbook.parameters.values()
        ],
        "sections": [
            {
                "name": name,
                "steps": [
                    {"line": step.line, "does": does, "status": step.status}
                    for step, does in zip(steps, phrases(steps), strict=True)
                ],
            }
            for name, steps in _sections(playbook).items()
        ],
        "tools": list(_needs(playbook)),
        "error": None,
    }


def _lines(playbook: Playbook) -> Iterator[str]:
    yield playbook.name
    for one in playbook.parameters.values():
        need = "must be given" if one.default is None else f"default {one.default!r}"
        yield f"  --param {one.name}={one.type.value.upper()} ({need})"
    yield f"  needs the tools {', '.join(_needs(playbook))}"
    for name, steps in _sections(playbook).items():
        yield f"{name}:"
        for number, (step, does) in enumerate(zip(steps, phrases(steps), strict=True), start=1):
            status = f" [{step.status}]" if step.tool and step.status not in {"CONTINUE", "ASSIGN"} else ""
            yield f"  {number}. {does}{status}"
