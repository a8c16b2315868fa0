"""AT-SPI's numbers for roles and states, in the words of the core.

Roles go by number: their names differ between versions ("push button" up to 2.52, "button" from 2.53).
"""

from functools import lru_cache
from typing import Final

from deskhand.core.roles import Role

_ROLES: Final[tuple[tuple[str, Role], ...]] = (
    ("invalid", Role.UNKNOWN),
    ("accelerator label", Role.LABEL),
    ("alert", Role.DIALOG),
    ("animation", Role.IMAGE),
    ("arrow", Role.BUTTON),
    ("calendar", Role.GROUP),
    ("canvas", Role.CANVAS),
    ("check box", Role.CHECKBOX),
    ("check menu item", Role.MENUITEMCHECKBOX),
    ("color chooser", Role.DIALOG),
    ("column header", Role.COLUMNHEADER),
    ("combo box", Role.COMBOBOX),
    ("date editor", Role.TEXTBOX),
    ("desktop icon", Role.LISTITEM),
    ("desktop frame", Role.GENERIC),
    ("dial", Role.SLIDER),
    ("dialog", Role.DIALOG),
    ("directory pane", Role.GROUP),
    ("drawing area", Role.CANVAS),
    ("file chooser", Role.DIALOG),
    ("filler", Role.GENERIC),
    ("focus traversable", Role.GENERIC),
    ("font chooser", Role.DIALOG),
    ("frame", Role.WINDOW),
    ("glass pane", Role.GENERIC),
    ("html container", Role.DOCUMENT),
    ("icon", Role.LISTITEM),
    ("image", Role.IMAGE),
    ("internal frame", Role.GROUP),
    ("label", Role.LABEL),
    ("layered pane", Role.GENERIC),
    ("list", Role.LIST),
    ("list item", Role.LISTITEM),
    ("menu", Role.MENU),
    ("menu bar", Role.MENUBAR),
    ("menu item", Role.MENUITEM),
    ("option pane", Role.DIALOG),
    ("page tab", Role.TAB),
    ("page tab list", Role.TABLIST),
    ("panel", Role.GROUP),
    ("password text", Role.PASSWORD),
    ("popup menu", Role.MENU),
    ("progress bar", Role.PROGRESSBAR),
    ("push button", Role.BUTTON),
    ("radio button", Role.RADIO),
    ("radio menu item", Role.MENUITEMRADIO),
    ("root pane", Role.GENERIC),
    ("row header", Role.ROWHEADER),
    ("scroll bar", Role.SCROLLBAR),
    ("scroll pane", Role.GENERIC),
    ("separator", Role.SEPARATOR),
    ("slider", Role.SLIDER),
    ("spin button", Role.SPINBUTTON),
    ("split pane", Role.GENERIC),
    ("status bar", Role.STATUS),
    ("table", Role.TABLE),
    ("table cell", Role.CELL),
    ("table column header", Role.COLUMNHEADER),
    ("table row header", Role.ROWHEADER),
    ("tear off menu item", Role.MENUITEM),
    ("terminal", Role.TEXTBOX),
    ("text", Role.TEXTBOX),
    ("toggle button", Role.BUTTON),
    ("tool bar", Role.TOOLBAR),
    ("tool tip", Role.TOOLTIP),
    ("tree", Role.TREE),
    ("tree table", Role.TREE),
    ("unknown", Role.UNKNOWN),
    ("viewport", Role.GENERIC),
    ("window", Role.WINDOW),
    ("extended", Role.UNKNOWN),
    ("header", Role.SECTION),
    ("footer", Role.SECTION),
    ("paragraph", Role.PARAGRAPH),
    ("ruler", Role.GENERIC),
    ("application", Role.APPLICATION),
    ("autocomplete", Role.TEXTBOX),
    ("edit bar", Role.TEXTBOX),
    ("embedded", Role.FIGURE),
    ("entry", Role.TEXTBOX),
    ("chart", Role.FIGURE),
    ("caption", Role.TEXT),
    ("document frame", Role.DOCUMENT),
    ("heading", Role.HEADING),
    ("page", Role.SECTION),
    ("section", Role.SECTION),
    ("redundant object", Role.GENERIC),
    ("form", Role.FORM),
    ("link", Role.LINK),
    ("input method window", Role.WINDOW),
    ("table row", Role.ROW),
    ("tree item", Role.TREEITEM),
    ("document spreadsheet", Role.DOCUMENT),
    ("document presentation", Role.DOCUMENT),
    ("document text", Role.DOCUMENT),
    ("document web", Role.DOCUMENT),
    ("document email", Role.DOCUMENT),
    ("comment", Role.SECTION),
    ("list box", Role.LIST),
    ("grouping", Role.GROUP),
    ("image map", Role.IMAGE),
    ("notification", Role.ALERT),
    ("info bar", Role.ALERT),
    ("level bar", Role.PROGRESSBAR),
    ("title bar", Role.TITLEBAR),
    ("block quote", Role.SECTION),
    ("audio", Role.GENERIC),
    ("video", Role.GENERIC),
    ("definition", Role.TEXT),
    ("article", Role.ARTICLE),
    ("landmark", Role.SECTION),
    ("log", Role.SECTION),
    ("marquee", Role.TEXT),
    ("math", Role.TEXT),
    ("rating", Role.SLIDER),
    ("timer", Role.STATUS),
    ("static", Role.TEXT),
    ("math fraction", Role.TEXT),
    ("math root", Role.TEXT),
    ("subscript", Role.TEXT),
    ("superscript", Role.TEXT),
    ("description list", Role.LIST),
    ("description term", Role.TEXT),
    ("description value", Role.TEXT),
    ("footnote", Role.SECTION),
    ("content deletion", Role.TEXT),
    ("content insertion", Role.TEXT),
    ("mark", Role.TEXT),
    ("suggestion", Role.TEXT),
    ("push button menu", Role.BUTTON),
    ("switch", Role.SWITCH),
)

_STATES: Final = (
    "invalid",
    "active",
    "armed",
    "busy",
    "checked",
    "collapsed",
    "defunct",
    "editable",
    "enabled",
    "expandable",
    "expanded",
    "focusable",
    "focused",
    "-",
    "horizontal",
    "iconified",
    "modal",
    "multi_line",
    "multiselectable",
    "-",
    "pressed",
    "resizable",
    "selectable",
    "selected",
    "enabled",
    "showing",
    "single_line",
    "stale",
    "transient",
    "vertical",
    "visible",
    "manages_descendants",
    "indeterminate",
    "required",
    "truncated",
    "animated",
    "invalid_entry",
    "autocompletes",
    "selectable_text",
    "default",
    "visited",
    "checkable",
    "has_popup",
    "read_only",
)
"""By bit; "-": of no use outside. "enabled" (8) and "sensitive" (24) are one: some elements report the first alone."""

ACTIVE: Final = 1 << 1
CHECKED: Final = 1 << 4
INDETERMINATE: Final = 1 << 32
TRUNCATED: Final = 1 << 34
COLLAPSED: Final = 1 << 5
DEFUNCT: Final = 1 << 6
EDITABLE: Final = 1 << 7
EXPANDABLE: Final = 1 << 9
EXPANDED: Final = 1 << 10
FOCUSABLE: Final = 1 << 11
FOCUSED: Final = 1 << 12
HORIZONTAL: Final = 1 << 14
MODAL: Final = 1 << 16
MULTI_LINE: Final = 1 << 17
PRESSED: Final = 1 << 20
SELECTABLE: Final = 1 << 22
SELECTED: Final = 1 << 23
ENABLED: Final = 1 << 8 | 1 << 24
SHOWING: Final = 1 << 25
SINGLE_LINE: Final = 1 << 26
TRANSIENT: Final = 1 << 28
VERTICAL: Final = 1 << 29
VISIBLE: Final = 1 << 30
MANAGES_DESCENDANTS: Final = 1 << 31
CHECKABLE: Final = 1 << 41
READ_ONLY: Final = 1 << 43
OFFSCREEN: Final = 1 << 63
"""Ours, not AT-SPI's: it exists in a part of a document that is not in view."""

EMPTY: Final = 1 << 62
"""Ours: a cell of a spreadsheet without content."""

UNLISTED_PAGES: Final = 1 << 61
"""Ours: a text document that lists the tables in view only, not those on other pages."""

UNTOLD: Final = 1 << 60
"""Ours: it may be checked without saying so."""

RESULT_UNTOLD: Final = 1 << 59
"""Ours: a cell of a spreadsheet with a formula whose result is not exposed, such as an error."""

NUMBER_AS_TEXT: Final = 1 << 56
"""Ours: a cell of a spreadsheet with a text that reads as a number."""

TRACKED_CHANGES: Final = 1 << 58
"""Ours: a text with recorded changes, whose deleted words are left out."""

CONTENT_CONTROLS: Final = 1 << 57
"""Ours: a text with content controls, whose marks are left out."""

CALENDAR: Final = 5
PARAGRAPH: Final = 73
HEADING: Final = 83
COLOR_CHOOSER: Final = 9
FILE_CHOOSER: Final = 19
FONT_CHOOSER: Final = 22
FILLER: Final = 20
FRAME: Final = 23
ICON: Final = 26
CHECK_BOX: Final = 7
LABEL: Final = 29
LAYERED_PANE: Final = 30
LINK: Final = 88
SPIN_BUTTON: Final = 52
COMBO_BOX: Final = 11
DATE_EDITOR: Final = 12
ENTRY: Final = 79
SWITCH: Final = 130
AUDIO: Final = 106
VIDEO: Final = 107
LIST: Final = 31
LIST_ITEM: Final = 32
LIST_BOX: Final = 98
STATIC: Final = 116
MENU: Final = 33
MENU_BAR: Final = 34
MENU_ITEM: Final = 35
POPUP_MENU: Final = 41
PAGE_TAB: Final = 37
PAGE_TAB_LIST: Final = 38
OPTION_PANE: Final = 36
PANEL: Final = 39
PASSWORD_TEXT: Final = 40
PUSH_BUTTON: Final = 43
RADIO_BUTTON: Final = 44
ROOT_PANE: Final = 46
SPLIT_PANE: Final = 53
SCROLL_BAR: Final = 48
SCROLL_PANE: Final = 49
SEPARATOR: Final = 50
TABLE: Final = 55
TABLE_CELL: Final = 56
COLUMN_HEADER: Final = 57
TABLE_ROW: Final = 90
DOCUMENT_FRAME: Final = 82
PAGE: Final = 84
SECTION: Final = 85
TREE_ITEM: Final = 91
DOCUMENT_SPREADSHEET: Final = 92
DOCUMENT_PRESENTATION: Final = 93
DOCUMENT_TEXT: Final = 94
DOCUMENT_WEB: Final = 95
TEXT: Final = 61
TOGGLE_BUTTON: Final = 62
APPLICATION: Final = 75
TOOL_BAR: Final = 63
TOOL_TIP: Final = 64
TREE: Final = 65
TREE_TABLE: Final = 66
VIEWPORT: Final = 68
WINDOW: Final = 69
PRESSED_ROLES: Final = frozenset(
    {LINK, PUSH_BUTTON, TOGGLE_BUTTON, CHECK_BOX, RADIO_BUTTON, SWITCH, ENTRY, PASSWORD_TEXT, COMBO_BOX}
)
"""Roles that take clicks themselves: a click that their container takes does something else.

Not items of menus and tabs: a hit test of a browser returns their container for them.
"""

DRAWN_ROLES: Final = frozenset({DATE_EDITOR, AUDIO, VIDEO})
"""Roles that a hit test may return for a part drawn into them, as the button that opens a calendar."""

TABLE_ROLES: Final = frozenset({TABLE, TREE_TABLE})
SCROLLING_ROLES: Final = frozenset({31, 49, 55, 66, 68})
"""List, scroll pane, table, tree table, viewport: their content may be scrolled out of view."""

KEEPING_ROLES: Final = frozenset({31, 55})
"""List, table: they may contain rows that are scrolled away and report SHOWING."""

WINDOW_ROLES: Final = frozenset({2, 16, 19, 22, 23, 69})
"""Roles right below an application: alerts, dialogs and choosers, frames, windows."""

MENU_ITEM_ROLES: Final = frozenset({8, 35, 45})
"""Plain, to check, one of several."""

POPUP_ROLES: Final = frozenset({33, 41, 69})
"""Menu, popup menu, window: roles of toplevels that the window manager does not list."""

SCROLLED_ROLES: Final = frozenset({31, 49, 55, 65, 66, 68, 95, 98})
"""Lists, panes, tables, trees, viewports, web pages: their content is visible inside their place only."""

APART_ROLES: Final = frozenset({11, 29, 37, 91})
"""Combo boxes, labels, page tabs, tree items: their children are elsewhere on the screen."""

LAYOUT_ROLES: Final = frozenset({16, 20, 22, 23, 24, 30, 39, 46, 49, 53, 68, 69})
"""Dialogs, frames, fillers, panes, panels: their children are in the order they were added, not in reading order."""

_NUMERIC_ROLES: Final = frozenset({Role.SLIDER, Role.SPINBUTTON, Role.PROGRESSBAR, Role.SCROLLBAR})
_LABELLED_ROLES: Final = frozenset(
    {
        Role.TEXTBOX,
        Role.PASSWORD,
        Role.COMBOBOX,
        Role.SPINBUTTON,
        Role.SLIDER,
        Role.LIST,
        Role.MENUITEM,
        Role.MENUITEMCHECKBOX,
        Role.MENUITEMRADIO,
    }
)
"""Items of menus may be named by labels alone that are children of no element."""


def role_of(number: int) -> Role:
    """The core's role for AT-SPI's number."""
    return _BY_NUMBER.get(number, Role.UNKNOWN)


_BY_NUMBER: Final = {number: role for number, (_, role) in enumerate(_ROLES)}


def raw_role_of(number: int) -> str:
    """AT-SPI's own word for the role, the same on every version."""
    return _ROLES[number][0] if 0 <= number < len(_ROLES) else f"role {number}"


def number_of(raw_role: str) -> int:
    """Return AT-SPI's number for its own word; 0, the invalid role, for another one."""
    return _NUMBERS.get(raw_role, 0)


_NUMBERS: Final = {word: number for number, (word, _) in enumerate(_ROLES)}


_OURS: Final = {
    "offscreen": OFFSCREEN,
    "empty": EMPTY,
    "other_pages_unlisted": UNLISTED_PAGES,
    "checked_untold": UNTOLD,
    "result_untold": RESULT_UNTOLD,
    "number_as_text": NUMBER_AS_TEXT,
    "tracked_changes": TRACKED_CHANGES,
    "content_controls": CONTENT_CONTROLS,
}


@lru_cache(maxsize=1024)
def states_of(bits: int) -> frozenset[str]:
    """Return the names of the states that are set and of use outside.

    A read-only element is not editable, though it may report both. An expandable one that is not expanded is collapsed:
    some do not report it, and leaves of trees may report it.
    """
    bits = bits | COLLAPSED if bits & EXPANDABLE and not bits & EXPANDED else bits & ~COLLAPSED
    if bits & READ_ONLY:
        bits &= ~EDITABLE
    names = frozenset(name for bit, name in enumerate(_STATES) if name != "-" and bits >> bit & 1)
    return names | {name for name, bit in _OURS.items() if bits & bit}


def takes_name_from_label(role: Role) -> bool:
    """True if a control of this role is usually named by a label beside it."""
    return role in _LABELLED_ROLES


def has_number(role: Role) -> bool:
    """True if the number of a control of this role is meaningful; office suites give one to every button."""
    return role in _NUMERIC_ROLES
