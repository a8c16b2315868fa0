"""A window of Qt with windows in it: the right edge cuts the second, the third is hidden. `inner_windows_qt.py`.

Which of their buttons was pressed is the title. Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5.QtWidgets import QApplication, QMainWindow, QMdiArea, QPushButton, QVBoxLayout, QWidget
except ImportError:
    from PySide6.QtWidgets import QApplication, QMainWindow, QMdiArea, QPushButton, QVBoxLayout, QWidget

app = QApplication(sys.argv)
window, area = QMainWindow(), QMdiArea()
window.setCentralWidget(area)
for number, name in enumerate(("Whole", "Cut", "Hidden")):
    page = QWidget()
    layout = QVBoxLayout(page)
    for place in ("first", "second"):
        button = QPushButton(f"{name} {place}")
        button.clicked.connect(lambda _=False, button=button: window.setWindowTitle(f"Inner {button.text()}"))
        layout.addWidget(button)
    inner = area.addSubWindow(page)
    inner.setWindowTitle(name)
    inner.setGeometry(10 + number * 280, 10, 240, 160)
window.show()
inner.hide()
window.setWindowTitle("Inner")
window.setGeometry(100, 100, 440, 300)
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
