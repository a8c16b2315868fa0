"""Common parts of the fixtures whose rows show other records all the time: `recycling_*.py FILE SECONDS`.

A list shows some of many people, each with a button. Every so many SECONDS the next people come into the same rows.
FILE is JSON: `pressed` has, in order, who stood in the row whose button was pressed, at that moment.
"""

import json
import sys
from pathlib import Path

TITLE = "Recycling"
SIZE = 5
PEOPLE = ("Ada", "Bob", "Eve", "Joe", "Kim", "Lea", "Max", "Zoe")


def person(number):
    return f"{PEOPLE[number % len(PEOPLE)]} {number}"


class Rows:
    """`labels` show the people; `done` shows how often a button was pressed; `set_text` writes on either."""

    def __init__(self, labels, done, set_text):
        self.labels, self.done, self.set_text = labels, done, set_text
        self.path, self.every_ms = Path(sys.argv[1]), round(float(sys.argv[2]) * 1000)
        self.first, self.shown, self.pressed = 0, {}, []
        self.show()
        write(self.path, self.pressed)

    def show(self):
        for row, label in enumerate(self.labels):
            self.shown[row] = person(self.first + row)
            self.set_text(label, self.shown[row])

    def go_on(self):
        self.first += 1
        self.show()
        return True  # so that a timer goes on

    def press(self, row):
        self.pressed.append(self.shown[row])
        write(self.path, self.pressed)
        self.set_text(self.done, f"Done {len(self.pressed)}")


def write(path, pressed):
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"pressed": pressed}), encoding="utf-8")
    new.replace(path)
