"""Tasks of a batch in processes of their own; the applications are in memory, their effects in a file of each task."""

import json
import os
from pathlib import Path

import anyio
import pytest

from cli.batch_world import Remote, processes, remote
from deskhand.cli.batch_process import TaskProcesses
from deskhand.core.outcomes import Outcome
from deskhand.session.batch import Batch
from deskhand.session.plan_file import Task, read_tasks
from stage import Person
from two_applications import EFFECTS, effects

pytestmark = pytest.mark.usefixtures("no_server_left")


class Told:
    """Takes note of the progress."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.steps: list[str] = []
        self.works = anyio.Event()

    def began(self, task: Task) -> None:
        self.lines.append(f"{task.id} began")

    def stepped(self, task: Task, step: int, told: str) -> None:
        self.steps.append(told)
        self.works.set()

    def remarked(self, task: Task, told: str) -> None:
        self.lines.append(f"{task.id}: {told}")

    def ended(self, task: Task, outcome: Outcome, reason: str) -> None:
        self.lines.append(f"{task.id} {outcome}")

    def asking(self, task: Task) -> None:
        self.lines.append(f"{task.id} asks")

    def asked(self) -> None:
        self.lines.append("answered")


def batch(folder: Path, *names: str, task: str = "Write a note") -> Batch:
    return Batch([Task(id=name, task=task) for name in names], folder)


async def carried_out(tasks: Batch, preparation: Remote) -> tuple[TaskProcesses, Told]:
    told = Told()
    sessions = TaskProcesses(preparation, again=False, watching=told)
    with tasks:
        await tasks.run(sessions.carry_out, workers=2)
    return sessions, told


def statuses(folder: Path) -> object:
    return json.loads((folder / "tasks_status.json").read_text())


@pytest.mark.requires("cli.workers")
async def test_each_task_has_a_process_and_results_are_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    names = ("one", "two", "three")
    tasks = batch(tmp_path, *names)
    sessions, told = await carried_out(tasks, remote())
    assert [(ending.id, ending.outcome) for ending in tasks.endings] == [(name, Outcome.SUCCESS) for name in names]
    assert statuses(tmp_path) == dict.fromkeys(names, "success")
    pids = [pid for name in names for pid in processes(tmp_path / name)]
    assert len({*pids, os.getpid()}) == 4
    assert [effects(tmp_path / name / "effects.log") for name in names] == [EFFECTS] * 3
    assert sessions.summaries["two"].report == str(tmp_path / "two" / "report.html")
    assert told.lines[:2] == ["one began", "two began"]
    assert 'invoke button "Send"' in told.steps


@pytest.mark.requires("cli.workers", "resume.once")
async def test_a_task_whose_process_is_killed_is_continued_in_another_and_nothing_is_sent_twice(tmp_path: Path) -> None:
    tasks = batch(tmp_path, "mortal", "other")
    sessions, told = await carried_out(tasks, remote(deaths=1))
    assert tasks.outcome is Outcome.SUCCESS
    first, second = processes(tmp_path / "mortal")
    assert first != second
    assert effects(tmp_path / "mortal" / "effects.log") == EFFECTS
    assert len(sessions.summaries["mortal"].resumptions) == 1
    assert "mortal: its process ended without a result (SIGKILL)" in told.lines


@pytest.mark.requires("cli.workers")
async def test_a_task_whose_process_is_killed_twice_is_an_error_and_the_others_go_on(tmp_path: Path) -> None:
    tasks = batch(tmp_path, "mortal", "other", "third")
    await carried_out(tasks, remote(deaths=2))
    assert statuses(tmp_path) == {"mortal": "error", "other": "success", "third": "success"}
    assert tasks.endings[0].reason == "its process ended without a result (SIGKILL), 2 times"


@pytest.mark.requires("cli.workers")
async def test_a_cancelled_batch_concludes_the_running_tasks_first(tmp_path: Path) -> None:
    told = Told()
    sessions = TaskProcesses(remote(hangs=True), again=False, watching=told)
    with batch(tmp_path, "idle", "one", "two") as tasks:
        async with anyio.create_task_group() as group:
            group.start_soon(tasks.run, sessions.carry_out)
            with anyio.fail_after(60):
                await told.works.wait()
            group.cancel_scope.cancel()
    assert statuses(tmp_path) == {"idle": "cancelled"}
    assert sessions.summaries["idle"].outcome == "cancelled"
    assert (tmp_path / "idle" / "report.html").exists()


@pytest.mark.requires("cli.workers")
async def test_approvals_are_asked_in_the_process_of_the_command_one_after_the_other(tmp_path: Path) -> None:
    person = Person(decides=[True, False])
    tasks = batch(tmp_path, "one", "two")
    _, told = await carried_out(tasks, remote(interactor=person))
    assert sorted(ending.outcome for ending in tasks.endings) == ["failed", "success"]
    assert [request.facts[0].facts.control_name for request in person.shown] == ["Send", "Send"]
    asked = [line for line in told.lines if "asks" in line or line == "answered"]
    assert sorted(asked[::2]) == ["one asks", "two asks"]
    assert asked[1::2] == ["answered", "answered"]


@pytest.mark.requires("cli.workers")
async def test_a_task_that_cannot_begin_is_an_error_with_its_reason(tmp_path: Path) -> None:
    list_ = tmp_path / "tasks.jsonl"
    list_.write_text('{"id": "lost", "task": "Write", "object": "gone.odt"}\n{"id": "one", "task": "Write"}\n')
    tasks = Batch(read_tasks(list_), tmp_path)
    await carried_out(tasks, remote())
    assert statuses(tmp_path) == {"lost": "error", "one": "success"}
    assert "gone.odt" in tasks.endings[0].reason
