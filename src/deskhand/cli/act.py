"""`deskhand act`."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand.cli.asking import interactor_for
from deskhand.cli.console import complain, print_json, printable, say
from deskhand.cli.desktops import DesktopOption, JsonOption, WindowOption, chosen_desktop, held_desktop
from deskhand.cli.shown import control_shown, recall
from deskhand.cli.stopping import run_async
from deskhand.commands import Catalogue, standard_catalogue
from deskhand.config.load import Sources, load
from deskhand.config.sections import Configuration
from deskhand.core.command import Effect, Result, ResultStatus, ToolSpec, ToolType
from deskhand.core.errors import EXIT_FAILED, ElementNotFound, ErrorInfo, ReplyDefect, UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.ports import Interactor
from deskhand.core.target import TargetInfo
from deskhand.session.hand import Hand, NotAllowed, result_json
from deskhand.session.windows import chosen_window

_REJECTED: Final = 3


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What was asked for; `arguments` are NAME=VALUE."""

    tool: str
    arguments: tuple[str, ...]
    desktop: str
    window: str


def add_to(app: typer.Typer) -> None:
    app.command("act")(act)


def act(  # noqa: PLR0913, PLR0917 - the options of SPEC 6
    tool: Annotated[str, typer.Argument(help="The tool, such as click_input.", show_default=False)],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]…", help="Its arguments; NAME=@FILE reads a file.")
    ] = None,
    desktop: DesktopOption = "",
    window: WindowOption = "",
    confirm: Annotated[str, typer.Option(metavar="ask|never|FILE", help="Who approves actions.")] = "",
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Carry out one action in a window, and say what came of it; ids are those of the latest `observe` of it."""
    configuration = load(Sources(os.environ, Path.cwd(), config))
    interactor = interactor_for("off", confirm).interactor
    wanted = _Wanted(tool, tuple(arguments or ()), desktop, window)
    try:
        result = run_async(lambda: _act(wanted, configuration, interactor))
    except NotAllowed as error:
        info = ErrorInfo("NotAllowed", str(error), "approve it at a terminal, or with --confirm FILE")
        _tell(result_json(Result(ResultStatus.FAILURE, "", error=info, effect=Effect.REFUSED)), as_json=as_json)
        return _REJECTED
    except ElementNotFound as error:
        result = Result(ResultStatus.FAILURE, "", error=ErrorInfo.of(error), effect=Effect.REFUSED)
    except ReplyDefect as error:
        raise UsageError(error.message, fix="deskhand act --help; the message names what is wrong") from error
    _tell(result_json(result), as_json=as_json)
    return 0 if result.ok else EXIT_FAILED


async def _act(wanted: _Wanted, configuration: Configuration, interactor: Interactor) -> Result:
    """Raises: UsageError, AmbiguousTarget, ElementNotFound, ReplyDefect, NotAllowed, DesktopGone, DesktopBusy."""
    looks = _looks(wanted.tool)
    opened = (
        chosen_desktop(wanted.desktop)
        if looks
        else held_desktop(wanted.desktop, configuration.system, "deskhand act", brief=True)
    )
    async with opened as desktop:
        hand = Hand(desktop, configuration, interactor, who="deskhand act")
        spec = hand.offered(wanted.tool)
        given = _given(wanted.arguments, spec)
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
    spec = Catalogue(standard_catalogue()).spec(tool)
    return spec is not None and spec.tool_type is ToolType.DATA_COLLECTION


def _given(arguments: tuple[str, ...], spec: ToolSpec) -> JsonObject:
    """NAME=VALUE by the tool's schema. Raises: UsageError."""
    properties = spec.parameters.get("properties")
    known = properties if isinstance(properties, dict) else {}
    given: JsonObject = {}
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if not equals or not name:
            raise UsageError(
                f"{argument!r} is not NAME=VALUE", fix=f"{spec.name} takes {', '.join(known) or 'nothing'}"
            )
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
        value: JsonValue = json.loads(text)
    except ValueError:
        return text  # the tool's own check says what it should have been
    return value


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
    say(printable(f"{told['effect'] or told['status']}{route}: {told['evidence']}"))
    if told["result"] is not None:
        say(printable(json.dumps(told["result"], ensure_ascii=False)))
    if isinstance(error := told["error"], dict):
        complain(printable(str(error["message"])), printable(str(error["fix"])))
