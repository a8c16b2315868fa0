"""`deskhand doctor`."""

import typer

from deskhand.cli.console import print_json, print_line
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.signals import run_async
from deskhand.core.errors import EXIT_USAGE
from deskhand.desktop.backends import Requirement, own_desktop
from deskhand.desktop.machine_check import machine_check


def add_to(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(as_json: JsonOption = False) -> int:
    """Check this machine, and print the command that fixes each problem."""
    checks = run_async(machine_check)
    ok = all(check.ok for check in checks if check.required)
    if as_json:
        print_json({"ok": ok, "checks": [_as_object(check) for check in checks]})
    else:
        _print_checks(checks, ok=ok)
    return 0 if ok else EXIT_USAGE


def _as_object(check: Requirement) -> dict[str, object]:
    return {"id": check.id, "ok": check.ok, "required": check.required, "detail": check.detail, "fix": check.fix}


def _print_checks(checks: list[Requirement], *, ok: bool) -> None:
    width = max(len(check.id) for check in checks)
    for check in checks:
        mark = "ok" if check.ok else "MISSING" if check.required else "missing"
        print_line(f"{mark:<8} {check.id:<{width}}  {check.detail}")
        if check.fix:
            print_line(f"{'':<8} {'':<{width}}  fix: {check.fix}")
    subject = "Your desktop can be used" if own_desktop() else "The demo can run"
    failed = subject.replace("can ", "cannot ")
    print_line(f"\n{subject}." if ok else f"\n{failed} until every MISSING item is fixed.")
