"""A page's file field: Chromium's dialog exposes nothing, and the page proves that a file was chosen."""

from functools import partial
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import page

pytestmark = [pytest.mark.desktop, pytest.mark.requires("command.unexposed-file-dialog")]

PAGE: Final = """<title>Upload</title>
<input type="file" aria-label="One"><input type="file" aria-label="Some" multiple><p id="read"></p>
<script>
for (const field of document.querySelectorAll("input")) field.onchange = async () =>
  document.title = "Read " + await field.files[0].text()
</script>"""


async def ask(desktop: LinuxDesktop, window: TargetInfo, name: str) -> TargetInfo:
    """Open the dialog of a file field."""
    field = next(c for c in (await desktop.observe(window, picture=False)).controls if c.name.startswith(f"{name}: "))
    await desktop.do_action(field)

    async def dialog() -> TargetInfo | None:
        return next((each for each in await desktop.windows() if each.type is Role.DIALOG), None)

    found = await desktop.wait_until(dialog, deadline_s=10)
    assert found is not None
    await desktop.settle(found)
    return found


async def read(desktop: LinuxDesktop, text: str) -> bool | None:
    """Return True once the page has read a file with this text."""
    return any(window.name == f"Read {text}" for window in await desktop.windows()) or None


async def test_a_file_is_chosen_in_a_dialog_that_exposes_nothing(tmp_path: Path) -> None:
    """The page reads the file: its title has the content. One name begins like another, one has a blank."""
    files = {name: tmp_path / name for name in ("list.txt", "list.txt.bak", "grüße an.txt")}
    for name, file in files.items():
        file.write_text(f"text of {name}", encoding="utf-8")
    async with page(tmp_path, PAGE, "Upload|page.html") as (desktop, window):
        await Tools(desktop).find(window, "One: No file chosen", Role.BUTTON)
        for field, name in (("One", "list.txt"), ("Some", "grüße an.txt"), ("One", "list.txt.bak")):
            dialog = await ask(desktop, window, field)
            result = await Tools(desktop).run(window, "choose_file", None, path=str(files[name]))
            assert result.effect is Effect.CONFIRMED, (dialog.name, result)
            assert name in result.evidence
            assert await desktop.wait_until(partial(read, desktop, f"text of {name}"), deadline_s=10), name
        await ask(desktop, window, "One")
        again = await Tools(desktop).run(window, "choose_file", None, path=str(files["list.txt.bak"]))
        assert again.effect is Effect.UNVERIFIABLE, "the page named it before"
        await ask(desktop, window, "One")
        refused = await Tools(desktop).run(window, "choose_file", None, path=str(tmp_path / "new"), create=True)
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
        assert "exposes no content" in refused.evidence
