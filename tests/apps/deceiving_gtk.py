"""The widgets of `deceiving.py` as far as they are the same in GTK 3 and GTK 4."""

from deceiving import KINDS, LIES, LIST_HEIGHT, START, Deceiver


class Widgets:
    """Of `gtk`, GTK 3 or 4, in a grid. Each of them adds `call(widget, name)`, which changes only what is said of a
    widget, `cover(widget)`, behind which it looks the same whatever it says, and `empty_list()`, `add_to_list(widget)`.
    """

    def __init__(self, gtk, glib):
        self.gtk = gtk
        self.glib = glib
        self.widgets = {}
        self.labels = {}
        self.handlers = {}
        self.grid = gtk.Grid(column_spacing=8, row_spacing=2)
        for row, lie in enumerate(LIES):
            self.add_row(row, lie)

    def begin(self, path, restless):
        self.clock, self.bar, self.list = self.gtk.Label(), self.gtk.ProgressBar(), self.gtk.ListBox()
        self.list.set_size_request(-1, LIST_HEIGHT)
        if restless:
            for column, widget in enumerate((self.clock, self.bar, self.list)):
                self.grid.attach(widget, column, len(LIES), 1, 1)
        self.deceiver = Deceiver(path, self, restless)

    def turn(self, clock, share, row):
        self.clock.set_text(clock)
        self.bar.set_fraction(share)
        if not row:
            self.empty_list()
        self.add_to_list(self.gtk.Label(label=f"row {row}"))

    def add_row(self, row, lie):
        column = 0
        for kind in KINDS:
            for key in (f"{lie} {kind}", f"{lie} {kind} beside"):
                widget = self.make(key, kind)
                self.grid.attach(widget, column, row, 1, 1)
                if lie == "veneer" and kind != "press" and not key.endswith("beside"):
                    self.cover(widget)
                column += 1

    def make(self, key, kind):
        if kind == "press" and key.endswith("beside"):
            label = self.labels[key.removesuffix(" beside")] = self.gtk.Label(label="0 times")
            return label
        if kind == "press":
            widget, signal = self.gtk.Button(label=key), "clicked"
        elif kind == "box":
            widget, signal = self.gtk.CheckButton(label=key), "toggled"
        else:
            widget, signal = self.gtk.Entry(text=START, width_chars=12), "changed"
            self.call(widget, key)
        self.widgets[key] = widget
        self.handlers[key] = widget.connect(signal, lambda _: self.deceiver.changed(key, self.shown(key)))
        return widget

    def shown(self, key):
        widget = self.widgets[key]
        if isinstance(widget, self.gtk.CheckButton):
            return widget.get_active()
        return widget.get_text() if isinstance(widget, self.gtk.Entry) else None

    def show(self, key, value):
        widget = self.widgets[key]
        if key in self.labels:
            self.labels[key].set_text(f"{value} times")
            return
        with widget.handler_block(self.handlers[key]):
            if isinstance(widget, self.gtk.CheckButton):
                widget.set_active(value)
            else:
                widget.set_text(value)

    def tell(self, key, text):
        self.call(self.labels[key], text)

    def later(self, milliseconds, what):
        self.glib.timeout_add(milliseconds, lambda: what() and None)
