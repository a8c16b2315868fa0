"""Keys and clicks that only move the caret or select are confirmed by the caret; the text typed then is the judge."""

import json
from pathlib import Path

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from desktop.linux.test_toolkits import FIXTURES
from support import need

pytestmark = [pytest.mark.desktop, pytest.mark.long]


@pytest.mark.full("other toolkits take the same way", but=["GTK 3"])
@pytest.mark.requires("command.effect")
@pytest.mark.parametrize("toolkit", ["GTK 3", "GTK 4", "Qt 6", "Swing", "Chromium"])
async def test_keys_and_clicks_that_move_the_caret_are_confirmed(toolkit: str, tmp_path: Path) -> None:
    fixture = FIXTURES[toolkit]
    need(*fixture.needs)
    state = tmp_path / "state.json"
    async with linux_desktop(tmp_path / "desktop") as desktop:
        window = await desktop.launch(Application("fixture", (*fixture.argv, str(state)), window=fixture.window))
        tools = Tools(desktop)

        async def run(tool: str, **arguments: str | bool) -> Result:
            target = await tools.find(window, "Name", Role.TEXTBOX) if tool != "keyboard_input" else None
            return await tools.run(window, tool, target, **arguments)

        async def reads(text: str) -> bool:
            async def look() -> bool | None:
                return True if json.loads(state.read_text())["controls"]["name"]["text"] == text else None

            return bool(await desktop.wait_until(look, deadline_s=10))

        assert (await run("set_edit_text", text="Grace")).effect is Effect.CONFIRMED
        assert (await run("click_input")).delivered, "it may have the keyboard already"
        await run("keyboard_input", keys="{END}")
        for keys, evidence, text, after in (
            ("{HOME}", "caret is at character 0", "x", "xGrace"),
            ("{RIGHT}", "caret is at character 2", "y", "xGyrace"),
            ("{VK_SHIFT}{END}", "characters 3 to 7 are selected", "z", "xGyz"),
            ("{VK_CONTROL}a", "characters 0 to 4 are selected", "word", "word"),
        ):
            moved = await run("keyboard_input", keys=keys)
            assert (moved.effect, evidence in moved.evidence) == (Effect.CONFIRMED, True), moved
            assert (await run("keyboard_input", keys=text)).delivered
            assert await reads(after)
        await run("keyboard_input", keys="{VK_CONTROL}a")
        copied = await run("keyboard_input", keys="{VK_CONTROL}c")
        assert (copied.effect, copied.evidence) == (Effect.CONFIRMED, "the clipboard has 4 characters"), copied
        assert await desktop.read_clipboard() == b"word"
        await run("keyboard_input", keys="{END}")
        uncopied = await run("keyboard_input", keys="{VK_CONTROL}c")
        assert uncopied.effect is Effect.UNVERIFIABLE, uncopied
        nothing = await run("keyboard_input", keys="{END}")
        assert (nothing.effect, nothing.evidence[:27]) == (Effect.UNVERIFIABLE, "nothing was seen to change;"), nothing
