"""What the fixture applications with very many rows share: the texts of their cells, and the file that says the truth.

The file is JSON: `cells` has, by text, the place of each cell that can be seen, as far as it can be seen: left, top,
right, bottom on the screen; `clicked` has the texts of the cells that the pointer was pressed on, in order.
"""

import json

TITLE = "Rows"
NAME = "Numbers"
"""The accessible name of the view."""

COUNT = 100_000
COLUMNS = ("name", "code")
BRANCH = 1_000
"""Of a tree with branches every so many rows stand below the first of them."""

LOOK_MS = 50


def text(row, column):
    return f"Row {row}" if column == 0 else f"x{row:05}"


def clipped(rect, view):
    """The part of a place in a view; None where there is none."""
    left, top = max(rect[0], view[0]), max(rect[1], view[1])
    right, bottom = min(rect[2], view[2]), min(rect[3], view[3])
    return [left, top, right, bottom] if left < right and top < bottom else None


class Truth:
    """Writes the file whenever it has changed. `look` gives (row, column, rect) of cells, `view` what they show in."""

    def __init__(self, path, look, view):
        self._path = path
        self._look = look
        self._view = view
        self._written = ""
        self._clicked = []

    def clicked(self, row, column):
        self._clicked.append(text(row, column))
        self.write()

    def write(self):
        view = self._view()
        seen = {text(row, column): clipped(rect, view) for row, column, rect in self._look()}
        cells = {name: rect for name, rect in seen.items() if rect}
        told = json.dumps({"cells": cells, "clicked": self._clicked})
        if told != self._written:
            self._written = told
            temporary = self._path.with_suffix(".new")
            temporary.write_text(told, encoding="utf-8")
            temporary.replace(self._path)
        return True  # so that a timer goes on
