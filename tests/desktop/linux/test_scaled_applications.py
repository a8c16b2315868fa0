"""Large applications on a scaled display, which tell of no file of truth: what a click did is to be seen in them."""

from pathlib import Path

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from desktop.linux.moving import mover

pytestmark = [
    pytest.mark.full("test_geometry tries scaled programs"),
    pytest.mark.desktop,
    pytest.mark.requires("desktop.geometry"),
]

PATIENCE_S = 10.0
PAGE = """<title>Fixture</title><body onclick="document.title = 'Fixture ' + event.target.id">
<button id="near">Near</button><button id="far" style="position:absolute; left:260px; top:110px">Far away</button>
<input id="secret" type="password" aria-label="Secret" value="xyzzy" style="position:absolute; left:40px; top:70px">"""


async def _named(desktop: LinuxDesktop, window: TargetInfo, name: str, role: Role) -> TargetInfo:
    async def look() -> TargetInfo | None:
        seen = await desktop.observe(window, picture=False)
        return next((c for c in seen.controls if c.type is role and name in {c.name, c.value}), None)

    found = await desktop.wait_until(look, deadline_s=PATIENCE_S)
    assert found is not None, name
    return found


async def test_clicks_land_in_a_scaled_browser_in_its_pages_and_around_them(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    argv = ("chromium", "--force-device-scale-factor=2", page.as_uri())
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("chromium", argv, window="^Fixture"))
        with mover(desktop.environment) as moving:
            for corner in ((31, 17), (-60, 5)):
                moving.move(window, *corner)
                await desktop.settle(window, deadline_s=1.0)
                for name, key, role in (("Far away", "far", Role.BUTTON), ("Secret", "secret", Role.PASSWORD)):
                    control = await desktop.resolve(await _named(desktop, window, name, role))
                    await desktop.click(await desktop.aim(await desktop.resolve(window), control.rect))
                    await _titled(desktop, window, f"Fixture {key}")
            reload = await _named(desktop, window, "Reload", Role.BUTTON)
            await desktop.click(await desktop.aim(await desktop.resolve(window), reload.rect))
            await _titled(desktop, window, "Fixture -")


async def _titled(desktop: LinuxDesktop, window: TargetInfo, title: str) -> None:
    async def look() -> bool | None:
        now = await desktop.resolve(window)
        return True if f"{now.name} ".replace("Fixture - ", "Fixture -").startswith(title) else None

    assert await desktop.wait_until(look, deadline_s=PATIENCE_S), ((await desktop.resolve(window)).name, title)


async def test_clicks_land_in_the_cells_of_a_scaled_spreadsheet(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = ("soffice", "--calc")
        calc = Application("libreoffice-calc", argv, window="Calc", environment={"GDK_SCALE": "2"})
        window = await desktop.launch(calc, deadline_s=60)
        await desktop.settle(window, quiet_s=0.3, deadline_s=3.0)
        await desktop.activate(window)
        bold = await _named(desktop, window, "Bold", Role.BUTTON)
        await desktop.click(await desktop.aim(await desktop.resolve(window), (await desktop.resolve(bold)).rect))

        async def pressed() -> bool | None:
            states = (await desktop.resolve(bold)).states
            return True if {"checked", "pressed"} & states else None

        assert await desktop.wait_until(pressed, deadline_s=PATIENCE_S)
