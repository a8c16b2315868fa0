"""`deskhand verify`."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import ValidationError

from deskhand.cli.console import print_json, print_line, printable
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, WindowOption, observed_desktop
from deskhand.cli.invocation import invocation
from deskhand.cli.junit_file import JunitFile, JunitOption, junit_file
from deskhand.cli.signals import run_async
from deskhand.cli.verify_checks import check_expected, check_named, read_checks
from deskhand.cli.verify_like import Likeness, check_likeness
from deskhand.commands.tools.verify import VERIFY_S, Verify, Wanted
from deskhand.core.errors import EXIT_ERROR, EXIT_FAILED, UsageError
from deskhand.core.json import JsonObject
from deskhand.core.ports import CheckResult, Satisfaction, satisfaction
from deskhand.core.replies import Selector
from deskhand.report.suite_results import Suite, case_of_check, environment
from deskhand.report.tap import tap_lines
from deskhand.session.window_names import chosen_window

_CODES: Final = {Satisfaction.SATISFIED: 0, Satisfaction.UNSATISFIED: EXIT_FAILED, Satisfaction.UNKNOWN: EXIT_ERROR}

_EXPECTED: Final = (
    "give --opens, --file, --like, --checks, or a control by --role, --name or --value; with --gone, a control that "
    "must not be visible"
)


@dataclass(frozen=True, slots=True)
class _Job:
    """The desktop and window to check, the expectation without its reference, the reference, and others by name."""

    desktop: str
    window: str
    expected: Wanted | None
    likeness: Likeness | None
    named: Mapping[str, Wanted]
    wait_s: float


@dataclass(frozen=True, slots=True)
class _Output:
    as_json: bool
    as_tap: bool


def add_to(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(  # noqa: PLR0913, PLR0917 - one parameter per option
    desktop: DesktopOption = "",
    window: WindowOption = "",
    opens: Annotated[
        str, typer.Option("--opens", help="A window with exactly this title is open; /…/ is a pattern.")
    ] = "",
    file: Annotated[str, typer.Option("--file", help="This file exists and is not empty.")] = "",
    contains: Annotated[str, typer.Option("--contains", help="The file contains this text.")] = "",
    role: Annotated[str, typer.Option("--role", help="A control of this role is visible; /…/ is a pattern.")] = "",
    name: Annotated[str, typer.Option("--name", help="… of this name; /…/ is a pattern.")] = "",
    value: Annotated[str, typer.Option("--value", help="… with this text or number; /…/ is a pattern.")] = "",
    state: Annotated[
        list[str] | None, typer.Option("--state", help='… in this state, such as checked, "not enabled"; repeatable.')
    ] = None,
    gone: Annotated[bool, typer.Option("--gone", help="No such control is visible.")] = False,
    like: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The window is as in this reference, which is made if it does not exist."),
    ] = None,
    checks: Annotated[Path | None, typer.Option(metavar="FILE", help="All statements of this YAML file hold.")] = None,
    update: Annotated[bool, typer.Option("--update", help="Make the present state the reference.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with the differences from the reference.")
    ] = None,
    wait: Annotated[float, typer.Option("--wait", help="Longest wait, in seconds.", min=0, max=60)] = VERIFY_S,
    junit: JunitOption = None,
    tap: Annotated[bool, typer.Option("--tap", help="Print the result as TAP 14.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Check statements about a desktop: satisfied (exit 0), unsatisfied (1), or unknown (4), as when an application
    does not answer. Nothing is changed on the desktop.
    """
    with junit_file(junit, "deskhand verify") as results:
        if tap and as_json:
            raise UsageError("--tap and --json are two forms of the result", fix="leave one of them out")
        likeness = _likeness(like, report, update=update)
        selector = {key: text for key, text in (("role", role), ("name", name), ("value", value)) if text}
        named = read_checks(invocation().path(checks)) if checks else {}
        texts = {"window": opens, "file": _path(file), "contains": contains}
        expected = _expectation(texts, selector, state or [], gone=gone)
        if not (expected or likeness or named):
            raise UsageError("there is nothing to check", fix=_EXPECTED)
        return _checked(_Job(desktop, window, expected, likeness, named, wait), _Output(as_json, tap), results)


def _likeness(like: Path | None, report: Path | None, *, update: bool) -> Likeness | None:
    """Raises: UsageError."""
    if like is None and (update or report):
        raise UsageError(f"{'--update' if update else '--report'} needs --like", fix="name the reference: --like FILE")
    by = invocation()
    return Likeness(by.path(like), report and by.path(report), update) if like else None


def _checked(job: _Job, output: _Output, results: JunitFile) -> int:
    """Carry out the checks, and print and note their results; return the exit code."""
    began = time.monotonic()
    checks = run_async(lambda: _verify(job))
    took_s = (time.monotonic() - began) / max(1, len(checks))
    cases = [case_of_check(check, took_s) for check in checks]
    verdict = satisfaction(checks)
    results.suites.append(
        Suite("deskhand verify", cases, results.started_at, environment(), f"{verdict.value}\n{_lines(checks)}")
    )
    if output.as_json:
        print_json({"verdict": verdict.value, "checks": [_json(check) for check in checks], "error": None})
    elif output.as_tap:
        for line in tap_lines(cases):
            print_line(printable(line))
    else:
        print_line(verdict.value)
        print_line(_lines(checks))
    return _CODES[verdict]


def _lines(checks: tuple[CheckResult, ...]) -> str:
    """One line for each check, and for each further line of its detail."""
    texts = (f"{check.name}: {check.verdict.value}: {check.detail}" for check in checks)
    return "\n".join(f"  {printable(line)}" for text in texts for line in text.replace("\n", "\n  ").split("\n"))


def _path(file: str) -> str:
    return str(invocation().path(Path(file))) if file else ""


def _expectation(
    texts: Mapping[str, str], selector: Mapping[str, str], states: list[str], *, gone: bool
) -> Wanted | None:
    """Return the expectation that the options have, if any. Raises: UsageError."""
    if gone and not selector:
        raise UsageError("--gone needs a control", fix="name it with --role, --name or --value")
    if not (any(texts.values()) or selector or states):
        return None
    try:
        control = {"gone" if gone else "shows": Selector.model_validate(selector)} if selector else {}
        return Wanted.model_validate({**texts, **control, "states": states})
    except ValidationError as error:
        problem = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise UsageError(problem, fix="see deskhand verify --help") from error


async def _verify(job: _Job) -> tuple[CheckResult, ...]:
    """Raises: UsageError, DesktopGone."""
    async with observed_desktop(job.desktop) as desktop:
        expected = job.expected
        all_expected = [*job.named.values(), *([expected] if expected else [])]
        needs_window = job.likeness or any(each.gone or each.shows or each.like for each in all_expected)
        root = await chosen_window(desktop, job.window) if needs_window else None
        checks = await check_expected(desktop, root, Verify(expect=expected, wait_s=job.wait_s)) if expected else ()
        if job.likeness and root:
            checks += (await check_likeness(desktop, root, job.likeness, job.wait_s),)
        return checks + await check_named(desktop, root, job.named, job.wait_s)


def _json(check: CheckResult) -> JsonObject:
    return {"name": check.name, "verdict": check.verdict.value, "detail": check.detail}
