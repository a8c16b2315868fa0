"""Fixtures of the whole suite."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
