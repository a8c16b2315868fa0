"""What the deceiving applications share: their lies, their own truth, and the file that says it.

For each lie there is a box, a button with a label that counts, and a text field; of boxes and fields each has a
neighbour. What a widget shows and says is one thing, what the application takes for true another: only the latter is
in the file, JSON: `model` by key, `pending`: what is still to come, `done`: how often something was done to a widget.
Started with the word `restless` after the file, it also has what changes by itself: a clock, a bar, a list that fills.
"""

import json
import sys
import time

TITLE = "Deceiver"
LIES = ("honest", "noop", "revert", "neighbour", "veneer", "late", "raise", "hang")
KINDS = ("box", "press", "text")
REVERT_MS = 50
LATE_MS = 400
HANG_S = 2.0
TICK_MS = 200
ROWS = 8
LIST_HEIGHT = 320
"""More than they take: a window that grows by itself is another story."""
START = "first"


def keys():
    """Of every widget that something is done to, neighbours included."""
    for lie in LIES:
        for kind in KINDS:
            yield f"{lie} {kind}"
            if kind != "press":
                yield f"{lie} {kind} beside"


class Deceiver:
    """`toolkit` has `later(ms, what)`, `show(key, value)`, which changes a widget without asking back, and
    `tell(key, text)`, which changes only what is said of a button's label. With `restless`, it has `turn(clock, share,
    row)`, which shows a time and a share of a bar, and adds a row to a list, which is emptied before the first one."""

    def __init__(self, path, toolkit, restless=False):
        self.path = path
        self.toolkit = toolkit
        starts = {"box": False, "press": 0, "text": START}
        self.model = {key: starts[key.split()[1]] for key in keys()}
        self.pending = 0
        self.done = 0
        self.turns = 0
        self.save()
        if restless:
            self.turn()

    def turn(self):
        self.turns += 1
        self.toolkit.turn(clock(self.turns), self.turns % 20 / 20, self.turns % ROWS)
        self.toolkit.later(TICK_MS, self.turn)

    def save(self):
        state = {"model": self.model, "pending": self.pending, "done": self.done}
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(state), encoding="utf-8")
        temporary.replace(self.path)

    def later(self, milliseconds, what):
        def happens():
            self.pending -= 1
            what()
            self.save()

        self.pending += 1
        self.toolkit.later(milliseconds, happens)

    def changed(self, key, wanted):
        """A widget shows `wanted`, because somebody did something to it; None: a button was pressed."""
        self.done += 1
        lie, kind = key.split()[:2]
        before = self.model[key]
        wanted = before + 1 if kind == "press" else wanted
        if wanted == before:
            return
        if key.endswith("beside"):
            lie = "honest"
        try:
            self.lie(key, lie, before, wanted)
        finally:
            self.save()

    def lie(self, key, lie, before, wanted):
        if lie in ("honest", "revert"):
            self.toolkit.show(key, wanted)
        elif lie != "veneer":
            self.toolkit.show(key, before)
        elif key.endswith("press"):
            self.toolkit.tell(key, f"{key} {self.done}")
        if lie == "honest":
            self.model[key] = wanted
        elif lie == "revert":
            self.later(REVERT_MS, lambda: self.toolkit.show(key, before))
        elif lie == "late":
            self.later(LATE_MS, lambda: self.take(key, wanted))
        elif lie == "neighbour" and not key.endswith("press"):
            beside = f"{key} beside"
            self.take(beside, not self.model[beside] if key.endswith("box") else wanted)
        elif lie == "hang":
            time.sleep(HANG_S)
        elif lie == "raise":
            raise RuntimeError(f"{key}: on purpose")

    def take(self, key, value):
        self.model[key] = value
        self.toolkit.show(key, value)


def clock(turns):
    """It gets wider now and then."""
    return f"{turns // 60}:{turns % 60}"


def quiet():
    """What is raised on purpose is not printed."""
    sys.excepthook = lambda *_: None
