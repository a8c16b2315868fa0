"""A window that writes down what it hears: `sentinel.py FILE LEFT TOP WIDTH HEIGHT`. Needs python-xlib.

It stands below all others. Each line of FILE is a JSON object: `event` is one of key, button, drag (the pointer moves
while a button is down), focus in, focus out, mark; `detail` is the keycode or button, or the number of the mark.

A mark comes as a client message `SENTINEL_MARK`: what was sent before it is written before it. A window manager may
hold clicks back for a moment, so it is asked for something first: it answers that when it has let go of them.
"""

import json
import sys
from pathlib import Path

from Xlib import X
from Xlib.display import Display

EVENTS = {X.KeyPress: "key", X.ButtonPress: "button", X.FocusIn: "focus in", X.FocusOut: "focus out"}
DOWN = X.Button1Mask | X.Button2Mask | X.Button3Mask


def main(path, place):
    display = Display()
    screen = display.screen()
    mask = X.KeyPressMask | X.ButtonPressMask | X.ButtonReleaseMask | X.ButtonMotionMask | X.FocusChangeMask
    window = screen.root.create_window(
        *place, 0, screen.root_depth, background_pixel=0x336699, event_mask=mask | X.StructureNotifyMask
    )
    window.set_wm_name("Sentinel")
    window.set_wm_class("sentinel", "Sentinel")
    window.set_wm_hints(flags=1, input=1)
    window.set_wm_normal_hints(flags=1 | 2, min_width=1, min_height=1)
    hints, state = display.intern_atom("_MOTIF_WM_HINTS"), display.intern_atom("_NET_WM_STATE")
    window.change_property(hints, hints, 32, (2, 0, 0, 0, 0))
    window.change_property(state, display.intern_atom("ATOM"), 32, [display.intern_atom("_NET_WM_STATE_BELOW")])
    window.map()
    mark = display.intern_atom("SENTINEL_MARK")
    marks = []
    with path.open("a", encoding="utf-8") as file:
        while True:
            event = display.next_event()
            told = None
            if event.type == X.ClientMessage and event.client_type == mark:
                marks.append(event.data[1][0])
                window.configure(width=place[2], height=place[3])
            elif event.type == X.ConfigureNotify and marks:
                told = ("mark", marks.pop(0))
            elif event.type == X.MotionNotify and event.state & DOWN:
                told = ("drag", 0)
            elif event.type in EVENTS and getattr(event, "mode", X.NotifyNormal) == X.NotifyNormal:
                told = (EVENTS[event.type], getattr(event, "detail", 0))
            if told:
                file.write(json.dumps({"event": told[0], "detail": int(told[1])}) + "\n")
                file.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(number) for number in sys.argv[2:]])
