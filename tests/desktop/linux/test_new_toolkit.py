"""A toolkit of its own, as docs/architecture.md describes how to add one: a class with a hook, and its registration."""

import pytest

from deskhand.core.roles import Role
from deskhand.desktop.linux import wiring
from deskhand.desktop.linux.toolkits.gtk3.hooks import Gtk3
from desktop.linux.fixture import linux_under_test

pytestmark = pytest.mark.desktop


class Acme(Gtk3):
    """GTK 3 whose buttons report a name with a word too many."""

    def identify(self, role: int, state: int, name: str) -> tuple[int, str]:
        return super().identify(role, state, name.removeprefix("Press "))


async def test_a_toolkit_is_a_class_with_the_hooks_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "OWNERS", (Acme, *wiring.OWNERS))
    async with linux_under_test() as app:
        seen = await app.desktop.observe(app.window, picture=False)
        (button,) = [control for control in seen.controls if control.name == "me" and control.type is Role.BUTTON]
        assert "Press me" not in {control.name for control in seen.controls}
        await app.desktop.do_action(await app.desktop.resolve(button))
        assert (await app.eventually(lambda state: state.pressed == 1)).pressed == 1
