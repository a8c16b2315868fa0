"""One desktop as a set of tools for another program: the tools, their calls, and the view of each client.

Nothing here depends on a transport.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol, cast

from anyio import to_thread

from deskhand.commands import Tool
from deskhand.config.sections import Configuration
from deskhand.core.command import PLUGIN, EffectClass, Result, ToolSpec, ToolType
from deskhand.core.errors import DeskhandError, ElementNotFound, ErrorInfo, ReplyDefect, UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.observation import Observation, Picture
from deskhand.core.ports import CheckResult, Interactor, satisfaction
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.core.type_checks import items_of, json_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.perception.annotation import PhotographerFacade, image_of
from deskhand.perception.labels import Labeller
from deskhand.policy.engine import RuleSet
from deskhand.serve import run_steps
from deskhand.serve.answers import Answer, of_action, of_error, of_failure, of_value, untrusted
from deskhand.serve.observation_text import changes, whole
from deskhand.serve.tool_schemas import served_schema
from deskhand.session.single_action import (
    Caller,
    Hand,
    NotAllowed,
    caller_tools,
    listed_arguments,
    of_desktop,
    windowless,
)
from deskhand.session.step_list import as_meant, first_id
from deskhand.session.window_names import chosen_window, control_json, window_json
from deskhand.store.image_encoding import encode_for_model

OBSERVE: Final = "observe_window"
_FOR_STRATEGIES: Final = frozenset({"get_app_window_controls_info", "get_ui_tree"})
"""Tools by which strategies of plug-ins read; clients have the observation."""
_WINDOWS: Final = "get_desktop_app_target_info"
_OF_THE_DESKTOP: Final = frozenset({"get_desktop_app_info", _WINDOWS, "capture_desktop_screenshot"})
_WINDOW: Final[JsonObject] = {"type": "string", "description": "id or title; default: your last one"}
_SCREENSHOT: Final[JsonObject] = {
    "type": "string",
    "enum": ["no", "plain", "labelled"],
    "default": "no",
    "description": "adds a picture of the window; labelled: with the ids drawn in",
}
_SINCE: Final[JsonObject] = {
    "type": "string",
    "enum": ["", "latest"],
    "description": "latest: only what changed since the window was last listed for you; ids stay",
}
_PICTURE: Final = "picture"
"""Argument of the observation that `screenshot` sets."""
_READS: Final = frozenset({EffectClass.NONE})
_CHANGES_NOTHING_KEPT: Final = frozenset({EffectClass.NONE, EffectClass.NAVIGATE, EffectClass.LAUNCH})
_LOOK: Final = f"call {OBSERVE}: it lists the controls of a window with their ids"
_LOOK_FIRST: Final = (
    f"call {OBSERVE} first; a client that starts a server for each call needs one that stays: deskhand mcp --http"
)
_APPROVAL: Final = "ask the user, who can approve it in a client that supports elicitation; do not try another way"


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as other programs see it. `reads`: it changes nothing; `may_destroy`: it may change existing data."""

    name: str
    description: str
    parameters: JsonObject
    reads: bool
    may_destroy: bool


def offered_tools(more: Sequence[Tool] = ()) -> tuple[OfferedTool, ...]:
    """Return all tools that are served, with `more`; the observation first."""
    served = (_offered(tool.spec) for tool in caller_tools(more) if _is_served(tool.spec))
    steps = OfferedTool(run_steps.NAME, run_steps.DESCRIPTION, run_steps.PARAMETERS, reads=False, may_destroy=True)
    return *served, steps


def _is_served(spec: ToolSpec) -> bool:
    if spec.namespace == PLUGIN:
        return not spec.audience.isdisjoint({AgentKind.APP, AgentKind.HOST})
    return spec.name not in _FOR_STRATEGIES


class IdStore(Protocol):
    """Ids that all clients of a desktop share: one truth for a person, a script and a program."""

    async def label(self, observation: Observation) -> tuple[TargetInfo, ...]:
        """Return the controls with their ids. Raises: StoreError."""
        ...

    def latest(self, window: TargetInfo) -> Observation | None:
        """Return the latest observation of a window by any client; None without one."""
        ...

    def window_of(self, label: str, windows: Sequence[TargetInfo]) -> TargetInfo | None:
        """Return the window, of those that are open, in whose latest observation a control has this id."""
        ...


@dataclass(slots=True)
class Ids:
    """The highest id given so far, to any client."""

    last: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """A client among those of one desktop. `rules`: None: they are read anew. `is_alone`: no other client uses it.

    `tools`: served beside those of Deskhand. `store`: ids that clients share; None: each has its own.
    """

    rules: RuleSet | None = None
    ids: Ids = field(default_factory=Ids)
    is_alone: Callable[[], bool] = lambda: True
    tools: tuple[Tool, ...] = ()
    store: IdStore | None = None


@dataclass(frozen=True, slots=True)
class _Shown:
    """Latest observation of a window: the requested window, and the observation of the one in front of it."""

    root: TargetInfo
    seen: Observation


class Desk:
    """Serves one client of a desktop; the caller makes one call at a time.

    Ids are those of the latest observation of a window; where clients share ids, of any client's. While it serves, an
    id is never given to another control of any window. Only files below `folders` are read.
    """

    def __init__(
        self,
        desktop: Desktop,
        configuration: Configuration,
        interactor: Interactor,
        folders: tuple[Path, ...] = (),
        view: View | None = None,
    ) -> None:
        """`view`: the relation to other clients of the desktop; None: there are none."""
        view = view or View()
        caller = Caller("a program connected over MCP", folders, self.label, view.rules, view.tools)
        self._desktop = desktop
        self._hand = Hand(desktop, configuration, interactor, caller)
        self._photographer: PhotographerFacade | None = None
        self._labellers: dict[str, Labeller] = {}
        self._shown: dict[str, _Shown] = {}
        self._listed: dict[str, Observation] = {}
        """The observations that the client was given, by their windows: the base of `since`."""
        self._latest = ""
        self._ids = view.ids
        self._is_alone = view.is_alone
        self._tools = view.tools
        self._store = view.store

    def has(self, label: JsonValue) -> bool:
        """True if a control of the latest observations has this id."""
        return self._own_shown_with(label) is not None

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> Answer:
        """Carry out one call. Errors are part of the answer, with advice.

        Raises: errors of the interactor.
        """
        try:
            return await self._call(name, dict(arguments))
        except NotAllowed as error:
            info = error.told(_APPROVAL)
        except ReplyDefect as error:
            info = replace(ErrorInfo.of(error), fix=self._how_to_call(name))
        except DeskhandError as error:
            info = ErrorInfo.of(error)
        return of_error(info)

    def _how_to_call(self, name: str) -> str:
        spec = self._hand.catalogue.spec(name)
        if name == run_steps.NAME:
            return f"call {name} again with steps"
        if spec is None or not _is_served(spec):
            return "call one of those"
        return f"call {name} again with arguments that fit; it takes {listed_arguments(_offered(spec).parameters)}"

    async def _call(self, name: str, arguments: JsonObject) -> Answer:
        """Raises: DeskhandError, NotAllowed."""
        if name == run_steps.NAME:
            runner = run_steps.runner(self._desktop, self._hand, self, arguments, how_to_approve=_APPROVAL)
            return run_steps.answer(await runner.run(), self._report)
        spec = self._known(name)
        given = as_meant(arguments, _offered(spec).parameters)
        if name in _OF_THE_DESKTOP:
            return await self._told(name, await self._hand.act(name, given))
        if of_desktop(spec, given):
            if AgentKind.APP in spec.audience:
                _taken_window(given, spec)
            return await self._of_host(spec, given)
        named = _taken_window(given, spec)
        if not named and await windowless(spec, self._desktop):
            return await self._of_host(spec, given)
        return await self._in_window(spec, given, named)

    async def _in_window(self, spec: ToolSpec, given: JsonObject, named: str) -> Answer:
        name = spec.name
        window, shown = await self._window(named, first_id(given), acts=_acts(spec))
        if name == OBSERVE:
            return await self._observe(given, window)
        label = given.get("id")
        target = _control(shown, label) if spec.takes_target and isinstance(label, str) and label else None
        seen = shown.seen if shown else None
        result = await self._hand.act(name, given, target=target, window=window, seen=seen)
        if spec.tool_type is ToolType.ACTION:
            return of_action(spec, result)
        return await self._told(name, result)

    def _known(self, name: str) -> ToolSpec:
        """Raises: ReplyDefect."""
        spec = self._hand.catalogue.spec(name)
        if spec is None or not _is_served(spec):
            listed = ", ".join(sorted(tool.name for tool in offered_tools(self._tools)))
            raise ReplyDefect(f"there is no tool {name!r}; there are: {listed}")
        return spec

    async def _of_host(self, spec: ToolSpec, given: JsonObject) -> Answer:
        """Carry out a tool that chooses a window; the one it brought to the front is the latest."""
        label = given.get("id")
        window = await chosen_window(self._desktop, label) if spec.takes_target and isinstance(label, str) else None
        result = await self._hand.act(spec.name, given, target=window)
        if spec.tool_type is not ToolType.ACTION:
            return await self._told(spec.name, result)
        if result.delivered:
            active = (each for each in await self._desktop.windows() if "active" in each.states)
            self._latest = next((each.handle for each in active), "")
        return of_action(spec, result)

    async def _window(self, choice: str, label: JsonValue, *, acts: bool) -> tuple[TargetInfo, _Shown | None]:
        """The requested window, else that of the control, else the latest; and its latest observation.

        Raises: UsageError.
        """
        windows = {window.handle: window for window in await self._desktop.windows()}
        self._forget_all_but(windows.keys())
        latest = self._shown_with(label, windows) or self._shown.get(self._latest)
        handle = latest.root.handle if latest else self._latest
        if not choice and handle in windows:
            return windows[handle], latest
        if not choice and acts and len(windows) > 1 and not self._is_alone():
            raise UsageError(
                "no window is named, this client has none of its own yet, and others use this desktop",
                fix=f"name the window, or observe it first; {_WINDOWS} lists them",
            )
        window = windows.get(choice) or await chosen_window(self._desktop, choice)
        shown = self._shown.get(window.handle) or self._shared(label, {window.handle: window})
        return (windows.get(shown.root.handle, window) if shown else window), shown

    def _shown_with(self, label: JsonValue, windows: Mapping[str, TargetInfo]) -> _Shown | None:
        """The latest observation, by this client or another, of the window that a control of this id is in."""
        return self._own_shown_with(label) or self._shared(label, windows)

    def _shared(self, label: JsonValue, windows: Mapping[str, TargetInfo]) -> _Shown | None:
        """As `_shown_with`, by whichever client, of these windows alone."""
        if self._store is None or not label:
            return None
        window = self._store.window_of(str(label), tuple(windows.values()))
        seen = self._store.latest(window) if window else None
        return _Shown(window, seen) if window and seen else None

    def _own_shown_with(self, label: JsonValue) -> _Shown | None:
        wanted = str(label) if isinstance(label, int) else label  # of a form in a list of steps
        found = (each for each in self._shown.values() if any(c.id == wanted for c in each.seen.controls))
        return next(found, None)

    def _forget_all_but(self, windows: Set[str]) -> None:
        """Forget observations of closed windows."""
        there = [shown for handle, shown in self._shown.items() if handle in windows]
        kept = windows | {shown.seen.window.handle for shown in there}
        self._shown = {handle: shown for handle, shown in self._shown.items() if handle in kept}
        self._labellers = {handle: labeller for handle, labeller in self._labellers.items() if handle in kept}
        self._listed = {handle: seen for handle, seen in self._listed.items() if handle in kept}

    async def _observe(self, given: JsonObject, window: TargetInfo) -> Answer:
        screenshot = _taken(given, "screenshot", _SCREENSHOT)
        only_changes = bool(_taken(given, "since", _SINCE))
        result = await self._hand.act(OBSERVE, {**given, _PICTURE: screenshot != "no"}, window=window)
        if not isinstance(result.result, Observation):
            return of_failure(result)
        seen = await self._labelled(window, result.result)
        notes = [untrusted("the screen", self._report(seen, only_changes=only_changes))]
        if seen.picture is None:
            return Answer("\n".join(notes))
        picture = seen.picture
        notes += picture.reservations
        packed, lacking = await to_thread.run_sync(self._packed, seen, picture, screenshot)
        notes += [f"({lacking})"] if lacking else []
        return Answer("\n".join(notes), picture=packed)

    def _report(self, seen: Observation, *, only_changes: bool = True) -> str:
        """Return an observation as the client gets it, and note that it has it."""
        before = self._listed.get(seen.window.handle)
        self._listed[seen.window.handle] = replace(seen, picture=None)
        return changes(before, seen) if only_changes else whole(seen)

    async def first(self) -> TargetInfo:
        """Return the window of an action that names none. Raises: UsageError."""
        return (await self._window("", None, acts=True))[0]

    async def holder(self, label: JsonValue) -> TargetInfo | None:
        """Return the window of the control of this id; None if the latest observations have none."""
        shown = self._shown_with(label, {window.handle: window for window in await self._desktop.windows()})
        return shown.root if shown else None

    def seen(self, window: TargetInfo) -> Observation | None:
        """Return the latest observation of a window, or of a dialog in front of it."""
        if shown := self._shown.get(window.handle):
            return shown.seen
        return self._store.latest(window) if self._store else None

    async def label(self, window: TargetInfo, observation: Observation, /) -> tuple[TargetInfo, ...]:
        """Give the controls of a new observation their ids, and make it the latest of the window."""
        return (await self._labelled(window, observation)).controls

    async def _labelled(self, window: TargetInfo, observation: Observation) -> Observation:
        controls = await self._store.label(observation) if self._store else self._own_ids(observation)
        seen = replace(observation, controls=controls)
        shown = _Shown(window, replace(seen, picture=None))
        self._shown[window.handle] = self._shown[seen.window.handle] = shown
        self._latest = seen.window.handle
        return seen

    def _own_ids(self, observation: Observation) -> tuple[TargetInfo, ...]:
        labeller = self._labellers.setdefault(observation.window.handle, Labeller())
        labeller.go_on(observation.window, self._ids.last)
        controls = labeller.label(observation)
        self._ids.last = labeller.last
        return controls

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
            return of_failure(result)
        if isinstance(value, Picture):
            left, top, right, bottom = value.rect.to_list()
            told = [f"screen pixels {left},{top} to {right},{bottom}", *value.reservations, result.evidence]
            return Answer("\n".join(filter(None, told)), picture=await to_thread.run_sync(encode_for_model, value))
        return of_value(name, _json(value), result.evidence)


def _offered(spec: ToolSpec) -> OfferedTool:
    schema = served_schema(spec.parameters)
    properties = schema.get("properties")
    own = dict(properties) if isinstance(properties, dict) else {}
    if spec.name not in _OF_THE_DESKTOP and not of_desktop(spec, {}):
        own.setdefault("window", _WINDOW)
    if spec.name == OBSERVE:
        own["screenshot"] = _SCREENSHOT
        own["since"] = _SINCE
        del own[_PICTURE]
    reads = spec.effect_class in _READS
    may_destroy = spec.effect_class not in _CHANGES_NOTHING_KEPT
    return OfferedTool(spec.name, _described(spec), {**schema, "properties": own}, reads, may_destroy)


def _described(spec: ToolSpec) -> str:
    if spec.name == OBSERVE:
        return f"{spec.description} Gives the list of its controls, one a line, with the ids that other tools take."
    if spec.takes_target and AgentKind.HOST in spec.audience:
        return f"{spec.description} `id`: the window's id or title."
    return spec.description


def _acts(spec: ToolSpec) -> bool:
    return spec.tool_type is ToolType.ACTION and spec.effect_class is not EffectClass.NONE


def _taken_window(given: JsonObject, spec: ToolSpec) -> str:
    """The window of a call: none where the tool has an argument of this name for itself. Raises: ReplyDefect."""
    own = spec.parameters.get("properties")
    return "" if isinstance(own, dict) and "window" in own else _taken(given, "window", _WINDOW)


def _taken(given: JsonObject, name: str, schema: JsonObject) -> str:
    """An argument of the server, not of the tool. Raises: ReplyDefect."""
    value = given.pop(name, schema.get("default", ""))
    choices = schema.get("enum")
    if not isinstance(value, str) or (isinstance(choices, list) and value not in choices):
        wanted = f"one of {', '.join(map(str, choices))}" if isinstance(choices, list) else "a text"
        raise ReplyDefect(f"{name}: should be {wanted}, not {value!r}")
    return value


def _control(shown: _Shown | None, label: str) -> TargetInfo:
    """Raises: ElementNotFound."""
    if shown is None:
        raise ElementNotFound(
            f"this client has observed nothing yet, so that no control has the id {label!r}", fix=_LOOK_FIRST
        )
    found = next((control for control in shown.seen.controls if control.id == label), None)
    if found is None:
        raise ElementNotFound(
            f'the latest observation of "{shown.seen.window.name}" has no control {label!r}', fix=_LOOK
        )
    return found


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
