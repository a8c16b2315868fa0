"""`deskhand verify`."""

from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import ValidationError

from deskhand.cli.console import print_json, print_line, printable
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, WindowOption, observed_desktop
from deskhand.cli.invocation import invocation
from deskhand.cli.signals import run_async
from deskhand.commands.call import Call, ToolContext
from deskhand.commands.tools.verify import VERIFY_S, Verify, Wanted
from deskhand.commands.tools.verify import verify as run_verify
from deskhand.core.command import Command, ToolType
from deskhand.core.errors import EXIT_ERROR, EXIT_FAILED, UsageError
from deskhand.core.json import JsonObject
from deskhand.core.ports import CheckResult, Satisfaction, satisfaction
from deskhand.core.replies import Selector
from deskhand.core.type_checks import items_of
from deskhand.session.window_names import chosen_window

_CODES: Final = {Satisfaction.SATISFIED: 0, Satisfaction.UNSATISFIED: EXIT_FAILED, Satisfaction.UNKNOWN: EXIT_ERROR}

_EXPECTED: Final = (
    "give --opens, --file, or a control by --role, --name or --value; with --gone, a control that must not be visible"
)


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
    wait: Annotated[float, typer.Option("--wait", help="Longest wait, in seconds.", min=0, max=60)] = VERIFY_S,
    as_json: JsonOption = False,
) -> int:
    """Check statements about a desktop: satisfied (exit 0), unsatisfied (1), or unknown (4), as when an application
    does not answer. Nothing is changed.
    """
    selector = {key: text for key, text in (("role", role), ("name", name), ("value", value)) if text}
    expected = _expectation(opens, file, contains, selector, state or [], gone=gone)
    checks = run_async(lambda: _verify(desktop, window, Verify(expect=expected, wait_s=wait)))
    verdict = satisfaction(checks)
    if as_json:
        print_json({"verdict": verdict.value, "checks": [_json(check) for check in checks], "error": None})
    else:
        print_line(verdict.value)
        for check in checks:
            print_line(printable(f"  {check.name}: {check.verdict.value}: {check.detail}"))
    return _CODES[verdict]


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


async def _verify(choice: str, window: str, arguments: Verify) -> tuple[CheckResult, ...]:
    """Raises: UsageError, DesktopGone."""
    async with observed_desktop(choice) as desktop:
        needs_window = arguments.expect.gone or arguments.expect.shows
        root = await chosen_window(desktop, window) if needs_window else None
        command = Command("verify", {}, ToolType.DATA_COLLECTION, window=root)
        done = await run_verify(ToolContext(desktop), Call(command, None, root), arguments)
        return items_of(done.data, CheckResult)


def _json(check: CheckResult) -> JsonObject:
    return {"name": check.name, "verdict": check.verdict.value, "detail": check.detail}
