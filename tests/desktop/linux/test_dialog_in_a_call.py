"""A program of GTK 3 that runs a dialog in the handler of a control goes on hearing us."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import ROOT

PROGRAM = ("/usr/bin/python3", str(ROOT / "tests/apps/dialogs_gtk3.py"))
PATIENCE_S = 10.0


@pytest.mark.desktop
@pytest.mark.requires("act.dialog-in-a-call")
@pytest.mark.parametrize(
    ("name", "role", "menu"),
    [("Ask…", Role.BUTTON, ""), ("Open", Role.BUTTON, ""), ("Save As", Role.MENUITEM, "File")],
)
async def test_a_dialog_that_a_control_runs_can_be_read_and_takes_keys(
    name: str, role: Role, menu: str, tmp_path: Path
) -> None:
    """By an action of accessibility it could neither be read, nor did its program live on after a key."""
    typed = tmp_path / "typed"
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("dialogs", (*PROGRAM, str(typed)), window="^Dialogs$"))
        tools = Tools(desktop)
        if menu:
            assert (await tools.run(window, "invoke", await tools.find(window, menu, Role.MENU))).error is None
        asked = await tools.run(window, "invoke", await tools.find(window, name, role))
        assert (asked.effect, asked.evidence) == (Effect.CONFIRMED, 'the window "Ask" appeared')

        dialog = next(each for each in await desktop.windows() if each.name == "Ask")
        answered = await tools.run(
            dialog, "keyboard_input", await tools.find(dialog, "", Role.TEXTBOX), keys="42{ENTER}"
        )
        assert answered.error is None, answered

        async def written() -> str | None:
            return typed.read_text(encoding="utf-8") if typed.exists() else None

        assert await desktop.wait_until(written, deadline_s=PATIENCE_S) == "42"
