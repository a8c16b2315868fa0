"""Expectations on the desktop in memory: they wait, fail with what is there instead, and never pass on the unknown."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import anyio
import pytest

from deskhand import ExpectationFailed, Window, expect
from deskhand.core.errors import (
    AmbiguousTarget,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    DesktopGone,
    UsageError,
)
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.scripting import ControlExpectation, on_open_desktop

pytestmark = pytest.mark.requires("python.expect")

Expecting = Callable[[ControlExpectation], Awaitable[None]]


class Form:
    """A window with a control of each kind that an expectation is about."""

    def __init__(self) -> None:
        self.memory = FakeDesktop()
        self.name = FakeControl(Role.TEXTBOX, "Name", "Ada  Lovelace")
        self.secret = FakeControl(Role.PASSWORD, "Secret", "x")
        self.agree = FakeControl(Role.CHECKBOX, "_Agree")
        self.items = [FakeControl(Role.LISTITEM, name) for name in ("Small", "Large")]
        self.store = FakeControl(Role.BUTTON, "Store", states={"disabled"})
        self.total = FakeControl(Role.LABEL, "Total 42")
        buttons = [FakeControl(Role.BUTTON, "Cancel"), FakeControl(Role.BUTTON, "Erase"), self.store]
        others = [self.name, self.secret, self.agree, self.total]
        self.shown = self.memory.open(
            FakeWindow("Form", [*buttons, *others, FakeControl(Role.LIST, "Size", children=self.items)], "form")
        )
        self.desktop = on_open_desktop(self.memory, timeout_s=0.1)

    async def window(self) -> Window:
        return await self.desktop.window(re.compile("^Form"))

    def touched(self, change: Callable[[], object]) -> None:
        change()
        self.memory.touch()


HOLDS: Final[dict[str, tuple[str, str, Expecting]]] = {
    "visible": ("button", "Store", lambda it: it.to_be_visible()),
    "gone": ("button", "Save", lambda it: it.to_be_gone()),
    "enabled": ("button", "Cancel", lambda it: it.to_be_enabled()),
    "disabled": ("button", "Store", lambda it: it.to_be_disabled()),
    "unchecked": ("checkbox", "Agree", lambda it: it.to_be_unchecked()),
    "focused": ("button", "Cancel", lambda it: it.to_be_focused()),
    "state": ("textbox", "Name", lambda it: it.to_have_state("editable")),
    "no state": ("textbox", "Name", lambda it: it.to_have_state("not busy")),
    "value": ("textbox", "Name", lambda it: it.to_have_value("Ada Lovelace")),
    "value found": ("textbox", "Name", lambda it: it.to_have_value(re.compile("^Ada"))),
    "text": ("textbox", "Name", lambda it: it.to_have_text("Ada Lovelace")),
    "text of a label": ("label", "Total 42", lambda it: it.to_have_text(re.compile("42$"))),
    "name": ("checkbox", "Agree", lambda it: it.to_have_name("Agree")),
    "count": ("checkbox", "Agree", lambda it: it.to_have_count(1)),
    "no count": ("button", "Save", lambda it: it.to_have_count(0)),
}
FAILS: Final[dict[str, tuple[str, str, Expecting, str]]] = {
    "visible": ("button", "Save", lambda it: it.to_be_visible(), "none is there"),
    "gone": ("button", "Store", lambda it: it.to_be_gone(), '1 are there: button "Store"'),
    "enabled": ("button", "Store", lambda it: it.to_be_enabled(), "has the states: focusable, showing"),
    "disabled": ("button", "Cancel", lambda it: it.to_be_disabled(), "has the states: enabled"),
    "checked": ("checkbox", "Agree", lambda it: it.to_be_checked(), "has the states: "),
    "unchecked": ("button", "Store", lambda it: it.to_be_unchecked(), "is none that can be checked"),
    "selected": ("listitem", "Small", lambda it: it.to_be_selected(), "has the states: "),
    "value": ("textbox", "Name", lambda it: it.to_have_value("Ada"), 'reads "Ada  Lovelace"'),
    "text": ("label", "Total 42", lambda it: it.to_have_text("42"), 'reads "Total 42"'),
    "secret": ("password", "Secret", lambda it: it.to_have_value(""), "a password is never read back"),
    "secret text": ("password", "Secret", lambda it: it.to_have_text("Secret"), "a password is never read back"),
    "name": ("checkbox", "Agree", lambda it: it.to_have_name("Refuse"), 'its name is "_Agree"'),
    "count": ("checkbox", "Agree", lambda it: it.to_have_count(2), "1 are there"),
}


@pytest.mark.parametrize("case", HOLDS)
async def test_what_holds_passes_at_once(case: str) -> None:
    form = Form()
    role, name, expecting = HOLDS[case]
    window = await form.window()
    before = len(form.memory.calls_of("observe"))
    await expecting(expect(window.locator(role, name)))
    assert len(form.memory.calls_of("observe")) == before + 1


@pytest.mark.parametrize("case", FAILS)
async def test_what_does_not_hold_fails_with_what_is_there(case: str) -> None:
    role, name, expecting, actual = FAILS[case]
    window = await Form().window()
    with pytest.raises(AssertionError) as caught:
        await expecting(expect(window.locator(role, name)))
    assert isinstance(caught.value, ExpectationFailed)
    assert actual in caught.value.unmet.actual
    assert f'{role} "{name}" of "Form" was expected to be' in caught.value.message or " to have " in str(caught.value)
    assert caught.value.unmet.waited_s >= 0.1, "it waited for the desktop's time"


async def test_an_expectation_waits_for_what_comes() -> None:
    form = Form()
    window = await form.window()
    steps: list[tuple[Callable[[], object], Awaitable[None]]] = [
        (lambda: form.agree.states.add("checked"), expect(window.checkbox()).to_be_checked(timeout_s=5)),
        (lambda: form.items[1].states.add("selected"), expect(window.listitem("Large")).to_be_selected(timeout_s=5)),
        (lambda: form.shown.controls.remove(form.store), expect(window.button("Store")).to_be_gone(timeout_s=5)),
        (lambda: setattr(form.shown, "title", "Form 2"), expect(window).to_have_title("Form 2", timeout_s=5)),
        (lambda: form.memory.close_window(form.shown), expect(window).to_be_closed(timeout_s=5)),
    ]
    for change, expected in steps:
        async with anyio.create_task_group() as tasks:

            async def awaited(expected: Awaitable[None] = expected) -> None:
                await expected

            tasks.start_soon(awaited)
            await anyio.wait_all_tasks_blocked()
            form.touched(change)


async def test_a_renamed_button_is_the_nearest_and_what_changed_is_listed() -> None:
    form = Form()
    window = await form.window()
    opened: list[FakeWindow] = []

    def happens() -> None:
        form.agree.states.add("checked")
        opened.append(form.memory.open(FakeWindow("Question", [], "form", dialog=True)))

    form.memory.faults.before("observe", happens, on_call=2)
    with pytest.raises(ExpectationFailed) as caught:
        await expect(window.button("Save")).to_be_visible(timeout_s=0.2)
    unmet = caught.value.unmet
    assert re.match(r'button "Store" at \d+, \d+', unmet.nearest[0])
    assert unmet.changes[0] == 'window "Question" opened'
    assert 'changed: checkbox "_Agree" (checked)' in unmet.changes
    assert "nearest: button" in str(caught.value)
    with pytest.raises(ExpectationFailed) as caught:
        await expect(window.locator("list", "Sizes").listitem("Small")).to_be_visible()
    assert caught.value.unmet.nearest[0].startswith('list "Size"'), "the outer control is the one that is missing"


async def test_several_controls_are_a_mistake_of_the_script() -> None:
    window = await Form().window()
    with pytest.raises(AmbiguousTarget):
        await expect(window.listitem()).to_be_visible()
    await expect(window.listitem().nth(1)).to_have_name("Large")
    with pytest.raises(ValueError, match="no state 'shiny'"):
        await expect(window.button("Cancel")).to_have_state("shiny")


async def test_the_end_of_a_program_is_no_expected_absence() -> None:
    form = Form()
    window = await form.window()
    form.memory.faults.application_dies(form.shown)
    with pytest.raises(ApplicationGone):
        await expect(window.button("Save")).to_be_gone()
    with pytest.raises(ApplicationGone, match="signal 11"):
        await expect(window).to_be_closed()
    with pytest.raises(ApplicationGone, match="signal 11"):
        await expect(window).to_have_title("Form")


async def test_in_a_closed_window_of_a_running_program_nothing_is_left() -> None:
    form = Form()
    dialog = form.memory.open(FakeWindow("Sure?", [FakeControl(Role.BUTTON, "OK")], "form", dialog=True))
    ok = (await form.desktop.window("Sure?")).button("OK")
    form.memory.close_window(dialog)
    await expect(ok).to_be_gone()
    with pytest.raises(ApplicationGone, match=r'window "Sure\?" is not shown: it was closed or hidden'):
        await expect(ok).to_be_visible()


@pytest.mark.parametrize(
    "error", [ApplicationUnresponsive("it hangs"), CaptureFailed("no tree"), DesktopGone("it died")]
)
async def test_a_window_that_cannot_be_read_is_its_own_error(error: Exception) -> None:
    form = Form()
    window = await form.window()
    for call in range(1, 50):
        form.memory.faults.fail("observe", error, on_call=call)
    with pytest.raises(type(error)):
        await expect(window.button("Save")).to_be_gone()


async def test_a_program_that_does_not_answer_holds_up_an_expectation_little_beyond_its_timeout(tmp_path: Path) -> None:
    form = Form()
    window = await form.window()

    def observed() -> list[object]:
        return [call.arguments["deadline_s"] for call in form.memory.calls_of("observe")]

    with pytest.raises(ExpectationFailed):
        await expect(window.button("Save")).to_be_visible(timeout_s=0.1)
    assert set(observed()) == {2.0}, "not the time of an observation without a deadline"
    form.memory.faults.fail("observe", ApplicationUnresponsive("it hangs"))
    before = len(observed())
    async with form.desktop.recorded(tmp_path / "record", "it hangs"):
        with pytest.raises(ApplicationUnresponsive):
            await expect(window.button("Save")).to_be_visible(timeout_s=0)
    assert len(observed()) == before + 1, "it is not asked for its controls again"


async def test_what_may_be_elsewhere_is_not_known_to_be_gone() -> None:
    form = Form()
    window = await form.window()
    form.memory.faults.truncate_after = 2
    with pytest.raises(ExpectationFailed, match="not all was read"):
        await expect(window.button("Save")).to_be_gone()
    form.memory.faults.truncate_after = None
    form.store.states.add("offscreen")
    with pytest.raises(ExpectationFailed, match="out of view"):
        await expect(window.button("Store")).to_be_disabled()
    with pytest.raises(ExpectationFailed, match='button "Store" is there, but not shown: it is out of view'):
        await expect(window.button("Store")).to_be_visible()


async def test_a_misspelt_method_is_answered_with_the_nearest() -> None:
    window = await Form().window()
    for subject, wrong, near in (
        (expect(window.button()), "to_be_cheked", "to_be_checked"),
        (expect(window), "to_have_titel", "to_have_title"),
        (window, "buton", "button"),
        (window.button(), "pres", "press"),
    ):
        with pytest.raises(AttributeError, match=f"has no {wrong}") as caught:
            getattr(subject, wrong)
        assert isinstance(caught.value, UsageError)
        assert caught.value.fix == f"write {near}"
        assert not hasattr(subject, wrong)
    with pytest.raises(AttributeError) as caught:
        getattr(expect(window), "quack")  # noqa: B009 - it does not exist
    assert isinstance(caught.value, UsageError)
    assert caught.value.fix == "it has to_be_closed, to_have_title, to_match"


async def test_a_program_of_ones_own_is_launched_by_its_arguments() -> None:
    form = Form()
    form.memory.applications["build"] = FakeApplication("build", lambda _, __: FakeWindow("Mine", []))
    assert (await form.desktop.launch(argv=["./out/build", "--now"])).title == "Mine"
    with pytest.raises(UsageError, match="exclude each other"):
        await form.desktop.launch("gedit", argv=["./out/build"])
    with pytest.raises(UsageError, match="program of your own"):
        await form.desktop.launch("gedit", environment={"LANG": "de_DE"})
