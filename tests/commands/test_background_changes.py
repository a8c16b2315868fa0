"""What changes by itself is no effect of an action, whoever presses whatever meanwhile (contract 4.3)."""

from collections.abc import Callable
from dataclasses import replace

import anyio
import pytest

from commands.bench import Bench, bench
from deskhand.commands.effects import background_changes
from deskhand.core.command import Command, Effect, Result
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import Trait
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow

TICK_S = 0.1
pytestmark = pytest.mark.requires("effect.restless")


def clock() -> FakeControl:
    return FakeControl(Role.LABEL, "0:00")


async def beside(it: Bench, command: Command, *turns: Callable[[int], None]) -> Result:
    """One action while something in its application changes all the time."""
    done: list[Result] = []

    async def act() -> None:
        done.append(await it.send(command))
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(act)
        number = 0
        while True:
            with anyio.move_on_after(TICK_S):
                await anyio.sleep_forever()
            number += 1
            for turn in turns:
                turn(number)
            it.desktop.touch()
    return done[0]


def named(control: FakeControl) -> Callable[[int], None]:
    def turn(number: int) -> None:
        control.name = f"0:{number:02}"

    return turn


@pytest.mark.parametrize("is_painted", [True, False])
async def test_what_changed_once_beside_what_changes_again_confirms_only_by_its_own_picture(is_painted: bool) -> None:
    label, lamp, button = clock(), FakeControl(Role.LABEL, "Off"), FakeControl(Role.BUTTON, "Switch")

    def light() -> None:
        lamp.name = "On"

    button.on_click = light
    it = bench(label, lamp, button)
    it.desktop.faults.never_still = True
    if not is_painted:
        it.desktop.faults.unpainted.add(lamp)
    result = await beside(it, await it.command("invoke", button), named(label))
    assert result.effect is (Effect.CONFIRMED if is_painted else Effect.UNVERIFIABLE)
    assert 'label "Off" is now called "On"' in result.evidence


async def test_a_clock_that_ticked_since_the_window_was_seen_confirms_no_dead_button() -> None:
    label, dead = clock(), FakeControl(Role.BUTTON, "Dead")
    it = bench(label, dead)
    command = await it.command("invoke", dead)
    label.name = "9:59"
    result = await beside(it, command, named(label))
    assert (result.effect, result.retry_safe) == (Effect.UNVERIFIABLE, False)
    assert 'background changes were seen: label "9:59" is now called' in result.evidence


async def test_a_clock_that_nobody_saw_tick_before_confirms_no_dead_button_either() -> None:
    label, dead = clock(), FakeControl(Role.BUTTON, "Dead")
    it = bench(label, dead)
    it.desktop.faults.never_still = True
    result = await beside(it, await it.command("invoke", dead), named(label))
    assert result.effect is Effect.UNVERIFIABLE
    assert 'background changes were seen: label "0:00" is now called' in result.evidence


@pytest.mark.parametrize("calm", [False, True])
async def test_a_button_whose_effect_is_only_painted_is_no_dead_one_and_not_confirmed(calm: bool) -> None:
    canvas = FakeControl(Role.CANVAS, "Drawing", rect=Rect(40, 140, 320, 210))
    fill = FakeControl(Role.BUTTON, "Fill", on_click=lambda: canvas.states.add("tinted"))
    it = bench(FakeControl(Role.LABEL, "Ready"), FakeControl(Role.GROUP, "Page", children=[canvas]), fill)
    it.desktop.faults.never_still = not calm
    result = await it.run("invoke", fill)
    assert (result.effect, result.retry_safe) == (Effect.UNVERIFIABLE, False)
    assert 'nothing was reported, but something was painted at canvas "Drawing"' in result.evidence


@pytest.mark.parametrize(("steady", "effect"), [(True, Effect.UNVERIFIABLE), (False, Effect.SUSPECTED_NOOP)])
async def test_a_button_that_changes_another_window_of_its_program_is_no_dead_one(steady: bool, effect: Effect) -> None:
    """As "Replace All" of an editor's dialog; but what is painted again and again there is not its doing."""

    def put(number: int) -> None:
        text.value = str(number)

    text = FakeControl(Role.TEXTBOX, "Text", "old", rect=Rect(20, 120, 320, 210))
    it = bench(text)
    replace_all = FakeControl(Role.BUTTON, "Replace All", on_click=(lambda: put(0)) if steady else None)
    dialog = it.desktop.open(FakeWindow("Replace", [replace_all], "app", rect=Rect(500, 300, 800, 500)))
    it = Bench(it.desktop, dialog)
    command = await it.command("invoke", replace_all)
    if steady:
        result = await it.send(command)
        assert 'something was painted in window "Main"' in result.evidence
    else:
        result = await beside(it, command, put)
    assert (result.effect, result.retry_safe) == (effect, False), result.evidence


@pytest.mark.parametrize(
    ("role", "effect"), [(Role.MENUITEM, Effect.UNVERIFIABLE), (Role.BUTTON, Effect.SUSPECTED_NOOP)]
)
async def test_what_is_only_painted_where_a_menu_gives_the_keyboard_back_is_no_dead_item(
    role: Role, effect: Effect
) -> None:
    """As line numbers, which Mousepad's menu shows and hides, and of which nothing tells."""

    def show() -> None:
        text.states.add("tinted")
        it.window.focused = text

    text = FakeControl(Role.TEXTBOX, "Text", rect=Rect(40, 140, 320, 210))
    item = FakeControl(role, "Line Numbers", on_click=show)
    it = bench(FakeControl(Role.LABEL, "Ready"), FakeControl(Role.GROUP, "Page", children=[text]), item)
    it.window.focused = item
    result = await it.run("invoke", item)
    assert (result.effect, result.retry_safe) == (effect, False), result.evidence


async def test_what_is_painted_again_and_again_and_the_press_itself_are_no_signs_of_life() -> None:
    caret, dead = FakeControl(Role.CANVAS, "Caret"), FakeControl(Role.BUTTON, "Dead")
    dead.on_click = lambda: dead.states.add("tinted")
    it = bench(caret, FakeControl(Role.LABEL, "Ready"), FakeControl(Role.LABEL, "Steady"), dead)
    assert (await it.run("invoke", dead)).effect is Effect.SUSPECTED_NOOP
    it.desktop.faults.never_still = True

    def blink(_: int) -> None:
        caret.states ^= {"tinted"}

    result = await beside(it, await it.command("invoke", dead), blink)
    assert result.effect is Effect.SUSPECTED_NOOP, result.evidence


@pytest.mark.parametrize("known", [False, True])
async def test_a_button_that_works_beside_a_clock_is_confirmed_by_what_it_does(known: bool) -> None:
    label, status = clock(), FakeControl(Role.LABEL, "Ready")
    press = FakeControl(Role.BUTTON, "Save", on_click=lambda: setattr(status, "name", "Saved"))
    it = bench(label, status, press)
    it.desktop.faults.never_still = True
    command = await it.command("invoke", press)
    label.name = "9:59" if known else label.name
    result = await beside(it, command, named(label))
    assert (result.effect, result.evidence) == (
        Effect.CONFIRMED,
        'label "Ready" is now called "Saved"',
    )


async def test_what_changes_in_two_steps_after_an_action_was_changed_by_it() -> None:
    status = FakeControl(Role.LABEL, "Ready")
    press = FakeControl(Role.BUTTON, "Save", on_click=lambda: setattr(status, "name", "Saving"))
    it = bench(status, press)
    it.desktop.faults.never_still = True

    def turn(number: int) -> None:
        status.name = "Saved" if number > 1 else "Saving"

    assert (await beside(it, await it.command("invoke", press), turn)).effect is Effect.CONFIRMED


async def test_what_differs_because_of_an_earlier_action_of_ours_does_not_change_by_itself() -> None:
    status = FakeControl(Role.LABEL, "0")

    def press() -> None:
        status.name = str(int(status.name) + 1)

    button = FakeControl(Role.BUTTON, "Add", on_click=press)
    it = bench(status, button)
    first, second = await it.command("invoke", button), await it.command("invoke", button)
    second = replace(second, seen=first.seen)
    assert [(await it.send(command)).effect for command in (first, second)] == [Effect.CONFIRMED, Effect.CONFIRMED]


async def test_a_list_that_fills_by_itself_and_what_it_moves_confirm_nothing() -> None:
    rows, dead = FakeControl(Role.LIST, "Log"), FakeControl(Role.BUTTON, "Dead")
    it = bench(rows, dead)

    def fill(_: int) -> None:
        rows.children.append(FakeControl(Role.LISTITEM, f"line {len(rows.children)}"))

    command = await it.command("invoke", dead)
    fill(0)
    result = await beside(it, command, fill)
    assert result.effect is Effect.UNVERIFIABLE
    assert 'listitem "line 1" came' in result.evidence
    dead.on_click = lambda: rows.children.append(FakeControl(Role.BUTTON, "Undo"))
    command = await it.command("invoke", dead)
    fill(0)
    assert 'button "Undo" came' in (await beside(it, command, fill)).evidence


async def test_a_list_that_starts_again_with_the_object_of_an_old_item_confirms_nothing() -> None:
    rows, dead = (
        FakeControl(Role.LIST, "Log", children=[FakeControl(Role.LISTITEM, "line 0")]),
        FakeControl(Role.BUTTON, "Dead"),
    )
    it = bench(rows, dead)
    it.desktop.faults.never_still = True

    def fill(number: int) -> None:
        if number == 6:
            rows.children[:] = rows.children[-1:]
            rows.children[0].name = "line 0 again"
        else:
            rows.children.append(FakeControl(Role.LISTITEM, f"line {number}"))

    for number in range(1, 5):
        fill(number)
    command = await it.command("invoke", dead)
    fill(5)
    result = await beside(it, command, lambda number: fill(number + 5))
    assert result.effect is Effect.UNVERIFIABLE, result.evidence


async def test_what_came_and_went_by_itself_is_not_what_confirms_an_effect_that_comes_after_it() -> None:
    rows, status = FakeControl(Role.LIST, "Log"), FakeControl(Role.LABEL, "Ready")
    it = bench(rows, status, late := FakeControl(Role.BUTTON, "Late"))
    it.desktop.faults.never_still = True

    def turn(number: int) -> None:
        rows.children[:] = [
            FakeControl(Role.LISTITEM, f"line {number}.{row}") for row in range((0, 1, 2, 1, 0)[min(number, 4)])
        ]
        status.name = "Done" if number > 1 else "Ready"

    result = await beside(it, await it.command("invoke", late), turn)
    assert result.effect is Effect.CONFIRMED
    assert 'label "Ready" is now called "Done"' in result.evidence


async def test_a_title_that_changes_by_itself_confirms_nothing() -> None:
    dead = FakeControl(Role.BUTTON, "Dead")
    it = bench(dead, title="0:00")

    def turn(number: int) -> None:
        it.window.title = f"0:{number:02}"

    command = await it.command("invoke", dead)
    it.window.title = "9:59"
    result = await beside(it, command, turn)
    assert result.effect is Effect.UNVERIFIABLE
    assert 'background changes were seen: the window "9:59" is now' in result.evidence


@pytest.mark.parametrize(("every", "effect"), [(3, Effect.UNVERIFIABLE), (0, Effect.CONFIRMED)])
async def test_a_title_that_nobody_saw_change_before_confirms_no_dead_button(every: int, effect: Effect) -> None:
    button = FakeControl(Role.BUTTON, "Go")
    it = bench(button, title="Inbox 0")
    it.desktop.faults.never_still = True
    command = await it.command("invoke", button)

    def turn(number: int) -> None:
        if every and number % every == 1:
            it.window.title = f"Inbox {number}"

    button.on_click = None if every else lambda: setattr(it.window, "title", "Sent")
    result = await beside(it, command, turn)
    assert result.effect is effect, result


@pytest.mark.parametrize("replaced", [True, False])
async def test_a_page_that_a_dialog_turned_needs_no_wait_for_a_title_that_repeats(replaced: bool) -> None:
    desktop, began = FakeDesktop(), anyio.current_time()

    def turn() -> None:
        dialog.title = "Data Range"
        dialog.controls[:1] = [FakeControl(Role.TEXTBOX, "Range") if replaced else old]

    old, following = FakeControl(Role.TEXTBOX, "Type"), FakeControl(Role.BUTTON, "Next", on_click=turn)
    dialog = FakeWindow("Chart Type", [old, following], "app", dialog=True)
    it = Bench(desktop, desktop.open(dialog))
    it.desktop.faults.never_still = True
    result = await it.run("invoke", following)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'the window "Chart Type" is now "Data Range"')
    assert (anyio.current_time() - began < background_changes.TICK_S) is replaced, "virtual time"


async def test_a_text_that_gets_the_keyboard_is_not_waited_for_as_a_page_that_loads_again() -> None:
    began = anyio.current_time()
    it = bench(FakeControl(Role.BUTTON, "Ahead"), field := FakeControl(Role.TEXTBOX, "Name"))
    it.desktop.faults.never_still = True
    result = await it.run("click_input", field)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'textbox "Name" has the keyboard now')
    assert anyio.current_time() - began < background_changes.TICK_S, "virtual time"


async def test_a_window_that_opens_is_seen_while_its_program_does_not_answer() -> None:
    button = FakeControl(Role.BUTTON, "Chart")
    it = bench(button)
    command = await it.command("invoke", button)
    it.desktop.faults.hang("observe", on_call=2)  # the first look after the press

    def turn(number: int) -> None:
        if number == 1:
            it.desktop.open(FakeWindow("Chart Type", [], "app"))

    result = await beside(it, command, turn)
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'the window "Chart Type" appeared')


async def test_own_state_and_new_windows_are_effects_whatever_ticks() -> None:
    label, box = clock(), FakeControl(Role.CHECKBOX, "Bold")
    it = bench(label, box)
    command = await it.command("invoke", box)
    label.name = "9:59"
    result = await beside(it, command, named(label))
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'checkbox "Bold" [1] is now checked')


async def test_a_clock_of_seconds_confirms_no_dead_button_either() -> None:
    label, dead = clock(), FakeControl(Role.BUTTON, "Dead")
    it = bench(label, dead)
    it.desktop.faults.never_still = True

    def turn(number: int) -> None:
        label.name = f"0:{int(number * TICK_S):02}"

    result = await beside(it, await it.command("invoke", dead), turn)
    assert result.effect is Effect.UNVERIFIABLE
    assert 'background changes were seen: label "0:00" is now called' in result.evidence


async def test_of_an_application_that_is_late_it_is_waited_until_what_is_known_to_tick_does() -> None:
    """Two clocks, of which the agent saw only one tick; neither does for longer than a second after the press."""
    label, other, dead = clock(), clock(), FakeControl(Role.BUTTON, "Dead")
    it = bench(label, other, dead)
    it.desktop.faults.never_still = True
    command = await it.command("invoke", dead)
    label.name = "9:59"

    def turn(number: int) -> None:
        if number == 1 or number * TICK_S > 1.6:
            label.name = other.name = f"0:{number:02}"

    result = await beside(it, command, turn)
    assert result.effect is Effect.UNVERIFIABLE, result.evidence


@pytest.mark.requires("pictures.clicks")
@pytest.mark.parametrize(("every", "restless"), [(7, ()), (14, (Rect(0, 0, 400, 300),)), (14, None)])
async def test_a_prompt_that_blinks_in_a_picture_confirms_no_click(
    every: int, restless: tuple[Rect, ...] | None
) -> None:
    """It comes and goes each 0.7 s; each 1.4 s where its place is known to be painted again and again."""
    read = frozenset({Trait.READ_FROM_PICTURE})
    prompt = FakeControl(Role.TEXT, "INSERT COIN", traits=read, rect=Rect(20, 200, 120, 216))
    dead = FakeControl(Role.TEXT, "Start", traits=read, rect=Rect(20, 20, 120, 36))
    it = bench(dead)
    it.desktop.faults.never_still = not restless
    it.desktop.faults.restless = restless
    command = await it.command("click_input", dead)

    def blink(number: int) -> None:
        if number % every == 2:
            it.window.controls[:] = [dead] if prompt in it.window.controls else [dead, prompt]

    result = await beside(it, command, blink)
    assert result.effect is Effect.UNVERIFIABLE, result.evidence


@pytest.mark.requires("pictures.clicks")
async def test_a_text_that_a_click_changes_once_where_its_window_repaints_itself_confirms_it() -> None:
    read = frozenset({Trait.READ_FROM_PICTURE})
    score = FakeControl(Role.TEXT, "Score 0", traits=read, rect=Rect(20, 200, 120, 216))
    add = FakeControl(Role.TEXT, "Add", traits=read, on_click=lambda: setattr(score, "name", "Score 1"))
    it = bench(add, score)
    it.desktop.faults.restless = None
    result = await beside(it, await it.command("click_input", add), lambda _: None)
    assert result.effect is Effect.CONFIRMED, result.evidence


async def test_beside_a_clock_of_seconds_an_effect_is_known_once_that_ticked_once() -> None:
    """On the clock of the loop, which jumps."""
    label, status = clock(), FakeControl(Role.LABEL, "Ready")
    press = FakeControl(Role.BUTTON, "Save", on_click=lambda: setattr(status, "name", "Saved"))
    it = bench(label, status, press)
    it.desktop.faults.never_still = True
    command = await it.command("invoke", press)
    label.name = "9:59"
    ticks = list[int]()

    def turn(number: int) -> None:
        if number % 10 == 9:
            ticks.append(number)
            label.name = f"0:{number:02}"

    result = await beside(it, command, turn)
    assert (result.effect, ticks) == (Effect.CONFIRMED, [9])


@pytest.mark.parametrize("named_field", [True, False])
async def test_a_field_that_adds_to_the_typed_text_is_partial(named_field: bool) -> None:
    field = FakeControl(Role.TEXTBOX, "Notes")
    it = bench(field)
    it.desktop.faults.never_still = True
    command = await it.command("keyboard_input", field if named_field else None, keys="typed")

    def count(number: int) -> None:
        field.value = f"typed {number}" if field.value.startswith("typed") else field.value

    result = await beside(it, command, count)
    assert result.effect is Effect.PARTIAL, result
    assert 'not "typed"' in result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(("works", "effect"), [(True, Effect.CONFIRMED), (False, Effect.SUSPECTED_NOOP)])
@pytest.mark.parametrize("ticks", [False, True])
async def test_a_button_of_a_dialog_is_confirmed_by_its_effect_in_the_owner_window(
    ticks: bool, works: bool, effect: Effect
) -> None:
    text, label = FakeControl(Role.PARAGRAPH, "", "two words"), clock()
    desktop = FakeDesktop()
    main = desktop.open(FakeWindow("Main", [text, label], "app"))
    replace_all = FakeControl(Role.BUTTON, "Replace All")
    dialog = FakeWindow("Find and Replace", [replace_all], "app", dialog=True, owner=main)
    it = Bench(desktop, desktop.open(dialog))
    desktop.faults.never_still = ticks

    def press() -> None:
        text.value = "2 words" if works else text.value

    replace_all.on_click = press
    turns = [named(label)] if ticks else []
    result = await beside(it, await it.command("invoke", replace_all), *turns)
    assert (result.effect, 'in "Main": ' in result.evidence) == (effect, works), result


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("every", [2, 9, 24])
async def test_a_page_that_loads_itself_again_and_again_confirms_no_dead_button(every: int) -> None:
    dead = FakeControl(Role.BUTTON, "Dead")
    it = bench(FakeControl(Role.DOCUMENT, "News"), dead)
    it.desktop.faults.never_still = True

    def load(number: int) -> None:
        if number % every == 1:
            it.window.controls[0] = FakeControl(Role.DOCUMENT, "News")

    result = await beside(it, await it.command("click_input", dead), load)
    assert result.effect is Effect.UNVERIFIABLE, result
    assert 'document "News" was loaded again' in result.evidence


@pytest.mark.requires("effect.about")
async def test_a_page_that_a_button_loads_again_is_confirmed_beside_a_clock() -> None:
    label, button = clock(), FakeControl(Role.BUTTON, "Reload")
    it = bench(FakeControl(Role.DOCUMENT, "News"), label, button)
    it.desktop.faults.never_still = True

    def reload() -> None:
        it.window.controls[0] = FakeControl(Role.DOCUMENT, "News")

    button.on_click = reload
    result = await beside(it, await it.command("click_input", button), named(label))
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, 'document "News" was loaded again'), result
