"""What confirms an action and what does not: its own effect, that lasts, and that can be seen (contract 4.3)."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

import anyio
import pytest

from commands.bench import Bench, bench
from deskhand.commands.call import Focus
from deskhand.commands.effects.diff import VALUE, change_message, own_difference
from deskhand.commands.effects.window_diff import difference
from deskhand.core.command import Effect, Result
from deskhand.core.errors import ActionRefused, ApplicationGone, ApplicationUnresponsive, NotOffered
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, Fingerprint, TargetInfo, TargetKind, Trait
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.input import Chord

TOGGLE = frozenset({Trait.TOGGLE})


def box(name: str, on_click: Callable[[], None] | None = None) -> FakeControl:
    return FakeControl(Role.CHECKBOX, name, on_click=on_click)


def _select(control: FakeControl, *, selected: bool) -> None:
    control.states = control.states - {"selected"} | ({"selected"} if selected else set())


class Dragged(FakeDesktop):
    """One on which something happens at a drag."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens = happens

    def _drag(self, start: Point, end: Point) -> None:
        self._happens()


def set_checked(control: FakeControl, *, checked: bool) -> None:
    if checked:
        control.states.add("checked")
    else:
        control.states.discard("checked")


async def beside(happens: Callable[[], Coroutine[Any, Any, None]], action: Awaitable[Result]) -> Result:
    """What comes of an action while something else happens."""
    done: list[Result] = []

    async def act() -> None:
        done.append(await action)
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(happens)
        tasks.start_soon(act)
    return done[0]


async def meanwhile(
    it: Bench, tool: str, on: FakeControl, after_s: float, happens: Callable[[], None], **given: JsonValue
) -> Result:
    """One action; so long after it is sent something else happens to the application."""
    done: list[Result] = []

    async def act() -> None:
        done.append(await it.run(tool, on, **given))
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(act)
        sent = it.desktop.calls_of
        while not any(map(sent, ("do_action", "click", "set_text", "set_value"))):
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


def sheet(*, dead: bool = False) -> tuple[Bench, FakeControl]:
    """A spreadsheet that calls the cell of its cursor focused and not selected, as LibreOffice 7.4 does, and a cell."""

    def take_cursor() -> None:
        cell.states.discard("selected")
        for one in (other, cell):
            one.states -= {"focused"}
        (other if dead else cell).states.add("focused")
        name_box.value = "B2"

    name_box = FakeControl(Role.TEXTBOX, "", "A1")
    other = FakeControl(Role.CELL, "A1", "1", states={"focused"})
    cell = FakeControl(Role.CELL, "B2", "2", on_click=take_cursor)
    return bench(name_box, FakeControl(Role.TABLE, "Sheet", children=[other, cell])), cell


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
async def test_a_cell_is_confirmed_by_the_cursor_and_one_that_has_it_already_is_no_failure(tool: str) -> None:
    it, cell = sheet()
    cell.actions = ()
    result = await it.run(tool, cell)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'cell "B2" [1] is now focused')
    assert (await it.run(tool, cell)).effect is Effect.UNVERIFIABLE


@pytest.mark.requires("effect.about")
async def test_a_cell_that_takes_neither_cursor_nor_selection_is_not_confirmed() -> None:
    it, cell = sheet(dead=True)
    result = await it.run("click_input", cell)
    assert (result.effect, 'now has the value "B2"' in result.evidence) == (Effect.SUSPECTED_NOOP, True)


@pytest.mark.requires("effect.about")
async def test_a_cell_that_is_to_be_selected_may_take_the_cursor_for_it() -> None:
    it, cell = sheet()
    it.desktop.faults.fail("select", ActionRefused("cells are not selected"))
    it.desktop.faults.fail("focus", ActionRefused("nor given the keyboard"))
    assert (await it.run("select_item", cell)).effect is Effect.CONFIRMED
    assert (await it.run("select_item", cell)).effect is Effect.CONFIRMED


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


@pytest.mark.requires("effect.tells-nothing")
async def test_a_window_that_tells_nothing_is_waited_for_until_its_program_is_quiet_and_no_longer() -> None:
    it = bench()
    command = await it.command("keyboard_input", keys="{ESC}")
    it.desktop.calls.clear()
    assert (await it.send(command)).effect is Effect.UNVERIFIABLE
    methods = [call.method for call in it.desktop.calls]
    assert methods.count("settle") == 1
    assert methods[methods.index("press") :].count("observe") == 1, methods


def read_text(name: str) -> FakeControl:
    return FakeControl(Role.TEXT, name, traits=frozenset({Trait.READ_FROM_PICTURE}), rect=Rect(20, 20, 120, 36))


@pytest.mark.requires("effect.tells-nothing")
async def test_a_window_whose_picture_stays_the_same_is_waited_for_no_longer_than_its_program_works() -> None:
    it = bench(read_text("Start"))
    command = await it.command("keyboard_input", keys="{ESC}")
    it.desktop.calls.clear()
    assert (await it.send(command)).effect is Effect.UNVERIFIABLE
    methods = [call.method for call in it.desktop.calls]
    assert methods.count("settle") == 1
    assert methods[methods.index("press") :].count("observe") == 1, methods


@pytest.mark.requires("effect.tells-nothing")
async def test_a_text_that_comes_late_in_a_window_whose_picture_changed_is_an_effect() -> None:
    start = read_text("Start")

    def turn() -> None:
        start.name = "Stop"

    start.on_click = lambda: start.states.add("tinted")
    result = await meanwhile(bench(start), "click_input", start, 0.3, turn)
    assert (result.effect, "Stop" in result.evidence) == (Effect.CONFIRMED, True), result


@pytest.mark.requires("effect.tells-nothing")
async def test_a_window_that_comes_while_the_program_of_one_that_tells_nothing_works_is_an_effect() -> None:
    it = bench()

    def news() -> None:
        it.desktop.open(FakeWindow("News", [], "app"))

    it.desktop.faults.before("settle", news)
    result = await it.run("keyboard_input", keys="{F2}")
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'the window "News" appeared'), result


@pytest.mark.requires("effect.painted")
async def test_a_tab_may_be_painted_around_its_label_as_chosen() -> None:
    tabs, _ = rows_of_tabs("Font")
    it = bench(tabs)
    place = it.desktop.target(tabs.children[1]).rect
    it.desktop.faults.stale_pictures = True  # or it would not look on
    await it.run("select_item", tabs.children[1])
    looked = [call.arguments["place"] for call in it.desktop.calls if call.method == "painted_since"]
    assert place in looked
    assert any(isinstance(at, Rect) and at.top < place.top and at.bottom > place.bottom for at in looked)


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("busy", "effect", "evidence"),
    [
        (True, Effect.CONFIRMED, 'checkbox "Slow" [1] is checked'),
        (False, Effect.SUSPECTED_NOOP, 'checkbox "Slow" [1] reads not checked as before'),
    ],
)
async def test_a_late_state_is_waited_for_only_in_a_busy_program(busy: bool, effect: Effect, evidence: str) -> None:
    slow = box("Slow")
    it = bench(slow)
    it.desktop.faults.lie("do_action")
    it.desktop.faults.never_settles = busy
    result = await meanwhile(it, "set_value", slow, 3.3, lambda: set_checked(slow, checked=True), value=True)
    assert (result.effect, result.evidence) == (effect, evidence)


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
@pytest.mark.parametrize("works", [True, False])
async def test_a_toggle_button_that_pops_out_again_may_have_been_down_for_a_moment(works: bool) -> None:
    display = FakeControl(Role.TEXTBOX, "Display", "0")
    seven = FakeControl(Role.BUTTON, "7", traits=TOGGLE, on_click=lambda: setattr(display, "value", "7"))
    seven.on_click = seven.on_click if works else None
    result = await bench(seven, display).run("click_input", seven)
    assert (result.effect, result.retry_safe) == (Effect.UNVERIFIABLE, False), result
    assert "may have been down for a moment" in result.evidence
    assert ('now has the value "7"' in result.evidence) is works


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("inside", [True, False])
async def test_that_a_row_turned_the_switch_in_it_is_its_effect_and_no_other_switch(inside: bool) -> None:
    def turn() -> None:
        set_checked(switch, checked=True)
        row.states.discard("selected")  # by the list, in which nothing can be selected

    switch = FakeControl(Role.CHECKBOX, "Sort Folders First")
    row = FakeControl(Role.LISTITEM, "Sort Folders First", children=[switch] if inside else [], on_click=turn)
    result = await bench(FakeControl(Role.LIST, children=[row]), *([] if inside else [switch])).run("click_input", row)
    assert result.effect is (Effect.CONFIRMED if inside else Effect.SUSPECTED_NOOP), result
    assert "is now checked" in result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(("dialog", "effect"), [(True, Effect.CONFIRMED), (False, Effect.SUSPECTED_NOOP)])
async def test_a_dialog_that_another_program_shows_for_the_own_one_is_an_effect(dialog: bool, effect: Effect) -> None:
    desktop = FakeDesktop()

    def ask() -> None:
        window = FakeWindow("Open File", [], "app", dialog=dialog)
        desktop.open(window)
        window.pid = (window.pid or 0) + 1

    choose = FakeControl(Role.BUTTON, "Choose", on_click=ask)
    it = Bench(desktop, desktop.open(FakeWindow("Main", [choose], "app")))
    result = await it.run("invoke", choose)
    assert (result.effect, 'the window "Open File" appeared' in result.evidence) == (effect, True), result


@pytest.mark.requires("effect.about")
async def test_a_window_that_opens_is_what_is_told_also_where_something_else_was_seen_first() -> None:
    desktop, status = FakeDesktop(), FakeControl(Role.LABEL, "Idle")

    def show() -> None:
        desktop.open(FakeWindow("Rename", [], "app", dialog=True))

    def work() -> None:
        status.name = "Busy"
        desktop.faults.before("painted_since", show)

    rename = FakeControl(Role.BUTTON, "Rename", on_click=work)
    it = Bench(desktop, desktop.open(FakeWindow("Main", [rename, status], "app")))
    result = await it.run("invoke", rename)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'the window "Rename" appeared')


@pytest.mark.requires("effect.drag")
@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        ("", "A", Effect.UNVERIFIABLE),
        ("B", "A", Effect.UNVERIFIABLE),
        ("AB", "A", Effect.UNVERIFIABLE),
        ("AB", "", Effect.UNVERIFIABLE),
        ("", "AB", Effect.CONFIRMED),
        ("", "B", Effect.CONFIRMED),
        ("ABC", "AB", Effect.CONFIRMED),
    ],
)
async def test_a_drag_is_not_confirmed_by_what_its_press_does_alone(before: str, after: str, effect: Effect) -> None:
    items = [FakeControl(Role.LISTITEM, name, states=set(before) & {name} and {"selected"}) for name in "ABC"]
    blank, title = FakeControl(Role.LISTITEM, "Blank", states={"selected"}), FakeControl(Role.LISTITEM, "Title")
    bar = FakeControl(Role.STATUS, before)

    def drag() -> None:
        bar.name = after
        _select(blank, selected=False)  # a list beside that follows what is selected
        _select(title, selected=True)
        for item in items:
            _select(item, selected=item.name in after)

    desktop = Dragged(drag)
    lists = [FakeControl(Role.LIST, "Items", children=items), FakeControl(Role.LIST, "Kind", children=[blank, title])]
    it = Bench(desktop, desktop.open(FakeWindow("Main", [*lists, bar], "app")))
    start, end = (desktop.target(items[index]).rect.center for index in (0, 2))
    window = it.window.rect
    ends = {
        f"{which}_{axis}": (place - first + 0.5) / size
        for which, at in (("start", start), ("end", end))
        for axis, place, first, size in (("x", at.x, window.left, window.width), ("y", at.y, window.top, window.height))
    }
    result = await it.run("drag_on_coordinates", None, **ends)
    assert (result.effect, result.retry_safe) == (effect, False), result
    pressed = "only the press of the drag had an effect"
    assert result.evidence.startswith(pressed) is (effect is Effect.UNVERIFIABLE)


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("opens", [False, True])
async def test_a_double_click_is_not_confirmed_by_what_one_click_does(opens: bool) -> None:
    def press() -> None:
        _select(item, selected=True)
        bar.name = "1 selected"
        title.name = "Inside" if opens else title.name

    item = FakeControl(Role.CELL, "Folder", states={"selectable"}, on_double_click=press)
    bar, title = FakeControl(Role.STATUS, "0 selected"), FakeControl(Role.LABEL, "Outside")
    it = bench(title, FakeControl(Role.TABLE, "Files", children=[item]), bar)
    result = await it.run("click_input", item, double=True)
    assert "selected" in item.states
    assert result.effect is (Effect.CONFIRMED if opens else Effect.UNVERIFIABLE), result.evidence
    assert opens or result.evidence.startswith("only the effect of a single click was seen: ")


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["click_input", "invoke"])
@pytest.mark.parametrize("does", [False, True])
async def test_what_a_field_makes_of_its_text_as_it_is_left_is_no_effect_of_the_press(tool: str, does: bool) -> None:
    def leave() -> None:
        it.window.focused = save
        amount.value = "1,000.00"
        title.name = "Saved" if does else title.name

    amount, title = FakeControl(Role.TEXTBOX, "Amount", "1000"), FakeControl(Role.LABEL, "Changed")
    save = FakeControl(Role.BUTTON, "Save", on_click=leave)
    it = bench(amount, title, save)
    it.window.focused = amount
    result = await it.run(tool, save)
    told = 'is now called "Saved"' if does else "only the field that lost the keyboard changed: "
    assert told in result.evidence
    assert result.effect in ({Effect.CONFIRMED} if does else {Effect.UNVERIFIABLE, Effect.SUSPECTED_NOOP})


@pytest.mark.requires("effect.about")
async def test_that_a_menu_closes_is_no_effect_of_what_was_chosen_in_it() -> None:
    nothing = FakeControl(Role.MENUITEM, "Nothing")
    menu = FakeControl(Role.MENU, "File", states={"expanded"}, children=[nothing])
    it = bench(menu, FakeControl(Role.BUTTON, "Save"))
    result = await it.run("click_input", nothing)
    assert "expanded" not in menu.states
    assert result.effect is Effect.UNVERIFIABLE


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("does", [False, True])
@pytest.mark.parametrize(
    ("role", "held"),
    [
        (Role.COMBOBOX, "expanded"),
        (Role.COMBOBOX, ""),
        (Role.MENU, "selected"),
        (Role.BUTTON, "expanded"),
        (Role.BUTTON, ""),
    ],
)
async def test_that_a_list_or_menu_closes_is_no_effect_of_a_click_elsewhere(role: Role, held: str, does: bool) -> None:
    def close() -> None:
        box.states.discard(held)
        box.children.clear()
        title.name = "Saved" if does else title.name

    items = [FakeControl(Role.MENUITEM, "One"), FakeControl(Role.MENUITEM, "Two")]
    box = FakeControl(role, "Choice", states={held} - {""}, children=[FakeControl(Role.MENU, children=items)])
    save, title = FakeControl(Role.BUTTON, "Save", on_click=close), FakeControl(Role.LABEL, "Changed")
    it = bench(save, title, box)
    it.window.focused = save
    result = await it.run("click_input", save)
    assert result.effect is (Effect.CONFIRMED if does else Effect.UNVERIFIABLE), result.evidence
    told = 'is now called "Saved"' if does else '"Choice" was open, and closed by it, which may be all that it did'
    assert told in result.evidence


@pytest.mark.requires("effect.about")
async def test_that_a_popover_closes_is_no_effect_of_a_click_elsewhere() -> None:
    def close() -> None:
        set_checked(opener, checked=False)
        it.window.controls.remove(inside)

    opener = FakeControl(Role.BUTTON, "Pop", states={"checked"}, traits=TOGGLE)
    press, inside = FakeControl(Role.LINK, "Press", on_click=close), FakeControl(Role.LABEL, "Inside")
    it = bench(opener, press, inside)
    it.window.focused = press
    result = await it.run("click_input", press)
    assert result.effect is Effect.UNVERIFIABLE, result.evidence
    assert 'button "Pop" was open, and closed by it' in result.evidence


@pytest.mark.requires("effect.unknown")
@pytest.mark.parametrize("closes", [True, False])
async def test_a_window_to_which_nothing_answers_is_gone_only_where_it_is(closes: bool) -> None:
    desktop = FakeDesktop()

    def nothing() -> None:
        if closes:
            desktop.close_window(window)
        raise ApplicationGone('No accessible window of process 7 answers to "Main".')

    def press() -> None:
        for call in range(1, 500):
            desktop.faults.before("observe", nothing, on_call=call)

    press_it = FakeControl(Role.BUTTON, "Press", on_click=press)
    window = FakeWindow("Main", [press_it], "app")
    it = Bench(desktop, desktop.open(window))
    result = await it.run("invoke", press_it)
    assert result.effect is (Effect.CONFIRMED if closes else Effect.UNVERIFIABLE), result
    assert ("is gone" in result.evidence or "closed" in result.evidence) is closes


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("role", [Role.MENU, Role.WINDOW, Role.COMBOBOX])
async def test_that_a_context_menu_closes_is_no_effect_of_a_click_elsewhere(role: Role) -> None:
    items = [FakeControl(Role.MENUITEM, "Open"), FakeControl(Role.MENUITEM, "Cut")]
    menu = FakeControl(role, states={"expanded"} if role is Role.COMBOBOX else set(), children=items)
    home = FakeControl(Role.LINK, "Home", on_click=lambda: it.window.controls.remove(menu))
    it = bench(home, menu)
    it.window.focused = home
    result = await it.run("click_input", home)
    assert result.effect is Effect.UNVERIFIABLE, result.evidence
    assert "was open, and closed by it" in result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("inside", [False, True])
async def test_that_a_list_closes_is_the_effect_of_what_it_belongs_to(inside: bool) -> None:
    def close() -> None:
        box.states.discard("expanded")

    opener = FakeControl(Role.BUTTON, "Open", on_click=close)
    box = FakeControl(Role.COMBOBOX, "Choice", states={"expanded"}, on_click=close, children=[opener])
    result = await bench(box).run("click_input", opener if inside else box)
    assert result.effect is Effect.CONFIRMED, result.evidence
    assert result.evidence.endswith("is now not expanded")


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


def typed_sheet(below: str = "3", *, read_only: bool = False) -> Bench:
    """The cursor stands on B2, which holds 2; Enter takes what was typed, unless it is for reading only, and goes on.

    A line above shows what is in the cell of the cursor, and says that it has the keyboard, as LibreOffice does.
    """
    typed: list[str] = []

    def key(chord: Chord) -> bool:
        if chord.key != "enter":
            typed.append(chord.key)
            return True
        if typed and not read_only:
            cell.value = "".join(typed).capitalize().removesuffix(".0").replace("=5+2", "7")
        for one in (cell, other):
            one.states ^= {"focused"}
        name_box.value, line.value = other.name, other.value
        return True

    name_box = FakeControl(Role.TEXTBOX, "", "B2")
    line = FakeControl(Role.PARAGRAPH, "Input line", "2", states={"focused"})
    cell, other = FakeControl(Role.CELL, "B2", "2", states={"focused"}), FakeControl(Role.CELL, "B3", below)
    it = bench(name_box, line, FakeControl(Role.TABLE, "Sheet", children=[cell, other]))
    it.window.on_key = key
    return it


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("below", ["3", "77"])
async def test_typed_text_that_nothing_holds_is_not_confirmed_by_the_cursor_that_moves(below: str) -> None:
    result = await typed_sheet(below, read_only=True).run("keyboard_input", keys="77{ENTER}")
    assert (result.effect, result.retry_safe) == (Effect.UNVERIFIABLE, False)
    assert "contains the typed text" in result.evidence
    assert 'now has the value "B3"' in result.evidence
    assert (await typed_sheet(below, read_only=True).run("keyboard_input", keys="{ENTER}")).effect is Effect.CONFIRMED


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(("in_name_box", "effect"), [(True, Effect.CONFIRMED), (False, Effect.UNVERIFIABLE)])
async def test_an_address_is_confirmed_by_the_cell_that_is_gone_to_from_the_name_box_alone(
    in_name_box: bool, effect: Effect
) -> None:
    it = typed_sheet(read_only=True)
    name_box, table = it.window.controls[0], it.window.controls[-1]
    if in_name_box:
        it.window.focused = name_box
        table.children[0].states.discard("focused")

        def go(_: Chord) -> bool:
            table.children[1].states.add("focused")
            it.window.focused = None
            name_box.value = "B3"
            return True

        it.window.on_key = go
    result = await it.run("keyboard_input", keys="B3{ENTER}")
    assert result.effect is effect, result


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("below", ["3", "77"])
@pytest.mark.parametrize(("keys", "reads"), [("77", "77"), ("total", "Total"), ("77.0", "77"), ("=5+2", "7")])
async def test_typed_text_is_confirmed_by_the_cell_left_behind(below: str, keys: str, reads: str) -> None:
    result = await typed_sheet(below).run("keyboard_input", keys=f"{keys}{{ENTER}}")
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, f'cell "B2" now has the value "{reads}"')


@pytest.mark.requires("effect.about")
async def test_text_and_enter_are_confirmed_where_the_text_comes_to_stand() -> None:
    def send() -> None:
        messages.children.append(FakeControl(Role.LISTITEM, f"Ada: {entry.value}"))
        entry.value = ""

    messages = FakeControl(Role.LIST, "Messages")
    entry = FakeControl(Role.TEXTBOX, "Message", on_activate=send)
    name = FakeControl(Role.TEXTBOX, "Name", on_activate=lambda: None)
    screen = FakeControl(Role.TEXTBOX, "Terminal", "$ echo hi\nhi\n$ ", states={"multi_line"})
    it = bench(messages, entry, name, screen)
    for field, keys in ((entry, "hello you{ENTER}"), (name, "Grace{ENTER}"), (screen, "echo hi{ENTER}")):
        result = await it.run("keyboard_input", field, keys=keys)
        assert result.effect is Effect.CONFIRMED, result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("dialog", [True, False])
async def test_a_window_that_came_after_a_text_was_entered_is_told_and_confirms_no_text(
    tells: bool, dialog: bool
) -> None:
    desktop, field = FakeDesktop(), FakeControl(Role.TEXTBOX, "Cell")

    def key(chord: Chord) -> bool:
        if len(chord.key) == 1:
            field.value += chord.key if tells else ""
        else:
            desktop.open(FakeWindow("Invalid value 77", [], "app", dialog=dialog))
        return True

    it = Bench(desktop, desktop.open(FakeWindow("Main", [field], "app")))
    it.window.on_key = key
    result = await it.run("keyboard_input", keys="77{ENTER}")
    assert (result.effect, result.retry_safe) == (Effect.UNVERIFIABLE, False), result
    assert 'the window "Invalid value 77" appeared' in result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("keys", "title", "becomes", "holds"),
    [
        ("report{ENTER}", "report.txt", "*report.txt", False),
        ("report{ENTER}", "Untitled", "report.txt", True),
        ("no{ENTER}", "Main", "Printing... notice", False),
        ("1{ENTER}", "Main", "Error in line 1", False),
    ],
)
async def test_a_title_confirms_a_text_that_it_came_to_name(keys: str, title: str, becomes: str, holds: bool) -> None:
    it = bench(FakeControl(Role.PASSWORD, "Name"), title=title)

    def key(chord: Chord) -> bool:
        it.window.title = becomes if len(chord.key) > 1 else title
        return True

    it.window.on_key = key
    assert ((await it.run("keyboard_input", keys=keys)).effect is Effect.CONFIRMED) is holds


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("was", "keys", "reads", "effects"),
    [
        ("abc", "abc", "abcbc", (Effect.PARTIAL, Effect.UNVERIFIABLE)),
        ("abc", "abc", "abcabc", (Effect.CONFIRMED, Effect.CONFIRMED)),
        ("hello world", "hello{ENTER}", "hello world\n", (Effect.UNVERIFIABLE, Effect.UNVERIFIABLE)),
        ("hello world", "hello{ENTER}", "hello", (Effect.CONFIRMED, Effect.CONFIRMED)),
        ("10 pt", "1{ENTER}", "1 pt", (Effect.CONFIRMED, Effect.CONFIRMED)),
        ("13,5", "3,5{ENTER}", "3.50", (Effect.CONFIRMED, Effect.CONFIRMED)),
        ("$ cd\n$ cat x\ny\n$ ", "cd{ENTER}", "$ cat x\ny\n$ cd\n$ ", (Effect.CONFIRMED, Effect.CONFIRMED)),
        ("$ cat x\n$ cd\ny\n$ ", "cd{ENTER}", "$ cd\ny\n$ \n$ ", (Effect.UNVERIFIABLE, Effect.UNVERIFIABLE)),
    ],
)
async def test_a_text_that_stood_in_a_field_before_is_confirmed_by_what_came_alone(
    was: str, keys: str, reads: str, effects: tuple[Effect, Effect], named: bool
) -> None:
    field = FakeControl(Role.TEXTBOX, "Text", was, states={"multi_line"})
    it = bench(field)
    pressed: list[Chord] = []

    def key(chord: Chord) -> bool:
        pressed.append(chord)
        field.value = reads if len(pressed) == len(keys.replace("{ENTER}", "\n")) else field.value
        return True

    it.window.focused, field.on_key = field, key
    result = await it.run("keyboard_input", field if named else None, keys=keys)
    assert result.effect is effects[0 if named else 1], result


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("role", "goes", "effect"),
    [
        (Role.LISTITEM, False, Effect.CONFIRMED),
        (Role.CELL, False, Effect.CONFIRMED),
        (Role.TEXTBOX, False, Effect.UNVERIFIABLE),
        (Role.TEXTBOX, True, Effect.CONFIRMED),
    ],
)
async def test_cut_items_stay_where_they_are_and_a_cut_text_goes(role: Role, goes: bool, effect: Effect) -> None:
    one = FakeControl(role, "One", "word" if role is Role.TEXTBOX else "", states={"selected"})
    it = bench(one)

    def key(_: Chord) -> bool:
        it.desktop.clipboard["text/plain"] = b"word"
        one.value = "" if goes else one.value
        return True

    it.window.focused, one.on_key = one, key
    result = await it.run("keyboard_input", keys="{VK_CONTROL}x")
    assert result.effect is effect, result


@pytest.mark.requires("effect.about")
async def test_a_window_that_closes_on_keys_confirms_the_keys_and_not_the_text_before_them() -> None:
    for keys, effect in (("{ENTER}", Effect.CONFIRMED), ("n", Effect.CONFIRMED), ("new{ENTER}", Effect.UNVERIFIABLE)):
        desktop = FakeDesktop()
        dialog = FakeWindow("Rename", [FakeControl(Role.PASSWORD, "Name")], "app", dialog=True)
        desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, "Save")], "app"))
        it = Bench(desktop, desktop.open(dialog))

        def close(chord: Chord, it: Bench = it) -> bool:
            if chord.key in {"enter", "n"}:
                it.desktop.close_window(it.window)
            return True

        dialog.on_key = close
        result = await it.run("keyboard_input", keys=keys)
        assert result.effect is effect, result.evidence
        assert 'the window "Rename" closed' in result.evidence
        assert "new" not in result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("completion", "refuses", "effect"),
    [("", False, Effect.CONFIRMED), ("er", False, Effect.UNVERIFIABLE), ("", True, Effect.UNVERIFIABLE)],
)
@pytest.mark.parametrize("ends", ["window", "line"])
async def test_a_text_that_its_line_read_is_confirmed_once_enter_closes_the_line(
    ends: str, completion: str, refuses: bool, effect: Effect
) -> None:
    line = FakeControl(Role.TEXTBOX, "Go to")
    desktop = FakeDesktop()
    it = Bench(desktop, desktop.open(FakeWindow("Search", [line, FakeControl(Role.BUTTON, "Find")], "app")))
    desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, "Save")], "app"))

    def key(chord: Chord) -> bool:
        if chord.key != "enter":
            line.value += chord.key + (completion if chord.key == "d" else "")
        elif ends == "window":
            it.desktop.close_window(it.window)
        else:
            line.states.add("hidden")
        if refuses and chord.key == "enter":
            it.desktop.open(FakeWindow("Error", [FakeControl(Role.LABEL, "Not found")], "app", dialog=True))
        return True

    it.window.focused, line.on_key = line, key
    result = await it.run("keyboard_input", keys="word{ENTER}")
    assert (result.effect, line.value) == (effect, f"word{completion}"), result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
async def test_a_toggle_button_that_opens_a_window_is_confirmed_by_it_and_a_check_box_is_not(tool: str) -> None:
    for role, effect in ((Role.BUTTON, Effect.CONFIRMED), (Role.CHECKBOX, Effect.PARTIAL)):
        desktop = FakeDesktop()
        box = FakeControl(role, "Find", actions=("click",), traits=TOGGLE if role is Role.BUTTON else NO_TRAITS)
        it = Bench(desktop, desktop.open(FakeWindow("Main", [box], "app")))

        def act(desktop: FakeDesktop = desktop, box: FakeControl = box) -> None:
            box.states.discard("checked")
            desktop.open(FakeWindow("Find and Replace", [FakeControl(Role.BUTTON, "Close")], "app", dialog=True))

        box.on_click = act
        result = await it.run(tool, box)
        assert (result.effect, 'window "Find and Replace" appeared' in result.evidence) == (effect, True), result


@pytest.mark.requires("effect.painted")
def test_a_control_that_only_moved_need_not_be_painted_beside_the_keyboard() -> None:
    window = TargetInfo(TargetKind.WINDOW, "Sheet", Role.WINDOW)
    cell = TargetInfo(TargetKind.CONTROL, "B5", Role.CELL, Rect(100, 100, 180, 117), handle="cell")
    line = TargetInfo(TargetKind.CONTROL, "", Role.PARAGRAPH, Rect(10, 10, 11, 26), handle="line")
    moved = replace(line, rect=Rect(10, 10, 11, 21))
    then = Observation(window, (line, cell), None, 0.0)
    for controls, places in (
        ((moved, replace(cell, states=frozenset({"focused"}))), ()),
        ((moved, cell), (line.rect, moved.rect)),
    ):
        sign = difference(then, replace(then, controls=controls), None, Focus.ANYBODY).sign()
        assert (sign and sign.places) == places


@pytest.mark.requires("effect.about")
def test_evidence_of_a_long_text_has_the_part_that_changed() -> None:
    then = TargetInfo(TargetKind.CONTROL, "", Role.TEXTBOX, value="line\n" * 100)
    now = replace(then, value="line\n" * 50 + "word" + "line\n" * 50)
    message = change_message(then, now)
    assert message.endswith('now has "word" for "" from character 251 on')
    assert len(message) < 220, message


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("inside", [True, False])
def test_a_page_that_was_loaded_again_differs_however_equal(inside: bool) -> None:
    about = Fingerprint(Role.DOCUMENT, "Shop", path=("document:Around", "document:Shop")[not inside :])
    page = TargetInfo(TargetKind.CONTROL, "Shop", Role.DOCUMENT, parent="w", fingerprint=about)
    window = TargetInfo(TargetKind.WINDOW, "Shop", Role.WINDOW)
    then, now = (Observation(window, (replace(page, handle=handle),), None, 0.0) for handle in ("1", "2"))
    sign = difference(then, now, None, Focus.NOBODY).sign()
    assert (sign and sign.message) == (None if inside else 'document "Shop" was loaded again')


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(("tool", "given"), [("invoke", {}), ("click_input", {}), ("keyboard_input", {"keys": "{F5}"})])
@pytest.mark.parametrize("dies", [True, False])
async def test_a_program_that_died_by_an_action_does_not_confirm_it(
    tool: str, given: dict[str, JsonValue], dies: bool
) -> None:
    button = FakeControl(Role.BUTTON, "Insert", actions=("click",))
    it = bench(button)

    def act() -> None:
        it.desktop.close_window(it.window)
        if dies and it.window.pid is not None:
            it.desktop.faults.dead.add(it.window.pid)

    button.on_click = act
    it.window.on_key = lambda _: act() is None
    result = await it.run(tool, None if given else button, **given)
    assert result.effect is (Effect.PARTIAL if dies else Effect.CONFIRMED), result.evidence
    assert ("died (signal 11)" in result.evidence) is dies


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("keys", "effect", "reported"),
    [
        ("{ESC}{VK_CONTROL}b", Effect.UNVERIFIABLE, 'before that: checkbox "Find" is now not checked'),
        ("{VK_CONTROL}b{ESC}", Effect.CONFIRMED, "before that: no change"),
        ("{ESC}{F12}", Effect.UNVERIFIABLE, "before that: "),
        ("hello{VK_CONTROL}b", Effect.UNVERIFIABLE, 'before that: textbox "Text" now has the value "hello"'),
        ("hello{TAB}{ESC}", Effect.CONFIRMED, "before that: "),
        ("{ESC}{ESC}", Effect.CONFIRMED, ""),
    ],
)
async def test_the_last_of_several_commands_decides_and_the_others_are_reported(
    keys: str, effect: Effect, reported: str
) -> None:
    field = FakeControl(Role.TEXTBOX, "Text", "")
    found = FakeControl(Role.CHECKBOX, "Find", states={"checked"})
    it = bench(field, found)

    def close(chord: Chord) -> bool:
        if chord.key == "esc":
            found.states.discard("checked")
        return chord.key == "esc"

    it.window.focused, it.window.on_key = field, close
    result = await it.run("keyboard_input", keys=keys)
    assert (result.effect, reported in result.evidence) == (effect, True), result.evidence


@pytest.mark.requires("effect.about")
async def test_typed_text_of_which_something_else_became_is_partly_there() -> None:
    def other(_: Chord) -> bool:
        field.value = "1"
        return True

    field = FakeControl(Role.TEXTBOX, "Number", on_key=other)
    it = bench(field)
    result = await it.run("keyboard_input", field, keys="12")
    assert (result.effect, 'which lacks "12"' in result.evidence) == (Effect.PARTIAL, True)


@pytest.mark.requires("effect.lasts")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
async def test_what_is_taken_back_after_100_ms_is_not_confirmed_and_says_how_long_it_was(tool: str) -> None:
    liar = box("Own")
    it = bench(liar)
    result = await meanwhile(it, tool, liar, 0.09, lambda: set_checked(liar, checked=False))
    assert (result.effect, result.retry_safe) == (Effect.SUSPECTED_NOOP, False)
    assert result.evidence == 'checkbox "Own" [1] is now checked: was so for 0.09 s, then reads as before'


@pytest.mark.requires("effect.lasts")
async def test_a_toggle_button_that_was_down_for_a_moment_may_have_done_its_work() -> None:
    display = FakeControl(Role.TEXTBOX, "Display", "0")
    seven = FakeControl(Role.BUTTON, "7", traits=TOGGLE, on_click=lambda: set_checked(seven, checked=True))

    def pop_out() -> None:
        set_checked(seven, checked=False)
        display.value = "7"

    result = await meanwhile(bench(seven, display), "invoke", seven, 0.09, pop_out)
    assert (result.effect, result.retry_safe) == (Effect.UNVERIFIABLE, False)
    assert "then reads as before" in result.evidence
    assert 'now has the value "7"' in result.evidence


@pytest.mark.requires("effect.lasts")
@pytest.mark.parametrize(
    ("tool", "given", "later", "told"),
    [
        ("set_edit_text", {"text": "hello"}, "hello-done", 'wanted "hello", reads "hello-done"'),
        ("set_value", {"value": 7}, "10", 'wanted 7, reads "10"'),
    ],
)
async def test_what_becomes_something_else_again_is_not_said_to_read_as_before(
    tool: str, given: JsonObject, later: str, told: str
) -> None:
    field = FakeControl(Role.SPINBUTTON if tool == "set_value" else Role.TEXTBOX, "Field", "1")

    def go_on() -> None:
        field.value = later

    result = await meanwhile(bench(field), tool, field, 0.09, go_on, **given)
    assert (result.effect, result.evidence) == (Effect.PARTIAL, told)


@pytest.mark.requires("effect.lasts")
@pytest.mark.parametrize("is_typed", [False, True])
async def test_a_number_that_a_slow_program_takes_late_is_confirmed(is_typed: bool) -> None:
    number = FakeControl(Role.SPINBUTTON, "Count", "1", on_key=lambda _: True)
    it = bench(number)
    if is_typed:
        it.desktop.faults.fail("set_value", NotOffered("it takes a number as text"))
    else:
        it.desktop.faults.lie("set_value")
    result = await meanwhile(it, "set_value", number, 0.7, lambda: setattr(number, "value", "7"), value=7)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'wanted 7, reads "7"')


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
    assert '"Saved"' in done[0].evidence


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
@pytest.mark.parametrize("held", ["checked", "pressed"])
async def test_that_a_popover_closes_is_no_effect_of_what_was_chosen_in_it(does: bool, held: str) -> None:
    def choose() -> None:
        popover.states.add("hidden")
        menu.states.discard(held)
        title.name = "Saved" if does else title.name

    save = FakeControl(Role.BUTTON, "Save All", on_click=choose)
    popover = FakeControl(Role.GROUP, "Popover", children=[save, FakeControl(Role.BUTTON, "Close All")])
    menu = FakeControl(Role.BUTTON, "Menu", states={held}, traits=TOGGLE)
    title = FakeControl(Role.LABEL, "Changed")
    result = await bench(title, menu, popover).run("invoke", save)
    assert result.effect is (Effect.CONFIRMED if does else Effect.SUSPECTED_NOOP), result.evidence
    assert not does or 'is now called "Saved"' in result.evidence


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
        traits=TOGGLE,
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
    assert ('is now called "Saved"' if saves else "is now not enabled: was so for") in result.evidence


@pytest.mark.requires("effect.lasts")
async def test_a_button_that_stays_disabled_is_confirmed_by_that() -> None:
    send = FakeControl(Role.BUTTON, "Send", on_click=lambda: send.states.add("disabled"))
    result = await bench(send).run("invoke", send)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'button "Send" [1] is now not enabled')


@pytest.mark.requires("effect.about")
async def test_a_menu_that_opens_is_confirmed_by_being_selected() -> None:
    menu = FakeControl(Role.MENU, "File", on_click=lambda: menu.states.add("selected"))
    assert (await bench(menu).run("invoke", menu)).effect is Effect.CONFIRMED


@pytest.mark.requires("effect.about")
async def test_a_menu_that_opens_below_an_item_that_says_nothing_of_it_is_its_effect() -> None:
    menu = FakeControl(Role.MENU, states={"expanded"}, children=[FakeControl(Role.MENUITEM, "New")])
    item = FakeControl(Role.MENUITEM, "File", on_click=lambda: item.children.append(menu))
    result = await bench(FakeControl(Role.MENUBAR, children=[item])).run("invoke", item)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'menu with menuitem "New" in it came (2 came)')


@pytest.mark.requires("effect.about")
async def test_a_menu_that_opens_in_the_place_of_the_one_its_item_stood_in_is_its_effect() -> None:
    def slide() -> None:
        menu.children[:] = [FakeControl(Role.MENUITEM, "Radios"), FakeControl(Role.MENUITEM, "First")]

    item = FakeControl(Role.MENU, "Radios", on_click=slide)
    menu = FakeControl(Role.MENU, states={"expanded"}, children=[FakeControl(Role.MENUITEM, "One"), item])
    result = await bench(menu).run("invoke", item)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'menuitem "Radios" came (2 came, 2 went)')


@pytest.mark.requires("effect.about")
async def test_that_the_menu_of_another_item_opens_or_that_of_one_that_goes_closes_is_no_effect() -> None:
    def choose() -> None:
        view.children.append(FakeControl(Role.MENU, states={"expanded"}, children=[FakeControl(Role.MENUITEM, "Zoom")]))
        file.children.remove(gone)

    below = FakeControl(Role.MENU, states={"expanded"}, children=[FakeControl(Role.MENUITEM, "letter.odt")])
    gone = FakeControl(Role.MENUITEM, "Recent", on_click=choose, children=[below])
    file = FakeControl(Role.MENU, "File", states={"expanded"}, children=[gone])
    view = FakeControl(Role.MENUITEM, "View")
    result = await bench(FakeControl(Role.MENUBAR, children=[file, view])).run("invoke", gone)
    assert result.effect is Effect.SUSPECTED_NOOP


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("inert", [False, True])
async def test_a_dialog_that_opens_in_the_window_is_told_first_also_where_what_is_behind_it_goes(inert: bool) -> None:
    def show() -> None:
        title.name = "Asking"
        if inert:
            page.children.clear()
        page.children.append(dialog)

    dialog = FakeControl(Role.DIALOG, "Are you sure", children=[FakeControl(Role.BUTTON, "Yes")])
    title, ask = FakeControl(Role.LABEL, "Page"), FakeControl(Role.BUTTON, "Ask me", on_click=show)
    page = FakeControl(Role.DOCUMENT, "Page", children=[title, ask])
    result = await bench(page).run("click_input", ask)
    assert result.effect is Effect.CONFIRMED
    assert result.evidence.startswith('dialog "Are you sure" came (2 came, '), result.evidence


@pytest.mark.requires("effect.about")
async def test_where_no_dialog_came_the_target_that_is_gone_is_told() -> None:
    def swap() -> None:
        page.children[:] = [FakeControl(Role.LABEL, "Done")]

    ask = FakeControl(Role.BUTTON, "Ask me", on_click=swap)
    page = FakeControl(Role.DOCUMENT, "Page", children=[ask])
    result = await bench(page).run("click_input", ask)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'button "Ask me" [1] is gone')


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize(
    ("bubbles", "shows"), [(Role.WINDOW, Role.GROUP), (Role.WINDOW, Role.TOOLTIP), (Role.TOOLTIP, Role.LABEL)]
)
async def test_a_bubble_of_texts_alone_that_comes_or_goes_with_the_pointer_is_no_effect(
    tool: str, there: bool, bubbles: Role, shows: Role
) -> None:
    bubble = FakeControl(bubbles, raw_role="frame", children=[FakeControl(shows, value="example.org/#")])

    def hover() -> None:
        bubble.states ^= {"hidden"}

    bubble.states |= set() if there else {"hidden"}
    dead = FakeControl(Role.LINK, "Dead link", on_click=hover)
    result = await bench(dead, bubble).run(tool, dead)
    assert result.effect in {Effect.UNVERIFIABLE, Effect.SUSPECTED_NOOP}, result.evidence
    assert "came" not in result.evidence
    assert "went" not in result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("name", "holds"),
    [("", Role.BUTTON), ("", Role.MENUITEM), ("Saved", Role.LABEL)],
    ids=["button", "menu item", "named"],
)
async def test_a_popup_that_has_a_name_or_something_to_press_is_an_effect(name: str, holds: Role) -> None:
    popup = FakeControl(Role.WINDOW, name, states={"hidden"}, children=[FakeControl(holds, "Undo")])
    opens = FakeControl(Role.BUTTON, "Delete", on_click=lambda: popup.states.discard("hidden"))
    assert (await bench(opens, popup).run("invoke", opens)).effect is Effect.CONFIRMED


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
async def test_a_button_that_is_known_to_stay_pressed_only_while_it_is_so_is_confirmed_both_ways(tool: str) -> None:
    def press() -> None:
        button.states ^= {"pressed"}
        button.traits = TOGGLE if "pressed" in button.states else NO_TRAITS

    button = FakeControl(Role.BUTTON, "Bold", on_click=press)
    it = bench(button)
    for told in ("pressed", "not pressed"):
        result = await it.run(tool, button)
        assert (result.effect, result.evidence) == (Effect.CONFIRMED, f'button "Bold" [1] is now {told}')


@pytest.mark.requires("effect.painted")
@pytest.mark.parametrize(
    ("role", "mark", "effect"),
    [
        (Role.TAB, Rect(60, 110, 64, 130), Effect.CONFIRMED),
        (Role.TAB, Rect(60, 180, 64, 200), Effect.UNVERIFIABLE),
        (Role.LISTITEM, Rect(60, 110, 64, 130), Effect.UNVERIFIABLE),
    ],
    ids=["beside a tab", "elsewhere", "beside a list's item"],
)
@pytest.mark.parametrize("tool", ["select_item", "click_input"])
async def test_the_mark_of_a_tab_may_be_painted_right_beside_it(
    tool: str, role: Role, mark: Rect, effect: Effect
) -> None:
    line = FakeControl(Role.SEPARATOR, rect=mark)
    item = FakeControl(
        role, "Two", states={"selectable"}, rect=Rect(70, 105, 110, 135), on_select=lambda: line.states.add("marked")
    )
    it = bench(FakeControl(Role.LIST, children=[item]), line)
    it.desktop.faults.unpainted.add(item)
    assert (await it.run(tool, item)).effect is effect


@pytest.mark.requires("effect.painted")
@pytest.mark.parametrize("paints", [False, True])
@pytest.mark.parametrize("opens", [False, True])
async def test_what_unfolds_or_folds_shows_by_what_comes_or_goes(opens: bool, paints: bool) -> None:
    def fold() -> None:
        root.states ^= {"expanded"}
        leaf.states ^= {"hidden"}
        news.states.discard("hidden")

    news = FakeControl(Role.LABEL, "News", states={"hidden"}, rect=Rect(40, 180, 140, 198))
    leaf = FakeControl(Role.TREEITEM, "Leaf", states={"hidden"} if opens else set(), rect=Rect(40, 140, 140, 158))
    folded = {"expandable"} if opens else {"expandable", "expanded"}
    root = FakeControl(Role.TREEITEM, "Root", states=folded, rect=Rect(40, 120, 140, 138), on_click=fold)
    it = bench(FakeControl(Role.TREE, "Tree", children=[root, leaf]), news)
    it.desktop.faults.unpainted.update({root} if paints else {root, leaf})
    assert (await it.run("click_input", root)).effect is (Effect.CONFIRMED if paints else Effect.UNVERIFIABLE)


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("inside", "told"),
    [
        ((FakeControl(Role.GROUP), FakeControl(Role.BUTTON, "Save All")), 'generic with button "Save All" in it'),
        ((FakeControl(Role.IMAGE),), "generic"),
    ],
)
async def test_a_nameless_popover_that_opens_or_closes_is_told_by_what_is_in_it(
    inside: tuple[FakeControl, ...], told: str
) -> None:
    popover = FakeControl(Role.GENERIC, states={"hidden"}, children=[FakeControl(Role.GROUP, children=list(inside))])
    named = FakeControl(Role.LABEL, "Beside", states={"hidden"})

    def turn() -> None:
        popover.states ^= {"hidden"}
        named.states ^= {"hidden"}

    more = FakeControl(Role.BUTTON, "More", on_click=turn)
    it = bench(more, popover, named)
    for what in ("came", "went"):
        result = await it.run("invoke", more)
        assert result.evidence.startswith(f"{told} {what} ("), result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("does", [False, True])
async def test_that_a_button_no_longer_holds_a_menu_open_is_no_effect_of_what_was_chosen_in_it(does: bool) -> None:
    def choose() -> None:
        menu.states.add("hidden")
        around.states.discard("expanded")
        button.states.discard("pressed")
        beside.states -= {"pressed"} if does else set()

    item = FakeControl(Role.MENUITEM, "Bold", on_click=choose)
    menu = FakeControl(Role.MENU, states={"expanded"}, children=[item])
    button = FakeControl(Role.BUTTON, "Format", states={"pressed"}, traits=TOGGLE)
    around = FakeControl(Role.BUTTON, states={"expanded"}, children=[button, menu])
    beside = FakeControl(Role.BUTTON, "Bold", states={"pressed"}, traits=TOGGLE)
    result = await bench(FakeControl(Role.TOOLBAR, children=[around, beside])).run("invoke", item)
    assert result.effect is (Effect.CONFIRMED if does else Effect.SUSPECTED_NOOP), result.evidence
    assert not does or result.evidence == 'button "Bold" is now not pressed'


@pytest.mark.requires("effect.named")
@pytest.mark.parametrize(("hold_s", "effect"), [(0.0, Effect.CONFIRMED), (0.05, Effect.SUSPECTED_NOOP)])
async def test_a_new_name_that_is_told_is_read_alone_and_has_to_last(hold_s: float, effect: Effect) -> None:
    """It is taken back right before the next look at the window, of which there is none where it need not last."""
    label, button = FakeControl(Role.LABEL, "Done 1"), FakeControl(Role.BUTTON, "Go")
    it = bench(label, button)
    it.hold(hold_s)

    def take_back() -> None:
        label.name = "Done 1"

    def rename() -> None:
        label.name = "Done 2"
        it.desktop.faults.before("observe", take_back)

    result = await meanwhile(it, "invoke", button, 0.02, rename)
    assert result.effect is effect, result.evidence
    assert 'is now called "Done 2"' in result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("traits", "effect"),
    [(frozenset({Trait.FOLLOWS_POINTER}), Effect.UNVERIFIABLE), (NO_TRAITS, Effect.CONFIRMED)],
)
async def test_a_status_bar_that_follows_the_pointer_shows_no_effect(traits: frozenset[Trait], effect: Effect) -> None:
    place = FakeControl(Role.LABEL, value="2.77 / 1.55")
    dead = FakeControl(Role.BUTTON, "Dead", on_click=lambda: setattr(place, "value", "5.10 / 0.20"))
    desktop = FakeDesktop()
    window = FakeWindow("Main", [dead, FakeControl(Role.STATUS, children=[place], traits=traits)])
    result = await Bench(desktop, desktop.open(window)).run("click_input", dead)
    assert result.effect is effect


@pytest.mark.requires("observe.secrets")
@pytest.mark.parametrize(("roles", "value"), [(("password", "textbox"), "Zebra!77"), (("textbox", "password"), "")])
def test_evidence_does_not_repeat_a_password_that_is_shown_or_hidden(roles: tuple[str, str], value: str) -> None:
    then, now = (TargetInfo(TargetKind.CONTROL, "Secret", Role(role)) for role in roles)
    then, now = replace(then, value="" if value else "Zebra!77"), replace(now, value=value)
    assert "Zebra" not in change_message(then, now)
    assert "Zebra" not in own_difference(then, now, [VALUE])
    plain = replace(now, type=Role.TEXTBOX, value="seen")
    assert '"seen"' in change_message(replace(plain, value=""), plain)


@pytest.mark.requires("effect.about")
async def test_a_box_that_is_gone_once_it_was_checked_does_not_read_as_before() -> None:
    """As where a page loads anew, or a dialog closes, because of it."""
    it = bench(box("Filter"))
    it.hold(0.5)
    result = await meanwhile(it, "click_input", it.window.controls[0], 0.2, it.window.controls.clear)
    assert result.effect is Effect.PARTIAL, result
    assert (result.retry_safe, "reads as before" in result.evidence) == (False, False), result


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["click_input", "set_value"])
async def test_a_box_that_is_made_anew_as_it_is_checked_is_checked(tool: str) -> None:
    def replace_it() -> None:
        old.states.discard("checked")
        it.window.controls[0] = new
        it.desktop.touch()

    old, new = box("Filter", on_click=replace_it), box("Filter")
    new.states.add("checked")
    old.rect = new.rect = Rect(20, 120, 120, 140)
    it = bench(old, FakeControl(Role.LABEL, "Rows"))
    result = await it.run(tool, old, **({"value": True} if tool == "set_value" else {}))
    assert result.effect is (Effect.CONFIRMED if tool == "click_input" else Effect.UNVERIFIABLE), result


@pytest.mark.requires("effect.about")
async def test_a_switch_that_was_not_seen_to_turn_is_not_safe_to_press_again_but_to_set() -> None:
    dead = box("Sync", on_click=lambda: dead.states.discard("checked"))
    pressed = await bench(dead).run("click_input", dead)
    assert (pressed.effect, pressed.retry_safe) == (Effect.SUSPECTED_NOOP, False)
    dead.states.discard("checked")
    was_set = await bench(dead).run("set_value", dead, value=True)
    assert (was_set.effect, was_set.retry_safe) == (Effect.SUSPECTED_NOOP, True)


@pytest.mark.requires("effect.about")
async def test_what_comes_into_a_log_by_itself_does_not_confirm_an_item_that_was_not_selected() -> None:
    log = FakeControl(Role.LIST, "Log", children=[FakeControl(Role.LABEL, "0")])
    item = FakeControl(Role.LISTITEM, "A", states={"selectable"}, on_click=lambda: item.states.discard("selected"))
    it = bench(FakeControl(Role.LIST, "Files", children=[item]), log)
    it.hold(0.5)
    it.desktop.faults.never_still = True

    async def grow() -> None:
        while True:
            with anyio.move_on_after(0.3):
                await anyio.sleep_forever()
            log.children.append(FakeControl(Role.LABEL, str(len(log.children))))
            it.desktop.touch()

    result = await beside(grow, it.run("click_input", item))
    assert result.effect is not Effect.CONFIRMED, result


@pytest.mark.requires("command.effect")
async def test_a_text_that_comes_slowly_is_waited_for_as_long_as_it_gets_on() -> None:
    field = FakeControl(Role.TEXTBOX, "Slow", on_key=lambda chord: started.set() is None if chord.key == "v" else False)
    it, started = bench(field), anyio.Event()
    it.desktop.faults.fail("set_text", ActionRefused("no text by accessibility"))

    async def arrive() -> None:
        await started.wait()
        for character in "slowly":
            with anyio.move_on_after(1.5):
                await anyio.sleep_forever()
            field.value += character
            it.desktop.touch()

    result = await beside(arrive, it.run("set_edit_text", field, text="slowly"))
    assert (result.effect, field.value) == (Effect.CONFIRMED, "slowly"), result


@pytest.mark.requires("effect.about", "desktop.states-final")
@pytest.mark.parametrize("bar_comes", [False, True])
@pytest.mark.parametrize("final", [False, True])
async def test_what_an_application_tells_late_of_what_was_done_before_confirms_no_keys(
    final: bool, bar_comes: bool
) -> None:
    bold = FakeControl(Role.BUTTON, "Bold")
    bar = FakeControl(Role.TOOLBAR, "Table", children=[FakeControl(Role.BUTTON, "Rows")])

    def key(chord: Chord) -> bool:
        if bar_comes:
            it.window.controls.append(bar)
        else:
            bold.states.add("checked")
        return True

    it = bench(FakeControl(Role.TEXTBOX, "Text"), bold)
    it.window.on_key = key
    it.desktop.faults.late_states = None if final else lambda: None
    result = await it.run("keyboard_input", keys="{F12}")
    assert result.effect is (Effect.CONFIRMED if final else Effect.UNVERIFIABLE), result
    assert ("background changes" in result.evidence) is not final
    assert ('toolbar "Table" came' if bar_comes else 'button "Bold" is now checked') in result.evidence


@pytest.mark.requires("effect.about", "desktop.states-final")
@pytest.mark.parametrize("final", [False, True])
async def test_a_button_of_a_tool_bar_is_not_confirmed_by_what_it_tells_late_of_itself(final: bool) -> None:
    button = FakeControl(Role.BUTTON, "Ordered List", states={"checked"})
    button.on_click = lambda: button.states.discard("checked")
    it = bench(FakeControl(Role.TEXTBOX, "Text"), button)
    it.desktop.faults.late_states = None if final else lambda: None
    result = await it.run("click_input", button)
    assert result.effect is (Effect.CONFIRMED if final else Effect.UNVERIFIABLE), result


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("keys", "said", "says", "holds"),
    [
        ("5{DOWN}", "Ln 4, Col 1", "Ln 5, Col 1", False),
        ("12{ENTER}", "10:11", "10:12", False),
        ("12{ENTER}", "0", "12", True),
        ("3+4{ENTER}", "0", "3+4=7", True),
    ],
)
async def test_a_number_that_was_typed_is_not_confirmed_by_what_counts(
    keys: str, said: str, says: str, holds: bool
) -> None:
    label = FakeControl(Role.LABEL, said)

    def key(chord: Chord) -> bool:
        if len(chord.key) > 1:
            label.name = says
        return True

    it = bench(FakeControl(Role.TEXTBOX, "Text", "x", states={"read_only"}), label)
    it.window.on_key = key
    assert ((await it.run("keyboard_input", keys=keys)).effect is Effect.CONFIRMED) is holds


@pytest.mark.requires("effect.about")
async def test_a_text_that_a_field_took_without_telling_is_not_safe_to_be_typed_again() -> None:
    field = FakeControl(Role.TEXTBOX, "Terminal", on_key=lambda _: True)
    result = await bench(field).run("keyboard_input", field, keys="make deploy")
    assert (result.effect, result.retry_safe) == (Effect.SUSPECTED_NOOP, False)


@pytest.mark.requires("command.effect")
@pytest.mark.parametrize("role", [Role.LISTITEM, Role.TREEITEM, Role.ROW, Role.CELL])
async def test_an_item_that_was_invoked_may_open_slowly_and_one_that_was_selected_does_not(role: Role) -> None:
    around = Role.TREE if role is Role.TREEITEM else Role.LIST if role is Role.LISTITEM else Role.TABLE
    item = FakeControl(role, "report.odt", states={"selectable"}, actions=("open",))
    it = bench(FakeControl(around, "Files", children=[item]))
    it.desktop.faults.lie("do_action")
    opened = await it.run("invoke", item)
    for way in ("select", "focus", "click"):
        it.desktop.faults.lie(way)
    selected = await it.run("select_item", item)
    assert (opened.effect, opened.delivered, opened.retry_safe) == (Effect.SUSPECTED_NOOP, True, False), opened
    assert (selected.effect, selected.retry_safe) == (Effect.SUSPECTED_NOOP, True), selected
