"""Fixtures of the tests of clusters."""

import pytest

from cli.driver import Console


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str]) -> Console:
    """Runs command lines in this process."""
    return Console(capsys)
