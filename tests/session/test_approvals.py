"""An approval is for exactly the actions and facts that a person was shown, once (contract 2.4)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from deskhand.core.errors import ClearanceMissing
from deskhand.core.events import ActionFinished, ConfirmationDecided
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import ConfirmationRequest
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from deskhand.pipeline.actions import HeldAction
from deskhand.pipeline.dispatching import ActionExecutor
from notes import APP, Notes
from stage import Answer, Person, Stage, act, assign, rule, say, stage

RULES = rule("{tool: [invoke, set_edit_text]}", "confirm")


def confirming(notes: Notes, person: Person, replies: Sequence[Answer], log_path: Path, **settings: object) -> Stage:
    """One subtask in the notes; every press and every text wants a person's approval."""
    host = [assign("Notes", "Tidy"), say("FINISH")]
    return stage(
        notes.desktop,
        {"HostAgent": host, APP: replies},
        log_path=log_path,
        person=person,
        rules=RULES,
        settings=settings,
    )


def swap(notes: Notes) -> None:
    notes.delete.name, notes.save.name = "Save", "Delete"


def rename_window(notes: Notes) -> None:
    notes.window.title = "Other document"


def close_window(notes: Notes) -> None:
    notes.desktop.close_window(notes.window)


def replace_target(notes: Notes) -> None:
    """Another button takes the place; it is called the same, but stands elsewhere."""
    notes.window.controls.remove(notes.save)
    notes.window.controls.append(FakeControl(Role.GROUP, "Danger", children=[notes.save]))
    notes.desktop.faults.stale(notes.save)


def disable(notes: Notes) -> None:
    notes.save.states.add("disabled")


@pytest.mark.requires("policy.approval-exact", "pipeline.judged-again")
@pytest.mark.parametrize("change", [swap, rename_window, close_window, replace_target, disable])
async def test_what_changed_between_asking_and_resuming_is_refused(
    tmp_path: Path, change: Callable[[Notes], None]
) -> None:
    notes = Notes()
    person = Person(decides=[True], when_asked=lambda: change(notes))
    it = confirming(notes, person, [say("CONTINUE", "invoke", "Save"), say("FAIL", comment="lost")], tmp_path)
    await it.run()
    assert (len(person.shown), notes.log) == (1, [])
    refused = [event for event in it.events.of(ActionFinished) if event.tool == "invoke"]
    assert [(event.effect, event.delivered) for event in refused] == [("refused", False)]
    assert ("app", "CONFIRM", "CONTINUE", "user") in it.events.edges()


@pytest.mark.requires("policy.approval-exact")
async def test_a_model_cannot_change_the_arguments_that_were_approved(tmp_path: Path) -> None:
    """It still holds the object it answered with, and writes into it while the person reads."""
    notes = Notes()
    args: JsonObject = {"text": "good", "clear": True}
    reply: JsonObject = {"status": "CONTINUE", "function": "set_edit_text", "args": args}

    def write(request: ModelRequest) -> ModelReply:
        label = next(control.id for control in request.controls if control.name == "Text")
        reply["control_label"] = label
        return ModelReply(reply, "")

    def tamper() -> None:
        args["text"] = "evil"
        reply["function"] = "invoke"

    person = Person(decides=[True], when_asked=tamper)
    it = confirming(notes, person, [write, say("FINISH")], tmp_path)
    await it.run()
    assert (person.shown[0].facts[0].facts.arguments["text"], notes.text.value) == ("good", "good")


@pytest.mark.requires("policy.approval-exact")
async def test_an_approval_is_used_up_by_its_actions(tmp_path: Path) -> None:
    """The same proposed again is asked about again, and nothing is left that could be resumed a second time."""
    notes = Notes()
    save = say("CONTINUE", "invoke", "Save")
    it = confirming(notes, Person(decides=[True, False]), [save, save], tmp_path)
    await it.run()
    (agent,) = it.host.appagent_dict.values()
    assert [event.decision for event in it.events.of(ConfirmationDecided)] == ["approved", "rejected"]
    assert notes.log == ["Save"]
    agent.held = ()
    await agent.process_resume(it.context)
    assert notes.log == ["Save"]


async def held_actions(it: Stage) -> tuple[ActionExecutor, tuple[HeldAction, ...]]:
    """What is held of a reply with two actions, before anybody decided."""
    kept: list[tuple[HeldAction, ...]] = []
    person = it.context.interactor
    assert isinstance(person, Person)
    person.when_asked = lambda: kept.append(next(iter(it.host.appagent_dict.values())).held)
    await it.run()
    (agent,) = it.host.appagent_dict.values()
    return ActionExecutor(agent, it.context, it.context.session_step), kept[0]


BOTH = say("CONTINUE", actions=[act("invoke", "Save"), act("invoke", "Delete")])


@pytest.mark.requires("policy.approval-exact")
@pytest.mark.parametrize("given", ["first", "none", "crossed"])
async def test_the_approval_of_one_of_two_held_actions_never_releases_the_other(tmp_path: Path, given: str) -> None:
    notes = Notes()
    it = confirming(notes, Person(decides=[False]), [BOTH], tmp_path)
    executor, held = await held_actions(it)
    save, delete = held
    ids = [item.planned.command.call_id for item in held]
    approved = {
        "first": {ids[0]: save.verdict.facts},
        "none": {},
        "crossed": {ids[0]: delete.verdict.facts, ids[1]: save.verdict.facts},
    }[given]
    done = await executor.run([item.planned for item in held], approved)
    assert [action.ran for action in done] == [given == "first", False]
    assert notes.log == (["Save"] if given == "first" else [])


@pytest.mark.requires("policy.approval-exact")
async def test_an_approval_of_one_call_does_not_cover_the_same_action_of_another(tmp_path: Path) -> None:
    notes = Notes()
    it = confirming(notes, Person(decides=[False]), [BOTH], tmp_path)
    executor, held = await held_actions(it)
    again = replace(held[0].planned, command=replace(held[0].planned.command, call_id="another"))
    done = await executor.run([again], {held[0].planned.command.call_id: held[0].verdict.facts})
    assert ([action.ran for action in done], notes.log) == ([False], [])


@pytest.mark.requires("policy.approval-exact", "command.clearance")
async def test_a_clearance_of_one_session_is_worth_nothing_in_another(tmp_path: Path) -> None:
    """The same windows, controls and command; the approval was given in the first."""
    first, second = Notes(), Notes()
    a = confirming(first, Person(decides=[False]), [BOTH], tmp_path / "a")
    b = confirming(second, Person(decides=[False]), [BOTH], tmp_path / "b")
    _, held = await held_actions(a)
    await held_actions(b)
    command = replace(held[0].planned.command, target=second.desktop.target(second.save))
    clearance = a.services.policy.clear(a.services.policy.judge(command, command.target), approved=True)
    with pytest.raises(ClearanceMissing, match="not ours"):
        await b.services.dispatcher.execute_commands([command], {command.call_id: clearance})
    assert (first.log, second.log) == ([], [])


@pytest.mark.requires("policy.approval-exact", "round.unattended")
async def test_an_approval_that_comes_too_late_is_none(tmp_path: Path) -> None:
    """The person's side does not give up when it is told to, and says yes afterwards."""

    class Late(Person):
        async def confirm(self, request: ConfirmationRequest) -> bool:
            with anyio.move_on_after(600, shield=True):
                await anyio.sleep_forever()
            return True

    notes = Notes()
    it = confirming(notes, Late(), [say("CONTINUE", "invoke", "Save")], tmp_path, ask_timeout=5.0)
    await it.run()
    assert (notes.log, it.outcomes) == ([], [Outcome.TIMEOUT])
    assert [event.decision for event in it.events.of(ConfirmationDecided)] == ["timeout"]


@pytest.mark.requires("state.confirm")
async def test_what_was_rejected_with_others_is_rejected_itself(tmp_path: Path) -> None:
    """The person said no to all that was shown. Alone, an action of the list is refused without asking."""
    notes = Notes()
    host = [assign("Notes", "Tidy"), assign("Notes", "Save at least"), say("FINISH")]
    it = stage(
        notes.desktop,
        {"HostAgent": host, APP: [BOTH, say("CONTINUE", "invoke", "Save"), say("FAIL")]},
        log_path=tmp_path,
        person=(person := Person(decides=[False])),
        rules=rule("{name: Delete}", "confirm"),
    )
    await it.run()
    assert (len(person.shown), notes.log) == (1, [])


@pytest.mark.requires("state.no-data", "policy.approval-exact")
async def test_two_sessions_that_confirm_different_things_in_turns_release_each_their_own(tmp_path: Path) -> None:
    """They take turns at every await; each person decides while the other is still reading."""
    turns: list[str] = []

    class Reader(Person):
        name = ""

        async def confirm(self, request: ConfirmationRequest) -> bool:
            turns.append(f"{self.name} asked")
            for _ in range(20):
                await anyio.lowlevel.checkpoint()
            turns.append(f"{self.name} decided")
            return await super().confirm(request)

    first, second = Notes(), Notes()
    one, two = Reader(decides=[True, False, True]), Reader(decides=[False, True])
    one.name, two.name = "one", "two"

    def presses(*names: str) -> list[Answer]:
        return [say("CONTINUE", "invoke", name) for name in names]

    hosts = [assign("Notes", "a"), assign("Notes", "b"), say("FINISH")]
    a = stage(
        first.desktop,
        {"HostAgent": hosts, APP: [*presses("Save", "Delete", "Tidy"), say("FINISH")]},
        log_path=tmp_path / "a",
        person=one,
        rules=RULES,
    )
    b = stage(
        second.desktop,
        {"HostAgent": hosts, APP: [*presses("Save", "Delete"), say("FINISH")]},
        log_path=tmp_path / "b",
        person=two,
        rules=RULES,
    )
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(a.run)
            tasks.start_soon(b.run)
    assert (first.log, second.log) == (["Save", "Tidy"], ["Delete"])
    assert [r.facts[0].facts.control_name for r in one.shown] == ["Save", "Delete", "Tidy"]
    assert [r.facts[0].facts.control_name for r in two.shown] == ["Save", "Delete"]
    assert (len(a.context.rejected_actions), len(b.context.rejected_actions)) == (1, 1)
    assert a.context.rejected_actions != b.context.rejected_actions
    assert turns.index("two asked") < turns.index("one decided")
    assert turns.index("one asked") < turns.index("two decided")


@pytest.mark.requires("mcp.unsaved", "pipeline.judged-again")
@pytest.mark.parametrize("asked", [False, True], ids=["allowed", "approved for another reason"])
async def test_closing_after_a_change_in_the_same_reply_is_refused(tmp_path: Path, asked: bool) -> None:
    """An earlier action of the list leaves changes that are not saved; nobody approved of losing them."""
    closed: list[str] = []
    notes = Notes([FakeControl(Role.BUTTON, "Close", on_click=lambda: closed.append("closed"))])
    notes.text.on_text = lambda _: setattr(notes.window, "title", "*Notes")
    both = say("CONTINUE", actions=[act("set_edit_text", "Text", args={"text": "a"}), act("invoke", "Close")])
    it = stage(
        notes.desktop,
        {"HostAgent": [assign("Notes", "Tidy"), say("FINISH")], APP: [both, say("FINISH")]},
        log_path=tmp_path,
        person=Person(decides=[True]),
        rules=rule("{tool: invoke, name: Close, window: Notes}", "confirm") if asked else "",
    )
    await it.run()
    (close,) = [event for event in it.events.of(ActionFinished) if event.tool == "invoke"]
    assert (notes.text.value, close.effect, closed) == ("a", "refused", [])
    assert "refused right before dispatch" in close.evidence
