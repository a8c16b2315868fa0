"""A window of Qt with three docks: one in front of another, and one that floats.

Run it with the system's Python for Qt 5, with that of Qt 6 for Qt 6.
"""

import sys

try:
    from PyQt5 import QtWidgets
    from PyQt5.QtCore import Qt
except ImportError:
    from PySide6 import QtWidgets
    from PySide6.QtCore import Qt

app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QMainWindow()
window.setWindowTitle("Docks")
window.setCentralWidget(QtWidgets.QTextEdit())
docks = {}
for name in ("Behind", "Front", "Floating"):
    docks[name] = QtWidgets.QDockWidget(name, window)
    docks[name].setWidget(QtWidgets.QPushButton(f"In {name.lower()}"))
    window.addDockWidget(Qt.RightDockWidgetArea, docks[name])
window.tabifyDockWidget(docks["Behind"], docks["Front"])
docks["Front"].raise_()
docks["Floating"].setFloating(True)
docks["Floating"].move(50, 50)
window.setGeometry(700, 420, 500, 300)
window.show()
sys.exit(app.exec() if hasattr(app, "exec") else app.exec_())
