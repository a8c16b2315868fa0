"""What is said where the environment of a running desktop leads to nothing."""

from collections.abc import Generator

import pytest

from deskhand.core.errors import UsageError
from deskhand.desktop.linux.runtime.attach import find_running
from desktop.linux.servers import server

pytestmark = pytest.mark.desktop


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with server("Xvfb", "-screen", "0", "320x240x24") as display:
        yield display


@pytest.mark.requires("cli.exit-codes")
@pytest.mark.parametrize(
    "address", ["/dev/null", "disabled:", "autolaunch:", "unix:", "unix:path=/nowhere", "tcp:host=localhost,port=one"]
)
async def test_an_address_that_leads_to_no_session_bus_is_told_with_what_to_do(display: str, address: str) -> None:
    with pytest.raises(UsageError, match=address) as raised:
        await find_running(display, {"DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": address})
    assert "DBUS_SESSION_BUS_ADDRESS exported" in raised.value.fix
