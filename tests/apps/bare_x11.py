"""A window that is drawn by nobody's toolkit and tells nothing of itself: `bare_x11.py TITLE LEFT TOP WIDTH HEIGHT`.

Needs python-xlib.
"""

import sys

from Xlib import X
from Xlib.display import Display

title, *place = sys.argv[1:]
display = Display()
screen = display.screen()
window = screen.root.create_window(
    *(int(number) for number in place),
    0,
    screen.root_depth,
    background_pixel=0x336699,
    event_mask=X.StructureNotifyMask,
)
window.set_wm_name(title)
window.set_wm_class("bare", "Bare")
window.map()
while True:
    display.next_event()
