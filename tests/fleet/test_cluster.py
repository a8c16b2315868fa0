"""Batches on a real Ray cluster: a head and nodes with addresses of their own, of which some are lost."""

import json
import os
import re
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cli.batch_world import processes
from deskhand.core.events import SessionFinished
from deskhand.store.journal import read_events
from documents import Text, write_odt
from fleet.clusters import ADDRESS, Node, Nodes, nodes, up
from support import ROOT, wait_for
from two_applications import EFFECTS, effects

pytestmark = pytest.mark.long
LOST = "what the last action did is unknown"


@dataclass(frozen=True)
class Run:
    """A batch that ended: its folder, and what it printed."""

    folder: Path
    code: int
    out: str
    err: str

    @property
    def tasks(self) -> dict[str, tuple[str, str]]:
        listed: list[dict[str, str]] = json.loads(self.out)["tasks"]
        assert len({task["id"] for task in listed}) == len(listed)
        return {task["id"]: (task["outcome"], task["reason"]) for task in listed}

    @property
    def statuses(self) -> object:
        return json.loads((self.folder / "tasks_status.json").read_text())


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """A head without desktops, a node with two, and one with another version of Deskhand."""
    old = tmp_path_factory.mktemp("old")
    (old / "deskhand").mkdir()
    (old / "deskhand/__init__.py").write_text('__version__ = "0.0.9"\n')
    for made in nodes():
        up(made.add(desktops=0))
        up(made.add(desktops=2), made.add(desktops=1, path=[old]))
        yield made


def begun(cluster: Nodes, folder: Path, *names: str, **values: object) -> subprocess.Popen[str]:
    """A batch of these tasks."""
    folder.mkdir()
    list_ = folder / "tasks.jsonl"
    list_.write_text("".join(json.dumps({"id": name, "task": "Write a note"}) + "\n" for name in names))
    named = [f"{name}={json.dumps(value)}" for name, value in values.items()]
    return cluster.run("-m", "fleet.driver", ADDRESS, str(list_), str(folder / "out"), *named, home=folder)


def ended(batch: subprocess.Popen[str], folder: Path) -> Run:
    out, err = batch.communicate(timeout=120)
    print(err)  # noqa: T201 - shown where a test fails
    return Run(folder / "out", batch.returncode, out, err)


def acted(folder: Path) -> bool:
    return EFFECTS[2] in effects(folder / "effects.log")


def desktop_process(folder: Path) -> int:
    """The process of the desktop that works on a task: it started the one that starts the task's."""
    return parent(parent(processes(folder)[-1]))


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def commands_of(node: Node) -> list[str]:
    found: list[str] = []
    for pid in node.pids():
        try:
            found.append(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it has ended
            continue
    return found


@pytest.fixture(scope="module")
def run(cluster: Nodes, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A batch that loses a process, gets a node, loses a node, and is stopped in its last task."""
    folder = tmp_path_factory.mktemp("run") / "batch"
    stalls = tmp_path_factory.mktemp("stalls")
    names = ("stalls-after-1", "stalls-before", "stalls-after-2", "one", "two", "mortal", "idle")
    batch = begun(cluster, folder, *names, stalls=str(stalls), hangs=True, deaths=1)
    out = folder / "out"
    try:
        wait_for(lambda: acted(out / "stalls-after-1") and processes(out / "stalls-before"), 120)
        os.kill(desktop_process(out / "stalls-after-1"), signal.SIGKILL)
        wait_for(partial(acted, out / "stalls-after-2"), 120)
        up(cluster.add(desktops=2))
        wait_for(lambda: {"one", "two", "mortal"} <= json.loads((out / "tasks_status.json").read_text()).keys(), 120)
        cluster.made[1].kill()
        wait_for(lambda: processes(out / "idle") and "stalls-before" in (out / "tasks_status.json").read_text(), 120)
        batch.send_signal(signal.SIGINT)
        return ended(batch, folder)
    finally:
        batch.kill()


@pytest.mark.requires("fleet.once")
def test_each_task_has_one_result_in_the_order_of_the_tasks(run: Run) -> None:
    assert {name: outcome for name, (outcome, _) in run.tasks.items()} == {
        "stalls-after-1": "error",
        "stalls-before": "success",
        "stalls-after-2": "error",
        "one": "success",
        "two": "success",
        "mortal": "success",
        "idle": "cancelled",
    }, run.err
    assert run.statuses == {name: outcome for name, (outcome, _) in run.tasks.items()}
    assert run.code == 6, run.err
    for name in ("stalls-before", "one", "two"):
        assert effects(run.folder / name / "effects.log") == EFFECTS
        assert len(processes(run.folder / name)) == 1
        (end,) = (event for event in read_events(run.folder / name / "log") if isinstance(event, SessionFinished))
        assert end.outcome == "success"


@pytest.mark.requires("fleet.once")
def test_a_task_that_acted_is_not_repeated_when_its_process_is_killed(run: Run) -> None:
    _, reason = run.tasks["stalls-after-1"]
    assert reason.startswith("its node 10.77.0.2 was lost after step ")
    assert reason.endswith(LOST)
    assert effects(run.folder / "stalls-after-1/effects.log") == EFFECTS[:3]


@pytest.mark.requires("fleet.once", "resume.once")
def test_a_session_whose_process_is_killed_is_continued_on_its_node(run: Run) -> None:
    assert "task mortal: its process ended without a result (SIGKILL)" in run.err
    assert len(processes(run.folder / "mortal")) == 2
    assert effects(run.folder / "mortal/effects.log") == EFFECTS


@pytest.mark.requires("fleet.once", "fleet.streamed")
def test_the_results_up_to_the_loss_of_a_node_are_here(run: Run) -> None:
    _, reason = run.tasks["stalls-after-2"]
    assert reason.endswith(LOST)
    folder = run.folder / "stalls-after-2"
    kinds = [event.kind for event in read_events(folder / "log")]
    assert kinds.count("action_finished") >= 3
    assert list((folder / "log").glob("action_step*.png"))
    assert "was lost" in run.out
    assert (folder / "report.html").exists()


@pytest.mark.requires("fleet.once")
def test_a_task_that_had_not_acted_runs_on_a_node_that_joined_later(run: Run) -> None:
    assert "stalls-before: its node 10.77.0.2 was lost before it acted" in run.err


@pytest.mark.requires("fleet.nodes")
def test_a_node_with_another_version_gets_no_task_and_that_is_noted_once(run: Run, cluster: Nodes) -> None:
    assert run.err.count("node 10.77.0.3 gets no task: it has Deskhand 0.0.9, this machine ") == 1
    assert not cluster.made[2].state.exists()


@pytest.mark.requires("fleet.cancelled")
def test_a_stopped_batch_concludes_its_sessions_and_leaves_nothing_on_the_nodes(run: Run, cluster: Nodes) -> None:
    assert run.tasks["idle"] == ("cancelled", "cancelled by the user")
    (end,) = (event for event in read_events(run.folder / "idle/log") if isinstance(event, SessionFinished))
    assert end.outcome == "cancelled"
    assert (run.folder / "idle/report.html").exists()
    node = cluster.made[3]
    wait_for(lambda: not any("ray::Slot" in command or "forkserver" in command for command in commands_of(node)))
    assert list(node.state.iterdir()) == []


@pytest.mark.requires("fleet.status")
def test_the_status_lists_nodes_with_the_reason_why_one_gets_no_task(run: Run, cluster: Nodes, tmp_path: Path) -> None:
    done = cluster.run("-m", "deskhand", "fleet", "status", "--ray", ADDRESS, "--json", home=tmp_path)
    out, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
    listed: list[dict[str, Any]] = json.loads(out)["nodes"]
    found = {node["address"]: (node["desktops"], node["free"], node["ok"]) for node in listed}
    assert found == {"10.77.0.1": (0, 0, False), "10.77.0.3": (1, 1, False), "10.77.0.4": (2, 2, True)}
    (old,) = (node for node in listed if node["address"] == "10.77.0.3")
    assert old["version"] == "0.0.9"
    assert "pip install" in old["fix"]


@pytest.fixture(scope="module")
def killed(run: Run, cluster: Nodes, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The folder of a batch whose command was killed in mid-task, and the process of that task."""
    folder, stalls = tmp_path_factory.mktemp("killed") / "batch", tmp_path_factory.mktemp("again")
    batch = begun(cluster, folder, "stalls-after", "next", stalls=str(stalls), workers=1)
    try:
        wait_for(partial(acted, folder / "out/stalls-after"), 120)
        driver = next(pid for pid in cluster.made[0].pids() if pid == batch.pid or parent(pid) == batch.pid)
        os.kill(driver, signal.SIGKILL)
        batch.communicate(timeout=30)
    finally:
        batch.kill()
        print(batch.communicate()[1])  # noqa: T201
    return folder / "out", processes(folder / "out/stalls-after")[0]


@pytest.mark.full("50 s; a stopped batch is tried")
@pytest.mark.requires("fleet.cancelled")
def test_sessions_of_a_killed_command_are_cancelled_on_their_nodes(killed: tuple[Path, int], cluster: Nodes) -> None:
    folder, task = killed
    wait_for(lambda: not Path(f"/proc/{task}").exists(), 30)
    (log,) = cluster.made[3].state.glob("*/tasks/stalls-after-0/out/log")
    (end,) = (event for event in read_events(log) if isinstance(event, SessionFinished))
    assert end.outcome == "cancelled"
    assert effects(folder / "stalls-after/effects.log") == EFFECTS[:3]
    assert not (folder / "next").exists()


@pytest.fixture(scope="module")
def cut(killed: tuple[Path, int], cluster: Nodes, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A batch that loses the network to its only node."""
    folder, stalls = tmp_path_factory.mktemp("cut") / "batch", tmp_path_factory.mktemp("third")
    values = {"stalls": str(stalls), "silence_s": 20, "join_s": 1}
    batch = begun(cluster, folder, "stalls-after", "stalls-before", "never", **values)
    try:
        wait_for(lambda: acted(folder / "out/stalls-after") and processes(folder / "out/stalls-before"), 120)
        assert len(list(cluster.made[3].state.iterdir())) == 1  # that of the killed command was removed
        cluster.made[3].cut_off()
        return ended(batch, folder)
    except AssertionError:
        batch.kill()
        print(batch.communicate()[1])  # noqa: T201
        raise


@pytest.mark.full("70 s; the loss of one of two nodes is tried")
@pytest.mark.requires("fleet.once", "fleet.nodes")
def test_without_a_node_tasks_end_with_the_reasons_of_all_nodes(cut: Run) -> None:
    assert cut.code == 4, cut.err
    outcomes = {name: (outcome, reason) for name, (outcome, reason) in cut.tasks.items()}
    outcome, reason = outcomes["stalls-after"]
    assert (outcome, reason.endswith(LOST)) == ("error", True)
    for name in ("stalls-before", "never"):
        outcome, reason = outcomes[name]
        assert outcome == "error"
        assert reason.startswith("no node could take the task for 1 s (")
        assert "10.77.0.4: it is gone" in reason
        assert "10.77.0.3: it has Deskhand 0.0.9" in reason


@pytest.mark.full("follows from the one before")
@pytest.mark.requires("fleet.cancelled")
def test_a_node_that_is_cut_off_cancels_its_sessions(cut: Run, cluster: Nodes) -> None:
    (task,) = processes(cut.folder / "stalls-after")
    wait_for(lambda: not Path(f"/proc/{task}").exists(), 30)


@pytest.mark.requires("fleet.nodes")
def test_without_a_cluster_nothing_begins(cluster: Nodes, tmp_path: Path) -> None:
    list_ = tmp_path / "tasks.jsonl"
    list_.write_text('{"id": "one", "task": "Write a note"}\n')
    done = cluster.run("-m", "fleet.driver", "10.77.0.1:6380", str(list_), str(tmp_path / "out"), home=tmp_path)
    _, err = done.communicate(timeout=30)
    assert done.returncode == 2
    assert "no cluster answers at 10.77.0.1:6380: Connection refused" in err
    assert not (tmp_path / "out/one").exists()


@pytest.mark.desktop
@pytest.mark.requires("fleet.once", "fleet.files")
def test_a_document_is_edited_on_a_node_and_comes_back(cluster: Nodes, tmp_path: Path) -> None:
    up(cluster.add(desktops=1))
    yaml = re.findall(
        r"```yaml\n(playbook: 1\nname: text-in-bold\n.*?)```", (ROOT / "README.md").read_text(), re.DOTALL
    )
    (tmp_path / "bold.yaml").write_text(yaml[0])
    document = write_odt(tmp_path / "letter.odt", Text("Dear Ada"))
    (tmp_path / "tasks.jsonl").write_text('{"id": "letter", "task": "Make it bold", "object": "letter.odt"}\n')
    before = document.read_bytes()
    argv = ("run", "--mode", "batch", "--tasks", "tasks.jsonl", "--playbook", "bold.yaml", "--ray", ADDRESS, "--json")
    done = cluster.run("-m", "deskhand", *argv, "--out", "out", home=tmp_path, cwd=tmp_path)
    out, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
    edited = tmp_path / "out/letter/log/documents/letter.odt"
    with zipfile.ZipFile(edited) as archive:
        assert b'fo:font-weight="bold"' in archive.read("content.xml")
    assert document.read_bytes() == before
    (task,) = json.loads(out)["tasks"]
    assert (task["outcome"], task["session_dir"]) == ("success", str(tmp_path / "out/letter/log"))
    cluster.made[-1].kill()
