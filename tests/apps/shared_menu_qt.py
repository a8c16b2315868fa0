"""A context menu of Qt whose one item stands in the menu bar as well: `shared_menu_qt.py`.

Its title says what was chosen.
Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtCore import Qt
    from PyQt5.QtWidgets import QApplication, QMainWindow, QMenu, QPushButton
except ImportError:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QPushButton

app = QApplication(sys.argv)
window = QMainWindow()
window.setWindowTitle("Popups")
edit = window.menuBar().addMenu("Edit")
action = edit.addAction("Shared", lambda: window.setWindowTitle("Popups Shared"))
context = QMenu(window)
context.addAction(action)
button = QPushButton("Here")
button.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
button.customContextMenuRequested.connect(lambda at: context.popup(button.mapToGlobal(at)))
window.setCentralWidget(button)
window.resize(300, 200)
window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
