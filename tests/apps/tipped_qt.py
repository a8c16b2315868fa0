"""Buttons of Qt with icons and tooltips: `tipped_qt.py`.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtWidgets import QApplication, QCheckBox, QPushButton, QToolButton, QVBoxLayout, QWidget
except ImportError:
    from PySide6.QtWidgets import QApplication, QCheckBox, QPushButton, QToolButton, QVBoxLayout, QWidget

app = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Tipped")
layout = QVBoxLayout(window)
stays = QToolButton(toolTip="Stay up", checkable=True)
for widget in (
    QToolButton(toolTip="Copy it"),
    stays,
    QCheckBox(toolTip="Match case"),
    QPushButton("Plain", toolTip="Said elsewhere"),
):
    layout.addWidget(widget)
window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
