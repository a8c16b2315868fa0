"""Questions of real toolkits that delete or overwrite a file: no answer does it without an approval."""

from pathlib import Path
from typing import Final

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.session.interactors import AutoInteractor, ScriptedInteractor
from deskhand.session.single_action import Caller, Hand, NotAllowed
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import ROOT

pytestmark = pytest.mark.desktop

PAGE: Final = """<title>Accounts</title><script>
addEventListener("load", () => { if (confirm("Remove the account for good?")) document.title = "Removed" })
</script>"""


async def refused(desktop: LinuxDesktop, dialog: TargetInfo, yes: str) -> None:
    """Fail unless both the press of the button and Enter are refused by the message."""
    hand = Hand(desktop, Configuration(), AutoInteractor(), Caller("a test"))
    button = await Tools(desktop).find(dialog, yes, Role.BUTTON)
    seen = await desktop.observe(dialog, picture=False)
    for tool in ("click_input", "invoke"):
        with pytest.raises(NotAllowed, match="harm-by-message"):
            await hand.act(tool, {"id": "1"}, target=button, window=dialog, seen=seen)
    known = None if dialog.type is Role.DIALOG else seen
    with pytest.raises(NotAllowed, match="harm-by-message"):
        await hand.act("keyboard_input", {"keys": "{ENTER}"}, window=dialog, seen=known)


@pytest.mark.requires("policy.messages")
async def test_yes_to_a_question_of_a_real_toolkit_needs_an_approval(tmp_path: Path) -> None:
    file, page = tmp_path / "file.txt", tmp_path / "page.html"
    file.write_text("text", encoding="utf-8")
    page.write_text(PAGE, encoding="utf-8")
    async with linux_desktop(tmp_path / "desktop") as desktop:
        for program, title, yes in (("asking_gtk3", "^Question$", "Yes"), ("asking_qt", "^Frage$", "Weiter")):
            argv = ("/usr/bin/python3", str(ROOT / f"tests/apps/{program}.py"), str(file))
            await refused(desktop, await desktop.launch(Application(program, argv, window=title)), yes)
        assert file.read_text(encoding="utf-8") == "text"
        browser = Application("chromium", ("chromium", f"--app={page.as_uri()}"), window="Accounts|page.html")
        await refused(desktop, await desktop.launch(browser), "OK")
        question = next(window for window in await desktop.windows() if window.name == "Question")
        button = await Tools(desktop).find(question, "Yes", Role.BUTTON)
        hand = Hand(desktop, Configuration(), ScriptedInteractor({}, [True]), Caller("a test"))
        result = await hand.act("invoke", {"id": "1"}, target=button, window=question)
        assert result.ok, result
        assert not file.exists()
