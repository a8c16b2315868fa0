"""The shared part of the drawn dialogs: 40 words that no accessibility tree contains, and a log of clicks on them.

A click on "Count up" changes a text, one on "Frame me" draws a frame and changes no text, "Do nothing" does nothing.
The state file has each click and the lines, with the place on the screen that the toolkit gives their text.
"""

import json
from pathlib import Path

TITLE = "Words"
SIZE = (480, 330)
LEFT = 24
COLOURS = {"light": ("#f6f5f4", "#2e3436"), "dark": ("#353535", "#eeeeec")}
_TOP, _STEP = 16, 30


class Words:
    """`boxes`: the places of the lines in the drawing; `origin`: the drawing's corner on the screen."""

    def __init__(self, path):
        self.path = Path(path)
        self.count = 0
        self.page = 3
        self.framed = False
        self.clicks = []
        self.boxes = {}

    @property
    def lines(self):
        """Each line and its top."""
        texts = (
            "Save the changes to the document before closing?",
            "All changes of the last hour will be lost.",
            "File name: report-2026.odt",
            "Paper size: A4 landscape",
            f"Page {self.page} of 17",
            "Total: 1,284.50 EUR",
            f"Counted {self.count} times",
            "Count up",
            "Frame me",
            "Do nothing",
        )
        return [(text, _TOP + number * _STEP) for number, text in enumerate(texts)]

    @property
    def frame(self):
        """The place of the frame; None: there is none."""
        if not self.framed:
            return None
        left, top, right, bottom = self.boxes["Frame me"]
        return left - 4, top - 2, right + 4, bottom + 2

    def click(self, x, y):
        """Take a click at a point of the drawing; true if it has to be drawn again."""
        hit = next(
            (t for t, (left, top, right, bottom) in self.boxes.items() if left <= x < right and top <= y < bottom), ""
        )
        self.clicks.append(hit)
        self.count += hit == "Count up"
        self.framed |= hit == "Frame me"
        return hit in {"Count up", "Frame me"}

    def save(self, origin):
        x, y = origin
        lines = [
            {"text": text, "rect": [round(left + x), round(top + y), round(right + x), round(bottom + y)]}
            for text, (left, top, right, bottom) in self.boxes.items()
        ]
        state = json.dumps({"count": self.count, "clicks": self.clicks, "lines": lines})
        fresh = self.path.with_suffix(".new")
        fresh.write_text(state, encoding="utf-8")
        fresh.replace(self.path)
