"""Ordinary actions in forms of several toolkits that worked are confirmed, and none that did not work."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

import pytest

from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.everyday import FORMS, Share, staged
from desktop.linux.everyday_deeds import DEEDS, sample
from desktop.linux.fixture import linux_desktop
from support import FULL, need

pytestmark = [pytest.mark.desktop, pytest.mark.long, pytest.mark.requires("effect.honest")]

CONFIRMED: Final = 0.97
TRIED: Final = [*DEEDS] if FULL else ["GTK 4", "Qt 5", "Swing", "Chromium"]


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    """One desktop for the forms of all toolkits."""
    async with linux_desktop(tmp_path_factory.mktemp("everyday")) as desktop:
        yield desktop


@pytest.mark.full("other toolkits take the same way", but=["GTK 4", "Qt 5"])
@pytest.mark.parametrize("application", TRIED)
async def test_ordinary_actions_that_worked_are_confirmed(
    application: str, desktop: LinuxDesktop, tmp_path: Path
) -> None:
    need(*(FORMS[application][1:] if application in FORMS else ()))
    share = Share(application)
    async with staged(application, tmp_path, None if FULL else desktop) as stage:
        await stage.run(DEEDS[application] if FULL else sample(application), share)
        if not FULL:
            await desktop.ask_to_close(stage.window)
    print(share)  # noqa: T201 - the figures of docs/measurements/share.txt
    assert [str(trial) for trial in share.false] == []
    if FULL:
        assert len(share.confirmed) >= CONFIRMED * len(share.worked), [str(trial) for trial in share.missed]
    else:
        assert [str(trial) for trial in (*share.missed, *share.idle)] == []
