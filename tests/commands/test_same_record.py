"""An action is confirmed on the record that was meant: rows show other records with the same objects at any time."""

from dataclasses import dataclass, field

import pytest

from commands.bench import Bench, bench
from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl

NEXT = {"Ada": "Bob", "Bob": "Eve", "17 May": "18 May"}


@dataclass
class Rows:
    """Two rows of a list, each with its texts, a button and a field; `done` counts the presses."""

    texts: tuple[tuple[str, ...], ...]
    done: FakeControl = field(default_factory=lambda: FakeControl(Role.LABEL, "Done 0"))
    labels: list[list[FakeControl]] = field(default_factory=list[list[FakeControl]])
    buttons: list[FakeControl] = field(default_factory=list[FakeControl])
    fields: list[FakeControl] = field(default_factory=list[FakeControl])
    pressed: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def on_a_bench(self) -> Bench:
        rows: list[FakeControl] = []
        for number, texts in enumerate(self.texts):
            self.labels.append([FakeControl(Role.LABEL, text) for text in texts])
            self.buttons.append(FakeControl(Role.BUTTON, "Edit", actions=("click",)))
            self.fields.append(FakeControl(Role.TEXTBOX, "Note"))
            self.buttons[-1].on_click = lambda number=number: self.press(number)
            parts = [*self.labels[-1], self.buttons[-1], self.fields[-1]]
            rows.append(FakeControl(Role.LISTITEM, "", children=parts))
        return bench(FakeControl(Role.LIST, "People", children=rows), self.done)

    def press(self, number: int) -> None:
        self.pressed.append(tuple(label.name for label in self.labels[number]))
        self.done.name = f"Done {len(self.pressed)}"

    def recycle(self) -> None:
        for label in (label for labels in self.labels for label in labels):
            label.name = NEXT.get(label.name, label.name)


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(("tool", "method"), [("invoke", "do_action"), ("click_input", "click")])
async def test_a_press_that_met_another_record_is_unverifiable_with_both_texts(tool: str, method: str) -> None:
    rows = Rows((("Ada", "open"), ("Bob", "open")))
    it = rows.on_a_bench()
    it.desktop.faults.before(method, rows.recycle)
    result = await it.run(tool, rows.buttons[0])
    assert (result.effect, rows.pressed) == (Effect.UNVERIFIABLE, [("Bob", "open")])
    assert 'belonged to "Ada open" before, and now to "Bob open"' in result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
async def test_a_record_that_is_another_one_right_before_the_press_is_not_pressed(tool: str) -> None:
    rows = Rows((("Ada",), ("Joe",)))
    it = rows.on_a_bench()
    it.desktop.faults.before("record_of", rows.recycle)
    result = await it.run(tool, rows.buttons[0])
    assert (result.effect, result.delivered, rows.pressed) == (Effect.REFUSED, False, [])


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("texts", "changed", "effect"),
    [
        (("Ada", "open"), {"open": "done"}, Effect.CONFIRMED),
        (("Ada", "17 May", "Room 4"), {"open": "done", "Ada": "Ada"}, Effect.CONFIRMED),
        (("Ada", "17 May", "open"), {"17 May": "18 May"}, Effect.UNVERIFIABLE),
    ],
)
async def test_a_record_that_the_press_changed_is_the_same_while_most_of_its_own_texts_are_there(
    texts: tuple[str, ...], changed: dict[str, str], effect: Effect
) -> None:
    rows = Rows((texts, ("Joe", "open")))
    it = rows.on_a_bench()

    def press() -> None:
        rows.press(0)
        for label in rows.labels[0]:
            label.name = changed.get(label.name, label.name)

    rows.buttons[0].on_click = press
    result = await it.run("invoke", rows.buttons[0])
    assert (result.effect, rows.pressed) == (effect, [texts]), result.evidence


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(("tool", "method"), [("select_item", "select"), ("click_input", "click")])
async def test_an_item_that_became_another_one_at_the_press_is_not_confirmed(tool: str, method: str) -> None:
    items = [FakeControl(Role.LISTITEM, name, states={"selectable"}) for name in ("Ada", "Joe")]
    it = bench(FakeControl(Role.LIST, "Items", children=items))
    it.desktop.faults.before(method, lambda: setattr(items[0], "name", "Bob"))
    result = await it.run(tool, items[0])
    assert (result.effect, result.delivered) == (Effect.UNVERIFIABLE, True), result.evidence
    assert '"Ada"' in result.evidence


@pytest.mark.requires("effect.about")
async def test_text_that_went_into_the_field_of_another_record_is_not_confirmed() -> None:
    rows = Rows((("Ada",), ("Joe",)))
    it = rows.on_a_bench()
    it.desktop.faults.before("set_text", rows.recycle)
    result = await it.run("set_edit_text", rows.fields[0], text="late")
    assert result.effect is Effect.UNVERIFIABLE
    assert '"Ada" before, and now to "Bob"' in result.evidence
