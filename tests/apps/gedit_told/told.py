"""A plugin of gedit that writes the editor's own state to the file that `EVERYDAY_STATE` names, once it changed."""

import json
import os
from pathlib import Path

import gi

gi.require_version("Gedit", "3.0")
from gi.repository import Gedit, GLib, GObject  # noqa: E402

LOOK_MS = 30


class Told(GObject.Object, Gedit.WindowActivatable):
    window = GObject.Property(type=Gedit.Window)
    written = ""

    def do_activate(self):
        GLib.timeout_add(LOOK_MS, self.write)

    def do_deactivate(self):
        pass

    def do_update_state(self):
        pass

    def look(self):
        view, document = self.window.get_active_view(), self.window.get_active_document()
        if view is None or document is None:
            return {"tabs": 0}
        caret = document.get_iter_at_mark(document.get_insert()).get_offset()
        bound = document.get_iter_at_mark(document.get_selection_bound()).get_offset()
        focus = self.window.get_focus()
        return {
            "tabs": len(self.window.get_documents()),
            "text": document.get_text(document.get_start_iter(), document.get_end_iter(), True),
            "caret": caret,
            "selected": [min(caret, bound), max(caret, bound)] if caret != bound else [],
            "modified": document.get_modified(),
            "scrolled": round(view.get_vadjustment().get_value()),
            "focus": type(focus).__name__,
            "searched": focus.get_text() if type(focus).__name__ == "TaggedEntry" or hasattr(focus, "get_text") else "",
            "highlighted": bool(document.get_search_context()),
        }

    def write(self):
        text = json.dumps(self.look())
        if text != self.written:
            self.written, path = text, Path(os.environ["EVERYDAY_STATE"])
            new = path.with_suffix(".new")
            new.write_text(text, encoding="utf-8")
            new.replace(path)
        return True
