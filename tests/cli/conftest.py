"""What the tests of the command line share."""

from collections.abc import Iterator
from multiprocessing import forkserver, resource_tracker
from typing import Any

import pytest

from cli.driver import Console


@pytest.fixture(scope="module")
def no_server_left() -> Iterator[None]:
    """Ends the process that starts those of tasks, which otherwise lives as long as this one."""
    yield
    for module, name in ((forkserver, "_forkserver"), (resource_tracker, "_resource_tracker")):
        server: Any = vars(module)[name]  # Any: private, as the tests of Python itself end it
        server._stop()


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str]) -> Console:
    """Runs command lines in this process."""
    return Console(capsys)
