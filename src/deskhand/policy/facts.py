"""The facts of an action: computed by the program, never taken from a model's words (contract 2.4, 4.6)."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from deskhand.core.command import Command, EffectClass, ToolSpec
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.ports import ActionFacts
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind, is_marked_unsaved
from deskhand.desktop.applications import KnownApplication
from deskhand.policy.messages import message_of
from deskhand.policy.pressed import acts_as, at_point, by_keys
from deskhand.policy.rules import UNKNOWN_EFFECT, Mark

_PATH_ARGUMENTS = ("path", "file", "document", "output", "folder")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'<>{}]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret and the applications it may be typed into. Messages never contain it."""

    name: str
    value: str = field(repr=False)
    applications: frozenset[str]

    def is_for(self, application: str) -> bool:
        return application.casefold() in {name.casefold() for name in self.applications}


def _is_there(path: Path) -> bool:
    """Return whether a file exists; True where that cannot be determined."""
    try:
        return path.exists()
    except OSError:
        return True


def _no_file(window: TargetInfo) -> Path | None:  # noqa: ARG001 - where nobody knows
    return None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The session data that facts are computed from.

    `tool` finds a tool in the catalogue. `launched` returns the application that a launch by name, or of a file,
    starts, and None where the launching tool will refuse (no `launched`: each name is the identity of an application).
    `named_applications` are the identities that the configuration or the caller named; `named_in_requests` adds those
    of the requests so far, and `requests` returns these. `exists` checks for a file, `file_of` returns a window's file.
    """

    tool: Callable[[str], ToolSpec | None]
    launched: Callable[[str, str], KnownApplication | None] | None = None
    named_applications: frozenset[str] = frozenset()
    named_in_requests: Callable[[], frozenset[str]] = frozenset
    requests: Callable[[], str] = str
    secrets: tuple[Secret, ...] = ()
    exists: Callable[[Path], bool] = _is_there
    file_of: Callable[[TargetInfo], Path | None] = _no_file


def facts_of(command: Command, target: TargetInfo | None, known: Surroundings) -> ActionFacts:
    """Return the facts of this command on this target as it is now."""
    spec = known.tool(command.tool_name)
    arguments = _with_defaults(command.parameters, spec)
    launched = _launched(arguments, known) if spec is not None and spec.effect_class is EffectClass.LAUNCH else None
    application = _application(command, target) if launched is None else launched.reported
    paths = tuple(path for key in _PATH_ARGUMENTS if isinstance(path := arguments.get(key), str) and path)
    role, name, as_pressed = _control(command, target)
    window = _window(command, target)
    texts = list(_texts(arguments))
    return ActionFacts(
        tool=command.tool_name,
        arguments={key: _masked(value, known.secrets) for key, value in arguments.items()},
        effect_class=_effect_class(spec, arguments, paths, known, command.window),
        application=application,
        window=window,
        control_role=role,
        control_name=name,
        acts_as=as_pressed,
        message=message_of(command, target),
        request=known.requests(),
        paths=paths,
        hosts=tuple(sorted({host for text in texts for host in _hosts(text)})),
        marks=tuple(_marks(launched, application, window, texts, known)),
        fingerprint=_action_fingerprint(command, target, application),
    )


def facts_of_pressed(facts: ActionFacts, command: Command, target: TargetInfo | None) -> Iterator[ActionFacts]:
    """Yield the facts of an action for each other control that it may press: at its point, or by its keys."""
    if command.seen is None:
        return
    for each in (*at_point(command, command.seen), *by_keys(command, command.seen, target)):
        if target is None or each.handle != target.handle:
            fingerprint = _action_fingerprint(command, each, facts.application)
            role, name, as_pressed = _control(command, each)
            yield replace(facts, control_role=role, control_name=name, acts_as=as_pressed, fingerprint=fingerprint)


def _control(command: Command, target: TargetInfo | None) -> tuple[str, str, str]:
    """Return role, name and `acts_as` of the control that is acted on; empty for none."""
    if target is None or target.kind is TargetKind.WINDOW:
        return "", "", ""
    return _control_role(target), target.name, acts_as(command, target)


def _control_role(target: TargetInfo) -> str:
    """Return the role to judge by: a control found only in a picture may be a button, whatever its guessed role."""
    return Role.BUTTON if target.sighting else target.type


def target_identity(target: TargetInfo | None) -> list[str]:
    """Return the identity of a target, its handle last; empty for none."""
    if target is None:
        return []
    found = target.fingerprint or Fingerprint(target.type, target.name)
    return [found.role, found.name, *found.path, found.window, *found.record, target.handle]


def _action_fingerprint(command: Command, target: TargetInfo | None, application: str) -> str:
    """Return the same text for the same action proposed again: tool, arguments, application, target (contract 2.2).

    A target is identified by its fingerprint, not by its present label.
    """
    pointers = {"id", "name"} if target is not None else set[str]()
    arguments = {key: value for key, value in command.parameters.items() if key not in pointers}
    parts = [command.tool_name, arguments, application, target_identity(target)[:-1]]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _with_defaults(parameters: JsonObject, spec: ToolSpec | None) -> JsonObject:
    """Return the arguments with the defaults of the tool's schema."""
    properties = spec.parameters.get("properties") if spec is not None else None
    if not isinstance(properties, dict):
        return dict(parameters)
    defaults = {
        key: item["default"]
        for key, item in properties.items()
        if isinstance(item, dict) and item.get("default") is not None
    }
    return {**defaults, **parameters}


@dataclass(frozen=True, slots=True)
class _Launched:
    """The application that a launch starts: `reported` by its windows as their application. The identity is empty for
    none.
    """

    identity: str
    reported: str


def _launched(arguments: JsonObject, known: Surroundings) -> _Launched:
    name, file = str(arguments.get("application") or ""), str(arguments.get("file") or "")
    if known.launched is None:
        return _Launched(name or file, name)
    found = known.launched(name, file)
    return _Launched("", name) if found is None else _Launched(found.id, found.application.name)


def _application(command: Command, target: TargetInfo | None) -> str:
    for window in (target, command.window, command.seen.window if command.seen else None):
        if window is not None and window.application:
            return window.application
    return ""


def _window(command: Command, target: TargetInfo | None) -> str:
    if target is not None and target.kind is TargetKind.WINDOW:
        return target.name
    window = command.seen.window if command.seen is not None else command.window
    return window.name if window is not None else ""


def _effect_class(
    spec: ToolSpec | None,
    arguments: JsonObject,
    paths: tuple[str, ...],
    known: Surroundings,
    window: TargetInfo | None,
) -> str:
    """Return the tool's effect class, narrowed by the arguments.

    A relative path is resolved by the application, where it cannot be checked: it counts as an existing file. Saving
    over the file of the window is saving only.
    """
    if spec is None:
        return UNKNOWN_EFFECT
    if spec.effect_class is not EffectClass.CREATE_FILE:
        return spec.effect_class
    overwrite = arguments.get("overwrite")
    if arguments.get("create") is False and overwrite is not True:
        return EffectClass.NAVIGATE
    if overwrite is False:
        return EffectClass.CREATE_FILE  # the tool refuses an existing file
    places = [Path(path).expanduser() for path in paths]
    shown = known.file_of(window) if window is not None else None
    overwrites = any(place != shown and (not place.is_absolute() or known.exists(place)) for place in places)
    return EffectClass.OVERWRITE_FILE if overwrites else EffectClass.CREATE_FILE


def _marks(
    launched: _Launched | None, application: str, window: str, texts: list[str], known: Surroundings
) -> Iterator[Mark]:
    names = {name.casefold() for name in known.named_applications | known.named_in_requests()}
    if launched is not None and launched.identity and launched.identity.casefold() not in names:
        yield Mark.UNNAMED_APPLICATION
    typed = [secret for secret in known.secrets if secret.value and any(secret.value in text for text in texts)]
    if any(not secret.is_for(application) for secret in typed):
        yield Mark.FOREIGN_SECRET
    if is_marked_unsaved(window):
        yield Mark.UNSAVED_WORK


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)


def _hosts(text: str) -> Iterator[str]:
    for address in _ADDRESS.finditer(text):
        try:
            host = urlsplit(address[0]).hostname
        except ValueError:
            continue
        if host:
            yield host


def _masked(value: JsonValue, secrets: tuple[Secret, ...]) -> JsonValue:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret.value, f"<secret {secret.name}>") if secret.value else value
        return value
    if isinstance(value, list):
        return [_masked(item, secrets) for item in value]
    if isinstance(value, dict):
        return {key: _masked(item, secrets) for key, item in value.items()}
    return value
