"""Tool bars and status bar after a dialog of Calc closed, as a model is shown them: final, though they lag."""

from pathlib import Path
from typing import Final

import pytest

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.tools.data_collection import Observe, observe_window
from deskhand.core.command import Command
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.office import opened
from spreadsheets import Sheet, write_ods
from support import FULL

pytestmark = pytest.mark.desktop

DIALOGS: Final = 30 if FULL else 2
CALC: Final = Application("calc", ("soffice", "--calc"), ("soffice", "--calc", "{file}"), "Calc$")
LATER_S: Final = 1.0


@pytest.mark.full("test_provisional has final states without an office")
@pytest.mark.requires("desktop.states-final")
async def test_after_a_dialog_closed_a_final_observation_has_the_tool_bars_and_the_status_bar(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    """A dialog disables the tool bars of Calc and empties its status bar for a moment."""
    async with opened(office, CALC, write_ods(tmp_path / "sums.ods", Sheet((3, 2)))) as window:
        tools = Tools(office)
        for number in range(DIALOGS):
            keys = ("{VK_CONTROL}{F3}", "{VK_CONTROL}1")[number % 2]
            opened_by = await tools.run(window, "keyboard_input", None, keys=keys)
            assert (await observed(office, window)).window.type is Role.DIALOG, opened_by
            await tools.run(window, "keyboard_input", None, keys="{ESC}")
            seen = await observed(office, window)
            assert seen.window.handle == window.handle
            await office.wait_until(never, deadline_s=LATER_S)
            assert bars(seen) == bars(await office.observe(window, picture=False)), f"after dialog {number}"


async def observed(desktop: LinuxDesktop, window: TargetInfo) -> Observation:
    """The observation of the front window that a prompt is made from."""
    call = Call(Command("observe_window"), None, window)
    seen = (await observe_window(ToolContext(desktop), call, Observe(final=True))).data
    assert isinstance(seen, Observation)
    return seen


async def never() -> None:
    return None


def bars(seen: Observation) -> dict[str, tuple[str, str, bool]]:
    """The name, the value and whether it is enabled, of each part of the tool bars and the status bar."""
    parts = [control for control in seen.controls if control.type in {Role.BUTTON, Role.LABEL, Role.TEXTBOX}]
    return {control.handle: (control.name, control.value, "enabled" in control.states) for control in parts}
