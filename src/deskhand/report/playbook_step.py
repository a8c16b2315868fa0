"""One step of a playbook, made from an action that a session carried out: tool, control, arguments, expectation."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from deskhand.commands.secret_texts import TYPED, Hiding, arguments_of
from deskhand.core.events import ActionFinished, TargetData
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import literal_name
from deskhand.core.replies import Expectation, ReplyAction, Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.selectors import find_usable
from deskhand.store.log_folder import LogFolder


@dataclass(frozen=True, slots=True)
class Seen:
    """The window and the controls that a step observed, in reading order; empty if no tree was saved."""

    window: TargetInfo | None = None
    controls: tuple[TargetInfo, ...] = ()


@dataclass(slots=True)
class SessionTexts:
    """Texts of a session in their form for a playbook. `passwords`: the parameters for secret ones."""

    hiding: Hiding
    passwords: dict[str, str] = field(default_factory=dict[str, str])

    def told(self, text: str) -> str:
        """Form of a text that is only shown."""
        return self.hiding.hide(text, plain=_plain)

    def done(self, text: str) -> str:
        """Form of a text that is used."""
        return self.hiding.hide(text, self.parameter, _plain)

    def parameter(self, password: str) -> str:
        """Parameter for a text that was, or may have been, typed into a password field."""
        fresh = f"password{len(self.passwords) + 1 if self.passwords else ''}"
        return f"${{{self.passwords.setdefault(password.replace('$${', '${'), fresh)}}}"

    def argument(self, value: JsonValue) -> JsonValue:
        """An argument: saved data as `${name}`, all else unchanged."""
        match value:
            case {"from": str(source)} if len(value) == 1:
                return f"${{{source}}}"
            case dict():
                return {name: self.argument(part) for name, part in value.items()}
            case list():
                return [self.argument(part) for part in value]
            case str():
                return self.done(value)
            case _:
                return value

    def expected(self, expect: Expectation) -> JsonObject:
        """An expectation, with a literal `${…}` escaped."""
        written: JsonObject = expect.model_dump(mode="json", exclude_defaults=True)
        return {name: value if name == "effect" else self._expected(value) for name, value in written.items()}

    def _expected(self, value: JsonValue) -> JsonValue:
        match value:
            case dict():
                return {name: self._expected(part) for name, part in value.items()}
            case list():
                return [self._expected(part) for part in value]
            case str():
                return self.hiding.hide(value, self.parameter)
            case _:
                return value


def step_of(
    action: ReplyAction, results: Sequence[ActionFinished], seen: Seen, texts: SessionTexts, *, expects: bool
) -> JsonObject:
    """The step that repeats an action, as a playbook has it.

    `results`: its result, or those of the parts of a compound tool that worked. `seen`: its step's observation.
    `expects`: with the action's expectation.
    """
    step: JsonObject = {"tool": action.function}
    if results[0].part_of:
        step["args"] = {"values": _filled(action, results, seen, texts)}
    else:
        if (target := results[0].target) is not None:
            step["on"] = selector_of(target, seen, texts)
        if args := _arguments(action, results[0], texts):
            step["args"] = args
    if action.save_as:
        step["save_as"] = action.save_as
    if action.expect is not None and expects:
        step["expect"] = texts.expected(action.expect)
    return step


def _arguments(action: ReplyAction, result: ActionFinished, texts: SessionTexts) -> JsonObject:
    given = {name: value for name, value in action.args.items() if name not in {"id", "name"}}
    typed_here = TYPED & {*given} if result.is_secret else set[str]()
    args = {name: texts.argument(value) for name, value in given.items() if name not in typed_here}
    if typed_here:
        typed = {name: _plain(value) if isinstance(value, str) else value for name, value in result.arguments.items()}
        hidden = arguments_of(result.model_copy(update={"arguments": typed}), texts.parameter)
        args |= {name: value for name, value in hidden.items() if name in typed_here}
    return args


def _filled(action: ReplyAction, parts: Sequence[ActionFinished], seen: Seen, texts: SessionTexts) -> list[JsonValue]:
    """The values of a form, each with the selector of its control."""
    given = action.args.get("values")
    values = {str(each.get("id")): each for each in given if isinstance(each, dict)} if isinstance(given, list) else {}
    filled: list[JsonValue] = []
    for part in parts:
        if part.target is None or part.target.id not in values:
            continue
        value = values[part.target.id].get("value")
        is_secret = part.is_secret and isinstance(value, str)
        written = texts.parameter(_plain(str(value))) if is_secret else texts.argument(value)
        filled.append({"on": selector_of(part.target, seen, texts), "value": written})
    return filled


def selector_of(target: TargetData, seen: Seen, texts: SessionTexts) -> JsonObject:
    """Selector of this target, unique among all controls observed with it."""
    name = literal_name(target.name)
    selector: JsonObject = {"role": target.role}
    if name:
        selector["name"] = texts.done(name)
    alike = find_usable(Selector(role=target.role, name=name), seen.controls)
    here = [number for number, node in enumerate(alike, start=1) if node.rect.to_list() == target.rect]
    if len(alike) > 1 and len(here) == 1:
        selector["nth"] = here[0]
    return selector


def observed_in(session_dir: Path, step: int) -> Seen:
    """The observation of a step, from its tree in the session's folder."""
    path = LogFolder(session_dir).ui_tree(step)
    if not path.is_file():
        return Seen()
    tree = cast("JsonObject", json.loads(path.read_text("utf-8")))
    window = _target(cast("JsonObject", tree["window"]), TargetKind.WINDOW, "w", "")
    return Seen(window, tuple(_below(tree, window.handle)))


def _below(node: JsonObject, handle: str) -> Sequence[TargetInfo]:
    found: list[TargetInfo] = []
    for number, child in enumerate(cast("list[JsonObject]", node["children"])):
        here = _target(child, TargetKind.CONTROL, f"{handle}.{number}", handle)
        found += [here, *_below(child, here.handle)]
    return found


def _target(node: JsonObject, kind: TargetKind, handle: str, parent: str) -> TargetInfo:
    return TargetInfo(
        kind,
        str(node["name"]),
        Role(str(node["role"])),
        Rect(*cast("list[int]", node["rect"])),
        value=str(node["value"]),
        states=frozenset(cast("list[str]", node["states"])),
        handle=handle,
        parent=parent,
    )


def _plain(text: str) -> str:
    """A text without `${…}` to fill in."""
    return text.replace("${", "$${")
