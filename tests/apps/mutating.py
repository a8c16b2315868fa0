"""What the mutating fixture applications of all toolkits share: what they show, how it changes, who is who.

`mutating_*.py STATE_FILE COMMANDS`: every line of the pipe COMMANDS is a JSON object {"do": "reset" or a change,
"target": identity, "seed": number}. STATE_FILE says the truth as JSON: `done` counts the commands, `acted` has the
identities that were pressed, in order, `controls` what shows, by identity (name, section, window, rect on the screen),
`heirs` who replaced whom, `act` whether the last change left its target alive and to be told from all others.

An identity is what a press does. Only the state file knows it. A button of a record does something to that record,
whatever object draws it.

A toolkit gives the primitives: see `World.__init__`.
"""

import json
import random

TITLE = "Mutating"
QUESTION = "Question"
WORDS = ("Alpha", "Bravo", "Carol", "Delta", "Echo", "Fox")
GROUPS = ("Bill to", "Ship to")
IN_GROUP = ("Change", "Check")
IN_ROW = ("Edit", "Delete")
TWINS = ("Again", "Again")
ANSWERS = ("Yes", "No")
PEOPLE = ("Ada", "Bob", "Eve", "Joe", "Kim", "Lea", "Max", "Zoe")
SIZE = 4
LOOK_MS = 20


CHANGES = {
    "plain": """noise retitle reorder rename rename_other swap_names take_name duplicate replace replace_other rebuild
        remove remove_other disable hide move""",
    "group": """noise retitle reorder rename rename_other swap_names replace replace_other remove remove_other disable
        hide rename_group swap_groups remove_twin move_to_twin""",
    "twins": "noise retitle reorder replace replace_other remove remove_other disable hide duplicate",
    "rows": """noise retitle rotate scroll filter only remove_row remove_other_row insert_row reorder_row replace_row
        replace_row_by_other duplicate_row rename_record swap_in_row""",
    "table": "noise retitle sort remove_record replace_record insert_record",
    "question": "noise ask_other retitle_question reopen reopen_other close_question",
}
CHANGES = {section: kinds.split() for section, kinds in CHANGES.items()}
CHANGES["cards"] = CHANGES["lines"] = CHANGES["rows"]


class AtOnce:
    """A toolkit that does what it is told when it is told."""

    def finish(self, done):
        done()


class Button:
    def __init__(self, world, identity, name):
        self.identity, self.name, self.enabled, self.visible = identity, name, True, True
        self.widget = world.tk.button(name, lambda: world.pressed(self.identity))

    def call(self, tk, name):
        self.name = name
        tk.set_text(self.widget, name)


class Row:
    """One record: a label and its buttons, in a container of their own or, in a grid, without one."""

    def __init__(self, world, record, text, container):
        self.record, self.text, self.container = record, text, container
        self.label = world.tk.label(text)
        self.buttons = [Button(world, f"{record}.{word}", word) for word in IN_ROW]

    def parts(self):
        return [self.label, *(button.widget for button in self.buttons)]

    def show(self, tk, record, text):
        """The same objects for another record, as a list does that draws only what is in view."""
        self.record, self.text = record, text
        tk.set_text(self.label, text)
        for button in self.buttons:
            button.identity = f"{record}.{button.name}"


class World:
    def __init__(self, tk, path, version):
        """`tk`: window, shown, close, set_title, box, group, rename_group, rows, row, grid, button, label, add, place,
        take, destroy, move, set_text, set_enabled, set_visible, rect, table, fill, cell; `finish` calls back once all
        of it is done; `rows_are_rows`: whether what stands in `rows` says that it is a row."""
        self.tk, self.path, self.version = tk, path, version
        self.done, self.acted, self.heirs, self.act, self.numbers = 0, [], {}, False, 0
        self.written, self.dialog = "", None
        self.window, column = tk.window(TITLE)
        self.title = TITLE
        self.status = tk.label("Done 0")
        tk.add(column, self.status)
        self.plain_box, self.aside = tk.box(), tk.box()
        tk.add(column, self.plain_box)
        tk.add(column, self.aside)
        self.plain, self.away, self.twins = [], [], []
        self.groups = []
        line = tk.box()
        tk.add(column, line)
        self.twins_box = tk.box()
        tk.add(line, self.twins_box)
        for name in GROUPS:
            group = tk.group(name)
            tk.add(line, group)
            self.groups.append([group, name, []])
        self.sections = {"rows": (tk.rows(), []), "cards": (tk.box(vertical=True), []), "lines": (tk.grid(), [])}
        line = tk.box()
        tk.add(column, line)
        for container, _ in self.sections.values():
            tk.add(line, container)
        self.records = []
        self.table = tk.table(self.pressed)
        tk.add(column, self.table)
        self.reset()
        tk.shown(self.window)
        self.write()

    # what it does for the tests

    def obey(self, line):
        command = json.loads(line)
        rng = random.Random(command["seed"])  # noqa: S311 - trials are to be repeated
        self.act = False
        if command["do"] == "reset":
            self.reset(dialog=bool(command.get("dialog")))
        else:
            self.act = bool(getattr(self, f"do_{command['do']}")(command["target"], rng))
        self.tk.finish(self.finished)

    def finished(self):
        self.done += 1
        self.write()

    def pressed(self, identity):
        self.acted.append(identity)
        self.tk.set_text(self.status, f"Done {len(self.acted)}")
        self.tk.finish(self.write)

    def write(self):
        text = json.dumps(
            {
                "version": self.version,
                "changes": CHANGES,
                "done": self.done,
                "acted": self.acted,
                "heirs": self.heirs,
                "act": self.act,
                "title": self.title,
                "question": self.dialog["title"] if self.dialog else "",
                "controls": self.look(),
            }
        )
        if text != self.written:
            self.written = text
            temporary = self.path.with_suffix(".new")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self.path)
        return True  # so that a timer goes on

    def look(self):
        """What shows."""
        buttons = [("plain", button) for button in (*self.plain, *self.away)]
        buttons += [("twins", button) for button in self.twins]
        buttons += [("group", button) for _, _, inside in self.groups for button in inside]
        for section, (_, rows) in self.sections.items():
            buttons += [(section, button) for row in rows for button in row.buttons]
        buttons += [("question", button) for button in (self.dialog["buttons"] if self.dialog else ())]
        found = {
            button.identity: {"name": button.name, "section": section, "rect": self.tk.rect(button.widget)}
            for section, button in buttons
            if button.visible
        }
        for number, (record, name) in enumerate(self.records):
            for column, (kind, text) in enumerate((("name", name), ("state", "open"))):
                rect = self.tk.cell(self.table, number, column)
                found[f"{record}.{kind}"] = {"name": text, "section": "table", "rect": rect}
        return found

    # as it begins

    def new(self, kind):
        self.numbers += 1
        return f"{kind}{self.numbers}"

    def person(self):
        """A name that nobody else has or had."""
        return f"{PEOPLE[self.numbers % len(PEOPLE)]} {self.numbers}"

    def reset(self, dialog=False):
        tk = self.tk
        self.heirs = {}
        self.title = TITLE
        tk.set_title(self.window, TITLE)
        for button in [*self.away]:
            self.drop(self.away, button)
        self.back_to(self.plain, WORDS, self.plain_box, "b")
        for button in [*self.twins]:
            self.drop(self.twins, button)
        for name in TWINS:
            self.put(self.twins, self.twins_box, Button(self, self.new("w"), name), len(self.twins))
        for entry in self.groups:
            entry[1] = GROUPS[self.groups.index(entry)]
            tk.rename_group(entry[0], entry[1])
            self.back_to(entry[2], IN_GROUP, entry[0], "g")
        for section, (_, rows) in self.sections.items():
            self.reset_rows(section, rows)
        while len(self.records) > SIZE:
            self.records.pop()
        while len(self.records) < SIZE:
            self.records.append((self.new("t"), self.person()))
        tk.fill(self.table, self.records)
        if self.dialog:
            self.close_question()
        if dialog:
            self.ask("Delete Ada?")

    def back_to(self, buttons, words, box, kind):
        """One button for each word, and no others; those that are right stay."""
        for button in [*buttons]:
            if button.name not in words or not button.enabled or not button.visible or button.moved_from != box:
                self.drop(buttons, button)
        for word in words:
            of_word = [button for button in buttons if button.name == word]
            for button in of_word[1:]:
                self.drop(buttons, button)
            if not of_word:
                self.put(buttons, box, Button(self, self.new(kind), word), len(buttons))

    def reset_rows(self, section, rows):
        for row in [*rows]:
            right = tuple(button.name for button in row.buttons) == IN_ROW
            if not right or [other.text for other in rows].count(row.text) > 1:
                self.drop_row(section, row)
        while len(rows) > SIZE:
            self.drop_row(section, rows[-1])
        while len(rows) < SIZE:
            self.add_row(section, self.new("r"), self.person(), len(rows))

    def put(self, buttons, box, button, index):
        button.moved_from = box
        buttons.insert(index, button)
        self.tk.add(box, button.widget, index)

    def drop(self, buttons, button):
        buttons.remove(button)
        self.tk.destroy(button.widget)

    def add_row(self, section, record, text, index):
        container, rows = self.sections[section]
        row = Row(self, record, text, {"rows": self.tk.row, "cards": self.tk.box, "lines": lambda: None}[section]())
        rows.insert(index, row)
        if row.container is None:
            self.lay_out(section)
            return
        for part in row.parts():
            self.tk.add(row.container, part)
        self.tk.add(container, row.container, index)

    def drop_row(self, section, row):
        _, rows = self.sections[section]
        rows.remove(row)
        for part in [row.container] if row.container is not None else row.parts():
            self.tk.destroy(part)
        if row.container is None:
            self.lay_out(section)

    def lay_out(self, section):
        """Puts the parts of a grid where they belong."""
        grid, rows = self.sections[section]
        for number, row in enumerate(rows):
            for column, part in enumerate(row.parts()):
                self.tk.place(grid, part, number, column)

    def ask(self, text, title=QUESTION):
        window, column = self.tk.window(title, self.window)
        label = self.tk.label(text)
        self.tk.add(column, label)
        line = self.tk.box()
        self.tk.add(column, line)
        question = self.new("q")
        buttons = [Button(self, f"{question}.{word}", word) for word in ANSWERS]
        for button in buttons:
            self.tk.add(line, button.widget)
        self.tk.shown(window)
        self.dialog = {"window": window, "label": label, "buttons": buttons, "title": title}

    def close_question(self):
        self.tk.close(self.dialog["window"])
        self.dialog = None

    # where things are

    def home(self, identity):
        """The list of buttons that a target stands in, and the button."""
        for buttons in (self.plain, self.away, self.twins, *(entry[2] for entry in self.groups)):
            for button in buttons:
                if button.identity == identity:
                    return buttons, button
        raise LookupError(identity)

    def row_of(self, identity):
        record = identity.split(".")[0]
        for section, (_, rows) in self.sections.items():
            for row in rows:
                if row.record == record:
                    return section, rows, row
        raise LookupError(identity)

    # what happens to any target

    def do_noise(self, _, rng):
        """Another one comes somewhere, and somebody is renamed."""
        self.put(self.plain, self.plain_box, Button(self, self.new("b"), f"New {self.numbers}"), rng.randrange(3))
        self.tk.set_text(self.status, f"Busy {rng.randrange(100)}")
        return True

    def do_retitle(self, _, rng):
        self.title = f"{TITLE} {rng.randrange(100)}"
        self.tk.set_title(self.window, self.title)
        return True

    # what happens to a button with a name of its own, or in a group

    def do_reorder(self, target, rng):
        buttons, button = self.home(target)
        buttons.remove(button)
        index = rng.randrange(len(buttons) + 1)
        buttons.insert(index, button)
        self.tk.move(button.moved_from, button.widget, index)
        return True

    def do_rename(self, target, rng):
        _, button = self.home(target)
        button.call(self.tk, f"Other {rng.randrange(100)}")

    def do_rename_other(self, target, rng):
        buttons, button = self.home(target)
        other = rng.choice([other for other in buttons if other is not button])
        other.call(self.tk, f"Other {rng.randrange(100)}")
        return True

    def do_swap_names(self, target, rng):
        buttons, button = self.home(target)
        other = rng.choice([other for other in buttons if other is not button])
        name = button.name
        button.call(self.tk, other.name)
        other.call(self.tk, name)

    def do_take_name(self, target, rng):
        """Another one takes its name, and it gets a new one."""
        buttons, button = self.home(target)
        other = rng.choice([other for other in buttons if other is not button])
        other.call(self.tk, button.name)
        button.call(self.tk, f"Other {rng.randrange(100)}")

    def do_duplicate(self, target, rng):
        buttons, button = self.home(target)
        copy = Button(self, self.new("b"), button.name)
        self.put(buttons, button.moved_from, copy, rng.randrange(len(buttons) + 1))
        return True

    def do_replace(self, target, _):
        """By a new one that does the same."""
        buttons, button = self.home(target)
        index, box = buttons.index(button), button.moved_from
        heir = Button(self, self.new("b"), button.name)
        self.drop(buttons, button)
        self.put(buttons, box, heir, index)
        self.heirs[target] = heir.identity
        return buttons is not self.twins

    def do_replace_other(self, target, rng):
        """By a new one that does something else."""
        buttons, button = self.home(target)
        index, box = buttons.index(button), button.moved_from
        self.drop(buttons, button)
        self.put(buttons, box, Button(self, self.new("b"), f"Other {rng.randrange(100)}"), index)

    def do_rebuild(self, target, rng):
        """All of them by new ones of their names, in another order."""
        buttons, button = self.home(target)
        box, old = button.moved_from, [*buttons]
        rng.shuffle(old)
        for other in old:
            heir = Button(self, self.new("b"), other.name)
            self.drop(buttons, other)
            self.put(buttons, box, heir, len(buttons))
            self.heirs[other.identity] = heir.identity
        return True

    def do_remove(self, target, _):
        self.drop(*self.home(target))

    def do_remove_other(self, target, rng):
        buttons, button = self.home(target)
        self.drop(buttons, rng.choice([other for other in buttons if other is not button]))
        return True

    def do_disable(self, target, _):
        _, button = self.home(target)
        button.enabled = False
        self.tk.set_enabled(button.widget, False)

    def do_hide(self, target, _):
        _, button = self.home(target)
        button.visible = False
        self.tk.set_visible(button.widget, False)

    def do_move(self, target, _):
        """To another place without a name of its own."""
        buttons, button = self.home(target)
        buttons.remove(button)
        self.tk.take(button.moved_from, button.widget)
        self.put(self.away, self.aside, button, len(self.away))
        return buttons is self.plain

    # what happens to one in a group

    def group_of(self, target):
        buttons, button = self.home(target)
        return next(entry for entry in self.groups if entry[2] is buttons), button

    def do_rename_group(self, target, rng):
        entry, _ = self.group_of(target)
        entry[1] = f"Party {rng.randrange(100)}"
        self.tk.rename_group(entry[0], entry[1])

    def do_swap_groups(self, target, _):
        """The groups swap their names: what stands in them does what it did."""
        (one, other) = self.groups
        one[1], other[1] = other[1], one[1]
        for entry in self.groups:
            self.tk.rename_group(entry[0], entry[1])

    def do_remove_twin(self, target, _):
        _, button = self.group_of(target)
        for entry in self.groups:
            for other in [*entry[2]]:
                if other.name == button.name and other is not button:
                    self.drop(entry[2], other)
        return True

    def do_move_to_twin(self, target, _):
        """Into the other group, whose own button of the name goes."""
        entry, button = self.group_of(target)
        other = next(other for other in self.groups if other is not entry)
        self.do_remove_twin(target, None)
        entry[2].remove(button)
        self.tk.take(entry[0], button.widget)
        self.put(other[2], other[0], button, 0)

    # what happens to one in a row

    def do_rotate(self, target, rng):
        """The records move on by some rows; the objects stay. Without rows it looks as if boxes were renamed."""
        section, rows, _ = self.row_of(target)
        records = [(row.record, row.text) for row in rows]
        by = rng.randrange(1, len(rows))
        for row, (record, text) in zip(rows, records[by:] + records[:by], strict=True):
            row.show(self.tk, record, text)
        return section == "rows" and self.tk.rows_are_rows

    def do_scroll(self, target, _):
        """The record of the target goes out of view: its row draws the next one."""
        _, rows, row = self.row_of(target)
        records = [(other.record, other.text) for other in rows if other is not row]
        records.append((self.new("r"), self.person()))
        for other, (record, text) in zip(rows, records, strict=True):
            other.show(self.tk, record, text)

    def do_filter(self, target, _):
        """Only one row stays, the target's, and it draws another record."""
        section, rows, row = self.row_of(target)
        record, text = next((other.record, other.text) for other in rows if other is not row)
        for other in [other for other in rows if other is not row]:
            self.drop_row(section, other)
        row.show(self.tk, record, text)

    def do_only(self, target, _):
        """Only the row of the target stays."""
        section, rows, row = self.row_of(target)
        for other in [other for other in rows if other is not row]:
            self.drop_row(section, other)
        return True

    def do_remove_row(self, target, _):
        section, _, row = self.row_of(target)
        self.drop_row(section, row)

    def do_remove_other_row(self, target, rng):
        section, rows, row = self.row_of(target)
        self.drop_row(section, rng.choice([other for other in rows if other is not row]))
        return True

    def do_insert_row(self, target, rng):
        section, rows, _ = self.row_of(target)
        index = rng.randrange(len(rows) + 1)
        self.add_row(section, self.new("r"), self.person(), index)
        return True

    def do_reorder_row(self, target, rng):
        section, rows, row = self.row_of(target)
        rows.remove(row)
        index = rng.randrange(len(rows) + 1)
        rows.insert(index, row)
        if row.container is None:
            self.lay_out(section)
        else:
            self.tk.move(self.sections[section][0], row.container, index)
        return True

    def do_replace_row(self, target, _):
        """By new objects for the same record."""
        section, rows, row = self.row_of(target)
        index = rows.index(row)
        self.drop_row(section, row)
        self.add_row(section, row.record, row.text, index)
        return True

    def do_replace_row_by_other(self, target, _):
        section, rows, row = self.row_of(target)
        index = rows.index(row)
        self.drop_row(section, row)
        self.add_row(section, self.new("r"), self.person(), index)

    def do_duplicate_row(self, target, rng):
        """A record that looks the same."""
        section, rows, row = self.row_of(target)
        self.add_row(section, self.new("r"), row.text, rng.randrange(len(rows) + 1))
        return True

    def do_rename_record(self, target, _):
        _, _, row = self.row_of(target)
        row.show(self.tk, row.record, f"{row.text} Smith")

    def do_swap_in_row(self, target, _):
        _, _, row = self.row_of(target)
        for button, word in zip(row.buttons, reversed(IN_ROW), strict=True):
            button.call(self.tk, word)

    # what happens to a cell

    def do_sort(self, _, rng):
        rng.shuffle(self.records)
        self.tk.fill(self.table, self.records)
        return True

    def do_remove_record(self, target, _):
        self.records = [entry for entry in self.records if entry[0] != target.split(".")[0]]
        self.tk.fill(self.table, self.records)

    def do_replace_record(self, target, _):
        """Its line shows another record."""
        fresh = (self.new("t"), self.person())
        self.records = [fresh if entry[0] == target.split(".")[0] else entry for entry in self.records]
        self.tk.fill(self.table, self.records)

    def do_insert_record(self, _, rng):
        self.records.insert(rng.randrange(len(self.records) + 1), (self.new("t"), self.person()))
        self.tk.fill(self.table, self.records)
        return True

    # what happens to the answer to a question

    def do_ask_other(self, *_):
        """The same dialog asks something else."""
        question = self.new("q")
        self.tk.set_text(self.dialog["label"], "Delete Bob?")
        for button in self.dialog["buttons"]:
            button.identity = f"{question}.{button.name}"

    def do_retitle_question(self, _, rng):
        self.dialog["title"] = f"{QUESTION} {rng.randrange(100)}"
        self.tk.set_title(self.dialog["window"], self.dialog["title"])
        return True

    def do_reopen(self, target, _):
        """Closed, and asked again."""
        answer = target.split(".")[1]
        self.close_question()
        self.ask("Delete Ada?")
        heir = next(button for button in self.dialog["buttons"] if button.name == answer)
        self.heirs[target] = heir.identity

    def do_reopen_other(self, *_):
        self.close_question()
        self.ask("Delete Bob?")

    def do_close_question(self, *_):
        self.close_question()
