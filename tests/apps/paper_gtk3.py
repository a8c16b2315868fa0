"""GTK 3's own dialog for a page: `paper_gtk3.py`. Its combo box draws the paper sizes by a function of its own.

Once the dialog is answered, a window's title says which size was chosen. Run it with the system's Python.
"""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

window = Gtk.Window(title="Paper")
window.set_default_size(300, 100)
window.connect("destroy", Gtk.main_quit)
window.show_all()


def tell(setup):
    window.set_title(f"Paper {setup.get_paper_size().get_name()}")


Gtk.print_run_page_setup_dialog_async(window, None, Gtk.PrintSettings(), tell)
Gtk.main()
