"""Programs whose controls answer nonsense: a window is read in bounds, and the reader goes on."""

from typing import Final

import pytest

from tools.windows_scripts import FOLDER, ROOT
from win32_helper import Helper, Refusal
from windows_programs import Prefix

pytestmark = [pytest.mark.desktop, pytest.mark.requires("windows.untrue")]

NUMBERS: Final = (2**31 - 1, -7, 1, 100_000)
MOST_NODES: Final = 4000
"""Far more than the honest controls of a window have, far less than they could claim."""


def test_a_window_whose_controls_answer_nonsense_is_read_in_bounds(helper: Helper, prefix: Prefix) -> None:
    lies = (*map(str, NUMBERS), "texts", "gigabytes")
    script = f"Z:{ROOT / 'tests/apps/lying_win32.py'}"
    prefix.start(str(FOLDER.python.with_name("pythonw.exe")), script, *lies)
    windows = {lie: helper.window("FixtureWindow", f"Lie {lie}.") for lie in lies}
    for lie, window in windows.items():
        answer = helper.ask("tree", hwnd=window)
        assert (answer["complete"], bool(answer["why"])) == (False, True), lie
        assert "which is not read" in answer["why"] or lie != "gigabytes", answer["why"]
        assert len(answer["nodes"]) < MOST_NODES, lie
        seen = {None}
        for node in answer["nodes"]:
            assert node["parent"] in seen, f"{lie}: {node['key']} is before or inside itself"
            seen.add(node["key"])
            sizes = [node["caret"], *(node.get(name, 0) for name in ("hidden", "length", "columns"))]
            assert all(abs(size) < 2**31 for size in sizes), f"{lie}: {node['key']} has {sizes}"
    huge, short = (field_of(helper, windows[str(number)]) for number in (NUMBERS[0], 1))
    with pytest.raises(Refusal, match="which is not read"):
        helper.ask("text", key=huge)
    assert len(helper.ask("text", key=short)) <= 1


def field_of(helper: Helper, window: int) -> str:
    """The key of the field of one line in a window."""
    return next(node["key"] for node in helper.tree(window) if node["role"] == "entry")
