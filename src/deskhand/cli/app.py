"""The program `deskhand`: its verbs, and what becomes of whatever a verb raises.

Only the verb that is asked for is imported, so that `--help` costs what the parser costs.
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

import deskhand
from deskhand.cli.console import Failure, OutputLost, complain, print_json, say
from deskhand.core.errors import EXIT_USAGE, DeskhandError

_CANCELLED: Final = Failure("Cancelled", "cancelled by the user", "", 6)
_INTERRUPTED: Final = 130  # what the parser makes of a KeyboardInterrupt
_STOPS: Final = (signal.SIGINT, signal.SIGTERM)
_PATIENCE_S: Final = 5
_LOOK_AGAIN_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Verb:
    """`runs_session`: its JSON object is a session's summary, also where it fails before there is a session.

    `acts`: it is what came of an action, also where that was cancelled before it began.
    """

    name: str
    summary: str
    runs_session: bool = False
    acts: bool = False


VERBS: Final = (
    Verb("demo", "Make a bar chart in Calc of a table in a Writer document; needs no model and no network.", True),
    Verb("run", "Carry out a request.", True),
    Verb("models", "List the providers of language models, and try one model."),
    Verb("doctor", "Say what works on this machine, and the command that fixes what does not."),
    Verb("desktop", "Start, list and stop desktops that stay up."),
    Verb("windows", "List the windows of a desktop."),
    Verb("applications", "List the applications of this machine, and what each opens."),
    Verb("launch", "Start a program on a desktop and wait for its window."),
    Verb("observe", "List the controls of a window."),
    Verb("act", "Carry out one action in a window.", acts=True),
    Verb("verify", "Say whether something holds on a desktop, or whether nobody can say."),
    Verb("mcp", "Serve a desktop to another program over the Model Context Protocol."),
    Verb("stop", "Stop what works on a desktop: a session, an action, a server."),
    Verb("screenshot", "Take a picture of a desktop or a window."),
    Verb("report", "Write the report of a session again."),
    Verb("learn", "Learn documents, playbooks, or what a successful session did."),
    Verb("knowledge", "Search, list and forget what was learned."),
    Verb("playbook", "Check a playbook, say what it does, or make one of a session."),
)


def main() -> NoReturn:
    """The entry point of the installed program."""
    _open_what_is_closed()
    _escape_what_cannot_be_written()
    for number in _STOPS:
        # Also where a shell that starts us in the background had them ignored.
        signal.signal(number, _stop)
    _keep_looking()
    try:
        sys.exit(run(sys.argv[1:]))
    finally:
        _ignore_signals()  # all is told: a signal would only take the exit code away
        signal.setitimer(signal.ITIMER_REAL, 0)  # the end of the interpreter takes its handler away


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code (SPEC 6). Nothing is raised."""
    verb = next((verb for verb in VERBS if verb.name == _asked_for(arguments)), None)
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in options
    failure = _run(arguments or ["--help"], verb)
    _has_stopped()
    if isinstance(failure, int):
        return EXIT_USAGE if not arguments else failure
    _ignore_signals()
    complain(failure.message, failure.fix)
    if as_json:
        with suppress(OSError, OutputLost):  # told on stderr already
            _print_failure(failure, verb)
    return failure.exit_code


def _open_what_is_closed() -> None:
    """Standard streams that the caller closed lead nowhere; else the next file opened, a journal, would be one."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="replace"))


def _escape_what_cannot_be_written() -> None:
    """What names and texts hold that stdout's encoding lacks is written as an escape; stderr does so by itself."""
    if sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # pyright: ignore - typeshed knows it as any text stream


def _keep_looking() -> None:
    """Interrupts what waits in the main thread now and then, and changes nothing else.

    A signal that comes between Python's last look for one and the beginning of a system call does not end that call,
    and Python looks for it when the call has ended: of a pipe that nobody writes to, never. Event loops wait otherwise.
    """
    signal.signal(signal.SIGALRM, _look)
    signal.setitimer(signal.ITIMER_REAL, _LOOK_AGAIN_S, _LOOK_AGAIN_S)


def _look(_number: int, _frame: FrameType | None) -> None:
    """Python has run the handlers of all signals that came before."""


def _stop(_number: int, _frame: FrameType | None) -> None:
    """The first signal stops what runs; none disturbs what is told of it.

    Where Python cannot raise, as in a finaliser, it drops the exception: so it is raised again after a while.
    """
    _ignore_signals()
    # The timer first: what it sent until now must not count as the end of that while.
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE_S, _LOOK_AGAIN_S)
    signal.signal(signal.SIGALRM, _stop_still)
    raise KeyboardInterrupt


def _stop_still(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGALRM, _look)
    raise KeyboardInterrupt


def _has_stopped() -> None:
    if signal.getsignal(signal.SIGALRM) is _stop_still:
        signal.signal(signal.SIGALRM, _look)


def _ignore_signals() -> None:
    for number in _STOPS:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_IGN)


def _run(arguments: Sequence[str], verb: Verb | None) -> int | Failure:
    try:
        code = int(_build(verb)(list(arguments), prog_name="deskhand", standalone_mode=False) or 0)
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
        _give_up_stdout()  # whoever read our output has gone
        return 1
    except Exception as error:  # noqa: BLE001 - SPEC 6: anything unhandled is told and ends with 4
        return Failure.unhandled(error)
    return _CANCELLED if code == _INTERRUPTED else code


def _give_up_stdout() -> None:
    """So that the interpreter's last flush does not complain of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_failure(failure: Failure, verb: Verb | None) -> None:
    if verb is not None and verb.runs_session:
        from deskhand.cli.empty_summary import nothing_but  # noqa: PLC0415 - brings the report's models

        print_json(nothing_but(failure).to_json())
    elif verb is not None and verb.acts and failure is _CANCELLED:
        from deskhand.cli.act import not_begun  # noqa: PLC0415 - brings the tools

        print_json(not_begun(failure.info))
    else:
        print_json({"error": failure.as_json})


def _asked_for(arguments: Sequence[str]) -> str:
    """The verb of a command line: the options before it take no values."""
    return next((argument for argument in arguments if not argument.startswith("-")), "")


def _build(verb: Verb | None) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(_root)
    for each in VERBS:
        if each == verb:
            importlib.import_module(f"deskhand.cli.{each.name}").add_to(app)
        else:
            app.command(each.name, help=each.summary)(_not_loaded)
    return app


def _not_loaded() -> None:
    """Stands for the verbs that were not asked for; only the help looks at it."""


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"deskhand {deskhand.__version__}")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Carries out requests in plain language in real desktop applications, and proves what it did."""
