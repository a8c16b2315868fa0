"""An action on a label, or on the frame around a field, is refused with the control that is meant."""

import pytest

from commands.bench import bench
from deskhand.core.command import Effect
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl

pytestmark = pytest.mark.requires("act.refusals")

LABEL = Rect(10, 10, 60, 30)
ON_THE_ROW = Rect(100, 8, 180, 32)
FURTHER = Rect(190, 8, 240, 32)
BELOW = Rect(10, 40, 180, 60)
FAR = Rect(10, 200, 180, 220)


def fix_of(error: object) -> str:
    return getattr(error, "fix", "")


@pytest.mark.parametrize("role", [Role.GROUP, Role.GENERIC])
async def test_the_frame_around_a_field_names_the_field(role: Role) -> None:
    field = FakeControl(Role.TEXTBOX, "", "old", states={"editable"})
    around = FakeControl(role, "Find", children=[field, FakeControl(Role.BUTTON)])
    it = bench(around)
    result = await it.run("set_edit_text", around, text="new")
    assert (result.effect, field.value) == (Effect.REFUSED, "old")
    assert fix_of(result.error) == 'write into textbox with value "old"'


async def test_a_frame_around_two_fields_names_neither() -> None:
    fields = [FakeControl(Role.TEXTBOX, name, states={"editable"}) for name in ("From", "To")]
    around = FakeControl(Role.GROUP, "Dates", children=fields)
    result = await bench(around).run("set_edit_text", around, text="new")
    assert "write into" not in fix_of(result.error)


@pytest.mark.parametrize(
    ("first", "second", "meant"),
    [(ON_THE_ROW, FURTHER, "Right"), (BELOW, ON_THE_ROW, "Left"), (FAR, BELOW, "Left")],
)
async def test_a_label_names_the_nearest_control_of_the_kind(first: Rect, second: Rect, meant: str) -> None:
    size = FakeControl(Role.LABEL, "Size", rect=LABEL, states={"read_only"})
    boxes = FakeControl(Role.COMBOBOX, "Right", rect=first), FakeControl(Role.COMBOBOX, "Left", rect=second)
    it = bench(FakeControl(Role.BUTTON, "Help", rect=Rect(70, 8, 90, 32)), size, *boxes)
    chosen = await it.run("select_item", size, item="A5")
    assert (chosen.effect, chosen.delivered) == (Effect.REFUSED, False)
    assert fix_of(chosen.error) == f'choose it in combobox "{meant}" beside it'
    written = await it.run("set_edit_text", size, text="A5")
    assert fix_of(written.error) == f'write into combobox "{meant}" beside it'


async def test_a_number_for_a_label_names_the_number_field_beside_it() -> None:
    label = FakeControl(Role.LABEL, "Volume", rect=LABEL)
    slider = FakeControl(Role.SLIDER, "", "3", rect=ON_THE_ROW, number=3.0)
    result = await bench(label, slider).run("set_value", label, value=7)
    assert (result.effect, slider.value) == (Effect.REFUSED, "3")
    assert fix_of(result.error) == 'set slider with value "3" beside it'


async def test_a_click_on_a_label_that_changes_nothing_names_the_control_beside_it() -> None:
    label = FakeControl(Role.LABEL, "Size", rect=LABEL)
    it = bench(label, FakeControl(Role.COMBOBOX, "A4", rect=ON_THE_ROW))
    result = await it.run("click_input", label)
    assert (result.effect, result.delivered) == (Effect.SUSPECTED_NOOP, True)
    assert result.evidence.endswith('; it is a text, and beside it is combobox "A4"')
    label.on_click = lambda: setattr(label, "value", "clicked")
    assert (await it.run("click_input", label)).effect is Effect.CONFIRMED


async def test_a_label_with_nothing_beside_it_is_refused_as_a_text() -> None:
    size = FakeControl(Role.LABEL, "Size", rect=LABEL)
    above = FakeControl(Role.COMBOBOX, "Other", rect=Rect(300, 0, 340, 8))
    result = await bench(size, above).run("select_item", size, item="A5")
    assert result.error is not None
    assert (result.error.message, result.error.fix) == (
        'label "Size" [1] is a text without items',
        "choose it in the list that is meant",
    )
