"""What several tests of the real desktop are staged on."""

from collections.abc import AsyncGenerator

import pytest

from desktop.linux.lying import Liar, Stage, open_liar, open_stage


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
