"""Sessions of a playbook whose steps no longer fit, on a desktop in memory; a model is asked for these steps alone."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from deskhand.core.events import ModelAnswered, ReplyAccepted
from deskhand.core.model import Healing, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from deskhand.models.healing import MOST_REPLIES, HealingModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.scripted import ScriptedReply
from deskhand.session.round import Ending
from notes import prompt_of
from order_form import APP, BOOK, LOOP, OrderForm
from stage import Answer, Events, say, scripted, stage


class Healed:
    """One session: the playbook, the application, the replies of the model that heals, and how it ended."""

    def __init__(
        self, folder: Path, form: OrderForm, replies: Sequence[Answer | ScriptedReply], book: str = BOOK
    ) -> None:
        self.form = form
        self.folder = folder
        self.book = book
        self.healer = scripted({APP: replies}, name="healer")
        self.events = Events()

    async def run(self) -> Ending:
        parameters = {"region": "North"} if "params" in self.book else {}
        model = HealingModel(parse_playbook(self.book, "order.yaml"), parameters, healer=self.healer)
        played = stage(self.form.desktop, model, log_path=self.folder)
        self.events = played.events
        return await played.run()

    @property
    def marks(self) -> list[Healing]:
        """The marks of replies that stood for a step."""
        return [reply.healing for reply in self.events.of(ReplyAccepted) if reply.healing is not None]

    @property
    def asked(self) -> int:
        return len(self.healer.requests)


@pytest.mark.requires("model.heal.step")
async def test_a_renamed_button_is_found_by_the_model_and_the_rest_is_the_playbooks(tmp_path: Path) -> None:
    healed = Healed(tmp_path, OrderForm(add="Store"), [say("FINISH", "invoke", "Store")])
    ending = await healed.run()
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "entered")
    assert (healed.form.log, healed.asked) == (["North"], 1)


@pytest.mark.requires("model.heal.step")
async def test_the_model_is_told_what_the_step_means_and_why_it_does_not_fit(tmp_path: Path) -> None:
    healed = Healed(tmp_path, OrderForm(add="Store"), [say("FINISH", "invoke", "Store")])
    await healed.run()
    [request] = healed.healer.requests
    told = prompt_of(request)
    assert 'The step, in line 12: invoke on button "Add"' in told
    assert 'why it does not fit: wanted button "Add"; found none' in told
    assert 'what is checked then: {"shows": {"role": "status", "name": "/^1 order/"}}' in told


@pytest.mark.requires("model.heal.secret")
async def test_a_password_that_stands_in_the_playbook_is_in_no_prompt(tmp_path: Path) -> None:
    types = '{tool: set_edit_text, on: {role: password, name: Code}, args: {text: "pin4711"}}'
    before = with_step(types)
    after = BOOK.replace("    - {status: FINISH}\n", f"    - {types}\n    - {{status: FINISH}}\n")
    for book in (before, after):
        form = OrderForm(add="Store", more=[FakeControl(Role.PASSWORD, "Code")])
        healed = Healed(tmp_path, form, [say("FINISH", "invoke", "Store")], book)
        assert (await healed.run()).outcome is Outcome.SUCCESS
        assert all("pin4711" not in prompt_of(request) for request in healed.healer.requests)


@pytest.mark.requires("model.heal.step")
async def test_as_long_as_all_steps_fit_no_model_is_asked(tmp_path: Path) -> None:
    healed = Healed(tmp_path, OrderForm(), [])
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert (healed.form.log, healed.asked) == (["North"], 0)


@pytest.mark.requires("model.heal.step")
async def test_a_healed_action_stands_under_the_policy(tmp_path: Path) -> None:
    healed = Healed(tmp_path, OrderForm(add="Place order"), [say("FINISH", "invoke", "Place order")] * 9)
    assert (await healed.run()).outcome is not Outcome.SUCCESS
    assert healed.form.log == [], "nobody approved of what may cost money"


@pytest.mark.requires("model.heal.step")
async def test_a_dialog_in_front_is_closed_by_the_model_and_the_step_is_the_playbooks(tmp_path: Path) -> None:
    form = OrderForm()
    form.region.on_text = lambda _: form.show_tip()
    healed = Healed(tmp_path, form, [say("CONTINUE", "invoke", "Close tip")])
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert (form.log, healed.asked) == (["tip closed", "North"], 1)


@pytest.mark.requires("model.heal.step")
async def test_of_two_equal_buttons_the_model_chooses_one(tmp_path: Path) -> None:
    form = OrderForm()
    form.window.controls.append(form.button("Add"))

    def second(request: ModelRequest) -> ScriptedReply:
        first = next(control for control in request.controls if control.name == "Add")
        return {"status": "FINISH", "function": "invoke", "control_label": first.id, "control_text": "Add"}

    healed = Healed(tmp_path, form, [second])
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert form.log == ["North"]
    [mark] = healed.marks
    assert mark.written == {"tool": "invoke", "on": {"role": "button", "name": "Add", "nth": 1}}


@pytest.mark.requires("model.heal.step")
async def test_another_tool_takes_the_values_of_the_step(tmp_path: Path) -> None:
    form = OrderForm()
    north = FakeControl(Role.LISTITEM, "North", on_select=lambda: form.region.__setattr__("value", "North"))
    form.region.states.add("hidden")
    form.window.controls.append(FakeControl(Role.LIST, "Area", children=[FakeControl(Role.LISTITEM, "South"), north]))
    healed = Healed(tmp_path, form, [say("FINISH", "select_item", "Area", args={"item": "North"})])
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert form.log == ["North"]
    [mark] = healed.marks
    assert mark.written == {
        "tool": "select_item",
        "on": {"role": "list", "name": "Area"},
        "args": {"item": "${region}"},
    }


@pytest.mark.requires("model.heal.loop")
async def test_rows_after_the_first_repeat_its_action_without_the_model(tmp_path: Path) -> None:
    healed = Healed(tmp_path, OrderForm(add="Store"), [say("FINISH", "invoke", "Store")], LOOP)
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert (healed.form.log, healed.asked) == (["North", "South", "West"], 1)


@pytest.mark.requires("model.heal.loop")
async def test_a_dialog_in_each_row_is_closed_by_the_model_once(tmp_path: Path) -> None:
    form = OrderForm()
    form.region.on_text = lambda _: form.show_tip()
    healed = Healed(tmp_path, form, [say("CONTINUE", "invoke", "Close tip")], LOOP)
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert [line for line in form.log if line != "tip closed"] == ["North", "South", "West"]
    assert healed.asked == 1


@pytest.mark.requires("model.heal.loop", "model.heal.proof")
async def test_where_the_steps_own_action_was_sent_no_earlier_row_is_repeated(tmp_path: Path) -> None:
    form = OrderForm(add="Store")

    def enter() -> None:
        form.enter()
        form.window.controls.append(FakeControl(Role.BUTTON, "Add", on_click=lambda: form.log.append("dead")))

    form.add.on_click = enter
    book = LOOP.replace("name: Add}}", "name: Add}, expect: {effect: confirmed}}")
    healed = Healed(tmp_path, form, [say("FINISH", "invoke", "Store"), say("FAIL", comment="it may be entered")], book)
    assert (await healed.run()).outcome is Outcome.FAILED
    assert (form.log, healed.asked) == (["North", "dead"], 2)


@pytest.mark.requires("model.heal.proof")
async def test_a_wrong_action_does_not_count_and_the_model_is_told_what_is_missing(tmp_path: Path) -> None:
    form = OrderForm(add="Store")
    form.window.controls.append(form.button("Clear"))
    healed = Healed(tmp_path, form, [say("FINISH", "invoke", "Clear"), say("FINISH", "invoke", "Store")])
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert form.log == ["Clear", "North"]
    told = prompt_of(healed.healer.requests[1])
    assert "An action for it was already sent and may have happened" in told
    assert "why it does not fit: shows" in told


@pytest.mark.requires("model.heal.proof")
async def test_a_model_that_cannot_tell_stops_the_playbook_with_both_reasons(tmp_path: Path) -> None:
    form = OrderForm(add="Store")
    healed = Healed(tmp_path, form, [say("FAIL", comment="two buttons may be meant")])
    ending = await healed.run()
    assert (ending.outcome, form.log) == (Outcome.FAILED, [])
    assert 'wanted button "Add"; found none' in ending.reason
    assert "not healed: healer says: two buttons may be meant" in ending.reason


@pytest.mark.requires("model.heal.proof")
async def test_a_step_gets_five_replies(tmp_path: Path) -> None:
    form = OrderForm(add="Store")
    healed = Healed(tmp_path, form, [say("CONTINUE", "texts", name) for name in ("Region", "Store") * 4])
    ending = await healed.run()
    assert (ending.outcome, healed.asked) == (Outcome.FAILED, MOST_REPLIES)
    assert "healer gave 5 replies for it" in ending.reason


@pytest.mark.requires("model.heal.proof")
async def test_reading_something_is_no_way_to_do_a_step(tmp_path: Path) -> None:
    form = OrderForm(add="Store")
    healed = Healed(tmp_path, form, [say("FINISH", "texts", "Region"), say("FINISH", "invoke", "Store")])
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert form.log == ["North"]
    assert "texts only reads: it cannot do the step, which is invoke" in healed.healer.requests[1].problem


@pytest.mark.requires("model.heal.proof")
async def test_an_effect_that_nothing_confirms_is_no_healed_step(tmp_path: Path) -> None:
    form = OrderForm(add="Store")
    form.add.on_click = lambda: form.log.append("pressed")
    book = BOOK.replace(', expect: {shows: {role: status, name: "/^1 order/"}}', "")
    replies = [say("FINISH", "invoke", "Store"), say("FAIL", comment="nothing shows whether it worked")]
    healed = Healed(tmp_path, form, replies, book)
    ending = await healed.run()
    assert (ending.outcome, form.log) == (Outcome.FAILED, ["pressed"]), "it was not pressed again"
    assert "was not confirmed" in ending.reason


@pytest.mark.requires("model.heal.step")
async def test_a_window_with_another_title_is_chosen_by_the_model(tmp_path: Path) -> None:
    form = OrderForm()
    form.window.title = "Order entry"
    healed = Healed(tmp_path, form, [])
    healed.healer = scripted({"HostAgent": [say("FINISH", "", "Order entry")]}, name="healer")
    assert (await healed.run()).outcome is Outcome.SUCCESS
    assert (form.log, healed.asked) == (["North"], 1)


@pytest.mark.requires("model.heal.step")
async def test_a_fail_of_the_file_itself_is_not_healed(tmp_path: Path) -> None:
    closed = '{status: FAIL, result: closed today, when: "${region}"}'
    healed = Healed(tmp_path, OrderForm(), [], with_step(closed))
    ending = await healed.run()
    assert (ending.outcome, healed.form.log, healed.asked) == (Outcome.FAILED, [], 0)
    assert "closed today" in ending.reason


@pytest.mark.requires("model.heal.step")
async def test_data_that_is_missing_is_no_matter_of_the_window(tmp_path: Path) -> None:
    reads = '{tool: texts, on: {role: textbox}, save_as: note, when: {value: "${region}", is: nowhere}}'
    uses = '{tool: set_edit_text, on: {role: textbox, name: Region}, args: {text: "${note.text}"}}'
    healed = Healed(tmp_path, OrderForm(), [], with_step(f"{reads}\n    - {uses}"))
    ending = await healed.run()
    assert (ending.outcome, healed.form.log, healed.asked) == (Outcome.FAILED, [], 0)
    assert "nothing is saved under 'note' yet" in ending.reason


def with_step(step: str) -> str:
    """The playbook with another step before its last one."""
    return BOOK.replace("    # The order counts", f"    - {step}\n    # The order counts")


@pytest.mark.requires("model.heal.step")
async def test_the_call_is_counted_for_the_model_that_answered(tmp_path: Path) -> None:
    healed = Healed(tmp_path, OrderForm(add="Store"), [say("FINISH", "invoke", "Store")])
    await healed.run()
    models = [event.model for event in healed.events.of(ModelAnswered)]
    assert models.count("healer") == 1
    assert set(models) == {"healer", "playbook:order"}
