"""Where nobody takes listeners, the desktop is gone: nothing that happens would be heard."""

from collections.abc import Sequence

import pytest

from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, DesktopError, DesktopGone
from deskhand.desktop.linux.atspi.client import BusTransport, Call, Reply
from deskhand.desktop.linux.atspi.events import Heard, listen

pytestmark = [pytest.mark.anyio, pytest.mark.requires("desktop.display-gone")]


class Registry(BusTransport):
    """A bus whose registry answers each registration so."""

    def __init__(self, answer: Reply) -> None:
        super().__init__()
        self.answer = answer
        self.rules: list[str] = []

    async def batch(self, calls: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        self.rules += [str(call.body[0]) for call in calls if call.member == "AddMatch"]
        return [self.answer if call.member == "RegisterEvent" else [] for call in calls]


def nobody(_: Heard) -> None:
    """Hears nothing."""


@pytest.mark.parametrize("error", [ApplicationGone("gone"), ApplicationUnresponsive("late"), DesktopGone("no bus")])
async def test_a_registry_that_takes_no_listeners_is_a_desktop_that_is_gone(error: DesktopError) -> None:
    with pytest.raises(DesktopGone):
        await listen(Registry(error), nobody, deadline_s=1)


async def test_a_registry_that_takes_them_is_listened_to() -> None:
    await listen(Registry([]), nobody, deadline_s=1)


async def test_what_is_reported_of_objects_that_nobody_sees_is_not_delivered() -> None:
    registry = Registry([])

    await listen(registry, nobody, deadline_s=1)

    details = {rule.partition("arg0=")[2].strip("'") for rule in registry.rules}
    assert {"checked", "showing", "focused", "accessible-name"} <= details
    assert not details & {"defunct", "accessible-role", "accessible-parent", "widget", "renderer"}
    assert not any(rule.endswith(("Event.Object'", "'StateChanged'", "'PropertyChange'")) for rule in registry.rules)
