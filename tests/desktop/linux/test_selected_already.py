"""Choosing what is chosen already turns nothing back in lists and menus of Qt; the program's own state decides."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent
from desktop.linux.everyday import APPS, OPENS_S, SYSTEM, State, state_file
from desktop.linux.fixture import linux_desktop


@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("tool.select-once")
async def test_what_is_chosen_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    app = Application("turning", (SYSTEM, str(APPS / "turning_qt.py"), str(file)), window="^Turning$")
    async with linux_desktop(tmp_path / "desktop") as desktop:
        window, agent = await desktop.launch(app, deadline_s=OPENS_S), Agent(desktop)

        async def choose(role: Role, name: str, **given: JsonValue) -> tuple[Result, State]:
            seen, target = await agent.see(window, name, role)
            return await agent.act("select_item", seen, target, **given), await state_file(file)()

        for word in ("is selected", "is selected already"):
            chosen, state = await choose(Role.LIST, "Fruit", item="Pe")
            assert (chosen.effect, state["fruit"]) == (Effect.CONFIRMED, ["Pear"]), chosen
            assert chosen.evidence.endswith(word), chosen
        more, state = await choose(Role.LISTITEM, "Pear", add=True)
        assert (more.effect, state["fruit"]) == (Effect.CONFIRMED, ["Pear"]), more
        box, state = await choose(Role.LIST, "Boxes", item="Plum box")
        assert (box.effect, state["boxes"]) == (Effect.CONFIRMED, [True, True, True]), box
        seen, view = await agent.see(window, "View", Role.MENUITEM)
        await agent.act("invoke", seen, view)
        for item in ("Ruler", "Left"):
            picked, state = await choose(Role.MENUITEM, "View", item=item)
            assert (picked.effect, state["menu"]) == (Effect.CONFIRMED, ["Ruler", "Left"]), picked
