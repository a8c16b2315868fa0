"""A menu bar of Qt, of which an item has another menu: `menus_qt.py FILE`. It writes there which menus opened.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys
from pathlib import Path

try:
    from PyQt5.QtWidgets import QApplication, QMainWindow, QTextEdit
except ImportError:
    from PySide6.QtWidgets import QApplication, QMainWindow, QTextEdit

app = QApplication(sys.argv)
window = QMainWindow()
window.setWindowTitle("Menus")
window.setCentralWidget(QTextEdit())
opened = []


def menu_in(parent, title):
    def tell():
        opened.append(title)
        Path(sys.argv[1]).write_text("\n".join(opened))

    menu = parent.addMenu(title)
    menu.aboutToShow.connect(tell)
    return menu


file = menu_in(window.menuBar(), "File")
file.addAction("New")
recent = menu_in(file, "Recent")
recent.addAction("letter.odt")

window.resize(400, 300)
window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
