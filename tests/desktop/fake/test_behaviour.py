"""What fake controls do under keys, wheel and pointer."""

import pytest

from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeTable, FakeWindow, cell_name, parse_range, spreadsheet
from deskhand.desktop.protocols.input import Chord


def desktop_with(*controls: FakeControl) -> FakeDesktop:
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", list(controls)))
    return desktop


def ctrl(key: str) -> Chord:
    return Chord(key, ("ctrl",))


async def test_all_text_can_be_selected_cut_and_replaced() -> None:
    box = FakeControl(Role.TEXTBOX, "Name", "Ada")
    desktop = desktop_with(box)
    await desktop.press([ctrl("a"), ctrl("x")])
    assert (box.value, await desktop.read_clipboard()) == ("", b"Ada")
    await desktop.press([ctrl("v"), Chord("!"), ctrl("a"), Chord("B")])
    assert box.value == "B"


async def test_a_password_is_never_copied() -> None:
    desktop = desktop_with(FakeControl(Role.PASSWORD, "Secret", "xyzzy"))
    await desktop.press([ctrl("a"), ctrl("c")])
    assert await desktop.read_clipboard() == b""


async def test_an_application_hears_of_new_text_and_of_enter() -> None:
    heard: list[str] = []
    box = FakeControl(Role.TEXTBOX, "Find", on_text=heard.append, on_activate=lambda: heard.append("enter"))
    await desktop_with(box).press([Chord("a"), Chord("b"), Chord("enter")])
    assert heard == ["a", "ab", "enter"]


async def test_enter_is_a_line_feed_where_there_are_lines() -> None:
    box = FakeControl(Role.TEXTBOX, "Text", states={"multi_line"})
    await desktop_with(box).press([Chord("a"), Chord("enter"), Chord("b")])
    assert box.value == "a\nb"


async def test_tab_goes_round_the_controls_that_take_the_keyboard() -> None:
    first, second = FakeControl(Role.TEXTBOX, "1"), FakeControl(Role.TEXTBOX, "2")
    desktop = desktop_with(
        first, FakeControl(Role.LABEL, "no"), FakeControl(Role.BUTTON, "off", states={"hidden"}), second
    )
    await desktop.press([Chord("tab"), Chord("x"), Chord("tab"), Chord("y")])
    assert (first.value, second.value) == ("y", "x")


async def test_arrows_walk_a_list_and_stop_at_its_end() -> None:
    items = [FakeControl(Role.LISTITEM, name) for name in "ab"]
    desktop = desktop_with(FakeControl(Role.LIST, "L", children=items))
    await desktop.press([Chord("down"), Chord("down"), Chord("down")])
    assert [item.name for item in items if "selected" in item.states] == ["b"]


async def test_a_number_stays_within_its_limits() -> None:
    count = FakeControl(Role.SPINBUTTON, "Count", "9", limits=(0, 10))
    desktop = desktop_with(count)
    await desktop.press([Chord("up"), Chord("up")])
    assert count.value == "10"
    await desktop.set_value(desktop.target(count), -5)
    assert count.value == "0"


async def test_a_shortcut_of_the_window_comes_before_the_focused_control() -> None:
    saved: list[Chord] = []

    def save(chord: Chord) -> bool:
        if chord == ctrl("s"):
            saved.append(chord)
        return chord == ctrl("s")

    box = FakeControl(Role.TEXTBOX, "Text")
    desktop = FakeDesktop()
    desktop.open(FakeWindow("Main", [box], on_key=save))
    await desktop.press([ctrl("s"), Chord("s")])
    assert (saved, box.value) == ([ctrl("s")], "s")


async def test_a_removed_control_no_longer_gets_the_keys() -> None:
    box = FakeControl(Role.TEXTBOX, "Text")
    desktop = desktop_with(box)
    desktop.shown_windows[0].controls.clear()
    await desktop.press([Chord("x")])
    assert box.value == ""


async def test_one_radio_button_of_a_group_is_checked() -> None:
    radios = [FakeControl(Role.RADIO, name) for name in "ab"]
    desktop = desktop_with(FakeControl(Role.GROUP, "G", children=radios))
    for radio in radios:
        await desktop.do_action(desktop.target(radio))
    assert ["checked" in radio.states for radio in radios] == [False, True]


async def test_choosing_in_a_combo_box_changes_its_value() -> None:
    items = [FakeControl(Role.LISTITEM, name) for name in ("ods", "xlsx")]
    combo = FakeControl(Role.COMBOBOX, "Format", "ods", children=items)
    desktop = desktop_with(combo)
    await desktop.select(desktop.target(items[1]))
    assert combo.value == "xlsx"


async def test_a_large_table_lists_the_block_in_sight_and_scrolls() -> None:
    sheet = spreadsheet()[1]
    desktop = desktop_with(sheet)
    assert sheet.table is not None
    await desktop.scroll(desktop.target(sheet).rect.center, -20)
    seen = await desktop.observe((await desktop.windows())[0], picture=False)
    names = [control.name for control in seen.controls if control.type is Role.CELL]
    assert (names[0], len(names)) == ("A21", 50)


async def test_escape_throws_typed_text_of_a_cell_away_and_delete_empties_the_selection() -> None:
    sheet = spreadsheet()[1]
    assert sheet.table is not None
    sheet.table.write(0, 0, [["a", "b"]])
    desktop = desktop_with(sheet)
    await desktop.press([Chord("x"), Chord("esc"), Chord("tab"), Chord("delete")])
    assert sheet.table.texts() == [["a"]]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("A1", (0, 0, 0, 0)),
        ("b2:d10", (1, 1, 9, 3)),
        ("AA1", (0, 26, 0, 26)),
        ("1A", None),
        ("A1:B2:C3", None),
        ("", None),
    ],
)
def test_ranges_are_read_as_a_spreadsheet_writes_them(text: str, place: tuple[int, ...] | None) -> None:
    assert parse_range(text) == place
    if place:
        assert cell_name(*place[:2]) == text.split(":", maxsplit=1)[0].upper()


def test_a_table_ends_where_it_ends() -> None:
    table = FakeTable.of([["a", "b"]])
    with pytest.raises(LookupError):
        table.cell(1, 0)
    assert table.texts() == [["a", "b"]]
