"""Tool bars and status bar after a dialog of Calc closed, as a model is shown them: final, though they lag."""

import os
from functools import partial
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
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.office import opened
from spreadsheets import Sheet, write_ods

pytestmark = pytest.mark.desktop

DIALOGS: Final = 30 if os.environ.get("DESKHAND_TRIALS") == "full" else 3
CALC: Final = Application("calc", ("soffice", "--calc"), ("soffice", "--calc", "{file}"), "Calc$")
PATIENCE_S: Final = 20.0
LATER_S: Final = 1.0


@pytest.mark.requires("desktop.states-final")
async def test_after_a_dialog_closed_a_final_observation_has_the_tool_bars_and_the_status_bar(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    """A dialog disables the tool bars of Calc and empties its status bar for a moment."""
    async with opened(office, CALC, write_ods(tmp_path / "sums.ods", Sheet((3, 2)))) as window:
        for number in range(DIALOGS):
            await office.activate(window)
            await office.press([Chord("1", ("ctrl",))])
            dialog = await office.wait_until(partial(dialog_over, office, window), deadline_s=PATIENCE_S)
            assert dialog is not None
            await office.settle(dialog)
            await office.press([Chord("esc")])
            call = Call(Command("observe_window"), None, window)
            seen = (await observe_window(ToolContext(office), call, Observe(final=True, picture=False))).data
            assert isinstance(seen, Observation)
            assert seen.window.handle == window.handle
            await office.wait_until(never, deadline_s=LATER_S)
            assert bars(seen) == bars(await office.observe(window, picture=False)), f"after dialog {number}"


async def dialog_over(desktop: LinuxDesktop, window: TargetInfo) -> TargetInfo | None:
    return next((w for w in await desktop.windows() if (w.type, w.parent) == (Role.DIALOG, window.handle)), None)


async def never() -> None:
    return None


def bars(seen: Observation) -> dict[str, tuple[str, str, bool]]:
    """The name, the value and whether it is enabled, of each part of the tool bars and the status bar."""
    parts = [control for control in seen.controls if control.type in {Role.BUTTON, Role.LABEL, Role.TEXTBOX}]
    return {control.handle: (control.name, control.value, "enabled" in control.states) for control in parts}
