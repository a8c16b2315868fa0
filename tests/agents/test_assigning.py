"""Handing a subtask over (contract 2.2, 3.3, 3.4)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from deskhand.agents import AgentFactory, AppAgent
from deskhand.core.context import RunMode
from deskhand.core.errors import StateError
from deskhand.core.events import CheckRun, SubtaskAssigned
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Checker, CheckResult
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.session.round import Ending
from notes import APP, Notes
from stage import Answer, Stage, assign, say, stage


@pytest.mark.requires("state.assign-create", "pipeline.host-step")
async def test_a_missing_agent_is_made_with_everything_it_needs(tmp_path: Path) -> None:
    notes = Notes()
    host = [assign("Notes", "Save it", message=["carefully"]), say("FINISH")]
    it = stage(notes.desktop, {"HostAgent": host, APP: [say("FINISH")]}, log_path=tmp_path)
    await it.run("Save my notes")
    (agent,) = it.host.appagent_dict.values()
    assert isinstance(agent, AppAgent)
    assert (agent.host, agent.application) == (it.host, "notes")
    assert agent.blackboard is it.host.blackboard
    asked = it.model.requests[1]
    assert (asked.request, asked.subtask, asked.host_message) == ("Save my notes", "Save it", ("carefully",))
    seen = it.model.requests[0]
    assert [(w.id, w.name) for w in seen.controls] == [("1", "Notes")]
    assert "desktop_step1.png" in it.pictures.kept


@pytest.mark.requires("effect.expected")
async def test_what_is_expected_of_a_window_that_is_chosen_by_handing_over_is_checked(tmp_path: Path) -> None:
    again = say("ASSIGN", current_subtask="Save")
    host = [assign("Notes", "Save", expect={"window": "Never there"}), again, say("FINISH")]
    it = stage(Notes().desktop, {"HostAgent": host, APP: [say("FINISH")]}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert [check.ok for check in it.events.of(CheckRun)] == [False]
    assert len(it.events.of(SubtaskAssigned)) == 1, "it was handed over by the second, in the window that stays chosen"


async def test_a_window_is_called_by_a_part_of_its_title_and_never_by_another_title(tmp_path: Path) -> None:
    notes = Notes()
    notes.window.title = "report.odt - Notes"
    wrong = say("ASSIGN", control_label="1", control_text="letter.odt", current_subtask="Save")
    right = say("ASSIGN", control_label="1", control_text="Report.odt", current_subtask="Save")
    it = stage(notes.desktop, {"HostAgent": [wrong, right, say("FINISH")], APP: [say("FINISH")]}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert "id and name disagree" in it.model.requests[1].problem
    assert [event.window for event in it.events.of(SubtaskAssigned)] == ["report.odt - Notes"]


@pytest.mark.requires("state.assign-reuse", "memory.survives-assignment", "state.one-writer")
async def test_a_reused_agent_keeps_its_memory_and_nothing_of_its_last_subtask(tmp_path: Path) -> None:
    notes = Notes()
    host = [assign("Notes", "First"), assign("Notes", "Second"), say("FINISH")]
    replies: list[Answer] = [
        say("CONTINUE", "invoke", "Save", plan=["a", "b"]),
        say("FINISH", result="first result"),
        say("FINISH", result="second result"),
    ]
    it = stage(notes.desktop, {"HostAgent": host, APP: replies}, log_path=tmp_path)
    ending = await it.run()
    assert [e.reused for e in it.events.of(SubtaskAssigned)] == [False, True]
    (agent,) = it.host.appagent_dict.values()
    assert [item.get("subtask") for item in agent.memory.items] == ["First", "First", "Second"]
    second = [r for r in it.model.requests if r.agent_name == APP][2]
    assert (second.steps_done, second.subtask) == ((), "Second")
    assert ending.outcome is Outcome.SUCCESS
    assert [r.result for r in it.context.previous_subtasks] == ["first result", "second result"]
    assert it.events.edges()[6] == ("host", "ASSIGN", "app:CONTINUE", "system")


async def test_two_windows_of_one_application_have_an_agent_each(tmp_path: Path) -> None:
    desktop = FakeDesktop()
    for title in ("One", "Two"):
        desktop.open(FakeWindow(title, [FakeControl(Role.BUTTON, "OK")], "notes"))
    host = [assign("One", "First"), assign("Two", "Second"), say("FINISH")]
    it = stage(desktop, {"HostAgent": host, APP: [say("FINISH")] * 2}, log_path=tmp_path)
    await it.run()
    assert len(it.host.appagent_dict) == 2
    assert [agent.root.name for agent in it.host.appagent_dict.values() if agent.root] == ["One", "Two"]


@pytest.mark.requires("pipeline.host-step", "command.launch-registry")
async def test_a_launched_application_is_the_one_the_subtask_goes_to(tmp_path: Path) -> None:
    notes = Notes()

    def open_calc(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        return FakeWindow(f"Sheet {file and file.name}", [FakeControl(Role.BUTTON, "Sum")])

    notes.desktop.applications["calc"] = FakeApplication("calc", open_calc)
    file = tmp_path / "a.ods"
    file.touch()
    given: JsonObject = {"application": "calc", "file": str(file)}
    launch = say("ASSIGN", "launch_application", current_subtask="Add", args=given)
    it = stage(
        notes.desktop,
        {
            "HostAgent": [assign("Notes", "Read"), launch, say("FINISH")],
            APP: [say("FINISH")],
            "AppAgent/calc": [say("FINISH")],
        },
        log_path=tmp_path,
    )
    ending = await it.run()
    assert [e.window for e in it.events.of(SubtaskAssigned)] == ["Notes", "Sheet a.ods"]
    assert (ending.outcome, it.context.application_process) == (Outcome.SUCCESS, "calc")


@pytest.mark.requires("command.launch-registry")
@pytest.mark.parametrize("application", ["rm -rf /", "/bin/sh", "unknown"])
async def test_what_no_registry_knows_is_never_launched(tmp_path: Path, application: str) -> None:
    notes = Notes()
    launch = say("CONTINUE", "launch_application", args={"application": application})
    rules = "policy: 1\nrules:\n  - {name: any, match: {tool: launch_application}, decision: allow, reason: test}\n"
    it = stage(notes.desktop, {"HostAgent": [launch, say("FAIL")]}, log_path=tmp_path, rules=rules)
    await it.run()
    assert it.desktop.calls_of("launch") == []
    assert "there is no application" in it.model.requests[1].steps_done[0].problem


@pytest.mark.requires("command.launch-registry")
async def test_a_file_that_is_not_there_is_launched_in_nothing(tmp_path: Path) -> None:
    args: JsonObject = {"application": "calc", "file": str(tmp_path / "none.ods")}
    notes = Notes()
    notes.desktop.applications["calc"] = FakeApplication("calc", lambda _, __: FakeWindow("Sheet", []))
    replies = [say("CONTINUE", "launch_application", args=args), say("FAIL")]
    rules = "policy: 1\nrules:\n  - {name: any, match: {tool: launch_application}, decision: allow, reason: test}\n"
    it = stage(notes.desktop, {"HostAgent": replies}, log_path=tmp_path, rules=rules)
    await it.run()
    assert it.desktop.calls_of("launch") == []
    assert "there is no file" in it.model.requests[1].steps_done[0].problem


@pytest.mark.requires("state.assign-error")
async def test_an_agent_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    replies = {"HostAgent": [assign("Notes", "Save")]}
    it = stage(Notes().desktop, replies, log_path=tmp_path, kinds={"app": _refuses})
    ending = await it.run()
    assert it.events.edges()[1] == ("host", "ASSIGN", "ERROR", "system")
    assert (ending.outcome, ending.reason) == (Outcome.ERROR, "ValueError: no")


def _refuses(*_: object, **__: object) -> AppAgent:
    raise ValueError("no")


def test_a_kind_nobody_registered_is_named_with_the_known_ones(tmp_path: Path) -> None:
    notes = Notes()
    it = stage(notes.desktop, {}, log_path=tmp_path)
    factory = AgentFactory(it.services, it.models, mode=RunMode.NORMAL)
    with pytest.raises(StateError, match=r"no agent of kind 'shell' for 'Notes'; known: app"):
        factory.create_agent("shell", "S", "sh", "Notes", target=it.desktop.target(notes.save))


class NothingHolds:
    """A check that fails."""

    name = "saved"

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
        return (CheckResult("saved", ok=False),)


async def ended(
    tmp_path: Path, *after: Answer, of_app: Sequence[Answer], checkers: Sequence[Checker] = ()
) -> tuple[Stage, Ending]:
    """A session whose only ASSIGN is the last one; `after`: the replies of the host after it."""
    host = [assign("Notes", "Save it", last=True), *after]
    it = stage(Notes().desktop, {"HostAgent": host, APP: [*of_app]}, log_path=tmp_path, checkers=checkers)
    return it, await it.run()


@pytest.mark.requires("pipeline.host-step")
async def test_after_the_last_subtask_succeeded_the_host_finishes_without_its_model(tmp_path: Path) -> None:
    it, ending = await ended(tmp_path, of_app=[say("FINISH", result="saved")])
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "saved")
    assert [request.agent_name for request in it.model.requests] == ["HostAgent", APP]
    assert it.events.edges()[-1] == ("host", "CONTINUE", "FINISH", "llm")


@pytest.mark.requires("pipeline.host-step")
async def test_after_the_last_subtask_failed_the_model_of_the_host_judges(tmp_path: Path) -> None:
    it, ending = await ended(tmp_path, say("FAIL", comment="impossible"), of_app=[say("FAIL")])
    assert ending.outcome is Outcome.FAILED
    assert [request.agent_name for request in it.model.requests] == ["HostAgent", APP, "HostAgent"]


@pytest.mark.requires("pipeline.host-step", "round.claim-checked")
async def test_a_finish_claimed_ahead_is_checked_like_any_other(tmp_path: Path) -> None:
    """The check fails, so the model of the host is asked what to do about it."""
    it, ending = await ended(tmp_path, say("FAIL"), of_app=[say("FINISH")], checkers=(NothingHolds(),))
    assert ending.outcome is Outcome.FAILED
    assert [check.ok for check in it.events.of(CheckRun)] == [False]
