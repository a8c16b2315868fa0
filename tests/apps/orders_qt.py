"""Orders in Qt; `orders_qt.py FILE`: a question first, then a log-in, a moment later the order, which Ctrl+S saves."""

import sys
from pathlib import Path

from PyQt5.QtCore import QTimer
from PyQt5.QtGui import QKeySequence
from PyQt5.QtWidgets import QApplication, QDialog, QFormLayout, QLineEdit, QMessageBox, QPushButton, QShortcut, QWidget

LOADS_MS = 600
FILE = Path(sys.argv[1])


class Orders(QWidget):
    def __init__(self, clerk):
        super().__init__()
        self.clerk = clerk
        self.order = QLineEdit()
        self.order.textEdited.connect(lambda _: self.setWindowTitle(f"*{FILE.name} - Orders"))
        QFormLayout(self).addRow("Order", self.order)
        QShortcut(QKeySequence.Save, self, self.save)
        self.setWindowTitle(f"{FILE.name} - Orders")
        self.resize(400, 100)

    def save(self):
        FILE.write_text(f"{self.clerk}: {self.order.text()}\n", encoding="utf-8")
        self.setWindowTitle(f"{FILE.name} - Orders")


def log_in():
    dialog = QDialog()
    dialog.setWindowTitle("Clerk")
    name, ok = QLineEdit(), QPushButton("OK")
    ok.clicked.connect(dialog.accept)
    layout = QFormLayout(dialog)
    layout.addRow("Name", name)
    layout.addRow(ok)
    dialog.exec_()
    return name.text()


application = QApplication(sys.argv)
application.setQuitOnLastWindowClosed(False)
question = QMessageBox(QMessageBox.Question, "Unfinished", "An order was not finished. Go on with it?")
question.addButton("Go on", QMessageBox.AcceptRole)
question.addButton("Start anew", QMessageBox.RejectRole)
question.exec_()
window = Orders(log_in())
QTimer.singleShot(LOADS_MS, window.show)
application.exec_()
