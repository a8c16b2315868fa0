"""A Qt window with as many controls as the first argument says; runs where PySide6 is installed."""

import sys

from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)


def spin(number):
    box = QSpinBox()
    box.setRange(0, 1000)
    box.setValue(number % 100)
    return box


MAKERS = (
    lambda n: QPushButton(f"Button {n}"),
    lambda n: QCheckBox(f"Check {n}"),
    lambda n: QLineEdit(f"entry {n}"),
    lambda n: QLabel(f"Label {n}"),
    spin,
)


def main(count):
    application = QApplication(sys.argv)
    window = QWidget()
    window.setWindowTitle(f"{count} controls")
    grid = QGridLayout(window)
    grid.setSpacing(1)
    for number in range(count):
        grid.addWidget(MAKERS[number % len(MAKERS)](number), number // 20, number % 20)
    window.showMaximized()
    application.exec()


main(int(sys.argv[1]))
