"""Role, states, actions and number of an element, by its control type and its patterns."""

from collections.abc import Iterable
from typing import Final

from deskhand.desktop.windows.uia import com
from deskhand.desktop.windows.uia.cached import flag, has, number, text
from deskhand.desktop.windows.uia.com import Element
from deskhand.desktop.windows.uia.numbers import (
    ControlType,
    ExpandCollapseState,
    OrientationType,
    Property,
    ToggleState,
)

_ROLES: Final[dict[int, str]] = {
    ControlType.Button: "push button",
    ControlType.Calendar: "panel",
    ControlType.CheckBox: "check box",
    ControlType.ComboBox: "combo box",
    ControlType.Custom: "panel",
    ControlType.DataGrid: "table",
    ControlType.Edit: "entry",
    ControlType.Group: "panel",
    ControlType.Header: "panel",
    ControlType.HeaderItem: "table column header",
    ControlType.Hyperlink: "link",
    ControlType.Image: "image",
    ControlType.List: "list",
    ControlType.ListItem: "list item",
    ControlType.Menu: "popup menu",
    ControlType.MenuBar: "menu bar",
    ControlType.Pane: "panel",
    ControlType.ProgressBar: "progress bar",
    ControlType.RadioButton: "radio button",
    ControlType.ScrollBar: "scroll bar",
    ControlType.SemanticZoom: "panel",
    ControlType.Separator: "separator",
    ControlType.Slider: "slider",
    ControlType.Spinner: "spin button",
    ControlType.SplitButton: "push button",
    ControlType.StatusBar: "status bar",
    ControlType.Tab: "page tab list",
    ControlType.TabItem: "page tab",
    ControlType.Table: "table",
    ControlType.Text: "label",
    ControlType.Thumb: "separator",
    ControlType.TitleBar: "panel",
    ControlType.AppBar: "tool bar",
    ControlType.ToolBar: "tool bar",
    ControlType.ToolTip: "tool tip",
    ControlType.Tree: "tree",
    ControlType.TreeItem: "tree item",
    ControlType.Window: "window",
}
_ARIA: Final = {"alert": "alert", "alertdialog": "dialog", "dialog": "dialog", "heading": "heading"}
_ARIA_TYPES: Final[frozenset[int]] = frozenset(
    {ControlType.Custom, ControlType.Group, ControlType.Pane, ControlType.Text}
)
"""Control types whose role on a web page is more exact."""
_CELLS: Final[frozenset[int]] = frozenset(
    {ControlType.Custom, ControlType.DataItem, ControlType.Edit, ControlType.Image, ControlType.Text}
)
"""Control types of table cells."""
_TABLES: Final = frozenset({"table", "table row"})
_ITEMS: Final = frozenset({"list item", "table row", "tree item"})
_DROPS: Final = frozenset({"combo box", "menu", "push button", "toggle button"})
_CHOICES: Final = frozenset({"radio button", "radio menu item"})
_TEXTS: Final = frozenset({"combo box", "entry", "text"})
_TOGGLES: Final = frozenset({"check box", "check menu item", "toggle button"})


def role_of(element: Element, above: str, *, leaf: bool) -> str:
    """Return the role of an element inside one of the role `above`. `leaf`: it has no children."""
    kind = element.CachedControlType
    if element.CachedIsPassword:
        return "password text"
    if kind == ControlType.Document:
        return "text" if leaf or _is_editable(element) else "document frame"
    if kind == ControlType.MenuItem:
        return _menu_item(element)
    if kind == ControlType.Button and has(element, com.TOGGLE):
        return "toggle button"
    return _in_table(element, above, leaf=leaf) or _on_page(element) or _ROLES.get(kind, "unknown")


def _in_table(element: Element, above: str, *, leaf: bool) -> str:
    kind = element.CachedControlType
    is_row = kind == ControlType.DataItem and above != "table row" and not leaf
    if kind in _CELLS and above in _TABLES and flag(element, Property.IsGridItemPatternAvailable) and not is_row:
        return "table cell"
    if kind == ControlType.DataItem:
        return "table row" if above == "table" else "list item"
    return ""


def _on_page(element: Element) -> str:
    return _ARIA.get(text(element, Property.AriaRole), "") if element.CachedControlType in _ARIA_TYPES else ""


def _menu_item(element: Element) -> str:
    if has(element, com.TOGGLE):
        return "check menu item"
    if has(element, com.SELECTION_ITEM):
        return "radio menu item"
    return "menu" if _expansion(element) is not None else "menu item"


def _is_editable(element: Element) -> bool:
    return has(element, com.VALUE) and not flag(element, Property.ValueIsReadOnly)


def _expansion(element: Element) -> ExpandCollapseState | None:
    if not has(element, com.EXPAND_COLLAPSE):
        return None
    state = int(number(element, Property.ExpandCollapseExpandCollapseState))
    return None if state == ExpandCollapseState.LeafNode else ExpandCollapseState(state)


def states_of(element: Element, role: str, *, showing: bool) -> tuple[str, ...]:
    """Return the states of an element. `showing`: some of it is in view."""
    found = ["visible", "showing"] if showing else list[str]()
    found += ["enabled", "sensitive"] if element.CachedIsEnabled else []
    found += ["focusable"] if flag(element, Property.IsKeyboardFocusable) else []
    found += ["focused"] if flag(element, Property.HasKeyboardFocus) else []
    found += ["modal"] if flag(element, Property.WindowIsModal) else []
    found += _direction(element)
    found += _text_states(element, role)
    found += _toggle_states(element, role)
    found += _selection_states(element, role)
    found += _expansion_states(element)
    return tuple(found)


def _direction(element: Element) -> list[str]:
    along = number(element, Property.Orientation)
    if along == OrientationType.Vertical:
        return ["vertical"]
    return ["horizontal"] if along == OrientationType.Horizontal else []


def _text_states(element: Element, role: str) -> list[str]:
    if role not in _TEXTS:
        return []
    if has(element, com.VALUE):
        return ["read-only"] if flag(element, Property.ValueIsReadOnly) else ["editable"]
    return ["editable"] if role != "combo box" and has(element, com.TEXT) else []


def _toggle_states(element: Element, role: str) -> list[str]:
    if not has(element, com.TOGGLE):
        return []
    state = number(element, Property.ToggleToggleState)
    found = ["checkable"]
    found += ["checked"] if state == ToggleState.On else []
    found += ["indeterminate"] if state == ToggleState.Indeterminate else []
    return [*found, "pressed"] if role == "toggle button" and state == ToggleState.On else found


def _selection_states(element: Element, role: str) -> list[str]:
    found = ["multiselectable"] if flag(element, Property.SelectionCanSelectMultiple) else []
    if not has(element, com.SELECTION_ITEM):
        return found
    able, is_so = ("checkable", "checked") if role in _CHOICES else ("selectable", "selected")
    return [*found, able, is_so] if flag(element, Property.SelectionItemIsSelected) else [*found, able]


def _expansion_states(element: Element) -> list[str]:
    state = _expansion(element)
    if state is None:
        return []
    return ["expandable", "expanded"] if state == ExpandCollapseState.Expanded else ["expandable"]


def actions_of(element: Element, role: str) -> tuple[str, ...]:
    """Return the actions that an element offers, the plainest first."""
    found = dict.fromkeys(_actions(element, role))
    if not found and text(element, Property.LegacyIAccessibleDefaultAction):
        found["press"] = None
    if flag(element, Property.IsKeyboardFocusable):
        found["focus"] = None
    return tuple(found)


def _actions(element: Element, role: str) -> Iterable[str]:
    if has(element, com.SELECTION_ITEM):
        yield "press" if role in _CHOICES else "select"
    if has(element, com.INVOKE):
        yield "activate" if role in _ITEMS else "press"
    if has(element, com.TOGGLE):
        yield "press" if role in _TOGGLES else "toggle"
    state = _expansion(element)
    if state == ExpandCollapseState.Expanded:
        yield "collapse"
    elif state is not None:
        yield "open" if role in _DROPS else "expand"


def value_of(element: Element) -> tuple[float, float, float, float] | None:
    """Return the number of an element with its least, its greatest and its step; None where it has none."""
    if not has(element, com.RANGE_VALUE):
        return None
    return (
        number(element, Property.RangeValueValue),
        number(element, Property.RangeValueMinimum),
        number(element, Property.RangeValueMaximum),
        number(element, Property.RangeValueSmallChange),
    )
