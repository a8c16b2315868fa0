#!/bin/bash
# PySide6-Essentials 6.12.0: the accessible object of a date or time field offers a number that it does not have.
#
# Valid input: a QSpinBox, a QDateEdit and a QTimeEdit, each asked for its value interface. Seen: all three offer one.
# That of the spin box has 1, 4 and 9 as least, current and greatest value and takes 5; those of the date and the time
# have None three times, and a number that is set is ignored without an error. Over AT-SPI the three values arrive as 0,
# so that a client that compares the text of a field with its number takes every date for a text that does not count.
#
# Needs the system's libEGL and libGL. Seen before in PySide6 6.8.3, and over AT-SPI in Qt 5.15.8.
#
# Run: findings/qt-date-field-has-an-empty-number.sh    exit code 0: as described; other: that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check 'PySide6-Essentials==6.12.0'
cat > "$folder/seen.py" <<'PY'
from PySide6 import QtCore, QtGui, QtWidgets

app = QtWidgets.QApplication([])
for field in (
    QtWidgets.QSpinBox(minimum=1, maximum=9, value=4),
    QtWidgets.QDateEdit(QtCore.QDate(2026, 3, 12), displayFormat="dd/MM/yyyy"),
    QtWidgets.QTimeEdit(QtCore.QTime(9, 30), displayFormat="HH:mm"),
):
    accessible = QtGui.QAccessible.queryAccessibleInterface(field)
    value = accessible.valueInterface()
    shown = accessible.text(QtGui.QAccessible.Text.Value)
    print(type(field).__name__, shown, value.minimumValue(), value.currentValue(), value.maximumValue(), end=" ")
    value.setCurrentValue(5)
    print("then", accessible.text(QtGui.QAccessible.Text.Value))
PY
cat > "$folder/expected" <<'TEXT'
QSpinBox 4 1 4 9 then 5
QDateEdit 12/03/2026 None None None then 12/03/2026
QTimeEdit 09:30 None None None then 09:30
TEXT
QT_QPA_PLATFORM=offscreen HOME="$folder" "$folder/venv/bin/python" "$folder/seen.py" > "$folder/seen" 2> "$folder/errors" || { cat "$folder/errors"; exit 2; }
cat "$folder/seen"
diff "$folder/expected" "$folder/seen"
