"""The program `deskhand`: its verbs, and how an error of a verb becomes a message and an exit code.

Only the requested verb is imported, so that `--help` costs no more than the parser.
"""

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Annotated, Final, NoReturn

import typer
from typer.main import get_command

import deskhand
from deskhand.cli.alarm import handle_alarm, is_handled_by, set_alarm, stop_alarm
from deskhand.cli.console import Failure, OutputLost, print_error, print_json, print_line
from deskhand.cli.invocation import invocation
from deskhand.cli.stop_signals import STOPS, heeded_stops
from deskhand.core.errors import EXIT_ERROR, EXIT_USAGE, DeskhandError

_CANCELLED: Final = Failure("Cancelled", "cancelled by the user", "", 6)
_LOST: Final = Failure(
    "ServerLost",
    "the desktop's server ended before this command did",
    "look at the desktop before you run it again: it may have been carried out",
    EXIT_ERROR,
)
_RETRY_S: Final = 5
_WAKE_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Verb:
    """`runs_session`: its JSON object is a session summary, also if it fails before the session begins.

    `acts`: its JSON object is the result of an action, also if that was cancelled before it began.
    """

    name: str
    summary: str
    runs_session: bool = False
    acts: bool = False

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")


VERBS: Final = (
    Verb("demo", "Make a bar chart in Calc from a table in a Writer document; needs no model and no network.", True),
    Verb("run", "Carry out a request.", True),
    Verb("resume", "Continue a session that was killed or cut off.", True),
    Verb("replay", "Do again what a session did, without a model.", True),
    Verb("models", "List the providers of language models, and try one model."),
    Verb("doctor", "Check this machine, and print the command that fixes each problem."),
    Verb("desktop", "Start, list and stop desktops that stay up."),
    Verb("fleet", "Show the nodes of a Ray cluster that offer desktops."),
    Verb("windows", "List the windows of a desktop."),
    Verb("applications", "List the applications of this machine, and the file types each opens."),
    Verb("launch", "Start a program on a desktop and wait for its window."),
    Verb("observe", "List the controls of a window."),
    Verb("act", "Carry out one action in a window.", acts=True),
    Verb("verify", "Check a statement about a desktop: true, false or unknown."),
    Verb("accessibility", "Report what of an application assistive programs and tests cannot use."),
    Verb("mcp", "Serve a desktop to another program over the Model Context Protocol."),
    Verb("view", "Show a desktop in a browser, and take over its pointer and keyboard there."),
    Verb("pause", "Take the desktop of a running session over."),
    Verb("hand-back", "Let a paused session go on."),
    Verb("stop", "Stop a session, an action or a server that is working on a desktop."),
    Verb("screenshot", "Take a picture of a desktop or a window."),
    Verb("report", "Write the report of a session again."),
    Verb("sessions", "List, show, compare and remove the recorded sessions."),
    Verb("audit", "Check that the record of a session is as it was written."),
    Verb("learn", "Learn from documents, playbooks or a successful session."),
    Verb("knowledge", "Search, list and forget learned passages."),
    Verb("plugins", "List the plug-ins of installed packages, and their faults."),
    Verb("eval", "Run the tasks of a suite, judge their results, and compare two such runs."),
    Verb("playbook", "Check a playbook, explain it, try it under faults, or make one from a session."),
    Verb("wine", "Install what Windows programs need beside Wine."),
    Verb("record", "Record what you do on a desktop as a playbook or a test."),
)


def main() -> NoReturn:
    """The entry point of the installed program."""
    _open_closed_streams()
    _escape_unencodable()
    for number in heeded_stops():
        signal.signal(number, _stop)
    _wake_main_thread()
    try:
        sys.exit(run(sys.argv[1:]))
    finally:
        _ignore_signals()  # the result is printed; a signal now could only change the exit code
        stop_alarm()  # its handler disappears when the interpreter ends
        _give_up_full_stderr()


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Raises nothing."""
    verb = _verb(arguments)
    failure = _run(arguments or ["--help"], verb)
    _cancel_retry()
    if isinstance(failure, int):
        return EXIT_USAGE if not arguments else failure
    _ignore_signals()
    return _report(failure, verb, arguments)


def _report(failure: Failure, verb: Verb | None, arguments: Sequence[str]) -> int:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    with suppress(OSError):  # stderr cannot be written: the exit code is all that is left
        print_error(failure.message, failure.fix)
    if "--json" in options:
        with suppress(OSError, OutputLost):  # already printed on stderr
            _print_failure(failure, verb, has_steps="--batch" in options)
    return failure.exit_code


def report_lost(arguments: Sequence[str]) -> int:
    """Say that the server of a desktop ended while it carried out a command line, and return the exit code."""
    return _report(_LOST, _verb(arguments), arguments)


def report_cancelled(arguments: Sequence[str]) -> int:
    """Say that a command line was cancelled before it began, and return the exit code."""
    return _report(_CANCELLED, _verb(arguments), arguments)


def _open_closed_streams() -> None:
    """Open the null device for standard streams the caller closed; a journal opened next would take their number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="replace"))


def _escape_unencodable() -> None:
    """Escape characters that stdout's encoding lacks; stderr does so by itself."""
    if sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # pyright: ignore - typeshed knows it as any text stream


def _wake_main_thread() -> None:
    """Interrupt blocking calls of the main thread at intervals, without any other effect.

    A signal that arrives between Python's last check and the start of a system call does not interrupt that call, and
    Python checks again only after the call has returned: for a pipe without a writer, never. Event loops are not
    affected.
    """
    handle_alarm(_on_alarm)  # before the first one comes: without a handler it ends the process
    set_alarm(_on_alarm, _WAKE_S, _WAKE_S)


def _on_alarm(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: before this handler Python has run those of all earlier signals."""


def _stop(_number: int, _frame: FrameType | None) -> None:
    """Stop the running verb at the first signal; ignore later ones, so that its output is complete.

    Python drops an exception raised where it cannot propagate, as in a finaliser: a timer raises it again.
    """
    _ignore_signals()
    set_alarm(_stop_again, _RETRY_S, _WAKE_S)
    raise KeyboardInterrupt


def _stop_again(_number: int, _frame: FrameType | None) -> None:
    handle_alarm(_on_alarm)
    raise KeyboardInterrupt


def _cancel_retry() -> None:
    if is_handled_by(_stop_again):
        handle_alarm(_on_alarm)


def _ignore_signals() -> None:
    for number in STOPS:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_IGN)


def _run(arguments: Sequence[str], verb: Verb | None) -> int | Failure:
    try:
        return _parsed_and_done(arguments, verb)
    except typer.TyperException as error:
        return Failure(
            "UsageError", error.format_message(), f"deskhand {f'{verb.name} ' if verb else ''}--help", error.exit_code
        )
    except DeskhandError as error:
        if isinstance(error, OutputLost):
            _give_up_stdout()
        return Failure.of(error)
    except (KeyboardInterrupt, typer.Abort):
        return _CANCELLED
    except BrokenPipeError:
        _give_up_stdout()  # the reader of the output has gone
        return 1
    except Exception as error:  # noqa: BLE001 - any unhandled error is reported and ends with exit code 4
        return Failure.unhandled(error)


def _parsed_and_done(arguments: Sequence[str], verb: Verb | None) -> int:
    """Return the exit code. The parser's own `main` would end the process where the reader of the output is gone."""
    command = get_command(_build(verb))
    try:
        with command.make_context("deskhand", list(arguments)) as context:
            return int(command.invoke(context) or 0)
    except typer.Exit as end:
        return end.exit_code


def _give_up_stdout() -> None:
    """Redirect our stdout to the null device, so that the interpreter's last flush raises nothing."""
    if invocation().server is not None:
        return  # the descriptor is the server's own
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _give_up_full_stderr() -> None:
    """Redirect a stderr that takes no more to the null device: the interpreter's last flush would change the code."""
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _print_failure(failure: Failure, verb: Verb | None, *, has_steps: bool) -> None:
    if verb is not None and verb.runs_session:
        from deskhand.cli.session_run import empty_summary  # noqa: PLC0415 - brings the report's models

        print_json(empty_summary(failure).to_json())
    elif verb is not None and verb.acts and has_steps and failure in {_CANCELLED, _LOST}:
        from deskhand.cli.act_steps import none_known  # noqa: PLC0415 - as below

        print_json(none_known(failure.info))
    elif verb is not None and verb.acts and failure in {_CANCELLED, _LOST}:
        from deskhand.cli.act import may_be_sent, not_begun  # noqa: PLC0415 - brings the tools

        print_json(not_begun(failure.info) if failure is _CANCELLED else may_be_sent(failure.info))
    else:
        print_json({"error": failure.as_json})


def _verb(arguments: Sequence[str]) -> Verb | None:
    """Verb of a command line; options before it take no values."""
    name = next((argument for argument in arguments if not argument.startswith("-")), "")
    return next((verb for verb in VERBS if verb.name == name), None)


def _build(verb: Verb | None) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(_root)
    for each in VERBS:
        if each == verb:
            importlib.import_module(f"deskhand.cli.{each.module}").add_to(app)
        else:
            app.command(each.name, help=each.summary)(_not_loaded)
    return app


def _not_loaded() -> None:
    """Placeholder for a verb that was not requested; only the help lists it."""


def _show_version(wanted: bool) -> None:
    if wanted:
        print_line(f"deskhand {deskhand.__version__}")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Carry out requests in plain language in real desktop applications, and verify the result."""
