"""A FINISH is withdrawn once where an action of the subtask is reported as not done and nothing made up for it."""

from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.core.command import Effect, ResultStatus
from deskhand.core.json import JsonValue
from deskhand.core.model import ActionRecord, StepRecord
from deskhand.core.outcomes import Outcome
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.pipeline.unsettled import unsettled
from notes import APP, Notes, prompt_of
from stage import assign, say, stage

STATUS = {Effect.CONFIRMED: ResultStatus.SUCCESS, Effect.UNVERIFIABLE: ResultStatus.NONE}


def record(
    function: str, effect: Effect | None, name: str = "", role: str = "textbox", **arguments: JsonValue
) -> ActionRecord:
    status = STATUS.get(effect, ResultStatus.FAILURE) if effect else ResultStatus.SUCCESS
    return ActionRecord(
        function=function,
        arguments={**({"id": "7", "name": name} if name else {}), **arguments},
        target=f'{role} "{name}" [7]' if name else "",
        status=status,
        effect=effect,
        ran=True,
        target_role=role if name else "",
        target_name=name,
    )


def steps(*actions: ActionRecord, last_reply: str = "CONTINUE") -> list[StepRecord]:
    made = [StepRecord(step=number, status="CONTINUE", actions=(action,)) for number, action in enumerate(actions, 1)]
    return [*made[:-1], StepRecord(made[-1].step, "CONTINUE", made[-1].actions, reply_status=last_reply)]


DONE = Effect.CONFIRMED
REFUSED = record("set_edit_text", Effect.REFUSED, "Name", text="Ada")
SAVED = record("keyboard_input", Effect.CONFIRMED, keys="{VK_CONTROL}s")


@pytest.mark.parametrize("effect", [Effect.REFUSED, Effect.PARTIAL, Effect.SUSPECTED_NOOP])
def test_a_later_success_of_another_kind_does_not_make_up_for_it(effect: Effect) -> None:
    other = record("set_edit_text", Effect.CONFIRMED, "Town", text="York")
    why = unsettled(steps(SAVED, record("set_edit_text", effect, "Name", text="Ada"), other, SAVED))
    assert why.startswith(f'step 2, set_edit_text(textbox "Name", text="Ada"), was not done ({effect})')


@pytest.mark.parametrize(
    "later",
    [
        record("keyboard_input", Effect.CONFIRMED, "Name", keys="Ada"),
        record("set_edit_text", Effect.CONFIRMED, "Full name", text="Ada"),
        record("set_edit_text", Effect.UNVERIFIABLE, "Full name", text="Ada"),
    ],
)
def test_the_same_on_another_control_or_something_else_on_this_one_makes_up_for_it(later: ActionRecord) -> None:
    assert not unsettled(steps(REFUSED, later))


@pytest.mark.parametrize(
    ("tool", "given"),
    [("invoke", {}), ("set_value", {"value": True}), ("set_value", {"value": 7}), ("click_input", {"button": "left"})],
)
def test_the_same_without_a_text_on_another_control_does_not_make_up_for_it(
    tool: str, given: dict[str, JsonValue]
) -> None:
    both = (record(tool, effect, name, "checkbox", **given) for effect, name in ((Effect.REFUSED, "A"), (DONE, "B")))
    assert unsettled(steps(*both))


def test_of_actions_without_a_control_the_same_tool_makes_up_except_for_keys() -> None:
    failed, done = (record("choose_file", e, path=p) for e, p in ((Effect.REFUSED, "/a"), (Effect.CONFIRMED, "/b")))
    assert not unsettled(steps(failed, done))
    typed = record("keyboard_input", Effect.PARTIAL, keys="Ada")
    assert 'keyboard_input(keys="Ada")' in unsettled(steps(typed, SAVED))
    assert not unsettled(steps(typed, SAVED, record("keyboard_input", Effect.CONFIRMED, keys="Ada")))


def test_the_key_that_its_record_advises_makes_up_for_it() -> None:
    typed = record("keyboard_input", Effect.PARTIAL, "Count", keys="12")
    typed = replace(typed, message="its program has 0: the text counts when the field is left, press {TAB}")
    other, left = (record("keyboard_input", DONE, keys=keys) for keys in ("{VK_CONTROL}s", "{TAB}"))
    assert unsettled(steps(typed, other))
    assert not unsettled(steps(typed, other, left))


@pytest.mark.parametrize("effect", [Effect.CONFIRMED, Effect.UNVERIFIABLE, None])
def test_what_may_have_been_done_is_no_contradiction(effect: Effect | None) -> None:
    assert not unsettled(steps(record("invoke", effect, "Press", "button")))


def test_the_second_claim_stands() -> None:
    assert unsettled(steps(REFUSED))
    assert not unsettled(steps(REFUSED, last_reply="FINISH"))


@pytest.mark.requires("pipeline.status-corrected")
async def test_the_model_is_shown_the_action_and_may_claim_again(tmp_path: Path) -> None:
    notes = Notes()
    notes.tidy.states.add("disabled")
    replies = [say("CONTINUE", "invoke", "Tidy"), say("CONTINUE", "invoke", "Save"), say("FINISH"), say("FINISH")]
    host = [assign("Notes", "Write"), say("FINISH")]
    it = stage(notes.desktop, {"HostAgent": host, APP: replies}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    last = [request for request in it.model.requests if request.agent_name == APP][-1]
    assert 'invoke(button "Tidy"), was not done (refused)' in prompt_of(last)
    assert it.events.edges()[-4:-2] == [
        ("app", "CONTINUE", "CONTINUE", "system"),
        ("app", "CONTINUE", "FINISH", "llm"),
    ]


async def test_a_playbook_is_not_asked_twice(tmp_path: Path) -> None:
    book = parse_playbook(
        "playbook: 1\nname: patient\nhost:\n"
        "  - {on: {role: window, name: Notes}, status: ASSIGN, agent: notes, subtask: Press}\n"
        "  - {status: FINISH}\n"
        "agents:\n  notes:\n    - {tool: invoke, on: {role: button, name: Quiet}}\n    - {status: FINISH}\n",
        "patient.yaml",
    )
    notes = Notes()
    notes.window.focused = notes.quiet
    it = stage(notes.desktop, PlaybookModel(book), log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert "corrected" not in it.events.triggers()
