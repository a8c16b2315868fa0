"""A Windows program with every standard control, under Wine, read and operated as any other; its own state judges."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from deskhand.core.command import Effect
from deskhand.core.errors import ApplicationUnresponsive
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent, reason
from desktop.linux.fixture import linux_desktop
from windows_programs import use_installed

SOON_S: Final = 8.0
State = Mapping[str, Any]  # JSON of the program, whose parts are looked at one by one

pytestmark = [pytest.mark.desktop, pytest.mark.requires("wine.programs")]


@dataclass
class Oracle:
    desktop: LinuxDesktop
    window: TargetInfo
    agent: Agent
    state_file: Path

    def state(self) -> State:
        return json.loads(self.state_file.read_text(encoding="utf-8"))

    async def until(self, holds: Callable[[State], object]) -> State:
        async def look() -> State | None:
            state = self.state()
            return state if holds(state) else None

        found = await self.desktop.wait_until(look, deadline_s=SOON_S)
        assert found is not None, self.state()
        return found

    async def opened(self, title: str) -> TargetInfo:
        async def look() -> TargetInfo | None:
            return next((w for w in await self.desktop.windows() if title in w.name), None)

        found = await self.desktop.wait_until(look, deadline_s=SOON_S)
        assert found is not None, [window.name for window in await self.desktop.windows()]
        return found

    async def does(self, tool: str, name: str, role: Role | None = None, **given: Any) -> str:
        """Carries a tool out on a control; "" where it was confirmed, else how it ended."""
        seen, target = await self.agent.see(self.window, name, role)
        result = await self.agent.act(tool, seen, target, **given)
        return "" if result.effect is Effect.CONFIRMED else f"{result.effect} {reason(result)} {result.evidence}"


@asynccontextmanager
async def oracle(program: Path, folder: Path) -> AsyncGenerator[Oracle]:
    """The program on a desktop of its own."""
    state_file = folder / "state.json"
    async with linux_desktop(folder) as desktop:
        window = await desktop.launch(
            Application("oracle", (str(program), str(state_file)), window="^Oracle$"), deadline_s=90
        )
        yield Oracle(desktop, window, Agent(desktop), state_file)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    use_installed(monkeypatch)


@pytest.mark.requires("python.ids")
async def test_a_windows_program_is_read_and_operated_as_any_other(win32_oracle: Path, tmp_path: Path) -> None:
    async with oracle(win32_oracle, tmp_path) as it:
        seen = await it.desktop.observe(it.window)
        assert not seen.truncated
        told = {(control.type, control.name): control for control in seen.controls}
        state = it.state()["controls"]
        for role, name, key in (
            (Role.BUTTON, "Press me", "button"),
            (Role.TEXTBOX, "Name", "name"),
            (Role.CHECKBOX, "Check me", "check"),
            (Role.RADIO, "Green", "green"),
            (Role.COMBOBOX, "Size", "size"),
            (Role.LIST, "Fruit", "fruit"),
            (Role.TABLE, "Grid", "grid"),
            (Role.TREE, "Places", "places"),
            (Role.SLIDER, "Volume", "volume"),
        ):
            rect = told[role, name].rect
            assert [rect.left, rect.top, rect.right, rect.bottom] == state[key]["rect"], name
        assert "enabled" not in told[Role.BUTTON, "Off"].states
        assert (Role.LABEL, "Name") not in told, "the name of a field is not told twice"
        ids = await it.desktop.accessible_ids([told[Role.BUTTON, "Press me"], told[Role.BUTTON, "Off"]])
        assert ids == ("111", "113"), "FIRST_CONTROL and their place in win32_oracle.h"

        assert "suspected" in await it.does("invoke", "Press me", Role.BUTTON), "it shows nothing of a press"
        assert await it.does("click_input", "Check me") == ""
        assert await it.does("invoke", "Three") == ""
        assert await it.does("click_input", "Green") == ""
        assert await it.does("set_edit_text", "Name", Role.TEXTBOX, text="Grace żółć") == ""
        assert await it.does("select_item", "Pear") == ""
        assert await it.does("select_item", "r1c0", Role.ROW) == ""
        assert await it.does("set_value", "Volume", value=70) == ""
        assert await it.does("invoke", "Europe") == ""
        assert await it.does("click_input", "Details") == ""
        assert await it.does("select_item", "Size", Role.COMBOBOX, item="Large") == ""
        state = await it.until(lambda state: state["controls"]["size"]["text"] == "Large")
        controls, items = state["controls"], state["items"]
        assert state["pressed"]["button"] == 1
        assert [controls[key]["checked"] for key in ("check", "three", "red", "green")] == [1, 1, 0, 1]
        assert controls["name"]["text"] == "Grace żółć"
        assert (controls["volume"]["value"], controls["pages"]["selected"]) == (70, 1)
        assert items["Pear"]["selected"] == 1


@pytest.mark.full("win32/test_oracle has its menus, its secret and a hang")
async def test_its_menus_dialogs_and_secrets_are_those_of_any_program(win32_oracle: Path, tmp_path: Path) -> None:
    async with oracle(win32_oracle, tmp_path) as it:
        assert await it.does("click_input", "View", Role.MENU) == ""
        await it.does("click_input", "Refresh", Role.MENUITEM)
        await it.until(lambda state: state["commands"] == ["refresh"])
        assert await it.does("click_input", "Help", Role.MENU) == ""
        await it.does("invoke", "About", Role.MENUITEM)
        await it.until(lambda state: state["commands"] == ["refresh", "about"])

        chosen = tmp_path / "żółty.txt"
        chosen.write_text("It")
        assert await it.does("invoke", "Open file...") == ""
        dialog = await it.desktop.observe(await it.opened("Open"))
        result = await it.agent.act("choose_file", dialog, path=str(chosen))
        state = await it.until(lambda state: state["answers"])
        assert result.effect is Effect.CONFIRMED, result
        assert state["answers"] == ["Z:" + str(chosen).replace("/", "\\")]
        assert await it.does("invoke", "Message") == ""
        seen, yes = await it.agent.see(await it.opened("Message"), "Yes", Role.BUTTON)
        await it.agent.act("click_input", seen, yes)
        await it.until(lambda state: state["answers"][1:] == ["yes"])

        seen = await it.desktop.observe(it.window)
        (secret,) = (control for control in seen.controls if control.type is Role.PASSWORD)
        assert secret.value == ""
        assert await it.desktop.read_text(secret) == ""
        assert "xyzzy" not in str(seen), "the secret is nowhere in what was seen"

        _, hang = await it.agent.see(it.window, "Hang", Role.BUTTON)
        await it.desktop.do_action(hang)
        with pytest.raises(ApplicationUnresponsive, match="does not answer"):
            await it.desktop.observe(it.window, picture=False)

        async def answers() -> bool | None:
            try:
                return not (await it.desktop.observe(it.window, picture=False)).truncated
            except ApplicationUnresponsive:
                return None

        assert await it.desktop.wait_until(answers, deadline_s=SOON_S), "it is read again once it answers"
