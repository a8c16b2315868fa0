"""Controls of Qt with tooltips instead of words: `tipped_qt.py`.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtCore import Qt
    from PyQt5.QtWidgets import (
        QApplication,
        QCheckBox,
        QPushButton,
        QSlider,
        QSpinBox,
        QToolButton,
        QVBoxLayout,
        QWidget,
    )
except ImportError:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import (
        QApplication,
        QCheckBox,
        QPushButton,
        QSlider,
        QSpinBox,
        QToolButton,
        QVBoxLayout,
        QWidget,
    )

app = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Tipped")
layout = QVBoxLayout(window)
stays = QToolButton(toolTip="Stay up", checkable=True)
for widget in (
    QToolButton(toolTip="<b>Copy</b> <i>it</i>"),
    stays,
    QCheckBox(toolTip="Match case"),
    QPushButton("Plain", toolTip="Said elsewhere"),
    QSpinBox(toolTip="How many"),
    QSlider(Qt.Orientation.Horizontal, toolTip="How loud"),
):
    layout.addWidget(widget)
window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
