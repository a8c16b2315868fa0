"""A button above a pane that scrolls, by Qt 5 or 6: `scrolled_qt.py FILE`. The file says which buttons are seen."""

import json
import sys
from pathlib import Path

try:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea, QTabBar, QVBoxLayout, QWidget
except ImportError:
    from PyQt5.QtCore import QTimer
    from PyQt5.QtWidgets import QApplication, QPushButton, QScrollArea, QTabBar, QVBoxLayout, QWidget


def tell(buttons, area):
    seen = [button.text() for button in buttons if not button.visibleRegion().isEmpty()]
    fresh = Path(f"{sys.argv[1]}.new")
    fresh.write_text(json.dumps({"seen": seen, "at": area.verticalScrollBar().value()}), "utf-8")
    fresh.replace(sys.argv[1])


def main():
    application = QApplication(sys.argv[:1])
    window = QWidget()
    window.setWindowTitle("Scrolled")
    layout = QVBoxLayout(window)
    above = QPushButton("Above")
    layout.addWidget(above)
    tabs = QTabBar()
    tabs.setFixedWidth(200)
    for number in range(12):
        tabs.addTab(f"Tab {number}")
    layout.addWidget(tabs)
    area, content = QScrollArea(), QWidget()
    rows = QVBoxLayout(content)
    buttons = [QPushButton(f"Row {number}") for number in range(30)]
    for button in buttons:
        rows.addWidget(button)
    area.setWidget(content)
    area.setFixedHeight(130)
    layout.addWidget(area)
    above.clicked.connect(lambda: area.verticalScrollBar().setValue(60))
    timer = QTimer()
    timer.timeout.connect(lambda: tell(buttons, area))
    timer.start(50)
    window.resize(300, 280)
    window.show()
    getattr(application, "exec", getattr(application, "exec_", None))()


main()
