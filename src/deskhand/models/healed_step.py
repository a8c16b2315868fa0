"""A model's action as a step of a playbook: the control by a selector, the values as `${…}` where the step had them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deskhand.core.command import Needed, ToolSpec
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ModelRequest
from deskhand.core.patterns import is_pattern, literal_name
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.models.placeholder_values import as_text, filled_selector
from deskhand.models.placeholders import UnknownValue, Values, is_path, look_up, references
from deskhand.models.section_position import MENUS, Place
from deskhand.models.selectors import find, find_usable

_LEAST: Final = 2
"""Characters of a value that is looked for in a text."""


class Unwritable(Exception):
    """An action that no step of a playbook can repeat; the message is the reason."""


def written_step(
    function: str, target: TargetInfo | None, given: JsonObject | None, place: Place, request: ModelRequest
) -> JsonObject:
    """The action that does the step of a place, as tool, `on` and `args`. `given` None: the step's own arguments.

    Raises: Unwritable, with the reason.
    """
    step = place.step
    if isinstance(step.on, str):
        raise Unwritable(f"its target is the parameter {step.on}; give that another value")
    words = _Words(place)
    args = dict(step.args or {}) if given is None else words.arguments(given, request)
    written = _call(function, target, args, given, request)
    if target is not None:
        written["on"] = _selector(target, request, words, step.on)
    lost = set(_of_step(place)) - {*references(written.get("args")), *references(written.get("on"))}
    if lost:
        raise Unwritable(f"its values of {', '.join(f'${{{path}}}' for path in sorted(lost))} are written out")
    return written


def written_on_the_way(
    function: str, target: TargetInfo | None, given: JsonObject, place: Place, request: ModelRequest
) -> JsonObject:
    """An action on the way to a step, as a step with the condition that its control, or its dialog, is visible.

    Raises: Unwritable, with the reason.
    """
    words = _Words(place)
    written = _call(function, target, words.arguments(given, request), given, request)
    shows: JsonObject
    if target is not None:
        shows = written["on"] = _selector(target, request, words, None)
    elif request.window is not None and request.window.type is Role.DIALOG:
        dialog: JsonObject = {"role": Role.DIALOG.value, "name": _plain(literal_name(request.window.name))}
        shows = {"within": dialog, "nth": "first"}
    else:
        raise Unwritable(f"{function} on the way to it has no control by which to tell when it is needed")
    when: JsonObject = {"shows": shows}
    return {**written, "when": when}


def _call(
    function: str, target: TargetInfo | None, args: JsonObject, given: JsonObject | None, request: ModelRequest
) -> JsonObject:
    spec = next((tool for tool in request.tools if tool.name == function), None)
    if _is_by_point(spec, args):
        raise Unwritable(f"{function} was aimed at a point of the window, not at a control")
    if given and _types_password(target, request) and not references(list(given.values())):
        raise Unwritable(f"{function} typed into a password field; make what it types a parameter")
    return {"tool": function, **({"args": args} if args else {})}


def _is_by_point(spec: ToolSpec | None, args: Mapping[str, JsonValue]) -> bool:
    return (spec is not None and spec.needs is Needed.PICTURE) or bool({"x", "start_x"} & {*args})


def _types_password(target: TargetInfo | None, request: ModelRequest) -> bool:
    if target is not None:
        return target.type is Role.PASSWORD
    return any(control.type is Role.PASSWORD and "focused" in control.states for control in request.controls)


def _of_step(place: Place) -> Iterator[str]:
    """The `${…}` in the target and the arguments of a step."""
    step = place.step
    yield from references(dict(step.args or {}))
    if isinstance(step.on, Selector):
        yield from references(step.on.model_dump(mode="json"))


class _Words:
    """Texts of an action with values as `${…}`: those that the step itself names, then parameters and row values."""

    def __init__(self, place: Place) -> None:
        self.values = place.values
        self._own = {text: path for path in _of_step(place) if (text := _value(path, place.values))}
        self._others = _known(place)

    def text(self, text: str) -> str:
        """An argument: a known value is a reference, and so is each value in it that the step names too."""
        if references(text):  # the model wrote them
            return text
        return f"${{{self._others[text]}}}" if text in self._others and text not in self._own else self.name(text)

    def name(self, text: str) -> str:
        """The name of a control: each value in it that the step names too is a reference."""
        if text in self._own:
            return f"${{{self._own[text]}}}"
        written = _plain(text)
        for value in sorted(self._own, key=len, reverse=True):
            if len(value) >= _LEAST:
                written = written.replace(_plain(value), f"${{{self._own[value]}}}")
        return written

    def arguments(self, given: JsonObject, request: ModelRequest) -> JsonObject:
        return {name: self._argument(value, request) for name, value in given.items()}

    def _argument(self, value: JsonValue, request: ModelRequest) -> JsonValue:
        match value:
            case {"from": str(source)} if len(value) == 1:
                return f"${{{source}}}"
            case {"id": id_, "value": set_to}:
                return {"on": self._control(id_, request), "value": self._argument(set_to, request)}
            case dict():
                return {name: self._argument(part, request) for name, part in value.items()}
            case list():
                return [self._argument(part, request) for part in value]
            case str():
                return self.text(value)
            case _:
                return value

    def _control(self, label: JsonValue, request: ModelRequest) -> JsonObject:
        control = next((control for control in request.controls if control.id == str(label)), None)
        if control is None:
            raise Unwritable(f"a control of it has the id {label!r}, which is not listed")
        return _selector(control, request, self, None)


def _known(place: Place) -> dict[str, str]:
    """The path of each text among parameters, saved texts and the values of the row; none where it is ambiguous."""
    found: dict[str, list[str]] = {}
    for name, value in place.values.items():
        parts = {name: value} if isinstance(value, str) else {}
        if isinstance(value, dict):
            parts = {_below(name, column): part for column, part in value.items() if isinstance(part, str)}
        for path, text in parts.items():
            if len(text) >= _LEAST and is_path(path):
                found.setdefault(text, []).append(path)
    return {text: paths[0] for text, paths in found.items() if len(paths) == 1}


def _below(name: str, column: str) -> str:
    return f"{name}.{column}" if column.isascii() and column.isalnum() else f"{name}[{column}]"


def _value(path: str, values: Values) -> str:
    try:
        return as_text(look_up(path, values))
    except UnknownValue:
        return ""


def _plain(text: str) -> str:
    """A text without `${…}` to fill in."""
    return text.replace("${", "$${")


def _selector(target: TargetInfo, request: ModelRequest, words: _Words, like: Selector | None) -> JsonObject:
    """A selector that finds this target alone, of the form of the step's own where that does. Raises: Unwritable."""
    name = literal_name(target.name)
    own = Selector(role=target.type.value, name=_plain(name) if is_pattern(name) else words.name(name))
    for candidate in _candidates(target, own, request, like):
        found = find(filled_selector(candidate, words.values), request.controls, request.window)
        if isinstance(found, TargetInfo) and found.id == target.id:
            written: JsonObject = candidate.model_dump(mode="json", exclude_defaults=True)
            return written
    raise Unwritable(f"no selector finds {target.describe} alone")


def _candidates(target: TargetInfo, own: Selector, request: ModelRequest, like: Selector | None) -> Iterator[Selector]:
    around = list(_named_ancestors(target, request.controls))
    menus = [_plain(literal_name(item.name)) for item in reversed(around) if item.type.value in MENUS]
    if like is not None and like.within:
        yield own.model_copy(update={"within": like.within})
    if menus and target.type.value.startswith("menuitem"):
        yield own.model_copy(update={"within": menus})
    yield own
    for item in around:
        within = Selector(role=item.type.value, name=_plain(literal_name(item.name)))
        yield own.model_copy(update={"within": within})
    bare = Selector(role=target.type.value, name=literal_name(target.name))
    for number, control in enumerate(find_usable(bare, request.controls, request.window), start=1):
        if control.id == target.id:
            yield own.model_copy(update={"nth": number})


def _named_ancestors(target: TargetInfo, controls: Sequence[TargetInfo]) -> Iterator[TargetInfo]:
    """From the inside out."""
    by_handle = {control.handle: control for control in controls if control.handle}
    seen = {target.handle}
    inner = target
    while (parent := by_handle.get(inner.parent)) is not None and parent.handle not in seen:
        seen.add(parent.handle)
        if parent.name:
            yield parent
        inner = parent
