"""Gestures as steps: tools that repeat the effect of a gesture on its control.

Where a control has a value, the step sets the value that it had afterwards, however it got it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from deskhand.commands.key_syntax import in_braces
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo
from deskhand.desktop.protocols.input import Chord
from deskhand.record.gestures import Gesture, Press, Run, is_text
from deskhand.record.scene import MENU_ITEMS, Scene

PASSWORD: Final = "password"  # noqa: S105 - the name of a parameter
_BOXES: Final = frozenset({Role.CHECKBOX, Role.RADIO, Role.SWITCH})
_NUMBERS: Final = frozenset({Role.SLIDER, Role.SPINBUTTON})
_CHOSEN: Final = frozenset({Role.LISTITEM, Role.CELL, *MENU_ITEMS})
"""Roles of the items of an open combo box."""
_MENUS: Final = frozenset({Role.MENU, Role.MENUITEM})
_ITEMS: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.TAB, Role.ROW, Role.CELL})
_INVOKED: Final = frozenset({Role.BUTTON, Role.LINK, Role.MENU, *MENU_ITEMS})
_LISTS: Final = frozenset({Role.LIST, Role.TREE, Role.TABLE, Role.TABLIST, Role.LISTITEM, Role.TREEITEM, Role.TAB})
_AT_FOCUS: Final = frozenset({Role.DOCUMENT, Role.PARAGRAPH, Role.CELL, Role.TABLE, Role.CANVAS})
"""Roles whose keys go to the place that was chosen in them before."""
_FIELDS: Final = frozenset({Role.TEXTBOX, Role.PASSWORD})
_CHECKED: Final = frozenset({"checked", "pressed"})
_CLOSE: Final = in_braces([Chord("f4", ("alt",))])
_ACTIVATING: Final = frozenset({"space", "enter", "kp_enter"})
_ENTER: Final = Chord("enter")
_TABS: Final = (Chord("tab"), Chord("tab", ("shift",)))
_MOVING: Final = frozenset({"left", "right", "up", "down", "home", "end", "pageup", "pagedown"})


@dataclass(frozen=True, slots=True)
class Draft:
    """One step. `before`: the scene in which its `control` was found; `note`: a doubt, for a comment.

    `is_renamed`: the step changes the name of its control, which is no good selector then.
    """

    tool: str
    window: TargetInfo
    before: Scene
    control: TargetInfo | None = None
    args: JsonObject = field(default_factory=dict[str, JsonValue])
    note: str = ""
    is_renamed: bool = False

    @property
    def sets(self) -> bool:
        """True if it sets its control to a value, so that an earlier one of the same kind is not needed."""
        return self.tool in {"set_edit_text", "set_value", "select_item"} and not self.args.get("add")

    @property
    def menus(self) -> tuple[str, ...]:
        """Names of the menus around an item of a menu, the outermost first."""
        if self.tool != "invoke" or self.control is None or self.control.type not in MENU_ITEMS:
            return ()
        around = self.before.around(self.window.handle, self.control)
        return tuple(each.name for each in reversed(around) if each.type in _MENUS and each.name)

    def is_in_menu_of(self, other: "Draft") -> bool:
        """True if an earlier step opened the menu of this item, which a playbook opens by itself."""
        opened = other.control
        if other.tool != "invoke" or opened is None or opened.type not in _MENUS or not self.menus:
            return False
        return opened.name in self.menus and other.window.handle == self.window.handle

    def replaces(self, other: "Draft") -> bool:
        """True if an earlier step is not needed before this one."""
        if not self.sets or self.tool != other.tool or self.control is None or other.control is None:
            return False
        return self.control.handle == other.control.handle and self.window.handle == other.window.handle


@dataclass(slots=True)
class Steps:
    """Makes steps of gestures. `opened`: the combo box that was opened last, with its press; `typed`: the last keys in
    a number field, which may take the number only when the keyboard leaves it.
    """

    opened: Press | None = None
    typed: Run | None = None

    def of(self, gesture: Gesture, after: Scene) -> Iterator[Draft]:
        """The steps of a gesture; `after`: the desktop after it."""
        typed, self.typed = self.typed, None
        if typed is not None:
            yield from _taken_late(typed, after)
        if isinstance(gesture, Press):
            yield from self._of_press(gesture, after)
            return
        self.opened = None
        yield from _of_run(gesture, after)
        if gesture.control is not None and gesture.control.type is Role.SPINBUTTON:
            self.typed = gesture if is_text(gesture.chords[0]) else None

    def _of_press(self, press: Press, after: Scene) -> Iterator[Draft]:
        opened, self.opened = self.opened, None
        if press.window is None:
            return
        control = press.control
        choice = _late_choice(opened, after) if opened is not None and press.in_popup else None
        choice = choice or _chosen(opened, control, after)
        if choice is not None:
            yield choice
        elif control is None:
            yield from _beside_controls(press, press.window, after)
        elif press.is_drag and control.type not in _NUMBERS:
            yield from _of_drag(press, press.window, control, after)
        elif control.type is Role.COMBOBOX and press.is_plain:
            self.opened = press
        else:
            yield from _of_click(press, press.window, control, after)


def _taken_late(run: Run, after: Scene) -> Iterator[Draft]:
    """The number that a field took after its keys."""
    if run.window is None or run.control is None:
        return
    now = after.now(run.window.handle, run.control)
    text = "".join(chord.key for chord in run.chords if len(chord.key) == 1 and not chord.modifiers)
    if now is not None and now.number is not None and text and now.value.strip() == text:
        yield Draft("set_value", run.window, run.before, run.control, {"value": _number(now.number)})


def _chosen(opened: Press | None, item: TargetInfo | None, after: Scene) -> Draft | None:
    """The choice of an item of the combo box that was opened before."""
    if opened is None or opened.window is None or opened.control is None or item is None or item.type not in _CHOSEN:
        return None
    return _choice(opened.window, opened.before, opened.control, item.name, after)


def _late_choice(opened: Press, after: Scene) -> Draft | None:
    """The choice of an item that was not read in time, by the combo box after it."""
    window, box = opened.window, opened.control
    now = after.now(window.handle, box) if window is not None and box is not None else None
    if window is None or box is None or now is None:
        return None
    inside = [each.name for each in after.controls(window.handle) if each.parent == now.handle]
    before = {box.value, box.name, *(each.name for each in opened.before.controls(window.handle))}
    item = next((each for each in (now.value, now.name, *inside) if each and each not in before), "")
    return _choice(window, opened.before, box, item, after) if item else None


def _choice(window: TargetInfo, before: Scene, box: TargetInfo, item: str, after: Scene) -> Draft:
    """The step that chooses an item of a combo box."""
    now = after.now(window.handle, box)
    is_renamed = now is not None and now.name != box.name
    return Draft("select_item", window, before, box, {"item": _plain(item)}, is_renamed=is_renamed)


def _of_click(press: Press, window: TargetInfo, control: TargetInfo, after: Scene) -> Iterator[Draft]:
    made = _Made(window, press.before, control)
    now = after.now(window.handle, control)
    if press.button != "left" or press.held:
        yield made.click(press)
    elif control.type in _INVOKED:
        yield from (made.pressed(press, after) for _ in range(press.count))
    elif control.type in _ITEMS:
        yield made.step("select_item") if press.count == 1 else made.click(press)
    elif control.type in _BOXES | _NUMBERS:
        yield from _of_changed(press, made, control, now)
    elif control.type not in _FIELDS and _has_effect(press, control, now):
        yield made.click(press)


def _of_changed(press: Press, made: "_Made", control: TargetInfo, now: TargetInfo | None) -> Iterator[Draft]:
    """The value of a box or a number after a click."""
    if control.type in _BOXES:
        yield made.step("set_value", value=_is_checked(control, now, turns=press.count))
    elif now is not None and now.number is not None and now.number != control.number:
        yield made.step("set_value", value=_number(now.number))


def _has_effect(press: Press, control: TargetInfo, now: TargetInfo | None) -> bool:
    """True if a click may have done more than to move the keyboard."""
    return press.count > 1 or control.type in _AT_FOCUS or (now is not None and _differs(now, control))


@dataclass(frozen=True, slots=True)
class _Made:
    """Makes steps on one control."""

    window: TargetInfo
    before: Scene
    control: TargetInfo | None

    def step(self, tool: str, **args: JsonValue) -> Draft:
        return Draft(tool, self.window, self.before, self.control, args)

    def click(self, press: Press) -> Draft:
        args: JsonObject = {} if press.button == "left" else {"button": press.button.value}
        args |= {"count": press.count} if press.count > 1 else {}
        args |= {"hold": "+".join(press.held)} if press.held else {}
        return self.step("click_input", **args)

    def pressed(self, press: Press, after: Scene) -> Draft:
        """A press of a button; a plain click where nothing visible came of it, so that no effect is awaited."""
        has_effect = after.seen != press.before.seen or len(after.windows) != len(press.before.windows)
        is_button = self.control is not None and self.control.type is Role.BUTTON
        return self.step("invoke") if has_effect or not is_button else self.click(press)


def _beside_controls(press: Press, window: TargetInfo, after: Scene) -> Iterator[Draft]:
    """A press on no control: on the frame of a window, or on a drawing."""
    if after.window(window.handle) is None:
        yield Draft("keyboard_input", window, press.before, None, {"keys": _CLOSE})
        return
    inside = press.before.seen.get(window.handle)
    now = after.seen.get(window.handle)
    if not press.in_popup and (inside is None or now is None or inside.controls == now.controls):
        return
    place = _part(press.point, window.rect)
    note = "a place of a menu that was not read in time" if press.in_popup else "a place, where no control is exposed"
    yield Draft("click_on_coordinates", window, press.before, None, place | _button(press), note)


def _of_drag(press: Press, window: TargetInfo, control: TargetInfo, after: Scene) -> Iterator[Draft]:
    released = press.before.pressed(press.end)
    if control.type in {Role.MENU, *MENU_ITEMS} and released is not None and released[1] is not None:
        yield Draft("invoke", window, press.before, control)
        return
    now = after.now(window.handle, control)
    if control.type in _FIELDS or (now is not None and now == control):
        return  # a selection, which the next step makes itself
    start, end = _part(press.point, window.rect), _part(press.end, window.rect)
    args: JsonObject = {"start_x": start["x"], "start_y": start["y"], "end_x": end["x"], "end_y": end["y"]}
    yield Draft("drag_on_coordinates", window, press.before, None, args, "places of the window, and no controls")


def _of_run(run: Run, after: Scene) -> Iterator[Draft]:
    window = run.window or after.active or run.before.active
    if window is not None and run.control is not None:
        yield from _of_known(run, window, run.control, after)
    elif window is not None:
        yield from _of_unknown(run, window, after)


def _of_known(run: Run, window: TargetInfo, control: TargetInfo, after: Scene) -> Iterator[Draft]:
    """The steps of keys for a control."""
    made = _Made(window, run.before, control)
    now = run.last if run.is_exact else after.now(window.handle, control) or run.last
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


def _is_line_end(chord: Chord, control: TargetInfo) -> bool:
    return chord == _ENTER and "multi_line" in control.states


def _activates(chord: Chord, control: TargetInfo) -> bool:
    return chord.key in _ACTIVATING and not chord.modifiers and control.type in _BOXES | _INVOKED


def _of_activation(run: Run, made: _Made, control: TargetInfo, now: TargetInfo | None) -> Iterator[Draft]:
    """Keys that press a box or a button."""
    if control.type in _BOXES:
        yield made.step("set_value", value=_is_checked(control, now, turns=len(run.chords)))
    else:
        yield from (made.step("invoke") for _ in run.chords)


def _of_password(run: Run, made: _Made) -> Iterator[Draft]:
    """A password is a parameter; the typed text is not stored. A key that ends it is a step of its own."""
    if is_text(run.chords[0]):
        yield made.step("set_edit_text", text=f"${{{PASSWORD}}}")
    elif run.chords[0].key != "tab":
        yield made.step("keyboard_input", keys=in_braces(run.chords))


def _newly_selected(window: TargetInfo, before: Scene, after: Scene) -> TargetInfo | None:
    """The one item that is selected now and was not."""
    was = {each.handle for each in before.controls(window.handle) if "selected" in each.states}
    now = [each for each in after.controls(window.handle) if "selected" in each.states and each.type in _ITEMS]
    new = [each for each in now if each.handle not in was]
    return new[0] if len(new) == 1 else None


def _of_value(run: Run, made: _Made, control: TargetInfo, now: TargetInfo | None) -> Iterator[Draft]:
    """Keys in a control with a value: the value that it has now."""
    value = _VALUES.get(control.type, _no_value)(now) if now is not None else None
    if control.type is Role.TEXTBOX and now is not None and not run.is_exact and _typed(run) not in now.value:
        value = _text_made(run, control)  # the program has changed the field since
    if value is None or now is None:
        yield from _keys(run, made, control)
    elif _differs(now, control) or not all(map(_moves, run.chords)):
        tool, args = value
        yield Draft(tool, made.window, run.before, control, args)


def _keys(run: Run, made: _Made, control: TargetInfo) -> Iterator[Draft]:
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
    if changed and is_text(run.chords[0]):
        for control in changed:
            now = after.now(window.handle, control)
            yield from _of_value(run, _Made(window, run.before, control), control, now)
        return
    fields = [*before, *after.controls(window.handle)]
    secret = next((each for each in fields if each.type is Role.PASSWORD), None)
    if secret is not None and is_text(run.chords[0]):
        yield _Made(window, run.before, secret).step("set_edit_text", text=f"${{{PASSWORD}}}")
        return
    yield Draft("keyboard_input", window, run.before, None, {"keys": in_braces(run.chords)})


def _has_changed(control: TargetInfo, window: TargetInfo, after: Scene) -> bool:
    now = after.now(window.handle, control)
    return now is not None and now.value != control.value


def _text_of(now: TargetInfo) -> tuple[str, JsonObject] | None:
    return None if TEXT_CUT in now.states else ("set_edit_text", {"text": _plain(now.value)})


def _number_of(now: TargetInfo) -> tuple[str, JsonObject] | None:
    return None if now.number is None else ("set_value", {"value": _number(now.number)})


def _choice_of(now: TargetInfo) -> tuple[str, JsonObject] | None:
    return ("select_item", {"item": _plain(now.value)}) if now.value else None


def _box_of(now: TargetInfo) -> tuple[str, JsonObject] | None:
    return "set_value", {"value": bool(now.states & _CHECKED)}


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


def _typed(run: Run) -> str:
    """The characters of the keys."""
    characters = {"space": " "}
    keys = [characters.get(chord.key, chord.key) for chord in run.chords if not chord.modifiers]
    return "".join(key for key in keys if len(key) == 1)


def _text_made(run: Run, control: TargetInfo) -> tuple[str, JsonObject] | None:
    """The text of a field after these keys; None where it depends on the place of the caret."""
    first, *others = run.chords
    starts_anew = first == Chord("a", ("ctrl",))
    keys = others if starts_anew else run.chords
    if (control.value and not starts_anew) or any(len(chord.key) > 1 and chord.key != "space" for chord in keys):
        return None
    return "set_edit_text", {"text": _plain(_typed(run))}


def _moves(chord: Chord) -> bool:
    """True if a key changes no text."""
    return chord.key in _MOVING or (bool(chord.modifiers) and chord.key in {"a", "c"})


def _is_checked(before: TargetInfo, now: TargetInfo | None, *, turns: int) -> bool:
    if now is not None:
        return bool(now.states & _CHECKED)
    was = bool(before.states & _CHECKED)
    return True if before.type is Role.RADIO else was if turns % 2 == 0 else not was


def _differs(now: TargetInfo, before: TargetInfo) -> bool:
    return now.value != before.value or bool((now.states ^ before.states) & {*_CHECKED, "selected", "expanded"})


def _number(number: float) -> JsonValue:
    return int(number) if number == int(number) else number


def _plain(text: str) -> str:
    """A text without `${…}` to fill in."""
    return text.replace("${", "$${")


def _part(point: Point, rect: Rect) -> JsonObject:
    across = (point.x - rect.left) / max(rect.width, 1)
    down = (point.y - rect.top) / max(rect.height, 1)
    return {"x": round(min(max(across, 0.0), 1.0), 4), "y": round(min(max(down, 0.0), 1.0), 4)}


def _button(press: Press) -> JsonObject:
    return {} if press.button == "left" else {"button": press.button.value}
