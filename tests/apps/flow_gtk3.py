"""A flow box of GTK 3, whose items do not tell whether they are selected: the title says which is."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def main():
    window, flow = Gtk.Window(title="Flow"), Gtk.FlowBox()
    window.connect("destroy", Gtk.main_quit)
    for name in ("One", "Two", "Three"):
        flow.add(Gtk.Label(label=name))
    flow.connect(
        "selected-children-changed",
        lambda _: window.set_title(
            " ".join(["Flow", *(c.get_child().get_label() for c in flow.get_selected_children())])
        ),
    )
    window.add(flow)
    window.show_all()
    Gtk.main()


main()
