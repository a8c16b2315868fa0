"""What the changing fixture applications of all toolkits share: what they show, how it changes, and what is true of it.

`changing_*.py STATE_FILE COMMANDS`: every line of the pipe COMMANDS is a JSON object {"do": change, "seed": number};
"look" changes nothing. STATE_FILE says the truth as JSON, written with every command (by a timer a fixture would never
be quiet): `done` counts the commands, `windows` are the titles of those that show, `controls` holds all that is mapped,
by key: window ("" for a popup: it belongs to all), role, name, value, states, rect on the screen (null where nobody
knows), and `view`, how much of it is in view ("all", "some" or "none": it may be scrolled away). Names begin with the
key.

A toolkit gives the primitives: see `World.__init__`.
"""

import json
import os
import random

TITLE = "Changing"
QUESTION = "Question"
WORDS = ("Alpha", "Bravo", "Carol", "Delta", "Echo", "Fox", "Golf", "Hotel")
KINDS = ("button", "check", "entry", "label", "slider", "spin")
ROOM = {"first": 5, "second": 5, "inner": 4, "long": 26}
"""The boxes, and how many parts they take."""

LISTS = {"list": "r", "grid": "c"}
ROWS = 24
TABS = ("t1", "t2", "t3")
TEXTS = ("red", "green apple", "blue sky", "Zoë", "x")

CHANGES = {
    "add": 4,
    "remove": 3,
    "move": 2,
    "reparent": 2,
    "rename": 3,
    "text": 3,
    "value": 2,
    "enable": 3,
    "check": 3,
    "turn": 6,
    "show": 3,
    "focus": 2,
    "tab": 3,
    "expand": 2,
    "ask": 2,
    "popup": 2,
    "insert": 3,
    "delete": 2,
    "sort": 1,
    "select": 3,
    "reword": 2,
    "flip": 1,
    "scroll": 4,
    "resize": 1,
    "shift": 1,
    "retitle": 1,
    "batch": 2,
}
"""What happens how often."""


class Part:
    """A control that comes, goes and changes; `form` is what it has been turned into."""

    def __init__(self, key, kind, word, box):
        self.key, self.kind, self.word, self.box, self.form = key, kind, word, box, "plain"
        self.enabled, self.visible, self.widget = True, True, None

    @property
    def name(self):
        return f"{self.key} {self.word}"


class World:
    def __init__(self, tk, path, version):
        """`tk`: forms (kind → what it can be turned into), set_title, make, put, take, destroy, rename, set_text,
        set_value, set_enabled, flip_checked, set_visible, focus, turn, facts, insert_row, remove_row, set_row,
        order_rows, select_row, flip_row, row_facts, choose_tab, tab_facts, expand, expander_facts, open, close,
        extra_facts, scroll_to, resize, shift, finish; `dialogs_are_windows`."""
        self.tk, self.path, self.version = tk, path, version
        self.done, self.numbers, self.written = 0, 0, ""
        self.title, self.tab, self.expanded = TITLE, 0, False
        self.extra = {}
        self.boxes = {box: [] for box in ROOM}
        self.rows = {which: [] for which in LISTS}
        rng = random.Random(1)  # noqa: S311 - every fixture begins the same
        for box, room in ROOM.items():
            for _ in range(room * 2 // 3):
                self.add(rng, box, len(self.boxes[box]))
        for which in LISTS:
            for number in range(ROWS):
                self.add_row(rng, which, number)

    # commands

    def obey(self, line):
        command = json.loads(line)
        if command["do"] != "look":
            rng = random.Random(command["seed"])  # noqa: S311 - changes are to be repeated
            getattr(self, f"do_{command['do']}")(rng)
        self.tk.finish(self.finished)

    def finished(self):
        self.done += 1
        self.write()

    def write(self):
        text = json.dumps(
            {
                "version": self.version,
                "done": self.done,
                "windows": [
                    self.title,
                    *([QUESTION] if "question" in self.extra and self.tk.dialogs_are_windows else []),
                ],
                "controls": self.look(),
            }
        )
        if text != self.written:
            self.written = text
            temporary = self.path.with_suffix(".new")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self.path)

    def look(self):
        found = {}

        def tell(key, name, facts, window=self.title):
            if facts and facts.pop("mapped"):
                view = view_of(facts["rect"], facts.pop("clips"))
                found[key] = {"window": window, "name": name, "view": view, **facts}

        for parts in self.boxes.values():
            for part in parts:
                tell(part.key, part.name, self.tk.facts(part))
        for which, rows in self.rows.items():
            for index, (key, word) in enumerate(rows):
                tell(key, f"{key} {word}", self.tk.row_facts(which, index))
        for number, key in enumerate(TABS):
            tell(key, f"{key} {WORDS[number]}", self.tk.tab_facts(number))
        tell("x1", "x1 More", self.tk.expander_facts())
        for which, parts in self.extra.items():
            window = QUESTION if which == "question" and self.tk.dialogs_are_windows else ""
            for number, (key, name) in enumerate(parts):
                tell(key, name, self.tk.extra_facts(which, number), window)
        return found

    # helpers

    def new(self, letter):
        self.numbers += 1
        return f"{letter}{self.numbers}"

    def part(self, rng, kinds=KINDS):
        """One of the parts of these kinds; those that are on top more often."""
        boxes = ["first", "second", *({0: ["long"] * 2, 2: ["inner"]}.get(self.tab, []))]
        near = [part for box in boxes for part in self.boxes[box] if part.kind in kinds]
        everyone = [part for parts in self.boxes.values() for part in parts if part.kind in kinds]
        return rng.choice(near or everyone) if rng.random() < 0.8 else rng.choice(everyone or [None])

    def box_with_room(self, rng):
        free = [box for box, parts in self.boxes.items() if len(parts) < ROOM[box]]
        return rng.choice(free) if free else None

    # parts

    def add(self, rng, box, index):
        part = Part(self.new("p"), rng.choice(KINDS), rng.choice(WORDS), box)
        part.widget = self.tk.make(part)
        self.boxes[box].insert(index, part)
        self.tk.put(box, part, index)

    def do_add(self, rng):
        box = self.box_with_room(rng)
        if box:
            self.add(rng, box, rng.randrange(len(self.boxes[box]) + 1))

    def do_remove(self, rng):
        part = self.part(rng)
        if part and len(self.boxes[part.box]) > 2:
            self.boxes[part.box].remove(part)
            self.tk.destroy(part)

    def do_move(self, rng):
        part = self.part(rng)
        self.lay(rng, part, part.box)

    def do_reparent(self, rng):
        box = self.box_with_room(rng)
        if box:
            self.lay(rng, self.part(rng), box)

    def lay(self, rng, part, box):
        self.boxes[part.box].remove(part)
        self.tk.take(part)
        index = rng.randrange(len(self.boxes[box]) + 1)
        self.boxes[box].insert(index, part)
        part.box = box
        self.tk.put(box, part, index)

    def do_rename(self, rng):
        part = self.part(rng)
        part.word = rng.choice(WORDS)
        self.tk.rename(part)

    def do_text(self, rng):
        if part := self.part(rng, ("entry",)):
            self.tk.set_text(part, rng.choice(TEXTS))

    def do_value(self, rng):
        if part := self.part(rng, ("slider", "spin")):
            self.tk.set_value(part, rng.randrange(101))

    def do_enable(self, rng):
        part = self.part(rng)
        part.enabled = not part.enabled
        self.tk.set_enabled(part)

    def do_check(self, rng):
        if part := self.part(rng, ("check",)):
            self.tk.flip_checked(part)

    def do_turn(self, rng):
        if part := self.part(rng, tuple(self.tk.forms)):
            others = [form for form in ("plain", *self.tk.forms[part.kind]) if form != part.form]
            part.form, was = rng.choice(others), part.form
            self.tk.turn(part, was)

    def do_show(self, rng):
        part = self.part(rng)
        part.visible = not part.visible
        self.tk.set_visible(part)

    def do_focus(self, rng):
        if part := self.part(rng, ("button", "check", "entry")):
            self.tk.focus(part)

    # containers

    def do_tab(self, rng):
        self.tab = rng.randrange(len(TABS))
        self.tk.choose_tab(self.tab)

    def do_expand(self, _):
        self.expanded = not self.expanded
        self.tk.expand(self.expanded)

    def do_ask(self, rng):
        self.turn_extra(rng, "question")

    def do_popup(self, rng):
        self.turn_extra(rng, "popup")

    def turn_extra(self, rng, which):
        """A dialog or a popup comes or goes."""
        if which in self.extra:
            del self.extra[which]
            self.tk.close(which)
            return
        keys = [self.new(which[0]) for _ in range(rng.randrange(1, 4))]
        self.extra[which] = [(key, f"{key} {rng.choice(WORDS)}") for key in keys]
        self.tk.open(which, [name for _, name in self.extra[which]])

    # rows

    def add_row(self, rng, which, index):
        row = (self.new(LISTS[which]), rng.choice(WORDS))
        self.rows[which].insert(index, row)
        self.tk.insert_row(which, index, " ".join(row))

    def some_row(self, rng):
        which = rng.choice([which for which, rows in self.rows.items() if rows])
        return which, rng.randrange(min(len(self.rows[which]), rng.choice((6, 100))))

    def do_insert(self, rng):
        which, index = self.some_row(rng)
        for _ in range(rng.choice((1, 1, 3))):
            if len(self.rows[which]) < ROWS + 10:
                self.add_row(rng, which, index)

    def do_delete(self, rng):
        which, index = self.some_row(rng)
        if len(self.rows[which]) > ROWS // 2:
            del self.rows[which][index]
            self.tk.remove_row(which, index)

    def do_sort(self, rng):
        which, _ = self.some_row(rng)
        old = self.rows[which]
        order = sorted(range(len(old)), key=lambda n: old[n][::-1], reverse=rng.random() < 0.5)
        self.rows[which] = [old[n] for n in order]
        self.tk.order_rows(which, order)

    def do_select(self, rng):
        self.tk.select_row(*self.some_row(rng))

    def do_reword(self, rng):
        which, index = self.some_row(rng)
        self.rows[which][index] = (self.rows[which][index][0], rng.choice(WORDS))
        self.tk.set_row(which, index, " ".join(self.rows[which][index]))

    def do_flip(self, rng):
        self.tk.flip_row(self.some_row(rng)[1] % len(self.rows["grid"]))

    # the window

    def do_scroll(self, rng):
        self.tk.scroll_to(rng.choice(("long",) if self.tab == 0 else tuple(LISTS)), rng.random())

    def do_resize(self, rng):
        self.tk.resize(rng.randrange(880, 1100), rng.randrange(480, 620))

    def do_shift(self, rng):
        self.tk.shift(rng.randrange(5, 100), rng.randrange(30, 120))

    def do_retitle(self, rng):
        self.title = f"{TITLE} {rng.randrange(100)}"
        self.tk.set_title(self.title)

    def do_batch(self, rng):
        """Several changes at once."""
        kinds = [kind for kind in CHANGES if kind not in ("batch", "ask", "popup", "shift", "resize")]
        for _ in range(rng.randrange(3, 7)):
            getattr(self, f"do_{rng.choice(kinds)}")(rng)


def view_of(rect, clips):
    """How much of a rectangle is inside all of the others; one that nobody knows is in view."""
    if rect is None:
        return "all"
    left, top, right, bottom = rect
    seen = list(rect)
    for clip in clips:
        seen = [max(seen[0], clip[0]), max(seen[1], clip[1]), min(seen[2], clip[2]), min(seen[3], clip[3])]
    if right <= left or bottom <= top or seen[0] >= seen[2] or seen[1] >= seen[3]:
        return "none"
    return "all" if seen == [left, top, right, bottom] else "some"


def commands(path):
    """The pipe, opened so that it never ends; a file number to wait for, and the lines."""
    pipe = os.open(path, os.O_RDWR)
    return pipe, os.fdopen(pipe, "r", encoding="utf-8")
