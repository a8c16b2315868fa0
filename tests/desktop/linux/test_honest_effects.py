"""Honest applications of every toolkit: what works there is confirmed, so that nobody hides behind "unverifiable"."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.errors import DeskhandError
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from desktop.linux.test_toolkits import FIXTURES
from support import FULL, need

TURNS: Final = 8 if FULL else 1
TOOLKITS: Final = ("GTK 3", "GTK 4", "Qt 5", "Qt 6", "Chromium", "LibreOffice")
OUT: Final = {
    ("GTK 4", "invoke", "Check me"): "a checkbox of GTK 4 has no action",
    ("GTK 4", "keyboard_input", "Name"): "a field of GTK 4 takes no focus by accessibility",
    ("LibreOffice", "set_value", "Volume"): "the number counts once the field loses the keyboard",
    ("LibreOffice", "click_input", "Check me"): "a checkbox takes clicks on its box and words alone, not in its middle",
}
"""What does not work in a toolkit."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One action that works: the tool, on what, and with which arguments; `turn` takes the place of `{}`."""

    tool: str
    role: Role
    name: str
    arguments: Mapping[str, JsonValue]

    def in_turn(self, turn: int) -> dict[str, JsonValue]:
        return {key: value.format(turn) if isinstance(value, str) else value for key, value in self.arguments.items()}


def deeds(toolkit: str, turn: int) -> list[Deed]:
    """What is done in one turn; a list item is another one each time."""
    item = ("Plum", "Pear")[turn % 2]
    found = [
        Deed("invoke", Role.CHECKBOX, "Check me", {}),
        Deed("click_input", Role.CHECKBOX, "Check me", {}),
        Deed("select_item", Role.LISTITEM, item, {}),
        Deed("click_input", Role.LISTITEM, "Apple", {}),
        Deed("set_edit_text", Role.TEXTBOX, "Name", {"text": "Grace {}"}),
        Deed("keyboard_input", Role.TEXTBOX, "Name", {"keys": "x{}"}),
        Deed("set_value", Role.SLIDER, "Volume", {"value": 40 + turn}),
    ]
    return [deed for deed in found if (toolkit, deed.tool, deed.name) not in OUT]


@pytest.mark.full("other toolkits take the same way", but=["Qt 6", "Chromium"])
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("effect.honest")
@pytest.mark.parametrize("toolkit", TOOLKITS)
async def test_what_works_in_a_toolkit_is_confirmed(toolkit: str, tmp_path: Path) -> None:
    fixture = FIXTURES[toolkit]
    need(*fixture.needs)
    results: list[tuple[Deed, Result]] = []
    async with linux_desktop(tmp_path / "desktop") as desktop:
        argv = (*fixture.argv, str(tmp_path / "state.json"))
        window = await desktop.launch(Application("fixture", argv, window=fixture.window))
        tools = Tools(desktop)
        for turn in range(TURNS):
            for deed in deeds(toolkit, turn):
                target = await tools.find(window, deed.name, deed.role)
                try:
                    results.append((deed, await tools.run(window, deed.tool, target, **deed.in_turn(turn))))
                except DeskhandError as error:
                    pytest.fail(f"{deed}: {error}")
    confirmed = [result for _, result in results if result.effect is Effect.CONFIRMED]
    logging.getLogger(__name__).info("%s: %d of %d confirmed", toolkit, len(confirmed), len(results))
    others = [f"{deed.tool} on {deed.name}: {r.effect}: {r.evidence}" for deed, r in results if r not in confirmed]
    assert len(confirmed) >= 0.95 * len(results), others
