"""The usual remedy of a finding in each toolkit, and the toolkit of a program."""

from enum import StrEnum
from pathlib import Path
from typing import Final

from deskhand.accessibility.rules import Rule


class Toolkit(StrEnum):
    GTK3 = "GTK 2 and 3"
    GTK4 = "GTK 4"
    QT = "Qt"
    SWING = "Swing"
    LIBREOFFICE = "LibreOffice"


_LIBRARIES: Final = (
    ("libvcl", Toolkit.LIBREOFFICE),  # it loads GTK as well
    ("libgtk-4.", Toolkit.GTK4),
    ("libgtk-3.", Toolkit.GTK3),
    ("libgtk-x11-2.", Toolkit.GTK3),
    ("libQt5Widgets", Toolkit.QT),
    ("libQt6Widgets", Toolkit.QT),
    ("libQt5Quick", Toolkit.QT),
    ("libQt6Quick", Toolkit.QT),
    ("libawt", Toolkit.SWING),
)

_NAME: Final = {
    Toolkit.GTK3: "Set it with atk_object_set_name() on gtk_widget_get_accessible(), or as the name of the internal "
    "child accessible in a .ui file; an icon button's tooltip is no name.",
    Toolkit.GTK4: "Set GTK_ACCESSIBLE_PROPERTY_LABEL with gtk_accessible_update_property(), or in a .ui file in its "
    "<accessibility> element.",
    Toolkit.QT: "Call setAccessibleName(), or set accessibleName in the .ui file; in QML set Accessible.name.",
    Toolkit.SWING: "Call getAccessibleContext().setAccessibleName().",
    Toolkit.LIBREOFFICE: "Set the accessible name in the .ui file of the dialog, or SetAccessibleName().",
}
_LABEL: Final = {
    Toolkit.GTK3: "Give the label the field as its mnemonic widget: gtk_label_set_mnemonic_widget(), or the property "
    "mnemonic_widget in a .ui file.",
    Toolkit.GTK4: "Give the label the field as its mnemonic-widget, or set GTK_ACCESSIBLE_RELATION_LABELLED_BY.",
    Toolkit.QT: "Call setBuddy() of the QLabel with the field; QFormLayout::addRow() with a text does it by itself.",
    Toolkit.SWING: "Call setLabelFor() of the JLabel with the field.",
    Toolkit.LIBREOFFICE: "Set mnemonic_widget of the label in the .ui file.",
}
_ACTION: Final = {
    Toolkit.GTK3: "Use a GtkButton in place of an event box, or implement AtkAction for the widget.",
    Toolkit.GTK4: "Use a widget that can be activated, such as GtkButton, in place of a gesture on a plain one.",
    Toolkit.QT: "Return its actions from a QAccessibleActionInterface (actionNames, doAction).",
    Toolkit.SWING: "Return an AccessibleAction from its AccessibleContext.",
}
_ROLE: Final = {
    Toolkit.GTK3: "Call atk_object_set_role() on its accessible, or use a widget that has the role.",
    Toolkit.GTK4: "Set the property accessible-role when the widget is made.",
    Toolkit.QT: "Return the role from a QAccessibleWidget of its own; in QML set Accessible.role.",
    Toolkit.SWING: "Return the role from getAccessibleRole() of its AccessibleContext.",
}
_TAB: Final = {
    Toolkit.GTK3: "Set can-focus, and check the focus chain of its container.",
    Toolkit.GTK4: "Set focusable and can-focus; a container must not skip it in its focus() function.",
    Toolkit.QT: "Set the focus policy Qt::StrongFocus or Qt::TabFocus, and the order with setTabOrder().",
    Toolkit.SWING: "Call setFocusable(true), and check the FocusTraversalPolicy.",
}
_STATE: Final = {
    Toolkit.GTK3: "Emit state changes with atk_object_notify_state_change() when the widget draws its state itself.",
    Toolkit.GTK4: "Set GTK_ACCESSIBLE_STATE_CHECKED with gtk_accessible_update_state() at each change.",
    Toolkit.QT: "Set checkable, and send a QAccessibleStateChangeEvent where the widget draws its state itself.",
    Toolkit.SWING: "Fire ACCESSIBLE_STATE_PROPERTY at each change.",
}
_TEXT: Final = {
    Toolkit.GTK3: "Implement AtkText for the widget that draws it, or give its accessible the text as its name.",
    Toolkit.GTK4: "Implement GtkAccessibleText for the widget, or set its label property.",
    Toolkit.QT: "Implement QAccessibleTextInterface for the widget, or set its accessible name.",
    Toolkit.SWING: "Implement AccessibleText in its AccessibleContext.",
}
_PLACE: Final = {
    Toolkit.GTK3: "Return the place of what is drawn from AtkComponent, and hide parts that are not shown.",
    Toolkit.QT: "Return the place in screen pixels from QAccessibleInterface::rect(), and the state invisible for "
    "hidden parts.",
    Toolkit.SWING: "Return the place from its AccessibleComponent.",
}
_BRIDGE: Final = {
    Toolkit.GTK3: "Make the custom widget expose its parts with an AtkObject of its own.",
    Toolkit.GTK4: "Implement GtkAccessible for the custom widget.",
    Toolkit.QT: "Install a QAccessible factory for the custom widget.",
    Toolkit.SWING: "Install the Java access bridge, and return an AccessibleContext from the component.",
}
_REMEDIES: Final[dict[Rule, dict[Toolkit, str]]] = {
    Rule.NOTHING_EXPOSED: _BRIDGE,
    Rule.NO_NAME: _NAME,
    Rule.LABEL_NOT_RELATED: _LABEL,
    Rule.NO_ROLE: _ROLE,
    Rule.NO_ACTION: _ACTION,
    Rule.WRONG_PLACE: _PLACE,
    Rule.EQUAL_NAMES: _NAME,
    Rule.NOT_BY_TAB: _TAB,
    Rule.STATE_NOT_REPORTED: _STATE,
    Rule.TEXT_NOT_EXPOSED: _TEXT,
}


def remedies(rule: Rule, toolkit: Toolkit | None) -> dict[str, str]:
    """The remedies by toolkit: that of the program, or all where its toolkit is not known or has none of its own."""
    known = _REMEDIES[rule]
    if toolkit is not None and toolkit in known:
        return {toolkit.value: known[toolkit]}
    return {each.value: text for each, text in known.items()}


def toolkit_of(pid: int | None) -> Toolkit | None:
    """The toolkit that a process has loaded; None where that is not known."""
    if pid is None:
        return None
    try:
        maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return next((toolkit for library, toolkit in _LIBRARIES if f"/{library}" in maps), None)
