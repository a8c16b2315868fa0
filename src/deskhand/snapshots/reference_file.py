"""References as YAML files, which a person reads and edits."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from deskhand.config.yaml_values import Located, Source
from deskhand.core.errors import ConfigurationError
from deskhand.core.geometry import Rect
from deskhand.core.patterns import compile_pattern, is_pattern, require_role
from deskhand.core.replies import Selector
from deskhand.snapshots.reference import Control, Reference
from deskhand.store.atomic_files import write_atomic

_KEYS: Final = ("window", "size", "tolerance_px", "tolerance_percent", "ignore", "controls")
_CONTROL_KEYS: Final = ("role", "name", "value", "states", "place", "controls")
_ABOUT: Final = (
    "# A window as it should be. Names and values may be patterns, /…/; `ignore` lists controls that are not compared,",
    "# such as {role: label, name: /^Time/}. Places are left, top, width, height in the window, in pixels.",
)
_FIX: Final = "correct it, or remove it and make it anew: deskhand verify --like FILE --update"


def read_reference(path: Path) -> Reference | None:
    """The reference in a file; None if there is none. Raises: ConfigurationError (it is not valid)."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}", fix=_FIX) from error
    source = Source(path.name)
    root = source.parse(text)
    found = _reference(source, root) if root is not None else None
    if source.problems or found is None:
        problems = "\n".join(source.problems) or f"{path.name} is empty"
        raise ConfigurationError(f"{path} is no reference of a window: {problems}", fix=_FIX)
    return found


def _reference(source: Source, root: Located) -> Reference:
    entries = source.mapping(root, "a reference", _KEYS, ("size", "controls"))
    width, height = (_numbers(source, entries.get("size"), "size", 2) or (0, 0))[:2]
    defaults = Reference("", (0, 0), ())
    return Reference(
        window=source.text(entries.get("window"), "window"),
        size=(width, height),
        controls=_controls(source, entries.get("controls")),
        ignore=tuple(_selectors(source, entries.get("ignore"))),
        tolerance_px=round(_number(source, entries, "tolerance_px", defaults.tolerance_px)),
        tolerance_percent=_number(source, entries, "tolerance_percent", defaults.tolerance_percent),
    )


def _number(source: Source, entries: dict[str, Located], key: str, default: float) -> float:
    node = entries.get(key)
    if node is None:
        return default
    if isinstance(node.value, int | float) and not isinstance(node.value, bool) and node.value >= 0:
        return node.value
    source.complain(node.line, f"{key} must be a number, 0 or more")
    return default


def _numbers(source: Source, node: Located | None, key: str, count: int) -> tuple[int, ...]:
    """As many whole numbers; none, with a complaint, for anything else."""
    if node is None:
        return ()
    values = [item.value for item in node.value] if isinstance(node.value, list) else []
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if len(numbers) == len(values) == count:
        return tuple(numbers)
    source.complain(node.line, f"{key} must be a list of {count} whole numbers")
    return ()


def _controls(source: Source, node: Located | None) -> tuple[Control, ...]:
    if node is None or node.value is None:
        return ()
    return tuple(_control(source, item) for item in source.items(node, "controls"))


def _control(source: Source, node: Located) -> Control:
    entries = source.mapping(node, "a control", _CONTROL_KEYS, ("role", "place"))
    left, top, width, height = _numbers(source, entries.get("place"), "place", 4) or (0, 0, 0, 0)
    role = source.text(entries.get("role"), "role")
    _check(source, node, lambda: require_role(role))
    return Control(
        role=role,
        name=_words(source, entries.get("name"), "name"),
        value=_words(source, entries.get("value"), "value"),
        states=frozenset(source.texts(entries.get("states"), "states")),
        place=Rect.from_extents(left, top, width, height),
        children=_controls(source, entries.get("controls")),
    )


def _words(source: Source, node: Located | None, key: str) -> str:
    """A text or pattern. A number is read as it is written."""
    if node is not None and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return str(node.value)
    text = source.text(node, key)
    if node is not None and is_pattern(text):
        _check(source, node, lambda: compile_pattern(text))
    return text


def _selectors(source: Source, node: Located | None) -> Iterator[Selector]:
    if node is None or node.value is None:
        return
    for item in source.items(node, "ignore"):
        try:
            yield Selector.model_validate(item.plain())
        except ValidationError as error:
            source.complain(item.line, f"ignore: {error.errors()[0]['msg']}")


def _check(source: Source, node: Located, check: Callable[[], object]) -> None:
    try:
        check()
    except ValueError as error:
        source.complain(node.line, str(error))


def reference_text(reference: Reference, earlier: str = "") -> str:
    """The file of a reference. The settings and comments above `controls:` are those of the earlier text, if any."""
    head = _earlier_head(reference, earlier) or _new_head(reference)
    return "\n".join([*head, "controls:", *_lines(reference.controls, "  "), ""])


def write_reference(path: Path, reference: Reference) -> None:
    """Write a reference, under the settings and comments of the file that is there. Raises: StoreError."""
    earlier = path.read_text(encoding="utf-8") if path.exists() else ""
    write_atomic(path, reference_text(reference, earlier).encode(), doing="write the reference to")


def _new_head(reference: Reference) -> list[str]:
    return [
        *_ABOUT,
        *_facts(reference),
        f"tolerance_px: {reference.tolerance_px}",
        f"tolerance_percent: {reference.tolerance_percent:g}",
        "ignore: []",
    ]


def _earlier_head(reference: Reference, earlier: str) -> list[str]:
    """The lines above the controls, with the present title and size; none where they cannot be separated."""
    lines = earlier.splitlines()
    if "controls:" not in lines:
        return []
    is_open = not reference.window or is_pattern(reference.window)  # then the line stays as it was written
    now = {line.split(":")[0]: line for line in _facts(reference)[is_open:]}
    return [now.get(line.split(":")[0], line) for line in lines[: lines.index("controls:")]]


def _facts(reference: Reference) -> list[str]:
    return [f"window: {_quoted(reference.window)}", f"size: [{reference.size[0]}, {reference.size[1]}]"]


def _lines(controls: Iterable[Control], indent: str) -> Iterator[str]:
    for control in controls:
        entries = _entries(control)
        if not control.children:
            yield f"{indent}- {{{', '.join(entries)}}}"
            continue
        yield f"{indent}- {entries[0]}"
        yield from (f"{indent}  {entry}" for entry in entries[1:])
        yield f"{indent}  controls:"
        yield from _lines(control.children, indent + "    ")


def _entries(control: Control) -> list[str]:
    place = control.place
    return [
        f"role: {control.role}",
        *([f"name: {_quoted(control.name)}"] if control.name else []),
        *([f"value: {_quoted(control.value)}"] if control.value else []),
        *([f"states: [{', '.join(sorted(control.states))}]"] if control.states else []),
        f"place: [{place.left}, {place.top}, {place.width}, {place.height}]",
    ]


def _quoted(text: str) -> str:
    """A text as JSON writes it, which YAML reads; other letters than those of ASCII stay readable."""
    return json.dumps(text, ensure_ascii=not text.isprintable())
