"""Texts and numbers that a control shows and its program does not have are not confirmed."""

from dataclasses import replace

import pytest

from commands.bench import Bench, bench
from deskhand.core.command import Effect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow, spreadsheet
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Settled, Until

pytestmark = pytest.mark.requires("effect.about")

NUMBERS = frozenset({"editable"})


def number_field(value: str, number: float) -> FakeControl:
    return FakeControl(Role.SPINBUTTON, "Delay", value, states={*NUMBERS}, number=number)


async def test_a_number_that_counts_when_its_field_is_left_is_partial_until_then() -> None:
    field = number_field("1", 1.0)
    it = bench(field, FakeControl(Role.BUTTON, "Apply"))
    it.window.focused = field

    def press(chord: Chord) -> bool:
        field.value = {"a": "", "tab": "43.00"}.get(chord.key, field.value + chord.key)
        field.number = 43.0 if chord.key == "tab" else field.number
        return True

    field.on_key = press
    typed = await it.run("keyboard_input", field, keys="{VK_CONTROL}a42")
    assert (typed.effect, "its program has 1" in typed.evidence) == (Effect.PARTIAL, True), typed
    assert "press {TAB}" in typed.evidence
    left = await it.run("keyboard_input", field, keys="{VK_CONTROL}a43{TAB}")
    assert left.effect is Effect.CONFIRMED, left


async def test_a_text_set_into_a_number_field_that_its_program_does_not_take_is_partial() -> None:
    field = number_field("47,00 dB", 47.0)
    it = bench(field)
    result = await it.run("set_edit_text", field, text="48,00 dB")
    assert (result.effect, "its program has 47" in result.evidence) == (Effect.PARTIAL, True), result


@pytest.mark.parametrize("around", [Role.TOOLBAR, Role.GROUP])
async def test_a_text_in_a_field_of_a_toolbar_is_typed_and_not_applied(around: Role) -> None:
    field = FakeControl(Role.TEXTBOX, "Style", "Default", states={"editable"})
    it = bench(FakeControl(around, "Formatting", children=[field]))
    wanted = Effect.UNVERIFIABLE if around is Role.TOOLBAR else Effect.CONFIRMED
    result = await it.run("set_edit_text", field, text="Heading 1")
    assert (result.effect, "not applied" in result.evidence) == (wanted, around is Role.TOOLBAR), result
    again = await it.run("set_edit_text", field, text="Heading 1")
    assert again.effect is wanted, again


async def test_a_text_with_content_controls_is_not_replaced() -> None:
    paragraph = FakeControl(Role.PARAGRAPH, "", "Date: 1.12.", states={"editable", "content_controls"})
    refused = await bench(paragraph).run("set_edit_text", paragraph, text="new")
    assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused


async def test_a_text_in_a_shape_that_is_not_edited_is_refused_with_the_way_into_it() -> None:
    paragraph = FakeControl(Role.PARAGRAPH, "", "Title", states={"read_only"})
    it = bench(FakeControl(Role.GROUP, "Title TextShape", children=[paragraph]))
    refused = await it.run("set_edit_text", paragraph, text="new")
    assert refused.error is not None
    assert refused.error.fix == "double-click that shape, then type with keyboard_input"


async def test_a_cell_is_chosen_by_its_address_so_that_it_has_the_cursor() -> None:
    bar, cells = spreadsheet()
    it = bench(bar, cells)
    it.window.focused = cells
    cells.children.append(cell := FakeControl(Role.CELL, "C4"))
    result = await it.run("select_item", cell)
    assert (result.delivered, bar.children[0].value) == (True, "C4")
    assert it.desktop.calls_of("select") == []


async def test_a_block_with_a_character_that_no_document_holds_is_refused_before_anything_is_sent() -> None:
    bar, cells = spreadsheet()
    it = bench(bar, cells)
    it.window.focused = cells
    refused = await it.run("write_table", rows=[["a\u0001"]])
    assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused


@pytest.mark.parametrize(("text", "stays"), [("1.10", "1.10"), ("5.0", "5.0"), ("1.000", "1.000"), (1.10, "1.1")])
async def test_a_text_that_a_number_would_not_read_like_stays_a_text(text: str | float, stays: str) -> None:
    bar, cells = spreadsheet()
    it = bench(bar, cells)
    it.window.focused = cells
    result = await it.run("write_table", rows=[[text]])
    assert cells.table is not None
    assert (result.effect, cells.table.text(0, 0)) == (Effect.CONFIRMED, stays)
    assert ("text, not a number" in result.evidence) is isinstance(text, str)


@pytest.mark.parametrize(
    ("comes", "effect"), [("fewer", Effect.CONFIRMED), ("completions", Effect.UNVERIFIABLE), ("back", Effect.CONFIRMED)]
)
@pytest.mark.parametrize("tool", ["set_edit_text", "keyboard_input"])
async def test_a_text_in_a_toolbar_is_applied_where_it_filters_a_list_at_once(
    tool: str, comes: str, effect: Effect
) -> None:
    items = [FakeControl(Role.LISTITEM, name) for name in ("Pear", "Plum")]
    items[1].states |= {"hidden"} if comes == "back" else set[str]()
    found = FakeControl(Role.LIST, "Suggestions", children=[FakeControl(Role.LISTITEM, "Pear tree")])
    field = FakeControl(Role.TEXTBOX, "Search", states={"editable"})
    it = bench(FakeControl(Role.TOOLBAR, "Tools", children=[field]), FakeControl(Role.LIST, "Fruit", children=items))

    def filter_list(text: str) -> None:
        assert text
        if comes == "completions":
            it.window.controls.append(found)
        else:
            items[1].states ^= {"hidden"} if comes == "fewer" or "hidden" in items[1].states else set[str]()

    def key(chord: Chord) -> bool:
        field.value += chord.key
        filter_list(field.value)
        return True

    field.on_text, field.on_key = filter_list, key
    text = {"text": "r"} if tool == "set_edit_text" else {"keys": "r"}
    result = await it.run(tool, field, **text)
    assert (result.effect, "not applied" in result.evidence) == (effect, effect is Effect.UNVERIFIABLE), result


class AsksLate(FakeDesktop):
    """Opens a question after {ENTER}, once the dialog was quiet and its windows were listed."""

    entered = False
    quiet = False
    question: FakeWindow | None = None

    async def settle(
        self,
        window: TargetInfo | None = None,
        *,
        until: Until = Until.QUIET,
        quiet_s: float = 0.05,
        deadline_s: float = 3.0,
    ) -> Settled:
        self.quiet = self.entered and until is Until.QUIET
        return await super().settle(window, until=until, quiet_s=quiet_s, deadline_s=deadline_s)

    async def windows(self) -> tuple[TargetInfo, ...]:
        found = await super().windows()
        if self.quiet and self.question is not None:
            question, self.question = self.question, None
            self.open(question)
        return found


@pytest.mark.parametrize("asks", [True, False])
async def test_a_text_entered_in_a_dialog_that_asks_a_question_is_not_confirmed(asks: bool) -> None:
    name, desktop = FakeControl(Role.TEXTBOX, "Name", states={"editable"}), AsksLate()
    desktop.open(FakeWindow("Main", [FakeControl(Role.BUTTON, "New")], "app"))
    it = Bench(desktop, desktop.open(FakeWindow("Save", [name], "app", dialog=True)))
    it.window.focused = name
    desktop.question = FakeWindow("Save", [FakeControl(Role.BUTTON, "Yes")], "app", dialog=True) if asks else None

    def key(chord: Chord) -> bool:
        desktop.entered = chord.key == "enter"
        name.value += "" if desktop.entered else chord.key
        return True

    name.on_key = key
    result = await it.run("keyboard_input", keys="a.odt{ENTER}")
    assert (result.effect is Effect.CONFIRMED) is not asks, result


class StaleAlone(FakeDesktop):
    """Reads a control alone as it was in the latest observation of its window."""

    seen: Observation | None = None

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,
        other_pages: bool = False,
        deadline_s: float = 5.0,
    ) -> Observation:
        self.seen = await super().observe(
            window, picture=picture, texts=texts, other_pages=other_pages, deadline_s=deadline_s
        )
        return self.seen

    async def resolve(self, target: TargetInfo) -> TargetInfo:
        now = await super().resolve(target)
        stale = self.seen.find(target.handle) if self.seen else None
        return replace(now, value=stale.value, states=stale.states) if stale else now


@pytest.mark.parametrize("tool", ["click_input", "invoke", "keyboard_input"])
async def test_a_control_that_reads_as_before_alone_is_confirmed_by_its_window(tool: str) -> None:
    box, field = FakeControl(Role.CHECKBOX, "Agree"), FakeControl(Role.TEXTBOX, "Code")
    desktop = StaleAlone()
    it = Bench(desktop, desktop.open(FakeWindow("Main", [box, field], "app")))
    it.window.focused = field
    result = await (it.run(tool, field, keys="AB12") if tool == "keyboard_input" else it.run(tool, box))
    assert (result.effect, "as before" in result.evidence) == (Effect.CONFIRMED, False), result
