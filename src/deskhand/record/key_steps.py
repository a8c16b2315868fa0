"""Runs of keys as steps: the value that their control has afterwards, else the keys."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from deskhand.commands.key_syntax import in_braces
from deskhand.core.json import JsonObject
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo
from deskhand.desktop.protocols.input import Chord
from deskhand.record.drafts import (
    BOXES,
    CHECKED,
    INVOKED,
    ITEMS,
    PASSWORD,
    Draft,
    Made,
    differs,
    is_checked,
    plain,
    plain_number,
)
from deskhand.record.gestures import Run, is_text
from deskhand.record.scene import Scene

_LISTS: Final = frozenset({Role.LIST, Role.TREE, Role.TABLE, Role.TABLIST, Role.LISTITEM, Role.TREEITEM, Role.TAB})
_ENTER: Final = Chord("enter")
_TABS: Final = (Chord("tab"), Chord("tab", ("shift",)))
_ACTIVATING: Final = frozenset({"space", "enter", "kp_enter"})
_MOVING: Final = frozenset({"left", "right", "up", "down", "home", "end", "pageup", "pagedown"})


def steps_of_run(run: Run, after: Scene) -> Iterator[Draft]:
    """The steps of a run of keys; `after`: the desktop after it."""
    window = run.window or after.active or run.before.active
    if window is not None and run.control is not None:
        yield from _of_known(run, window, run.control, after)
    elif window is not None:
        yield from _of_unknown(run, window, after)


def _of_known(run: Run, window: TargetInfo, control: TargetInfo, after: Scene) -> Iterator[Draft]:
    """The steps of keys for a control."""
    made = Made(window, run.before, control)
    now = _left(run, window, control, after)
    chord = run.chords[0]
    item = _newly_selected(window, run.before, after) if control.type in _LISTS else None
    if control.type is Role.PASSWORD:
        yield from _of_password(run, made)
    elif _activates(chord, control):
        yield from _of_activation(run, made, control, now)
    elif item is not None:
        yield Draft("select_item", window, after, item)
    elif is_text(chord) or _is_line_end(chord, control):
        yield from _of_value(run, made, control, now)
    elif chord not in _TABS:  # the next step finds its control by itself
        yield from _keys(run, made, control)


def _left(run: Run, window: TargetInfo, control: TargetInfo, after: Scene) -> TargetInfo | None:
    """The control as the keys left it: before anything else was done, unless its program was behind then."""
    later = after.now(window.handle, control) or run.last
    if not run.is_exact or run.last is None or later is None:
        return later
    return later if is_in(run, later) and not is_in(run, run.last) else run.last


def _is_line_end(chord: Chord, control: TargetInfo) -> bool:
    return chord == _ENTER and "multi_line" in control.states


def _activates(chord: Chord, control: TargetInfo) -> bool:
    return chord.key in _ACTIVATING and not chord.modifiers and control.type in BOXES | INVOKED


def _of_activation(run: Run, made: Made, control: TargetInfo, now: TargetInfo | None) -> Iterator[Draft]:
    """Keys that press a box or a button."""
    if control.type in BOXES:
        yield made.step("set_value", value=is_checked(control, now, turns=len(run.chords)))
    else:
        yield from (made.step("invoke") for _ in run.chords)


def _of_password(run: Run, made: Made) -> Iterator[Draft]:
    """A password is a parameter; the typed text is not stored. A key that ends it is a step of its own."""
    if is_text(run.chords[0]):
        yield made.step("set_edit_text", text=f"${{{PASSWORD}}}")
    elif run.chords[0].key != "tab":
        yield made.step("keyboard_input", keys=in_braces(run.chords))


def _newly_selected(window: TargetInfo, before: Scene, after: Scene) -> TargetInfo | None:
    """The one item that is selected now and was not."""
    was = {each.handle for each in before.controls(window.handle) if "selected" in each.states}
    now = [each for each in after.controls(window.handle) if "selected" in each.states and each.type in ITEMS]
    new = [each for each in now if each.handle not in was]
    return new[0] if len(new) == 1 else None


def _of_value(run: Run, made: Made, control: TargetInfo, now: TargetInfo | None) -> Iterator[Draft]:
    """Keys in a control with a value: the value that it has now."""
    value = _VALUES.get(control.type, _no_value)(now) if now is not None else None
    if now is not None and not is_in(run, now):
        text = _text_made(run, control)
        is_behind = text is not None and text.startswith(now.value)
        if is_behind or not run.is_exact:  # else the program has corrected the text
            value = _text(text) if text is not None else None
    if value is None or now is None:
        yield from _keys(run, made, control)
    elif differs(now, control) or not all(map(_moves, run.chords)):
        tool, args = value
        yield Draft(tool, made.window, run.before, control, args)


def _keys(run: Run, made: Made, control: TargetInfo) -> Iterator[Draft]:
    """The keys themselves: in a field to it, else where the keyboard is."""
    is_field = control.type in {Role.TEXTBOX, Role.SPINBUTTON, Role.COMBOBOX} and not run.chords[0].modifiers
    yield Draft(
        "keyboard_input", made.window, run.before, control if is_field else None, {"keys": in_braces(run.chords)}
    )


def _of_unknown(run: Run, window: TargetInfo, after: Scene) -> Iterator[Draft]:
    """Keys whose control is not known: texts of fields that changed, else the keys, unless they may be a password."""
    if run.chords[0].key == "tab":
        return
    before = run.before.controls(window.handle)
    changed = [each for each in before if each.type is Role.TEXTBOX and _has_changed(each, window, after)]
    changed = [each for each in changed if _has_got(run, each, window, after)] or changed
    if changed and is_text(run.chords[0]):
        for control in changed:
            now = after.now(window.handle, control)
            yield from _of_value(run, Made(window, run.before, control), control, now)
        return
    fields = [*before, *after.controls(window.handle)]
    secret = next((each for each in fields if each.type is Role.PASSWORD), None)
    if secret is not None and is_text(run.chords[0]):
        yield Made(window, run.before, secret).step("set_edit_text", text=f"${{{PASSWORD}}}")
        return
    yield Draft("keyboard_input", window, run.before, None, {"keys": in_braces(run.chords)})


def _has_changed(control: TargetInfo, window: TargetInfo, after: Scene) -> bool:
    now = after.now(window.handle, control)
    return now is not None and now.value != control.value


def taken_late(run: Run, after: Scene) -> Iterator[Draft]:
    """The number that a field took after its keys."""
    if run.window is None or run.control is None:
        return
    now = after.now(run.window.handle, run.control)
    text = "".join(chord.key for chord in run.chords if len(chord.key) == 1 and not chord.modifiers)
    if now is not None and now.number is not None and text and now.value.strip() == text:
        yield Draft("set_value", run.window, run.before, run.control, {"value": plain_number(now.number)})


def _has_got(run: Run, control: TargetInfo, window: TargetInfo, after: Scene) -> bool:
    now = after.now(window.handle, control)
    return now is not None and is_in(run, now)


def _text_of(now: TargetInfo) -> tuple[str, JsonObject] | None:
    return None if TEXT_CUT in now.states else _text(now.value)


def _text(text: str) -> tuple[str, JsonObject]:
    return "set_edit_text", {"text": plain(text)}


def _number_of(now: TargetInfo) -> tuple[str, JsonObject] | None:
    return None if now.number is None else ("set_value", {"value": plain_number(now.number)})


def _choice_of(now: TargetInfo) -> tuple[str, JsonObject] | None:
    return ("select_item", {"item": plain(now.value)}) if now.value else None


def _box_of(now: TargetInfo) -> tuple[str, JsonObject] | None:
    return "set_value", {"value": bool(now.states & CHECKED)}


def _no_value(_: TargetInfo) -> tuple[str, JsonObject] | None:
    return None


_VALUES: Final[Mapping[Role, Callable[[TargetInfo], tuple[str, JsonObject] | None]]] = {
    Role.TEXTBOX: _text_of,
    Role.SPINBUTTON: _number_of,
    Role.SLIDER: _number_of,
    Role.COMBOBOX: _choice_of,
    Role.CHECKBOX: _box_of,
    Role.RADIO: _box_of,
    Role.SWITCH: _box_of,
}


def is_in(run: Run, control: TargetInfo) -> bool:
    """True if a field has the characters of the keys; also true of a control that is no field of text."""
    return control.type is not Role.TEXTBOX or _typed(run) in control.value


def _typed(run: Run) -> str:
    """The characters of the keys."""
    characters = {"space": " "}
    keys = [characters.get(chord.key, chord.key) for chord in run.chords if not chord.modifiers]
    return "".join(key for key in keys if len(key) == 1)


def _text_made(run: Run, control: TargetInfo) -> str | None:
    """The text of a field after these keys; None where it depends on the place of the caret."""
    first, *others = run.chords
    starts_anew = first == Chord("a", ("ctrl",))
    keys = others if starts_anew else run.chords
    if (control.value and not starts_anew) or any(len(chord.key) > 1 and chord.key != "space" for chord in keys):
        return None
    return _typed(run)


def _moves(chord: Chord) -> bool:
    """True if a key changes no text."""
    return chord.key in _MOVING or (bool(chord.modifiers) and chord.key in {"a", "c"})
