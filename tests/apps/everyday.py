"""What the everyday fixtures of all toolkits share: ordinary forms, and the file in which each reports its own state.

The file is one flat JSON object: the texts, numbers, choices and the selection as the widgets have them at this moment,
how often something was pressed, and which windows and menus are open. Nothing in it comes from accessibility.
"""

import json

TITLE = "Everyday"
FRUIT = ("Apple", "Pear", "Plum", "Cherry")
SIZES = ("A4", "A5", "Letter")
LOOK_MS = 30
"""Interval in which a fixture compares its state with the file."""


class State:
    """Writes `look()` to a file whenever it changed; `counts` are added to it."""

    def __init__(self, path, look):
        self._path, self._look, self._written = path, look, ""
        self.counts = {"pressed": 0, "silent": 0, "counted": 0, "asked": 0}

    def count(self, key):
        self.counts[key] += 1
        self.write()

    def write(self):
        text = json.dumps(self.counts | self._look())
        if text != self._written:
            self._written = text
            new = self._path.with_suffix(".new")
            new.write_text(text, encoding="utf-8")
            new.replace(self._path)
        return True  # a timer goes on
