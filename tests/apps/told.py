"""A toolkit for `mutating.py` that is told in orders what to do, and tells where everything stands once it has."""

COLUMNS = ("name", "state")
NOWHERE = [0, 0, 0, 0]


class Told:
    """`send` takes a number and orders, each a name and its words; `placed` is to be called once they are done.

    It may be called with the number 0 too, where something moved: then `moved` is.
    """

    def __init__(self, send):
        self.send, self.orders, self.waiting, self.moved = send, [], {}, None
        self.numbers, self.rects, self.cells, self.pressed = 0, {}, [], {}
        self.on_cell, self.records = None, []

    def finish(self, done):
        self.numbers += 1
        self.waiting[self.numbers] = done
        orders, self.orders = self.orders, []
        self.send(self.numbers, orders)

    def placed(self, number, rects, cells):
        """`rects` by widget; `cells` by row and column."""
        self.rects, self.cells = rects, cells
        done = self.waiting.pop(number, self.moved)
        if done:
            done()

    def pressed_cell(self, row, column):
        self.on_cell(f"{self.records[row][0]}.{COLUMNS[column]}")

    def say(self, *order):
        self.orders.append(order)

    def new(self, what, *how):
        self.numbers += 1
        self.say(what, f"w{self.numbers}", *how)
        return f"w{self.numbers}"

    # what `World` wants

    def window(self, title, parent=None):
        self.numbers += 1
        column = f"w{self.numbers}"
        return self.new("window", column, title), column

    def shown(self, window):
        self.say("shown", window)

    def close(self, window):
        self.say("close", window)

    def set_title(self, window, title):
        self.say("title", window, title)

    def box(self, vertical=False):
        return self.new("box", "column" if vertical else "row")

    def group(self, name):
        return self.new("group", name)

    def rename_group(self, group, name):
        self.say("rename_group", group, name)

    def rows(self):
        return self.new("rows")

    def row(self):
        return self.new("row")

    def grid(self):
        return self.new("box", "grid")

    def button(self, text, pressed):
        button = self.new("button", text)
        self.pressed[button] = pressed
        return button

    def label(self, text):
        return self.new("label", text)

    def add(self, container, widget, index=-1):
        self.say("add", container, widget, index)

    def place(self, grid, widget, row, column):
        self.say("place", grid, widget, row, column)

    def take(self, container, widget):
        self.say("remove", widget)

    def move(self, container, widget, index):
        self.say("add", container, widget, index)

    def destroy(self, widget):
        self.say("destroy", widget)

    def set_text(self, widget, text):
        self.say("text", widget, text)

    def set_enabled(self, widget, enabled):
        self.say("enabled", widget, enabled)

    def set_visible(self, widget, visible):
        self.say("visible", widget, visible)

    def rect(self, widget):
        return self.rects.get(widget, NOWHERE)

    def table(self, pressed):
        self.on_cell = pressed
        return self.new("table", "People")

    def fill(self, table, records):
        self.records = [*records]
        self.say("fill", table, *(text for _, name in records for text in (name, "open")))

    def cell(self, table, row, column):
        return self.cells[row][column] if row < len(self.cells) else NOWHERE
