"""The everyday form in GTK 4: `everyday_gtk4.py STATE_FILE`. Run it with the system's Python."""

import sys
from pathlib import Path

import gi
from everyday import FRUIT, LOOK_MS, SIZES, TITLE, State

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402


class Form:
    def __init__(self, path, loop):
        self.state = State(path, self.look)
        self.dialog = None
        self.window = Gtk.Window(title=TITLE, default_width=700)
        self.window.connect("close-request", lambda _: loop.quit())
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.window.set_child(self.box)
        self.add_menu()
        self.add_buttons()
        self.add_texts()
        self.add_choices()
        self.window.present()
        GLib.timeout_add(LOOK_MS, self.state.write)

    def row(self, *widgets):
        row = Gtk.Box(spacing=6)
        for widget in widgets:
            row.append(widget)
        self.box.append(row)

    def labelled(self, text, widget):
        label = Gtk.Label(label=text)
        label.set_mnemonic_widget(widget)
        self.row(label, widget)
        widget.set_hexpand(True)
        return widget

    def add_menu(self):
        actions = Gio.SimpleActionGroup()
        self.wrap = Gio.SimpleAction.new_stateful("wrap", None, GLib.Variant.new_boolean(False))
        self.wrap.connect("activate", self.turn_over)
        count, ask = Gio.SimpleAction.new("count", None), Gio.SimpleAction.new("ask", None)
        count.connect("activate", lambda *_: self.press("counted"))
        ask.connect("activate", lambda *_: self.ask())
        for action in (self.wrap, count, ask):
            actions.add_action(action)
        self.window.insert_action_group("form", actions)
        menu = Gio.Menu()
        for label, name in (("Count up", "count"), ("Wrap lines", "wrap"), ("Ask", "ask")):
            menu.append(label, f"form.{name}")
        self.menu = Gtk.MenuButton(label="File", menu_model=menu)
        self.row(self.menu)

    def turn_over(self, action, _):
        action.set_state(GLib.Variant.new_boolean(not action.get_state()))

    def add_buttons(self):
        press, silent = Gtk.Button(label="Press me"), Gtk.Button(label="Silent")
        press.connect("clicked", lambda _: self.press("pressed"))
        silent.connect("clicked", lambda _: self.state.count("silent"))
        self.mark = Gtk.ToggleButton(label="Mark")
        pick, self.picked = Gtk.Button(label="Pick"), ""
        pick.connect("clicked", lambda _: self.pick())
        self.result = Gtk.Label(label="none")
        self.agree = Gtk.CheckButton(label="Agree")
        self.small, self.large = Gtk.CheckButton(label="Small"), Gtk.CheckButton(label="Large")
        self.large.set_group(self.small)
        self.row(press, silent, self.mark, pick, self.result)
        self.row(self.agree, self.small, self.large)

    def pick(self):
        dialog = Gtk.FileChooserDialog(title="Pick a file", transient_for=self.window, modal=True)
        dialog.add_button("Cancel", Gtk.ResponseType.CANCEL)
        dialog.add_button("Open", Gtk.ResponseType.ACCEPT)
        dialog.set_default_response(Gtk.ResponseType.ACCEPT)

        def end(_, answer):
            self.picked = dialog.get_file().get_basename() if answer == Gtk.ResponseType.ACCEPT else self.picked
            dialog.destroy()

        dialog.connect("response", end)
        dialog.present()

    def press(self, key):
        self.state.count(key)
        self.result.set_label(f"{key} {self.state.counts[key]}")

    def add_texts(self):
        self.name = self.labelled("Name", Gtk.Entry(text="Ada"))
        self.notes = self.labelled("Notes", Gtk.TextView())
        self.notes.set_size_request(-1, 60)
        self.secret = self.labelled("Secret", Gtk.PasswordEntry(text="xyzzy"))
        self.filter = self.labelled("Filter", Gtk.Entry())
        self.filter.connect("changed", lambda _: self.fruit.invalidate_filter())

    def add_choices(self):
        self.fruit = Gtk.ListBox(selection_mode=Gtk.SelectionMode.SINGLE)
        self.fruit.update_property([Gtk.AccessibleProperty.LABEL], ["Fruit"])
        for name in FRUIT:
            self.fruit.append(Gtk.ListBoxRow(child=Gtk.Label(label=name, xalign=0), name=name))
        self.fruit.set_filter_func(lambda row: self.filter.get_text() in row.get_name())
        self.box.append(self.fruit)
        self.size = self.labelled("Size", Gtk.DropDown.new_from_strings(SIZES))
        self.number = self.labelled("Count", Gtk.SpinButton.new_with_range(0, 100, 1))
        self.volume = self.labelled("Volume", Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1))
        self.tabs = Gtk.Notebook()
        for name in ("One", "Two"):
            self.tabs.append_page(Gtk.Label(label=f"Page {name}"), Gtk.Label(label=name))
        self.box.append(self.tabs)

    def ask(self):
        self.dialog = Gtk.Dialog(title="Question", transient_for=self.window, modal=True)
        field = Gtk.Entry()
        field.update_property([Gtk.AccessibleProperty.LABEL], ["Answer"])
        self.dialog.get_content_area().append(field)
        self.dialog.add_button("Take", Gtk.ResponseType.OK)
        self.answer = field
        self.dialog.connect("response", self.answered)
        self.dialog.present()

    def answered(self, dialog, response):
        if response == Gtk.ResponseType.OK:
            self.press("asked")
        dialog.destroy()
        self.dialog = None

    def look(self):
        rows = [self.fruit.get_row_at_index(index) for index in range(len(FRUIT))]
        buffer = self.notes.get_buffer()
        focus = self.window.get_focus()
        chosen = self.name.get_selection_bounds()
        return {
            "mark": self.mark.get_active(),
            "agree": self.agree.get_active(),
            "radio": [box.get_label() for box in (self.small, self.large) if box.get_active()],
            "name": self.name.get_text(),
            "caret": list(chosen) if chosen else [self.name.get_position()] * 2,
            "notes": buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), False),
            "notes_selected": buffer.get_has_selection(),
            "secret": self.secret.get_text(),
            "filter": self.filter.get_text(),
            "shown": [row.get_name() for row in rows if row.get_child_visible()],
            "fruit": [row.get_name() for row in rows if row.is_selected()],
            "size": SIZES[self.size.get_selected()],
            "count": self.number.get_value(),
            "volume": self.volume.get_value(),
            "tab": ("One", "Two")[self.tabs.get_current_page()],
            "menu": self.menu.get_popover().get_mapped(),
            "wrap": self.wrap.get_state().get_boolean(),
            "dialog": self.dialog is not None,
            "answer": self.answer.get_text() if self.dialog else "",
            "picked": self.picked,
            "focus": hash(focus),
        }


if __name__ == "__main__":
    GLib.set_prgname("everyday")
    Gtk.init()
    loop = GLib.MainLoop()
    form = Form(Path(sys.argv[1]), loop)
    loop.run()
