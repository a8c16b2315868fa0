"""What an action's effect has to be about: the table of docs/effects.md, as code (contract 4.3)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from deskhand.commands.catalogue import Call
from deskhand.commands.key_syntax import parse_keys, typed_in
from deskhand.core.geometry import WindowPoint
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, Trait, comparable_name
from deskhand.desktop.protocols.input import Chord

VALUE: Final = "value"
"""Among `About.own`: the text or number that a control holds."""

UNTOLD: Final = "checked_untold"
"""The state of what may be checked without saying so."""

RESULT_UNTOLD: Final = "result_untold"
"""The state of a cell with a formula that does not say what comes of it, as where that is an error."""

CHECKED: Final = frozenset({"checked", "indeterminate", "pressed"})
MARKED: Final = frozenset({"selected", "focused"})
"""One of these says of a cell that it is the one chosen: a spreadsheet calls that of its cursor focused only."""

MENU_CHECKS: Final = frozenset({Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
TURNED_OVER: Final = frozenset({Role.CHECKBOX, Role.MENUITEMCHECKBOX, Role.SWITCH})
"""What a second press turns back."""

_CHECKS: Final = MENU_CHECKS | {Role.CHECKBOX, Role.RADIO, Role.SWITCH}
ITEMS: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.TAB, Role.ROW, Role.CELL})
SHAPES: Final = frozenset({Role.FIGURE, Role.GROUP, Role.IMAGE})
"""Roles of drawings in a document."""

_NUMBERS: Final = frozenset({Role.SLIDER, Role.SPINBUTTON, Role.SCROLLBAR})
_TEXTS: Final = frozenset({Role.TEXTBOX, Role.COMBOBOX, Role.SPINBUTTON, Role.PARAGRAPH, Role.PASSWORD})
_AROUND: Final = (
    _CHECKS - MENU_CHECKS
    | _NUMBERS
    | _TEXTS - {Role.PARAGRAPH}
    | {Role.BUTTON, Role.LABEL, Role.LISTITEM, Role.TREEITEM}
)
_SAVING: Final = re.compile(r"save|keep current format!?|use .* format!?", re.IGNORECASE)
"""Also the answers to LibreOffice's question about a file of another program's format."""
_SAVE_KEY: Final = Chord("s", ("ctrl",))
"""By which all programs save, whatever their language."""

_OWN_ACTIONS: Final = re.compile(r"|click|press|toggle|check|uncheck|select|activate", re.IGNORECASE)


class Focus(StrEnum):
    """Whose getting the keyboard is an effect."""

    NOBODY = "nobody"
    TARGET = "target"
    ANYBODY = "anybody"


class Opens(StrEnum):
    """What counts as well where the target's own states have to change: that it came, or went."""

    NOTHING = "nothing"
    WINDOWS = "windows"
    """And that a paragraph in the target has the keyboard now."""
    CONTROLS = "controls"
    """And windows."""


@dataclass(frozen=True, slots=True)
class About:
    """`own`: of these states (or `VALUE`) of the target one has to change; empty: any change of its window counts.

    `opens`: with `own`, what counts as well; of the target itself that it is gone does, unless it is nothing. `typed`:
    texts; each has to stand in what changed. `enters`: a key after them may open what refuses them. What is done on the
    way to an effect does not count: what the press of a drag alone does (`dragged`: where it began and ended), what the
    first of two clicks does (`twice`), and what a control that has the keyboard makes of its own value when a press
    elsewhere takes the keyboard (`leaves`). `saves`: the file that the window shows has to be written.
    """

    own: frozenset[str] = frozenset()
    opens: Opens = Opens.NOTHING
    focus: Focus = Focus.NOBODY
    typed: tuple[str, ...] = ()
    enters: bool = False
    dragged: tuple[WindowPoint, WindowPoint] | None = None
    twice: bool = False
    leaves: bool = False
    saves: bool = False


ANYTHING: Final = About()

_PRESSES: Final = frozenset({"click_input", "click_on_coordinates", "invoke"})
_FILL_IN: Final = ITEMS | MENU_CHECKS | {Role.MENUITEM}
"""What is chosen may be filled into the field that it was offered for."""


def about(call: Call) -> About:
    """What the effect of a call has to be about."""
    arguments = call.command.parameters
    target = call.target if call.target and call.target.kind is TargetKind.CONTROL else None
    match call.command.tool_name:
        case "set_value":
            found = About(CHECKED)
        case "select_item":
            found = About(chosen_states(target) if target else frozenset())
        case "keyboard_input":
            keys = str(arguments.get("keys", ""))
            types = target and target.type in _TEXTS and "{" not in keys
            chords = parse_keys(keys)
            texts = typed_in(chords)
            enters = bool(texts) and len(chords[-1].key) > 1 and chords[-1].key != "space"
            typed = About(focus=Focus.ANYBODY, typed=texts, enters=enters, saves=chords[-1:] == (_SAVE_KEY,))
            found = About(frozenset({VALUE}), typed=(keys,)) if types else typed
        case "wheel_mouse_input" if target and target.type in _NUMBERS:
            found = About(frozenset({VALUE}))
        case "drag_on_coordinates":
            found = About(dragged=(_end(arguments, "start"), _end(arguments, "end")))
        case "invoke" if target and _OWN_ACTIONS.fullmatch(str(arguments.get("action", ""))):
            found = _of_a_press(target)
        case "click_input" if target and arguments.get("button") == "left" and not arguments.get("double"):
            found = _of_a_press(target)
        case _:
            found = ANYTHING
    if call.command.tool_name in _PRESSES:
        twice = arguments.get("double") is True
        leaves, saves = target is None or target.type not in _FILL_IN, target is not None and _saves(target)
        return replace(found, twice=twice, leaves=leaves, saves=saves)
    return found


def _saves(target: TargetInfo) -> bool:
    pressed = target.type in {Role.BUTTON, Role.MENUITEM} and not in_document(target)
    return pressed and _SAVING.fullmatch(comparable_name(target.name)) is not None


def _end(arguments: Mapping[str, JsonValue], which: str) -> WindowPoint:
    return WindowPoint(*(float(str(arguments[f"{which}_{axis}"])) for axis in "xy"))


def in_document(control: TargetInfo) -> bool:
    """True inside a document, such as a web page."""
    return control.fingerprint is not None and control.fingerprint.in_document


def is_around_document(control: TargetInfo) -> bool:
    """True for a control of a toolbar or sidebar."""
    return control.type in _AROUND and control.fingerprint is not None and not in_document(control)


def hides_check(target: TargetInfo) -> bool:
    """True if it does not report whether it is checked, or only once its menu opens again."""
    return UNTOLD in target.states or Trait.STATE_IS_HIDDEN in target.traits


def chosen_states(item: TargetInfo) -> frozenset[str]:
    """The states of which one says that an item is the one chosen; having the cursor does not where it had that."""
    if item.type in {Role.RADIO, Role.MENUITEMRADIO}:
        return frozenset({"checked"})
    return MARKED if item.type is Role.CELL and "focused" not in item.states else frozenset({"selected"})


def _of_a_press(target: TargetInfo) -> About:
    if target.sighting or hides_check(target):
        return ANYTHING
    if target.type in _CHECKS or Trait.TOGGLE in target.traits:
        return About(CHECKED | {"expanded"} if "expandable" in target.states else CHECKED)
    bars_follow = Trait.BARS_FOLLOW_SELECTION in target.traits
    opens = Opens.WINDOWS if bars_follow else Opens.CONTROLS
    if Trait.TOGGLE_BY_KEY in target.traits:
        return About(CHECKED | MARKED - target.states | {"expanded"}, opens=opens)
    is_chosen = bool(target.states & (MARKED if target.type is Role.CELL else {"selected"}))
    is_item = target.type in ITEMS or bars_follow
    if is_item and "selectable" in target.states and (bars_follow or not is_chosen):
        # that it is chosen no longer is not what it is pressed for
        focus = Focus.ANYBODY if bars_follow else Focus.NOBODY
        return About(chosen_states(target) - target.states | {"expanded"}, opens=opens, focus=focus)
    return About(focus=Focus.TARGET) if "editable" in target.states else ANYTHING
