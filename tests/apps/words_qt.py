"""The words of `words.py` on a painted widget of Qt: `words_qt.py STATE_FILE THEME`."""

import sys

from PyQt5.QtCore import QPoint, QRect
from PyQt5.QtGui import QColor, QPainter
from PyQt5.QtWidgets import QApplication, QWidget
from words import COLOURS, LEFT, SIZE, TITLE, Words

words = Words(sys.argv[1])
back, front = COLOURS[sys.argv[2]]


class Drawing(QWidget):
    def paintEvent(self, _):  # noqa: N802 - Qt calls it so
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(back))
        painter.setPen(QColor(front))
        metrics, words.boxes = painter.fontMetrics(), {}
        for text, top in words.lines:
            painter.drawText(LEFT, top + metrics.ascent(), text)
            words.boxes[text] = LEFT, top, LEFT + metrics.horizontalAdvance(text), top + metrics.height()
        if words.frame:
            left, top, right, bottom = words.frame
            painter.drawRect(QRect(left, top, right - left, bottom - top))
        self.save()

    def save(self):
        origin = self.mapToGlobal(QPoint(0, 0))
        words.save((origin.x(), origin.y()))

    def mousePressEvent(self, event):  # noqa: N802
        if words.click(event.x(), event.y()):
            self.update()
        self.save()

    def moveEvent(self, _):  # noqa: N802
        self.save()


application = QApplication(sys.argv)
drawing = Drawing()
drawing.setWindowTitle(TITLE)
drawing.setFixedSize(*SIZE)
drawing.show()
application.exec()
