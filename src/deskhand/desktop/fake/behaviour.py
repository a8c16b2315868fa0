"""Behaviour of fake controls when they are used: the part of a toolkit that an agent can observe."""

import io
import zipfile
from collections.abc import Callable, Iterable
from typing import Final
from xml.etree import ElementTree as ET

from deskhand.core.roles import Role
from deskhand.core.text import number_text
from deskhand.desktop.fake.control import (
    CHECKABLE_ROLES,
    CHOICE_ROLES,
    FOCUSABLE_ROLES,
    NUMBER_ROLES,
    TEXT_ROLES,
    FakeControl,
    FakeTable,
    FakeWindow,
)
from deskhand.desktop.protocols.input import Chord

BLOCK_FORMAT: Final = "application/x-openoffice-embed-source-xml"
TEXT_FORMATS: Final = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING")
_STEPS: Final = {"up": 1.0, "down": -1.0}
_MOVES: Final = {"enter": (1, 0), "tab": (0, 1), "up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def container_of(window: FakeWindow, control: FakeControl) -> FakeControl | None:
    """Return the control's parent; None for a child of the window itself."""
    return next((other for other in window.all_controls() if control in other.all_children()), None)


def click(window: FakeWindow, control: FakeControl) -> None:
    """Perform one click, or the default action."""
    focus(window, control)
    if control.role in CHECKABLE_ROLES:
        control.states ^= {"checked"}
    elif control.role is Role.MENU:
        control.states ^= {"expanded"}
    elif control.role in CHOICE_ROLES:
        choose(window, control)
    if control.role is not Role.MENU:
        close_menus(window)
    _call(control.on_click)


def close_menus(window: FakeWindow) -> None:
    for other in window.all_controls():
        if other.role is Role.MENU:
            other.states.discard("expanded")


def focus(window: FakeWindow, control: FakeControl) -> None:
    """Gives the focus to the control, or to the container that holds it."""
    taker: FakeControl | None = control
    while taker is not None and taker.role not in FOCUSABLE_ROLES:
        taker = container_of(window, taker)
    if taker is None or taker is window.focused:
        return
    if window.focused:
        window.focused.all_text_selected = False
    window.focused = taker


def choose(window: FakeWindow, control: FakeControl) -> None:
    """Select a child in its container, and only it unless the container is multiselectable."""
    container = container_of(window, control)
    if container is None:
        _deselect(window.controls)
    elif not _select_cell(container, control) and "multiselectable" not in container.states:
        _deselect(container.all_children())
    control.states.add("checked" if control.role is Role.RADIO else "selected")
    if container and container.role is Role.COMBOBOX:
        change_text(container, control.name)
    _call(control.on_select)


def _select_cell(container: FakeControl, control: FakeControl) -> bool:
    """Select a cell of a table; False if the control is none."""
    place = container.table.place(control) if container.table else None
    if container.table is None or not place:
        return False
    container.table.typing = None
    container.table.select(*place, *place)
    return True


def _deselect(controls: Iterable[FakeControl]) -> None:
    for control in controls:
        control.states.discard("selected")
        if control.role is Role.RADIO:
            control.states.discard("checked")


def change_text(control: FakeControl, text: str) -> None:
    """Replace the text and notify the application."""
    control.value = text
    control.all_text_selected = False
    if control.on_text:
        control.on_text(text)


def change_number(control: FakeControl, number: float) -> None:
    low, high = control.limits
    change_text(control, number_text(min(high, max(low, number))))


def number_of(control: FakeControl) -> float:
    try:
        return float(control.value)
    except ValueError:
        return 0.0


def activate(control: FakeControl) -> None:
    """Perform the effect of Enter in a text box."""
    _call(control.on_activate)


def press(window: FakeWindow, chord: Chord, clipboard: dict[str, bytes]) -> None:
    """Send a chord to the focused control, then to the window; a chord that neither handles has no effect."""
    focused = window.focused if window.focused in list(window.all_controls()) else None
    if window.on_key and window.on_key(chord):
        return
    if focused and not focused.disabled:
        if focused.on_key and focused.on_key(chord):
            return
        if focused.table and _press_in_table(focused.table, chord, clipboard):
            return
        if _press_in_control(window, focused, chord, clipboard):
            return
    _press_in_window(window, chord)


def _press_in_control(window: FakeWindow, control: FakeControl, chord: Chord, clipboard: dict[str, bytes]) -> bool:
    if control.role in NUMBER_ROLES and chord.key in _STEPS:
        change_number(control, number_of(control) + _STEPS[chord.key])
        return True
    if control.role in TEXT_ROLES:
        return _press_in_text(control, chord, clipboard)
    if control.role in {Role.LIST, Role.TREE} and chord.key in _STEPS:
        return _step_in_list(window, control, -int(_STEPS[chord.key]))
    if chord.key in {"space", "enter"} and "click" in control.actions:
        click(window, control)
        return True
    if chord.key == "space" and control.role in CHECKABLE_ROLES:
        click(window, control)
        return True
    return False


def _press_in_text(control: FakeControl, chord: Chord, clipboard: dict[str, bytes]) -> bool:
    if chord.modifiers == ("ctrl",):
        return _edit(control, chord.key, clipboard)
    if chord.key == "enter" and control.on_activate:
        activate(control)
        return True
    typed = "\n" if chord.key == "enter" and "multi_line" in control.states else printable(chord)
    kept = "" if control.all_text_selected else control.value
    if typed:
        change_text(control, kept + typed)
    elif chord.key == "backspace" and control.value:
        change_text(control, kept[:-1])
    elif chord.key == "delete" and control.all_text_selected:
        change_text(control, "")
    else:
        return False
    return True


def _edit(control: FakeControl, key: str, clipboard: dict[str, bytes]) -> bool:
    """Ctrl+A, C, X and V; a password is never copied."""
    kept = "" if control.all_text_selected else control.value
    if key == "a":
        control.all_text_selected = True
    elif key == "v":
        change_text(control, kept + text_on(clipboard))
    elif key in {"c", "x"}:
        if control.role is Role.PASSWORD or not control.all_text_selected:
            return True
        clipboard.clear()
        clipboard["UTF8_STRING"] = control.value.encode()
        if key == "x":
            change_text(control, "")
    else:
        return False
    return True


def _step_in_list(window: FakeWindow, container: FakeControl, step: int) -> bool:
    items = [item for item in container.shown_children() if item.role in CHOICE_ROLES]
    if not items:
        return False
    at = next((index for index, item in enumerate(items) if "selected" in item.states), None)
    choose(window, items[0 if at is None else max(0, min(len(items) - 1, at + step))])
    return True


def _press_in_table(table: FakeTable, chord: Chord, clipboard: dict[str, bytes]) -> bool:
    """A spreadsheet takes typed text, Enter, Tab, arrows, Delete and Ctrl+V at its selection."""
    if not table.spreadsheet or table.selection is None:
        return False
    top, left, bottom, right = table.selection
    if chord == Chord("v", ("ctrl",)):
        rows = rows_on(clipboard)
        table.write(top, left, rows)
        table.select(top, left, top + len(rows) - 1, left + max(map(len, rows)) - 1)
    elif typed := printable(chord):
        table.typing = (table.typing or "") + typed
    elif chord.key == "esc" and table.typing is not None:
        table.typing = None
    elif chord.key == "delete":
        table.write(top, left, [[""] * (right - left + 1)] * (bottom - top + 1))
    elif chord.key in _MOVES:
        _leave_cell(table, top, left, _MOVES[chord.key])
    else:
        return False
    return True


def _leave_cell(table: FakeTable, top: int, left: int, move: tuple[int, int]) -> None:
    if table.typing is not None:
        table.write(top, left, [[table.typing]])
        table.typing = None
    row = min(table.rows - 1, max(0, top + move[0]))
    column = min(table.columns - 1, max(0, left + move[1]))
    table.select(row, column, row, column)


def _press_in_window(window: FakeWindow, chord: Chord) -> None:
    if chord.modifiers:
        return
    if chord.key == "tab":
        takers = window.focusable()
        if takers:
            at = takers.index(window.focused) if window.focused in takers else -1
            focus(window, takers[(at + 1) % len(takers)])
    elif chord.key == "enter":
        default = next((c for c in window.all_controls() if "default" in c.states and not c.disabled), None)
        if default:
            click(window, default)
    elif chord.key == "esc":
        close_menus(window)


def printable(chord: Chord) -> str:
    """The text a chord types; nothing for control keys and shortcuts."""
    if set(chord.modifiers) - {"shift"}:
        return ""
    key = " " if chord.key == "space" else chord.key
    if len(key) != 1:
        return ""
    return key.upper() if chord.modifiers else key


def text_on(clipboard: dict[str, bytes]) -> str:
    """Return the clipboard's text: a plain-text form where there is one, else any form."""
    content = next((clipboard[name] for name in TEXT_FORMATS if name in clipboard), None)
    if content is None:
        content = next(iter(clipboard.values()), b"")
    return content.decode("utf-8", errors="replace")


def rows_on(clipboard: dict[str, bytes]) -> list[list[str]]:
    """The clipboard as a spreadsheet takes it: an OpenDocument block, else text with tabs."""
    block = next((content for name, content in clipboard.items() if name.startswith(BLOCK_FORMAT)), None)
    if block is None:
        return [line.split("\t") for line in text_on(clipboard).removesuffix("\n").split("\n")]
    with zipfile.ZipFile(io.BytesIO(block)) as archive:
        document = ET.fromstring(archive.read("content.xml"))  # noqa: S314 - it came from a test
    return [["\n".join(map(_words, cell)) for cell in row] for row in document.iter() if row.tag.endswith("}table-row")]


def _words(paragraph: ET.Element) -> str:
    return "".join(paragraph.itertext())


def _call(handler: Callable[[], None] | None) -> None:
    if handler:
        handler()
