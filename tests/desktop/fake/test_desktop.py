"""The fake desktop beyond the contract it shares with the others: scripting, recording and faults."""

from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    DesktopBusy,
    DesktopGone,
    ElementStale,
    LaunchFailed,
)
from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.desktop.fake import Call, FakeApplication, FakeControl, FakeDesktop, FakeTable, FakeWindow, spreadsheet
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.windows import Application, Quiet


def contract_of(desktop: FakeDesktop) -> Desktop:
    """Type-checked proof that the fake is a Desktop."""
    return desktop


async def test_the_example_of_the_docstring_works() -> None:
    clicked: list[str] = []
    save = FakeControl(Role.BUTTON, "Save", on_click=lambda: clicked.append("save"))
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Notes", [FakeControl(Role.TEXTBOX, "Text"), save], application="notes"))

    (window,) = await contract_of(desktop).windows()
    seen = await desktop.observe(window)
    await desktop.do_action(seen.controls[1])

    assert clicked == ["save"]


async def test_every_call_is_recorded_in_order_with_handle_and_arguments() -> None:
    box = FakeControl(Role.TEXTBOX, "Name")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Form", [box]))
    target = desktop.target(box)

    await desktop.set_text(target, "Ada")
    await desktop.press([Chord("tab")])

    assert desktop.calls == [
        Call("set_text", target.handle, {"text": "Ada"}),
        Call("press", "", {"chords": (Chord("tab"),)}),
    ]
    assert desktop.calls_of("press") == desktop.calls[1:]


async def test_launch_opens_what_was_registered_with_its_document() -> None:
    def editor(_: FakeDesktop, file: Path | None) -> FakeWindow:
        return FakeWindow(f"{file.name if file else 'untitled'} - Editor", [FakeControl(Role.TEXTBOX, "Text")])

    desktop = FakeDesktop([FakeApplication("editor", editor)])
    window = await desktop.launch(Application("editor", ("editor",)), Path("/documents/a.txt"))

    assert (window.name, window.application) == ("a.txt - Editor", "editor")
    assert (await desktop.windows())[0].handle == window.handle
    with pytest.raises(LaunchFailed, match="mail"):
        await desktop.launch(Application("mail", ("mail",)))


async def test_a_second_action_at_the_same_time_is_refused() -> None:
    box = FakeControl(Role.TEXTBOX, "Name")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Form", [box]))
    refused: list[DesktopBusy] = []

    async def type_text() -> None:
        try:
            await desktop.set_text(desktop.target(box), "x")
        except DesktopBusy as error:
            refused.append(error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(type_text)
        tasks.start_soon(type_text)

    assert len(refused) == 1


async def test_a_planned_error_comes_at_the_planned_call_and_once() -> None:
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Form"))
    (window,) = await desktop.windows()
    desktop.faults.fail("observe", ApplicationUnresponsive("Form does not answer"), on_call=2)

    await desktop.observe(window)
    with pytest.raises(ApplicationUnresponsive):
        await desktop.observe(window)
    await desktop.observe(window)


async def test_a_lie_returns_and_changes_nothing() -> None:
    box = FakeControl(Role.CHECKBOX, "Agree")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Form", [box]))
    desktop.faults.lie("do_action")

    await desktop.do_action(desktop.target(box))
    assert "checked" not in box.states
    await desktop.do_action(desktop.target(box))
    assert "checked" in box.states


async def test_a_hang_lasts_until_it_is_cancelled_and_leaves_the_desktop_usable() -> None:
    box = FakeControl(Role.TEXTBOX, "Name")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Form", [box]))
    desktop.faults.hang("set_text")

    with anyio.move_on_after(0.01) as scope:
        await desktop.set_text(desktop.target(box), "lost")
    assert scope.cancelled_caught
    await desktop.set_text(desktop.target(box), "kept")
    assert box.value == "kept"


async def test_an_application_that_dies_takes_all_its_windows() -> None:
    button = FakeControl(Role.BUTTON, "OK")
    desktop = FakeDesktop()
    main = desktop.open(FakeWindow("Main", [button], application="a"))
    desktop.open(FakeWindow("Dialog", application="a", dialog=True))
    desktop.open(FakeWindow("Other", application="b"))
    target = desktop.target(button)
    desktop.faults.before("resolve", lambda: desktop.faults.application_dies(main))

    with pytest.raises(ApplicationGone):
        await desktop.resolve(target)
    assert [window.name for window in await desktop.windows()] == ["Other"]


async def test_a_stale_control_is_found_again_under_its_label() -> None:
    button = FakeControl(Role.BUTTON, "OK")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [button]))
    before = desktop.target(button)
    desktop.faults.stale(button)

    with pytest.raises(ElementStale):
        await desktop.do_action(before)
    found = await desktop.resolve(before)
    assert found.handle != before.handle
    await desktop.do_action(found)


async def test_a_lost_desktop_is_gone_for_every_call() -> None:
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main"))
    (window,) = await desktop.windows()
    desktop.faults.lost_desktop = True

    with pytest.raises(DesktopGone):
        await desktop.observe(window)
    with pytest.raises(DesktopGone):
        await desktop.press([Chord("a")])
    with pytest.raises(DesktopGone):
        await desktop.settle()


async def test_a_desktop_that_never_settles_says_deadline() -> None:
    desktop = FakeDesktop()
    assert (await desktop.settle()).reason is Quiet.SETTLED
    desktop.faults.never_settles = True
    assert (await desktop.settle(deadline_s=2)).reason is Quiet.DEADLINE


@pytest.mark.requires("observe.partial")
async def test_an_observation_can_be_cut() -> None:
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, str(number)) for number in range(5)]))
    desktop.faults.truncate_after = 3
    seen = await desktop.observe((await desktop.windows())[0])
    assert len(seen.controls) == 3
    assert seen.truncated is not None
    assert seen.truncated.omitted == 2


async def test_wait_until_looks_again_after_every_change() -> None:
    label = FakeControl(Role.LABEL, "State", "busy")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [label]))
    looked: list[str] = []

    async def ready() -> str | None:
        looked.append(label.value)
        return label.value if label.value == "ready" else None

    async def change() -> None:
        await anyio.wait_all_tasks_blocked()
        label.value = "nearly"
        desktop.touch()
        await anyio.wait_all_tasks_blocked()
        label.value = "ready"
        desktop.touch()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(change)
            assert await desktop.wait_until(ready, deadline_s=5) == "ready"
    assert looked == ["busy", "nearly", "ready"]


async def test_a_spreadsheet_takes_a_range_text_and_pasted_blocks() -> None:
    bar, sheet = spreadsheet()
    name_box = bar.children[0]
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Calc", [bar, sheet]))
    table = sheet.table
    assert table is not None

    await desktop.set_text(desktop.target(name_box), "B2")
    await desktop.do_action(desktop.target(name_box))
    await desktop.focus(desktop.target(sheet))
    await desktop.offer_clipboard({"UTF8_STRING": b"North\t1\nSouth\t2"})
    await desktop.press([Chord("v", ("ctrl",))])
    assert name_box.value == "B2:C3"
    await desktop.press([Chord("h"), Chord("i"), Chord("enter")])

    cells = await desktop.read_table(desktop.target(sheet), range(1, 3), range(1, 3))
    assert cells == (("hi", "1"), ("South", "2"))
    assert await desktop.table_shape(desktop.target(sheet)) == (1_048_576, 16_384)
    with pytest.raises(ActionRefused, match="too large"):
        await desktop.read_table(desktop.target(sheet))
    assert table.texts() == [["", "", ""], ["", "hi", "1"], ["", "South", "2"]]
    seen = await desktop.observe((await desktop.windows())[0])
    assert [c.name for c in seen.controls if c.type is Role.CELL][:6] == ["A1", "B1", "C1", "D1", "E1", "A2"]


async def test_dragging_over_cells_selects_a_block() -> None:
    sheet = FakeControl(Role.TABLE, "T", table=FakeTable.of([["a", "b"], ["c", "d"]]))
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [sheet]))
    seen = await desktop.observe((await desktop.windows())[0])
    cells = {control.name: control for control in seen.controls if control.type is Role.CELL}

    await desktop.drag(cells["a"].rect.center, cells["d"].rect.center)
    assert await desktop.selected_count(desktop.target(sheet)) == 4


async def test_a_dialog_keeps_its_application_from_being_clicked_and_goes_at_escape() -> None:
    clicks: list[str] = []
    desktop = FakeDesktop()
    button = FakeControl(Role.BUTTON, "Main", rect=Rect(30, 60, 90, 80), on_click=lambda: clicks.append("main"))
    desktop.open(FakeWindow("Main", [button], application="a"))
    desktop.open(FakeWindow("Dialog", application="a", dialog=True, rect=Rect(200, 200, 300, 260)))

    await desktop.click(Point(35, 65))
    assert clicks == []
    await desktop.press([Chord("esc")])
    await desktop.click(Point(35, 65))
    assert clicks == ["main"]


async def test_the_other_buttons_and_a_double_click_reach_their_handlers() -> None:
    heard: list[str] = []
    item = FakeControl(
        Role.LISTITEM,
        "File",
        on_double_click=lambda: heard.append("double"),
        on_right_click=lambda: heard.append("right"),
    )
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [FakeControl(Role.LIST, "Files", children=[item])]))
    point = desktop.target(item).rect.center

    await desktop.click(point, count=2)
    await desktop.click(point, button=MouseButton.RIGHT)
    assert heard == ["double", "right"]


async def test_enter_presses_the_default_button_and_disabled_controls_refuse() -> None:
    heard: list[str] = []
    ok = FakeControl(Role.BUTTON, "OK", states={"default"}, on_click=lambda: heard.append("ok"))
    off = FakeControl(Role.BUTTON, "Off", states={"disabled"})
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [FakeControl(Role.TEXTBOX, "Name"), ok, off]))

    await desktop.press([Chord("A"), Chord("enter")])
    assert heard == ["ok"]
    with pytest.raises(ActionRefused, match="disabled"):
        await desktop.do_action(desktop.target(off))


async def test_a_menu_lists_its_items_only_while_open() -> None:
    item = FakeControl(Role.MENUITEM, "Open...")
    menu = FakeControl(Role.MENU, "File", children=[item])
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [FakeControl(Role.MENUBAR, children=[menu]), FakeControl(Role.BUTTON, "Under")]))
    (window,) = await desktop.windows()

    assert "Open..." not in [control.name for control in (await desktop.observe(window)).controls]
    await desktop.click(desktop.target(menu).rect.center)
    seen = {control.name: control for control in (await desktop.observe(window)).controls}
    await desktop.click(seen["Open..."].rect.center)
    assert "expanded" not in menu.states
