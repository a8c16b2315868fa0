"""`deskhand run` with a plan, a list of tasks, one request after the other, and limits; on a desktop in memory."""

import json
import os
import select
import signal
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

import anyio
import pytest

from cli.driver import SESSION_KEYS, Console, Finished
from cli.screen import screen
from deskhand.core.events import SessionStarted
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.roles import Role
from deskhand.core.usage import Usage
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.models.playbook import PlaybookModel
from deskhand.session.batch import Batch
from deskhand.session.build import SessionPlan
from deskhand.session.clock import SystemClock
from deskhand.snapshots.comparison import accept
from deskhand.store.journal import Journal, read_events
from junit_reading import read_junit

BOOK = """\
playbook: 1
name: door
host:
  - {on: {role: window, name: "/Writer$/"}, status: ASSIGN, agent: opener, subtask: Open the door}
  - {on: {role: window, name: "/Writer$/"}, status: ASSIGN, agent: closer, subtask: Close the door}
  - {status: FINISH, result: aired}
agents:
  opener:
    - {tool: click_input, on: {role: checkbox, name: Door}, expect: {effect: confirmed}, status: FINISH}
  closer:
    - {tool: click_input, on: {role: checkbox, name: Door}, expect: {effect: confirmed}, status: FINISH}
"""
STEPS = ["Open the door", "Close the door"]


T = TypeVar("T")


class Impatient(FakeDesktop):
    """A desktop on which waiting for something ends soon."""

    async def wait_until(self, condition: Callable[[], Awaitable[T | None]], *, deadline_s: float) -> T | None:
        return await super().wait_until(condition, deadline_s=min(deadline_s, 0.05))


class World:
    """Each session gets a desktop with a Writer; `prepare` gets it before the session does."""

    def __init__(self) -> None:
        self.desktops: list[FakeDesktop] = []
        self.prepare: Callable[[FakeDesktop], None] = lambda _: None
        self.opened: list[str] = []

    @asynccontextmanager
    async def open(self, choice: str, session_id: str, root: Path) -> AsyncGenerator[FakeDesktop]:
        desktop = Impatient([FakeApplication("writer", self._open_document)])
        self.desktops.append(desktop)
        self.prepare(desktop)
        yield desktop

    def _open_document(self, desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        name = file.name if file else "Untitled"
        self.opened.append(name)
        return FakeWindow(f"{name} Writer", [FakeControl(Role.CHECKBOX, "Door")])


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    """What `--desktop memory` opens. The present folder has a playbook `door.yaml` and documents."""
    made = World()
    for room in ("run_options", "resume"):
        monkeypatch.setattr(f"deskhand.cli.{room}.SessionPlan", partial(SessionPlan, opens=made.open))
    monkeypatch.setenv("DESKHAND_DESKTOP", "memory")
    monkeypatch.chdir(tmp_path)
    Path("door.yaml").write_text(BOOK)
    for name in ("a.odt", "b.odt"):
        Path(name).touch()
    return made


def write_json(name: str, *values: object) -> str:
    Path(name).write_text("".join(json.dumps(value) + "\n" for value in values))
    return name


def run(console: Console, *arguments: object) -> Finished:
    return console("run", "--playbook", "door.yaml", "--json", *arguments)


def tasks_of(done: Finished) -> list[tuple[object, ...]]:
    return [tuple(task[key] for key in ("id", "outcome", "skipped")) for task in done.items("tasks")]


def statuses() -> object:
    return json.loads(Path("out/tasks_status.json").read_text())


@pytest.mark.requires("round.follower", "cli.plan-file", "round.several")
def test_a_plan_is_followed_round_by_round(console: Console, world: World) -> None:
    plan = write_json("plan.json", {"task": "Air the room", "steps": STEPS, "object": "a.odt"})
    done = run(console, "--mode", "follower", "--plan", plan, "--out", "out")
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert done.item("request") == "Air the room"
    assert [(s["subtask"], s["outcome"]) for s in done.items("subtasks")] == [(step, "success") for step in STEPS]
    assert set(done.json) == SESSION_KEYS | {"rounds"}
    assert [tuple(r[key] for key in ("round", "request", "outcome")) for r in done.items("rounds")] == [
        (1, "Open the door", "success"),
        (2, "Close the door", "success"),
    ]
    assert world.opened == ["a.odt"]
    for line in ("round 1: Open the door", "round 2: Close the door", "round 2 ended"):
        assert line in done.err


@pytest.mark.requires("round.follower-checks")
def test_what_the_playbook_wants_at_its_end_is_asked_at_the_end_of_the_plan(console: Console, world: World) -> None:
    Path("door.yaml").write_text(BOOK.replace("result: aired", "result: aired, expect: {window: /^Nowhere$/}"))
    plan = write_json("plan.json", {"task": "Air the room", "steps": STEPS, "object": "a.odt"})
    done = run(console, "--mode", "follower", "--plan", plan, "--out", "out")
    assert (done.code, done.item("outcome")) == (1, "failed")
    assert "no window is called" in str(done.item("reason"))


@pytest.mark.requires("cli.plan-file", "cli.exit-codes")
@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"task": "", "steps": [], "object": "none.odt", "more": 1}, ["task", "steps", "none.odt", "more"]),
        ({"task": "x", "steps": ["Open the door", "Paint it", "Sell it"]}, ["'Paint it'", "'Sell it'", STEPS[1]]),
        ({"task": "x", "steps": ["Open the door"], "object": "door.bin"}, ["nothing on this machine opens 'door.bin'"]),
        ({"task": "x", "steps": ["Open the door"], "object": "."}, ["(its type is inode/directory)"]),
    ],
)
def test_a_wrong_plan_is_told_whole_before_anything_starts(
    console: Console, world: World, plan: object, told: list[str]
) -> None:
    Path("door.bin").write_bytes(b"\0")
    done = run(console, "--mode", "follower", "--plan", write_json("plan.json", plan), "--out", "out")
    assert done.code == 2
    assert set(done.json) == SESSION_KEYS
    for word in told:
        assert word in done.err
    assert (world.desktops, Path("out").exists()) == ([], False)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--mode", "follower"], "--plan"),
        (["--mode", "follower", "--plan", "none.json"], "none.json"),
        (["--mode", "follower", "--plan", "a.odt", "Do it"], "a request"),
        (["--mode", "follower", "--plan", "a.odt", "-i"], "--interactive"),
        (["--mode", "batch"], "--tasks"),
        (["--mode", "batch", "--tasks", "none.jsonl"], "none.jsonl"),
        (["--mode", "batch", "--tasks", "a.odt", "--plan", "a.odt"], "--plan"),
        (["Do it", "--tasks", "a.odt"], "--tasks"),
        (["Do it", "--plan", "a.odt"], "--plan"),
        (["Do it", "--interactive"], "needs a terminal"),
        ([], "there is no request"),
        (["  "], "there is no request"),
        (["Do it", "--mode", "backwards"], "backwards"),
        (["Do it", "--max-round", "0"], "max_round"),
    ],
)
def test_options_that_do_not_go_together_are_told(
    console: Console, world: World, options: list[str], told: str
) -> None:
    done = run(console, *options)
    assert (done.code, world.desktops) == (2, [])
    assert told in done.err


def test_a_plan_without_an_object_needs_something_to_work_in(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DESKHAND_DESKTOP")
    plan = write_json("plan.json", {"task": "x", "steps": STEPS})
    assert "the desktop is empty" in run(console, "--mode", "follower", "--plan", plan).err


@pytest.mark.requires("cli.hostile-names")
def test_what_a_session_says_of_itself_does_nothing_to_the_terminal(console: Console, world: World) -> None:
    Path("door.yaml").write_text(BOOK.replace("result: aired", r'result: "aired \e[2J \u202e"'))
    done = console("run", "Do it", "--playbook", "door.yaml", "--file", "a.odt", "--out", "out")
    assert done.code == 0, done.err
    assert "aired \ufffd[2J \ufffd" in done.out


@pytest.mark.requires("cli.batch")
def test_each_task_of_a_batch_is_a_session_in_a_folder_of_its_own(console: Console, world: World) -> None:
    tasks = [
        {"id": "one", "task": "Air a", "object": "a.odt"},
        {"id": "lost", "task": "Air c", "object": "c.odt"},
        {"id": "two", "task": "Air b", "object": "b.odt"},
    ]
    done = run(console, "--mode", "batch", "--tasks", write_json("tasks.jsonl", *tasks), "--out", "out")
    assert (done.code, done.item("outcome")) == (4, "error")
    assert set(done.json) == SESSION_KEYS | {"tasks"}
    assert tasks_of(done) == [("one", "success", False), ("lost", "error", False), ("two", "success", False)]
    assert "c.odt" in str(done.items("tasks")[1]["reason"])
    assert done.items("tasks")[1]["session_dir"] == ""
    assert statuses() == {"one": "success", "lost": "error", "two": "success"}
    for name in ("one", "two"):
        assert Path("out", name, "report.html").is_file()
        assert Path("out", name, "log", "journal.sqlite").is_file()
    assert world.opened == ["a.odt", "b.odt"]
    assert len(done.items("subtasks")) == 4


@pytest.mark.requires("cli.batch")
def test_a_second_run_repeats_only_what_did_not_succeed(console: Console, world: World) -> None:
    write_json("tasks.jsonl", {"id": "one", "task": "x", "object": "a.odt"}, {"id": "two", "task": "y"})
    batch = ["--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out"]
    first = run(console, *batch)
    assert (first.code, tasks_of(first)) == (1, [("one", "success", False), ("two", "failed", False)])
    write_json("tasks.jsonl", {"id": "one", "task": "x"}, {"id": "two", "task": "y", "object": "b.odt"})
    second = run(console, *batch)
    assert (second.code, tasks_of(second)) == (0, [("one", "success", True), ("two", "success", False)])
    assert world.opened == ["a.odt", "b.odt"]
    third = run(console, *batch, "--force")
    assert tasks_of(third) == [("one", "failed", False), ("two", "success", False)]


@pytest.mark.requires("cli.batch")
def test_without_out_a_second_run_of_the_same_tasks_finds_the_first(console: Console, world: World) -> None:
    tasks = write_json("tasks.jsonl", {"id": "one", "task": "x", "object": "a.odt"})
    done = [run(console, "--mode", "batch", "--tasks", tasks) for _ in range(2)]
    assert [tasks_of(each) for each in done] == [[("one", "success", False)], [("one", "success", True)]]
    assert "/deskhand/batches/tasks-" in str(done[0].item("session_dir"))


@pytest.mark.requires("cli.batch", "cli.signals")
def test_a_signal_stops_the_batch_and_the_status_file_is_right(console: Console, world: World) -> None:
    stopped_in_session(2, world)
    tasks = [{"id": name, "task": "x", "object": "a.odt"} for name in ("one", "two", "three")]
    done = run(console, "--mode", "batch", "--tasks", write_json("tasks.jsonl", *tasks), "--out", "out")
    assert (done.code, done.item("outcome")) == (6, "cancelled")
    assert tasks_of(done) == [("one", "success", False), ("two", "cancelled", False), ("three", "cancelled", False)]
    assert statuses() == {"one": "success", "two": "cancelled"}
    assert Path("out/two/report.html").is_file()
    world.prepare = lambda _: None
    again = run(console, "--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out")
    assert (again.code, tasks_of(again)[0]) == (0, ("one", "success", True))


@pytest.mark.requires("cli.batch", "cli.signals")
def test_tasks_that_did_not_begin_are_told_although_a_later_one_succeeded_before(
    console: Console, world: World
) -> None:
    tasks = [{"id": name, "task": "x", "object": "a.odt"} for name in ("one", "two", "three")]
    assert run(console, "--mode", "batch", "--tasks", write_json("last.jsonl", tasks[2]), "--out", "out").code == 0
    stopped_in_session(2, world)
    done = run(console, "--mode", "batch", "--tasks", write_json("tasks.jsonl", *tasks), "--out", "out")
    assert tasks_of(done) == [("one", "cancelled", False), ("two", "cancelled", False), ("three", "success", True)]


def stopped_in_session(number: int, world: World) -> None:
    """Ctrl+C while the n-th session looks at its window."""

    def interrupt(desktop: FakeDesktop) -> None:
        if len(world.desktops) == number:
            desktop.faults.before("observe", lambda: os.kill(os.getpid(), signal.SIGINT))
            desktop.faults.hang("observe")

    world.prepare = interrupt


@pytest.mark.requires("cli.batch", "resume.stopped")
def test_a_task_that_was_resumed_is_not_run_again_by_its_batch(console: Console, world: World) -> None:
    stopped_in_session(2, world)
    write_json("tasks.jsonl", *({"id": name, "task": f"Air {name}", "object": "a.odt"} for name in ("one", "two")))
    batch = ["--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out"]
    assert run(console, *batch).code == 6
    resumed = console("resume", "out/two", "--json")
    assert (resumed.code, resumed.item("outcome")) == (0, "success"), resumed.err
    opened = len(world.desktops)
    again = run(console, *batch)
    assert (again.code, tasks_of(again)) == (0, [("one", "success", True), ("two", "success", True)])
    assert (statuses(), len(world.desktops)) == ({"one": "success", "two": "success"}, opened)


@pytest.mark.requires("resume.stopped", "cli.signals")
def test_a_session_that_was_stopped_names_the_command_that_continues_it(console: Console, world: World) -> None:
    stopped_in_session(1, world)
    done = run(console, "Air the room", "--file", "a.odt", "--out", "my out")
    told = f"deskhand resume '{Path('my out').absolute()}'"
    assert (done.code, done.item("outcome")) == (6, "cancelled")
    assert told in str(done.item("error", "fix"))
    assert told in done.err
    stopped_in_session(2, world)
    again = console("resume", "my out", "--json")
    assert (again.code, told in again.err) == (6, True)
    last = console("resume", "my out", "--json")
    assert (last.code, last.item("outcome"), len(last.items("resumptions"))) == (0, "success", 2), last.err
    assert [(each["subtask"], each["outcome"]) for each in last.items("subtasks")][-2:] == [
        ("Open the door", "success"),
        ("Close the door", "success"),
    ]
    ended = console("resume", "my out", "--json")
    assert (ended.code, ended.item("error", "type")) == (2, "UsageError")


@pytest.mark.requires("cli.batch")
def test_a_wrong_batch_is_told_whole_before_anything_starts(console: Console, world: World) -> None:
    tasks = write_json("tasks.jsonl", {"id": "a"}, {"id": "a/b", "task": "x"}, {"id": "c", "task": "x", "later": 1})
    done = run(console, "--mode", "batch", "--tasks", tasks, "--out", "out")
    assert (done.code, world.desktops, Path("out").exists()) == (2, [], False)
    for word in ("jsonl:1: task", "jsonl:2: id", "jsonl:3: later"):
        assert word in done.err


@pytest.mark.parametrize("status", ["not JSON", '{"one": "splendid"}', "[]"])
def test_a_status_file_that_is_none_is_told_and_left_alone(console: Console, world: World, status: str) -> None:
    Path("out").mkdir()
    Path("out/tasks_status.json").write_text(status)
    tasks = write_json("tasks.jsonl", {"id": "one", "task": "x"})
    done = run(console, "--mode", "batch", "--tasks", tasks, "--out", "out")
    assert (done.code, Path("out/tasks_status.json").read_text()) == (2, status)


@pytest.mark.requires("playbook.export-parameters")
def test_the_journal_names_values_that_a_playbook_has_by_default(console: Console, world: World) -> None:
    Path("door.yaml").write_text(BOOK.replace("host:", "params: {who: {type: text, default: Ada}, why: text}\nhost:"))
    assert run(console, "Do it", "--file", "a.odt", "--param", "why=air", "--out", "out").code == 0
    (started,) = [event for event in read_events(Path("out/log")) if isinstance(event, SessionStarted)]
    assert started.parameters == {"who": "Ada", "why": "air"}


@pytest.mark.requires("cli.workers")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--workers", "2"], "share the desktop memory"),
        (["--workers", "2", "--desktop", "virtual", "--in-place", "--file", "a.odt"], "share the file"),
        (["--workers", "0"], "--workers"),
        (["--workers", "2", "--mode", "normal", "Do it"], "--workers"),
    ],
)
def test_several_workers_share_nothing(console: Console, world: World, options: list[str], told: str) -> None:
    tasks = write_json("tasks.jsonl", {"id": "one", "task": "x"}, {"id": "two", "task": "y"})
    of_batch = [] if "normal" in options else ["--mode", "batch", "--tasks", tasks]
    done = run(console, *of_batch, "--out", "out", *options)
    assert (done.code, world.desktops) == (2, [])
    assert told in done.err


@pytest.mark.requires("cli.workers")
def test_tasks_that_would_write_one_file_are_refused_before_the_first(console: Console, world: World) -> None:
    with_parameter("output")
    tasks = write_json("tasks.jsonl", *({"id": name, "task": "x", "object": "a.odt"} for name in ("one", "two")))
    batch = ["--mode", "batch", "--tasks", tasks, "--out", "out", "--param"]
    done = run(console, *batch, f"output={Path('made.ods').absolute()}")
    assert (done.code, world.desktops) == (2, [])
    assert "2 tasks would write" in done.err
    assert "a relative path" in done.err
    assert run(console, *batch, "output=made.ods").code == 0


@pytest.mark.requires("cli.batch")
def test_two_batches_do_not_share_a_folder(console: Console, world: World) -> None:
    tasks = write_json("tasks.jsonl", {"id": "one", "task": "x", "object": "a.odt"})
    with Batch((), Path("out")):
        done = run(console, "--mode", "batch", "--tasks", tasks, "--out", "out")
    assert (done.code, done.item("error", "type"), world.desktops) == (2, "StoreBusy", [])


def test_a_task_whose_folder_another_session_uses_is_an_error_and_the_next_goes_on(
    console: Console, world: World
) -> None:
    tasks = [{"id": name, "task": "x", "object": "a.odt"} for name in ("one", "two")]
    with Journal(Path("out/one/log"), SystemClock()):
        done = run(console, "--mode", "batch", "--tasks", write_json("tasks.jsonl", *tasks), "--out", "out")
    assert tasks_of(done) == [("one", "error", False), ("two", "success", False)]


def test_a_relative_path_for_the_playbook_lies_in_the_folder_of_the_task(console: Console, world: World) -> None:
    book = BOOK.replace("host:", "params: {output: path}\nhost:").replace("aired", '"made ${output}"')
    Path("door.yaml").write_text(book)
    tasks = [{"id": name, "task": "x", "object": "a.odt"} for name in ("one", "two")]
    write_json("tasks.jsonl", *tasks)
    done = run(console, "--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out", "--param", "output=made.ods")
    assert [task["reason"] for task in done.items("tasks")] == [
        f"made {Path('out').absolute()}/{name}/made.ods" for name in ("one", "two")
    ]
    wrong = run(console, "--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out", "--param", "outptu=x")
    assert (wrong.code, "outptu" in wrong.err) == (2, True)


def with_parameter(name: str) -> None:
    """Gives the playbook a path, which it never looks at."""
    Path("door.yaml").write_text(BOOK.replace("host:", f"params: {{{name}: path}}\nhost:"))


@pytest.mark.requires("cli.batch")
@pytest.mark.parametrize("value", ["../../template.ott", "link.ott", "linked/template.ott", "template.ott"])
def test_a_batch_leaves_alone_what_it_did_not_write(console: Console, world: World, value: str) -> None:
    with_parameter("template")
    Path("out/one").mkdir(parents=True)
    for file in (Path("template.ott"), Path("out/one/template.ott")):
        file.write_text("mine")
    Path("out/one/link.ott").symlink_to(Path("template.ott").absolute())
    Path("out/one/linked").symlink_to(Path.cwd())
    write_json("tasks.jsonl", {"id": "one", "task": "x", "object": "a.odt"})
    batch = ["--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out", "--param", f"template={value}", "--force"]
    for _ in range(2):
        assert tasks_of(run(console, *batch)) == [("one", "success", False)]
        assert (Path("out/one") / value).read_text() == "mine"


@pytest.mark.requires("cli.batch")
def test_a_batch_leaves_alone_what_a_person_brought_after_its_first_run(console: Console, world: World) -> None:
    with_parameter("template")
    write_json("tasks.jsonl", {"id": "one", "task": "x"})
    batch = ["--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out", "--param", "template=template.ott"]
    assert tasks_of(run(console, *batch)) == [("one", "failed", False)]
    Path("out/one/template.ott").write_text("mine")
    assert tasks_of(run(console, *batch)) == [("one", "failed", False)]
    assert Path("out/one/template.ott").read_text() == "mine"


@pytest.mark.requires("cli.batch")
def test_what_a_task_wrote_is_gone_before_its_next_run_and_a_folder_of_it_stays(console: Console, world: World) -> None:
    with_parameter("output")
    write_json("tasks.jsonl", *({"id": name, "task": "x", "object": "a.odt"} for name in ("one", "two")))
    batch = ["--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out", "--force", "--param"]
    for value, stays in (("made.ods", False), ("pictures", True)):
        made = Path("out/one", value)
        world.prepare = lambda _, made=made, stays=stays: _write(made / "first.png" if stays else made)
        run(console, *batch, f"output={value}")
        assert made.exists()
        there: list[bool] = []
        world.prepare = lambda _, made=made, there=there: there.append(made.exists())
        done = run(console, *batch, f"output={value}")
        assert tasks_of(done) == [("one", "success", False), ("two", "success", False)]
        assert there == [stays, stays]


def _write(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("made")


@pytest.mark.requires("cli.batch")
def test_a_task_whose_folder_cannot_be_cleared_is_an_error_and_the_next_goes_on(console: Console, world: World) -> None:
    tasks = [{"id": name, "task": "x", "object": "a.odt"} for name in ("one", "two")]
    batch = ["--mode", "batch", "--tasks", write_json("tasks.jsonl", *tasks), "--out", "out", "--force"]
    run(console, *batch)
    Path("out/one/log").rename("elsewhere")
    Path("out/one/log").symlink_to(Path("elsewhere").absolute())
    done = run(console, *batch)
    assert tasks_of(done) == [("one", "error", False), ("two", "success", False)]
    assert "out/one/log" in str(done.items("tasks")[0]["reason"])
    assert Path("elsewhere/journal.sqlite").is_file()


@pytest.mark.requires("cli.batch")
def test_a_batch_replaces_no_page_that_is_none_of_its_own(console: Console, world: World) -> None:
    page = Path("out/one/report.html")
    page.parent.mkdir(parents=True)
    page.write_text("mine")
    write_json("tasks.jsonl", {"id": "one", "task": "x", "object": "a.odt"})
    batch = ["--mode", "batch", "--tasks", "tasks.jsonl", "--out", "out"]
    done = run(console, *batch)
    assert tasks_of(done) == [("one", "error", False)]
    assert "report.html exists already" in str(done.items("tasks")[0]["reason"])
    assert page.read_text() == "mine"
    assert tasks_of(run(console, *batch, "--force")) == [("one", "success", False)]
    assert page.read_text() != "mine"


@pytest.mark.requires("cli.batch")
def test_a_task_about_what_its_own_earlier_run_left_does_not_remove_it(console: Console, world: World) -> None:
    tasks = write_json("tasks.jsonl", {"id": "one", "task": "x", "object": "a.odt"})
    batch = ["--mode", "batch", "--tasks", tasks, "--out", "out", "--force"]
    run(console, *batch)
    write_json("tasks.jsonl", {"id": "one", "task": "x", "object": "out/one/log/documents/a.odt"})
    done = run(console, *batch)
    assert tasks_of(done) == [("one", "error", False)]
    assert "documents/a.odt" in str(done.items("tasks")[0]["reason"])
    assert Path("out/one/log/documents/a.odt").is_file()


@pytest.mark.parametrize("options", [["--param", "outptu=x"], ["--param", "output"]])
def test_a_wrong_command_removes_nothing(console: Console, world: World, options: list[str]) -> None:
    assert run(console, "Do it", "--file", "a.odt", "--out", "out").code == 0
    before = Path("out/log/journal.sqlite").read_bytes()
    assert run(console, "Do it", "--file", "a.odt", "--out", "out", "--force", *options).code == 2
    assert Path("out/log/journal.sqlite").read_bytes() == before


def test_a_task_that_closes_its_object_leaves_its_window_closed(console: Console, world: World) -> None:
    tasks = [{"id": name, "task": "x", "object": "a.odt", "close": name == "two"} for name in ("one", "two")]
    run(console, "--mode", "batch", "--tasks", write_json("tasks.jsonl", *tasks), "--out", "out")
    assert [len(desktop.shown_windows) for desktop in world.desktops] == [1, 0]


class Person(threading.Thread):
    """Reads a terminal, and types the next line whenever a prompt is shown; `shown` is what stood there."""

    def __init__(self, end: int, prompt: str, lines: Sequence[str]) -> None:
        super().__init__(daemon=True)
        self._end, self._prompt, self._lines = end, prompt, list(lines)
        self._gone = threading.Event()
        self.shown = ""

    def run(self) -> None:
        seen = 0
        while not self._gone.is_set():
            if not select.select([self._end], [], [], 0.05)[0]:
                continue
            self.shown += os.read(self._end, 65536).decode()
            if self._lines and self._prompt in self.shown[seen:]:
                seen = len(self.shown)
                os.write(self._end, self._lines.pop(0).encode())

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._gone.set()
        self.join()


@pytest.mark.requires("cli.interactive", "round.several")
@pytest.mark.parametrize(
    ("request_", "typed", "rounds"),
    [
        (["first"], ["second\n", "\n"], ["first", "second"]),
        (["first"], ["second\n", "\x04"], ["first", "second"]),
        ([], ["first\n", "second\n", "third\n", "\n"], ["first", "second", "third"]),
        (["first", "--max-round", "2"], ["second\n"], ["first", "second"]),
    ],
)
def test_interactive_asks_for_the_next_request_until_an_empty_line(
    console: Console, world: World, request_: list[str], typed: list[str], rounds: list[str]
) -> None:
    with screen() as seen, Person(seen.end, "next request", typed) as person:
        done = run(console, *request_, "--interactive", "--file", "a.odt", "--out", "out")
    assert (done.code, done.item("outcome")) == (0, "success")
    assert [r["request"] for r in done.items("rounds")] == rounds
    assert world.opened == ["a.odt"]
    assert "round 1 ended" in person.shown
    assert "ignores the request" in person.shown, "a playbook does the same for each"


@pytest.mark.requires("cli.interactive", "resume.stopped")
def test_a_resumed_interactive_session_asks_for_the_next_request(console: Console, world: World) -> None:
    stopped_in_session(1, world)
    with screen() as seen, Person(seen.end, "next request", []):
        stopped = run(console, "first", "--interactive", "--file", "a.odt", "--out", "out")
    assert (stopped.code, stopped.item("outcome")) == (6, "cancelled")
    with screen() as seen, Person(seen.end, "next request", ["second\n", "\n"]) as person:
        done = console("resume", "out", "--json")
    assert (done.code, done.item("outcome")) == (0, "success"), person.shown
    rounds = [tuple(each[key] for key in ("round", "request", "outcome")) for each in done.items("rounds")]
    assert rounds == [(1, "first", "success"), (2, "second", "success")]
    assert person.shown.count("next request") == 2


@pytest.mark.requires("cli.interactive", "resume.stopped")
def test_without_a_terminal_a_resumed_interactive_session_ends_after_its_request(
    console: Console, world: World
) -> None:
    stopped_in_session(1, world)
    with screen() as seen, Person(seen.end, "next request", []):
        run(console, "first", "--interactive", "--file", "a.odt", "--out", "out")
    done = console("resume", "out", "--json")
    assert (done.code, done.item("outcome"), "there is no terminal" in done.err) == (0, "success", True)


@pytest.mark.requires("cli.interactive")
def test_interactive_without_any_request_begins_nothing(console: Console, world: World) -> None:
    with screen() as seen, Person(seen.end, "next request", ["\n"]):
        done = run(console, "--interactive", "--out", "out")
    assert (done.code, world.desktops) == (2, [])


class Dear(PlaybookModel):
    """The same decisions, for money."""

    async def respond(self, request: ModelRequest) -> ModelReply:
        return replace(await super().respond(request), usage=Usage(100, 50, 0.25))


@pytest.mark.requires("round.budgets", "cli.exit-codes")
@pytest.mark.parametrize(
    ("options", "outcome", "code"),
    [
        (["--max-step", "2"], "step_limit", 5),
        (["--max-seconds", "0.000001"], "timeout", 6),
        (["--max-tokens", "300"], "budget", 5),
        (["--max-usd", "0.5"], "budget", 5),
        (["--max-step", "50", "--max-round", "1", "--max-seconds", "60", "--max-tokens", "9999"], "success", 0),
    ],
)
def test_every_limit_has_its_outcome_and_its_exit_code(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch, options: list[str], outcome: str, code: int
) -> None:
    monkeypatch.setattr("deskhand.session.models.PlaybookModel", Dear)
    done = run(console, "Air the room", "--file", "a.odt", "--out", "out", *options)
    assert (done.item("outcome"), done.code) == (outcome, code)
    assert options[0].removeprefix("--").replace("-", "_") in str(done.item("reason")) or code == 0


@pytest.mark.requires("round.budgets")
def test_max_round_does_not_cut_a_plan_short_and_a_setting_can_choose_the_mode(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_SYSTEM__MODE", "follower")
    plan = write_json("plan.json", {"task": "x", "steps": STEPS, "object": "a.odt"})
    done = run(console, "--plan", plan, "--max-round", "1", "--out", "out")
    assert (done.code, len(done.items("subtasks"))) == (0, 2)


@pytest.mark.requires("result.junit")
def test_sessions_and_tasks_are_cases_of_a_junit_file_also_what_never_began(console: Console, world: World) -> None:
    asked = ("--junit", "results.xml")
    plan = write_json("plan.json", {"task": "Air the room", "steps": STEPS, "object": "a.odt"})
    assert run(console, "--mode", "follower", "--plan", plan, "--out", "followed", *asked).code == 0
    (suite,) = read_junit("results.xml")
    assert (suite.tests, suite.failures, suite.errors, suite.properties["effects.confirmed"]) == (1, 0, 0, "4")
    assert Path(suite.properties["report"]).is_file()
    tasks = [{"id": id_, "task": "Air", "object": f"{id_}.odt"} for id_ in "abc"]
    write_json("tasks.jsonl", *tasks[:1])
    batch = ("--mode", "batch", "--tasks", "tasks.jsonl", "--out", "batch")
    run(console, *batch)
    write_json("tasks.jsonl", *tasks)
    assert run(console, *batch, *asked).code == 4
    cases = [case for suite in read_junit("results.xml") for case in suite.cases]
    assert [(case.name, case.kind) for case in cases] == [("a", "skipped"), ("b", "passed"), ("c", "error")]
    assert run(console, "--mode", "batch", *asked).code == 2
    assert [case.kind for suite in read_junit("results.xml") for case in suite.cases] == ["error"]


@pytest.mark.requires("snapshot.reference")
def test_a_step_may_expect_that_its_window_is_like_a_reference_beside_the_playbook(
    console: Console, world: World
) -> None:
    book = BOOK.replace("Door}, expect: {effect: confirmed}", "Door}, expect: {like: open.yaml}", 1)
    reference = Path("books/open.yaml")
    reference.parent.mkdir()
    reference.with_name("door.yaml").write_text(book)
    plan = write_json("plan.json", {"task": "Air the room", "steps": STEPS[:1], "object": "a.odt"})
    asked = ("run", "--mode", "follower", "--plan", plan, "--playbook", "books/door.yaml", "--json")
    without = console(*asked, "--out", "without")
    assert without.code != 0
    assert "there is no reference" in str(without.items("checks")[0]["detail"])

    path = reference.absolute()

    async def accept_now() -> None:
        desktop = world.desktops[-1]
        await accept(desktop, (await desktop.windows())[0], path)

    anyio.run(accept_now)
    assert console(*asked, "--out", "like").code == 0
