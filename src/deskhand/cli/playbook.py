"""`deskhand playbook lint|show|export`."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from deskhand.agents.builtin_kinds import THIRD_PARTY
from deskhand.cli.console import complain, print_json, printable, say
from deskhand.cli.desktop_choice import JsonOption
from deskhand.commands import Catalogue, standard_catalogue
from deskhand.core.errors import EXIT_USAGE, PlaybookInvalid, UsageError
from deskhand.core.json import JsonObject
from deskhand.models.playbook_file import load_playbook, read_draft
from deskhand.models.playbook_tools import tool_problems
from deskhand.models.step_phrases import phrases
from deskhand.models.steps import HOST, Playbook, Step
from deskhand.report.playbook import playbook_of_session
from deskhand.store.atomic_files import write_atomic
from deskhand.store.journal import JOURNAL_NAME


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Check a playbook, say what it does, or make one of a session.", rich_markup_mode=None)
    group.command("lint")(lint)
    group.command("show")(show)
    group.command("export")(export)
    app.add_typer(group, name="playbook")


def lint(
    file: Annotated[list[Path], typer.Argument(help="The playbooks.", show_default=False)], as_json: JsonOption = False
) -> int:
    """Say everything that is wrong with playbooks, each by its line; exit 2 where anything is."""
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
        error = {"type": "PlaybookInvalid", "message": message, "fix": "correct what is named"} if problems else None
        print_json({"ok": not problems, "problems": list(problems), "error": error})
    else:
        for problem in problems:
            say(printable(problem))
        if not problems:
            complain(f"nothing is wrong with {'it' if len(file) == 1 else f'these {len(file)} playbooks'}")
    return EXIT_USAGE if problems else 0


def export(
    session_dir: Annotated[
        Path, typer.Argument(help="The folder that holds the session's journal.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The playbook.", show_default=False)],
    name: Annotated[str, typer.Option(help="What it is called.", show_default="as its file")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Make a playbook of a session that succeeded: it does the same again, without a model."""
    if not (session_dir / JOURNAL_NAME).is_file():
        raise UsageError(
            f"{session_dir} holds no journal", fix="give a session's folder, such as DIR/log after --out DIR"
        )
    if output.exists() and not force:
        raise UsageError(f"{output} is there already", fix="name another file, or say --force")
    text = playbook_of_session(session_dir, name or output.stem)
    write_atomic(output, text.encode(), doing="write the playbook")
    say(printable(str(output)))


def show(
    file: Annotated[Path, typer.Argument(help="The playbook.", show_default=False)], as_json: JsonOption = False
) -> None:
    """Say what a playbook does: its steps as phrases, its parameters, and what it needs."""
    playbook = load_playbook(file)
    if as_json:
        print_json(_object(playbook))
        return
    for line in _lines(playbook):
        say(printable(line))


def _line_of(problem: str) -> int:
    """The line that a problem is in: `source:line: message`."""
    return int(problem.partition(": ")[0].rpartition(":")[2])


def _catalogue() -> Catalogue:
    """All tools that a session offers somebody."""
    with TemporaryDirectory() as folder:
        brought = [tool for agent in THIRD_PARTY for tool in agent.tools(Path(folder))]
    return Catalogue((*standard_catalogue(), *brought))


def _sections(playbook: Playbook) -> dict[str, tuple[Step, ...]]:
    return {**({HOST: playbook.host} if playbook.host else {}), **playbook.agents}


def _needs(playbook: Playbook) -> list[str]:
    """The tools that its steps use, each once."""
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
