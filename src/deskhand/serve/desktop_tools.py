"""One desktop as a set of tools for another program: the tools, their calls, and their answers.

Nothing here depends on a transport. Text from the screen is fenced as untrusted, as in Deskhand's own prompts.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

from anyio import to_thread

from deskhand.config.sections import Configuration
from deskhand.core.command import EffectClass, Result, ResultStatus, ToolSpec, ToolType
from deskhand.core.errors import DeskhandError, ElementNotFound, ErrorInfo, ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.observation import Observation, Picture
from deskhand.core.ports import CheckResult, Interactor, satisfaction
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.core.type_checks import items_of, json_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.perception.annotation import PhotographerFacade, image_of
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from deskhand.pipeline.outputs import output_line
from deskhand.prompts.constructor import fenced
from deskhand.session.single_action import Hand, NotAllowed, result_json
from deskhand.session.window_names import chosen_window, control_json, window_json
from deskhand.store.image_encoding import encode_for_model

OBSERVE: Final = "observe_window"
MOST_TEXT: Final = 200_000
"""Limit of a tool's answer in bytes, and of a problem in characters."""
_OF_THE_DESKTOP: Final = frozenset(
    {"get_desktop_app_info", "get_desktop_app_target_info", "capture_desktop_screenshot"}
)
_WINDOW: Final[JsonObject] = {
    "type": "string",
    "default": "",
    "description": "Id or title of the window; empty: the one observed last, or launched since; else the active one.",
}
_SCREENSHOT: Final[JsonObject] = {
    "enum": ["no", "plain", "labelled"],
    "default": "no",
    "description": "Whether to add a picture of the window; labelled: with the ids drawn in.",
}
_READS: Final = frozenset({EffectClass.NONE})
_CHANGES_NOTHING_KEPT: Final = frozenset({EffectClass.NONE, EffectClass.NAVIGATE, EffectClass.LAUNCH})
_LOOK: Final = f"call {OBSERVE}: it lists the controls of a window with their ids"


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as other programs see it. `reads`: it changes nothing; `may_destroy`: it may change existing data."""

    name: str
    description: str
    parameters: JsonObject
    reads: bool
    may_destroy: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a call. `data` is the JSON object of an action. `picture`: bytes and media type."""

    text: str
    data: JsonObject | None = None
    picture: tuple[bytes, str] | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class _Shown:
    """Latest observation of a window: the requested window, and the observation of the one in front of it."""

    root: TargetInfo
    seen: Observation


class Desk:
    """Serves one desktop; the caller makes one call at a time.

    Ids are those of the latest observation it returned of a window. While it serves, an id is never given to another
    control of any window. Only files below `folders` are read.
    """

    def __init__(
        self, desktop: Desktop, configuration: Configuration, interactor: Interactor, folders: tuple[Path, ...] = ()
    ) -> None:
        self._desktop = desktop
        who = "a program connected over MCP"
        self._hand = Hand(desktop, configuration, interactor, who=who, folders=folders, label=self._label)
        self._photographer: PhotographerFacade | None = None
        self._labellers: dict[str, Labeller] = {}
        self._shown: dict[str, _Shown] = {}
        self._latest = ""
        self._last_id = 0

    def tools(self) -> tuple[OfferedTool, ...]:
        """All tools of the catalogue; the observation first."""
        return tuple(_offered(tool.spec) for tool in self._hand.catalogue)

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> Answer:
        """Carry out one call. Errors are part of the answer, with advice.

        Raises: errors of the interactor.
        """
        try:
            return await self._call(name, dict(arguments))
        except NotAllowed as error:
            info = ErrorInfo("NotAllowed", str(error), _APPROVAL)
        except ReplyDefect as error:
            info = replace(ErrorInfo.of(error), fix=self._how_to_call(name))
        except DeskhandError as error:
            info = ErrorInfo.of(error)
        return Answer(_problem(info), failed=True)

    def _how_to_call(self, name: str) -> str:
        spec = self._hand.catalogue.spec(name)
        if spec is None:
            return "call one of those"
        schema = _offered(spec).parameters
        own, required = schema.get("properties"), schema.get("required")
        needed = required if isinstance(required, list) else []
        taken = [key if key in needed else f"[{key}]" for key in own] if isinstance(own, dict) else []
        listed = f"{', '.join(taken)} (those in brackets may be left out)" if taken else "nothing"
        return f"call {name} again with arguments that fit; it takes {listed}"

    async def _call(self, name: str, given: JsonObject) -> Answer:
        """Raises: DeskhandError, NotAllowed."""
        spec = self._hand.known(name)
        screenshot = _taken(given, "screenshot", _SCREENSHOT) if name == OBSERVE else "no"
        if name in _OF_THE_DESKTOP:
            return await self._told(name, await self._hand.act(name, given))
        if AgentKind.HOST in spec.audience:
            label = given.get("id")
            window = await chosen_window(self._desktop, label) if spec.takes_target and isinstance(label, str) else None
            result = await self._hand.act(name, given, target=window)
            if result.delivered:
                self._latest = ""  # the launched or selected window is in front now
            return _acted(spec, result)
        window, shown = await self._window(_taken(given, "window", _WINDOW), given.get("id"))
        if name == OBSERVE:
            return await self._observe(given, window, screenshot)
        label = given.get("id")
        target = _control(shown, label) if spec.takes_target and isinstance(label, str) and label else None
        seen = shown.seen if shown else None
        result = await self._hand.act(name, given, target=target, window=window, seen=seen)
        if spec.tool_type is ToolType.ACTION:
            return _acted(spec, result)
        return await self._told(name, result)

    async def _window(self, choice: str, label: JsonValue) -> tuple[TargetInfo, _Shown | None]:
        """The requested window, else that of the control, else the latest; and its latest observation.

        Raises: UsageError.
        """
        windows = {window.handle: window for window in await self._desktop.windows()}
        self._forget_all_but(windows.keys())
        of_label = (shown for shown in self._shown.values() if any(c.id == label for c in shown.seen.controls))
        latest = next(of_label, self._shown.get(self._latest))
        if not choice and latest is not None and latest.root.handle in windows:
            return windows[latest.root.handle], latest
        window = windows.get(choice) or await chosen_window(self._desktop, choice)
        shown = self._shown.get(window.handle)
        return (windows.get(shown.root.handle, window) if shown else window), shown

    def _forget_all_but(self, windows: Set[str]) -> None:
        """Forget observations of closed windows."""
        there = [shown for handle, shown in self._shown.items() if handle in windows]
        kept = windows | {shown.seen.window.handle for shown in there}
        self._shown = {handle: shown for handle, shown in self._shown.items() if handle in kept}
        self._labellers = {handle: labeller for handle, labeller in self._labellers.items() if handle in kept}

    async def _observe(self, given: JsonObject, window: TargetInfo, screenshot: str) -> Answer:
        result = await self._hand.act(OBSERVE, given, window=window)
        if not isinstance(result.result, Observation):
            return _failed(result)
        seen = self._labelled(window, result.result)
        listed = compact(seen.controls)
        lines = (_told_window(seen.window), listed.text, *(f"({told})" for told in seen.reservations))
        notes = [fenced("the screen", "\n".join(lines)).text]
        if screenshot == "no" or seen.picture is None:
            return Answer("\n".join(notes))
        picture = seen.picture
        notes += picture.reservations
        packed, lacking = await to_thread.run_sync(self._packed, seen, picture, screenshot)
        notes += [f"({lacking})"] if lacking else []
        return Answer("\n".join(notes), picture=packed)

    async def _label(self, window: TargetInfo, observation: Observation) -> tuple[TargetInfo, ...]:
        return self._labelled(window, observation).controls

    def _labelled(self, window: TargetInfo, observation: Observation) -> Observation:
        labeller = self._labellers.setdefault(observation.window.handle, Labeller())
        labeller.go_on(observation.window, self._last_id)
        seen = replace(observation, controls=labeller.label(observation))
        self._last_id = labeller.last
        shown = _Shown(window, replace(seen, picture=None))
        self._shown[window.handle] = self._shown[seen.window.handle] = shown
        self._latest = seen.window.handle
        return seen

    def _packed(self, seen: Observation, picture: Picture, screenshot: str) -> tuple[tuple[bytes, str], str]:
        """The picture, and a note on labels that are missing in it."""
        if screenshot == "plain":
            return encode_for_model(picture), ""
        self._photographer = self._photographer or PhotographerFacade()
        arrangement = self._photographer.arranged(picture, seen.controls)
        return encode_for_model(self._photographer.drawn(image_of(picture), arrangement)), arrangement.note

    async def _told(self, name: str, result: Result) -> Answer:
        """Answer of a tool that reads."""
        value = result.result
        if not result.ok:
            return _failed(result)
        if isinstance(value, Picture):
            left, top, right, bottom = value.rect.to_list()
            told = [f"screen pixels {left},{top} to {right},{bottom}", *value.reservations, result.evidence]
            return Answer("\n".join(filter(None, told)), picture=await to_thread.run_sync(encode_for_model, value))
        return Answer(fenced("the screen", output_line(name, _json(value), most=MOST_TEXT, kept_by="")).text)


_APPROVAL: Final = (
    "the user must approve it: connect with a client that supports elicitation, or set a rule of your own in "
    "policy.files"
)


def _offered(spec: ToolSpec) -> OfferedTool:
    properties = spec.parameters.get("properties")
    own = dict(properties) if isinstance(properties, dict) else {}
    if spec.name not in _OF_THE_DESKTOP and AgentKind.HOST not in spec.audience:
        own["window"] = _WINDOW
    if spec.name == OBSERVE:
        own["screenshot"] = _SCREENSHOT
    reads = spec.effect_class in _READS
    may_destroy = spec.effect_class not in _CHANGES_NOTHING_KEPT
    return OfferedTool(spec.name, _described(spec), {**spec.parameters, "properties": own}, reads, may_destroy)


def _described(spec: ToolSpec) -> str:
    if spec.name == OBSERVE:
        return f"{spec.description} Gives the list of its controls, one a line, with the ids that other tools take."
    if spec.takes_target and AgentKind.HOST in spec.audience:
        return f"{spec.description} `id`: the window's id or title."
    return spec.description


def _taken(given: JsonObject, name: str, schema: JsonObject) -> str:
    """An argument of the server, not of the tool. Raises: ReplyDefect."""
    value = given.pop(name, schema["default"])
    choices = schema.get("enum")
    if not isinstance(value, str) or (isinstance(choices, list) and value not in choices):
        wanted = f"one of {', '.join(map(str, choices))}" if isinstance(choices, list) else "a text"
        raise ReplyDefect(f"{name}: should be {wanted}, not {value!r}")
    return value


def _control(shown: _Shown | None, label: str) -> TargetInfo:
    """Raises: ElementNotFound."""
    controls = shown.seen.controls if shown else ()
    found = next((control for control in controls if control.id == label), None)
    if found is None:
        where = (
            f'the latest observation of "{shown.seen.window.name}"' if shown else "nothing was observed yet, so that"
        )
        missing = f"{where} has no control {label!r}" if shown else f"{where} no control has the id {label!r}"
        raise ElementNotFound(missing, fix=_LOOK)
    return found


def _told_window(window: TargetInfo) -> str:
    unsaved = ", with unsaved changes" if window.unsaved else ""
    return f'window {window.handle} "{window.name}" of {window.application or "an unknown application"}{unsaved}'


def _acted(spec: ToolSpec, result: Result) -> Answer:
    """Answer of an action: one line, its result, and its JSON object."""
    if result.error is not None:
        return replace(_failed(result), data=result_json(result))
    word = result.effect.value if result.effect else result.status.value
    route = f" by {result.route.value}" if result.route else ""
    lines = [fenced(f"what came of {spec.name}", f"{word}{route}: {result.evidence}").text]
    if result.status is ResultStatus.NONE:
        lines.append("The effect of this action is unknown: observe the window before you go on.")
    if result.result is not None:
        given = output_line(spec.name, json_of(result.result), most=MOST_TEXT, kept_by="")
        lines.append(fenced("the result", given).text)
    failed = result.status is ResultStatus.FAILURE
    return Answer("\n".join(lines), result_json(result), failed=failed)


def _failed(result: Result) -> Answer:
    info = result.error or ErrorInfo("CommandFailed", "the command failed")
    delivered = "A part of it was already sent." if result.delivered else "Nothing was sent."
    again = "It can be called again." if result.retry_safe else "Calling it again may repeat its effect: observe first."
    return Answer(f"{_problem(info)}\n{delivered} {again}", failed=True)


def _problem(info: ErrorInfo) -> str:
    lines = [f"{info.type}: {info.message}", *(f"- {candidate}" for candidate in info.candidates[:20])]
    return _bounded("\n".join([*lines, *([f"To do: {info.fix}"] if info.fix else [])]))


def _json(value: object) -> JsonValue:
    """Result of a tool that reads; windows and controls in the form of the command line's JSON."""
    if isinstance(value, TargetInfo):
        return window_json(value) if value.kind is TargetKind.WINDOW else control_json(value, {})
    if isinstance(value, CheckResult):
        return {"name": value.name, "verdict": value.verdict.value, "detail": value.detail}
    if isinstance(value, list | tuple):
        items = cast("tuple[object, ...]", value)  # items of a tool's list are converted by their type
        if checks := items_of(items, CheckResult):
            return {"verdict": satisfaction(checks).value, "checks": [_json(check) for check in checks]}
        return [_json(item) for item in items]
    return json_of(value)


def _bounded(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n… ({len(text) - MOST_TEXT} characters more)"
