"""What the tools do, and what effect the program saw (contract 4.2, 4.3)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import pytest

from commands.bench import Bench, bench
from deskhand.commands import standard_catalogue
from deskhand.commands.effects.snapshot import PATIENT_S
from deskhand.commands.key_syntax import parse_keys
from deskhand.commands.techniques.scroll_to import SCROLLS_S
from deskhand.core.command import Effect, Result, Route, ToolType
from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    ElementStale,
    NotOffered,
    PersonActs,
    ReplyDefect,
    TargetCovered,
)
from deskhand.core.geometry import Point, Rect, WindowPoint
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation, Picture
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, NO_TRAITS, TargetInfo, Trait
from deskhand.core.text import quoted
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeTable, FakeWindow, spreadsheet
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.screen import Aim
from deskhand.desktop.user_guard import GuardRules, PersonMode


def what(result: Result) -> tuple[Effect | None, Route | None]:
    return result.effect, result.route


ONE_CELL: JsonValue = [["x"]]
PAIR: JsonValue = ["a", "b"]
NO_ROW: JsonValue = []
EMPTY_ROW: JsonValue = [[]]


def counter() -> tuple[FakeControl, FakeControl]:
    """A button, and a label that shows that it was pressed."""
    label = FakeControl(Role.LABEL, "0")
    return FakeControl(Role.BUTTON, "Save", on_click=lambda: setattr(label, "name", "1")), label


@pytest.mark.requires("command.effect")
async def test_invoke_is_confirmed_by_what_changed_and_suspected_where_nothing_did() -> None:
    save, label = counter()
    it = bench(save, label)
    result = await it.run("invoke", save)
    assert what(result) == (Effect.CONFIRMED, Route.ACCESSIBILITY)
    assert result.evidence == 'label "0" is now called "1"'
    again = await it.run("invoke", save)
    assert (what(again), again.retry_safe) == ((Effect.SUSPECTED_NOOP, Route.ACCESSIBILITY), False)
    label.name = "0"
    it.desktop.faults.lie("do_action")
    lied = await it.run("invoke", save)
    assert (lied.effect, lied.status, lied.delivered, lied.evidence) == (
        Effect.SUSPECTED_NOOP,
        "none",
        True,
        'nothing was seen to change; 2 controls of "Main" read as before',
    )


@pytest.mark.requires("command.effect")
async def test_invoke_that_opens_or_closes_a_window_says_which() -> None:
    desktop = FakeDesktop()
    dialog = FakeWindow("Ask", [FakeControl(Role.BUTTON, "OK")], "app", dialog=True)
    dialog.controls[0].on_click = lambda: desktop.close_window(dialog)
    opening = FakeControl(Role.BUTTON, "Ask...", on_click=lambda: desktop.open(dialog) and None)
    it = Bench(desktop, desktop.open(FakeWindow("Main", [opening], "app")))
    assert (await it.run("invoke", opening)).evidence == 'the window "Ask" appeared'
    assert (await it.run("invoke", dialog.controls[0])).evidence == 'the window "Ask" closed'


@pytest.mark.parametrize(
    ("left", "effect", "told"),
    [
        (0, Effect.CONFIRMED, 'button "Next" [1] is gone'),
        (1, Effect.SUSPECTED_NOOP, 'nothing was seen to change; 2 controls of "Main" read as before'),
        (2, Effect.CONFIRMED, 'button "Next" came (1 came, 1 changed)'),
    ],
)
async def test_a_control_that_goes_is_confirmed_but_not_one_that_is_made_anew(
    left: int, effect: Effect, told: str
) -> None:
    group = FakeControl(Role.GROUP)
    it = bench(group)
    old = FakeControl(Role.BUTTON, "Next")
    new = [FakeControl(Role.BUTTON, "Next") for _ in range(left)]
    old.on_click = lambda: group.children.__setitem__(slice(None), new)
    group.children[:] = [old]
    result = await it.run("invoke", old)
    assert (result.effect, result.evidence) == (effect, told)


async def test_invoke_takes_an_action_by_name_and_refuses_one_that_is_not_there() -> None:
    box = FakeControl(Role.TEXTBOX, "Go", on_activate=lambda: setattr(box, "value", "there"))
    it = bench(box)
    assert (await it.run("invoke", box, action="activate")).effect is Effect.CONFIRMED
    assert (await it.run("invoke", box, action="explode")).effect is not Effect.CONFIRMED


@pytest.mark.requires("command.effect")
async def test_a_click_is_synthetic_and_what_cannot_be_seen_stays_unverifiable() -> None:
    save, label = counter()
    it = bench(save, label)
    assert what(await it.run("click_input", save)) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT)
    again = await it.run("click_input", save)
    assert (what(again), again.retry_safe) == ((Effect.UNVERIFIABLE, Route.SYNTHETIC_INPUT), False)


async def test_a_click_may_be_double_right_or_at_a_point_of_the_window() -> None:
    log: list[str] = []
    item = FakeControl(Role.LISTITEM, "File")
    item.on_double_click = lambda: log.append("double")
    item.on_right_click = lambda: log.append("right")
    item.on_click = lambda: log.append("left")
    it = bench(item)
    await it.run("click_input", item, double=True)
    await it.run("click_input", item, button="right")
    rect, window = it.desktop.target(item).rect, it.window.rect
    x, y = (rect.center.x - window.left) / window.width, (rect.center.y - window.top) / window.height
    await it.run("click_on_coordinates", x=x, y=y)
    assert log == ["double", "right", "left"]


@pytest.mark.requires("command.effect")
async def test_dragging_goes_from_one_point_of_the_window_to_another() -> None:
    it = bench(FakeControl(Role.BUTTON, "A"), FakeControl(Role.BUTTON, "B"))
    ends = dict(zip(("start_x", "start_y", "end_x", "end_y"), (0.25, 0.25, 0.75, 0.5), strict=True))
    result = await it.run("drag_on_coordinates", **ends)
    assert what(result) == (Effect.UNVERIFIABLE, Route.SYNTHETIC_INPUT), "nothing came of it"
    (call,) = [call for call in it.desktop.calls if call.method == "drag"]
    window = it.window.rect
    start, end = call.arguments["start"], call.arguments["end"]
    assert (start, end) == (WindowPoint(0.25, 0.25).on(window), WindowPoint(0.75, 0.5).on(window))


@pytest.mark.requires("command.effect")
async def test_what_is_put_on_the_clipboard_is_read_back_and_what_is_on_it_is_given() -> None:
    it = bench()
    assert (await it.run("clipboard")).result == {"text": ""}
    put = await it.run("clipboard", text="漢字 two")
    assert what(put) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT)
    read = await it.run("clipboard")
    assert (read.result, read.effect, read.delivered) == ({"text": "漢字 two"}, Effect.CONFIRMED, False)


@pytest.mark.requires("command.effect")
async def test_that_no_text_is_on_the_clipboard_is_said_and_what_its_owner_does_not_tell_is_not_known() -> None:
    it = bench()
    it.desktop.clipboard["image/png"] = b"picture"
    read = await it.run("clipboard")
    assert (read.effect, read.evidence) == (Effect.CONFIRMED, "no text (UTF8_STRING) is on it")
    it.desktop.faults.mute_clipboard = True
    for text in (None, "two"):
        mute = await it.run("clipboard", text=text)
        assert (mute.effect, mute.result, mute.retry_safe) == (Effect.UNVERIFIABLE, None, True), mute


async def test_the_wheel_turns_over_a_control_or_the_middle() -> None:
    number = FakeControl(Role.SPINBUTTON, "N", "5")
    it = bench(number)
    assert (await it.run("wheel_mouse_input", number, wheel_dist=2)).effect is Effect.CONFIRMED
    assert number.value == "7"
    assert (await it.run("wheel_mouse_input", wheel_dist=-1)).route is Route.SYNTHETIC_INPUT


@pytest.mark.requires("command.effect")
async def test_an_item_is_selected_and_read_back_by_the_least_intrusive_way_that_works() -> None:
    items = [FakeControl(Role.LISTITEM, name) for name in ("ods", "xlsx")]
    box = FakeControl(Role.LIST, "Format", children=items)
    it = bench(box)
    result = await it.run("select_item", box, item="xlsx")
    assert what(result) == (Effect.CONFIRMED, Route.ACCESSIBILITY)
    assert "selected" in items[1].states
    it.desktop.faults.lie("select")
    result = await it.run("select_item", items[0])
    assert what(result) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT)


@pytest.mark.requires("command.effect")
@pytest.mark.parametrize(
    ("role", "fix"),
    [
        (Role.BUTTON, "invoke"),
        (Role.CHECKBOX, "set_value"),
        (Role.SLIDER, "set_value"),
        (Role.TEXTBOX, "set_edit_text"),
        (Role.LIST, "one of its items"),
    ],
)
async def test_what_is_no_item_is_not_selected(role: Role, fix: str) -> None:
    pressed: list[str] = []
    mode = FakeControl(role, "Basic", on_click=lambda: pressed.append("Basic"))
    it = bench(FakeControl(Role.TOOLBAR, "Bar", children=[mode]))
    for on, item in ((mode, ""), (it.window.controls[0], "Basic")):
        result = await it.run("select_item", on, item=item)
        assert (result.effect, result.delivered, pressed) == (Effect.REFUSED, False, [])
        assert result.error
        assert fix in result.error.fix


@pytest.mark.requires("effect.about")
async def test_an_item_of_a_menu_is_not_chosen_by_being_the_next_to_be() -> None:
    item = FakeControl(Role.MENUITEM, "Excel", states={"selectable", "selected"})
    result = await bench(FakeControl(Role.MENU, "File type", children=[item])).run("select_item", item)
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)
    assert result.error
    assert result.error.fix == "press it with invoke"


@pytest.mark.requires("effect.about")
async def test_an_item_that_only_unfolds_is_not_selected() -> None:
    node = FakeControl(Role.GENERIC, "Folder")
    it = bench(FakeControl(Role.TREE, "Files", children=[node]))
    it.desktop.faults.lie("select")
    it.desktop.faults.lie("focus")
    node.on_click = lambda: node.states.add("expanded")
    result = await it.run("select_item", node)
    assert (result.effect, "expanded" in node.states) == (Effect.SUSPECTED_NOOP, True)


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("clicked", [True, False])
async def test_an_item_that_only_a_click_applies_is_clicked(clicked: bool) -> None:
    applied: list[str] = []
    traits = frozenset({Trait.SELECT_BY_CLICK}) if clicked else NO_TRAITS
    item = FakeControl(Role.LISTITEM, "Title Only", traits=traits)
    item.on_click = lambda: applied.append("Title Only")
    it = bench(FakeControl(Role.LIST, "Layouts", children=[item]))
    result = await it.run("select_item", item)
    route = Route.SYNTHETIC_INPUT if clicked else Route.ACCESSIBILITY
    assert (what(result), applied) == ((Effect.CONFIRMED, route), ["Title Only"] if clicked else [])


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("closes", [True, False])
@pytest.mark.parametrize("around", [Role.DIALOG, Role.WINDOW])
async def test_an_item_that_libreoffice_drops_down_is_clicked_and_unknown_once_it_is_gone(
    around: Role, closes: bool
) -> None:
    item = FakeControl(Role.LISTITEM, "Thai", traits=IN_POPUP)
    popup = FakeControl(around, children=[FakeControl(Role.LIST, children=[item])])
    it = bench(FakeControl(Role.BUTTON), popup)
    item.on_click = lambda: it.window.controls.remove(popup) if closes else None
    result = await it.run("select_item", item)
    effect = Effect.UNVERIFIABLE if closes else Effect.SUSPECTED_NOOP
    assert (what(result), result.delivered) == ((effect, Route.SYNTHETIC_INPUT), True), result
    assert not it.desktop.calls_of("select")
    assert ("only the picture shows" if closes else "still open") in result.evidence


async def test_the_actions_of_an_item_that_libreoffice_drops_down_are_not_carried_out() -> None:
    item = FakeControl(Role.LISTITEM, "Thai", traits=IN_POPUP)
    it = bench(FakeControl(Role.WINDOW, children=[FakeControl(Role.LIST, children=[item])]))
    result = await it.run("invoke", item)
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)
    assert result.error is not None
    assert result.error.fix == "choose it with select_item"


IN_POPUP = frozenset({Trait.IN_POPUP_LIST})
OPENER = frozenset({Trait.TOGGLE, Trait.OPENS_LIST})


def drop_down(
    *fields: FakeControl, opener: frozenset[Trait] = OPENER, role: Role = Role.LISTITEM
) -> tuple[Bench, FakeControl, FakeControl]:
    """A drop-down of LibreOffice: a group of a button without a name, and a popup that opens elsewhere."""
    item = FakeControl(role, "UPPERCASE", traits=IN_POPUP)
    popup_list = FakeControl(Role.LIST, children=[item], traits=frozenset({Trait.POPUP_LIST}))
    popup = FakeControl(Role.DIALOG, children=[popup_list])
    button = FakeControl(Role.BUTTON, traits=opener)
    box = FakeControl(Role.GENERIC, "Case:", children=[*fields, button])
    it = bench(box)

    def show() -> None:
        button.states.add("checked")
        it.window.controls.append(popup)

    def choose() -> None:
        button.states.discard("checked")
        it.window.controls.remove(popup)
        for field in fields:
            field.value = item.name

    button.on_click, item.on_click = show, choose
    return it, box, button


@pytest.mark.requires("act.tools")
@pytest.mark.parametrize("is_open", [False, True])
async def test_a_drop_down_of_libreoffice_is_opened_for_its_item(is_open: bool) -> None:
    it, box, button = drop_down()
    if is_open and button.on_click:
        button.on_click()
    result = await it.run("select_item", box, item="UPPERCASE")
    assert (what(result), len(it.window.controls)) == ((Effect.UNVERIFIABLE, Route.SYNTHETIC_INPUT), 1), result
    assert len(it.desktop.calls_of("do_action")) == (0 if is_open else 1)
    assert "only the picture shows" in result.evidence


@pytest.mark.requires("act.tools")
@pytest.mark.parametrize("role", [Role.LISTITEM, Role.CELL])
async def test_a_drop_down_of_libreoffice_with_a_field_is_confirmed_by_what_that_shows(role: Role) -> None:
    it, box, _ = drop_down(FakeControl(Role.TEXTBOX, value="lowercase"), role=role)
    result = await it.run("select_item", box, item="UPPERCASE")
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'generic "Case:" [1] shows "UPPERCASE"')


@pytest.mark.requires("act.tools")
@pytest.mark.parametrize(("value", "effect"), [("UPPERCASE", Effect.CONFIRMED), ("other", Effect.UNVERIFIABLE)])
async def test_a_choice_for_a_cell_is_confirmed_by_the_cell_at_the_cursor(value: str, effect: Effect) -> None:
    cell = FakeControl(Role.CELL, "B6", "UPPERCASE" if value == "other" else "", states={"focused"})
    item = FakeControl(Role.LISTITEM, "UPPERCASE", traits=IN_POPUP)
    popup = FakeControl(Role.DIALOG, children=[FakeControl(Role.LIST, children=[item])])
    it = bench(cell, popup)

    def choose() -> None:
        it.window.controls.remove(popup)
        cell.value = value

    item.on_click = choose
    result = await it.run("select_item", item)
    assert result.effect is effect, result.evidence


@pytest.mark.requires("effect.about", "command.effect")
@pytest.mark.parametrize("tool", ["invoke", "set_value", "click_input"])
@pytest.mark.parametrize("shows", [True, False])
async def test_a_check_item_of_libreoffices_menus_which_tells_its_state_later_is_no_noop(
    tool: str, *, shows: bool
) -> None:
    button = FakeControl(Role.BUTTON, "AutoFilter", traits=frozenset({Trait.TOGGLE}))
    late = frozenset({Trait.STATE_IS_HIDDEN, Trait.STATE_IS_LATE})
    item = FakeControl(Role.MENUITEMCHECKBOX, "AutoFilter", traits=late)

    def choose() -> None:
        item.states.discard("checked")
        button.states.update({"checked"} if shows else ())

    item.on_click = choose
    it = bench(button, item)
    arguments: JsonObject = {"value": True} if tool == "set_value" else {}
    result = await it.run(tool, item, **arguments)
    confirmed = shows and tool != "set_value"
    assert result.effect is (Effect.CONFIRMED if confirmed else Effect.UNVERIFIABLE), result.evidence
    assert result.retry_safe is False


@pytest.mark.requires("act.tools", "command.effect")
@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("start", ["", "checked", "indeterminate"])
@pytest.mark.parametrize("order", [("", "checked", "indeterminate"), ("indeterminate", "checked", "")])
async def test_a_check_box_of_three_states_is_brought_into_the_one_that_is_wanted(
    order: tuple[str, str, str], start: str, *, wanted: bool
) -> None:
    box, now = FakeControl(Role.CHECKBOX, "All", states={start} - {""}), start

    def turn() -> None:
        nonlocal now
        now = order[(order.index(now) + 1) % 3]
        box.states = box.states - {"checked", "indeterminate"} | {now} - {""}

    box.on_click = turn
    result = await bench(box).run("set_value", box, value=wanted)
    assert (result.effect, now) == (Effect.CONFIRMED, "checked" if wanted else ""), result.evidence


@pytest.mark.requires("act.tools", "command.effect")
async def test_a_check_box_that_stays_indeterminate_is_not_confirmed_as_checked() -> None:
    box = FakeControl(Role.CHECKBOX, "All", states={"indeterminate"})
    result = await bench(box).run("set_value", box, value=True)
    assert (result.effect, box.states >= {"checked", "indeterminate"}) == (Effect.PARTIAL, True), result.evidence


def long_list(*, lines: int = 3) -> FakeControl:
    """A list of a hundred items of which so many show; a notch of the wheel moves it by one."""
    names, top = [f"Item {number}" for number in range(100)], 50
    items = [FakeControl(Role.LISTITEM, rect=Rect(60, 100 + 20 * line, 160, 120 + 20 * line)) for line in range(lines)]

    def scroll(notches: int) -> None:
        nonlocal top
        top = min(max(0, top - notches), len(names) - lines)
        for line, item in enumerate(items):
            item.name = names[top + line]

    scroll(0)
    for item in items:
        item.on_click = lambda item=item: item.states.add("selected")
    return FakeControl(
        Role.LIST,
        "Formats",
        children=items,
        on_scroll=scroll,
        rect=Rect(60, 100, 160, 100 + 20 * lines),
        traits=frozenset({Trait.PARTIAL_LIST}),
    )


@pytest.mark.requires("act.scrolled")
@pytest.mark.parametrize("item", ["Item 50", "Item 99", "Item 0"])
@pytest.mark.parametrize("lines", [1, 3, 12])
async def test_an_item_of_libreoffice_that_is_scrolled_away_is_scrolled_to(item: str, lines: int) -> None:
    whole = long_list(lines=lines)
    it = bench(whole)
    result = await it.run("select_item", whole, item=item)
    assert (result.effect, [each.name for each in whole.children if "selected" in each.states]) == (
        Effect.CONFIRMED,
        [item],
    ), result.evidence


@pytest.mark.requires("act.scrolled")
@pytest.mark.parametrize(("line", "edge"), [(0, Rect(60, 100, 160, 106)), (2, Rect(60, 160, 160, 180))])
async def test_an_item_that_shows_in_part_or_by_its_edge_alone_is_scrolled_to_first(line: int, edge: Rect) -> None:
    whole = long_list()
    cut = whole.children[line]
    cut.rect, scroll, turned = edge, whole.on_scroll, list[int]()

    def whole_again(notches: int) -> None:
        turned.append(notches)
        cut.rect = Rect(60, 100 + 20 * line, 160, 120 + 20 * line)
        if scroll:
            scroll(notches)

    whole.on_scroll = whole_again
    name = cut.name
    result = await bench(whole).run("select_item", whole, item=name)
    assert (result.effect, turned) == (Effect.CONFIRMED, [1 if line == 0 else -1]), result.evidence
    assert [each.name for each in whole.children if "selected" in each.states] == [name]


@pytest.mark.requires("act.scrolled")
async def test_a_list_that_takes_no_wheel_at_first_is_scrolled_once_it_does() -> None:
    whole, turned = long_list(), list[int]()
    scroll = whole.on_scroll
    assert scroll is not None

    def late(notches: int) -> None:
        turned.append(notches)
        if len(turned) > 2:
            scroll(notches)

    whole.on_scroll = late
    result = await bench(whole).run("select_item", whole, item="Item 99")
    assert (result.effect, "selected" in whole.children[2].states) == (Effect.CONFIRMED, True), result.evidence


class Trailing(FakeDesktop):
    """One whose application says for a while that something else is where a list is told to be, as Chromium does after
    it scrolled.
    """

    covered = 2

    async def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        if control and control.type is Role.LIST and self.covered:
            self.covered -= 1
            raise TargetCovered("something else is there", fix="look again")
        if control and control.name.startswith("Item") and self.covered:
            self.covered -= 1
            raise TargetCovered("an item of before is there", fix="look again")
        return await super().aim(window, place, control)


@pytest.mark.requires("act.scrolled")
@pytest.mark.parametrize("covered", [4, 1_000])
async def test_a_list_that_is_not_where_it_was_told_to_be_is_looked_at_again_before_it_is_scrolled(
    covered: int,
) -> None:
    whole, desktop = long_list(), Trailing()
    desktop.covered = covered
    it = Bench(desktop, desktop.open(FakeWindow("Main", [whole])))
    result = await it.run("select_item", whole, item="Item 99")
    if covered == 4:
        assert (result.effect, "selected" in whole.children[2].states) == (Effect.CONFIRMED, True), result.evidence
    else:
        assert result.error is not None
        assert (result.error.type, result.delivered) == ("TargetCovered", False)


def test_a_list_is_not_scrolled_through_for_longer_than_there_is_time_to_select() -> None:
    tool = standard_catalogue().get("select_item")
    assert tool is not None
    assert tool.spec.deadline_s >= SCROLLS_S + 3 * PATIENT_S


@pytest.mark.requires("act.scrolled")
@pytest.mark.parametrize(("item", "last"), [("Item 990", "Item 0"), ("Item 100", "Item 97")])
async def test_an_item_that_is_nowhere_in_a_list_of_libreoffice_is_refused_once_all_was_scrolled_through(
    item: str, last: str
) -> None:
    whole = long_list()
    result = await bench(whole).run("select_item", whole, item=item)
    assert result.error is not None
    assert (result.effect, result.error.fix) == (
        Effect.UNVERIFIABLE,
        "its list was scrolled through without finding it: choose another item",
    )
    assert whole.children[0].name == last


@pytest.mark.requires("act.scrolled")
async def test_what_was_seen_on_the_way_down_a_list_is_scrolled_over_at_once_on_the_way_up() -> None:
    whole, seen = long_list(), set[str]()
    scroll, turned = whole.on_scroll, list[int]()
    assert scroll is not None

    def note(notches: int) -> None:
        turned.append(notches)
        scroll(notches)
        seen.update(item.name for item in whole.children)

    whole.on_scroll = note
    result = await bench(whole).run("select_item", whole, item="Item 100")
    assert result.effect is Effect.UNVERIFIABLE
    assert seen == {f"Item {number}" for number in range(100)}
    assert len(turned) < 110, "one turn for the half of them that were seen"


@pytest.mark.requires("act.scrolled")
async def test_an_item_that_precedes_those_in_view_by_the_alphabet_is_searched_above_them_first() -> None:
    whole, turned = long_list(), list[int]()
    scroll = whole.on_scroll
    assert scroll is not None
    whole.on_scroll = lambda notches: (turned.append(notches), scroll(notches))[0]
    result = await bench(whole).run("select_item", whole, item="Item 40")
    assert (result.effect, min(turned) > 0) == (Effect.CONFIRMED, True), turned


@pytest.mark.requires("act.tools")
async def test_a_group_that_may_open_is_told_with_the_button_that_opens_it() -> None:
    it, box, _ = drop_down(opener=NO_TRAITS)
    refused = await it.run("select_item", box, item="UPPERCASE")
    assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
    assert refused.error is not None
    assert refused.error.fix == "open it first (invoke button), then observe the window"
    it, box, _ = drop_down()
    opened = await it.run("select_item", box, item="Title Case")
    assert (opened.effect, opened.delivered) == (Effect.UNVERIFIABLE, True)
    assert opened.error is not None
    assert opened.error.fix.endswith("choose another item, or close it with {ESC}")


def closed_box(*names: str) -> FakeControl:
    """A combo box whose items show once it was opened; it shows the first of them, an apple where none are named."""
    items = [FakeControl(Role.LISTITEM, name, states={"hidden"}) for name in names or ("Apple", "Banana")]
    box = FakeControl(Role.COMBOBOX, "Fruit", items[0].name, children=items, actions=("open",))

    def show() -> None:
        box.states.add("expanded")
        for item in items:
            item.states.discard("hidden")

    box.on_click = show
    return box


def in_page(*controls: FakeControl) -> Bench:
    return bench(FakeControl(Role.DOCUMENT, "Page", children=list(controls)))


@pytest.mark.requires("act.tools")
async def test_a_closed_combo_box_that_can_be_opened_is_opened_for_its_item() -> None:
    box = closed_box()
    result = await in_page(box).run("select_item", box, item="Banana")
    assert (result.effect, box.value, "expanded" in box.states) == (Effect.CONFIRMED, "Banana", True), result


@pytest.mark.requires("act.tools")
async def test_a_closed_combo_box_that_shows_the_item_already_is_left_alone() -> None:
    box = closed_box()
    result = await bench(box).run("select_item", box, item="Apple")
    assert (result.effect, result.delivered, "expanded" in box.states) == (Effect.CONFIRMED, False, False)
    assert result.evidence == 'combobox "Fruit" [1] shows "Apple" already'


def dropping_box(
    *, takes: bool = True, closes: bool = True, names: tuple[str, str] = ("Apple", "Banana")
) -> FakeControl:
    """A combo box that drops a list below itself when it is clicked, as those of GTK and Qt do.

    `takes`: a click on an item chooses it; `closes`: and closes the list.
    """
    items = [FakeControl(Role.LISTITEM, name, states={"hidden"}) for name in names]
    box = FakeControl(Role.COMBOBOX, "Fruit", names[0], children=items, actions=("press",))

    def show() -> None:
        for item in items:
            item.states.discard("hidden")

    def choose(item: FakeControl) -> None:
        box.value = item.name if takes else names[0]
        for each in items if closes else ():
            each.states.add("hidden")

    box.on_click = show
    for item in items:
        item.on_click = partial(choose, item)
    return box


@pytest.mark.requires("act.choose")
@pytest.mark.parametrize(
    ("takes", "closes", "effect"),
    [
        (True, True, Effect.CONFIRMED),
        (False, True, Effect.UNVERIFIABLE),
        (True, False, Effect.SUSPECTED_NOOP),
        (False, False, Effect.SUSPECTED_NOOP),
    ],
)
async def test_an_item_of_a_closed_combo_box_is_clicked_and_counts_by_what_the_box_shows_then(
    takes: bool, closes: bool, effect: Effect
) -> None:
    box = dropping_box(takes=takes, closes=closes)
    result = await bench(box).run("select_item", box, item="Banana")
    assert (result.effect, result.route) == (effect, Route.SYNTHETIC_INPUT), result.evidence


@pytest.mark.requires("act.choose")
@pytest.mark.parametrize("as_value", [True, False])
@pytest.mark.parametrize(("takes", "effect"), [(True, Effect.CONFIRMED), (False, Effect.UNVERIFIABLE)])
async def test_a_box_that_is_called_as_an_item_of_it_does_not_show_that_by_its_name(
    takes: bool, effect: Effect, as_value: bool
) -> None:
    box = dropping_box(takes=takes, names=("Size", "Name"))
    box.name = "Name"
    if not as_value:
        label, choose = FakeControl(Role.LABEL, "Size"), box.children[1].on_click
        box.value = ""

        def show() -> None:
            assert choose is not None
            choose()
            label.name, box.value = box.value, ""

        box.children = [label, *box.children]
        box.children[2].on_click = show
    assert (await bench(box).run("select_item", box, item="Name")).effect is effect


@pytest.mark.requires("act.choose")
@pytest.mark.parametrize(("says", "effect"), [(True, Effect.CONFIRMED), (False, Effect.UNVERIFIABLE)])
async def test_an_item_that_a_box_was_called_as_before_was_chosen_already_only_where_it_says_so(
    says: bool, effect: Effect
) -> None:
    box = dropping_box(names=("Size", "Name"))
    box.name, box.value = "Name", ""
    box.children[1].states |= {"selected"} if says else set()
    box.children[1].on_click = lambda: box.children[1].states.add("hidden")
    assert (await bench(box).run("select_item", box, item="Name")).effect is effect


@pytest.mark.requires("act.choose", "command.names-compared")
async def test_of_items_whose_names_read_alike_the_exact_one_is_selected() -> None:
    items = [FakeControl(Role.LISTITEM, name) for name in ("id", "_id")]
    fields = FakeControl(Role.LIST, "Fields", children=items)
    listed = await bench(fields).run("select_item", fields, item="_id")
    assert (listed.effect, items[1].states) == (Effect.CONFIRMED, {"selected"})
    closed = closed_box("id", "_id")
    opened = await in_page(closed).run("select_item", closed, item="_id")
    assert (opened.effect, closed.value) == (Effect.CONFIRMED, "_id")


@pytest.mark.requires("act.choose", "command.names-compared")
@pytest.mark.parametrize(("takes", "effect"), [(True, Effect.CONFIRMED), (False, Effect.UNVERIFIABLE)])
async def test_a_box_that_goes_on_showing_a_name_that_reads_alike_does_not_confirm_it(
    takes: bool, effect: Effect
) -> None:
    box = dropping_box(takes=takes, names=("id", "_id"))
    assert (await bench(box).run("select_item", box, item="_id")).effect is effect


@pytest.mark.requires("act.choose")
@pytest.mark.parametrize("fills_in", [True, False])
async def test_a_check_item_of_a_menu_that_a_box_drops_down_is_clicked_and_counts_by_what_the_box_shows(
    fills_in: bool,
) -> None:
    """As in the windows of Chromium's own."""
    box = FakeControl(Role.COMBOBOX, "Folder", "Other", actions=("open",), traits=frozenset({Trait.OPENS_BY_CLICK}))
    items = [FakeControl(Role.MENUITEMCHECKBOX, name) for name in ("Other", "Bar")]
    menu = FakeControl(Role.MENU, children=items)
    it = bench(box)

    def show() -> None:
        box.states.add("expanded")
        menu.states.add("expanded")
        it.window.controls.append(menu)

    def choose() -> None:
        box.states.discard("expanded")
        box.value = "Bar" if fills_in else box.value
        it.window.controls.remove(menu)

    box.on_click, items[1].on_click = show, choose
    result = await it.run("select_item", box, item="Bar")
    assert result.effect is (Effect.CONFIRMED if fills_in else Effect.UNVERIFIABLE), result
    box.value = "Other"
    show()
    it.desktop.touch()
    clicked = await it.run("click_input", items[1])
    told = 'combobox "Folder" now has the value "Bar"'
    assert clicked.effect is (Effect.CONFIRMED if fills_in else Effect.UNVERIFIABLE), clicked
    assert (told if fills_in else "without reporting whether it is checked") in clicked.evidence, clicked.evidence


@pytest.mark.requires("act.choose")
async def test_an_item_that_was_pressed_without_an_answer_may_have_been_chosen() -> None:
    items = [FakeControl(Role.MENUITEM, name, actions=("press",)) for name in ("Apple", "Banana")]
    box = FakeControl(Role.COMBOBOX, "Fruit", "Apple", children=items, states={"expanded"}, actions=("press",))
    it = bench(box)
    assert (await it.run("select_item", box, item="Banana")).delivered
    it.desktop.faults.fail("do_action", ApplicationUnresponsive("it does not answer"))
    result = await it.run("select_item", box, item="Apple")
    assert (result.ok, result.delivered, result.retry_safe) == (False, True, False), result


async def test_a_box_around_several_controls_is_not_clicked_where_one_of_them_would_be_pressed() -> None:
    marks = [
        FakeControl(Role.CHECKBOX, name, rect=Rect(20, top, 180, top + 20)) for name, top in (("A", 120), ("B", 140))
    ]
    box = FakeControl(Role.GROUP, "Marks", children=marks, rect=Rect(10, 110, 200, 190))
    refused = await bench(box).run("click_input", box)
    assert (refused.effect, refused.evidence) == (
        Effect.REFUSED,
        'in the middle of group "Marks" [1] is checkbox "B", which a click would press',
    )
    assert refused.error is not None
    assert refused.error.fix == 'click the one that is meant: checkbox "A", checkbox "B"'
    del box.children[1]
    assert (await bench(box).run("click_input", box)).delivered


@pytest.mark.requires("act.tools")
async def test_an_item_that_a_combo_box_does_not_show_is_told_with_what_to_do_next() -> None:
    box = closed_box()
    opened = await in_page(box).run("select_item", box, item="Cherry")
    assert (opened.ok, opened.effect, opened.delivered) == (False, Effect.UNVERIFIABLE, True)
    assert opened.error is not None
    assert opened.error.fix == "its list is open: choose another item, or close it with {ESC}"
    shut = dropping_box()
    refused = await bench(shut).run("select_item", shut, item="Cherry")
    assert (refused.effect, refused.delivered) == (Effect.UNVERIFIABLE, True)
    assert refused.error is not None
    assert refused.error.fix.endswith("close it with {ESC}")
    listed = FakeControl(Role.LIST, "Fruit", children=[FakeControl(Role.LISTITEM, "Apple")])
    missing = await bench(listed).run("select_item", listed, item="Cherry")
    assert missing.error is not None
    assert missing.error.fix == "scroll to it, or choose another"


@pytest.mark.requires("act.choose")
async def test_a_list_that_was_opened_in_vain_is_closed_again() -> None:
    in_a_page, dropping = closed_box(), dropping_box()
    opens = in_a_page.on_click
    assert opens is not None

    def turn_over() -> None:
        if "expanded" in in_a_page.states:
            in_a_page.states.discard("expanded")
        else:
            opens()

    in_a_page.on_click = turn_over
    missing = await in_page(in_a_page).run("select_item", in_a_page, item="Cherry")
    assert missing.error is not None
    assert ("closed again" in missing.error.fix, "expanded" in in_a_page.states) == (True, False)

    def close(chord: Chord) -> bool:
        for item in dropping.children if chord == Chord("esc") else ():
            item.states.add("hidden")
        return True

    it = bench(dropping)
    it.window.on_key = close
    missing = await it.run("select_item", dropping, item="Cherry")
    assert missing.error is not None
    assert "closed again" in missing.error.fix
    assert all("hidden" in item.states for item in dropping.children)


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(("tool", "given"), [("invoke", {}), ("click_input", {}), ("set_edit_text", {"text": "x"})])
async def test_under_an_open_list_nothing_is_acted_on(tool: str, given: dict[str, JsonValue]) -> None:
    below = FakeControl(Role.TEXTBOX, "Below") if given else FakeControl(Role.BUTTON, "Below", actions=("click",))
    item = FakeControl(Role.LISTITEM, "Apple")
    dropped = FakeControl(Role.LIST, "Fruit", children=[item], traits=frozenset({Trait.POPUP_LIST}))
    it = bench(below, dropped)
    refused = await it.run(tool, below, **given)
    assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
    assert "is under list" in refused.evidence
    command = await it.command(tool, below, **given)
    it.window.controls.remove(dropped)
    assert (await it.send(command)).effect is not Effect.REFUSED, "it was closed since"


async def test_an_item_that_is_not_there_is_refused_before_anything_happens() -> None:
    box = FakeControl(Role.LIST, "Format", children=[FakeControl(Role.LISTITEM, "ods")])
    result = await bench(box).run("select_item", box, item="pdf")
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)
    assert result.evidence == 'list "Format" [1] has no item \'pdf\'; it lists "ods"'


@pytest.mark.requires("command.effect")
@pytest.mark.parametrize(("value", "effect"), [(7, Effect.CONFIRMED), (99, Effect.PARTIAL)])
async def test_a_number_is_read_back(value: float, effect: Effect) -> None:
    number = FakeControl(Role.SPINBUTTON, "N", "5", limits=(0, 10))
    assert (await bench(number).run("set_value", number, value=value)).effect is effect


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("wanted", "shown", "effect"),
    [
        (37, "37%", Effect.CONFIRMED),
        (45, "45°", Effect.CONFIRMED),
        (2.5, '2.50"', Effect.CONFIRMED),
        (1.27, "1,27 cm", Effect.CONFIRMED),
        (1234.5, "1.234,50 €", Effect.CONFIRMED),
        (1234, "1,234 pt", Effect.CONFIRMED),
        (-3, "\u22123 mm", Effect.CONFIRMED),
        (359.5, "359°", Effect.PARTIAL),
        (-500, "0°", Effect.PARTIAL),
        (12, "12:30", Effect.UNVERIFIABLE),
        (12, "twelve", Effect.UNVERIFIABLE),
    ],
)
async def test_a_number_with_a_unit_is_read_at_the_beginning_of_its_text(
    wanted: float, shown: str, effect: Effect
) -> None:
    number = FakeControl(Role.SPINBUTTON, "Size", "90 mm", limits=(-1e6, 1e6))
    number.on_text = lambda _: setattr(number, "value", shown)
    result = await bench(number).run("set_value", number, value=wanted)
    assert (result.effect, quoted(shown) in result.evidence) == (effect, True)


@pytest.mark.requires("act.tools")
@pytest.mark.parametrize("asked", [True, False])
async def test_a_number_that_is_typed_goes_where_the_text_of_its_field_is_and_not_on_its_buttons(asked: bool) -> None:
    number = FakeControl(Role.SPINBUTTON, "Rows", "5", rect=Rect(40, 60, 240, 90))
    number.on_key = lambda chord: chord.key == "tab"
    name = FakeControl(Role.TEXTBOX, "Name")
    it = bench(name, number)
    it.window.focused = name
    it.desktop.faults.fail("set_value", NotOffered("only as text"))
    if not asked:
        it.desktop.faults.fail("focus", ActionRefused("not so"))
    result = await it.run("set_value", number, value=42)
    assert (what(result), number.value) == ((Effect.CONFIRMED, Route.SYNTHETIC_INPUT), "42"), result
    clicks = [call.arguments["point"] for call in it.desktop.calls if call.method == "click"]
    assert clicks == ([] if asked else [Point(55, 75)])


@pytest.mark.requires("command.effect")
async def test_a_number_that_did_not_arrive_or_cannot_be_read_is_never_a_success() -> None:
    number = FakeControl(Role.SPINBUTTON, "N", "5")
    it = bench(number)
    it.desktop.faults.lie("set_value")
    assert (await it.run("set_value", number, value=7)).effect is Effect.SUSPECTED_NOOP
    it.desktop.faults.before("set_value", lambda: None)
    mute = FakeControl(Role.SLIDER, "V", "loud")
    silent = bench(mute)
    silent.desktop.faults.lie("set_value")
    assert (await silent.run("set_value", mute, value=7)).effect is Effect.UNVERIFIABLE


@pytest.mark.requires("command.effect", "typing.order")
@pytest.mark.parametrize(("wanted", "effect"), [(7.25, Effect.CONFIRMED), (7.254, Effect.PARTIAL)])
async def test_a_number_that_has_to_be_typed_goes_in_by_keys_alone_and_is_read_with_its_unit(
    wanted: float, effect: Effect
) -> None:
    def leave(chord: Chord) -> bool:
        if chord != Chord("tab"):
            return False
        number.value = f"{float(number.value):.2f}″"
        return True

    number = FakeControl(Role.SPINBUTTON, "Width", "8.27″", on_key=leave)
    it = bench(number)
    it.window.traits = frozenset({Trait.OVERTAKES_KEYS})
    it.desktop.faults.fail("set_value", NotOffered("it takes a number as text"))
    result = await it.run("set_value", number, value=wanted)
    assert (*what(result), number.value) == (effect, Route.SYNTHETIC_INPUT, "7.25″"), result.evidence
    assert not it.desktop.calls_of("click")
    pressed = [call.arguments["chords"] for call in it.desktop.calls_of("press")]
    assert pressed == [parse_keys("{VK_CONTROL}a"), parse_keys(f"{wanted}{{TAB}}")]


@pytest.mark.requires("command.effect", "typing.numbers")
@pytest.mark.parametrize(
    ("shown", "beside", "wanted", "typed"),
    [
        ("0,00 cm", "", 1.27, "1,27"),
        ("1.234,50 €", "", -2.5, "-2,5"),
        ("0.00 cm", "1,5", 1.27, "1.27"),
        ("120 %", "0,50 cm", 99.5, "99,5"),
        ("1,234 pt", "0.5", 99.5, "99.5"),
        ("120 %", "7", 99.5, ("9", "9", "decimal", "5")),
        ("120 %", "0,50 cm", 99.0, "99"),
    ],
)
async def test_a_number_is_typed_with_the_mark_before_decimals_that_its_field_or_those_beside_it_show(
    shown: str, beside: str, wanted: float, typed: Sequence[str]
) -> None:
    number = FakeControl(Role.SPINBUTTON, "Width", shown, on_key=lambda _: True)
    it = bench(number, FakeControl(Role.SPINBUTTON, "Height", beside))
    it.desktop.faults.fail("set_value", NotOffered("it takes a number as text"))
    await it.run("set_value", number, value=wanted)
    pressed = [call.arguments["chords"] for call in it.desktop.calls_of("press")]
    assert pressed == [(Chord("a", ("ctrl",)), *map(Chord, typed), Chord("tab"))]


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("before", "shown", "wanted", "effect"),
    [
        ("0,00 m", "1.234 m", 1.234, Effect.PARTIAL),
        ("0,00 m", "1.234 m", 1234, Effect.CONFIRMED),
        ("0.00 m", "1,234 m", 1.234, Effect.PARTIAL),
        ("0.00 m", "1.234 m", 1.234, Effect.CONFIRMED),
        ("0 m", "0,500 m", 500, Effect.PARTIAL),
    ],
)
async def test_a_number_is_read_with_the_mark_before_decimals_that_its_field_had(
    before: str, shown: str, wanted: float, effect: Effect
) -> None:
    number = FakeControl(Role.SPINBUTTON, "Width", before, limits=(-1e6, 1e6))
    number.on_text = lambda _: setattr(number, "value", shown)
    assert (await bench(number).run("set_value", number, value=wanted)).effect is effect


async def test_a_box_is_checked_once_and_left_alone_where_it_is_so() -> None:
    box = FakeControl(Role.CHECKBOX, "Header")
    it = bench(box)
    assert (await it.run("set_value", box, value=True)).evidence == 'checkbox "Header" [1] is checked'
    again = await it.run("set_value", box, value=True)
    assert (again.effect, again.delivered, len(it.desktop.calls_of("do_action"))) == (Effect.CONFIRMED, False, 1)
    assert (await it.run("set_value", box, value=False)).effect is Effect.CONFIRMED
    assert "checked" not in box.states
    it.desktop.faults.lie("do_action")
    assert (await it.run("set_value", box, value=True)).effect is Effect.SUSPECTED_NOOP


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(
    ("role", "fix"), [(Role.BUTTON, "invoke"), (Role.SPINBUTTON, "a number"), (Role.CANVAS, "a number")]
)
async def test_what_cannot_be_checked_is_refused_with_what_to_do_instead(role: Role, fix: str) -> None:
    save = FakeControl(role, "Save", "1")
    result = await bench(save).run("set_value", save, value=True)
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)
    assert result.error is not None
    assert fix in result.error.fix


@pytest.mark.requires("act.refusals")
async def test_a_box_is_not_given_a_number_and_told_so() -> None:
    for role in (Role.CHECKBOX, Role.RADIO, Role.SWITCH):
        box = FakeControl(role, "Header")
        it = bench(box)
        result = await it.run("set_value", box, value=1)
        assert (result.effect, result.delivered, it.desktop.calls_of("set_value")) == (Effect.REFUSED, False, [])
        assert result.error is not None
        assert result.error.message == f'{role} "Header" [1] is checked or not, and takes no number'
        assert result.error.fix == "give true as value to check it, false to uncheck it"


@pytest.mark.requires("act.refusals")
async def test_a_radio_button_is_not_unchecked_by_itself() -> None:
    chosen, other = (FakeControl(Role.RADIO, name) for name in ("Left", "Right"))
    chosen.states.add("checked")
    it = bench(FakeControl(Role.GROUP, "Side", children=[chosen, other]))
    result = await it.run("set_value", chosen, value=False)
    assert (result.effect, result.delivered, it.desktop.calls_of("do_action")) == (Effect.REFUSED, False, [])
    assert result.error is not None
    assert "the one that is to be chosen instead" in result.error.fix
    assert (await it.run("set_value", other, value=False)).effect is Effect.CONFIRMED, "it is so already"


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("set_value", {"value": "abc"}, "value: wanted is a number, or true or false to check or uncheck; not 'abc'"),
        ("set_value", {"value": None}, "value: wanted is a number, or true or false to check or uncheck; not None"),
        ("set_value", {"value": "inf"}, "value: wanted is a finite number; not inf"),
        ("set_value", {"value": float("-inf")}, "value: wanted is a finite number; not -inf"),
        ("set_value", {"value": 1e999}, "value: wanted is a finite number; not inf"),
        ("set_value", {"value": "nan"}, "value: wanted is a finite number; not nan"),
        ("keyboard_input", {"keys": ""}, "keys: String should have at least 1 character"),
        ("wheel_mouse_input", {"wheel_dist": 0}, "wheel_dist: 0 turns nothing: positive scrolls up, negative down"),
    ],
)
async def test_a_wrong_argument_is_answered_in_plain_words(tool: str, arguments: JsonObject, told: str) -> None:
    number = FakeControl(Role.SPINBUTTON, "N", "5")
    with pytest.raises(ReplyDefect) as raised:
        await bench(number).run(tool, number, **arguments)
    assert raised.value.message == f"{tool}: {told}"


@pytest.mark.requires("act.refusals")
async def test_a_date_of_a_page_is_refused_as_a_whole_with_the_parts_that_take_it() -> None:
    parts = [FakeControl(Role.SPINBUTTON, "Month Date"), FakeControl(Role.SPINBUTTON, "Day Date")]
    date = FakeControl(Role.TEXTBOX, "Date", children=parts)
    result = await bench(date).run("set_edit_text", date, text="4 March 2026")
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)
    assert result.error is not None
    fix = result.error.fix
    assert fix == 'give each its number with set_value: spinbutton "Month Date", spinbutton "Day Date"'


@pytest.mark.requires("command.effect")
async def test_text_is_put_in_and_read_back() -> None:
    box = FakeControl(Role.TEXTBOX, "Name", "Ada")
    it = bench(box)
    assert what(await it.run("set_edit_text", box, text="Grace")) == (Effect.CONFIRMED, Route.ACCESSIBILITY)
    await it.run("set_edit_text", box, text=" Hopper", clear=False)
    assert box.value == "Grace Hopper"
    it.desktop.faults.lie("set_text")
    lied_to = await it.run("set_edit_text", box, text="Ada")
    assert what(lied_to) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT), "what did nothing is done another way"
    assert box.value == "Ada"


@pytest.mark.requires("command.effect")
@pytest.mark.parametrize(("earlier", "wanted", "effect"), [("", "8", "08"), ("08", "8", "08"), ("8", "9.5", "09.50")])
async def test_a_field_of_numbers_that_says_the_same_number_in_another_way_has_taken_it(
    earlier: str, wanted: str, effect: str
) -> None:
    def pad(text: str) -> None:
        month.value = effect if text else text

    month = FakeControl(Role.SPINBUTTON, "Month", earlier, on_text=pad)
    result = await bench(month).run("set_edit_text", month, text=wanted)
    assert result.effect is Effect.CONFIRMED, result.evidence
    assert f'reads "{effect}"' in result.evidence


@pytest.mark.requires("command.effect")
async def test_a_field_of_numbers_that_takes_another_one_has_not_taken_what_was_given() -> None:
    number = FakeControl(Role.SPINBUTTON, "N", "5", limits=(0, 10))
    it = bench(number)
    result = await it.run("set_edit_text", number, text="12")
    assert (result.effect, number.value) == (Effect.PARTIAL, "10"), result.evidence
    assert 'wanted "12", reads "10"' in result.evidence


@pytest.mark.requires("command.effect")
async def test_a_number_is_typed_into_an_empty_field_that_has_none_to_be_changed() -> None:
    """As those of Chromium's pages are."""
    number = FakeControl(Role.SPINBUTTON, "N", "")
    it = bench(number)
    it.desktop.faults.lie("set_value")
    result = await it.run("set_value", number, value=4)
    assert what(result) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT), result.evidence
    assert number.value == "4"


@pytest.mark.requires("command.effect")
async def test_a_number_that_is_typed_into_its_field_counts_because_the_field_is_left() -> None:
    """As in GTK, where a text that is set behind it is shown, and never taken."""
    number = FakeControl(Role.SPINBUTTON, "N", "5")
    it = bench(number)
    it.desktop.faults.fail("set_value", NotOffered("It takes keys alone."))
    result = await it.run("set_edit_text", number, text="7")
    assert what(result) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT), result.evidence
    assert number.value == "7"
    pressed = [call.arguments for call in it.desktop.calls if call.method == "press"]
    assert "tab" in str(pressed[-1])
    assert "set_text" not in {call.method for call in it.desktop.calls}


async def test_a_field_that_refuses_text_by_accessibility_gets_it_pasted() -> None:
    box = FakeControl(Role.TEXTBOX, "Name", "Ada")
    it = bench(box)
    it.desktop.faults.fail("set_text", ActionRefused("no text by accessibility"))
    assert what(await it.run("set_edit_text", box, text="Grace")) == (Effect.CONFIRMED, Route.SYNTHETIC_INPUT)
    assert box.value == "Grace"


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize("also", [(), ("disabled",)])
async def test_a_field_that_is_for_reading_only_is_refused_at_once_and_called_so(also: tuple[str, ...]) -> None:
    box = FakeControl(Role.TEXTBOX, "Total", "12", states={"read_only", *also})
    it = bench(box)
    result = await it.run("set_edit_text", box, text="13")
    assert (result.effect, result.delivered, box.value) == (Effect.REFUSED, False, "12")
    assert result.error is not None
    assert result.error.message.startswith('textbox "Total"')
    assert result.error.message.endswith("is read-only")
    assert "makes it editable" in result.error.fix
    asked = {call.method for call in it.desktop.calls}
    assert not asked & {"set_text", "press", "click", "offer_clipboard", "activate"}


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(
    ("role", "states", "fix"),
    [
        (Role.LABEL, {"read_only"}, "choose the field beside it"),
        (Role.TEXT, set[str](), "choose the field beside it"),
        (Role.PARAGRAPH, {"read_only"}, "Edit Mode"),
        (Role.HEADING, set[str](), "protected"),
    ],
)
async def test_a_text_that_does_not_say_it_is_editable_is_refused_untouched(
    role: Role, states: set[str], fix: str
) -> None:
    words = FakeControl(role, "Chapter 1", "Chapter 1", states=states)
    it = bench(words)
    result = await it.run("set_edit_text", words, text="Chapter 2")
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)
    assert result.error is not None
    assert result.error.message == f'{role} "Chapter 1" [1] is read-only'
    assert fix in result.error.fix
    asked = {call.method for call in it.desktop.calls}
    assert not asked & {"set_text", "press", "click", "focus", "offer_clipboard", "activate"}


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize("role", [Role.BUTTON, Role.LINK, Role.CHECKBOX])
async def test_what_is_pressed_takes_no_text(role: Role) -> None:
    press = FakeControl(role, "Send")
    it = bench(press)
    result = await it.run("set_edit_text", press, text="a")
    assert result.error is not None
    assert result.error.message == f'{role} "Send" [1] takes no text'
    assert not result.delivered
    assert not it.desktop.calls_of("press")


@pytest.mark.requires("effect.painted")
async def test_what_is_put_into_an_empty_paragraph_is_looked_for_where_that_is_then() -> None:
    """An empty one of LibreOffice is as wide as a caret, and what is put in stands beside that."""
    caret = FakeControl(Role.PARAGRAPH, rect=Rect(100, 100, 101, 120))
    glyphs = FakeControl(Role.IMAGE, rect=Rect(102, 100, 160, 120))
    it = bench(caret, glyphs)
    it.desktop.faults.unpainted.add(caret)

    def write(text: str) -> None:
        caret.rect, glyphs.value = Rect(100, 100, 160, 120), text

    caret.on_text = write
    assert (await it.run("set_edit_text", caret, text="Region")).effect is Effect.CONFIRMED


@pytest.mark.requires("effect.about")
async def test_a_text_of_lines_may_make_paragraphs_of_one() -> None:
    page = FakeControl(Role.GROUP, "Outline")
    page.children = [
        outline := FakeControl(Role.PARAGRAPH, value="Click to add text"),
        FakeControl(Role.PARAGRAPH, value="b"),
    ]

    def split(text: str) -> None:
        outline.value, *more = text.split("\n")
        page.children[1:1] = [FakeControl(Role.PARAGRAPH, value=line) for line in more]

    outline.on_text = split
    it = bench(page)
    made = await it.run("set_edit_text", outline, text="a\nb\nc")
    assert (made.effect, made.evidence) == (Effect.CONFIRMED, 'reads "a\\nb\\nc"')
    assert [control.value for control in page.children] == ["a", "b", "c", "b"]
    outline.on_text = lambda text: setattr(outline, "value", text.partition("\n")[0])
    part = await it.run("set_edit_text", outline, text="x\nb")  # a line is lost, and the one that follows says the same
    assert (part.effect, part.evidence) == (Effect.PARTIAL, 'wanted "x\\nb", reads "x"')


@pytest.mark.requires("act.refusals")
async def test_a_field_that_takes_a_text_in_no_way_says_each_reason_once() -> None:
    box = FakeControl(Role.GENERIC, "Odd", "12")
    it = bench(box)
    refused = (await it.run("set_edit_text", box, text="13")).error
    assert refused is not None
    assert refused.message.count("does not take the keyboard") == 1, refused


@pytest.mark.requires("typing.exact")
async def test_what_is_added_to_a_password_does_not_replace_it() -> None:
    box = FakeControl(Role.PASSWORD, "Secret", "ab")
    result = await bench(box).run("set_edit_text", box, text="xyzzy", clear=False)
    assert (result.effect, box.value) == (Effect.CONFIRMED, "abxyzzy")


@pytest.mark.requires("policy.typed-passwords")
async def test_a_password_is_typed_and_never_read_back() -> None:
    box = FakeControl(Role.PASSWORD, "Secret")
    it = bench(box)
    result = await it.run("set_edit_text", box, text="xyzzy")
    assert "xyzzy" not in result.evidence
    assert "read_text" not in [call.method for call in it.desktop.calls]
    assert (result.effect, box.value) == (Effect.CONFIRMED, "xyzzy")
    assert "5 characters now, as many as were written" in result.evidence
    again = await it.run("set_edit_text", box, text="abcde")
    assert (again.effect, box.value) == (Effect.UNVERIFIABLE, "abcde"), "it had five characters before too"


@pytest.mark.requires("policy.typed-passwords")
@pytest.mark.parametrize(("lost", "effect"), [("", Effect.CONFIRMED), ("z", Effect.UNVERIFIABLE)])
async def test_of_keys_into_a_password_the_number_of_characters_is_compared(lost: str, effect: Effect) -> None:
    box = FakeControl(Role.PASSWORD, "Secret", "ab", on_key=lambda chord: chord.key == lost)
    it = bench(box)
    result = await it.run("keyboard_input", box, keys="xyz")
    assert (result.effect, box.value) == (effect, f"ab{'xyz'.replace(lost, '')}"), result.evidence
    assert "xy" not in result.evidence


async def test_keys_go_to_a_control_or_to_what_has_the_focus() -> None:
    first, second = FakeControl(Role.TEXTBOX, "A"), FakeControl(Role.TEXTBOX, "B")
    it = bench(first, second)
    assert (await it.run("keyboard_input", second, keys="hi")).effect is Effect.CONFIRMED
    await it.run("keyboard_input", keys="{VK_CONTROL}a{DELETE}yo")
    assert (first.value, second.value) == ("", "yo")
    with pytest.raises(ReplyDefect, match="keyboard_input: keys: there is no key 'NOKEY'"):
        await it.run("keyboard_input", keys="{NOKEY}")


@pytest.mark.requires("typing.order")
@pytest.mark.parametrize(
    ("keys", "apart"),
    [
        ("{END}Q", ["{END}", "Q"]),
        ("ab{ENTER}c {TAB}d", ["ab{ENTER}c {TAB}d"]),
        ("{UP}{UP}{HOME}{DELETE}a{BACKSPACE}{BACKSPACE}b", ["{UP}{UP}{HOME}{DELETE}", "a{BACKSPACE}{BACKSPACE}", "b"]),
        ("5{F2}{HOME}6", ["5{F2}", "{HOME}", "6"]),
        ("{VK_CONTROL}a{END}{ENTER}a", ["{VK_CONTROL}a", "{END}", "{ENTER}a"]),
        ("{VK_CONTROL}z{VK_CONTROL}z{VK_SHIFT}ab", ["{VK_CONTROL}z{VK_CONTROL}z", "{VK_SHIFT}ab"]),
    ],
)
async def test_keys_that_would_be_overtaken_are_sent_apart_and_to_others_at_once(keys: str, apart: list[str]) -> None:
    for traits, sent in ((frozenset({Trait.OVERTAKES_KEYS}), apart), (NO_TRAITS, ["".join(apart)])):
        it = bench(FakeControl(Role.TEXTBOX, "A"))
        it.window.traits = traits
        await it.run("keyboard_input", keys=keys)
        pressed = [call.arguments["chords"] for call in it.desktop.calls_of("press")]
        assert pressed == [parse_keys(keys) for keys in sent]


@pytest.mark.requires("typing.order")
async def test_the_next_field_is_waited_for_where_fields_are_slow() -> None:
    it = bench(FakeControl(Role.TEXTBOX, "A"))
    it.window.traits = frozenset({Trait.OVERTAKES_KEYS, Trait.SLOW_FIELDS})
    await it.run("keyboard_input", keys="2{TAB}20{ENTER}")
    pressed = [call.arguments["chords"] for call in it.desktop.calls_of("press")]
    assert pressed == [parse_keys("2{TAB}"), parse_keys("20{ENTER}")]


async def test_waiting_and_speaking_need_only_succeed() -> None:
    it = bench(FakeControl(Role.BUTTON, "Save"))
    labels: list[JsonValue] = ["1"]
    label = await it.command("annotation", control_labels=labels)
    assert label.seen is not None
    (save,) = label.seen.controls
    unknown = await it.send(label)
    assert unknown.error is not None
    assert (unknown.effect, unknown.error.message) == ("refused", "no control has the label 1")
    results = [
        await it.run("wait", seconds=2),
        await it.run("summary", text="x"),
        await it.send(replace(label, seen=replace(label.seen, controls=(replace(save, id="1"),)))),
    ]
    for result in results:
        assert (result.status, result.effect, result.delivered) == ("success", None, False)
    assert it.desktop.calls_of("settle")[-1].arguments["deadline_s"] == 2


@pytest.mark.requires("command.read-table")
async def test_a_table_is_read_whole_also_what_is_not_on_screen() -> None:
    rows = [[f"{row},{column}" for column in range(4)] for row in range(200)]
    table = FakeControl(Role.TABLE, "Sales", table=FakeTable.of(rows))
    it = bench(table)
    result = await it.run("read_table", table)
    assert (result.result, result.status) == (
        {"rows": 200, "columns": 4, "range": "A1:D200", "cells": rows},
        "success",
    )
    seen = await it.desktop.observe(await it.root(), picture=False)
    assert len(seen.controls) < 200


async def test_reading_what_is_no_table_is_refused() -> None:
    save = FakeControl(Role.BUTTON, "Save")
    assert (await bench(save).run("read_table", save)).effect is Effect.REFUSED


def sheet_bench() -> tuple[Bench, FakeTable, FakeControl]:
    bar, cells = spreadsheet()
    it = bench(bar, cells)
    it.window.focused = cells
    assert cells.table is not None
    return it, cells.table, cells


@pytest.mark.requires("command.read-sheet")
async def test_of_a_sheet_the_filled_area_is_read_and_named() -> None:
    it, table, cells = sheet_bench()
    table.write(2, 26, [["a  b", ""], ["", ""], ["", " c\t"]])
    told = (await it.run("read_table", cells)).result
    assert told == {"rows": 3, "columns": 2, "range": "AA3:AB5", "cells": [["a  b", ""], ["", ""], ["", " c\t"]]}
    told = (await it.run("read_table", cells, range="$AB$5:AA4")).result
    assert told == {"rows": 2, "columns": 2, "range": "AA4:AB5", "cells": [["", ""], ["", " c\t"]]}


@pytest.mark.requires("command.read-sheet")
async def test_a_cell_with_an_error_is_not_taken_for_an_empty_one() -> None:
    it, table, cells = sheet_bench()
    table.write(0, 0, [["a", ""], ["", "b"]])
    table.formulas[0, 1] = "=1/0"
    result = await it.run("read_table", cells)
    assert result.result == {
        "rows": 2,
        "columns": 2,
        "range": "A1:B2",
        "cells": [["a", ""], ["", "b"]],
        "untold": ["B1"],
    }
    assert "formula that comes to an error" in result.evidence
    table.formulas[0, 2] = "=1/0"
    table.formulas[3, 1] = "=1/0"
    around = dict(pairs_of((await it.run("read_table", cells)).result))
    assert (around["range"], around["untold"]) == ("A1:C4", ["B1", "C1", "B4"])


@pytest.mark.requires("command.read-sheet")
async def test_of_many_empty_cells_it_is_said_that_they_were_not_asked() -> None:
    it, table, cells = sheet_bench()
    table.write(0, 0, [["a"]])
    table.write(150, 0, [["b"]])
    table.formulas[120, 0] = "=1/0"
    table.formulas[150, 150] = "=1/0"
    result = await it.run("read_table", cells)
    told = dict(pairs_of(result.result))
    assert (told["range"], told["untold"]) == ("A1:A151", ["A121"])
    assert result.evidence.endswith("; which cells around them hold a formula that comes to an error was not asked")
    result = await it.run("read_table", cells, range="A1:EU151")
    assert result.evidence.endswith("; which of its many cells without text hold a formula was not asked")


@pytest.mark.requires("command.read-sheet")
async def test_while_a_formula_is_typed_a_sheet_is_not_taken_for_an_empty_one() -> None:
    it, table, cells = sheet_bench()
    table.write(0, 0, [["a"]])
    line = FakeControl(Role.PARAGRAPH, "", value="=1+")
    it.window.controls.append(
        FakeControl(Role.DOCUMENT, "d", children=[FakeControl(Role.GROUP, "A1", children=[line])])
    )
    it.window.focused = line
    for given in ({}, {"range": "A1:B2"}):
        refused = await it.run("read_table", cells, **given)
        assert (refused.effect, refused.result) == (Effect.REFUSED, None)
        assert refused.error is not None
        assert "the formula '=1+' is being typed into a cell" in refused.error.message


@pytest.mark.requires("command.read-sheet")
async def test_an_empty_sheet_has_no_cells() -> None:
    it, _, cells = sheet_bench()
    assert (await it.run("read_table", cells)).result == {"rows": 0, "columns": 0, "range": "", "cells": []}


@pytest.mark.requires("command.read-sheet")
@pytest.mark.parametrize(
    ("cells", "problem", "fix"),
    [
        ("", "the cells A1:G50003 of", "beginning with range=A1:G14285"),
        ("A1:XFD99", "the cells A1:XFD99 of", "beginning with range=A1:XFD6"),
        ("A1:$C$1048577", "A1:$C$1048577 reaches beyond the sheet: its last cell is XFD1048576", "inside the sheet"),
        ("A:A", "'A:A' is not a range of cells", "write it like A1:C5, without the name of a sheet"),
    ],
)
async def test_what_is_too_large_to_be_read_at_once_says_which_cells_that_are(
    cells: str, problem: str, fix: str
) -> None:
    it, table, control = sheet_bench()
    table.write(50_000, 4, [["far"]])
    refused = await it.run("read_table", control, **({"range": cells} if cells else {}))
    assert refused.error is not None
    assert problem in refused.error.message
    assert fix in refused.error.fix


@pytest.mark.requires("command.write-table")
async def test_a_block_is_written_from_a_cell_on_and_read_back() -> None:
    it, table, _ = sheet_bench()
    rows: list[JsonValue] = [["", "", ""], ["", "=1+1", 3.0], ["", "00123", None], ["", "", ""]]
    result = await it.run("write_table", start="b2", rows=rows)
    assert (result.result, result.effect) == ({"range": "B2:D5"}, Effect.CONFIRMED)
    assert result.evidence == 'B2:D5 reads back equal; text, not a number: C4 "00123"'
    assert (table.text(2, 2), table.text(2, 3), table.text(3, 2)) == ("=1+1", "3", "00123")
    assert it.window.controls[0].children[0].value == "B2"  # where it began


async def test_a_range_of_a_spreadsheet_is_an_item_of_its_cells() -> None:
    it, _, cells = sheet_bench()
    result = await it.run("select_item", cells, item="A1:C5")
    assert (result.effect, await it.desktop.selected_count(it.desktop.target(cells))) == (Effect.CONFIRMED, 15)
    result = await it.run("select_item", cells, item="D4")
    assert (result.effect, it.window.controls[0].children[0].value) == (Effect.CONFIRMED, "D4")
    result = await it.run("select_item", cells, item="the total")
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)
    cells.children.append(cell := FakeControl(Role.CELL, "B2"))
    result = await it.run("select_item", cell, item="A1:B2")
    assert (result.effect, await it.desktop.selected_count(it.desktop.target(cells))) == (Effect.CONFIRMED, 4)


@pytest.mark.requires("command.write-table")
@pytest.mark.parametrize("item", ["ZZZ9999999", "A1048577", "XFE1", "A1:XFE2", "XFE2:A1"])
async def test_a_cell_that_the_sheet_does_not_have_is_refused_and_makes_no_name(item: str) -> None:
    it, table, cells = sheet_bench()
    result = await it.run("select_item", cells, item=item)
    assert (result.effect, result.delivered, table.names) == (Effect.REFUSED, False, [])
    assert result.error
    assert "its last one is XFD1048576" in result.error.message


@pytest.mark.requires("command.write-table")
async def test_how_far_a_sheet_goes_is_asked_of_the_sheet() -> None:
    bar, cells = spreadsheet(rows=1_048_576, columns=1024)
    it = bench(bar, cells)
    it.window.focused = cells
    assert cells.table
    rows: list[JsonValue] = [["a", "b"]]
    outside = [
        await it.run("select_item", cells, item="AMK1"),
        await it.run("write_table", start="AMK1", rows=ONE_CELL),
        await it.run("write_table", start="AMJ1", rows=rows),
    ]
    assert [(result.effect, result.delivered) for result in outside] == [(Effect.REFUSED, False)] * 3
    assert (cells.table.names, cells.table.texts()) == ([], [])
    result = await it.run("write_table", start="AMI1", rows=rows)
    assert (result.effect, cells.table.text(0, 1023)) == (Effect.CONFIRMED, "b")


@pytest.mark.requires("command.write-table", "effect.about")
@pytest.mark.parametrize("item", ["D4", "A1:B1"])
async def test_what_the_name_box_shows_does_not_tell_that_cells_are_selected(item: str) -> None:
    it, table, cells = sheet_bench()
    table.select(2, 2, 2, 3)
    it.window.controls[0].children[0].on_activate = lambda: None
    result = await it.run("select_item", cells, item=item)
    assert (result.effect, it.window.controls[0].children[0].value) == (Effect.UNVERIFIABLE, item)


@pytest.mark.requires("command.write-table", "command.effect")
async def test_a_cell_that_reads_otherwise_is_partial_and_named() -> None:
    it, table, _ = sheet_bench()
    it.desktop.faults.before("read_table", lambda: table.write(0, 1, [["1 Jan"]]))
    result = await it.run("write_table", rows=[["a", "1/1"]])
    assert (result.effect, result.evidence) == (Effect.PARTIAL, '1 cells differ: B1 reads "1 Jan", not "1/1"')


@pytest.mark.parametrize(("start", "rows"), [("A0", ONE_CELL), ("1A", ONE_CELL), ("A1", NO_ROW), ("A1", EMPTY_ROW)])
async def test_a_block_that_cannot_be_written_is_refused_before_anything_happens(start: str, rows: JsonValue) -> None:
    it, table, _ = sheet_bench()
    result = await it.run("write_table", start=start, rows=rows)
    assert (result.effect, result.delivered, table.texts()) == (Effect.REFUSED, False, [])


@pytest.mark.requires("command.write-table")
@pytest.mark.parametrize(
    ("name", "title", "refused"),
    [
        ("file:///a.ods(read-only) - LibreOffice Spreadsheets", "a.ods (read-only) - LibreOffice Calc", True),
        ("file:///a.ods(schreibgeschützt) - Tabellen", "a.ods (schreibgeschützt) - LibreOffice Calc", True),
        ("file:///a.ods(read-only) - LibreOffice Spreadsheets", "a.ods - LibreOffice Calc", False),
        ("file:///a.ods%20(1) - LibreOffice Spreadsheets", "a.ods (1) - LibreOffice Calc", False),
        ("file:///a(1).ods - LibreOffice Spreadsheets", "a(1).ods - LibreOffice Calc", False),
    ],
)
async def test_a_spreadsheet_that_is_open_for_reading_only_is_written_nothing(
    name: str, title: str, refused: bool
) -> None:
    bar, cells = spreadsheet()
    it = bench(FakeControl(Role.DOCUMENT, name, children=[cells]), bar)
    it.window.title = title
    result = await it.run("write_table", rows=ONE_CELL)
    effect = Effect.REFUSED if refused else Effect.CONFIRMED
    assert (result.effect, result.delivered) == (effect, not refused), result.evidence
    assert bool(it.desktop.calls_of("offer_clipboard")) is not refused


async def test_without_a_spreadsheet_nothing_is_written() -> None:
    result = await bench(FakeControl(Role.BUTTON, "Save")).run("write_table", rows=ONE_CELL)
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)


async def test_a_paste_that_never_arrives_is_a_failure() -> None:
    it, _, _ = sheet_bench()
    it.desktop.faults.lie("press")
    began = anyio.current_time()
    result = await it.run("write_table", rows=[["a", "b"]])
    assert (result.status, result.retry_safe) == ("failure", False)
    assert anyio.current_time() - began < 5
    assert "did not take the block of 2 cells" in result.evidence
    assert result.error is not None
    assert "read-only" in result.error.fix


@pytest.mark.requires("command.write-table")
async def test_a_block_that_was_fetched_and_does_not_arrive_is_waited_for() -> None:
    it, table, cells = sheet_bench()
    cells.on_key = lambda chord: chord.key == "v"
    result = await it.run("write_table", rows=[["a", "b"]])
    assert (result.status, table.text(0, 0)) == ("failure", "")
    assert "did not arrive" in result.evidence


@pytest.mark.requires("command.write-table")
async def test_a_dialog_in_the_way_of_a_block_is_quoted_at_once() -> None:
    it, _, cells = sheet_bench()

    def refuse(chord: Chord) -> bool:
        if chord.key == "v":
            message = [FakeControl(Role.LABEL, "This sheet is protected"), FakeControl(Role.BUTTON, "OK")]
            it.desktop.open(FakeWindow("Message", message, dialog=True, owner=it.window))
        return chord.key == "v"

    cells.on_key, began = refuse, anyio.current_time()
    result = await it.run("write_table", rows=[["a", "b"]])
    assert "This sheet is protected" in result.evidence
    assert anyio.current_time() - began < 5, "virtual time"


@pytest.mark.requires("command.write-table")
async def test_a_block_is_not_pasted_into_another_window_that_took_the_keyboard() -> None:
    it, _, _ = sheet_bench()

    def somebody_opens_a_letter() -> None:
        it.desktop.open(FakeWindow("Letter", [], "writer"))

    it.desktop.faults.before("offer_clipboard", somebody_opens_a_letter)
    result = await it.run("write_table", rows=[["a", "b"]])
    assert (result.status, result.delivered) == ("failure", True)
    assert "Letter" in result.evidence
    assert len(it.desktop.calls_of("press")) == 0


@pytest.mark.requires("command.write-table")
@pytest.mark.parametrize(("start", "rows"), [("F10", 1), ("E9", 3), ("G10", 1), ("F11", 1), ("H11", 2)], ids=str)
async def test_a_block_is_not_pasted_into_merged_cells(start: str, rows: int) -> None:
    it, table, cells = sheet_bench()
    table.merged[9, 5] = (2, 3)
    result = await it.run("write_table", start=start, rows=[PAIR] * rows)
    assert (result.effect, result.delivered, table.texts()) == (Effect.REFUSED, False, [])
    assert result.error
    assert result.error.message == "the cells F10:H11 are merged, and pasting a block into them would part them"
    assert "write into F10 with set_edit_text" in result.error.fix
    for beside in ("D10", "F12", "I10", "D8"):
        assert (await it.run("write_table", start=beside, rows=[PAIR])).effect is Effect.CONFIRMED, beside
    await it.run("select_item", cells, item="F10")
    assert it.window.controls[0].children[0].value == "F10:H11"


@pytest.mark.requires("command.write-table")
async def test_a_cell_that_one_merged_far_away_covers_is_written_nothing() -> None:
    it, table, _ = sheet_bench()
    name_box = it.window.controls[0].children[0]
    name_box.on_activate = lambda: setattr(name_box, "value", "A1:A100")
    result = await it.run("write_table", start="A50", rows=ONE_CELL)
    assert (result.status, table.texts()) == ("failure", [])
    assert result.evidence == 'the cell A50 did not become the active one: the Name Box shows "A1:A100"'
    table.origin, it.desktop.calls[:] = (49, 0), []
    result = await it.run("write_table", start="A1", rows=ONE_CELL)
    assert (result.status, table.texts()) == ("failure", [])
    assert "A1:A100 are merged" in result.evidence
    assert not it.desktop.calls_of("offer_clipboard")


@pytest.mark.requires("command.write-table")
@pytest.mark.parametrize("shown", ["Sales", "A1"])
async def test_a_field_that_shows_an_address_is_not_the_name_box(shown: str) -> None:
    bar, cells = spreadsheet()
    words = FakeControl(Role.TEXTBOX, value="Q4")
    it = bench(FakeControl(Role.TOOLBAR, "Find", children=[words]), bar, cells)
    it.window.focused = cells
    bar.children[0].value = shown
    result = await it.run("write_table", start="B2", rows=ONE_CELL)
    assert (result.effect, words.value, bar.children[0].value) == (Effect.CONFIRMED, "Q4", "B2")


@pytest.mark.requires("command.write-table", "typing.clipboard")
@pytest.mark.parametrize("content", [b"", b"kept", b"x" * 16_000_001], ids=["none", "small", "large"])
async def test_that_what_was_on_the_clipboard_is_lost_by_writing_a_table_is_told(content: bytes) -> None:
    it, _, _ = sheet_bench()
    before = {"text/plain": content} if content else {}
    it.desktop.clipboard.update(before)
    result = await it.run("write_table", rows=ONE_CELL)
    lost = content[:1] == b"x"
    assert (it.desktop.clipboard == before) is not lost
    assert result.effect is Effect.CONFIRMED
    assert result.evidence.endswith("; the earlier clipboard content is lost") is lost


@pytest.mark.requires("typing.clipboard", "policy.typed-passwords")
@pytest.mark.parametrize("cut", ["large", "cancelled", "deadline", "person", "gone"])
async def test_a_password_does_not_stay_on_the_clipboard(cut: str) -> None:
    box = FakeControl(Role.PASSWORD, "Secret", "ab")
    it = bench(box)
    it.desktop.clipboard["text/plain"] = b"x" * 16_000_001 if cut == "large" else b"kept"
    command = await it.command("set_edit_text", box, text="xyzzy", clear=False)
    errors = {
        "deadline": ActionDeadline("too late"),
        "person": PersonActs("the user acts", sent=("a key",)),
        "gone": ElementStale("gone"),
    }
    it.desktop.guard.rules = GuardRules(PersonMode.PAUSE)
    if cut == "person":
        it.desktop.faults.before("press", lambda: it.desktop.guard.person("pressed a key"), on_call=2)
    if cut in errors:
        it.desktop.faults.fail("press", errors[cut], on_call=2)
    elif cut == "cancelled":
        it.desktop.faults.hang("press", on_call=2)
    results: list[Result | None] = []
    with anyio.move_on_after(0.5):
        results.append(await it.send(command))
    result = results[0] if results else it.dispatcher.cut_off
    assert result
    offered = it.desktop.calls_of("offer_clipboard")[0].arguments["formats"]
    assert isinstance(offered, dict)
    assert offered["UTF8_STRING"] == b"xyzzy"
    assert b"xyzzy" not in it.desktop.clipboard.values()
    given_back = it.desktop.clipboard == {"text/plain": b"kept"}
    assert given_back or not it.desktop.clipboard
    assert ("the earlier clipboard content is lost" in result.evidence) is not given_back


class SaveDialog:
    """An application with an open file dialog that writes the file and names its window after it."""

    def __init__(self, *, writes: bool = True, button: str = "Save", renames: bool = True) -> None:
        self.desktop = FakeDesktop()
        self.main = self.desktop.open(FakeWindow("Untitled 1", [FakeControl(Role.BUTTON, "Sum")], "calc"))
        self.field = FakeControl(Role.TEXTBOX, "Name", "Untitled 1")
        self._writes = writes
        self._renames = renames
        self.closes, self.asks, self.asked = True, False, ""
        self.error_title = "Error"
        confirm = FakeControl(Role.BUTTON, button, on_click=self._confirm)
        controls = [FakeControl(Role.BUTTON, "Cancel"), self.field, confirm]
        self.dialog = self.desktop.open(FakeWindow("Save as", controls, "calc", dialog=True, focused=self.field))
        self.bench = Bench(self.desktop, self.main)

    def ask_to_replace(self) -> None:
        """As GTK does, before a file is written over."""
        replace_it = FakeControl(Role.BUTTON, "_Replace", on_click=self._replace)
        text = FakeControl(Role.LABEL, self.asked or f"A file named “{Path(self.field.value).name}” already exists.")
        self.question = FakeWindow("", [text, FakeControl(Role.BUTTON, "Cancel"), replace_it], "calc", dialog=True)
        self.desktop.open(self.question)

    def _replace(self) -> None:
        self.desktop.close_window(self.question)
        Path(self.field.value).write_text("written over")
        self.desktop.close_window(self.dialog)

    def _confirm(self) -> None:
        path = Path(self.field.value)
        if path.is_file() and self.asks:
            self.ask_to_replace()
            return
        if path.suffix == ".locked":
            message = FakeControl(Role.LABEL, "The file is locked.")
            self.desktop.open(FakeWindow(self.error_title, [message], "calc", dialog=True))
            return
        if self._writes and not path.exists():
            path.write_text("content")
            self.main.title = f"{path.name} - Calc" if self._renames else self.main.title
        if self.closes:
            self.desktop.close_window(self.dialog)


async def test_a_file_is_written_through_the_dialog_and_found_where_it_belongs(tmp_path: Path) -> None:
    it = SaveDialog()
    path = tmp_path / "sales.ods"
    result = await it.bench.run("choose_file", path=str(path), create=True)
    assert (result.effect, result.result) == (Effect.CONFIRMED, {"path": str(path)})
    assert result.evidence == "sales.ods was written (7 bytes), and the window is named after it"


async def test_a_button_that_comes_to_be_usable_once_there_is_a_name_is_waited_for(tmp_path: Path) -> None:
    it = SaveDialog()
    confirm = it.dialog.controls[-1]
    confirm.states.add("disabled")
    it.bench.desktop.faults.before("resolve", lambda: confirm.states.discard("disabled"), on_call=2)
    result = await it.bench.run("choose_file", path=str(tmp_path / "sales.ods"), create=True)
    assert (result.effect, confirm.states) == (Effect.CONFIRMED, set())


@pytest.mark.parametrize("button", ["_Open", "_Select", "Hochladen"])
async def test_a_file_is_opened_through_the_dialog(button: str, tmp_path: Path) -> None:
    it = SaveDialog(button=button)
    it.dialog.controls[-1].states |= {"default"} if button == "Hochladen" else set()
    path = tmp_path / "there.ods"
    path.touch()
    assert (await it.bench.run("choose_file", path=str(path))).evidence == "the dialog is gone; there.ods was chosen"


@pytest.mark.requires("command.choose-file")
@pytest.mark.parametrize("button", ["_Save", "Save _As", "_Export"])
async def test_a_file_that_is_there_is_not_chosen_in_a_dialog_that_saves(button: str, tmp_path: Path) -> None:
    it = SaveDialog(button=button)
    path = tmp_path / "there.ods"
    path.touch()
    result = await it.bench.run("choose_file", path=str(path))
    assert (result.effect, result.delivered, it.field.value) == (Effect.REFUSED, False, "Untitled 1")
    assert result.error is not None
    assert result.error.message == f'dialog "Save as" saves, and would overwrite {path}'
    assert "overwrite=true" in result.error.fix
    folder = await it.bench.run("choose_file", path=str(tmp_path))
    assert (folder.effect, it.field.value) == (Effect.CONFIRMED, str(tmp_path))


@pytest.mark.requires("applications.locks")
async def test_a_file_that_another_user_has_open_is_not_written_over(tmp_path: Path) -> None:
    it, path = SaveDialog(), tmp_path / "there.ods"
    path.write_text("old")
    (tmp_path / ".~lock.there.ods#").write_text("Dana Example,dana,pc,24.11.2026 16:10,file:///x;")
    refused = await it.bench.run("choose_file", path=str(path), overwrite=True)
    assert (refused.effect, path.read_text(), it.field.value) == (Effect.REFUSED, "old", "Untitled 1")
    assert "there.ods is locked: Dana Example (dana) on pc since 24.11.2026 16:10 has it open" in refused.evidence
    it.dialog.controls[-1].name = "_Open"
    assert (await it.bench.run("choose_file", path=str(path))).effect is Effect.CONFIRMED


@pytest.mark.requires("command.overwrite", "effect.saved")
@pytest.mark.parametrize("asks", [True, False])
async def test_a_file_is_written_over_where_that_was_asked_for(tmp_path: Path, asks: bool) -> None:
    it, path = SaveDialog(), tmp_path / "there.ods"
    it.asks = asks
    path.write_text("old")
    refused = await it.bench.run("choose_file", path=str(path), create=True)
    assert (refused.effect, path.read_text()) == (Effect.REFUSED, "old")
    result = await it.bench.run("choose_file", path=str(path), overwrite=True)
    if asks:
        told = "there.ods was written (12 bytes)"
        assert (result.effect, result.evidence, path.read_text()) == (Effect.CONFIRMED, told, "written over")
    else:
        assert (result.effect, result.evidence) == (Effect.PARTIAL, "there.ods was not written over after 15 s")


@pytest.mark.requires("command.overwrite", "effect.saved")
@pytest.mark.parametrize(("create", "overwrite"), [(True, False), (False, False), (False, True)])
async def test_the_file_that_is_open_is_saved_over_without_more(tmp_path: Path, create: bool, overwrite: bool) -> None:
    it, path = SaveDialog(), tmp_path / "there.ods"
    it.asks = True
    path.write_text("old")
    it.main.title = "there.ods - Calc"
    it.desktop.note_file(await it.bench.root(), path)
    result = await it.bench.run("choose_file", path=str(path), create=create, overwrite=overwrite)
    assert (result.effect, path.read_text()) == (Effect.CONFIRMED, "written over"), result


@pytest.mark.requires("command.overwrite")
async def test_another_question_than_whether_to_replace_the_file_is_not_answered(tmp_path: Path) -> None:
    it, path = SaveDialog(), tmp_path / "there.ods"
    it.asks, it.asked = True, "Replace all settings?"
    path.write_text("old")
    result = await it.bench.run("choose_file", path=str(path), overwrite=True)
    assert (result.effect, path.read_text()) == (Effect.PARTIAL, "old"), result
    assert "Replace all settings?" in result.evidence


@pytest.mark.requires("command.effect")
@pytest.mark.parametrize("others", [0, 1])
async def test_the_file_dialog_may_be_the_window_itself(tmp_path: Path, others: int) -> None:
    it = SaveDialog()
    for _ in range(others):
        it.desktop.open(FakeWindow("Untitled 2", [], "calc"))
    on_dialog = Bench(it.desktop, it.dialog)
    result = await on_dialog.run("choose_file", path=str(tmp_path / "sales.ods"), create=True)
    named = "" if others else ", and the window is named after it"
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, f"sales.ods was written (7 bytes){named}")


@pytest.mark.requires("command.effect")
async def test_a_dialog_over_another_document_of_the_program_says_nothing_of_a_file(tmp_path: Path) -> None:
    it = SaveDialog()
    other = it.desktop.open(FakeWindow("Untitled 2", [], "calc"))
    it.desktop.shown_windows.remove(other)
    it.desktop.shown_windows.append(other)
    tip = FakeWindow("Tip of the Day", [FakeControl(Role.LABEL, "Did you know?")], "calc", dialog=True, owner=other)

    def comes() -> None:
        it.desktop.open(tip)

    it.desktop.faults.before("do_action", comes)
    result = await it.bench.run("choose_file", path=str(tmp_path / "sales.ods"), create=True)
    assert (result.effect, result.evidence) == (
        Effect.CONFIRMED,
        "sales.ods was written (7 bytes), and the window is named after it",
    )


async def test_without_a_dialog_no_file_is_chosen(tmp_path: Path) -> None:
    result = await bench(FakeControl(Role.TEXTBOX, "Name")).run("choose_file", path=str(tmp_path / "a"), create=True)
    assert (result.effect, result.evidence) == (Effect.REFUSED, "no file dialog is open")


@pytest.mark.requires("command.effect")
async def test_a_file_that_never_came_is_partial_and_not_to_be_repeated(tmp_path: Path) -> None:
    it = SaveDialog(writes=False)
    result = await it.bench.run("choose_file", path=str(tmp_path / "sales.ods"), create=True)
    assert (result.effect, result.retry_safe) == (Effect.PARTIAL, False)
    assert result.evidence == "sales.ods was not there after 15 s"


@pytest.mark.requires("command.effect")
async def test_a_file_that_is_exported_is_confirmed_though_no_window_is_named_after_it(tmp_path: Path) -> None:
    result = await SaveDialog(renames=False).bench.run("choose_file", path=str(tmp_path / "a.pdf"), create=True)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, "a.pdf was written (7 bytes)")


@pytest.mark.requires("command.effect")
async def test_a_file_that_goes_on_growing_is_not_taken_for_written(tmp_path: Path) -> None:
    it, path = SaveDialog(renames=False), tmp_path / "a.pdf"
    grown = iter(range(1000))

    def grow() -> None:
        if path.exists():
            path.write_text("x" * (100 + next(grown)))

    for number in range(1, 200):
        it.desktop.faults.before("windows", grow, on_call=number)
    result = await it.bench.run("choose_file", path=str(path), create=True)
    assert (result.effect, result.evidence) == (Effect.PARTIAL, "a.pdf was still being written after 15 s")


@pytest.mark.requires("command.effect")
@pytest.mark.parametrize("create", [True, False])
async def test_a_dialog_that_stays_open_is_what_is_told(tmp_path: Path, create: bool) -> None:
    it, path = SaveDialog(writes=False, button="Save" if create else "Open"), tmp_path / "a.ods"
    it.closes = False
    if not create:
        path.touch()
    result = await it.bench.run("choose_file", path=str(path), create=create)
    assert (result.effect, result.evidence) == (Effect.PARTIAL, 'dialog "Save as" was still open after 15 s')


async def test_what_a_message_box_says_is_the_evidence(tmp_path: Path) -> None:
    result = await SaveDialog().bench.run("choose_file", path=str(tmp_path / "a.locked"), create=True)
    said = 'dialog "Error" shows: The file is locked. (answer it first: it stays in front until then)'
    assert (result.effect, result.evidence) == (Effect.PARTIAL, said)


@pytest.mark.parametrize(("over", "program"), [("dialog", "png plug-in"), ("window", "png plug-in"), ("", "calc")])
async def test_a_dialog_that_asks_for_more_after_the_choice_is_reported_at_once(
    over: str, program: str, tmp_path: Path
) -> None:
    it = SaveDialog(writes=False)
    it.closes = False
    owner = {"dialog": it.dialog, "window": it.main}.get(over)
    options = FakeWindow("Options", [FakeControl(Role.LABEL, "Quality")], program, dialog=True, owner=owner)
    it.desktop.faults.before("do_action", lambda: it.desktop.open(options) and None)
    result = await it.bench.run("choose_file", path=str(tmp_path / "a.png"), create=True)
    assert (result.effect, str(result.evidence)[:31]) == (Effect.PARTIAL, 'dialog "Options" shows: Quality')


@pytest.mark.parametrize(
    ("writes", "closes", "effect", "begins"),
    [
        (True, True, Effect.UNVERIFIABLE, 'a.torrent was written (7 bytes); dialog "Creator" shows: Torrent created'),
        (True, False, Effect.PARTIAL, 'dialog "Creator" shows: Torrent created'),
        (False, True, Effect.PARTIAL, 'dialog "Creator" shows: Torrent created'),
    ],
)
async def test_a_message_after_a_file_was_written_is_reported_beside_it(
    writes: bool, closes: bool, effect: Effect, begins: str, tmp_path: Path
) -> None:
    it = SaveDialog(writes=writes, renames=False)
    it.closes = closes
    text = FakeControl(Role.LABEL, "Torrent created")
    it.desktop.faults.before(
        "do_action", lambda: it.desktop.open(FakeWindow("Creator", [text], "calc", dialog=True)) and None
    )
    result = await it.bench.run("choose_file", path=str(tmp_path / "a.torrent"), create=True)
    assert (result.effect, str(result.evidence).partition(" (answer")[0]) == (effect, begins)


async def test_a_dialog_that_was_open_before_is_no_message(tmp_path: Path) -> None:
    it = SaveDialog(renames=False)
    it.desktop.shown_windows.remove(it.dialog)
    it.desktop.open(FakeWindow("Address List", [], "calc", dialog=True))
    it.desktop.open(it.dialog)
    result = await it.bench.run("choose_file", path=str(tmp_path / "a.csv"), create=True)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, "a.csv was written (7 bytes)")


@pytest.mark.requires("command.effect")
async def test_a_message_box_without_a_title_is_told_by_its_role_also_where_it_stays_in_front(tmp_path: Path) -> None:
    it = SaveDialog()
    it.error_title = ""
    result = await it.bench.run("choose_file", path=str(tmp_path / "a.locked"), create=True)
    assert result.evidence.startswith("a dialog without a title shows: The file is locked.")
    again = await it.bench.run("choose_file", path=str(tmp_path / "b.ods"), create=True)
    assert again.error
    assert again.error.message == "a dialog without a title has no field for a file name"
    assert "answer it first" in again.error.fix


@pytest.mark.parametrize(
    ("name", "create", "said"),
    [
        ("there", True, "exists already"),
        ("missing", False, "does not exist"),
        ("", True, "is not an absolute path"),
        ("missing/a.ods", True, "missing is not there"),
        ("there/a.ods", True, "there is not there"),
    ],
)
async def test_a_path_that_does_not_fit_is_refused_before_anything_is_typed(
    tmp_path: Path, name: str, create: bool, said: str
) -> None:
    it = SaveDialog()
    (tmp_path / "there").touch()
    result = await it.bench.run("choose_file", path=str(tmp_path / name) if name else "sales.ods", create=create)
    assert (result.effect, it.field.value) == (Effect.REFUSED, "Untitled 1")
    assert result.error
    assert said in result.error.message
    assert result.error.fix
    assert said in result.evidence


@pytest.mark.parametrize("taken", ["dialog", "field", "button"])
async def test_without_a_dialog_its_field_or_its_button_nothing_is_done(tmp_path: Path, taken: str) -> None:
    it = SaveDialog()
    if taken == "dialog":
        it.desktop.close_window(it.dialog)
    else:
        it.dialog.controls.remove(it.field if taken == "field" else it.dialog.find("Save"))
    result = await it.bench.run("choose_file", path=str(tmp_path / "a.ods"), create=True)
    assert (result.effect, result.delivered) == (Effect.REFUSED, False)


async def test_a_window_is_brought_to_the_front() -> None:
    it = bench(FakeControl(Role.BUTTON, "Save"))
    it.desktop.open(FakeWindow("Other", [], "other"))
    command = await it.command("get_app_window_info")
    root = await it.root()
    parameters: dict[str, JsonValue] = {"id": "2", "name": "Main"}
    chosen = replace(command, tool_name="select_application_window", parameters=parameters, target=root)
    assert (await it.send(replace(chosen, tool_type=ToolType.ACTION))).effect is Effect.CONFIRMED
    assert it.desktop.shown_windows[0].title == "Main"


@pytest.mark.requires("desktop.states-final")
async def test_a_control_that_is_disabled_for_the_moment_is_looked_at_again_once_states_are_final() -> None:
    save, label = counter()
    save.states.add("disabled")
    it = bench(save, label)
    it.desktop.faults.late_states = lambda: save.states.discard("disabled")
    result = await it.run("invoke", save)
    assert (what(result), label.name) == ((Effect.CONFIRMED, Route.ACCESSIBILITY), "1")
    save.states.add("disabled")
    refused = await it.run("invoke", save)
    assert (refused.effect, label.name) == (Effect.REFUSED, "1")


@pytest.mark.requires("desktop.states-final")
async def test_a_box_that_shows_an_old_state_is_not_toggled_the_wrong_way() -> None:
    box = FakeControl(Role.CHECKBOX, "Bold")
    it = bench(box)
    it.desktop.faults.late_states = lambda: box.states.add("checked")
    result = await it.run("set_value", box, value=True)
    assert result.evidence is not None
    assert "already is checked" in result.evidence
    assert "checked" in box.states


async def test_an_observation_that_was_not_quiet_says_what_was_going_on() -> None:
    save, label = counter()
    it = bench(save, label)
    quiet = await it.run("observe_window")
    it.desktop.faults.never_settles = True
    restless = await it.run("observe_window")
    assert isinstance(quiet.result, Observation)
    assert isinstance(restless.result, Observation)
    assert quiet.result.unsettled == ""
    assert restless.result.unsettled == "not quiet within 3.00 s: the interface, as it was told to"


@pytest.mark.requires("identity.click-looks-last")
async def test_a_click_goes_where_its_control_is_once_the_window_is_in_front() -> None:
    log: list[str] = []
    save = FakeControl(Role.BUTTON, "Save", on_click=lambda: log.append("Save"))
    discard = FakeControl(Role.BUTTON, "Discard", on_click=lambda: log.append("Discard"))
    it = bench(save)
    it.desktop.faults.before("activate", lambda: it.window.controls.insert(0, discard))
    await it.run("click_input", save)
    assert log == ["Save"]


@pytest.mark.requires("identity.click-looks-last")
async def test_a_click_on_what_went_while_the_window_came_to_the_front_is_refused() -> None:
    log: list[str] = []
    save = FakeControl(Role.BUTTON, "Save", on_click=lambda: log.append("Save"))
    discard = FakeControl(Role.BUTTON, "Discard", on_click=lambda: log.append("Discard"))
    it = bench(save)
    it.desktop.open(FakeWindow("Over it", [], "other"))
    it.desktop.faults.before("activate", lambda: it.window.controls.__setitem__(0, discard))
    result = await it.run("click_input", save)
    assert (log, result.effect, result.delivered) == ([], Effect.REFUSED, False)


@pytest.mark.requires("identity.refused-at-rest")
async def test_a_control_that_does_not_show_while_its_window_is_laid_out_anew_is_found_once_that_rests() -> None:
    log: list[str] = []
    save = FakeControl(Role.BUTTON, "Save", on_click=lambda: log.append("Save"))
    it = bench(save, FakeControl(Role.BUTTON, "Help"))
    command = await it.command("click_input", save)
    it.window.controls.remove(save)
    it.desktop.faults.before("settle", lambda: it.window.controls.insert(0, save))
    assert (await it.send(command)).delivered
    assert log == ["Save"]


@pytest.mark.requires("identity.refused-at-rest")
async def test_a_control_that_is_gone_when_its_window_rests_is_refused() -> None:
    save = FakeControl(Role.BUTTON, "Save")
    it = bench(save, FakeControl(Role.BUTTON, "Help"))
    command = await it.command("click_input", save)
    it.window.controls.remove(save)
    with pytest.raises(ElementStale):
        await it.dispatcher.resolve(command)
    assert len(it.desktop.calls_of("settle")) == 1


class Hesitant(FakeDesktop):
    """One that waits before it clicks where it clicked before, and on which something moves meanwhile."""

    meanwhile: Callable[[], None]

    async def wait_out_double_click(self, point: Point, *, button: MouseButton = MouseButton.LEFT) -> bool:
        self.meanwhile()
        return not await super().wait_out_double_click(point, button=button)


@pytest.mark.requires("identity.click-looks-last")
async def test_a_click_goes_where_its_control_is_once_it_is_no_double_click_any_more() -> None:
    log: list[str] = []
    save = FakeControl(Role.BUTTON, "Save", on_click=lambda: log.append("Save"))
    discard = FakeControl(Role.BUTTON, "Discard", on_click=lambda: log.append("Discard"))
    desktop = Hesitant()
    it = Bench(desktop, desktop.open(FakeWindow("Main", [save], "app")))
    desktop.meanwhile = lambda: it.window.controls.insert(0, discard)
    await it.run("click_input", save)
    assert log == ["Save"]


@pytest.mark.requires("desktop.geometry")
async def test_a_click_goes_to_what_can_be_seen_of_a_control_and_is_refused_where_that_is_nothing() -> None:
    pressed: list[str] = []
    half = FakeControl(Role.BUTTON, "Half", rect=Rect(590, 10, 700, 30), on_click=lambda: pressed.append("half"))
    outside = FakeControl(Role.BUTTON, "Outside", rect=Rect(700, 50, 800, 70), on_click=lambda: pressed.append("out"))
    under = FakeControl(Role.BUTTON, "Under", rect=Rect(40, 200, 140, 220), on_click=lambda: pressed.append("under"))
    desktop = FakeDesktop(screen=Rect(0, 0, 640, 480))
    it = Bench(desktop, desktop.open(FakeWindow("Main", [half, outside, under], "app", rect=Rect(0, 0, 900, 480))))
    assert (await it.run("click_input", half)).delivered
    assert pressed == ["half"]
    away = await it.run("click_input", outside)
    assert (away.effect, away.delivered) == (Effect.REFUSED, False)
    desktop.open(FakeWindow("Ask", [FakeControl(Role.BUTTON, "OK")], "app", dialog=True, rect=Rect(20, 150, 300, 300)))
    covered = await it.run("click_input", under)
    assert (covered.effect, covered.delivered) == (Effect.REFUSED, False)
    assert covered.error is not None
    assert '"Ask"' in covered.error.message
    assert pressed == ["half"]


class Stacked(FakeDesktop):
    """One of which each window is in the same place; `away` is minimized."""

    def __init__(self) -> None:
        super().__init__()
        self.away = ""

    async def windows(self) -> tuple[TargetInfo, ...]:
        listed = [replace(window, rect=Rect(10, 10, 200, 200)) for window in await super().windows()]
        return tuple(
            replace(window, states=window.states | {MINIMIZED}) if window.name == self.away else window
            for window in listed
        )


@pytest.mark.requires("observe.minimized", "observe.never-invented")
async def test_there_is_no_picture_of_a_minimized_window_and_what_lies_over_one_is_told() -> None:
    desktop = Stacked()
    it = Bench(desktop, desktop.open(FakeWindow("Main", [], "app")))
    alone = await it.run("capture_window_screenshot")
    assert isinstance(alone.result, Picture)
    assert alone.evidence == ""
    it.desktop.open(FakeWindow("Other", [], "other"))
    covered = await it.run("capture_window_screenshot")
    assert isinstance(covered.result, Picture)
    assert covered.evidence == 'in front of it, and in the picture: window "Other"'
    desktop.away = "Main"
    away = await it.run("capture_window_screenshot")
    assert away.error is not None
    assert (away.error.type, away.result) == ("CaptureFailed", None)


@pytest.mark.parametrize("at_once", [True, False], ids=["gone", "gone for accessibility first"])
async def test_a_dialog_that_closes_while_it_is_observed_gives_way_to_its_window(at_once: bool) -> None:
    desktop = FakeDesktop()
    it = Bench(desktop, desktop.open(FakeWindow("Files", [FakeControl(Role.LABEL, "1 folder")], "app")))
    command = await it.command("observe_window")
    dialog = desktop.open(FakeWindow("Create folder", application="app", dialog=True, owner=it.window))
    if not at_once:
        desktop.faults.fail("observe", ApplicationGone("no accessible window answers to it"))
    desktop.faults.before(
        "observe" if at_once else "windows", lambda: desktop.close_window(dialog), on_call=1 + (not at_once)
    )
    result = await it.send(command)
    assert isinstance(result.result, Observation), result.error
    assert [control.name for control in result.result.controls] == ["1 folder"]


@pytest.mark.requires("command.launch-registry")
async def test_a_launch_reports_a_window_that_was_open_before_and_a_dialog_as_such() -> None:
    notes = FakeWindow("Notes")

    def open_notes(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        del desktop, file
        return notes

    def ask(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        del desktop, file
        return FakeWindow("Repair?", dialog=True)

    it = bench(applications=(FakeApplication("notes", open_notes), FakeApplication("broken", ask)))
    launched = [await it.run("launch_application", application=name) for name in ("notes", "notes", "broken")]
    assert [result.evidence for result in launched] == [
        'the window "Notes" appeared',
        'the window "Notes" was open already',
        'the dialog "Repair?" appeared',
    ]
