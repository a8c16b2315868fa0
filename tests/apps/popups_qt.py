"""Menus of Qt that belong to no menu bar: `popups_qt.py`. Its title says what was chosen last.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtCore import Qt
    from PyQt5.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget
except ImportError:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

app = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Popups")
layout = QVBoxLayout(window)


def menu_of(*names):
    menu = QMenu()
    for name in names:
        menu.addAction(name, lambda name=name: window.setWindowTitle(f"Popups {name}"))
    return menu


button = QPushButton("Open")
menu = menu_of("First", "Second")
more = menu_of("Inner")
menu.addMenu(more).setText("More")
button.setMenu(menu)
layout.addWidget(button)

edit = QLineEdit("Words")
context = menu_of("Here")
edit.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
edit.customContextMenuRequested.connect(lambda at: context.popup(edit.mapToGlobal(at)))
layout.addWidget(edit)

window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
