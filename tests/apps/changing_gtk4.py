"""The controls of `changing.py` in GTK 4: `changing_gtk4.py STATE_FILE COMMANDS`. Run it with the system's Python."""

import ctypes
import sys
from pathlib import Path

import gi
from changing import TABS, TITLE, WORDS, World
from hearing import hear

gi.require_version("Gtk", "4.0")
gi.require_version("GdkX11", "4.0")
from gi.repository import GdkX11, Gio, GLib, GObject, Gtk  # noqa: E402
from oracle_gtk4 import TELLS_BORDERS, Screen  # noqa: E402

VERSION = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"
NAMED_BY_TEXT = ("button", "check", "label")
LABEL = Gtk.AccessibleProperty.LABEL


class Row(GObject.Object):
    def __init__(self, text):
        super().__init__()
        self.text, self.done, self.label, self.tick = text, False, None, None


FORMS = {
    "button": ("iconic", "flat"),
    "entry": ("locked",),
    "label": ("selectable", "linked"),
    "check": ("mixed",),
    "spin": ("locked",),
    "slider": ("backwards",),
}


class Toolkit:
    forms = FORMS
    dialogs_are_windows = True

    def __init__(self, loop):
        self.screen = Screen()
        self.window = Gtk.Window(title=TITLE)
        self.window.connect("close-request", lambda _: loop.quit())
        self.window.set_default_size(920, 520)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=2)
        self.window.set_child(column)
        self.boxes = {name: Gtk.Box(spacing=2) for name in ("first", "second", "inner")}
        self.boxes["long"] = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=2)
        column.append(self.boxes["first"])
        column.append(self.boxes["second"])
        self.book = Gtk.Notebook(vexpand=True)
        column.append(self.book)
        self.rows = Gio.ListStore(item_type=Row)
        grid = Gtk.ColumnView(model=Gtk.SingleSelection(model=self.rows, autoselect=False, can_unselect=True))
        for number, title in enumerate(("Word", "Done")):
            factory = Gtk.SignalListItemFactory()
            factory.connect("setup", lambda _, item: item.set_child(Gtk.Label()))
            factory.connect("bind", self.bind, number)
            factory.connect("unbind", self.unbind, number)
            column_view = Gtk.ColumnViewColumn(title=title, factory=factory)
            column_view.set_fixed_width(140)
            grid.append_column(column_view)
        self.lists = {"list": Gtk.ListBox(selection_mode=Gtk.SelectionMode.SINGLE), "grid": grid}
        self.scrolled = {}
        both = Gtk.Box(spacing=4, homogeneous=True)
        for which, widget in self.lists.items():
            both.append(self.scroll(which, widget))
        self.more = Gtk.Expander(label="x1 More", child=self.boxes["inner"])
        for number, page in enumerate((self.scroll("long", self.boxes["long"]), both, self.more)):
            self.book.append_page(page, Gtk.Label(label=f"{TABS[number]} {WORDS[number]}"))
        self.extra = {}
        self.window.present()

    def scroll(self, which, widget):
        self.scrolled[which] = Gtk.ScrolledWindow(overlay_scrolling=False, child=widget)
        return self.scrolled[which]

    def finish(self, done):
        done()

    def set_title(self, title):
        self.window.set_title(title)

    # parts

    def make(self, part):
        match part.kind:
            case "button":
                widget = Gtk.Button(label=part.name)
            case "check":
                widget = Gtk.CheckButton(label=part.name)
            case "entry":
                widget = Gtk.Entry(text="first", width_chars=8)
            case "label":
                widget = Gtk.Label(label=part.name)
            case "slider":
                widget = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
                widget.set_size_request(120, -1)
            case _:
                widget = Gtk.SpinButton.new_with_range(0, 100, 1)
        if part.kind not in NAMED_BY_TEXT:
            widget.update_property([LABEL], [part.name])
        return widget

    def put(self, box, part, index):
        children = [*self.children(self.boxes[box])]
        self.boxes[box].insert_child_after(part.widget, children[index - 1] if index else None)

    def children(self, box):
        child = box.get_first_child()
        while child:
            yield child
            child = child.get_next_sibling()

    def take(self, part):
        part.widget.get_parent().remove(part.widget)

    destroy = take

    def rename(self, part):
        if part.kind not in NAMED_BY_TEXT:
            part.widget.update_property([LABEL], [part.name])
        elif part.form == "linked":
            part.widget.set_markup(f'<a href="there">{part.name}</a>')
        elif part.form == "iconic":
            part.widget.set_icon_name("document-open")
            part.widget.update_property([LABEL], [part.name])
        else:
            part.widget.set_label(part.name)
            if part.kind == "button":
                part.widget.update_property([LABEL], [part.name])

    def set_text(self, part, text):
        part.widget.set_text(text)

    def set_value(self, part, number):
        part.widget.set_value(number)

    def set_enabled(self, part):
        part.widget.set_sensitive(part.enabled)

    def flip_checked(self, part):
        part.widget.set_active(not part.widget.get_active())

    def set_visible(self, part):
        part.widget.set_visible(part.visible)

    def focus(self, part):
        part.widget.grab_focus()

    def turn(self, part, was):
        widget, form = part.widget, part.form
        match part.kind:
            case "button":
                widget.set_has_frame(form != "flat")
                self.rename(part)
            case "entry" | "spin":
                widget.set_editable(form != "locked")
            case "label":
                widget.set_selectable(form == "selectable")
                widget.set_use_markup(False)
                self.rename(part)
            case "check":
                widget.set_inconsistent(form == "mixed")
            case _:
                widget.set_inverted(form == "backwards")

    def facts(self, part):
        widget, kind = part.widget, part.kind
        role = {"check": "checkbox", "entry": "textbox", "spin": "spinbutton"}.get(kind, kind)
        states, value = {"enabled": widget.is_sensitive()}, ""
        if kind == "check" and part.form != "mixed":
            states["checked"] = widget.get_active()
        if kind == "entry":
            value = widget.get_text()
        if kind in ("slider", "spin"):
            value = f"{widget.get_value():g}"
        return {"role": role, "value": value, "states": states, **self.place(widget)}

    # where things are

    def place(self, widget):
        clips = [self.rect(self.window)] if widget.get_native() is self.window else []
        above = widget.get_parent()
        while above is not None:
            if isinstance(above, Gtk.ScrolledWindow):
                clips.append(self.rect(above.get_child()))
            elif above.__gtype__.name == "GtkColumnListView":  # the rows, below the heads of the columns
                clips.append(self.rect(above))
            above = above.get_parent()
        # what was shown once goes on saying so on a page behind another
        mapped = widget.get_mapped() or (widget.get_visible() and widget.get_width() > 0)
        return {"mapped": mapped, "rect": self.rect(widget), "clips": clips}

    def rect(self, widget):
        """Without its border and padding where GTK tells of it so."""
        if not widget.get_mapped():
            return [0, 0, 0, 0]
        window = widget.get_native()
        left, top = self.screen.origin(GdkX11.X11Surface.get_xid(window.get_surface()))
        within_x, within_y = window.get_surface_transform()
        if TELLS_BORDERS:
            _, bounds = widget.compute_bounds(window)
            (x, y), width, height = (bounds.get_x(), bounds.get_y()), bounds.get_width(), bounds.get_height()
        else:
            x, y = widget.translate_coordinates(window, 0, 0)
            width, height = widget.get_width(), widget.get_height()
        x, y = left + within_x + x, top + within_y + y
        return [round(n) for n in (x, y, x + width, y + height)]

    # rows

    def bind(self, _, item, column):
        row, label = item.get_item(), item.get_child()
        if column == 0:
            row.label = label
        else:
            row.tick = label
        self.show_row(row)

    def unbind(self, _, item, column):
        if column == 0:
            item.get_item().label = None
        else:
            item.get_item().tick = None
        item.get_child().set_label("")

    def show_row(self, row):
        if row.label:
            row.label.set_label(row.text)
        if row.tick:
            row.tick.set_label("yes" if row.done else "no")

    def insert_row(self, which, index, text):
        if which == "grid":
            self.rows.insert(index, Row(text))
        else:
            self.lists["list"].insert(Gtk.ListBoxRow(child=Gtk.Label(label=text, xalign=0)), index)

    def row(self, index):
        return self.lists["list"].get_row_at_index(index)

    def remove_row(self, which, index):
        if which == "grid":
            self.rows.remove(index)
        else:
            self.lists["list"].remove(self.row(index))

    def set_row(self, which, index, text):
        if which == "grid":
            self.rows[index].text = text
            self.show_row(self.rows[index])
        else:
            self.row(index).get_child().set_label(text)

    def order_rows(self, which, order):
        if which == "grid":
            self.rows.splice(0, len(order), [self.rows[index] for index in order])
            return
        rows = [self.row(index) for index in order]
        for row in rows:
            self.lists["list"].remove(row)
        for row in rows:
            self.lists["list"].append(row)

    def select_row(self, which, index):
        if which == "grid":
            self.lists["grid"].get_model().set_selected(index)
        else:
            self.lists["list"].select_row(self.row(index))

    def flip_row(self, index):
        self.rows[index].done = not self.rows[index].done
        self.show_row(self.rows[index])

    def row_facts(self, which, index):
        if which == "list":
            row = self.row(index)
            states = {"enabled": row.is_sensitive(), "selected": row.is_selected()}
            return {"role": "listitem", "value": "", "states": states, **self.place(row)}
        label = self.rows[index].label
        if label is None:
            return None
        return {"role": "cell", "value": "", "states": {}, **self.place(label.get_parent())}

    # containers

    def choose_tab(self, number):
        self.book.set_current_page(number)

    def tab_facts(self, number):
        label = self.book.get_tab_label(self.book.get_nth_page(number))
        states = {"selected": self.book.get_current_page() == number}
        place = self.place(label.get_parent())
        if TELLS_BORDERS and place["mapped"]:
            # GTK tells of the tabs without the padding of the bar that they stand in, and of that padding nobody
            left, top = self.padding(label.get_parent().get_parent())
            place["rect"] = [edge - off for edge, off in zip(place["rect"], (left, top) * 2, strict=True)]
        return {"role": "tab", "value": "", "states": states, **place}

    def padding(self, widget):
        """How far to the right and down of its corner it begins to be filled."""
        _, bounds = widget.compute_bounds(widget)
        return round(-bounds.get_x()), round(-bounds.get_y())

    def expand(self, expanded):
        self.more.set_expanded(expanded)

    def expander_facts(self):
        states = {"expanded": self.more.get_expanded()}
        return {"role": "button", "value": "", "states": states, **self.place(self.more)}

    def open(self, which, names):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        buttons = [Gtk.Button(label=name) for name in names]
        for button in buttons:
            box.append(button)
        if which == "popup":
            top = Gtk.Popover(child=box, autohide=False)
            top.set_parent(self.book)
            top.popup()
        else:
            top = Gtk.Dialog(title="Question", transient_for=self.window)
            top.get_content_area().append(box)
            top.present()
        self.extra[which] = (top, buttons)

    def close(self, which):
        top, _ = self.extra.pop(which)
        if which == "popup":
            top.popdown()
            top.unparent()
        else:
            top.destroy()

    def extra_facts(self, which, number):
        _, buttons = self.extra[which]
        facts = {"role": "button", "value": "", "states": {"enabled": True}, **self.place(buttons[number])}
        # places in a popover are told from its own corner, which nobody tells
        return {**facts, "rect": None} if which == "popup" else facts

    # the window

    def scroll_to(self, which, share):
        bar = self.scrolled[which].get_vadjustment()
        bar.set_value(share * (bar.get_upper() - bar.get_page_size()))

    def resize(self, width, height):
        self.window.set_default_size(width, height)

    def shift(self, left, top):
        """GTK 4 cannot; the X server can."""
        x11 = self.screen.x11
        x11.XMoveWindow.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_int]
        x11.XFlush.argtypes = [ctypes.c_void_p]
        x11.XMoveWindow(self.screen.display, GdkX11.X11Surface.get_xid(self.window.get_surface()), left, top)
        x11.XFlush(self.screen.display)


if __name__ == "__main__":
    GLib.set_prgname("fixture")
    Gtk.init()
    loop = GLib.MainLoop()
    world = World(Toolkit(loop), Path(sys.argv[1]), VERSION)
    hear(sys.argv[2], world.obey)
    loop.run()
