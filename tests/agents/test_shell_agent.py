"""An agent that needs no window, with a machine, a pipeline and a tool of its own (contract 2.2)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import deskhand
from deskhand.agents.builtin_kinds import THIRD_PARTY
from deskhand.agents.shell import SHELL, ShellAgent
from deskhand.commands import Tool
from deskhand.commands.tools.shell import Shell
from deskhand.core.events import QuestionsAnswered, ReplyAccepted, SubtaskAssigned, VerdictGiven
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import AppAgentStatus
from deskhand.models import PlaybookModel, load_playbook
from deskhand.states import TransitionTable, packaged_table
from deskhand.states.shell import ShellAgentStateManager
from notes import APP, Notes
from stage import Answer, Person, Stage, assign, say, stage
from support import need_sandbox


def open_tools(folder: Path) -> Sequence[Tool]:
    return Shell(folder / "shell", None).tools


OPEN = replace(SHELL, tools=open_tools)
"""The agent on a machine without a sandbox."""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Programs need time that passes."""
    return "asyncio"


def run(*argv: str, status: str = "CONTINUE", save_as: str = "", background: bool = False) -> Answer:
    return say(status, "run_command", args={"argv": list(argv), "background": background}, save_as=save_as)


def played(tmp_path: Path, *shell: Answer, boxed: bool = True, person: Person | None = None) -> Stage:
    replies = {"HostAgent": [assign("ShellAgent", "Count the words"), say("FINISH")], "ShellAgent": shell}
    if boxed:
        need_sandbox()
    third_party = [SHELL if boxed else OPEN]
    return stage(Notes().desktop, replies, log_path=tmp_path, third_party=third_party, person=person)


@pytest.mark.requires("shell.assigned")
async def test_the_host_hands_it_a_subtask_like_an_application(tmp_path: Path) -> None:
    it = played(tmp_path, run("echo", "7 words", save_as="count"), say("FINISH", result="7"))
    ending = await it.run()
    assert it.events.edges() == [
        ("host", "CONTINUE", "ASSIGN", "llm"),
        ("host", "ASSIGN", "shell:CONTINUE", "system"),
        ("shell", "CONTINUE", "CONTINUE", "llm"),
        ("shell", "CONTINUE", "FINISH", "llm"),
        ("shell", "FINISH", "host:CONTINUE", "system"),
        ("host", "CONTINUE", "FINISH", "llm"),
    ]
    (record,) = it.context.previous_subtasks
    assert (ending.outcome, record.agent, record.application) == (Outcome.SUCCESS, "ShellAgent", "shell")
    assert record.actions == ("run_command",)
    assert "7 words" in str(it.services.blackboard.values()["count"])


@pytest.mark.requires("shell.assigned")
async def test_it_is_offered_beside_the_windows_and_is_reused(tmp_path: Path) -> None:
    host = [assign("ShellAgent", "Count"), assign("Notes", "Write"), assign("ShellAgent", "Sort"), say("FINISH")]
    replies = {"HostAgent": host, "ShellAgent": [say("FINISH"), say("FINISH")], APP: [say("FINISH")]}
    it = stage(Notes().desktop, replies, log_path=tmp_path, third_party=[SHELL])
    await it.run()
    offered = [(target.type, target.name, target.id) for target in it.model.requests[0].controls]
    assert offered == [("window", "Notes", "1"), ("application", "ShellAgent", "2")]
    assigned = [(e.agent, e.window, e.reused) for e in it.events.of(SubtaskAssigned)]
    assert assigned == [("ShellAgent", "ShellAgent", False), (APP, "Notes", False), ("ShellAgent", "ShellAgent", True)]
    assert '2 application "ShellAgent" = "runs commands' in str(it.model.requests[0].messages)


async def test_it_sees_its_folder_and_what_its_command_printed(tmp_path: Path) -> None:
    it = played(tmp_path, run("sh", "-c", "echo text | tee a.txt"), say("FINISH"))
    await it.run()
    first, second = (request for request in it.model.requests if request.agent == ShellAgent.kind)
    assert "No command ran yet." in first.seen_text
    assert "a.txt (5 bytes)" in second.seen_text
    assert "stdout:\ntext" in second.seen_text
    assert "<<<UNTRUSTED the screen" in str(second.messages)
    assert [tool.name for tool in first.tools] == ["run_command"]


async def test_a_finish_on_a_command_that_did_not_end_well_does_not_stand(tmp_path: Path) -> None:
    it = played(tmp_path, run("false", status="FINISH"), say("FAIL", comment="it does not work"))
    ending = await it.run()
    assert ("shell", "CONTINUE", "CONTINUE", "system") in it.events.edges()
    assert ("shell", "FAIL", "host:CONTINUE", "system") in it.events.edges()
    assert (it.outcomes, ending.outcome) == ([Outcome.FAILED], Outcome.FAILED)


@pytest.mark.parametrize(
    ("script", "expect", "ends", "told"),
    [
        ("exit 1", "", Outcome.FAILED, "exit code 1"),
        ("echo no such table >&2; exit 2", "", Outcome.FAILED, "exit code 2: no such table"),
        ("kill -9 $$", "", Outcome.FAILED, "exit code"),
        ("exit 1", "exit_code: 1", Outcome.SUCCESS, ""),
        ("exit 1", 'exit_code: "<=1"', Outcome.SUCCESS, ""),
        ("exit 2", 'exit_code: "<=1"', Outcome.FAILED, "exit code 2"),
        ("true", "exit_code: 1", Outcome.FAILED, "exit_code: wanted 1, got 0"),
    ],
)
async def test_a_playbook_step_fails_with_its_command_unless_that_exit_code_was_expected(
    script: str, expect: str, ends: Outcome, told: str, tmp_path: Path
) -> None:
    wanted = f", expect: {{{expect}}}" if expect else ""
    (tmp_path / "it.yaml").write_text(
        "playbook: 1\nname: it\nhost:\n"
        "  - {on: {role: application, name: ShellAgent}, status: ASSIGN, agent: shell, subtask: Run}\n"
        "  - {status: FINISH}\n"
        f"agents:\n  shell:\n    - {{tool: run_command, args: {{argv: [sh, -c, '{script}']}}{wanted}, save_as: out}}\n"
        "    - {status: FINISH}\n"
    )
    need_sandbox()
    it = stage(
        Notes().desktop, PlaybookModel(load_playbook(tmp_path / "it.yaml")), log_path=tmp_path, third_party=[SHELL]
    )
    ending = await it.run()
    assert (ending.outcome, it.outcomes) == (ends, [ends])
    assert told in it.context.previous_subtasks[0].error
    assert ("out" in it.services.blackboard.values()) is (ends is Outcome.SUCCESS)


async def test_a_failed_command_fails_its_step_for_a_model_too(tmp_path: Path) -> None:
    it = played(tmp_path, *[run("sh", "-c", f"exit {code}") for code in range(1, 9)])
    await it.run()
    assert it.outcomes == [Outcome.FAILED]
    assert "steps failed in a row; the last: exit code" in it.context.previous_subtasks[0].error


@pytest.mark.requires("shell.confirmed")
async def test_in_its_sandbox_no_command_is_asked_about(tmp_path: Path) -> None:
    person = Person()
    it = played(tmp_path, run("true"), say("FINISH"), person=person)
    await it.run()
    assert (person.shown, [e.decision for e in it.events.of(VerdictGiven)][-1]) == ([], "allow")


@pytest.mark.requires("shell.confirmed")
async def test_without_a_sandbox_each_command_is_confirmed(tmp_path: Path) -> None:
    person = Person(decides=[True, False])
    made = (run("touch", "a"), run("touch", "b"))
    it = played(tmp_path, *made, boxed=False, person=person)
    ending = await it.run()
    assert [verdict.rule for request in person.shown for verdict in request.facts] == ["shell", "shell"]
    shown = [request.facts[0].facts.arguments["argv"] for request in person.shown]
    assert shown == [["touch", "a"], ["touch", "b"]]
    assert sorted(path.name for path in (tmp_path / "shell").iterdir()) == ["a"]
    assert (it.outcomes, ending.outcome) == ([Outcome.REJECTED], Outcome.REJECTED)


@pytest.mark.requires("shell.confirmed")
async def test_without_a_sandbox_and_without_anybody_to_ask_nothing_runs(tmp_path: Path) -> None:
    it = played(tmp_path, run("touch", "a"), boxed=False)
    await it.run()
    assert it.outcomes == [Outcome.TIMEOUT]
    assert not (tmp_path / "shell").exists()


@pytest.mark.requires("round.awaited-event")
async def test_it_waits_for_its_job_in_the_background(tmp_path: Path) -> None:
    job = run("sh", "-c", "echo built", background=True)
    it = played(tmp_path, job, say("PENDING", questions=["Is it built?"]), say("FINISH"))
    await it.run()
    (answered,) = it.events.of(QuestionsAnswered)
    assert answered.answers == {"Is it built?": "job 1 (sh): exit code 0; it printed: built\n"}


@pytest.mark.requires("state.plug-in")
def test_its_machine_is_the_apps_without_screenshot() -> None:
    def rows(machine: str, source: TransitionTable) -> set[tuple[str, ...]]:
        return {(e.source, e.to, e.cause, e.trigger) for e in source if e.machine == machine}

    app = {row for row in rows("app", packaged_table()) if AppAgentStatus.SCREENSHOT not in row}
    assert rows("shell", ShellAgentStateManager.rows()) == app
    assert set(ShellAgentStateManager.names()) == {"", *AppAgentStatus} - {"SCREENSHOT"}
    assert ShellAgentStateManager.agent_class is ShellAgent


@pytest.mark.requires("state.plug-in")
@pytest.mark.parametrize("room", ["states", "session", "pipeline", "core", "policy", "models", "memory", "desktop"])
def test_nothing_that_was_there_names_it(room: str) -> None:
    root = Path(deskhand.__file__).parent / room
    own = {root / "shell.py", root / "shell"}
    files = [path for path in root.rglob("*.py") if not own & {path, *path.parents}]
    assert files
    assert [path.name for path in files if "shellagent" in path.read_text("utf-8").lower()] == []
    assert THIRD_PARTY == (SHELL,)


@pytest.mark.requires("pipeline.loop-detector")
async def test_the_same_command_with_the_same_output_is_going_in_circles_and_with_another_it_is_not(
    tmp_path: Path,
) -> None:
    it = played(tmp_path, *[run("echo", "nothing new")] * 4)
    await it.run()
    assert it.outcomes == [Outcome.FAILED]
    assert "it repeated the same step 3 times" in it.context.previous_subtasks[0].error
    it = played(tmp_path, *[run("date", "+%s%N")] * 6, say("FINISH"))
    await it.run()
    assert it.outcomes == [Outcome.SUCCESS]


async def test_a_playbook_counts_windows_and_not_the_agents_beside_them(tmp_path: Path) -> None:
    need_sandbox()
    (tmp_path / "true.yaml").write_text(
        "playbook: 1\nname: runs\nhost:\n"
        "  - {on: {role: application, name: ShellAgent}, status: ASSIGN, agent: shell, subtask: Run}\n"
        "  - {status: FINISH}\n"
        "agents:\n  shell:\n    - {tool: run_command, args: {argv: [echo]}, status: FINISH}\n"
    )
    model = PlaybookModel(load_playbook(tmp_path / "true.yaml"))
    it = stage(Notes().desktop, model, log_path=tmp_path, third_party=[SHELL])
    assert (await it.run()).outcome is Outcome.SUCCESS
    seen = [event.observation for event in it.events.of(ReplyAccepted)]
    assert seen == ["1 window", "the result of its last command", "1 window"]
