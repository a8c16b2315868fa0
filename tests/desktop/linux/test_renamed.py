"""Controls that are called otherwise after an action: known by what their program tells, before the window is read."""

from pathlib import Path

import pytest

from deskhand.core.observation import Observation
from desktop.linux.fixture import linux_desktop
from desktop.linux.mutating import launch_mutating

PATIENCE_S = 10.0


@pytest.mark.desktop
@pytest.mark.requires("effect.named")
@pytest.mark.parametrize("toolkit", ["GTK 3", "GTK 4"])
async def test_a_new_name_is_known_without_a_look_at_the_window(toolkit: str, tmp_path: Path) -> None:
    async with linux_desktop(tmp_path / "desktop") as desktop:
        window = (await launch_mutating(desktop, toolkit, tmp_path)).window
        seen = await desktop.observe(window, picture=False)
        told = (await desktop.activity(window)).reports
        assert await desktop.refreshed_names(seen, told) is None
        await desktop.do_action(next(control for control in seen.controls if control.name == "Alpha"))

        async def renamed() -> Observation | None:
            return await desktop.refreshed_names(seen, told)

        known = await desktop.wait_until(renamed, deadline_s=PATIENCE_S)
        assert known is not None
        changed = [(old.name, new) for old, new in zip(seen.controls, known.controls, strict=True) if old != new]
        after = await desktop.observe(window, picture=False)
    assert [(name, new.name) for name, new in changed] == [("Done 0", "Done 1")]
    assert [control.name for control in after.controls if control.handle == changed[0][1].handle] == ["Done 1"]
