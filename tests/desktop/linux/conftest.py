"""What several tests of the real desktop are staged on."""

from collections.abc import AsyncGenerator

import pytest

from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.lying import Liar, Stage, open_liar, open_stage
from desktop.linux.office import office_desktop


@pytest.fixture(scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stage]:
    """A desktop with an honest application, for all tests of a file."""
    async with open_stage(tmp_path_factory.mktemp("stage")) as stage:
        yield stage


@pytest.fixture
async def liar(stage: Stage) -> AsyncGenerator[Liar]:
    """The lying peer on it, honest as yet."""
    async with open_liar(stage) as liar:
        yield liar


@pytest.fixture(scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    """A desktop with LibreOffice on it, for the documents of all tests of a file."""
    async with office_desktop(tmp_path_factory.mktemp("office")) as desktop:
        yield desktop
