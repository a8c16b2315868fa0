"""A check item of GTK 3 that never says that it is checked is not taken for one that is not."""

import json
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.json import JsonObject
from deskhand.core.ports import CheckResult
from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import ROOT

PROGRAM = ("/usr/bin/python3", str(ROOT / "tests/apps/popover_gtk3.py"))


@pytest.mark.desktop
@pytest.mark.requires("act.mute-checks")
async def test_what_does_not_say_that_it_is_checked_is_refused_and_pressed_by_invoke(tmp_path: Path) -> None:
    file = tmp_path / "state.json"

    async def state(wanted: dict[str, bool]) -> bool | None:
        return json.loads(file.read_text(encoding="utf-8")) == wanted or None

    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("popovers", (*PROGRAM, str(file)), window="^Popovers$"))
        tools = Tools(desktop)
        assert (await tools.run(window, "invoke", await tools.find(window, "Options", Role.BUTTON))).error is None

        item = await tools.find(window, "Dual", Role.CHECKBOX)
        assert "checked_untold" in item.states
        for wanted in (True, False):
            refused = await tools.run(window, "set_value", item, value=wanted)
            assert refused.error is not None
            assert refused.error.message == 'checkbox "Dual" [1] does not report whether it is checked'
        wanted_state: JsonObject = {"shows": {"role": "checkbox", "name": "Dual"}, "states": ["not checked"]}
        asked = await tools.run(window, "verify", None, expect=wanted_state)
        assert asked.result == [
            CheckResult(
                "shows", ok=False, known=False, detail='checkbox "Dual" shows and does not report whether it is checked'
            )
        ]
        assert await state({"dual": True, "spread": True})

        box = await tools.find(window, "Spread", Role.CHECKBOX)
        assert "checked_untold" not in box.states
        cleared = await tools.run(window, "set_value", box, value=False)
        assert (cleared.effect, cleared.evidence) == (Effect.CONFIRMED, 'checkbox "Spread" [1] is not checked')
        assert await desktop.wait_until(lambda: state({"dual": True, "spread": False}), deadline_s=20)

        pressed = await tools.run(window, "invoke", await tools.find(window, "Dual", Role.CHECKBOX))
        assert pressed.error is None, pressed
        assert await desktop.wait_until(lambda: state({"dual": False, "spread": False}), deadline_s=20)
