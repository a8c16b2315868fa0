"""Locators on the desktop in memory: they wait, refuse what is ambiguous, and return results with effects."""

import re
import traceback
from collections.abc import Callable

import pytest

import deskhand
from deskhand import ActionFailed, Window
from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.command import Effect
from deskhand.core.errors import (
    AmbiguousTarget,
    ApplicationGone,
    CaptureFailed,
    DesktopGone,
    ElementNotFound,
    TargetDisabled,
    UsageError,
    WaitTimedOut,
)
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.scripting import on_open_desktop

pytestmark = pytest.mark.requires("python.locators")


class Notes:
    """A window with two groups of the same button, a field, a box, a list, and a button that is disabled."""

    def __init__(self) -> None:
        self.memory = FakeDesktop()
        self.pressed: list[str] = []
        self.field = FakeControl(Role.TEXTBOX, "Name", states={"editable"})
        self.status = FakeControl(Role.STATUS, "Last", "none")
        self.agree = FakeControl(Role.CHECKBOX, "_Agree")
        self.sizes = [FakeControl(Role.LISTITEM, name) for name in ("Small", "Large")]
        self.late = FakeControl(Role.BUTTON, "Continue", states={"disabled"})
        groups = [
            FakeControl(Role.GROUP, name, children=[FakeControl(Role.BUTTON, "Clear", on_click=self._press(name))])
            for name in ("Address", "Payment")
        ]
        controls = [
            self.field,
            self.agree,
            FakeControl(Role.LIST, "Size", children=self.sizes),
            self.late,
            *groups,
            self.status,
        ]
        self.shown = self.memory.open(FakeWindow("Notes", controls, "notes"))
        self.desktop = on_open_desktop(
            self.memory, timeout_s=0.2, configuration=Configuration(system=SystemSection(effect_hold_s=0.05))
        )

    def _press(self, name: str) -> Callable[[], None]:
        def press() -> None:
            self.pressed.append(name)
            self.status.value = f"{name} {len(self.pressed)}"

        return press

    async def window(self) -> Window:
        return await self.desktop.window("Notes")


async def test_actions_return_results_whose_effect_was_read_back() -> None:
    notes = Notes()
    window = await notes.window()
    assert (await window.textbox("Name").fill("Grace")).effect is Effect.CONFIRMED
    assert (await window.textbox().type(" {ENTER}")).effect is Effect.CONFIRMED
    assert (notes.field.value, await window.textbox("Name").text()) == ("Grace {ENTER}", "Grace {ENTER}")
    assert (await window.checkbox("Agree").set(True)).effect is Effect.CONFIRMED
    assert "checked" in notes.agree.states
    assert (await window.locator("list", "Size").select("Large")).effect is Effect.CONFIRMED
    assert "selected" in notes.sizes[1].states
    assert await window.listitem().count() == 2
    assert [each.name for each in await window.locator(text=re.compile("mal")).all()] == ["Small"]


async def test_several_controls_are_refused_with_the_candidates_and_told_apart() -> None:
    notes = Notes()
    window = await notes.window()
    with pytest.raises(AmbiguousTarget) as caught:
        await window.button("Clear").press()
    assert len(caught.value.candidates) == 2
    assert notes.pressed == []
    await window.locator("group", "Payment").button("Clear").press()
    await window.button("Clear").nth(0).press()
    await window.button("Clear").nth(-1).press()
    assert notes.pressed == ["Payment", "Address", "Payment"]
    with pytest.raises(ElementNotFound):
        await window.button("Clear").nth(2).press(timeout_s=0)
    with pytest.raises(ValueError, match="comes last"):
        window.button("Clear").nth(0).button()


async def test_a_control_is_one_of_several_roles_and_fits_conditions_which_messages_name() -> None:
    notes = Notes()
    notes.late.description = "Goes on"
    window = await notes.window()
    found = window.locator({"button", "checkbox"}).that("that is disabled", lambda each: "enabled" not in each.states)
    assert (await found.find()).name == "Continue"
    assert await found.description() == "Goes on"
    assert await window.textbox().description() == ""
    with pytest.raises(ElementNotFound, match="no button or checkbox that is disabled that is wide"):
        await found.that("that is wide", lambda each: each.rect.width > 9000).find(timeout_s=0)
    with pytest.raises(UsageError, match="buton"):
        window.locator(["button", "buton"])


async def test_a_condition_of_the_callers_own_is_evaluated_again_after_an_error_that_may_pass() -> None:
    notes = Notes()
    window = await notes.window()
    notes.memory.faults.fail("observe", CaptureFailed("no tree"))

    async def clears() -> int | None:
        return await window.button("Clear").count() or None

    async def never() -> bool:
        return await window.button("Opn").count() > 0

    async def is_wrong() -> bool:
        raise UsageError("there is no such role")

    assert await notes.desktop.wait_until(clears) == 2
    assert await notes.desktop.wait_until(never, timeout_s=0) is None
    with pytest.raises(UsageError):
        await notes.desktop.wait_until(is_wrong)
    assert notes.desktop.environment == notes.memory.environment


async def test_a_control_in_view_is_found_by_one_observation() -> None:
    notes = Notes()
    window = await notes.window()
    before = len(notes.memory.calls_of("observe"))
    await window.textbox("Name").find()
    assert len(notes.memory.calls_of("observe")) == before + 1


async def test_a_control_that_is_absent_is_named_with_those_that_are_there() -> None:
    window = await Notes().window()
    with pytest.raises(ElementNotFound) as caught:
        await window.button("Opn").press()
    shown = "".join(traceback.format_exception(caught.value))
    assert 'has no button "Opn"' in shown
    assert 'button "Continue"' in shown, "a traceback shows what to do"
    with pytest.raises(ElementNotFound) as caught:
        await window.radio("Agree").press(timeout_s=0)
    assert caught.value.fix.startswith('there are: checkbox "_Agree"'), "toolkits differ in roles: it is named first"
    assert "scroll" in caught.value.fix
    with pytest.raises(UsageError, match="no role 'knob'") as mistaken:
        window.locator("knob")
    assert mistaken.value.fix
    with pytest.raises(UsageError, match="5 is no name") as mistaken:
        window.button(5)  # pyright: ignore[reportArgumentType] - a mistake
    assert mistaken.value.fix


async def test_an_action_waits_for_its_control_and_until_it_is_enabled() -> None:
    notes = Notes()
    window = await notes.window()

    def appears() -> None:
        notes.late.states.discard("disabled")

    notes.field.on_text = lambda _: appears()
    with pytest.raises(ActionFailed) as caught:
        await window.button("Continue").press(timeout_s=0)
    assert caught.value.result.error is not None
    assert (caught.value.result.error.type, caught.value.result.delivered) == (TargetDisabled.__name__, False)
    await window.textbox("Name").fill("Grace")
    await window.button("Continue").wait(timeout_s=0)
    result = await window.button("Continue").press(check=False)
    assert result.delivered


async def test_an_effect_that_is_not_confirmed_is_raised_unless_the_caller_checks_it() -> None:
    notes = Notes()
    window = await notes.window()
    with pytest.raises(ActionFailed) as caught:
        await window.button("Continue").press(timeout_s=0)
    notes.late.states.clear()
    assert caught.value.result.effect is Effect.REFUSED
    with pytest.raises(ActionFailed):
        await window.button("Continue").press()
    result = await window.button("Continue").press(check=False)
    assert (result.ok, result.delivered, result.effect) == (False, True, Effect.SUSPECTED_NOOP)


async def test_windows_are_awaited_and_their_end_is_an_error() -> None:
    notes = Notes()
    with pytest.raises(WaitTimedOut) as caught:
        await notes.desktop.window("Letters", timeout_s=0)
    assert "Notes" in caught.value.fix
    window = await notes.window()
    with pytest.raises(WaitTimedOut):
        await window.wait_closed(timeout_s=0)
    notes.memory.open(FakeWindow("Notes 2", [], "notes"))
    with pytest.raises(AmbiguousTarget):
        await notes.desktop.window("Notes")
    notes.memory.close_window(notes.shown)
    await window.wait_closed()
    with pytest.raises(ApplicationGone):
        await window.button("Continue").press()


async def test_waits_end_with_what_they_wait_for() -> None:
    notes = Notes()
    window = await notes.window()
    await window.checkbox("Agree").set(True)
    await window.checkbox("Agree").wait(state="checked", timeout_s=0)
    with pytest.raises(WaitTimedOut):
        await window.checkbox("Agree").wait(gone=True, timeout_s=0)
    await window.button("Opn").wait(gone=True, timeout_s=0)
    with pytest.raises(ValueError, match="no state 'visible'"):
        await window.button("Continue").wait(state="visible")


async def test_a_wait_ends_at_once_with_the_desktop() -> None:
    notes = Notes()
    window = await notes.window()
    notes.memory.faults.fail("observe", DesktopGone("it died"))
    with pytest.raises(DesktopGone):
        await window.button("Opn").press()


async def test_any_tool_is_reached_and_a_wrong_one_is_named() -> None:
    notes = Notes()
    window = await notes.window()
    found = await window.act("find_controls", name="Agree")
    assert found.ok
    with pytest.raises(UsageError, match=r"there is no tool 'fly'; there are: .*click_input"):
        await window.act("fly")


async def test_a_wrong_argument_is_refused_with_those_that_the_tool_takes() -> None:
    window = await Notes().window()
    with pytest.raises(UsageError, match="click_input: sideways") as caught:
        await window.checkbox("Agree").act("click_input", sideways="yes")
    assert (
        caught.value.fix == "click_input takes [button], [double], [count], [hold] (those in brackets may be left out)"
    )
    with pytest.raises(UsageError) as caught:
        await window.act("keyboard_input", key="a")
    assert "keys" in caught.value.fix


@deskhand.tool
def check_box(call: deskhand.Call, check: bool, timeout_s: float, tool: str, given: str = "") -> str:
    """Returns its arguments, and the control."""
    return f"{check} {timeout_s:g} {tool} {given} {call.target.name if call.target else None}"


async def test_arguments_of_any_name_reach_a_tool_and_a_function_gets_the_control() -> None:
    notes = Notes()
    desktop = on_open_desktop(notes.memory, timeout_s=0.2, tools=[check_box])
    window = await desktop.window("Notes")
    found = await window.checkbox("Agree").act("check_box", {"check": False, "timeout_s": 3}, tool="a", given="b")
    assert found.result == "False 3 a b _Agree"
    found = await window.act("check_box", {"check": True, "timeout_s": 3, "tool": "a"})
    assert found.result == "True 3 a  None"


async def test_the_title_of_a_window_follows_what_actions_do_to_it() -> None:
    notes = Notes()
    window = await notes.window()

    def rename() -> None:
        notes.shown.title = "Notes, changed"

    notes.agree.on_click = rename
    await window.checkbox("Agree").click()
    assert window.title == "Notes, changed"
    notes.shown.title = "Notes"
    assert (window.title, (await window.observe()).window.name, window.title) == ("Notes, changed", "Notes", "Notes")


async def test_an_observation_is_shown_in_one_short_line() -> None:
    seen = await (await Notes().window()).observe(picture=True)
    assert repr(seen).startswith("Observation('Notes', 11 controls, Picture(")
    assert len(repr(seen)) < 80


async def test_a_tool_at_a_point_is_judged_by_the_control_there() -> None:
    notes = Notes()
    send = FakeControl(Role.BUTTON, "Send", on_click=lambda: notes.pressed.append("sent"))
    notes.memory.open(FakeWindow("Mail", [send], "mail"))
    window = await notes.desktop.window("Mail")
    seen = await window.observe()
    (button,) = seen.controls
    middle = button.rect.center
    share = (
        (middle.x + 0.5 - window.info.rect.left) / window.info.rect.width,
        (middle.y + 0.5 - window.info.rect.top) / window.info.rect.height,
    )
    with pytest.raises(ActionFailed, match="not approved"):
        await window.act_on(button, seen, "click_on_coordinates", x=share[0], y=share[1])
    assert notes.pressed == []


async def test_a_window_is_waited_for_until_it_is_quiet_and_the_screen_is_pictured() -> None:
    notes = Notes()
    window = await notes.window()
    assert await window.settle()
    notes.memory.faults.never_settles = True
    assert not await window.settle(timeout_s=0)
    assert (await notes.desktop.screenshot()).rect == notes.memory.screen


def test_the_public_names_are_those_of_the_package() -> None:
    assert {"open_desktop", "Desktop", "Window", "Locator", "ActionFailed"} <= set(deskhand.__all__)
    assert all(getattr(deskhand, name) for name in deskhand.__all__)


@pytest.mark.requires("python.reset")
async def test_a_reset_desktop_has_no_window_and_one_that_cannot_be_reset_says_so() -> None:
    notes = Notes()
    await notes.memory.offer_clipboard({"UTF8_STRING": b"left over"})
    await notes.desktop.reset()
    assert await notes.desktop.windows() == ()
    assert (notes.memory.clipboard, await notes.memory.pointer()) == ({}, notes.memory.screen.center)
    with pytest.raises(UsageError, match="cannot be reset"):
        await on_open_desktop(_NotResettable()).reset()


class _NotResettable(FakeDesktop):
    """A desktop of a backend without a reset."""

    reset = None  # pyright: ignore[reportAssignmentType] - it has none


@pytest.mark.requires("python.ids")
async def test_a_control_is_found_by_the_id_of_its_developers_whole_or_by_its_end() -> None:
    notes = Notes()
    address, payment = (group.children[0] for group in notes.shown.controls[4:6])
    address.accessible_id, payment.accessible_id = "app.main.clear", "app.pay.clear"
    window = await notes.window()
    assert (await window.locator("button", accessible_id="main.clear").press()).ok
    assert (await window.locator("group", "Payment").locator(accessible_id="clear").press()).ok
    assert notes.pressed == ["Address", "Payment"]
    with pytest.raises(AmbiguousTarget, match='control with the id "clear"'):
        await window.locator(accessible_id="clear").find()
    payment.accessible_id = "clear"
    await window.locator(accessible_id="clear").press()
    assert notes.pressed[2:] == ["Payment"]
    with pytest.raises(ElementNotFound, match=r'no control with the id "lear"\n'):
        await window.locator(accessible_id="lear").find(timeout_s=0)
    with pytest.raises(UsageError, match="no id"):
        window.locator(accessible_id="")


@pytest.mark.requires("python.ids")
async def test_ids_count_inside_of_controls_that_are_found_by_theirs() -> None:
    notes = Notes()
    address, payment = notes.shown.controls[4:6]
    address.accessible_id, payment.accessible_id = "app.box", "app.box.box"
    payment.children[0].accessible_id = "app.box.box.clear"
    window = await notes.window()
    await window.locator("group", accessible_id="box.box").locator(accessible_id="clear").press()
    assert notes.pressed == ["Payment"]
    assert await window.locator("group", accessible_id="box").count() == 2
    assert (await window.locator("group", accessible_id="app.box").find()).name == "Address"
    await deskhand.expect(window.locator("group", accessible_id="box")).to_have_count(2)
    await window.locator("button", accessible_id="gone").wait(gone=True)


@pytest.mark.requires("python.ids")
async def test_ids_that_a_program_does_not_expose_are_unknown_and_not_gone() -> None:
    notes = Notes()
    window = await notes.window()
    await deskhand.expect(window.locator("button", accessible_id="save")).to_be_gone()
    notes.late.accessible_id = None
    unknown = window.locator("button", accessible_id="save")
    for asked in (
        unknown.find(),
        unknown.press(),
        unknown.count(),
        unknown.wait(gone=True),
        deskhand.expect(unknown).to_be_gone(),
        deskhand.expect(unknown).to_be_visible(),
        deskhand.expect(unknown).to_have_count(0),
    ):
        with pytest.raises(UsageError, match='"Notes" exposes no ids'):
            await asked
    await deskhand.expect(window.locator("checkbox", accessible_id="save")).to_be_gone()
