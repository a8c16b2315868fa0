"""Pages of GTK 4 behind the one in front: they say that they show, and are neither seen nor hidden in pictures."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from desktop.linux.test_secrets import colours
from support import ROOT

PROGRAM = ("/usr/bin/python3", str(ROOT / "tests/apps/pages_gtk4.py"))


def buttons(controls: Sequence[TargetInfo]) -> set[str]:
    return {control.name for control in controls if control.type is Role.BUTTON}


@pytest.mark.desktop
@pytest.mark.requires("observe.gtk4")
async def test_what_is_on_a_page_behind_is_not_seen_and_its_password_hides_nothing_in_front(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("pages", PROGRAM, window="^Turned$"))
        await desktop.settle(window)
        front = await desktop.observe(window)
        shown = ("front", "left", "below", "above", "locked", "off")
        assert buttons(front.controls) == {f"Button {name}" for name in shown}
        (lying_over,) = [control for control in front.controls if control.type is Role.PASSWORD]
        assert len(colours(front.picture, lying_over.rect)) == 1
        words = next(control.rect for control in front.controls if control.name == "Words in front")
        assert len(colours(front.picture, words)) > 1, "nothing is painted over it"

        await desktop.select(next(control for control in front.controls if control.name == "Back"))

        async def turned() -> Observation | None:
            seen = await desktop.observe(window)
            return seen if "Button back" in buttons(seen.controls) else None

        back = await desktop.wait_until(turned, deadline_s=10)
        assert back is not None
        assert "Button front" not in buttons(back.controls)
        secrets = [control.rect for control in back.controls if control.type is Role.PASSWORD]
        assert len(secrets) == 2
        assert [len(colours(back.picture, place)) for place in secrets] == [1, 1]
