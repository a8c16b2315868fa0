"""Scrolling to what is out of view before a locator acts."""

from pathlib import Path

import pytest

from deskhand import ActionFailed, Window
from deskhand.config.sections import Configuration, PolicySection, SystemSection
from deskhand.core.command import Effect
from deskhand.core.errors import ElementNotFound, WaitTimedOut
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.scripting import on_open_desktop

pytestmark = pytest.mark.requires("python.scrolling")

SHOWN = 6


class Pane:
    """A pane that shows six of its rows; each notch of the wheel scrolls by one."""

    def __init__(self, rows: list[FakeControl], role: Role = Role.LIST) -> None:
        self.memory = FakeDesktop()
        self.rows = rows
        self.at = 0
        pane = FakeControl(role, "Rows", children=rows, on_scroll=self.scroll)
        self.shown = self.memory.open(FakeWindow("Pane", [pane], "pane"))
        self.scroll(0)

    def scroll(self, notches: int) -> None:
        self.at = max(0, min(len(self.rows) - SHOWN, self.at - notches))
        for number, row in enumerate(self.rows):
            hidden = not self.at <= number < self.at + SHOWN
            row.states = row.states | {"hidden"} if hidden else row.states - {"hidden"}

    async def window(self, **policy: Path) -> Window:
        rules = PolicySection(files=tuple(policy.values()))
        configuration = Configuration(system=SystemSection(effect_hold_s=0.05), policy=rules)
        return await on_open_desktop(self.memory, timeout_s=0.1, configuration=configuration).window("Pane")


def items(count: int = 60) -> list[FakeControl]:
    return [FakeControl(Role.LISTITEM, f"Item {number}") for number in range(count)]


async def test_an_action_reaches_an_item_below_and_one_above_the_view() -> None:
    pane = Pane(items())
    window = await pane.window()
    for number in (41, 3, 59):
        assert (await window.listitem(f"Item {number}").select()).effect is Effect.CONFIRMED
        assert "selected" in pane.rows[number].states
        assert pane.at <= number < pane.at + SHOWN


async def test_finding_scrolls_too_and_counting_and_waiting_do_not() -> None:
    pane = Pane(items())
    window = await pane.window()
    assert await window.listitem("Item 30").count() == 0
    assert pane.at == 0
    assert (await window.listitem("Item 30").find()).name == "Item 30"
    at = pane.at
    assert 25 <= at <= 30
    await window.listitem("Item 1").wait(gone=True)
    with pytest.raises(WaitTimedOut):
        await window.listitem("Item 1").wait()
    assert pane.at == at


async def test_a_busy_window_is_not_scrolled_before_it_is_quiet() -> None:
    pane = Pane(items())
    late = FakeControl(Role.BUTTON, "Done")
    pane.memory.faults.before("settle", lambda: pane.shown.controls.append(late))
    window = await pane.window()
    assert (await window.button("Done").find()).name == "Done"
    assert not pane.memory.calls_of("scroll")


async def test_what_is_nowhere_leaves_the_pane_as_it_was() -> None:
    pane = Pane(items())
    pane.scroll(-20)
    window = await pane.window()
    with pytest.raises(ElementNotFound, match='no listitem "Item 60"'):
        await window.listitem("Item 60").press()
    assert pane.at == 20


async def test_a_timeout_of_0_looks_only_at_what_is_in_view() -> None:
    pane = Pane(items())
    window = await pane.window()
    with pytest.raises(ElementNotFound):
        await window.listitem("Item 41").press(timeout_s=0)
    assert not pane.memory.calls_of("scroll")


async def test_the_wheel_is_never_turned_over_a_number() -> None:
    numbers = [FakeControl(Role.SPINBUTTON, f"Number {number}", "5", number=5) for number in range(30)]
    pane = Pane(numbers, Role.DOCUMENT)
    window = await pane.window()
    result = await window.spinbutton("Number 25").set(7)
    assert result.effect is Effect.CONFIRMED
    assert {number.value for number in numbers} == {"5", "7"}
    assert [number.name for number in numbers if number.value == "7"] == ["Number 25"]


async def test_a_rule_that_denies_the_wheel_leaves_the_view(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rule = "{name: still, match: {tool: wheel_mouse_input}, decision: deny, reason: the view stays}"
    rules.write_text(f"policy: 1\nrules:\n- {rule}\n")
    pane = Pane(items())
    window = await pane.window(rules=rules)
    with pytest.raises(ElementNotFound):
        await window.listitem("Item 41").press()
    assert pane.at == 0
    assert not pane.memory.calls_of("scroll")


async def test_a_view_that_does_not_scroll_is_searched_once() -> None:
    pane = Pane(items(SHOWN))
    window = await pane.window()
    with pytest.raises(ElementNotFound):
        await window.listitem("Item 41").press()
    assert len(pane.memory.calls_of("scroll")) <= 2
    with pytest.raises(ActionFailed):
        await window.listitem("Item 1").fill("x")
