"""A GTK 3 program that does on command what makes settling hard: `gtk3_restless.py STATE_FILE [TITLE]`.

Keys pressed in its window: v a video (and off again), f one whose frames are decoded in the main thread, s a spinner,
c a blinking caret, t a ticking label, r appends rows for 400 ms, d opens a dialog after 200 ms of work, b burns the
processor for 500 ms and then writes its result into a label, e floods with events (and off again), p looks at something
all the time, which takes a fifth of it, q nothing that shows. STATE_FILE (JSON) says what has ended and what is there.
Run it with the system's Python.
"""

import json
import sys
import time
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

FRAME_MS = 33
ROWS = 20


def burn(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


class Restless:
    def __init__(self, path, title):
        self.path = path
        self.state = {"key": "", "ended": [], "rows": 0, "result": "", "dialog": False, "frames": 0}
        self.timers = {}
        self.decode_s = 0.0
        self.window = Gtk.Window(title=title)
        self.window.set_default_size(500, 600)
        self.window.connect("destroy", Gtk.main_quit)
        self.window.connect("key-press-event", self.key)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.window.add(box)
        self.result = Gtk.Label(label="no result")
        box.pack_start(self.result, False, False, 0)
        self.rows = Gtk.ListBox()
        scrolled = Gtk.ScrolledWindow()
        scrolled.add(self.rows)
        box.pack_start(scrolled, True, True, 0)
        self.clock = Gtk.Label(label="0")
        box.pack_start(self.clock, False, False, 0)
        self.meter = Gtk.ProgressBar()
        box.pack_start(self.meter, False, False, 0)
        self.spinner = Gtk.Spinner()
        box.pack_start(self.spinner, False, False, 0)
        self.video = Gtk.DrawingArea()
        self.video.set_size_request(320, 120)
        self.video.connect("draw", self.draw)
        box.pack_start(self.video, False, False, 0)
        self.window.show_all()
        self.save()

    def save(self):
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(self.state), encoding="utf-8")
        temporary.replace(self.path)

    def end(self, what):
        self.state["ended"].append(what)
        self.save()

    def key(self, _window, event):
        name = Gdk.keyval_name(event.keyval)
        self.state["key"] = name
        self.save()
        {
            "v": lambda: self.toggle("video", FRAME_MS, self.frame),
            "f": self.decode,
            "s": self.spin,
            "c": lambda: self.toggle("caret", 300, self.blink),
            "t": lambda: self.toggle("ticking", 15, self.tick),
            "r": lambda: GLib.timeout_add(400 // ROWS, self.append),
            "d": lambda: GLib.idle_add(self.open_dialog),
            "b": lambda: GLib.idle_add(self.work, time.monotonic() + 0.5),
            "e": lambda: self.toggle("flood", 10, self.flood),
            "p": lambda: self.toggle("polling", 20, self.poll),
        }.get(name, lambda: None)()
        return True

    def toggle(self, name, every_ms, turn):
        if name in self.timers:
            GLib.source_remove(self.timers.pop(name))
        else:
            self.timers[name] = GLib.timeout_add(every_ms, turn)

    def decode(self):
        self.decode_s = 0.02
        self.toggle("video", FRAME_MS, self.frame)

    def frame(self):
        burn(self.decode_s)
        self.state["frames"] += 1
        self.save()
        self.video.queue_draw()
        return True

    def draw(self, _area, context):
        context.set_source_rgb(self.state["frames"] % 10 / 10, 0.5, 0.5)
        context.paint()

    def spin(self):
        self.spinner.stop() if self.spinner.props.active else self.spinner.start()

    def blink(self):
        self.video.queue_draw_area(10, 10, 2, 16)
        return True

    def tick(self):
        self.clock.set_text(str((int(self.clock.get_text()) + 1) % 10))
        self.meter.set_fraction((self.meter.get_fraction() + 0.1) % 1.0)
        return True

    def append(self):
        self.state["rows"] += 1
        label = Gtk.Label(label=f"row {self.state['rows']}")
        label.show()
        self.rows.add(label)
        if self.state["rows"] % ROWS:
            return True
        self.end("rows")
        return False

    def open_dialog(self):
        burn(0.2)
        self.dialog = Gtk.MessageDialog(transient_for=self.window, text="Something happened", title="Answer")
        self.dialog.add_button("Well", 1)
        self.dialog.connect("map-event", lambda *_: self.say_dialog())
        self.dialog.show_all()
        return False

    def say_dialog(self):
        self.state["dialog"] = True
        self.end("dialog")

    def work(self, until):
        burn(0.005)
        if time.monotonic() < until:
            return True
        self.result.set_text("the result")
        self.state["result"] = "the result"
        self.end("work")
        return False

    def poll(self):
        burn(0.005)
        return True

    def flood(self):
        for _ in range(100):
            self.clock.get_accessible().notify_state_change(7, True)
            self.clock.get_accessible().notify_state_change(7, False)
        return True


def main():
    Restless(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "Restless")
    Gtk.main()


if __name__ == "__main__":
    main()
