"""A number that is given to its field as a text is the one that the program has then, as its title says."""

from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from support import QT6, ROOT, need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("act.tools")]

PAGE: Final = """<!doctype html><meta charset=utf-8><title>Numbers 5</title>
<button>Next</button> <input type=number aria-label=Number value=5 min=0 max=100>
<script>
document.querySelector("input").addEventListener("change", event => document.title = `Numbers ${event.target.value}`)
</script>"""


@pytest.mark.full("other toolkits take the same way", but=["GTK 4", "Qt 6"])
@pytest.mark.parametrize("toolkit", ["GTK 3", "GTK 4", "Qt 5", "Qt 6", "Chromium"])
async def test_a_number_given_as_a_text_is_taken(toolkit: str, tmp_path: Path) -> None:
    page, apps = tmp_path / "page.html", ROOT / "tests/apps"
    page.write_text(PAGE, encoding="utf-8")
    programs = {
        "GTK 3": ("/usr/bin/python3", str(apps / "numbers_gtk.py"), "3.0"),
        "GTK 4": ("/usr/bin/python3", str(apps / "numbers_gtk.py"), "4.0"),
        "Qt 5": ("/usr/bin/python3", str(apps / "numbers_qt.py")),
        "Qt 6": (str(QT6), str(apps / "numbers_qt.py")),
        "Chromium": ("chromium", f"--app={page.as_uri()}"),
    }
    need(*([QT6] if toolkit == "Qt 6" else []))
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("numbers", programs[toolkit], window="^Numbers"))
        tools = Tools(desktop)

        async def has(number: str) -> bool:
            async def it_does() -> bool | None:
                now = next(each for each in await desktop.windows() if each.handle == window.handle)
                return True if f"Numbers {number}" in now.name else None

            return bool(await desktop.wait_until(it_does, deadline_s=20))

        for number in ("33", "7"):
            seen = await desktop.observe(window, picture=False)
            field = next(each for each in seen.controls if each.type is Role.SPINBUTTON)
            result = await tools.run(window, "set_edit_text", field, text=number)
            assert (result.effect, await has(number)) == (Effect.CONFIRMED, True), result
