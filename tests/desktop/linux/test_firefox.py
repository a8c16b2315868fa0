"""Parts of pages and dialogs that Firefox exposes in ways of its own; the page's title and fields judge."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from apps.web import QUIET
from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.roles")]

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Page nothing</title>
<style>#cover { position: fixed; left: 0; top: 0; width: 300px; height: 60px; background: #ccc }</style>
<body oninput="tell()" onchange="tell()">
<p><button onclick="document.title = 'Page pressed'">Under</button></p>
<p style="margin-top: 80px"><label>Name <input id="name"></label>
<label>Fruit <select id="fruit"><option>Apple<optgroup label="More"><option>Pear<option>Plum</optgroup></select></label>
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

FORM = """<!doctype html>
<meta charset="utf-8">
<title>Page nothing</title>
<body>
<p><label>Rows <select id="rows" size="4"><option>One<option>Two<option>Three</select></label>
<label>Many <select id="many" multiple><option>Red<option>Green<option>Blue</select></label></p>
<p><label>Count <input type="number" id="count" value="5"></label> <label>Day <input type="date" id="day"></label>
<label>Clock <input type="time" id="clock"></label> <label>Fixed <input readonly value="fixed"></label></p>
<p><label>Word <input id="word" list="words"></label><datalist id="words"><option>alpha<option>beta</datalist></p>
<script>
  addEventListener("change", () => {
    const chosen = [...many.selectedOptions].map(each => each.value);
    document.title = `Page ${[rows.value, chosen.join("+"), count.value, day.value].join("|")}`;
  });
</script>
"""
"""A page that notes its fields when it is notified of a change, and not before."""


@dataclass(frozen=True, slots=True)
class Browser:
    """A started Firefox."""

    desktop: LinuxDesktop
    window: TargetInfo
    tools: Tools
    folder: Path

    async def open(self, page: str) -> None:
        file = self.folder / "page.html"
        file.write_text(page, encoding="utf-8")
        seen = await self.desktop.observe(self.window, picture=False)
        names = [each.name for each in seen.controls if each.type is Role.COMBOBOX]
        address = next(name for name in names if "enter address" in name)
        await self.run("set_edit_text", Role.COMBOBOX, address, text=file.as_uri())
        opened = await self.tools.run(self.window, "keyboard_input", None, keys="{ENTER}")
        assert opened.effect is Effect.CONFIRMED, opened
        assert await self.says("nothing")

    async def run(self, tool: str, role: Role, name: str, **arguments: JsonValue) -> Result:
        return await self.tools.run(self.window, tool, await self.tools.find(self.window, name, role), **arguments)

    async def says(self, wanted: str) -> bool:
        """True if the page soon has this title."""

        async def look() -> bool | None:
            names = [each.name for each in await self.desktop.windows() if each.handle == self.window.handle]
            return True if names == [f"Page {wanted} — Mozilla Firefox"] else None

        return bool(await self.desktop.wait_until(look, deadline_s=10))


@pytest.fixture(scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Browser]:
    folder = tmp_path_factory.mktemp("firefox")
    profile, start = folder / "profile", folder / "start.html"
    start.write_text("<!doctype html><title>Start</title>", encoding="utf-8")
    profile.mkdir()
    (profile / "user.js").write_text(QUIET, encoding="utf-8")
    async with linux_desktop(folder) as desktop:
        argv = ("firefox-esr", "--no-remote", "--profile", str(profile), start.as_uri())
        window = await desktop.launch(Application("firefox", argv, window="^Start"))
        yield Browser(desktop, window, Tools(desktop), folder)


async def test_controls_of_a_page_in_firefox_are_confirmed_as_the_page_has_them(
    browser: Browser, tmp_path: Path
) -> None:
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"picture")
    await browser.open(PAGE)
    desktop, window, tools = browser.desktop, browser.window, browser.tools
    for tool, role, name, arguments, says in (
        ("set_edit_text", Role.TEXTBOX, "Name", {"text": "Ada"}, "Ada|Apple|false||none"),
        ("select_item", Role.COMBOBOX, "Fruit", {"item": "Pear"}, "Ada|Pear|false||none"),
        ("set_value", Role.CHECKBOX, "Agree", {"value": True}, "Ada|Pear|true||none"),
        ("set_edit_text", Role.TEXTBOX, "City", {"text": "Oslo"}, "Ada|Pear|true|Oslo|none"),
    ):
        result = await browser.run(tool, role, name, **arguments)
        assert result.effect is Effect.CONFIRMED, result
        assert await browser.says(says), says
    covered = await browser.run("click_input", Role.BUTTON, "Under")
    assert covered.error is not None, covered
    assert (covered.error.type, covered.delivered) == ("TargetCovered", False)
    seen = await desktop.observe(window, picture=False)
    browse = next(each for each in seen.controls if "Browse…" in each.name + each.value)
    opened = await browser.run("invoke", browse.type, browse.name)
    assert opened.effect is Effect.CONFIRMED, opened
    dialog = next(each for each in await desktop.windows() if each.handle != window.handle)
    chosen = await tools.run(dialog, "choose_file", None, path=str(photo))
    assert chosen.effect is Effect.CONFIRMED, chosen
    assert await browser.says("Ada|Pear|true|Oslo|photo.png")


@pytest.mark.full("other fields of Firefox are tried")
async def test_the_page_is_notified_of_choices_and_numbers_that_are_confirmed_in_firefox(browser: Browser) -> None:
    await browser.open(FORM)
    for tool, role, name, arguments, says in (
        ("select_item", Role.LIST, "Rows", {"item": "Two"}, "Two||5|"),
        ("select_item", Role.LIST, "Many", {"item": "Green"}, "Two|Green|5|"),
        ("set_value", Role.SPINBUTTON, "Count", {"value": 12}, "Two|Green|12|"),
        ("set_edit_text", Role.SPINBUTTON, "Count", {"text": "7"}, "Two|Green|7|"),
        ("set_value", Role.SPINBUTTON, "Month", {"value": 3}, "Two|Green|7|"),
        ("set_value", Role.SPINBUTTON, "Day", {"value": 5}, "Two|Green|7|"),
        ("set_value", Role.SPINBUTTON, "Year", {"value": 2024}, "Two|Green|7|2024-03-05"),
    ):
        result = await browser.run(tool, role, name, **arguments)
        assert result.effect is Effect.CONFIRMED, result
        assert await browser.says(says), says
    added = await browser.run("select_item", Role.LIST, "Many", item="Blue", add=True)
    assert added.effect is Effect.UNVERIFIABLE, added


async def test_what_takes_no_text_as_a_whole_is_refused_in_firefox(browser: Browser) -> None:
    await browser.open(FORM)
    for role, name, reason in (
        (Role.GROUP, "Clock", 'group "Clock" [1] takes its text in parts'),
        (Role.TEXTBOX, "Fixed", 'textbox "Fixed" [1] is read-only'),
    ):
        result = await browser.run("set_edit_text", role, name, text="at noon")
        assert (result.delivered, result.evidence) == (False, reason)


@pytest.mark.full("suggestions of pages are rare")
async def test_suggestions_that_closed_are_not_listed_in_firefox(browser: Browser) -> None:
    await browser.open(FORM)
    await browser.run("keyboard_input", Role.COMBOBOX, "Word", keys="a")
    await browser.tools.find(browser.window, "alpha", Role.MENUITEM)
    await browser.tools.run(browser.window, "keyboard_input", None, keys="{ESC}")

    async def menus() -> bool | None:
        seen = await browser.desktop.observe(browser.window, picture=False)
        return True if all(each.type is not Role.MENU for each in seen.controls) else None

    assert await browser.desktop.wait_until(menus, deadline_s=20)
