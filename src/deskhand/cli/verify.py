"""`deskhand verify`."""

import time
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
from deskhand.cli.verify_like import Likeness, check_likeness
from deskhand.commands.call import Call, ToolContext
from deskhand.commands.tools.verify import VERIFY_S, Verify, Wanted
from deskhand.commands.tools.verify import verify as run_verify
from deskhand.core.command import Command, ToolType
from deskhand.core.errors import EXIT_ERROR, EXIT_FAILED, UsageError
from deskhand.core.json import JsonObject
from deskhand.core.ports import CheckResult, Satisfaction, satisfaction
from deskhand.core.replies import Selector
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import items_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.report.suite_results import Suite, case_of_check, environment
from deskhand.report.tap import tap_lines
from deskhand.session.window_names import chosen_window

_CODES: Final = {Satisfaction.SATISFIED: 0, Satisfaction.UNSATISFIED: EXIT_FAILED, Satisfaction.UNKNOWN: EXIT_ERROR}

_EXPECTED: Final = (
    "give --opens, --file, --like, or a control by --role, --name or --value; with --gone, a control that must not be "
    "visible"
)


@dataclass(frozen=True, slots=True)
class _Job:
    """The desktop and window to check, the expectation without its reference, and the reference."""

    desktop: str
    window: str
    expected: Wanted | None
    likeness: Likeness | None
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
        wanted = bool(opens or file or contains or selector or state or gone)
        expected = (
            _expectation(opens, file, contains, selector, state or [], gone=gone) if wanted or not likeness else None
        )
        return _checked(_Job(desktop, window, expected, likeness, wait), _Output(as_json, tap), results)


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


def _expectation(
    opens: str, file: str, contains: str, selector: dict[str, str], states: list[str], *, gone: bool
) -> Wanted:
    """Raises: UsageError."""
    try:
        control = Selector.model_validate(selector) if selector else None
        path = str(invocation().path(Path(file))) if file else ""
        if gone and control is None:
            raise UsageError("--gone needs a control", fix="name it with --role, --name or --value")
        if not (opens or file or contains or control or states):
            raise UsageError("there is nothing to check", fix=_EXPECTED)
        return Wanted(
            window=opens,
            file=path,
            contains=contains,
            gone=control if gone else None,
            shows=None if gone else control,
            states=states,
        )
    except ValidationError as error:
        problem = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise UsageError(problem, fix="see deskhand verify --help") from error


async def _verify(job: _Job) -> tuple[CheckResult, ...]:
    """Raises: UsageError, DesktopGone."""
    async with observed_desktop(job.desktop) as desktop:
        expected = job.expected
        needs_window = job.likeness or (expected and (expected.gone or expected.shows))
        root = await chosen_window(desktop, job.window) if needs_window else None
        checks = await _expected(desktop, root, Verify(expect=expected, wait_s=job.wait_s)) if expected else ()
        if job.likeness and root:
            checks += (await check_likeness(desktop, root, job.likeness, job.wait_s),)
        return checks


async def _expected(desktop: Desktop, root: TargetInfo | None, arguments: Verify) -> tuple[CheckResult, ...]:
    command = Command("verify", {}, ToolType.DATA_COLLECTION, window=root)
    done = await run_verify(ToolContext(desktop), Call(command, None, root), arguments)
    return items_of(done.data, CheckResult)


def _json(check: CheckResult) -> JsonObject:
    return {"name": check.name, "verdict": check.verdict.value, "detail": check.detail}
