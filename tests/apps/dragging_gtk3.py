"""Two lists of GTK 3 between which items are dragged, a slider, a text field and a menu: `dragging_gtk3.py`.

The title says what the right list has, where the slider stands, and what of the text is selected. Run it with the
system's Python.
"""

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

TARGETS = [Gtk.TargetEntry.new("text/plain", Gtk.TargetFlags.SAME_APP, 0)]


def make_list(name, items):
    model = Gtk.ListStore(str)
    for item in items:
        model.append([item])
    view = Gtk.TreeView(model=model, headers_visible=False)
    view.append_column(Gtk.TreeViewColumn(name, Gtk.CellRendererText(), text=0))
    view.get_accessible().set_name(name)
    view.set_size_request(160, 160)
    return view


def give(view, _context, data, _info, _time):
    model, row = view.get_selection().get_selected()
    data.set_text(model[row][0], -1)


def take(view, context, _x, _y, data, _info, time):
    view.get_model().append([data.get_text()])
    Gtk.drag_finish(context, True, False, time)


def tell(*_):
    held = ",".join(row[0] for row in right.get_model())
    ends = text.get_selection_bounds()
    chosen = text.get_text()[slice(*ends)] if ends else ""
    window.set_title(f"Dragging [{held}] [{slider.get_value():.0f}] [{chosen}]")


window = Gtk.Window()
column, row = Gtk.Box(orientation=Gtk.Orientation.VERTICAL), Gtk.Box()
window.add(column)
left, right = make_list("Left", ("One", "Two", "Three")), make_list("Right", ())
left.enable_model_drag_source(Gdk.ModifierType.BUTTON1_MASK, TARGETS, Gdk.DragAction.COPY)
right.enable_model_drag_dest(TARGETS, Gdk.DragAction.COPY)
left.connect("drag-data-get", give)
right.connect("drag-data-received", take)
right.get_model().connect("row-inserted", tell)
row.add(left)
row.add(right)
slider = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
slider.set_draw_value(False)
slider.connect("value-changed", tell)
text = Gtk.Entry(text="some words to select")
text.connect("notify::selection-bound", tell)
text.connect("notify::cursor-position", tell)
bar, menu, of_bar = Gtk.MenuBar(), Gtk.Menu(), Gtk.MenuItem(label="Slider")
for number in range(0, 101, 10):
    item = Gtk.MenuItem(label=f"To {number}")
    item.connect("activate", lambda _, number=number: slider.set_value(number))
    menu.append(item)
of_bar.set_submenu(menu)
bar.append(of_bar)
for each in (bar, row, slider, text):
    column.add(each)
tell()
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
