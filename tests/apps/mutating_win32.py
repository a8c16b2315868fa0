"""The controls of `mutating.py` in Win32: `mutating_win32.py STATE_FILE COMMANDS`, whose input the commands are.

Boxes, rows and grids are windows around their controls, as the panels of programs are; a group is a frame beside them.
"""

import sys
import threading

from mutating import LOOK_MS, World
from win32_gui import (
    BORDER,
    GROUP_BOX,
    LV_COUNT,
    LV_DELETE,
    LV_INSERT,
    LV_SET,
    PANEL,
    REPORT,
    TAB_STOP,
    Item,
    Program,
    add_columns,
    argument,
    cell_rect,
    place,
    rect_of,
    send,
    set_text,
    show,
    user32,
    version,
)

GAP = 2
FRAME = 18


class Leaf:
    """A control; it has a `handle` once its window was arranged."""

    def __init__(self, kind, text="", style=0, size=None, pressed=None):
        self.kind, self.text, self.style, self.size, self.pressed = kind, text, style, size, pressed
        self.handle, self.above, self.enabled, self.visible = None, None, True, True

    def measure(self):
        return self.size or (14 + 7 * len(self.text), 22)

    def put(self, program, parent, corner, before):
        """At a corner, behind a sibling in the order of windows. The handle behind which the next one is."""
        if self.handle is None:
            self.handle = program.control(parent, self.kind, self.text, self.style)
            user32.EnableWindow(self.handle, self.enabled)
            if self.pressed:
                program.on_press[self.handle] = self.pressed
        elif user32.GetAncestor(self.handle, 1) != parent:
            user32.SetParent(self.handle, parent)
        place(self.handle, (*corner, *self.measure()), before)
        user32.ShowWindow(self.handle, 5 if self.visible else 0)
        return self.handle

    def gone(self, program):
        program.on_press.pop(self.handle, None)
        if self.handle:
            user32.DestroyWindow(self.handle)
        self.handle = None


class Box(Leaf):
    """A panel with what is in it, one beside or below the other."""

    inset = (0, 0)

    def __init__(self, vertical=False, handle=None):
        super().__init__(PANEL)
        self.vertical, self.handle, self.inside = vertical, handle, []

    def cells(self):
        """The widgets in it, by row and column, in the order of windows."""
        return {(at, 0) if self.vertical else (0, at): widget for at, widget in enumerate(self.inside)}

    def tracks(self, axis):
        """The beginnings of its rows or columns, and the end of the last one."""
        sizes = {}
        for place_of, widget in self.cells().items():
            sizes[place_of[axis]] = max(sizes.get(place_of[axis], 0), widget.measure()[1 - axis])
        edges = [0]
        for number in range(max(sizes, default=-1) + 1):
            edges.append(edges[-1] + sizes.get(number, 0) + GAP)
        return edges

    def measure(self):
        return self.tracks(1)[-1] + self.inset[0] + GAP, self.tracks(0)[-1] + self.inset[1] + GAP

    def put(self, program, parent, corner, before):
        super().put(program, parent, corner, before)
        self.fill(program, self.handle, (0, 0), None)
        return self.handle

    def fill(self, program, parent, corner, before):
        rows, columns = self.tracks(0), self.tracks(1)
        for (row, column), widget in self.cells().items():
            at = (corner[0] + self.inset[0] + columns[column], corner[1] + self.inset[1] + rows[row])
            before = widget.put(program, parent, at, before)
        return before

    def gone(self, program):
        for widget in self.inside:
            widget.gone(program)
        super().gone(program)


class Group(Box):
    inset = (6, FRAME)

    def __init__(self, name):
        super().__init__()
        self.frame = Leaf("Button", name, GROUP_BOX)

    def put(self, program, parent, corner, before):
        self.frame.size = self.measure()
        return self.fill(program, parent, corner, self.frame.put(program, parent, corner, before))


class Grid(Box):
    def __init__(self):
        super().__init__()
        self.places = {}

    def cells(self):
        return {self.places[widget]: widget for widget in self.inside}


class Table(Box):
    def __init__(self, pressed):
        super().__init__(vertical=True)
        self.listing = Leaf("SysListView32", "", TAB_STOP | BORDER | REPORT, (240, 120))
        self.inside, self.records, self.pressed = [Leaf("Static", "People"), self.listing], [], pressed

    def put(self, program, parent, corner, before):
        new = self.listing.handle is None
        last = super().put(program, parent, corner, before)
        if new:
            add_columns(self.listing.handle, ("Name", "State"), 110)
            program.on_item[self.listing.handle] = self.clicked
            self.show()
        return last

    def clicked(self, row, column):
        if row >= 0:
            self.pressed(f"{self.records[row][0]}.{('name', 'state')[column]}")

    def show(self):
        """Give the lines that are there other texts, and make or remove lines."""
        listing = self.listing.handle
        count = send(listing, LV_COUNT)
        for row, (_, name) in enumerate(self.records):
            for column, text in enumerate((name, "open")):
                message = LV_SET if column or row < count else LV_INSERT
                send(listing, message, 0, Item(mask=1, index=row, column=column, text=text))
        for row in range(count - 1, len(self.records) - 1, -1):
            send(listing, LV_DELETE, row)


class Toolkit:
    rows_are_rows = False

    def __init__(self):
        self.program, self.windows = Program(), []

    def window(self, title, parent=None):
        at = (300, 300, 320, 120) if parent else (20, 20, 940, 560)
        window = Box(vertical=True, handle=self.program.window(title, at, parent and parent.handle))
        self.windows.append(window)
        return window, window

    def shown(self, window):
        window.fill(self.program, window.handle, (GAP, GAP), None)
        show(window.handle)

    def close(self, window):
        self.windows.remove(window)
        window.gone(self.program)

    def set_title(self, window, title):
        set_text(window.handle, title)

    def finish(self, done):
        for window in self.windows:
            window.fill(self.program, window.handle, (GAP, GAP), None)
        done()

    def box(self, vertical=False):
        return Box(vertical)

    def group(self, name):
        return Group(name)

    def rename_group(self, group, name):
        self.set_text(group.frame, name)

    def rows(self):
        return Box(vertical=True)

    def row(self):
        return Box()

    def grid(self):
        return Grid()

    def button(self, text, pressed):
        return Leaf("Button", text, TAB_STOP, pressed=pressed)

    def label(self, text):
        return Leaf("Static", text)

    def add(self, container, widget, index=-1):
        container.inside.insert(len(container.inside) if index < 0 else index, widget)
        widget.above = container

    def place(self, grid, widget, row, column):
        if widget not in grid.inside:
            self.add(grid, widget)
        grid.places[widget] = row, column

    def take(self, container, widget):
        container.inside.remove(widget)

    def move(self, container, widget, index):
        self.take(container, widget)
        self.add(container, widget, index)

    def destroy(self, widget):
        self.take(widget.above, widget)
        widget.gone(self.program)

    def set_text(self, widget, text):
        widget.text = text
        if widget.handle:
            set_text(widget.handle, text)

    def set_enabled(self, widget, enabled):
        widget.enabled = enabled
        user32.EnableWindow(widget.handle, enabled)

    def set_visible(self, widget, visible):
        widget.visible = visible

    def rect(self, widget):
        return rect_of(widget.handle) if widget.handle and widget.visible else [0, 0, 0, 0]

    def table(self, pressed):
        return Table(pressed)

    def fill(self, table, records):
        table.records = [*records]
        if table.listing.handle:
            table.show()

    def cell(self, table, row, column):
        return cell_rect(table.listing.handle, row, column)


def listen(world):
    """Have each line of the input obeyed."""
    for line in sys.stdin:
        world.tk.program.later(lambda line=line: world.obey(line))


if __name__ == "__main__":
    world = World(Toolkit(), argument(1), version())
    threading.Thread(target=listen, args=(world,), daemon=True).start()
    world.tk.program.on_timer = world.write
    world.tk.program.run(LOOK_MS)
