"""What the fixture applications for typing share: three fields, and the file that says what stands in them.

The window `Typing` has a field of one line, a field of many and a password, with the labels `Line`, `Page` and
`Secret`. The file is JSON: the texts by the keys `line`, `page` and `secret`, and `focus`, the key of what has the
keyboard in it, empty where nothing has.
"""

import json

TITLE = "Typing"
LABELS = {"line": "Line", "page": "Page", "secret": "Secret"}
LOOK_MS = 20


class Texts:
    """Writes the truth to a file whenever it has changed. `look` gives it."""

    def __init__(self, path, look):
        self._path = path
        self._look = look
        self._written = None

    def write(self, *_):
        told = self._look()
        if told != self._written:
            self._written = told
            temporary = self._path.with_suffix(".new")
            temporary.write_text(json.dumps(told), encoding="utf-8")
            temporary.replace(self._path)
        return True  # so that a timer goes on
