"""Two combo boxes of Qt, one of which can be typed into: `choices_qt.py`. Its title says what both show.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtWidgets import QApplication, QComboBox, QVBoxLayout, QWidget
except ImportError:
    from PySide6.QtWidgets import QApplication, QComboBox, QVBoxLayout, QWidget

app = QApplication(sys.argv)
window = QWidget()
layout = QVBoxLayout(window)
boxes = [QComboBox(accessibleName="Colour"), QComboBox(accessibleName="Size", editable=True)]
boxes[0].addItems(["Red", "Green", "Blue", *(f"Shade {number}" for number in range(80))])
boxes[1].addItems(["10", "12", "14"])


def tell():
    window.setWindowTitle(f"Choices {' '.join(box.currentText() for box in boxes)}")


for box in boxes:
    box.currentTextChanged.connect(lambda _: tell())
    layout.addWidget(box)
tell()
window.show()
sys.exit(app.exec_() if hasattr(app, "exec_") else app.exec())
