"""An in-memory desktop with scriptable applications and faults, for tests of agents (see `FakeDesktop`)."""

from deskhand.desktop.fake.control import FakeControl, FakeTable, FakeWindow, cell_name, parse_range, spreadsheet
from deskhand.desktop.fake.desktop import Call, FakeApplication, FakeDesktop
from deskhand.desktop.fake.faults import Faults

__all__ = [
    "Call",
    "FakeApplication",
    "FakeControl",
    "FakeDesktop",
    "FakeTable",
    "FakeWindow",
    "Faults",
    "cell_name",
    "parse_range",
    "spreadsheet",
]
