"""Healed playbooks on disk: what a session writes beside its playbook, and that it runs without a model."""

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.events import ActionFinished, PlaybookHealed, StepRemembered
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.models.healing import HealingModel
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_playbook
from deskhand.models.scripted import ScriptedModel, ScriptedReply
from deskhand.report.html import render_report
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.round import Ending
from deskhand.store.journal import read_events
from order_form import APP, BOOK, LOOP, OrderForm
from session.test_resume import cut_off, resumed
from stage import Answer, say, scripted

FAST = Configuration(system=SystemSection(save_ui_tree=False, effect_hold_s=0.0))
STORES = say("FINISH", "invoke", "Store")


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Pictures are written on a thread, which takes time that passes."""
    return "asyncio"


def plan(
    folder: Path, form: OrderForm, replies: Sequence[Answer | ScriptedReply] = (), book: str = BOOK
) -> SessionPlan:
    """A session of the playbook `order.yaml`, which is written into the folder unless it is there."""
    path = folder / "order.yaml"
    if not path.exists():
        path.write_text(book)
    healer = scripted({APP: replies}, name="healer")
    model = HealingModel(load_playbook(path), parameters(path), healer=healer)
    opens = form.desktop.opened
    return SessionPlan("s1", folder / "log", ("Enter it",), model, configuration=FAST, opens=opens)


def parameters(path: Path) -> dict[str, object]:
    return {"region": "North"} if "region: text" in path.read_text() else {}


async def run(it: SessionPlan) -> Ending:
    with anyio.fail_after(30):
        return await run_session(it)


async def run_without_model(path: Path, form: OrderForm) -> Ending:
    """Run a healed playbook as any other one."""
    model = PlaybookModel(load_playbook(path), parameters(path))
    log = path.parent / f"log of {path.stem}"
    return await run(SessionPlan("s2", log, ("Enter it",), model, configuration=FAST, opens=form.desktop.opened))


def told(log: Path) -> PlaybookHealed:
    [event] = [event for event in read_events(log) if isinstance(event, PlaybookHealed)]
    return event


def requests(it: SessionPlan) -> list[ModelRequest]:
    """The requests to the model that heals."""
    assert isinstance(it.model, HealingModel)
    assert isinstance(it.model.healer, ScriptedModel)
    return it.model.healer.requests


@pytest.mark.requires("model.heal.file")
async def test_a_renamed_button_is_one_changed_line_for_review(tmp_path: Path) -> None:
    assert (await run(plan(tmp_path, OrderForm(add="Store"), [STORES]))).outcome is Outcome.SUCCESS
    healed = tmp_path / "order.healed.yaml"
    event = told(tmp_path / "log")
    assert event.file == str(healed)
    assert [line for line in event.diff.splitlines()[2:] if line[0] in "+-"] == [
        '-    - {tool: invoke, on: {role: button, name: Add}, expect: {shows: {role: status, name: "/^1 order/"}}}',
        '+    - {tool: invoke, on: {role: button, name: Store}, expect: {shows: {role: status, name: "/^1 order/"}}}',
    ]
    assert healed.read_text() == BOOK.replace("name: Add", "name: Store")
    assert (tmp_path / "order.yaml").read_text() == BOOK, "the playbook itself stays as it was"
    [step] = event.steps
    assert (step.line, step.calls, step.cost_usd) == (12, 1, 0.0)
    assert (step.was, step.now) == ('invoke button "Add"', 'invoke button "Store"')
    assert step.why.startswith('wanted button "Add"; found none')


@pytest.mark.requires("model.heal.file")
async def test_the_healed_playbook_runs_without_a_model(tmp_path: Path) -> None:
    await run(plan(tmp_path, OrderForm(add="Store"), [STORES]))
    form = OrderForm(add="Store")
    assert (await run_without_model(tmp_path / "order.healed.yaml", form)).outcome is Outcome.SUCCESS
    assert form.log == ["North"]


@pytest.mark.requires("model.heal.file")
async def test_a_dialog_becomes_a_step_that_is_skipped_where_there_is_none(tmp_path: Path) -> None:
    form = OrderForm()
    form.region.on_text = lambda _: form.show_tip()
    await run(plan(tmp_path, form, [say("CONTINUE", "invoke", "Close tip")]))
    healed = tmp_path / "order.healed.yaml"
    close = "{tool: invoke, on: {role: button, name: Close tip}, when: {shows: {role: button, name: Close tip}}}"
    assert healed.read_text() == BOOK.replace("    - {tool: invoke", f"    - {close}\n    - {{tool: invoke")
    again = OrderForm()
    assert (await run_without_model(healed, again)).outcome is Outcome.SUCCESS
    assert again.log == ["North"], "without the dialog its step is skipped"


@pytest.mark.requires("model.heal.loop")
async def test_a_loop_is_healed_once_for_all_of_its_rows(tmp_path: Path) -> None:
    it = plan(tmp_path, OrderForm(add="Store"), [STORES], LOOP)
    await run(it)
    assert len(requests(it)) == 1
    healed = tmp_path / "order.healed.yaml"
    assert healed.read_text() == LOOP.replace("name: Add", "name: Store")
    form = OrderForm(add="Store")
    assert (await run_without_model(healed, form)).outcome is Outcome.SUCCESS
    assert form.log == ["North", "South", "West"]


@pytest.mark.requires("model.heal.file")
async def test_a_session_that_fails_writes_no_file_and_says_so(tmp_path: Path) -> None:
    form = OrderForm(add="Store", field="Area")
    fill = say("FINISH", "set_edit_text", "Area")
    ending = await run(plan(tmp_path, form, [fill, say("FAIL", comment="it is not clear")]))
    assert ending.outcome is Outcome.FAILED
    event = told(tmp_path / "log")
    assert (event.file, event.reason) == ("", "the session did not succeed")
    assert [step.line for step in event.steps] == [10]
    assert not (tmp_path / "order.healed.yaml").exists()


@pytest.mark.requires("model.heal.file")
async def test_a_file_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "order.healed.yaml").write_text("of the reviewer")
    await run(plan(tmp_path, OrderForm(add="Store"), [STORES]))
    assert (tmp_path / "order.healed.yaml").read_text() == "of the reviewer"
    assert told(tmp_path / "log").file == str(tmp_path / "order.healed-2.yaml")


@pytest.mark.requires("model.heal.file")
async def test_a_step_that_cannot_be_written_is_left_and_named(tmp_path: Path) -> None:
    form = OrderForm(add="Store", field="Area")
    typed = say("FINISH", "set_edit_text", "Area", args={"text": "NORTH"})
    await run(plan(tmp_path, form, [typed, STORES]))
    event = told(tmp_path / "log")
    assert [(step.line, bool(step.now), step.unwritten) for step in event.steps] == [
        (10, False, "its values of ${region} are written out"),
        (12, True, ""),
    ]
    assert "name: Region" in (tmp_path / "order.healed.yaml").read_text()


@pytest.mark.requires("model.heal.file", "model.heal.loop")
async def test_a_button_of_another_name_in_each_row_is_asked_for_each_time_and_left(tmp_path: Path) -> None:
    form = OrderForm(add="Store 1")

    def enter() -> None:
        form.enter()
        form.add.name = f"Store {form.orders + 1}"

    form.add.on_click = enter
    it = plan(tmp_path, form, [say("FINISH", "invoke", f"Store {number}") for number in (1, 2, 3)], LOOP)
    assert (await run(it)).outcome is Outcome.SUCCESS
    assert len(requests(it)) == 3
    event = told(tmp_path / "log")
    assert (event.file, event.reason) == ("", "none of the healed steps can be written")
    assert [step.unwritten for step in event.steps] == ["what does it differs from row to row"]


@pytest.mark.parametrize("last", [StepRemembered, ActionFinished])
@pytest.mark.requires("model.heal.resume")
async def test_a_session_that_is_killed_after_the_healed_action_goes_on_without_the_model(
    tmp_path: Path, last: type[StepRemembered | ActionFinished]
) -> None:
    form = OrderForm(add="Store")
    await cut_off(plan(tmp_path, form, [STORES]), last, 3)
    then = plan(tmp_path, form, [])
    ending = await resumed(then)
    assert (ending.outcome, form.log) == (Outcome.SUCCESS, ["North"]), ending.reason
    assert told(tmp_path / "log").file == str(tmp_path / "order.healed.yaml")


@pytest.mark.requires("model.heal.resume")
async def test_a_session_that_is_killed_after_an_action_on_the_way_tries_the_step_itself(tmp_path: Path) -> None:
    form = OrderForm()
    form.region.on_text = lambda _: form.show_tip()
    await cut_off(plan(tmp_path, form, [say("CONTINUE", "invoke", "Close tip")]), StepRemembered, 3)
    ending = await resumed(plan(tmp_path, form, []))
    assert (ending.outcome, form.log) == (Outcome.SUCCESS, ["tip closed", "North"]), ending.reason
    assert "Close tip" in (tmp_path / "order.healed.yaml").read_text()


@pytest.mark.requires("model.heal.file")
async def test_the_summary_has_what_was_healed(tmp_path: Path) -> None:
    await run(plan(tmp_path, OrderForm(add="Store"), [STORES]))
    healed = summarise(tmp_path / "log").to_json()["healed"]
    assert isinstance(healed, dict)
    assert healed["file"] == str(tmp_path / "order.healed.yaml")
    assert "Healed steps of the playbook, in" in render_markdown(tmp_path / "log")
    assert "did not fit" in render_report(tmp_path / "log")
