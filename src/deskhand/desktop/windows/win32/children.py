"""The controls inside a window that are visible, with their labels."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from . import dlls
from .buttons import label_text
from .failures import Gone
from .labels import Place, labels_of
from .reading import WS_VISIBLE, Control
from .windows import class_of, descendants, outer_rect, style_of

_PARENT: Final = 1
_EXTENDED_STYLE: Final = -20
_MIRRORED: Final = 0x400000  # WS_EX_LAYOUTRTL
_WHOLE: Final = frozenset({"sysipaddress32"})
"""Controls that are one to a user, whatever is inside."""
_DATE: Final = "sysdatetimepick32"
_ARROWS: Final = "msctls_updown32"
_WRAPPERS: Final = frozenset({"combobox", "comboboxex32"})
"""Controls whose inner control has their label."""
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
        "richedit",
        "scintilla",
        "scrollbar",
        "sysdatetimepick32",
        "sysipaddress32",
        "syslistview32",
        "sysmonthcal32",
        "systreeview32",
    }
)
"""Controls that a label names."""


def control_of(handle: int, parent: int) -> Control:
    """A window as a control of another one; 0 as the parent of a top-level window. Raises Gone."""
    return Control(handle, class_of(handle), parent, style_of(handle), outer_rect(handle))


def children_of(root: Control) -> Iterator[Control]:
    """The visible controls in a window, parents before children and siblings in the order of the Tab key."""
    controls = _visible(root)
    places = [Place(each.handle, each.parent, each.rect, label_text(each), each.kind in _FIELDS) for each in controls]
    parents = {place.parent for place in places if place.takes}
    labels = labels_of(places, {each for each in parents if dlls.window_long(each, _EXTENDED_STYLE) & _MIRRORED})
    texts = {place.handle: place.text for place in places}
    found: dict[int, Control] = {}
    for control in controls:
        around, label = found.get(control.parent), labels.get(control.handle)
        if around is not None and around.label and around.kind in _WRAPPERS:
            named = replace(control, label=around.label, labelled_by=around.labelled_by)
        else:
            named = replace(control, label=texts[label], labelled_by=label) if label else control
        found[control.handle] = named
        yield named


def _visible(root: Control) -> Sequence[Control]:
    found: list[Control] = []
    around = {root.handle: root}
    for handle in descendants(root.handle):
        parent = around.get(dlls.ancestor(handle, _PARENT))
        if parent is None:
            continue
        try:
            control = control_of(handle, parent.handle)
        except Gone:
            continue
        is_part = parent.kind == _DATE and control.kind == _ARROWS
        if control.style & WS_VISIBLE and not is_part:
            found.append(control)
            if control.kind not in _WHOLE:
                around[handle] = control
    return found
