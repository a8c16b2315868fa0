"""What the fixture applications of all toolkits share: what they show, and the file that says the truth about it.

The file is JSON: `controls` holds, by key, role and name as a person would call them and what the widget says of itself
at this moment; `version` is that of the toolkit; `clicked` has the keys of what the pointer was pressed on, in order;
`pressed` is how often the button did its work; `asked` is what stood in the file's neighbour `.asked` when the fixture
looked at itself. Rectangles are left, top, right, bottom on the screen.
"""

import json

TITLE = "Fixture"
FRUIT = ("Apple", "Pear", "Plum")
CELLS = tuple(tuple(f"r{row}c{column}" for column in range(3)) for row in range(3))
CELL = (1, 1)
"""Row and column of the cell that has a key of its own."""

SECRET = "xyzzy"  # noqa: S105 - nobody's
"""What stands in the password; nobody is to read it."""

MARK = "#fd02fd"
"""The colour of what stands in the password: no picture is to show it."""

CONTAINERS = ("fruit", "grid")
"""Pressing the pointer on these is pressing it on what stands in them."""

LOOK_MS = 50
"""How often a fixture looks at itself."""

WORDS = {
    "button": ("button", "Press me"),
    "check": ("checkbox", "Check me"),
    "name": ("textbox", "Name"),
    "secret": ("password", "Secret"),
    "veiled": ("password", "Veiled"),  # where a toolkit has two ways to hide what is typed
    "words": ("label", "Plain words"),
    "fruit": ("list", "Fruit"),
    **{fruit.lower(): ("listitem", fruit) for fruit in FRUIT},
    "volume": ("slider", "Volume"),
    "hidden": ("button", "Hidden"),
    "off": ("button", "Off"),
    "grid": ("table", "Grid"),
    "cell": ("cell", CELLS[CELL[0]][CELL[1]]),
}


def in_words(key):
    """Role and name; of what is not in `WORDS` the fixture tells them."""
    role, name = WORDS.get(key, ("", ""))
    return {"role": role, "name": name}


class Oracle:
    """Writes the truth to a file whenever it has changed. `look` gives what the widgets say, by key.

    What a fixture says of role and name goes before `WORDS`.
    """

    def __init__(self, path, version, look):
        self._path = path
        self._question = path.with_suffix(".asked")
        self._version = version
        self._look = look
        self._written = ""
        self._clicked = []
        self._pressed = 0

    def clicked(self, key):
        self._clicked.append(key)
        self.write()

    def pressed(self):
        self._pressed += 1
        self.write()

    def write(self):
        controls = {key: {**in_words(key), **facts} for key, facts in self._look().items()}
        told = {"version": self._version, "controls": controls, "clicked": self._clicked, "pressed": self._pressed}
        asked = self._question.read_text("utf-8") if self._question.exists() else ""
        text = json.dumps(told | {"asked": asked})
        if text != self._written:
            self._written = text
            temporary = self._path.with_suffix(".new")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self._path)
        return True  # so that a timer goes on
