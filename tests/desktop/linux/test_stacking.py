"""What is said of a place that cannot be pointed at."""

import subprocess
import sys

import pytest
from Xlib import X

from deskhand.core.errors import TargetCovered
from deskhand.core.geometry import Rect
from deskhand.desktop.linux.x11.connection import close_display, open_display
from deskhand.desktop.linux.x11.stacking import XStack, out_of_sight
from deskhand.desktop.linux.x11.windows import XWindows
from desktop.linux.servers import server

WINDOW = Rect(0, 100, 1000, 900)


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(
    ("place", "told", "fix"),
    [
        (Rect(57, -1366, 234, -1344), "above the visible part of the window", "Scroll up to it"),
        (Rect(57, 900, 234, 922), "below the visible part of the window", "Scroll down to it"),
        (Rect(1200, 300, 1300, 320), "off the screen or outside its window", "Scroll to it, move the window"),
    ],
)
def test_what_is_scrolled_away_is_refused_by_its_name_with_the_way_to_it(place: Rect, told: str, fix: str) -> None:
    refusal = out_of_sight('button "Far away" of "B"', place, WINDOW)
    assert refusal.message.startswith('button "Far away" of "B" is not in sight')
    assert told in refusal.message
    assert refusal.fix.startswith(fix)


@pytest.mark.desktop
@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(
    ("name", "kind", "encoding"),
    [
        ("_NET_WM_NAME", "UTF8_STRING", "utf-8"),
        ("WM_NAME", "UTF8_STRING", "utf-8"),
        ("WM_NAME", "STRING", "latin-1"),
    ],
)
def test_what_covers_a_control_is_called_as_its_title_says_in_any_script(name: str, kind: str, encoding: str) -> None:
    title = "Señor" if encoding == "latin-1" else "Письмо"
    with server("Xvfb", "-screen", "0", "320x240x24") as name_of_display:
        display = open_display(name_of_display)
        root, atom = display.screen().root, display.intern_atom
        below, above = (root.create_window(0, 0, 100, 100, 0, X.CopyFromParent) for _ in range(2))
        above.change_property(atom(name), atom(kind), 8, title.encode(encoding))
        below.map()
        above.map()
        root.change_property(atom("_NET_CLIENT_LIST_STACKING"), atom("WINDOW"), 32, [below.id, above.id])
        windows = XWindows(display)
        front, back = windows.list()
        assert front.name == title
        with pytest.raises(TargetCovered, match=f'is covered by "{title}"'):
            XStack(display, windows).aim(back, Rect(10, 10, 50, 50))
        close_display(display)


_SHOWS_POPUP = """
import sys
from Xlib import X
from Xlib.display import Display
display = Display(sys.argv[1])
display.screen().root.create_window(0, 0, 200, 200, 0, 0, X.InputOnly, override_redirect=1).map()
display.sync()
print("shown", flush=True)
sys.stdin.read()
"""


@pytest.mark.desktop
@pytest.mark.requires("act.refusals")
def test_a_popup_of_another_connection_covers_nothing_if_its_program_is_the_same() -> None:
    with server("Xvfb", "-screen", "0", "320x240x24") as name:
        display, second = open_display(name), open_display(name)
        root, atom = display.screen().root, display.intern_atom
        own = root.create_window(0, 0, 100, 100, 0, X.CopyFromParent)
        own.map()
        root.change_property(atom("_NET_CLIENT_LIST_STACKING"), atom("WINDOW"), 32, [own.id])
        popup = second.screen().root.create_window(0, 0, 200, 200, 0, 0, X.InputOnly, override_redirect=1)
        popup.map()
        second.sync()
        windows = XWindows(display)
        (window,) = windows.list()
        stack = XStack(display, windows)
        assert stack.aim(window, Rect(10, 10, 50, 50)).taken_by == str(popup.id)
        argv = [sys.executable, "-c", _SHOWS_POPUP, name]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout
            assert other.stdout.readline() == "shown\n"
            with pytest.raises(TargetCovered):
                stack.aim(window, Rect(10, 10, 50, 50))
            other.communicate(timeout=20)
        close_display(second)
        close_display(display)
