"""A window of Qt that records every event that it gets, as `events_gtk3.py` does: `events_qt.py FILE`.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys
from pathlib import Path

try:
    from PyQt5.QtCore import Qt
    from PyQt5.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
except ImportError:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget

BUTTONS = {
    Qt.MouseButton.LeftButton: "left",
    Qt.MouseButton.MiddleButton: "middle",
    Qt.MouseButton.RightButton: "right",
    Qt.MouseButton.BackButton: "back",
    Qt.MouseButton.ForwardButton: "forward",
}
STATES = {
    "ctrl": Qt.KeyboardModifier.ControlModifier,
    "shift": Qt.KeyboardModifier.ShiftModifier,
    "alt": Qt.KeyboardModifier.AltModifier,
}
KEYS = {
    Qt.Key.Key_Control: "Control_L",
    Qt.Key.Key_Shift: "Shift_L",
    Qt.Key.Key_Alt: "Alt_L",
    Qt.Key.Key_CapsLock: "Caps_Lock",
    Qt.Key.Key_Enter: "KP_Enter",
    Qt.Key.Key_Right: "Right",
}

file = Path(sys.argv[1])
file.write_text("")


def note(*words):
    with file.open("a") as log:
        log.write(" ".join(word for word in words if word) + "\n")


def held(event):
    return "+".join(name for name, mask in STATES.items() if event.modifiers() & mask)


class Area(QWidget):
    def __init__(self):
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(600, 360)

    def mousePressEvent(self, event):  # noqa: N802
        note("down", BUTTONS[event.button()], held(event))

    def mouseDoubleClickEvent(self, event):  # noqa: N802
        note("down", BUTTONS[event.button()], held(event))
        note("double", BUTTONS[event.button()], held(event))

    def mouseReleaseEvent(self, event):  # noqa: N802
        note("up", BUTTONS[event.button()], held(event))

    def mouseMoveEvent(self, event):  # noqa: N802
        note("move", f"{event.pos().x()},{event.pos().y()}", held(event))

    def wheelEvent(self, event):  # noqa: N802
        way = event.angleDelta()
        across, up = way.x(), way.y()
        note("wheel", ("left" if across > 0 else "right") if across else ("up" if up > 0 else "down"), held(event))

    def keyPressEvent(self, event):  # noqa: N802
        note("key", KEYS.get(event.key(), event.text()), self._before(event))

    def keyReleaseEvent(self, event):  # noqa: N802
        if not event.isAutoRepeat():
            note("release", KEYS.get(event.key(), event.text()), self._before(event))

    def _before(self, event):
        """Qt counts a modifier's own press, and not its release."""
        names = held(event).split("+")
        return "+".join(name for name in names if KEYS.get(event.key(), "").lower()[:4] not in {name[:4], f"{name}r"})


app = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Events")
column = QVBoxLayout(window)
button = QPushButton("Tipped")
button.setToolTip("What it does")
button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
column.addWidget(button)
area = Area()
column.addWidget(area)
window.show()
area.setFocus()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
