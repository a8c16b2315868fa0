"""`deskhand accessibility`, on a desktop in memory."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cli.driver import Console
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeWindow:
    """The window of the desktop that `--desktop memory` opens."""
    desktop = FakeDesktop()

    @asynccontextmanager
    async def opened(*_: object, **__: object) -> AsyncGenerator[FakeDesktop]:
        yield desktop

    monkeypatch.setattr("deskhand.cli.desktop_choice.open_desktop", opened)
    monkeypatch.setenv("DESKHAND_DESKTOP", "memory")
    monkeypatch.chdir(tmp_path)
    return desktop.open(FakeWindow("Orders", [FakeControl(Role.BUTTON, "Save")], "orders"))


@pytest.mark.requires("accessibility.command")
def test_no_finding_ends_with_0_and_some_with_1_and_both_write_the_page(console: Console, window: FakeWindow) -> None:
    clean = console("accessibility", "-o", "page.html")
    assert (clean.code, clean.out.splitlines()[0]) == (0, "Orders: 0 findings in 1 control")
    assert "No finding." in Path("page.html").read_text()
    window.controls.append(FakeControl(Role.BUTTON, ""))
    done = console("accessibility", "--json")
    assert (done.code, done.item("counts"), done.item("error")) == (1, {"no name": 1}, None)
    (finding,) = done.items("findings")
    assert (finding["rule"], finding["control"], finding["view"]) == ("no_name", "button", "Orders")
    assert "1 finding" in Path("accessibility.html").read_text()
    assert console("accessibility", "--window", "Orders", "--", "gedit").code == 2
