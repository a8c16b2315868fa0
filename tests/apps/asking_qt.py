"""A German question of Qt about overwriting a file; `asking_qt.py FILE`. FILE is emptied by its first button."""

import sys
from pathlib import Path

from PyQt5.QtWidgets import QApplication, QMessageBox, QWidget

application = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Dateien")
window.show()
question = QMessageBox(QMessageBox.Question, "Frage", "Die Datei wird überschrieben. Weiter?", parent=window)
yes = question.addButton("Weiter", QMessageBox.YesRole)
question.addButton("Abbrechen", QMessageBox.NoRole)
question.buttonClicked.connect(lambda button: button is yes and Path(sys.argv[1]).write_text("", encoding="utf-8"))
question.open()
application.exec_()
