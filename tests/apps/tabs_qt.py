"""A field above a book of tabs in Qt, the second of them in front: `tabs_qt.py`. Its title says what has the keyboard.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtWidgets import QApplication, QLabel, QLineEdit, QTabWidget, QVBoxLayout, QWidget
except ImportError:
    from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QTabWidget, QVBoxLayout, QWidget

app = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Tabs")
layout = QVBoxLayout(window)
field, book = QLineEdit("Ada"), QTabWidget()
for number in range(3):
    book.addTab(QLabel(f"Page {number}"), f"Tab {number}")
book.setCurrentIndex(1)
layout.addWidget(field)
layout.addWidget(book)
said = {field: "field", book.tabBar(): "tabs"}
app.focusChanged.connect(lambda _, now: window.setWindowTitle(f"Tabs {said.get(now, '')}"))
window.show()
field.setFocus()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
