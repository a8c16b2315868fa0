"""`deskhand act`."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand.cli.act_outcomes import APPROVE, CANCELLED, CODES
from deskhand.cli.console import print_error, print_json, print_line, printable
from deskhand.cli.desktop_choice import (
    DesktopOption,
    JsonOption,
    WindowOption,
    asked_in_turn,
    held_desktop,
    observed_desktop,
    settings_here,
)
from deskhand.cli.id_cache import cached_control, cached_observation, cached_window, label_requested
from deskhand.cli.interactor_choice import ConfirmOption, interactor_for
from deskhand.cli.invocation import invocation
from deskhand.cli.plugin_tools import plugin_tools_for
from deskhand.cli.signals import run_and_conclude
from deskhand.cli.work import Stopped, Work
from deskhand.commands import standard_catalogue
from deskhand.config.sections import Configuration
from deskhand.core.command import Effect, Result, ResultStatus, ToolSpec, ToolType
from deskhand.core.errors import (
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
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.session.single_action import Caller, Hand, NotAllowed, of_desktop, result_json, windowless
from deskhand.session.window_names import chosen_window

_INSTEAD_OF_CLIPBOARD: Final = (
    "put the text into the control with set_edit_text or keyboard_input; "
    "deskhand run and deskhand mcp hold a clipboard while they run"
)
_HOLDS: Final = frozenset({"hold_button", "hold_keys"})
_INSTEAD_OF_HOLDING: Final = (
    "give hold_keys its seconds, drag_on_coordinates its via, and clicks their hold; "
    "deskhand run and deskhand mcp keep it down while they run"
)
_SEARCH: Final = "find_controls"


@dataclass(frozen=True, slots=True)
class _Request:
    """The command line of one action; `arguments` are NAME=VALUE."""

    tool: str
    arguments: tuple[str, ...]
    desktop: str
    window: str


@dataclass(slots=True)
class _Execution:
    """One action, from opening its desktop to closing it. `hand` carries it out; `result` is its outcome."""

    request: _Request
    configuration: Configuration
    interactor: Interactor
    hand: Hand | None = None
    result: Result | None = None

    async def do(self) -> Result:
        """Raises: UsageError, ElementNotFound, ReplyDefect, NotAllowed, DesktopGone, DesktopBusy, StoppedByPerson."""
        request, settings = self.request, self.configuration
        opened = (
            observed_desktop(request.desktop, settings)
            if _only_reads(request)
            else held_desktop(request.desktop, settings, "deskhand act", brief=True)
        )
        async with opened as desktop:
            label = partial(label_requested, desktop)
            caller = Caller("deskhand act", label=label, tools=plugin_tools_for(request.tool))
            self.hand = Hand(desktop, self.configuration, asked_in_turn(self.interactor), caller)
            self.result = await _act(request, desktop, self.hand)
        return self.result

    def stopped(self, why: ErrorInfo | None = None) -> Result:
        """Result of an action that `why`, else a signal, interrupted; its own result if it had finished by then."""
        if self.result is not None:
            return self.result
        all_controls = (self.hand.cut_off if self.hand is not None else None) or _not_begun(CANCELLED)
        return replace(all_controls, error=why or all_controls.error)


def add_to(app: typer.Typer) -> None:
    app.command("act", epilog=_listed_tools())(act)


def _listed_tools() -> str:
    """The tools with their arguments, one a line, for the help text."""
    lines = [f"  {name}  {_as_listed(spec)}".rstrip() for name, spec in sorted(_offered().items())]
    return "\n".join(["\b", "Tools and their arguments (those in brackets may be left out):", *lines])


def _offered() -> dict[str, ToolSpec]:
    catalogue = standard_catalogue()
    return {**catalogue.specs(AgentKind.APP), **catalogue.specs(AgentKind.HOST)}


def _as_listed(spec: ToolSpec) -> str:
    required = spec.parameters.get("required")
    needed = required if isinstance(required, list) else []
    return " ".join(name if name in needed else f"[{name}]" for name in _arguments(spec))


def _arguments(spec: ToolSpec) -> JsonObject:
    """Schema of each argument, by name."""
    properties = spec.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def _takes(spec: ToolSpec) -> str:
    forms = (_form(spec, name, schema) for name, schema in _arguments(spec).items())
    return f"{spec.name} takes {', '.join(forms) or 'nothing'}"


def _form(spec: ToolSpec, name: str, schema: JsonValue) -> str:
    """The name of an argument; of a list of objects with their keys, as in `pairs=[{"find": …, "replace": …}]`."""
    items = schema.get("items") if isinstance(schema, dict) else None
    reference = items.get("$ref") if isinstance(items, dict) else None
    definitions = spec.parameters.get("$defs")
    if not isinstance(reference, str) or not isinstance(definitions, dict):
        return name
    found = definitions.get(reference.rpartition("/")[2])
    keys = found.get("properties") if isinstance(found, dict) else None
    inside = ", ".join(f'"{key}": …' for key in keys) if isinstance(keys, dict) else ""
    return f"{name}=[{{{inside}}}]"


def act(  # noqa: PLR0913, PLR0917 - one parameter per option
    tool: Annotated[str, typer.Argument(help="The tool, such as click_input.", show_default=False)] = "",
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]…", help="Its arguments; NAME=@FILE reads a file.")
    ] = None,
    desktop: DesktopOption = "",
    window: WindowOption = "",
    confirm: ConfirmOption = "",
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    batch: Annotated[
        str, typer.Option("--batch", help="YAML file of steps ({tool, on, args, window, expect}); -: standard input.")
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Carry out one action in a window and print its result; ids are those of the latest `observe` of that window.

    With --batch: several, each checked before the first, up to the first surprise, and the changes at the end.

    Exit codes: 0 confirmed, 1 refused, failed or no effect seen, 2 wrong arguments, 3 rejected by the policy.
    """
    configuration = settings_here(config)
    interactor = interactor_for("off", confirm).interactor
    if bool(batch) == bool(tool):
        raise UsageError("give a tool, or steps with --batch", fix="see deskhand act --help")
    if batch:
        from deskhand.cli.act_steps import run_batch  # noqa: PLC0415 - a single action does without

        return run_batch(batch, desktop, window, configuration, interactor, as_json)
    execution = _Execution(_Request(tool, tuple(arguments or ()), desktop, window), configuration, interactor)
    return run_and_conclude(execution.do, lambda work: _conclude(execution, work, as_json=as_json))


def not_begun(error: ErrorInfo) -> JsonObject:
    """JSON object of an action that was cancelled before it sent anything."""
    return result_json(_not_begun(error))


def may_be_sent(error: ErrorInfo) -> JsonObject:
    """JSON object of an action that was begun and whose end is unknown."""
    return result_json(
        Result(ResultStatus.FAILURE, "", error=error, effect=Effect.UNVERIFIABLE, delivered=True, retry_safe=False)
    )


def _not_begun(error: ErrorInfo) -> Result:
    return Result(ResultStatus.FAILURE, "", error=error, effect=Effect.REFUSED, evidence="nothing was sent")


def _conclude(execution: _Execution, work: Work[Result], *, as_json: bool) -> int:
    """Print the result and return the exit code. Raises: errors of `do` that have no JSON object of their own."""
    try:
        result = work.result()
    except Stopped:
        result = execution.stopped()
    except StoppedByPerson as error:
        result = execution.stopped(ErrorInfo.of(error))
    except NotAllowed as error:
        result = _not_begun(error.told(APPROVE))
    except ElementNotFound as error:
        result = _not_begun(ErrorInfo.of(error))
    except ReplyDefect as error:
        raise UsageError(error.message, fix=_fix(execution)) from error
    _print_result(result_json(result), as_json=as_json)
    invocation().stdout.flush()
    if result.ok:
        return 0
    return CODES.get(result.error.type, EXIT_FAILED) if result.error else EXIT_FAILED


def _fix(execution: _Execution) -> str:
    spec = execution.hand.catalogue.spec(execution.request.tool) if execution.hand else None
    return _takes(spec) if spec and spec.audience else "deskhand act --help lists the tools and their arguments"


async def _act(request: _Request, desktop: Desktop, hand: Hand) -> Result:
    """Raises: ElementNotFound, ReplyDefect, NotAllowed, UsageError."""
    spec = hand.offered(request.tool)
    values = _parsed_arguments(request.arguments, spec)
    _require_lasting(request.tool, values)
    if of_desktop(spec, values):
        chosen = await chosen_window(desktop, str(values["id"])) if spec.takes_target and "id" in values else None
        return await hand.act(request.tool, values, target=chosen)
    if not request.window and await windowless(spec, desktop):
        return await hand.act(request.tool, values)
    label = str(values.get("id") or "")
    window = await _window_of(desktop, request.window, label)
    shown = cached_observation(desktop, window)
    target = cached_control(shown, label) if spec.takes_target and label else None
    return await hand.act(request.tool, values, target=target, window=window, seen=shown)


def _require_lasting(tool: str, values: JsonObject) -> None:
    """Raises: UsageError for an action whose effect would end with this command."""
    if tool == "clipboard" and values.get("text") is not None:
        raise UsageError("text on the clipboard is lost when this command ends", fix=_INSTEAD_OF_CLIPBOARD)
    if tool in _HOLDS and not values.get("seconds"):
        raise UsageError("what is left down is released when this command ends", fix=_INSTEAD_OF_HOLDING)


async def _window_of(desktop: Desktop, choice: str, label: str) -> TargetInfo:
    """The chosen window; without a choice that of the id, else the active one. Raises: UsageError."""
    of_id = cached_window(desktop, label, await desktop.windows()) if label and not choice else None
    return of_id or await chosen_window(desktop, choice)


def _only_reads(request: _Request) -> bool:
    """True if a tool only reads, so that it may run while another process acts. A search for a text may scroll."""
    spec = standard_catalogue().spec(request.tool)
    scrolls = request.tool == _SEARCH and any(argument.startswith("text=") for argument in request.arguments)
    return spec is not None and spec.tool_type is ToolType.DATA_COLLECTION and not scrolls


def _parsed_arguments(arguments: tuple[str, ...], spec: ToolSpec) -> JsonObject:
    """NAME=VALUE by the tool's schema. Raises: UsageError."""
    all_controls = _arguments(spec)
    values: JsonObject = {}
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if not equals or not name:
            raise UsageError(f"{argument!r} is not NAME=VALUE", fix=_takes(spec))
        if name not in all_controls:
            raise UsageError(f"{spec.name} has no argument {name!r}", fix=_takes(spec))
        if name in values:
            raise UsageError(f"{name} is given more than once", fix=f"give it once; {_takes(spec)}")
        values[name] = _value(name, text, all_controls.get(name))
    return values


def _value(name: str, text: str, schema: JsonValue) -> JsonValue:
    """Value of the type its schema asks for: text unchanged, all else read as JSON. Raises: UsageError."""
    if text.startswith("@") and len(text) > 1:
        try:
            text = invocation().path(Path(text[1:])).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{name}: cannot read {text[1:]}: {error}", fix="give a readable text file") from error
    if "string" in _types(schema):
        return text
    try:
        return read_json(text)
    except NestedTooDeeply as error:
        raise UsageError(f"{name}: {error}", fix="give a value of fewer levels") from error
    except ValueError:
        return text  # the tool's own check names the expected type


def _types(schema: JsonValue) -> frozenset[str]:
    if not isinstance(schema, dict):
        return frozenset({"string"})
    kind, choices = schema.get("type"), schema.get("anyOf")
    inner = [_types(choice) for choice in choices] if isinstance(choices, list) else []
    own = {kind} if isinstance(kind, str) else {"string"} if "enum" in schema else set[str]()
    return frozenset(own).union(*inner)


def _print_result(output: JsonObject, *, as_json: bool) -> None:
    if as_json:
        print_json(output)
        return
    route = f" by {output['route']}" if output["route"] else ""
    evidence = f": {output['evidence']}" if output["evidence"] else ""
    print_line(printable(f"{output['effect'] or output['status']}{route}{evidence}"))
    if output["result"] is not None:
        print_line(json_line(output["result"]))
    if isinstance(error := output["error"], dict):
        print_error(printable(str(error["message"])), printable(str(error["fix"])))
