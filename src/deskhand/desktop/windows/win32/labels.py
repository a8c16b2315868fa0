"""Which text is the label of which field, as Windows has it and as a person sees it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from .buttons import label_text
from .nodes import Rect
from .reading import Control

_FIELDS: Final = frozenset(
    {
        "edit",
        "combobox",
        "comboboxex32",
        "listbox",
        "msctls_hotkey32",
        "msctls_progress32",
        "msctls_trackbar32",
        "msctls_updown32",
        "scintilla",
        "scrollbar",
        "sysdatetimepick32",
        "sysipaddress32",
        "syslistview32",
        "sysmonthcal32",
        "systreeview32",
    }
)
_WRAPPERS: Final = frozenset({"combobox", "comboboxex32"})
"""Controls whose inner control has their label."""

_MOST_LEFT: Final = 120
_MOST_ABOVE: Final = 24
"""Pixels between a label and a field that does not follow it."""


def with_labels(controls: Sequence[Control]) -> Iterator[Control]:
    """Yield controls, parents before children and siblings in the order of the Tab key, with their labels.

    Windows has a text label the field that follows it. A program may make them in another order: then it is the text
    on the left of a field or above it, if it is no other's label.
    """
    labels = _labels(controls)
    found: dict[int, Control] = {}
    for control in controls:
        around, label = found.get(control.parent), labels.get(control.handle)
        if around is not None and around.label and around.kind in _WRAPPERS:
            control = replace(control, label=around.label, labelled_by=around.labelled_by)  # noqa: PLW2901
        elif label is not None:
            control = replace(control, label=label_text(label), labelled_by=label.handle)  # noqa: PLW2901
        found[control.handle] = control
        yield control


def _labels(controls: Sequence[Control]) -> Mapping[int, Control]:
    """Return the label of each field that has one, by the handle of the field."""
    before: dict[int, Control] = {}
    found: dict[int, Control] = {}
    distant: list[tuple[Control, Control]] = []
    for control in controls:
        last, before[control.parent] = before.get(control.parent), control
        if last is None or not _is_field(control) or not label_text(last):
            continue
        if _gap(last.rect, control.rect) is None:
            distant.append((last, control))
        else:
            found[control.handle] = last
    used = {label.handle for label in found.values()}
    for label, field in _nearest(controls, found.keys(), used):
        if field.handle not in found and label.handle not in used:
            found[field.handle] = label
            used.add(label.handle)
    for label, field in distant:
        if field.handle not in found and label.handle not in used:
            found[field.handle] = label
    return found


def _nearest(controls: Sequence[Control], named: Iterable[int], used: Iterable[int]) -> list[tuple[Control, Control]]:
    """Return labels with fields beside them, the closest pair first."""
    fields = [each for each in controls if _is_field(each) and each.handle not in named]
    texts = [each for each in controls if label_text(each) and each.handle not in used] if fields else []
    pairs = [
        (gap, label, field)
        for field in fields
        for label in texts
        if label.parent == field.parent and (gap := _gap(label.rect, field.rect)) is not None
        if gap <= (_MOST_LEFT if _is_left(label.rect, field.rect) else _MOST_ABOVE)
    ]
    return [(label, field) for _, label, field in sorted(pairs, key=lambda pair: pair[0])]


def _gap(label: Rect, field: Rect) -> int | None:
    """Return the pixels from a label to a field on its right or below it; None if it is elsewhere."""
    if _is_left(label, field):
        return max(0, field[0] - label[2])
    crosses = label[0] < field[2] and field[0] < label[2]
    return max(0, field[1] - label[3]) if crosses and label[1] < field[1] else None


def _is_left(label: Rect, field: Rect) -> bool:
    """The label begins on the left of the field, in the same line."""
    return label[0] < field[0] and label[1] < field[3] and field[1] < label[3]


def _is_field(control: Control) -> bool:
    return control.kind in _FIELDS or control.kind.startswith("richedit")
