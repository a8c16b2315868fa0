"""Enter in a field of a real dialog presses its default button, which the rules are asked about before."""

from pathlib import Path

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.session.interactors import AutoInteractor
from deskhand.session.single_action import Caller, Hand, NotAllowed
from desktop.linux.fixture import linux_desktop
from support import ROOT


def is_there(file: Path) -> bool:
    return file.exists()


@pytest.mark.desktop
@pytest.mark.requires("policy.default-button")
async def test_enter_in_the_field_of_a_dialog_sends_nothing_without_an_approval(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        hand = Hand(desktop, Configuration(), AutoInteractor(), Caller("a test"))
        for toolkit in ("gtk3", "qt5"):
            sent = tmp_path / f"{toolkit}.sent"
            argv = ("/usr/bin/python3", str(ROOT / "tests/apps/default_button.py"), toolkit, str(sent))
            window = await desktop.launch(Application(toolkit, argv, window=f"^Message {toolkit}$"))
            await desktop.settle(window)
            seen = await desktop.observe(window, picture=False)
            field = next(control for control in seen.controls if control.type is Role.TEXTBOX)
            keys: dict[str, JsonValue] = {"keys": "Ada{ENTER}", "id": "1"}
            with pytest.raises(NotAllowed, match="send-by-name"):
                await hand.act("keyboard_input", keys, target=field, window=window, seen=seen)
            assert not is_there(sent)
            await hand.act("keyboard_input", {"keys": "Ada", "id": "1"}, target=field, window=window, seen=seen)
            await desktop.press([Chord("enter")])

            async def was_sent(file: Path = sent) -> bool | None:
                return is_there(file) or None

            assert await desktop.wait_until(was_sent, deadline_s=10), "it is what Enter presses"
