"""A text editor of Qt that saves with Ctrl+S, and under another name with Ctrl+Shift+S: `editor_qt.py FILE`."""

import sys
from pathlib import Path

from PyQt5 import QtWidgets
from PyQt5.QtGui import QKeySequence

application = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QMainWindow()
text = QtWidgets.QPlainTextEdit()
window.setCentralWidget(text)


def show(path: str) -> None:
    window.setWindowFilePath(path)
    window.setWindowTitle(f"{Path(path).name}[*] - Editor")
    window.setWindowModified(False)


def save() -> None:
    Path(window.windowFilePath()).write_text(text.toPlainText())
    window.setWindowModified(False)


def save_as() -> None:
    options = QtWidgets.QFileDialog.DontUseNativeDialog
    path, _ = QtWidgets.QFileDialog.getSaveFileName(window, "Save As", window.windowFilePath(), options=options)
    if path:
        show(path)
        save()


menu = window.menuBar().addMenu("File")
menu.addAction("Save", save, QKeySequence("Ctrl+S"))
menu.addAction("Save As", save_as, QKeySequence("Ctrl+Shift+S"))
text.setPlainText(Path(sys.argv[1]).read_text())
text.textChanged.connect(lambda: window.setWindowModified(True))
show(sys.argv[1])
window.resize(600, 400)
window.show()
sys.exit(application.exec_())
