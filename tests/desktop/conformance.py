"""What every desktop backend must do, shown on one small application.

The application "Fixture" has, top to bottom, in a window titled `Fixture`:
- menu bar with menu `File`, in it item `Open dialog...`, which opens a dialog window titled `Question` with button `OK`
  that closes it
- button `Press me`, label `Pressed N times` (N from 0)
- checkbox `Check me`
- textbox `Name`, empty; password `Secret`, empty
- list `Fruit` with items `Apple`, `Pear`, `Plum`, none selected
- table `Grid` of 3 x 3 cells `r0c0` … `r2c2`
- spin button `Count`, 0 to 100 by 1, at 0
- button `Off`, disabled
- button `Renew`: replaces button `Volatile` by a new one of the same name; button `Double`: replaces it by two such;
  button `Remove`: takes it away; and the button `Volatile` itself
What is asserted about effects is what the application itself says (`state`), never what the backend says.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import anyio
import pytest

from deskhand.core.errors import (
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    DesktopBusy,
    ElementNotFound,
    ElementStale,
    LaunchFailed,
)
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation, Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, comparable_name
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.windows import Application, ProgramState, Quiet

PATIENCE_S = 30.0


PEOPLE = ("Ada", "Bob")
"""Each in a row with a button "Open". "Turn" has the rows draw each other's, "Scroll" has them draw Bob and Eve."""


@dataclass(frozen=True, slots=True)
class FixtureState:
    """What the application says of itself; `selected` is the selected fruit, `dialog` whether its dialog is open, and
    `opened` the person whose row's button was pressed last."""

    pressed: int = 0
    checked: bool = False
    name: str = ""
    secret: str = ""
    selected: str = ""
    count: float = 0.0
    dialog: bool = False
    volatile_pressed: int = 0
    opened: str = ""


class DesktopUnderTest(Protocol):
    """One backend with the fixture application running on it."""

    @property
    def desktop(self) -> Desktop: ...

    @property
    def screen(self) -> Rect: ...

    @property
    def window(self) -> TargetInfo:
        """The window that launching the application gave."""
        ...

    def state(self) -> FixtureState: ...

    async def eventually(self, holds: Callable[[FixtureState], bool]) -> FixtureState:
        """The state once it holds. Raises: TimeoutError, naming the state, after a bounded wait."""
        ...

    async def kill(self) -> None:
        """Ends the application without asking it; returns when it is dead."""
        ...


async def find(under_test: DesktopUnderTest, name: str, role: Role | None = None) -> TargetInfo:
    """The showing control of that name in the fixture window, waited for. Raises: AssertionError at the deadline."""

    async def look() -> TargetInfo | None:
        seen = await under_test.desktop.observe(under_test.window, picture=False)
        return _named(seen.controls, name, role)

    found = await under_test.desktop.wait_until(look, deadline_s=PATIENCE_S)
    assert found is not None, f"no {role or 'control'} named {name!r} shows"
    return found


async def opener(under_test: DesktopUnderTest, person: str) -> TargetInfo:
    """The button in a person's row."""
    label = await find(under_test, person, Role.LABEL)
    seen = (await under_test.desktop.observe(under_test.window, picture=False)).controls
    return next(control for control in seen if control.name == "Open" and control.parent == label.parent)


def _named(controls: Sequence[TargetInfo], name: str, role: Role | None) -> TargetInfo | None:
    wanted = comparable_name(name)
    return next((c for c in controls if comparable_name(c.name) == wanted and role in {None, c.type}), None)


async def _dialog(under_test: DesktopUnderTest) -> TargetInfo:
    await under_test.desktop.do_action(await find(under_test, "File", Role.MENU))
    item = await find(under_test, "Open dialog...", Role.MENUITEM)
    await under_test.desktop.click(await under_test.desktop.aim(under_test.window, item.rect, item))

    async def look() -> TargetInfo | None:
        return next((w for w in await under_test.desktop.windows() if w.name == "Question"), None)

    dialog = await under_test.desktop.wait_until(look, deadline_s=PATIENCE_S)
    assert dialog is not None
    return dialog


def _inside(inner: Rect, outer: Rect) -> bool:
    return inner.intersection(outer) == inner


def _pixels(picture: Picture, rect: Rect) -> list[bytes]:
    """The rows of a part of a picture."""
    part = rect.intersection(picture.rect)
    width, left = picture.rect.width, part.left - picture.rect.left
    starts = [((y - picture.rect.top) * width + left) * 3 for y in range(part.top, part.bottom)]
    return [picture.rgb[start : start + part.width * 3] for start in starts]


def _assert_whole(picture: Picture | None, rect: Rect) -> None:
    assert picture is not None
    assert picture.rect == rect
    assert len(picture.rgb) == rect.width * rect.height * 3
    assert len(set(picture.rgb)) > 1, "a picture of one colour shows nothing"


class DesktopConformance:
    """Subclass it in a test module that has a fixture `under_test`."""

    # Windows

    async def test_the_active_window_is_listed_first_and_alone_is_active(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.activate(under_test.window)
        windows = await under_test.desktop.windows()
        assert windows[0].handle == under_test.window.handle
        assert [w.name for w in windows if "active" in w.states] == ["Fixture"]

    async def test_a_window_says_what_it_is_and_whose(self, under_test: DesktopUnderTest) -> None:
        window = next(w for w in await under_test.desktop.windows() if w.handle == under_test.window.handle)
        assert (window.kind, window.type, window.name) == (TargetKind.WINDOW, Role.WINDOW, "Fixture")
        assert window.id == ""
        assert window.application == "fixture"
        assert window.pid is not None
        assert not window.rect.empty
        assert _inside(window.rect, under_test.screen)

    async def test_launching_an_unknown_program_fails_and_says_which(self, under_test: DesktopUnderTest) -> None:
        with pytest.raises(LaunchFailed, match="no-such-program"), anyio.fail_after(PATIENCE_S):
            await under_test.desktop.launch(
                Application("no-such-program", ("/nonexistent/no-such-program",)), deadline_s=5.0
            )

    async def test_a_window_that_is_asked_to_close_is_gone(self, under_test: DesktopUnderTest) -> None:
        dialog = await _dialog(under_test)
        assert await under_test.desktop.ask_to_close(dialog, deadline_s=PATIENCE_S) is True
        assert dialog.handle not in {w.handle for w in await under_test.desktop.windows()}
        assert await under_test.desktop.ask_to_close(dialog) is True
        assert (await under_test.desktop.program(dialog)).state is ProgramState.RUNS

    async def test_a_dialog_is_a_window_of_its_own_until_it_closes(self, under_test: DesktopUnderTest) -> None:
        dialog = await _dialog(under_test)
        assert (await under_test.eventually(lambda state: state.dialog)).dialog
        assert (dialog.type, dialog.application) == (Role.DIALOG, "fixture")
        assert "Press me" not in [c.name for c in (await under_test.desktop.observe(dialog)).controls]
        assert "OK" not in [c.name for c in (await under_test.desktop.observe(under_test.window)).controls]

        ok = _named((await under_test.desktop.observe(dialog)).controls, "OK", Role.BUTTON)
        assert ok is not None
        await under_test.desktop.do_action(ok)
        await under_test.eventually(lambda state: not state.dialog)

        async def gone() -> bool | None:
            return True if dialog.handle not in [w.handle for w in await under_test.desktop.windows()] else None

        assert await under_test.desktop.wait_until(gone, deadline_s=PATIENCE_S)
        with pytest.raises(ApplicationGone):
            await under_test.desktop.observe(dialog)
        with pytest.raises((ElementStale, ApplicationGone)):
            await under_test.desktop.resolve(ok)

    @pytest.mark.requires("effect.restless")
    async def test_what_was_done_since_a_look_is_known(self, under_test: DesktopUnderTest) -> None:
        button = await find(under_test, "Press me", Role.BUTTON)
        seen = await under_test.desktop.observe(under_test.window, picture=False)
        before = await under_test.desktop.activity(under_test.window)
        assert seen.at_s > before.acted_at_s
        await under_test.desktop.do_action(button)
        await under_test.eventually(lambda state: state.pressed == 1)
        after = await under_test.desktop.activity(under_test.window)
        assert seen.at_s <= after.acted_at_s

        async def has_changed() -> bool:
            return (await under_test.desktop.activity(under_test.window)).changes > before.changes

        async def is_calm() -> bool:
            return (await under_test.desktop.activity(under_test.window)).is_calm

        async def has_reported() -> bool:
            return (await under_test.desktop.activity(under_test.window)).reports > before.reports

        assert await under_test.desktop.wait_until(has_changed, deadline_s=PATIENCE_S)
        assert await under_test.desktop.wait_until(is_calm, deadline_s=PATIENCE_S)
        assert await under_test.desktop.wait_until(has_reported, deadline_s=PATIENCE_S)

    @pytest.mark.requires("desktop.application-dies")
    async def test_a_dead_application_is_gone_for_eyes_and_hands(self, under_test: DesktopUnderTest) -> None:
        button = await find(under_test, "Press me", Role.BUTTON)
        await under_test.kill()
        with anyio.fail_after(PATIENCE_S):
            with pytest.raises(ApplicationGone):
                await under_test.desktop.observe(under_test.window)
            with pytest.raises(ApplicationGone):
                await under_test.desktop.resolve(button)
            with pytest.raises((ApplicationGone, ElementStale)):
                await under_test.desktop.do_action(button)
        assert under_test.window.handle not in [w.handle for w in await under_test.desktop.windows()]

    # Seeing

    @pytest.mark.parametrize(
        ("name", "role"),
        [
            ("File", Role.MENU),
            ("Press me", Role.BUTTON),
            ("Pressed 0 times", Role.LABEL),
            ("Check me", Role.CHECKBOX),
            ("Name", Role.TEXTBOX),
            ("Secret", Role.PASSWORD),
            ("Fruit", Role.LIST),
            ("Pear", Role.LISTITEM),
            ("Grid", Role.TABLE),
            ("Count", Role.SPINBUTTON),
        ],
    )
    async def test_a_control_is_seen_by_its_role_and_name(
        self, under_test: DesktopUnderTest, name: str, role: Role
    ) -> None:
        seen = await find(under_test, name, role)
        assert seen.kind is TargetKind.CONTROL
        assert seen.raw_role
        assert seen.fingerprint is not None
        assert (seen.fingerprint.role, seen.fingerprint.name) == (role, seen.name)
        assert seen.fingerprint.window == "Fixture"

    async def test_cells_are_seen_with_their_texts(self, under_test: DesktopUnderTest) -> None:
        seen = await under_test.desktop.observe(under_test.window, picture=False)
        cells = [control for control in seen.controls if control.type is Role.CELL]
        assert [cell.value or cell.name for cell in cells] == [f"r{r}c{c}" for r in range(3) for c in range(3)]

    @pytest.mark.requires("desktop.conformance")
    async def test_controls_come_parents_first_each_with_a_handle_and_no_label(
        self, under_test: DesktopUnderTest
    ) -> None:
        seen = await under_test.desktop.observe(under_test.window, picture=False)
        known = {"", under_test.window.handle}
        for control in seen.controls:
            assert control.handle
            assert control.handle not in known
            assert control.parent in known, f"the parent of {control.describe} does not come before it"
            assert control.id == ""
            known.add(control.handle)
        assert seen.truncated is None

    async def test_controls_come_in_reading_order(self, under_test: DesktopUnderTest) -> None:
        seen = await under_test.desktop.observe(under_test.window, picture=False)
        order = ["File", "Press me", "Check me", "Name", "Secret", "Fruit", "Grid", "Count", "Off", "Volatile"]
        places = [seen.controls.index(control) for name in order if (control := _named(seen.controls, name, None))]
        assert len(places) == len(order)
        assert places == sorted(places)

    async def test_every_control_lies_on_the_screen_and_in_its_window(self, under_test: DesktopUnderTest) -> None:
        seen = await under_test.desktop.observe(under_test.window, picture=False)
        for name in ("Press me", "Check me", "Name", "Secret", "Fruit", "Count"):
            control = _named(seen.controls, name, None)
            assert control is not None
            assert not control.rect.empty
            assert _inside(control.rect, seen.window.rect)
        assert all(c.rect.empty or _inside(c.rect, under_test.screen) for c in seen.controls)

    async def test_a_second_observation_keeps_the_handles(self, under_test: DesktopUnderTest) -> None:
        first = await under_test.desktop.observe(under_test.window, picture=False)
        await under_test.desktop.set_text(await find(under_test, "Name", Role.TEXTBOX), "changed")
        second = await under_test.desktop.observe(under_test.window, picture=False)
        assert [c.handle for c in first.controls] == [c.handle for c in second.controls]

    async def test_a_picture_comes_with_the_controls_only_where_asked_for(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.settle(under_test.window)  # it may be there before it is painted
        with_picture = await under_test.desktop.observe(under_test.window)
        _assert_whole(with_picture.picture, with_picture.window.rect)
        assert (await under_test.desktop.observe(under_test.window, picture=False)).picture is None

    async def test_a_screenshot_shows_the_whole_desktop_or_the_part_asked_for(
        self, under_test: DesktopUnderTest
    ) -> None:
        _assert_whole(await under_test.desktop.screenshot(), under_test.screen)
        part = (await find(under_test, "Press me", Role.BUTTON)).rect
        _assert_whole(await under_test.desktop.screenshot(part), part)

    async def test_seeing_changes_nothing(self, under_test: DesktopUnderTest) -> None:
        before = under_test.state()
        first = await under_test.desktop.observe(under_test.window)
        for control in first.controls:
            await under_test.desktop.resolve(control)
        await under_test.desktop.screenshot()
        second = await under_test.desktop.observe(under_test.window)
        assert (second.controls, under_test.state()) == (first.controls, before)

    @pytest.mark.requires("observe.passwords")
    async def test_a_password_never_leaves_the_desktop(self, under_test: DesktopUnderTest) -> None:
        secret = await find(under_test, "Secret", Role.PASSWORD)
        seen: list[Observation] = []
        for text in ("xyzzy", "xyzzy-plugh-and-more"):
            await under_test.desktop.set_text(secret, text)
            await under_test.eventually(lambda state, text=text: state.secret == text)
            await under_test.desktop.settle(under_test.window)
            seen.append(await under_test.desktop.observe(under_test.window))
            assert await under_test.desktop.read_text(secret) == ""
        assert "xyzzy" not in repr(seen)
        assert "xyzzy" not in repr(await under_test.desktop.resolve(secret))
        shown = [_pixels(o.picture, secret.rect) for o in seen if o.picture]
        assert shown[0] == shown[1], "the length of a password can be seen"

    async def test_a_table_tells_its_shape_and_its_cells(self, under_test: DesktopUnderTest) -> None:
        table = await find(under_test, "Grid", Role.TABLE)
        assert await under_test.desktop.table_shape(table) == (3, 3)
        cells = await under_test.desktop.read_table(table, range(1, 3), range(3))
        assert cells == (("r1c0", "r1c1", "r1c2"), ("r2c0", "r2c1", "r2c2"))
        with pytest.raises(ActionRefused):
            await under_test.desktop.read_table(table, range(2, 4), range(3))

    async def test_what_is_no_table_has_no_shape(self, under_test: DesktopUnderTest) -> None:
        with pytest.raises(ActionRefused):
            await under_test.desktop.table_shape(await find(under_test, "Press me", Role.BUTTON))
        with pytest.raises(ActionRefused):
            await under_test.desktop.read_table(await find(under_test, "Press me", Role.BUTTON))

    async def test_a_table_is_read_whole(self, under_test: DesktopUnderTest) -> None:
        cells = await under_test.desktop.read_table(await find(under_test, "Grid", Role.TABLE))
        assert cells == tuple(tuple(f"r{row}c{column}" for column in range(3)) for row in range(3))

    # Identity

    async def test_resolving_gives_the_present_value_under_the_same_label(self, under_test: DesktopUnderTest) -> None:
        box = await find(under_test, "Name", Role.TEXTBOX)
        labelled = TargetInfo(
            box.kind, box.name, box.type, id="7", handle=box.handle, fingerprint=box.fingerprint, rect=Rect(0, 0, 1, 1)
        )
        await under_test.desktop.set_text(box, "new")
        now = await under_test.desktop.resolve(labelled)
        assert (now.id, now.handle, now.value, now.rect) == ("7", box.handle, "new", box.rect)

    @pytest.mark.requires("command.stale-element")
    async def test_a_renewed_control_is_stale_and_found_again(self, under_test: DesktopUnderTest) -> None:
        old = await find(under_test, "Volatile", Role.BUTTON)
        await under_test.desktop.do_action(await find(under_test, "Renew", Role.BUTTON))
        await under_test.desktop.settle(under_test.window)
        with pytest.raises(ElementStale):
            await under_test.desktop.do_action(old)
        new = await under_test.desktop.resolve(old)
        assert new.handle != old.handle
        await under_test.desktop.do_action(new)
        assert (await under_test.eventually(lambda state: state.volatile_pressed == 1)).volatile_pressed == 1

    @pytest.mark.requires("identity.record")
    async def test_a_button_belongs_to_its_row_whatever_object_draws_it(self, under_test: DesktopUnderTest) -> None:
        old = await opener(under_test, "Ada")
        await under_test.desktop.do_action(await find(under_test, "Turn", Role.BUTTON))
        await under_test.desktop.settle(under_test.window)
        now = await under_test.desktop.resolve(old)
        assert now.handle != old.handle
        await under_test.desktop.do_action(now)
        assert (await under_test.eventually(lambda state: state.opened != "")).opened == "Ada"

    @pytest.mark.requires("identity.record")
    async def test_a_living_button_of_another_row_is_stale(self, under_test: DesktopUnderTest) -> None:
        old = await opener(under_test, "Ada")
        await under_test.desktop.do_action(await find(under_test, "Scroll", Role.BUTTON))
        await under_test.desktop.settle(under_test.window)
        with pytest.raises(ElementStale):
            await under_test.desktop.resolve(old)

    async def test_a_removed_control_is_stale_for_good(self, under_test: DesktopUnderTest) -> None:
        old = await find(under_test, "Volatile", Role.BUTTON)
        await under_test.desktop.do_action(await find(under_test, "Remove", Role.BUTTON))
        await under_test.desktop.settle(under_test.window)
        with pytest.raises(ElementStale):
            await under_test.desktop.resolve(old)

    @pytest.mark.requires("command.stale-element")
    async def test_a_control_replaced_by_two_is_ambiguous_with_the_candidates(
        self, under_test: DesktopUnderTest
    ) -> None:
        old = await find(under_test, "Volatile", Role.BUTTON)
        await under_test.desktop.do_action(await find(under_test, "Double", Role.BUTTON))
        await under_test.desktop.settle(under_test.window)
        with pytest.raises(AmbiguousTarget) as raised:
            await under_test.desktop.resolve(old)
        assert len(raised.value.candidates) == 2
        assert all("Volatile" in candidate for candidate in raised.value.candidates)

    # Acting through accessibility

    async def test_a_press_happens_once_and_shows(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.do_action(await find(under_test, "Press me", Role.BUTTON))
        assert (await under_test.eventually(lambda state: state.pressed > 0)).pressed == 1
        assert await find(under_test, "Pressed 1 times", Role.LABEL)

    async def test_a_checkbox_toggles_there_and_back(self, under_test: DesktopUnderTest) -> None:
        box = await find(under_test, "Check me", Role.CHECKBOX)
        assert "checked" not in box.states
        await under_test.desktop.do_action(box)
        await under_test.eventually(lambda state: state.checked)
        assert "checked" in (await under_test.desktop.resolve(box)).states
        await under_test.desktop.do_action(box)
        await under_test.eventually(lambda state: not state.checked)
        assert "checked" not in (await under_test.desktop.resolve(box)).states

    async def test_an_unknown_action_is_refused_and_nothing_happens(self, under_test: DesktopUnderTest) -> None:
        with pytest.raises(ActionRefused):
            await under_test.desktop.do_action(await find(under_test, "Press me", Role.BUTTON), "explode")
        await under_test.desktop.settle(under_test.window)
        assert under_test.state().pressed == 0

    async def test_a_disabled_control_shows_it_and_refuses(self, under_test: DesktopUnderTest) -> None:
        off = await find(under_test, "Off", Role.BUTTON)
        assert "enabled" not in off.states
        assert "enabled" in (await find(under_test, "Press me", Role.BUTTON)).states
        with pytest.raises(ActionRefused):
            await under_test.desktop.do_action(off)

    @pytest.mark.parametrize("text", ["plain", "Grüße, “Ωμέγα” é", "日本語 한국어", "😀 a\tb", "", "x" * 2000])
    async def test_text_arrives_as_it_was_given(self, under_test: DesktopUnderTest, text: str) -> None:
        box = await find(under_test, "Name", Role.TEXTBOX)
        await under_test.desktop.set_text(box, "what was there before")
        await under_test.desktop.set_text(box, text)
        assert (await under_test.eventually(lambda state: state.name == text)).name == text
        assert await under_test.desktop.read_text(box) == text

    async def test_text_for_a_button_is_refused(self, under_test: DesktopUnderTest) -> None:
        with pytest.raises(ActionRefused):
            await under_test.desktop.set_text(await find(under_test, "Press me", Role.BUTTON), "no")

    async def test_a_number_is_set_and_refused_where_there_is_none(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.set_value(await find(under_test, "Count", Role.SPINBUTTON), 42)
        assert (await under_test.eventually(lambda state: state.count == 42)).count == 42
        with pytest.raises(ActionRefused):
            await under_test.desktop.set_value(await find(under_test, "Press me", Role.BUTTON), 1)

    async def test_the_limits_of_a_number_are_reported_where_there_are_any(self, under_test: DesktopUnderTest) -> None:
        count = await find(under_test, "Count", Role.SPINBUTTON)
        assert await under_test.desktop.number_limits(count) == (0, 100)
        assert await under_test.desktop.number_limits(await find(under_test, "Press me", Role.BUTTON)) is None

    async def test_selecting_an_item_selects_it_alone(self, under_test: DesktopUnderTest) -> None:
        fruit = await find(under_test, "Fruit", Role.LIST)
        for name in ("Apple", "Plum"):
            await under_test.desktop.select(await find(under_test, name, Role.LISTITEM))
            await under_test.eventually(lambda state, name=name: state.selected == name)
            assert await under_test.desktop.selected_count(fruit) == 1
        assert "selected" in (await find(under_test, "Plum", Role.LISTITEM)).states
        assert "selected" not in (await find(under_test, "Apple", Role.LISTITEM)).states

    async def test_a_control_without_selection_says_so(self, under_test: DesktopUnderTest) -> None:
        with pytest.raises(ActionRefused):
            await under_test.desktop.selected_count(await find(under_test, "Press me", Role.BUTTON))

    async def test_focus_goes_where_it_is_sent(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.activate(under_test.window)
        for name, role in (("Name", Role.TEXTBOX), ("Secret", Role.PASSWORD)):
            control = await find(under_test, name, role)
            await under_test.desktop.focus(control)
            seen = await under_test.desktop.observe(under_test.window, picture=False)
            assert [c.name for c in seen.controls if "focused" in c.states] == [name]

    async def test_two_actions_at_once_are_one_too_many(self, under_test: DesktopUnderTest) -> None:
        box = await find(under_test, "Name", Role.TEXTBOX)
        refused: list[DesktopBusy] = []

        async def type_text() -> None:
            try:
                await under_test.desktop.set_text(box, "once")
            except DesktopBusy as error:
                refused.append(error)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(type_text)
            tasks.start_soon(type_text)
        assert len(refused) == 1
        assert (await under_test.eventually(lambda state: state.name == "once")).name == "once"

    # Synthetic input

    async def test_a_click_at_the_centre_of_a_control_hits_it(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.activate(under_test.window)
        await under_test.desktop.click((await find(under_test, "Press me", Role.BUTTON)).rect.center)
        await under_test.eventually(lambda state: state.pressed == 1)
        await under_test.desktop.click((await find(under_test, "Check me", Role.CHECKBOX)).rect.center)
        await under_test.eventually(lambda state: state.checked)

    @pytest.mark.requires("act.every-move")
    async def test_a_button_is_pressed_and_released_apart(self, under_test: DesktopUnderTest) -> None:
        desktop = under_test.desktop
        await desktop.activate(under_test.window)
        point = (await find(under_test, "Press me", Role.BUTTON)).rect.center
        await desktop.hold_button(point, MouseButton.LEFT)
        assert (await desktop.left_down()).button
        with pytest.raises(ActionRefused):
            await desktop.click(point)
        assert under_test.state().pressed == 0
        assert (await desktop.let_go(point)).button
        assert (await under_test.eventually(lambda state: state.pressed == 1)).pressed == 1
        assert (await desktop.left_down()).names == ()

    @pytest.mark.requires("act.every-move")
    async def test_keys_are_pressed_and_released_apart(self, under_test: DesktopUnderTest) -> None:
        desktop = under_test.desktop
        await desktop.activate(under_test.window)
        await desktop.focus(await find(under_test, "Name", Role.TEXTBOX))
        await desktop.hold_keys(Chord("a"))
        await under_test.eventually(lambda state: state.name.startswith("a"))
        with pytest.raises(ActionRefused):
            await desktop.press([Chord("b")])
        assert (await desktop.let_go(button=False)).keys
        await desktop.press([Chord("b")])
        assert (await under_test.eventually(lambda state: state.name.endswith("b"))).name.strip("a") == "b"

    @pytest.mark.requires("effect.locks")
    async def test_a_lock_is_on_until_its_key_is_pressed_again(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.activate(under_test.window)
        assert await under_test.desktop.locks() == frozenset()
        await under_test.desktop.press([Chord("capslock")])
        assert await under_test.desktop.locks() == {"capslock"}
        await under_test.desktop.press([Chord("capslock")])
        assert await under_test.desktop.locks() == frozenset()

    async def test_keys_go_to_the_focused_control(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.activate(under_test.window)
        await under_test.desktop.focus(await find(under_test, "Name", Role.TEXTBOX))
        await under_test.desktop.press(
            [Chord("h"), Chord("i", ("shift",)), Chord("space"), Chord("7"), Chord("x"), Chord("backspace")]
        )
        assert (await under_test.eventually(lambda state: state.name == "hI 7")).name == "hI 7"

    async def test_escape_closes_a_dialog(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.activate(await _dialog(under_test))
        await under_test.desktop.press([Chord("esc")])
        await under_test.eventually(lambda state: not state.dialog)

    async def test_the_pointer_is_where_it_was_moved(self, under_test: DesktopUnderTest) -> None:
        at = under_test.window.rect.center
        await under_test.desktop.hover(at)
        assert await under_test.desktop.pointer() == at

    async def test_the_wheel_turns_what_lies_under_the_pointer(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.activate(under_test.window)
        await under_test.desktop.scroll((await find(under_test, "Count", Role.SPINBUTTON)).rect.center, 2)
        assert (await under_test.eventually(lambda state: state.count > 1)).count == 2

    async def test_the_clipboard_gives_back_what_was_offered(self, under_test: DesktopUnderTest) -> None:
        content = "Grüße 日本".encode()
        await under_test.desktop.offer_clipboard({"UTF8_STRING": content, "application/x-test": b"\x00\x01"})
        assert await under_test.desktop.read_clipboard() == content
        assert await under_test.desktop.read_clipboard("application/x-test") == b"\x00\x01"
        assert await under_test.desktop.read_clipboard("text/html") == b""

    async def test_the_offered_clipboard_can_be_pasted(self, under_test: DesktopUnderTest) -> None:
        await under_test.desktop.activate(under_test.window)
        await under_test.desktop.focus(await find(under_test, "Name", Role.TEXTBOX))
        await under_test.desktop.offer_clipboard({"UTF8_STRING": "Grüße 日本".encode()})
        await under_test.desktop.press([Chord("v", ("ctrl",))])
        assert (await under_test.eventually(lambda state: state.name != "")).name == "Grüße 日本"

    # Waiting

    async def test_waiting_ends_when_the_application_changes(self, under_test: DesktopUnderTest) -> None:
        async def look() -> TargetInfo | None:
            seen = await under_test.desktop.observe(under_test.window, picture=False)
            return _named(seen.controls, "Pressed 1 times", Role.LABEL)

        button = await find(under_test, "Press me", Role.BUTTON)
        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(under_test.desktop.do_action, button)
                assert await under_test.desktop.wait_until(look, deadline_s=PATIENCE_S * 2) is not None

    async def test_waiting_in_vain_ends_at_the_deadline(self, under_test: DesktopUnderTest) -> None:
        async def not_found() -> bool | None:
            raise ElementNotFound("never")

        with anyio.fail_after(PATIENCE_S):
            assert await under_test.desktop.wait_until(not_found, deadline_s=0.05) is None

    async def test_a_condition_that_is_false_is_waited_for(self, under_test: DesktopUnderTest) -> None:
        async def pressed() -> bool:
            seen = await under_test.desktop.observe(under_test.window, picture=False)
            return _named(seen.controls, "Pressed 1 times", Role.LABEL) is not None

        button = await find(under_test, "Press me", Role.BUTTON)
        assert await under_test.desktop.wait_until(pressed, deadline_s=0.05) is None
        await under_test.desktop.do_action(button)
        assert await under_test.desktop.wait_until(pressed, deadline_s=PATIENCE_S) is True

    async def test_waiting_lets_an_error_that_nobody_can_recover_from_through(
        self, under_test: DesktopUnderTest
    ) -> None:
        async def broken() -> bool | None:
            raise DesktopBusy("not recoverable")

        with pytest.raises(DesktopBusy):
            await under_test.desktop.wait_until(broken, deadline_s=PATIENCE_S)

    async def test_an_idle_application_settles(self, under_test: DesktopUnderTest) -> None:
        settled = await under_test.desktop.settle(under_test.window, deadline_s=PATIENCE_S)
        assert settled.reason is Quiet.SETTLED
        assert 0 <= settled.waited_s < PATIENCE_S
