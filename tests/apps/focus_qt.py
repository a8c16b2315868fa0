"""What may have the keyboard in Qt: `focus_qt.py`. Its title says which of them has it.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtWidgets import QApplication, QComboBox, QLineEdit, QListWidget, QVBoxLayout, QWidget
except ImportError:
    from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QListWidget, QVBoxLayout, QWidget

app = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Focus")
layout = QVBoxLayout(window)
city = QComboBox()
city.addItems(["Bonn", "Rome"])
city.setEditable(True)
fruit, size, name = QListWidget(), QListWidget(), QLineEdit("Ada")
fruit.addItems(["Apple", "Pear"])
size.addItems(["Large", "Small"])
for widget in (city, fruit, size, name):
    layout.addWidget(widget)
said = {city: "city", city.lineEdit(): "city", fruit: "fruit", size: "size", name: "name"}
app.focusChanged.connect(lambda _, now: window.setWindowTitle(f"Focus {said.get(now, '')}"))
window.show()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
