"""The one conformance suite, run over every desktop backend."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from desktop.conformance import DesktopConformance, DesktopUnderTest
from desktop.fake.fixture import fake_under_test
from desktop.linux.fixture import linux_under_test

BACKENDS: dict[str, Callable[[], AbstractAsyncContextManager[DesktopUnderTest]]] = {
    "fake": fake_under_test,
    "linux": linux_under_test,
}


@pytest.fixture(params=[pytest.param("fake"), pytest.param("linux", marks=pytest.mark.desktop)])
async def under_test(request: pytest.FixtureRequest) -> AsyncIterator[DesktopUnderTest]:
    """A backend with a freshly launched fixture application."""
    async with BACKENDS[str(request.param)]() as under_test:
        yield under_test


class TestDesktop(DesktopConformance):
    """Every behaviour of the contract."""
