"""Dates of Qt 5 in three forms, and a plain text: `dates_qt.py STATE_FILE`."""

import sys
from pathlib import Path

from everyday import LOOK_MS, State
from PyQt5.QtCore import QDate, QDateTime, QTime, QTimer
from PyQt5.QtWidgets import QApplication, QDateEdit, QDateTimeEdit, QFormLayout, QLineEdit, QWidget

app = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("Dates")
rows = QFormLayout(window)
day = QDate(2020, 1, 2)
fields = {
    "Due": QDateEdit(day, displayFormat="dd.MM.yyyy"),
    "Unclear": QDateEdit(day, displayFormat="M/d/yy"),
    "Start": QDateTimeEdit(QDateTime(day, QTime(3, 4)), displayFormat="yyyy-MM-dd HH:mm"),
    "Plain": QLineEdit(),
}
for name, field in fields.items():
    field.setAccessibleName(name)
    rows.addRow(name, field)


def look():
    start = fields["Start"].dateTime().toString("yyyy-MM-ddTHH:mm")
    days = {name: fields[name].date().toString("yyyy-MM-dd") for name in ("Due", "Unclear")}
    return {**days, "Start": start, "Plain": fields["Plain"].text()}


state = State(Path(sys.argv[1]), look)
timer = QTimer()
timer.timeout.connect(state.write)
timer.start(LOOK_MS)
window.show()
sys.exit(app.exec_())
