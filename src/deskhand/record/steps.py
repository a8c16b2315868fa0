"""Gestures as steps: tools that repeat the effect of a gesture on its control.

Where a control has a value, the step sets the value that it had afterwards, however it got it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from deskhand.commands.key_syntax import in_braces
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonObject
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.input import Chord
from deskhand.record.drafts import (
    BOXES,
    FIELDS,
    INVOKED,
    ITEMS,
    NUMBERS,
    Draft,
    Made,
    differs,
    is_checked,
    plain,
    plain_number,
)
from deskhand.record.gestures import Gesture, Press, Run, is_text
from deskhand.record.key_steps import steps_of_run, taken_late
from deskhand.record.scene import MENU_ITEMS, Scene

_CHOSEN: Final = frozenset({Role.LISTITEM, Role.CELL, *MENU_ITEMS})
"""Roles of the items of an open combo box."""
_AT_FOCUS: Final = frozenset({Role.DOCUMENT, Role.PARAGRAPH, Role.CELL, Role.TABLE, Role.CANVAS})
"""Roles whose keys go to the place that was chosen in them before."""
_UNSEEN_CHOICE: Final = "the press that chose it was not observed; another one may be missing"
_CLOSE: Final = in_braces([Chord("f4", ("alt",))])


@dataclass(slots=True)
class Steps:
    """Makes steps of gestures. `opened`: the combo box that was opened last, with its press; `left`: one that had no
    choice by the next press, which its program may show later; `typed`: the last keys in a number field, which may take
    the number only when the keyboard leaves it.
    """

    opened: Press | None = None
    left: Press | None = None
    typed: Run | None = None

    def of(self, gesture: Gesture, after: Scene) -> Iterator[Draft]:
        """The steps of a gesture; `after`: the desktop after it."""
        yield from self.rest(after)
        if isinstance(gesture, Press):
            drafts = _doubted(gesture, self._of_press(gesture, after))
            yield from (each for each in drafts if each.tool or self.opened is not gesture)
            return
        self.opened = None
        yield from steps_of_run(gesture, after)
        if gesture.control is not None and gesture.control.type is Role.SPINBUTTON:
            self.typed = gesture if is_text(gesture.chords[0]) else None

    def rest(self, after: Scene) -> Iterator[Draft]:
        """Changes of controls that come late, of earlier gestures."""
        typed, self.typed = self.typed, None
        left, self.left = self.left, None
        if typed is not None:
            yield from taken_late(typed, after)
        choice = _late_choice(left, after)
        if choice is not None:
            yield choice

    def _of_press(self, press: Press, after: Scene) -> Iterator[Draft]:
        opened, self.opened = self.opened, None
        chosen, late = _chosen(opened, press.control, after), _late_choice(opened, after)
        is_late = late is not None and (chosen is None or press.is_uncertain)
        if late is not None and is_late:
            yield late if press.in_popup or not press.is_uncertain else replace(late, note=_UNSEEN_CHOICE)
        elif chosen is not None:
            yield chosen
        else:
            self.left = opened
        if not chosen and not (is_late and press.is_uncertain):
            yield from self._of_other(press, after)

    def _of_other(self, press: Press, after: Scene) -> Iterator[Draft]:
        """The steps of a press that chooses nothing in a combo box."""
        control = press.control
        if press.window is None or press.is_missed:
            return
        if control is None:
            yield from _beside_controls(press, press.window, after)
        elif press.is_drag and control.type not in NUMBERS:
            yield from _of_drag(press, press.window, control, after)
        elif control.type is Role.COMBOBOX and press.is_plain:
            self.opened = press
        else:
            yield from _of_click(press, press.window, control, after)


def _chosen(opened: Press | None, item: TargetInfo | None, after: Scene) -> Draft | None:
    """The choice of an item of the combo box that was opened before."""
    if opened is None or opened.window is None or opened.control is None or item is None or item.type not in _CHOSEN:
        return None
    return _choice(opened.window, opened.before, opened.control, item.name, after)


def _late_choice(opened: Press | None, after: Scene) -> Draft | None:
    """The choice of an item that was not read in time, by the combo box after it."""
    if opened is None or opened.window is None or opened.control is None:
        return None
    window, box = opened.window, opened.control
    now = after.now(window.handle, box)
    if now is None:
        return None
    inside = [each.name for each in after.controls(window.handle) if each.parent == now.handle]
    before = {"", *(each.name for each in opened.before.controls(window.handle))}
    changed = [new for new, old in ((now.value, box.value), (now.name, box.name)) if new not in {"", old}]
    item = next(iter([*changed, *(name for name in inside if name not in before)]), None)
    return _choice(window, opened.before, box, item, after) if item is not None else None


def _doubted(press: Press, drafts: Iterator[Draft]) -> Iterator[Draft]:
    """The steps of a press with its doubt; of a press without steps, whose target is in doubt, that it was missed."""
    is_missed = True
    for draft in drafts:
        is_missed = False
        yield replace(draft, note=draft.note or press.doubt)
    if press.window is not None and is_missed and (press.is_missed or press.doubt):
        why = press.doubt or "which closed before it was observed"
        yield Draft("", press.window, press.before, note=f"a press in window {quoted(press.window.name)}, {why}")


def _choice(window: TargetInfo, before: Scene, box: TargetInfo, item: str, after: Scene) -> Draft:
    """The step that chooses an item of a combo box."""
    now = after.now(window.handle, box)
    is_renamed = now is not None and now.name != box.name
    return Draft("select_item", window, before, box, {"item": plain(item)}, is_renamed=is_renamed)


def _of_click(press: Press, window: TargetInfo, control: TargetInfo, after: Scene) -> Iterator[Draft]:
    made = Made(window, press.before, control)
    now = after.now(window.handle, control)
    if press.button != "left" or press.held:
        yield made.click(press)
    elif control.type in INVOKED:
        yield from made.pressed(press)
    elif control.type in ITEMS:
        yield made.step("select_item") if press.count == 1 else made.click(press)
    elif control.type in BOXES | NUMBERS:
        yield from _of_changed(press, made, control, now)
    elif control.type not in FIELDS and _has_effect(press, control, now):
        yield made.click(press)


def _of_changed(press: Press, made: Made, control: TargetInfo, now: TargetInfo | None) -> Iterator[Draft]:
    """The value of a box or a number after a click."""
    if control.type in BOXES:
        yield made.step("set_value", value=is_checked(control, now, turns=press.count))
    elif now is not None and now.number is not None and now.number != control.number:
        yield made.step("set_value", value=plain_number(now.number))


def _has_effect(press: Press, control: TargetInfo, now: TargetInfo | None) -> bool:
    """True if a click may have done more than to move the keyboard."""
    return press.count > 1 or control.type in _AT_FOCUS or (now is not None and differs(now, control))


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
    if control.type in FIELDS or (now is not None and now == control):
        return  # a selection, which the next step makes itself
    start, end = _part(press.point, window.rect), _part(press.end, window.rect)
    args: JsonObject = {"start_x": start["x"], "start_y": start["y"], "end_x": end["x"], "end_y": end["y"]}
    yield Draft("drag_on_coordinates", window, press.before, None, args, "places of the window, and no controls")


def _part(point: Point, rect: Rect) -> JsonObject:
    across = (point.x - rect.left) / max(rect.width, 1)
    down = (point.y - rect.top) / max(rect.height, 1)
    return {"x": round(min(max(across, 0.0), 1.0), 4), "y": round(min(max(down, 0.0), 1.0), 4)}


def _button(press: Press) -> JsonObject:
    return {} if press.button == "left" else {"button": press.button.value}
