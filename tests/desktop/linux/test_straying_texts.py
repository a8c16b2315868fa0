"""Typed texts that end up in another control than the one they are for, judged by what the program has itself."""

import json
from pathlib import Path

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent
from desktop.linux.everyday import APPS, SYSTEM
from desktop.linux.fixture import linux_desktop, page
from support import need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("effect.about")]

PATIENCE_S = 5.0
PAGE = """<title>Straying</title>
<label>Passing <input oninput="other.value += this.value; this.value = ''; other.oninput()"></label>
<label>Other <input id="other" oninput="document.title = 'Straying ' + this.value"></label>
<label>Chips <input onkeydown="if (event.key == 'Enter') { list.append(Object.assign(document.createElement('li'),
 {textContent: this.value})); this.value = '' }"></label><ul id="list"></ul>
<div role="textbox" contenteditable aria-label="Editor"><p>one</p></div>
<div role="group" aria-label="Amount"><input aria-label="Number"></div>
"""


async def act(agent: Agent, window: TargetInfo, tool: str, role: Role, name: str, **given: JsonValue) -> Result:
    seen, target = await agent.see(window, name, role)
    return await agent.act(tool, seen, target, **given)


@pytest.mark.full("a page hands texts on in another test")
async def test_a_text_that_a_button_or_a_field_hands_on_is_not_confirmed_in_qt(tmp_path: Path) -> None:
    need(Path(SYSTEM))
    file = tmp_path / "state.json"

    def text_of(key: str) -> str:
        return str(json.loads(file.read_text(encoding="utf-8"))[key])

    async with linux_desktop(tmp_path / "desktop") as desktop:
        argv = (SYSTEM, str(APPS / "straying_qt.py"), str(file), "PyQt5")
        window = await desktop.launch(Application("straying", argv, window="^Straying$"))
        agent = Agent(desktop)
        for keys in ("hello", "again{ENTER}"):
            handed_on = await act(agent, window, "keyboard_input", Role.BUTTON, "Aside", keys=keys)
            text = keys.removesuffix("{ENTER}")
            assert handed_on.effect is Effect.PARTIAL, handed_on
            assert handed_on.evidence == f'"{text}" is in textbox "Other", not in button "Aside" [1]'
        command = await act(agent, window, "keyboard_input", Role.BUTTON, "Aside", keys="x")
        assert command.effect is Effect.UNVERIFIABLE, command
        assert command.evidence.startswith("only another field changed")
        sent = await act(agent, window, "keyboard_input", Role.TEXTBOX, "Message", keys="sent off{ENTER}")
        assert sent.effect is Effect.CONFIRMED, sent
        two = await act(agent, window, "keyboard_input", Role.TEXTBOX, "Named", keys="one{TAB}two words")
        assert two.effect is Effect.CONFIRMED, two
        assert (text_of("other"), text_of("named"), text_of("message")) == ("helloagainx", "one", "two words")


async def test_a_text_that_a_page_hands_on_is_sent_once_and_not_confirmed(tmp_path: Path) -> None:
    need(Path("/usr/bin/chromium"))
    async with page(tmp_path, PAGE, "Straying") as (desktop, window):
        agent = Agent(desktop)
        for tool, given in (("set_edit_text", {"text": "abc"}), ("keyboard_input", {"keys": "def{TAB}"})):
            strayed = await act(agent, window, tool, Role.TEXTBOX, "Passing", **given)
            assert (strayed.effect, strayed.retry_safe) == (Effect.PARTIAL, False), strayed
            assert 'is in textbox "Other", not in textbox "Passing" [1]' in strayed.evidence
        assert await title(desktop, window) == "Straying abcdef", "each once"
        for role, name, keys in (
            (Role.TEXTBOX, "Chips", "one chip{ENTER}"),
            (Role.TEXTBOX, "Editor", "{END} and more{ENTER}next one"),
        ):
            honest = await act(agent, window, "keyboard_input", role, name, keys=keys)
            assert honest.effect is Effect.CONFIRMED, (name, honest)
        without_focus = await act(agent, window, "keyboard_input", Role.GROUP, "Amount", keys="42{TAB}")
        assert without_focus.effect is Effect.PARTIAL, "the editor has the keyboard"


async def title(desktop: LinuxDesktop, window: TargetInfo) -> str:
    """The title that the page gives its window."""
    return next(each.name for each in await desktop.windows() if each.handle == window.handle)
