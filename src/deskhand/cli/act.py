"""`deskhand act`."""

import os
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand.cli.console import complain, print_json, printable, say
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, WindowOption, chosen_desktop, held_desktop
from deskhand.cli.id_cache import control_shown, label_asked, recall
from deskhand.cli.interactor_choice import ConfirmOption, interactor_for
from deskhand.cli.signals import Stopped, Work, run_and_tell
from deskhand.commands import standard_catalogue
from deskhand.config.load import Sources, load
from deskhand.config.sections import Configuration
from deskhand.core.command import Effect, Result, ResultStatus, ToolSpec, ToolType
from deskhand.core.errors import (
    EXIT_CANCELLED,
    EXIT_FAILED,
    ElementNotFound,
    ErrorInfo,
    ReplyDefect,
    StoppedByPerson,
    UsageError,
)
from deskhand.core.json import JsonObject, JsonValue, NestedTooDeeply, read_json
from deskhand.core.model import AgentKind
from deskhand.core.ports import Interactor
from deskhand.core.target import TargetInfo
from deskhand.core.text import json_line
from deskhand.desktop.base import Desktop
from deskhand.session.single_action import Hand, NotAllowed, result_json
from deskhand.session.window_names import chosen_window

_REJECTED: Final = 3
_CODES: Final = {"NotAllowed": _REJECTED, "Cancelled": EXIT_CANCELLED, "StoppedByPerson": EXIT_CANCELLED}
_INSTEAD_OF_CLIPBOARD: Final = (
    "put the text where it is wanted, with set_edit_text or keyboard_input; "
    "a clipboard is kept by deskhand run and deskhand mcp"
)
_APPROVE: Final = "approve it at a terminal, or with --confirm FILE, where FILE says confirmations: [approve]"
_CANCELLED: Final = ErrorInfo("Cancelled", "cancelled by the user")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What was asked for; `arguments` are NAME=VALUE."""

    tool: str
    arguments: tuple[str, ...]
    desktop: str
    window: str


@dataclass(slots=True)
class _Deed:
    """One action from the opening of its desktop to the closing. `hand` carries it out; `result` is what came of it."""

    wanted: _Wanted
    configuration: Configuration
    interactor: Interactor
    hand: Hand | None = None
    result: Result | None = None

    async def do(self) -> Result:
        """Raises: UsageError, ElementNotFound, ReplyDefect, NotAllowed, DesktopGone, DesktopBusy, StoppedByPerson."""
        wanted, settings = self.wanted, self.configuration.system
        opened = (
            chosen_desktop(wanted.desktop)
            if _looks(wanted.tool)
            else held_desktop(wanted.desktop, settings, "deskhand act", brief=True)
        )
        async with opened as desktop:
            label = partial(label_asked, desktop)
            self.hand = Hand(desktop, self.configuration, self.interactor, who="deskhand act", label=label)
            self.result = await _act(wanted, desktop, self.hand)
        return self.result

    def stopped(self, why: ErrorInfo | None = None) -> Result:
        """What is known of it where `why`, else a signal, stopped it; what came of it where it was done by then."""
        if self.result is not None:
            return self.result
        known = (self.hand.cut_off if self.hand is not None else None) or _not_begun(_CANCELLED)
        return replace(known, error=why or known.error)


def add_to(app: typer.Typer) -> None:
    app.command("act", epilog=_listed_tools())(act)


def _listed_tools() -> str:
    """The tools with their arguments, a line each, as the help shows them."""
    lines = [f"  {name}  {_as_listed(spec)}".rstrip() for name, spec in sorted(_offered().items())]
    return "\n".join(["\b", "Tools and their arguments (those in brackets may be left out):", *lines])


def _offered() -> dict[str, ToolSpec]:
    catalogue = standard_catalogue()
    return {**catalogue.specs(AgentKind.APP), **catalogue.specs(AgentKind.HOST)}


def _as_listed(spec: ToolSpec) -> str:
    required = spec.parameters.get("required")
    wanted = required if isinstance(required, list) else []
    return " ".join(name if name in wanted else f"[{name}]" for name in _arguments(spec))


def _arguments(spec: ToolSpec) -> JsonObject:
    """The schema of each argument, by its name."""
    properties = spec.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def _takes(spec: ToolSpec) -> str:
    return f"{spec.name} takes {', '.join(_arguments(spec)) or 'nothing'}"


def act(  # noqa: PLR0913, PLR0917 - the options of SPEC 6
    tool: Annotated[str, typer.Argument(help="The tool, such as click_input.", show_default=False)],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]…", help="Its arguments; NAME=@FILE reads a file.")
    ] = None,
    desktop: DesktopOption = "",
    window: WindowOption = "",
    confirm: ConfirmOption = "",
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Carry out one action in a window, and say what came of it; ids are those of the latest `observe` of it.

    Exit codes: 0 confirmed, 1 refused, failed or not seen to have worked, 2 wrong arguments, 3 not let by the policy.
    """
    configuration = load(Sources(os.environ, Path.cwd(), config))
    interactor = interactor_for("off", confirm).interactor
    deed = _Deed(_Wanted(tool, tuple(arguments or ()), desktop, window), configuration, interactor)
    return run_and_tell(deed.do, lambda work: _conclude(deed, work, as_json=as_json))


def not_begun(error: ErrorInfo) -> JsonObject:
    """The object of SPEC 6 of an action that nothing was sent of."""
    return result_json(_not_begun(error))


def _not_begun(error: ErrorInfo) -> Result:
    return Result(ResultStatus.FAILURE, "", error=error, effect=Effect.REFUSED, evidence="nothing was sent")


def _conclude(deed: _Deed, work: Work[Result], *, as_json: bool) -> int:
    """Prints what came of it and returns the exit code. Raises: what `do` raises and has no object of its own."""
    try:
        result = work.result()
    except Stopped:
        result = deed.stopped()
    except StoppedByPerson as error:
        result = deed.stopped(ErrorInfo.of(error))
    except NotAllowed as error:
        info = ErrorInfo("NotAllowed", str(error), _APPROVE)
        result = _not_begun(info)
    except ElementNotFound as error:
        result = _not_begun(ErrorInfo.of(error))
    except ReplyDefect as error:
        raise UsageError(error.message, fix=_fix(deed.wanted.tool)) from error
    _tell(result_json(result), as_json=as_json)
    sys.stdout.flush()
    if result.ok:
        return 0
    return _CODES.get(result.error.type, EXIT_FAILED) if result.error else EXIT_FAILED


def _fix(tool: str) -> str:
    spec = _offered().get(tool)
    return _takes(spec) if spec else "deskhand act --help lists the tools and their arguments"


async def _act(wanted: _Wanted, desktop: Desktop, hand: Hand) -> Result:
    """Raises: ElementNotFound, ReplyDefect, NotAllowed, UsageError."""
    spec = hand.offered(wanted.tool)
    given = _given(wanted.arguments, spec)
    if wanted.tool == "clipboard" and given.get("text") is not None:
        raise UsageError("what one command puts on the clipboard is gone when it ends", fix=_INSTEAD_OF_CLIPBOARD)
    if AgentKind.HOST in spec.audience:
        chosen = await chosen_window(desktop, str(given["id"])) if spec.takes_target and "id" in given else None
        return await hand.act(wanted.tool, given, target=chosen)
    window = await chosen_window(desktop, wanted.window)
    shown = recall(desktop, window)
    target: TargetInfo | None = None
    if spec.takes_target and given.get("id"):
        target = control_shown(shown, str(given["id"]))
    return await hand.act(wanted.tool, given, target=target, window=window, seen=shown)


def _looks(tool: str) -> bool:
    """Whether a tool only looks, which others may do meanwhile."""
    spec = standard_catalogue().spec(tool)
    return spec is not None and spec.tool_type is ToolType.DATA_COLLECTION


def _given(arguments: tuple[str, ...], spec: ToolSpec) -> JsonObject:
    """NAME=VALUE by the tool's schema. Raises: UsageError."""
    known = _arguments(spec)
    given: JsonObject = {}
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if not equals or not name:
            raise UsageError(f"{argument!r} is not NAME=VALUE", fix=_takes(spec))
        if name not in known:
            raise UsageError(f"{spec.name} has no argument {name!r}", fix=_takes(spec))
        if name in given:
            raise UsageError(f"{name} is given more than once", fix=f"give it once; {_takes(spec)}")
        given[name] = _value(name, text, known.get(name))
    return given


def _value(name: str, text: str, schema: JsonValue) -> JsonValue:
    """A value as its schema wants it: text as it stands, all else as JSON. Raises: UsageError."""
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{name}: cannot read {text[1:]}: {error}", fix="give a readable text file") from error
    if "string" in _types(schema):
        return text
    try:
        return read_json(text)
    except NestedTooDeeply as error:
        raise UsageError(f"{name}: {error}", fix="give a value of fewer levels") from error
    except ValueError:
        return text  # the tool's own check says what it should have been


def _types(schema: JsonValue) -> frozenset[str]:
    if not isinstance(schema, dict):
        return frozenset({"string"})
    kind, choices = schema.get("type"), schema.get("anyOf")
    inner = [_types(choice) for choice in choices] if isinstance(choices, list) else []
    own = {kind} if isinstance(kind, str) else {"string"} if "enum" in schema else set[str]()
    return frozenset(own).union(*inner)


def _tell(told: JsonObject, *, as_json: bool) -> None:
    if as_json:
        print_json(told)
        return
    route = f" by {told['route']}" if told["route"] else ""
    evidence = f": {told['evidence']}" if told["evidence"] else ""
    say(printable(f"{told['effect'] or told['status']}{route}{evidence}"))
    if told["result"] is not None:
        say(json_line(told["result"]))
    if isinstance(error := told["error"], dict):
        complain(printable(str(error["message"])), printable(str(error["fix"])))
