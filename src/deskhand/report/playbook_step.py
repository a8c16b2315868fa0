"""One step of a playbook, made from an action that a session carried out: tool, control, arguments, expectation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from deskhand.commands.secret_texts import TYPED, Hiding, arguments_of
from deskhand.core.events import ActionFinished, Event, SessionStarted, TargetData
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import literal_name
from deskhand.core.replies import Expectation, ReplyAction, Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, comparable_name
from deskhand.models.selectors import find_usable
from deskhand.report.stable_names import StableNames
from deskhand.store.log_folder import LogFolder

_WINDOWS: Final = frozenset({Role.WINDOW, Role.DIALOG})
_CONTENT: Final = frozenset({Role.DOCUMENT, Role.TABLE})
_UNLISTED: Final = "other_pages_unlisted"


@dataclass(frozen=True, slots=True)
class Seen:
    """The window and the controls that a step observed, in reading order; empty if no tree was saved."""

    window: TargetInfo | None = None
    controls: tuple[TargetInfo, ...] = ()


@dataclass(slots=True)
class SessionTexts:
    """Texts of a session in their form for a playbook.

    `own`: the parameters of a playbook session, as given; `passwords`: the parameters for secret texts.
    """

    hiding: Hiding
    names: StableNames = field(default_factory=StableNames)
    own: Mapping[str, str] = field(default_factory=dict[str, str])
    passwords: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, events: Sequence[Event]) -> "SessionTexts":
        """The texts of these events."""
        started = next((event for event in events if isinstance(event, SessionStarted)), None)
        return cls(Hiding(events), StableNames.of(events), started.parameters if started else {})

    def told(self, text: str) -> str:
        """Form of a text that is only shown."""
        return self.hiding.hide(text, plain=_plain)

    def done(self, text: str) -> str:
        """Form of a text that is used."""
        return self.hiding.hide(text, self.parameter, _plain)

    def parameter(self, password: str) -> str:
        """Parameter for a text that was, or may have been, typed into a password field."""
        password = password.replace("$${", "${")
        own = next((name for name, value in self.own.items() if value == password), "")
        fresh = own or f"password{len(self.passwords) + 1 if self.passwords else ''}"
        return f"${{{self.passwords.setdefault(password, fresh)}}}"

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
    """Selector of this target, unique among all controls observed with it.

    It has the role and the name, in a dialog the dialog too; if that is not enough, an ancestor, else a number.
    """
    if target.role in _WINDOWS and seen.window is None:
        return _written(Selector(role=target.role, name=texts.names.wanted_title(target.name)), texts)
    control = _observed(target, seen)
    dialog = _dialog(seen, control, texts.names)
    exactly = Selector(role=target.role, name=literal_name(target.name), within=dialog)
    if control is None:
        return _written(exactly, texts)
    unique = (each for each in _candidates(control, exactly, seen, texts.names) if _is_only(each, control, seen))
    return _written(next(unique, None) or _numbered(exactly, control, seen), texts)


def selectors_of(control: TargetInfo, seen: Seen, names: StableNames) -> tuple[Selector, Selector | None]:
    """The best selector of an observed control, and a second one that does not depend on its name; None without one.

    The first may match several, where nothing but its place distinguishes them.
    """
    dialog = _dialog(seen, control, names)
    exactly = Selector(role=control.type, name=literal_name(control.name), within=dialog)
    unique = (each for each in _candidates(control, exactly, seen, names) if _is_only(each, control, seen))
    best = next(unique, None) or _numbered(exactly, control, seen)
    if not best.name:
        return best, None
    nameless = Selector(role=control.type, within=dialog)
    around = [_in_dialog(each, dialog) for each in _around(control, seen, names) if each.name]
    inside = [nameless.model_copy(update={"within": each}) for each in around] + [nameless]
    second = next((each for each in inside if _is_only(each, control, seen)), None)
    return best, second or _numbered(inside[0], control, seen)


def _is_only(selector: Selector, control: TargetInfo, seen: Seen) -> bool:
    return find_usable(selector, seen.controls, seen.window) == (control,)


def _numbered(selector: Selector, control: TargetInfo, seen: Seen) -> Selector:
    """The selector with the number of the control among those that match."""
    alike = find_usable(selector, seen.controls, seen.window)
    number = alike.index(control) + 1 if control in alike and len(alike) > 1 else None
    return selector.model_copy(update={"nth": number})


def _observed(target: TargetData, seen: Seen) -> TargetInfo | None:
    """The one observed control that is the target."""
    here = [each for each in seen.controls if each.type == target.role and each.rect.to_list() == target.rect]
    named = [each for each in here if comparable_name(each.name) == comparable_name(target.name)]
    return named[0] if len(named) == 1 else None


def _candidates(control: TargetInfo, exactly: Selector, seen: Seen, names: StableNames) -> Iterator[Selector]:
    """Selectors that may identify a control, the best first."""
    stable = exactly.model_copy(update={"name": _stable_name(control, seen, names)})
    for base in dict.fromkeys((stable, exactly)):
        yield base
        for around in _around(control, seen, names):
            if around != base.within:
                yield _in_dialog(base, _in_dialog(around, base.within))


def _stable_name(control: TargetInfo, seen: Seen, names: StableNames) -> str:
    """The wanted name of a control; none for the only table or document, whose name is most often the document's."""
    if control.type in _CONTENT and not any(_UNLISTED in each.states for each in seen.controls):
        return ""
    return names.wanted(control.name) or literal_name(control.name)


def _around(control: TargetInfo, seen: Seen, names: StableNames) -> list[Selector]:
    """Ancestors as selectors, from the inside out: those with a name first, as their role alone says less."""
    by_handle = {each.handle: each for each in seen.controls}
    chain: list[TargetInfo] = []
    while (parent := by_handle.get((chain[-1] if chain else control).parent)) is not None:
        chain.append(parent)
    named = [Selector(role=each.type, name=name) for each in chain if (name := names.wanted(each.name))]
    return [*named, *(Selector(role=each.type) for each in chain if not each.name)]


def _dialog(seen: Seen, control: TargetInfo | None, names: StableNames) -> Selector | None:
    """The dialog around a control, or the observed one."""
    by_handle = {each.handle: each for each in seen.controls}
    while control is not None and (control := by_handle.get(control.parent)) is not None:
        if control.type is Role.DIALOG:
            return Selector(role=Role.DIALOG, name=names.wanted(control.name))
    if seen.window is None or seen.window.type is not Role.DIALOG:
        return None
    return Selector(role=Role.DIALOG, name=names.wanted(seen.window.name))


def _in_dialog(selector: Selector, dialog: Selector | list[str] | None) -> Selector:
    return selector.model_copy(update={"within": dialog})


def _written(selector: Selector, texts: SessionTexts) -> JsonObject:
    """A selector as a playbook has it, with secret texts as parameters."""
    fields: JsonObject = selector.model_dump(mode="json", exclude_defaults=True)
    return {name: _done(part, texts) for name, part in fields.items()}


def _done(value: JsonValue, texts: SessionTexts) -> JsonValue:
    match value:
        case str():
            return texts.done(value)
        case dict():
            return {name: _done(part, texts) for name, part in value.items()}
        case _:
            return value


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
