"""`deskhand playbook certify`."""

import os
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand.certify.certificate import Certificate, FaultKind, Finding, StepResult, Verdict
from deskhand.cli.console import print_json, print_line, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.invocation import invocation
from deskhand.cli.long_work import LongWork
from deskhand.cli.named_values import named_values
from deskhand.cli.signals import run_async
from deskhand.core.errors import EXIT_FAILED
from deskhand.core.json import JsonObject
from deskhand.models.playbook_file import load_playbook

_EXIT_UNKNOWN: Final = 3
_WIDTHS: Final = {kind: max(6, len(kind.value)) for kind in FaultKind}
_UNLIMITED: Final = 120
"""Columns of a line that no terminal limits."""
_WORDS: Final = {
    Verdict.HEALS: "heals",
    Verdict.STOPS: "stops",
    Verdict.SKIPS: "skips a step that its condition makes optional",
    Verdict.WRONG: "goes wrong, then stops",
    Verdict.SILENT: "goes wrong in silence",
    Verdict.UNKNOWN: "did not end",
}


def certify(
    file: Annotated[Path, typer.Argument(help="The playbook.", show_default=False)],
    param: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A value for the playbook.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Run a playbook in memory with one fault at a time at each step: exit 0 if it never goes wrong in silence, else 1.

    Faults: an unexpected dialog, another name, a second control of that name, a delay, a dead control. The applications
    are made up from the file. Exit 3 if a step could not be tried.
    """
    from deskhand.certify.certifying import certificate_for  # noqa: PLC0415  lint and show need no session
    from deskhand.certify.virtual_time import VirtualTimeLoop  # noqa: PLC0415

    work = partial(certificate_for, load_playbook(file), named_values(param or []))
    with LongWork("certifying"):
        found = run_async(work, loop=VirtualTimeLoop)
    if as_json:
        print_json(_object(found))
    else:
        for line in lines_of(found, _columns()):
            print_line(printable(line))
    if found.goes_wrong_in_silence:
        return EXIT_FAILED
    return 0 if found.is_complete else _EXIT_UNKNOWN


def _columns() -> int:
    stream = invocation().stdout
    return os.get_terminal_size(stream.fileno()).columns or _UNLIMITED if stream.isatty() else _UNLIMITED


def lines_of(found: Certificate, width: int) -> Iterator[str]:
    """A certificate as lines of at most so many columns."""
    if found.problem:
        yield from _wrapped(f"not certified: {found.problem}", width, "")
        others = [step for step in found.steps if step.problem and step.problem not in found.problem]
        for step in others:
            yield from _explained(step, width)
        return
    yield from _table(found, width)
    for step in found.steps:
        yield from _explained(step, width)
    total = sum(found.totals.values())
    parts = [f"{_WORDS[verdict]} {count}" for verdict, count in found.totals.items() if count]
    yield from _wrapped(f"{found.playbook}, {total} faults: {'; '.join(parts)}", width, "")
    left = sum(1 for step in found.steps if step.problem)
    if left:
        yield f"not certified: {left} {'step' if left == 1 else 'steps'}"


def _table(found: Certificate, width: int) -> Iterator[str]:
    columns = sum(_WIDTHS.values()) + 2 * len(_WIDTHS)
    room = max(12, width - columns - 6)
    heads = "".join(f"  {kind.value:<{size}}" for kind, size in _WIDTHS.items())
    yield f"line  {'step':<{room}}{heads}".rstrip()
    for step in found.steps:
        words = "".join(f"  {_word(step.findings.get(kind)):<{size}}" for kind, size in _WIDTHS.items())
        yield f"{step.line:>4}  {_cut(step.does, room):<{room}}{words}".rstrip()


def _word(finding: Finding | None) -> str:
    if finding is None:
        return "-"
    return finding.verdict.value.upper() if finding.verdict is Verdict.SILENT else finding.verdict.value


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _explained(step: StepResult, width: int) -> Iterator[str]:
    """Sentences on what is not right with a step."""
    if step.problem:
        yield from _wrapped(f"line {step.line}: not certified: {step.problem}", width, "")
    for finding in step.findings.values():
        if finding.verdict in {Verdict.HEALS, Verdict.STOPS}:
            continue
        row = f", row {finding.row}" if finding.row else ""
        what = f"line {step.line}{row}, {finding.fault.value}: {_WORDS[finding.verdict]}"
        yield from _wrapped(f"{what}; {finding.reason}" if finding.reason else what, width, "")
        if finding.advice:
            yield from _wrapped(f"fix: {finding.advice}", width, "  ")


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(text, max(40, width), initial_indent=indent, subsequent_indent=f"{indent}    ")


def _object(found: Certificate) -> JsonObject:
    return {
        "playbook": found.playbook,
        "certified": found.is_complete and not found.goes_wrong_in_silence,
        "problem": found.problem,
        "runs": found.runs,
        "totals": {verdict.value: count for verdict, count in found.totals.items()},
        "steps": [
            {
                "line": step.line,
                "section": step.section,
                "does": step.does,
                "problem": step.problem,
                "faults": {
                    finding.fault.value: {
                        "verdict": finding.verdict.value,
                        "reason": finding.reason,
                        "advice": finding.advice,
                        "row": finding.row or None,
                    }
                    for finding in step.findings.values()
                },
            }
            for step in found.steps
        ],
        "error": None,
    }
