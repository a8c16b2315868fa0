"""Controls of web pages that Chromium tells in ways of its own."""

from pathlib import Path

import pytest

from deskhand.core.roles import Role
from deskhand.desktop.base import Application
from desktop.linux.fixture import linux_desktop

pytestmark = pytest.mark.desktop

PAGE = """<!doctype html><meta charset=utf-8><title>Controls</title>
<label>Day <input type=date value="2024-02-07"></label> <label>Other <input type=date></label>
<input type=checkbox role=switch aria-label=Wifi> <button aria-pressed=false>Bold</button>
<table><tr><th>Item<th>Act<tr><td>Pen<td><button>Remove</button></table>"""


@pytest.mark.requires("observe.chromium")
async def test_controls_of_a_page_read_as_the_page_has_them(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(
            Application("chromium", ("chromium", f"--app={page.as_uri()}"), window="Controls")
        )

        async def parts() -> list[tuple[str, str]] | None:
            seen = await desktop.observe(window, picture=False)
            found = [control for control in seen.controls if control.type is Role.SPINBUTTON]
            read = [(part.value, await desktop.read_text(part)) for part in found]
            return read if len(read) == 6 else None

        assert sorted(await desktop.wait_until(parts, deadline_s=20) or []) == [
            *[("", "")] * 3,
            ("02", "02"),
            ("07", "07"),
            ("2024", "2024"),
        ]
        seen = await desktop.observe(window, picture=False)
        types = {control.name: control.type for control in seen.controls}
        assert (types["Wifi"], types["Bold"]) == (Role.SWITCH, Role.BUTTON)
        table = next(control for control in seen.controls if control.type is Role.TABLE)
        assert (await desktop.read_table(table))[1] == ("Pen", "Remove")
