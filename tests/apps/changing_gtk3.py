"""The controls of `changing.py` in GTK 3: `changing_gtk3.py STATE_FILE COMMANDS`. Run it with the system's Python."""

import sys
from pathlib import Path

import gi
from changing import TABS, TITLE, WORDS, World
from gtk3_place import place_of
from hearing import hear

gi.require_version("Atk", "1.0")
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Atk, Gdk, GLib, Gtk  # noqa: E402

VERSION = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"
ROLES = {"button": "button", "check": "checkbox", "entry": "textbox", "label": "label", "slider": "slider"}
NAMED_BY_TEXT = ("button", "check", "label")

FORMS = {
    "button": ("link", "iconic"),
    "entry": ("password", "locked", "completing"),
    "label": ("linked", "selectable"),
    "check": ("mixed", "radio"),
    "spin": ("locked",),
    "slider": ("backwards",),
}


class Toolkit:
    forms = FORMS
    dialogs_are_windows = True

    def __init__(self):
        self.window = Gtk.Window(title=TITLE)
        self.window.connect("destroy", lambda _: Gtk.main_quit())
        self.window.set_default_size(920, 520)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=2)
        self.window.add(column)
        self.boxes = {name: Gtk.Box(spacing=2) for name in ("first", "second", "inner")}
        self.boxes["long"] = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=2)
        column.pack_start(self.boxes["first"], False, False, 0)
        column.pack_start(self.boxes["second"], False, False, 0)
        self.book = Gtk.Notebook()
        column.pack_start(self.book, True, True, 0)
        self.lists = {"list": Gtk.ListBox(selection_mode=Gtk.SelectionMode.SINGLE)}
        self.store = Gtk.ListStore(str, bool)
        self.lists["grid"] = Gtk.TreeView(model=self.store)
        self.lists["grid"].append_column(Gtk.TreeViewColumn("Word", Gtk.CellRendererText(), text=0))
        self.lists["grid"].append_column(Gtk.TreeViewColumn("Done", Gtk.CellRendererToggle(), active=1))
        self.scrolled = {}
        both = Gtk.Box(spacing=4, homogeneous=True)
        for which, widget in self.lists.items():
            both.pack_start(self.scroll(which, widget), True, True, 0)
        self.more = Gtk.Expander(label="x1 More")
        self.more.add(self.boxes["inner"])
        for number, page in enumerate((self.scroll("long", self.boxes["long"]), both, self.more)):
            self.book.append_page(page, Gtk.Label(label=f"{TABS[number]} {WORDS[number]}"))
        self.extra = {}
        self.window.show_all()

    def scroll(self, which, widget):
        self.scrolled[which] = Gtk.ScrolledWindow(overlay_scrolling=False)
        self.scrolled[which].add(widget)
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
            widget.get_accessible().set_name(part.name)
        widget.show()
        return widget

    def put(self, box, part, index):
        self.boxes[box].pack_start(part.widget, False, False, 0)
        self.boxes[box].reorder_child(part.widget, index)

    def take(self, part):
        part.widget.get_parent().remove(part.widget)

    def destroy(self, part):
        part.widget.destroy()

    def rename(self, part):
        if part.kind not in NAMED_BY_TEXT:
            part.widget.get_accessible().set_name(part.name)
        elif part.form == "linked":
            part.widget.set_markup(f'<a href="there">{part.name}</a>')
        else:
            part.widget.set_label(part.name)

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
                widget.get_accessible().set_role(Atk.Role.LINK if form == "link" else Atk.Role.PUSH_BUTTON)
                picture = (
                    Gtk.Image.new_from_icon_name("document-open", Gtk.IconSize.BUTTON) if form == "iconic" else None
                )
                widget.set_image(picture)
                widget.set_always_show_image(True)
            case "entry":
                widget.set_visibility(form != "password")
                widget.set_editable(form != "locked")
                widget.set_completion(Gtk.EntryCompletion() if form == "completing" else None)
            case "label":
                widget.set_selectable(form == "selectable")
                widget.set_use_markup(False)
                self.rename(part)
            case "check":
                widget.set_inconsistent(form == "mixed")
                widget.get_accessible().set_role(Atk.Role.RADIO_BUTTON if form == "radio" else Atk.Role.CHECK_BOX)
            case "spin":
                widget.set_editable(form != "locked")
            case _:
                widget.set_inverted(form == "backwards")

    def facts(self, part):
        widget, kind = part.widget, part.kind
        role = {"link": "link", "radio": "radio", "password": "password"}.get(part.form, ROLES.get(kind, "spinbutton"))
        states = {"enabled": widget.is_sensitive()}
        value = ""
        if kind == "check":
            states["checked"] = widget.get_active() and not widget.get_inconsistent()  # then a dash is drawn
            states["indeterminate"] = widget.get_inconsistent()
        if kind in ("entry", "spin"):
            states["editable"] = widget.get_editable()
            value = "" if part.form == "password" else widget.get_text()
        if kind == "slider":
            value = f"{widget.get_value():g}"
        if kind in ("entry", "button"):
            states["focused"] = widget.has_focus()
        return {"role": role, "value": value, "states": states, **self.place(widget)}

    # where things are

    def place(self, widget):
        clips = [self.rect(self.window)] if widget.get_toplevel() is self.window else []
        mapped, above = widget.get_mapped(), widget.get_parent()
        while above is not None:
            mapped &= above.get_mapped()  # an expander maps what it opens though its own page is not in front
            if isinstance(above, Gtk.ScrolledWindow):
                clips.append(self.rect(above.get_child()))
            above = above.get_parent()
        return {"mapped": mapped, "rect": self.rect(widget), "clips": clips}

    def rect(self, widget):
        return place_of(widget)

    # rows

    def insert_row(self, which, index, text):
        if which == "grid":
            self.store.insert(index, [text, False])
            return
        row = Gtk.ListBoxRow()
        row.add(Gtk.Label(label=text, xalign=0))
        row.show_all()
        self.lists["list"].insert(row, index)

    def row(self, index):
        return self.lists["list"].get_row_at_index(index)

    def remove_row(self, which, index):
        if which == "grid":
            self.store.remove(self.store.get_iter(index))
        else:
            self.row(index).destroy()

    def set_row(self, which, index, text):
        if which == "grid":
            self.store[index][0] = text
        else:
            self.row(index).get_child().set_label(text)

    def order_rows(self, which, order):
        if which == "grid":
            self.store.reorder(order)
            return
        rows = [self.row(index) for index in order]
        for row in rows:
            self.lists["list"].remove(row)
        for row in rows:
            self.lists["list"].add(row)

    def select_row(self, which, index):
        if which == "grid":
            self.lists["grid"].get_selection().select_path(index)
        else:
            self.lists["list"].select_row(self.row(index))

    def flip_row(self, index):
        self.store[index][1] = not self.store[index][1]

    def row_facts(self, which, index):
        if which == "list":
            row = self.row(index)
            states = {"enabled": row.is_sensitive(), "selected": row.is_selected()}
            return {"role": "listitem", "value": "", "states": states, **self.place(row)}
        grid = self.lists["grid"]
        states = {"selected": grid.get_selection().path_is_selected(Gtk.TreePath.new_from_indices([index]))}
        _, left, top = grid.get_bin_window().get_origin() if grid.get_mapped() else (0, 0, 0)
        area = grid.get_background_area(Gtk.TreePath.new_from_indices([index]), grid.get_column(0))
        rect = [left + area.x, top + area.y, left + area.x + area.width, top + area.y + area.height]
        clip = self.rect(grid)
        clip[1] = top if grid.get_mapped() else clip[1]
        return {
            "role": "cell",
            "value": "",
            "states": states,
            "mapped": grid.get_mapped() and area.height > 0,
            "rect": rect,
            "clips": [clip],
        }

    # containers

    def choose_tab(self, number):
        self.book.set_current_page(number)

    def tab_facts(self, number):
        label = self.book.get_tab_label(self.book.get_nth_page(number))
        states = {"selected": self.book.get_current_page() == number}
        return {"role": "tab", "value": "", "states": states, **self.place(label)}

    def expand(self, expanded):
        self.more.set_expanded(expanded)

    def expander_facts(self):
        return {
            "role": "button",
            "value": "",
            "states": {"expanded": self.more.get_expanded()},
            **self.place(self.more),
        }

    def open(self, which, names):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for name in names:
            box.add(Gtk.Button(label=name))
        if which == "popup":
            top = Gtk.Popover(relative_to=self.book, modal=False)
            top.add(box)
            box.show_all()
            top.popup()
        else:
            top = Gtk.Dialog(title="Question", transient_for=self.window)
            top.get_content_area().add(box)
            top.show_all()
        self.extra[which] = (top, box)

    def close(self, which):
        top, _ = self.extra.pop(which)
        top.destroy()

    def extra_facts(self, which, number):
        _, box = self.extra[which]
        button = box.get_children()[number]
        return {"role": "button", "value": "", "states": {"enabled": True}, **self.place(button)}

    # the window

    def scroll_to(self, which, share):
        bar = self.scrolled[which].get_vadjustment()
        bar.set_value(share * (bar.get_upper() - bar.get_page_size()))

    def resize(self, width, height):
        self.window.resize(width, height)

    def shift(self, left, top):
        self.window.move(left, top)


if __name__ == "__main__":
    GLib.set_prgname("fixture")
    Gdk.set_program_class("Fixture")
    Gtk.init([])
    world = World(Toolkit(), Path(sys.argv[1]), VERSION)
    hear(sys.argv[2], world.obey)
    Gtk.main()
