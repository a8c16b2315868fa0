"""The tree of a window: its controls, and what is in each."""

from typing import Final

from . import dlls, scintilla
from .bars import STATUS_BAR, TABS, TOOL_BAR
from .buttons import BUTTON, LINK, STATIC, is_group_box
from .children import children_of, control_of
from .codes import ADDRESS, SHORTCUT
from .dates import DATE, MONTH
from .edits import EDIT
from .failures import Gone, Refused
from .groups import into_groups
from .kinds import Kind
from .list_views import HEADER, LIST_VIEW
from .lists import COMBO_BOX, DROPPED_LIST, LIST_BOX
from .menus import POPUP_CLASS, Menus
from .nodes import NOWHERE, Tree
from .ranges import PROGRESS, SCROLL_BAR, SLIDER, SPIN
from .reading import WS_DISABLED, Control, Reading, focus_of
from .scintilla import SCINTILLA
from .tree_views import TREE_VIEW
from .windows import standard_class_of, style_of

_OWNER: Final = 4
_CAPTION: Final = 0x00C00000
_SIZED: Final = 0x00040000 | 0x00020000  # WS_THICKFRAME, WS_MINIMIZEBOX
_EXTENDED_STYLE: Final = -20
_TOOL_WINDOW: Final = 0x80


def _read_panel(control: Control, reading: Reading) -> None:
    role = "internal frame" if control.style & _CAPTION == _CAPTION else "panel"
    reading.add(control, role, name=control.caption)


def _read_frame(control: Control, reading: Reading) -> None:
    states = ["active"] if dlls.foreground() == control.handle else []
    owner = dlls.related(control.handle, _OWNER)
    if owner and style_of(owner) & WS_DISABLED:
        states.append("modal")
    if dlls.is_minimized(control.handle):
        states.append("iconified")
    usual = "dialog" if owner and _is_dialog(control) else "frame"
    role = _WINDOW_ROLES.get(control.window_class.lower(), usual)
    reading.add(control, role, tuple(states), name=control.caption)


def _is_dialog(control: Control) -> bool:
    """An owned window is a dialog, whatever its class, where it has a caption and no size of the user's."""
    extended = dlls.window_long(control.handle, _EXTENDED_STYLE)
    return control.style & (_CAPTION | _SIZED) == _CAPTION and not extended & _TOOL_WINDOW


_WINDOW_ROLES: Final = {"#32770": "dialog", "tooltips_class32": "tool tip", POPUP_CLASS: "popup menu"}
_PANEL: Final = Kind(_read_panel)
_FRAME: Final = Kind(_read_frame)
_KINDS: Final[dict[str, Kind]] = {
    "button": BUTTON,
    "static": STATIC,
    "edit": EDIT,
    "richedit": EDIT,
    scintilla.CLASS: SCINTILLA,
    "listbox": LIST_BOX,
    "combolbox": DROPPED_LIST,
    "combobox": COMBO_BOX,
    "syslistview32": LIST_VIEW,
    "sysheader32": HEADER,
    "systreeview32": TREE_VIEW,
    "systabcontrol32": TABS,
    "toolbarwindow32": TOOL_BAR,
    "msctls_statusbar32": STATUS_BAR,
    "msctls_trackbar32": SLIDER,
    "msctls_updown32": SPIN,
    "msctls_progress32": PROGRESS,
    "scrollbar": SCROLL_BAR,
    "syslink": LINK,
    "sysdatetimepick32": DATE,
    "sysmonthcal32": MONTH,
    "sysipaddress32": ADDRESS,
    "msctls_hotkey32": SHORTCUT,
}


def kind_of(handle: int) -> Kind:
    """The kind of a control inside a window."""
    return _KINDS.get(standard_class_of(handle), _PANEL)


def is_field(handle: int) -> bool:
    """True for a text field whose messages are known. Raises Gone."""
    return kind_of(handle).field is not None


def read_tree(handle: int, menus: Menus) -> Tree:
    """All nodes of a top-level window.

    Raises:
        Gone: there is no such window.
        Hung: its program does not answer.
    """
    root = control_of(handle, 0)
    reading = Reading(root, focus_of(handle))
    reading.clips[handle] = NOWHERE if dlls.is_minimized(handle) else root.rect
    kind = kind_of(handle)
    (_FRAME if kind is _PANEL else kind).read(root, reading)
    reading.commands = menus.read(root, reading)
    boxes = list[str]()
    for control in children_of(root):
        reading.around_items = reading.clips[control.handle] = reading.clip(control)
        _read_inside(control, reading)
        if is_group_box(control):
            boxes.append(control.key)
    reading.tree.nodes = into_groups(reading.tree.nodes, boxes)
    return reading.tree


def _read_inside(control: Control, reading: Reading) -> None:
    try:
        kind_of(control.handle).read(control, reading)
    except Gone:
        if not dlls.is_window(reading.root.handle):
            raise
        reading.tree.cut(f"the control {control.handle} went away while it was read")
    except Refused as refused:
        reading.tree.cut(str(refused))
