"""Parts of pages and dialogs that Firefox exposes in ways of its own; the page's title and fields judge."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.roles")]

SETTINGS = """
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
user_pref("termsofuse.bypassNotification", true);
"""
"""Nothing beside the page comes by itself."""

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Page nothing</title>
<style>#cover { position: fixed; left: 0; top: 0; width: 300px; height: 60px; background: #ccc }</style>
<body oninput="tell()" onchange="tell()">
<p><button onclick="document.title = 'Page pressed'">Under</button></p>
<p style="margin-top: 80px"><label>Name <input id="name"></label>
<label>Fruit <select id="fruit"><option>Apple<option>Pear<option>Plum</select></label>
<label><input type="checkbox" id="agree"> Agree</label> <label>Photo <input type="file" id="photo"></label></p>
<form aria-label="New" style="display: contents"><label>City <input id="city"></label></form>
<div id="cover">Cookies</div>
<script>
  function tell() {
    const file = photo.files[0]?.name ?? "none";
    document.title = `Page ${[name.value, fruit.value, agree.checked, city.value, file].join("|")}`;
  }
</script>
""".replace("name.value", 'document.getElementById("name").value')


async def _says(desktop: LinuxDesktop, window: TargetInfo, wanted: str) -> bool:
    async def look() -> bool | None:
        names = [each.name for each in await desktop.windows() if each.handle == window.handle]
        return True if names == [f"Page {wanted} — Mozilla Firefox"] else None

    return bool(await desktop.wait_until(look, deadline_s=10))


async def test_controls_of_a_page_in_firefox_are_confirmed_as_the_page_has_them(tmp_path: Path) -> None:
    page, profile, photo = (tmp_path / name for name in ("page.html", "profile", "photo.png"))
    page.write_text(PAGE, encoding="utf-8")
    photo.write_bytes(b"picture")
    profile.mkdir()
    (profile / "user.js").write_text(SETTINGS, encoding="utf-8")
    async with linux_desktop(tmp_path) as desktop:
        argv = ("firefox-esr", "--no-remote", "--profile", str(profile), page.as_uri())
        window = await desktop.launch(Application("firefox", argv, window="^Page"))
        tools = Tools(desktop)
        for tool, role, name, arguments, says in (
            ("set_edit_text", Role.TEXTBOX, "Name", {"text": "Ada"}, "Ada|Apple|false||none"),
            ("select_item", Role.COMBOBOX, "Fruit", {"item": "Pear"}, "Ada|Pear|false||none"),
            ("set_value", Role.CHECKBOX, "Agree", {"value": True}, "Ada|Pear|true||none"),
            ("set_edit_text", Role.TEXTBOX, "City", {"text": "Oslo"}, "Ada|Pear|true|Oslo|none"),
        ):
            result = await tools.run(window, tool, await tools.find(window, name, role), **arguments)
            assert result.effect is Effect.CONFIRMED, result
            assert await _says(desktop, window, says), says
        covered = await tools.run(window, "click_input", await tools.find(window, "Under", Role.BUTTON))
        assert covered.error is not None, covered
        assert (covered.error.type, covered.delivered) == ("TargetCovered", False)
        seen = await desktop.observe(window, picture=False)
        browse = next(each for each in seen.controls if "Browse…" in each.name + each.value)
        opened = await tools.run(window, "invoke", await tools.find(window, browse.name, browse.type))
        assert opened.effect is Effect.CONFIRMED, opened
        dialog = next(each for each in await desktop.windows() if each.handle != window.handle)
        chosen = await tools.run(dialog, "choose_file", None, path=str(photo))
        assert chosen.effect is Effect.CONFIRMED, chosen
        assert await _says(desktop, window, "Ada|Pear|true|Oslo|photo.png")
