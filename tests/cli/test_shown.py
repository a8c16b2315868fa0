"""The ids that `observe` shows, from one process to the next."""

from pathlib import Path

import pytest

from deskhand.cli.shown import control_shown, label, recall
from deskhand.core.errors import ElementNotFound
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow

pytestmark = pytest.mark.requires("cli.ids-stay")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


async def _shown(desktop: FakeDesktop) -> tuple[TargetInfo, dict[str, str]]:
    """The window, and the ids of its controls by their names, as another process shows them each time."""
    window = (await desktop.windows())[0]
    labelled = label(desktop, await desktop.observe(window, picture=False))
    return window, {control.name: control.id for control in labelled}


async def test_a_control_keeps_its_id_and_no_other_gets_it() -> None:
    desktop = FakeDesktop()
    first, second, third = (FakeControl(Role.BUTTON, name) for name in ("First", "Second", "Third"))
    shown = desktop.open(FakeWindow("Main", [first, second]))
    window, before = await _shown(desktop)
    assert before == {"First": "1", "Second": "2"}
    shown.controls[:] = [third, second]
    _, after = await _shown(desktop)
    assert after == {"Second": "2", "Third": "3"}
    seen = recall(desktop, window)
    assert control_shown(seen, "3").name == "Third"
    with pytest.raises(ElementNotFound):
        control_shown(seen, "1")
    shown.controls[:] = [second]
    assert (await _shown(desktop))[1] == {"Second": "2"}
    shown.controls[:] = [second, FakeControl(Role.BUTTON, "Fourth")]
    assert (await _shown(desktop))[1] == {"Second": "2", "Fourth": "4"}


async def test_each_window_counts_for_itself() -> None:
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, "One")]))
    await _shown(desktop)
    desktop.open(FakeWindow("Other", [FakeControl(Role.BUTTON, "Two")]))
    assert (await _shown(desktop))[1] == {"Two": "1"}
