"""What confirms an action and what does not: its own effect, that lasts, and that can be seen (SPEC 4.3)."""

from collections.abc import Callable

import anyio
import pytest

from commands.bench import Bench, bench
from deskhand.core.command import Effect, Result
from deskhand.core.errors import ApplicationUnresponsive
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.base import Chord
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow


def box(name: str, on_click: Callable[[], None] | None = None) -> FakeControl:
    return FakeControl(Role.CHECKBOX, name, on_click=on_click)


def set_checked(control: FakeControl, *, checked: bool) -> None:
    if checked:
        control.states.add("checked")
    else:
        control.states.discard("checked")


async def meanwhile(it: Bench, tool: str, on: FakeControl, after_s: float, happens: Callable[[], None]) -> Result:
    """One action; so long after it is sent something else happens to the application."""
    done: list[Result] = []

    async def act() -> None:
        done.append(await it.run(tool, on))
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(act)
        sent = it.desktop.calls_of
        while not (sent("do_action") or sent("click")):
            await anyio.lowlevel.checkpoint()
        with anyio.move_on_after(after_s):
            await anyio.sleep_forever()
        happens()
        it.desktop.touch()
        await anyio.sleep_forever()
    return done[0]


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
async def test_a_box_is_not_confirmed_by_another_one_that_changes(tool: str) -> None:
    other = box("Other")

    def lie() -> None:
        set_checked(liar, checked=False)
        set_checked(other, checked=True)

    liar = box("Own", lie)
    result = await bench(liar, other).run(tool, liar)
    assert (result.effect, result.retry_safe) == (Effect.SUSPECTED_NOOP, False)
    assert 'checkbox "Own" [1] reads not checked as before' in result.evidence
    assert 'checkbox "Other" is now checked' in result.evidence


@pytest.mark.requires("effect.about")
async def test_an_item_is_not_selected_by_another_one_that_is() -> None:
    other = FakeControl(Role.LISTITEM, "Other")

    def lie() -> None:
        liar.states.discard("selected")
        other.states.add("selected")

    liar = FakeControl(Role.LISTITEM, "Own", on_select=lie)
    it = bench(FakeControl(Role.LIST, "Items", children=[liar, other]))
    for tool in ("select_item", "click_input"):
        other.states.discard("selected")
        assert (await it.run(tool, liar)).effect is Effect.SUSPECTED_NOOP, tool


def rows_of_tabs(*others: str) -> tuple[FakeControl, Callable[[], None]]:
    """A list of tabs, and what makes all of them anew with "Borders" chosen, beside tabs of these other names."""
    tabs = FakeControl(Role.TABLIST)

    def anew() -> None:
        chosen = FakeControl(Role.TAB, "Borders", states={"selected"})
        tabs.children[:] = [chosen, *(FakeControl(Role.TAB, name) for name in others)]

    tabs.children[:] = [FakeControl(Role.TAB, "Borders", on_select=anew), FakeControl(Role.TAB, "Font")]
    return tabs, anew


@pytest.mark.requires("effect.about")
async def test_a_tab_that_is_made_anew_while_it_is_chosen_is_found_again_by_its_name() -> None:
    tabs, _ = rows_of_tabs("Font")
    it = bench(tabs)
    result = await it.run("select_item", tabs.children[0])
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'tab "Borders" [1] is selected'), result
    assert not it.desktop.calls_of("focus"), "it was there at once"


@pytest.mark.requires("effect.about")
async def test_a_tab_that_is_made_anew_late_is_not_chosen_by_the_object_that_is_gone() -> None:
    tabs, anew = rows_of_tabs("Font")
    it = bench(tabs)
    it.desktop.faults.lie("select")
    it.desktop.faults.before("focus", anew)
    result = await it.run("select_item", tabs.children[0])
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'tab "Borders" [1] is selected'), result


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("others", [("Borders",), None])
async def test_a_tab_that_is_gone_or_has_its_like_now_is_not_confirmed(others: tuple[str, ...] | None) -> None:
    tabs, _ = rows_of_tabs(*(others or ()))
    if others is None:
        tabs.children[0].on_select = lambda: tabs.children.__delitem__(0)
    result = await bench(tabs).run("select_item", tabs.children[0])
    assert (result.effect, result.retry_safe) == (Effect.UNVERIFIABLE, False), result


@pytest.mark.requires("effect.painted")
async def test_a_tab_may_be_painted_around_its_label_as_chosen() -> None:
    tabs, _ = rows_of_tabs("Font")
    it = bench(tabs)
    place = it.desktop.target(tabs.children[1]).rect
    await it.run("select_item", tabs.children[1])
    looked = [call.arguments["place"] for call in it.desktop.calls if call.method == "painted_since"]
    assert looked
    assert all(isinstance(at, Rect) and at.top < place.top and at.bottom > place.bottom for at in looked)


@pytest.mark.requires("effect.about")
async def test_a_box_that_only_opens_a_window_is_partly_what_was_wanted() -> None:
    desktop = FakeDesktop()

    def ask() -> None:
        set_checked(liar, checked=False)
        desktop.open(FakeWindow("Sure?", [], "app", dialog=True))

    liar = box("Delete all", ask)
    it = Bench(desktop, desktop.open(FakeWindow("Main", [liar], "app")))
    result = await it.run("invoke", liar)
    assert (result.effect, result.status) == (Effect.PARTIAL, "failure")
    assert 'the window "Sure?" appeared' in result.evidence


@pytest.mark.requires("effect.about")
async def test_a_window_of_another_program_confirms_nothing() -> None:
    desktop = FakeDesktop()
    save = FakeControl(Role.BUTTON, "Save", on_click=lambda: desktop.open(FakeWindow("News", [], "other")) and None)
    it = Bench(desktop, desktop.open(FakeWindow("Main", [save], "app")))
    result = await it.run("invoke", save)
    assert result.effect is Effect.SUSPECTED_NOOP
    assert 'the window "News" appeared' in result.evidence


@pytest.mark.requires("effect.about")
async def test_that_a_menu_closes_is_no_effect_of_what_was_chosen_in_it() -> None:
    nothing = FakeControl(Role.MENUITEM, "Nothing")
    menu = FakeControl(Role.MENU, "File", states={"expanded"}, children=[nothing])
    it = bench(menu, FakeControl(Role.BUTTON, "Save"))
    result = await it.run("click_input", nothing)
    assert "expanded" not in menu.states
    assert result.effect is Effect.UNVERIFIABLE


@pytest.mark.requires("effect.about")
async def test_controls_that_are_made_anew_and_look_the_same_are_no_effect() -> None:
    save, header = FakeControl(Role.BUTTON, "Save"), FakeControl(Role.COLUMNHEADER, "Column")
    it = bench(save, header)

    def anew() -> None:
        it.window.controls[1] = FakeControl(Role.COLUMNHEADER, "Column")

    save.on_click = anew
    assert (await it.run("invoke", save)).effect is Effect.SUSPECTED_NOOP


@pytest.mark.requires("effect.about")
async def test_what_changed_between_seeing_and_acting_is_no_effect() -> None:
    label, save = FakeControl(Role.LABEL, "12:00"), FakeControl(Role.BUTTON, "Save")
    it = bench(label, save)
    command = await it.command("invoke", save)
    label.name = "12:01"
    assert (await it.send(command)).effect is Effect.SUSPECTED_NOOP


@pytest.mark.requires("effect.about")
async def test_getting_the_keyboard_is_an_effect_of_keys_and_of_clicking_a_field_alone() -> None:
    first, save, field = (FakeControl(role, role) for role in (Role.TEXTBOX, Role.BUTTON, Role.TEXTBOX))
    field.name = "field"
    it = bench(first, save, field)
    assert (await it.run("click_input", save)).effect is Effect.UNVERIFIABLE
    assert (await it.run("click_input", field)).effect is Effect.CONFIRMED
    it.window.focused = first
    assert (await it.run("keyboard_input", keys="{TAB}")).effect is Effect.CONFIRMED


@pytest.mark.requires("effect.about")
async def test_typing_into_a_field_is_not_confirmed_by_another_field() -> None:
    other = FakeControl(Role.TEXTBOX, "Other")

    def lie(_: Chord) -> bool:
        other.value += "x"
        return True

    liar = FakeControl(Role.TEXTBOX, "Own", on_key=lie)
    result = await bench(liar, other).run("keyboard_input", liar, keys="hi")
    assert (other.value, result.effect) == ("xx", Effect.SUSPECTED_NOOP)


@pytest.mark.requires("effect.about")
async def test_typed_text_of_which_something_else_became_is_partly_there_and_a_password_is_not_read() -> None:
    def other(_: Chord) -> bool:
        field.value = "1"
        return True

    field, secret = FakeControl(Role.TEXTBOX, "Number", on_key=other), FakeControl(Role.PASSWORD, "Secret")
    it = bench(field, secret)
    result = await it.run("keyboard_input", field, keys="12")
    assert (result.effect, "in which '12' does not stand" in result.evidence) == (Effect.PARTIAL, True)
    assert (await it.run("keyboard_input", secret, keys="xyzzy")).effect is Effect.UNVERIFIABLE


@pytest.mark.requires("effect.lasts")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
async def test_what_is_taken_back_after_100_ms_is_not_confirmed_and_says_how_long_it_was(tool: str) -> None:
    liar = box("Own")
    it = bench(liar)
    result = await meanwhile(it, tool, liar, 0.09, lambda: set_checked(liar, checked=False))
    assert (result.effect, result.retry_safe) == (Effect.SUSPECTED_NOOP, False)
    assert result.evidence == 'checkbox "Own" [1] is now checked: was so for 0.09 s, then reads as before'


@pytest.mark.requires("effect.lasts")
async def test_how_long_it_has_to_last_can_be_set() -> None:
    liar = box("Own")
    it = bench(liar)
    it.hold(0.05)
    result = await meanwhile(it, "invoke", liar, 0.09, lambda: set_checked(liar, checked=False))
    assert result.effect is Effect.CONFIRMED


@pytest.mark.requires("effect.lasts")
async def test_a_sign_that_goes_does_not_hide_one_that_comes_later() -> None:
    status = FakeControl(Role.LABEL, "Ready")
    save = FakeControl(Role.BUTTON, "Save", on_click=lambda: setattr(status, "name", "Busy"))
    it = bench(save, status)
    done: list[Result] = []

    async def act() -> None:
        done.append(await it.run("invoke", save))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(act)
        while not it.desktop.calls_of("do_action"):
            await anyio.lowlevel.checkpoint()
        for name in ("Ready", "Saved"):
            with anyio.move_on_after(0.05):
                await anyio.sleep_forever()
            status.name = name
            it.desktop.touch()
    assert done[0].effect is Effect.CONFIRMED
    assert "'Saved'" in done[0].evidence


@pytest.mark.requires("effect.painted")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
async def test_what_is_told_and_not_painted_is_not_confirmed(tool: str) -> None:
    liar = box("Own")
    it = bench(liar)
    it.desktop.faults.stale_pictures = True
    result = await it.run(tool, liar)
    assert (result.effect, result.status) == (Effect.UNVERIFIABLE, "none")
    assert "nothing was painted there" in result.evidence


@pytest.mark.requires("effect.painted")
async def test_what_cannot_be_seen_or_was_so_before_need_not_be_painted() -> None:
    away, name = box("Away"), FakeControl(Role.TEXTBOX, "Name", "Ada")
    away.rect = Rect(900, 900, 950, 950)
    it = bench(away, name)
    it.desktop.faults.stale_pictures = True
    assert (await it.run("invoke", away)).effect is Effect.CONFIRMED
    assert (await it.run("set_edit_text", name, text="Ada")).effect is Effect.CONFIRMED
    assert (await it.run("set_edit_text", name, text="Grace")).effect is Effect.UNVERIFIABLE


@pytest.mark.requires("effect.unknown")
async def test_an_application_that_stops_answering_leaves_the_effect_unknown() -> None:
    liar = box("Own")
    it = bench(liar)

    def stops() -> None:
        for number in range(1, 200):
            it.desktop.faults.fail("resolve", ApplicationUnresponsive("it does not answer"), on_call=number)
            it.desktop.faults.fail("observe", ApplicationUnresponsive("it does not answer"), on_call=number)

    liar.on_click = stops
    result = await it.run("invoke", liar)
    assert (result.effect, result.delivered, result.retry_safe) == (Effect.UNVERIFIABLE, True, False)
    assert "it does not answer" in result.evidence


@pytest.mark.requires("effect.unknown")
async def test_where_not_everything_is_read_nothing_is_called_unchanged() -> None:
    save = FakeControl(Role.BUTTON, "Save")
    it = bench(save, *(FakeControl(Role.LABEL, str(number)) for number in range(5)))
    it.desktop.faults.truncate_after = 3
    assert (await it.run("invoke", save)).effect is Effect.UNVERIFIABLE


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("does", [False, True])
async def test_that_a_popover_closes_is_no_effect_of_what_was_chosen_in_it(does: bool) -> None:
    def choose() -> None:
        popover.states.add("hidden")
        menu.states.discard("checked")
        title.name = "Saved" if does else title.name

    save = FakeControl(Role.BUTTON, "Save All", on_click=choose)
    popover = FakeControl(Role.GROUP, "Popover", children=[save, FakeControl(Role.BUTTON, "Close All")])
    menu = FakeControl(Role.BUTTON, "Menu", states={"checked"}, raw_role="toggle button")
    title = FakeControl(Role.LABEL, "Changed")
    result = await bench(title, menu, popover).run("invoke", save)
    assert result.effect is (Effect.CONFIRMED if does else Effect.SUSPECTED_NOOP), result.evidence
    assert not does or "is now called 'Saved'" in result.evidence


@pytest.mark.requires("effect.about")
async def test_a_menus_item_that_is_let_go_of_or_gone_did_nothing_by_that() -> None:
    def close() -> None:
        item.states.discard("selected")
        menu.children.clear()

    item = FakeControl(Role.MENUITEM, "Reload", states={"selected"}, on_click=close)
    menu = FakeControl(Role.MENU, "File", states={"expanded"}, children=[item])
    result = await bench(menu).run("invoke", item)
    assert result.effect is Effect.SUSPECTED_NOOP, result.evidence


@pytest.mark.requires("effect.about")
async def test_a_button_that_opens_what_is_below_it_is_confirmed_by_that() -> None:
    summary = FakeControl(
        Role.BUTTON,
        "More",
        states={"expandable"},
        raw_role="toggle button",
        on_click=lambda: summary.states.add("expanded"),
    )
    result = await bench(summary).run("invoke", summary)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'button "More" [1] is now expanded')


@pytest.mark.requires("effect.lasts")
@pytest.mark.parametrize("saves", [False, True])
async def test_a_button_that_is_disabled_while_it_works_may_have_worked(saves: bool) -> None:
    def work() -> None:
        save.states.add("disabled")

    def end() -> None:
        save.states.discard("disabled")
        title.name = "Saved" if saves else title.name

    save, title = FakeControl(Role.BUTTON, "Save", on_click=work), FakeControl(Role.LABEL, "Changed")
    result = await meanwhile(bench(save, title), "invoke", save, 0.1, end)
    assert (result.effect, result.retry_safe) == (Effect.CONFIRMED if saves else Effect.UNVERIFIABLE, False)
    assert ("is now called 'Saved'" if saves else "is now not enabled: was so for") in result.evidence


@pytest.mark.requires("effect.lasts")
async def test_a_button_that_stays_disabled_is_confirmed_by_that() -> None:
    send = FakeControl(Role.BUTTON, "Send", on_click=lambda: send.states.add("disabled"))
    result = await bench(send).run("invoke", send)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'button "Send" [1] is now not enabled')


@pytest.mark.requires("effect.about")
async def test_a_menu_that_opens_is_confirmed_by_being_selected() -> None:
    menu = FakeControl(Role.MENU, "File", on_click=lambda: menu.states.add("selected"))
    assert (await bench(menu).run("invoke", menu)).effect is Effect.CONFIRMED
