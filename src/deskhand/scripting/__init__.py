"""Desktop applications from Python: `async with deskhand.open_desktop() as d: …`.

Actions are those of the agents: judged by the same rules, carried out by the same tools, and their effect is read back.
"""

from deskhand.scripting.desktop import Desktop, on_open_desktop, open_desktop
from deskhand.scripting.expectations import ControlExpectation, WindowExpectation, expect
from deskhand.scripting.locator import Locator
from deskhand.scripting.results import ActionFailed, ExpectationFailed
from deskhand.scripting.window import Window

__all__ = [
    "ActionFailed",
    "ControlExpectation",
    "Desktop",
    "ExpectationFailed",
    "Locator",
    "Window",
    "WindowExpectation",
    "expect",
    "on_open_desktop",
    "open_desktop",
]
