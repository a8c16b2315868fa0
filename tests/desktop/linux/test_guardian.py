"""Whoever is killed, and however programs try to get away: nothing of a desktop is left."""

import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import DesktopGone, LaunchFailed
from deskhand.desktop.linux.runtime.guardian import all_sockets, bound_sockets, descendants, mounted_below
from deskhand.desktop.linux.runtime.guardian_client import Control, Keeper, attach, end_desktop, start_keeper
from deskhand.desktop.mark import MARK
from deskhand.desktop.processes import end_marked, marked
from support import ROOT, command_line, wait_for, wait_until_ended, window_titles

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Family:
    """A desktop with a detached process and an office suite on it, and the process that started it."""

    parent: subprocess.Popen[str]
    mark: str
    watcher: int
    guardian: int
    display: str
    directory: Path
    runtime: Path

    def everybody(self) -> set[int]:
        """All processes of the desktop, the keepers first."""
        return {self.watcher} | descendants(self.watcher) | descendants(self.guardian)

    def kill(self, victims: str, number: signal.Signals = signal.SIGKILL) -> None:
        pids = {"parent": self.parent.pid, "guardian": self.guardian, "watcher": self.watcher}
        for victim in victims.split("+"):
            os.kill(pids[victim], number)


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Family]:
    parent = subprocess.Popen(
        [sys.executable, str(HERE / "parent.py"), str(tmp_path), "--office"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert parent.stdout
    facts = json.loads(parent.stdout.readline())
    family = Family(
        parent=parent,
        mark=facts["mark"],
        watcher=facts["watcher"],
        guardian=facts["guardian"],
        display=facts["display"],
        directory=Path(facts["directory"]),
        runtime=Path(facts["runtime"]),
    )
    wait_for(lambda: any("Writer" in title for title in window_titles(family.display)), 30)
    wait_for((family.directory / "detached").exists)
    yield family
    parent.kill()
    parent.wait()
    parent.stdout.close()
    end_marked(family.mark)
    shutil.rmtree(family.runtime, ignore_errors=True)


def x_lock_holder(display: str) -> int:
    try:
        return int(Path(f"/tmp/.X{display[1:]}-lock").read_text())
    except FileNotFoundError:
        return 0


@pytest.mark.full("the others take the same way", but=["parent-2", "parent-9", "guardian-9", "watcher-9"])
@pytest.mark.desktop
@pytest.mark.requires("desktop.nothing-left")
@pytest.mark.parametrize(
    ("victims", "number"),
    [
        ("parent", signal.SIGTERM),
        ("parent", signal.SIGINT),
        ("parent", signal.SIGKILL),
        ("guardian", signal.SIGTERM),
        ("guardian", signal.SIGINT),
        ("guardian", signal.SIGKILL),
        ("watcher", signal.SIGTERM),
        ("watcher", signal.SIGKILL),
        ("parent+guardian", signal.SIGTERM),
        ("parent+guardian", signal.SIGKILL),
        ("parent+watcher", signal.SIGKILL),
    ],
)
def test_nothing_of_a_desktop_is_left_when_its_keepers_die(
    family: Family, victims: str, number: signal.Signals
) -> None:
    wait_for(lambda: any("OSL_PIPE" in file for file in bound_sockets(family.everybody())))
    everybody = family.everybody()
    detached = int((family.directory / "detached").read_text())
    assert detached in everybody
    sockets = bound_sockets(everybody)
    family.kill(victims, number)
    wait_until_ended(everybody)
    wait_for(lambda: not family.runtime.exists() and not family.directory.exists())
    assert not marked(family.mark)
    taken_by_others = set(all_sockets().values())
    assert not [file for file in sockets - taken_by_others if Path(file).exists()]
    assert x_lock_holder(family.display) not in everybody


@pytest.mark.desktop
def test_an_office_suite_does_not_outlive_all_its_keepers_killed_at_once(family: Family) -> None:
    """What needs the X server or a bus goes with them; only what cut itself off from everything is out of reach."""
    detached = int((family.directory / "detached").read_text())
    everybody = family.everybody() - {detached} - descendants(detached)
    try:
        family.kill("parent+guardian+watcher")
        wait_until_ended(everybody)
    finally:
        for pid in (detached, *descendants(detached)):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
async def keeper(tmp_path: Path) -> AsyncGenerator[Keeper]:
    keeper = start_keeper("test", f"{tmp_path}", (tmp_path / "kept",))
    await keeper.ready()
    await keeper.control.environment({"PATH": os.environ["PATH"], "INHERITED": "yes", MARK: keeper.mark})
    yield keeper
    await keeper.close()


async def test_a_program_runs_with_the_desktops_environment_and_its_end_is_told(keeper: Keeper, tmp_path: Path) -> None:
    control = keeper.control
    log = tmp_path / "log"
    pid = await control.spawn(
        ["sh", "-c", 'read -r nothing; echo "$INHERITED $ADDED"; pwd; exit 7'],
        environment={"ADDED": "too"},
        directory=tmp_path,
        log=log,
    )
    assert wait_for(lambda: control.exited(pid)) == 7
    assert log.read_text().split() == ["yes", "too", str(tmp_path)]


async def test_programs_get_standard_descriptors_and_no_other(keeper: Keeper, tmp_path: Path) -> None:
    pid = await keeper.control.spawn(["ls", "/proc/self/fd"], log=tmp_path / "log")
    assert wait_for(lambda: keeper.control.exited(pid) is not None)
    assert (tmp_path / "log").read_text().split() == ["0", "1", "2", "3"]  # 3: ls reading the directory


async def test_a_killed_program_is_told_as_minus_the_signal(keeper: Keeper) -> None:
    pid = await keeper.control.spawn(["sleep", "1000"])
    assert keeper.control.exited(pid) is None
    os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: keeper.control.exited(pid)) == -signal.SIGKILL


async def test_programs_do_not_inherit_ignored_signals(keeper: Keeper, tmp_path: Path) -> None:
    pid = await keeper.control.spawn(["sh", "-c", "grep SigIgn /proc/$$/status"], log=tmp_path / "log")
    wait_for(lambda: keeper.control.exited(pid) is not None)
    ignored = int((tmp_path / "log").read_text().split()[1], 16)
    assert ignored & ((1 << 31) - 1) == 0  # signals 32 and 33 belong to the C library; make leaves them ignored


async def test_what_a_program_announces_comes_back_and_silence_is_an_empty_line(keeper: Keeper) -> None:
    speaking = await keeper.control.spawn(
        ["sh", "-c", "echo ready >/proc/self/fd/{fd}; exec sleep 1000"], announce=True
    )
    silent = await keeper.control.spawn(["true"], announce=True)
    with anyio.fail_after(30):
        assert await keeper.control.line(silent) == ""
        assert await keeper.control.line(speaking) == "ready"


async def test_a_program_that_cannot_be_executed_says_why(keeper: Keeper) -> None:
    with pytest.raises(LaunchFailed, match="no-such-program: No such file"):
        await keeper.control.spawn(["no-such-program"])


async def test_many_tasks_may_use_one_control_at_once(keeper: Keeper) -> None:
    lines: dict[int, str] = {}

    async def ask(number: int) -> None:
        pid = await keeper.control.spawn(["sh", "-c", f"echo {number} >/proc/self/fd/{{fd}}"], announce=True)
        lines[number] = await keeper.control.line(pid)

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(ask, number)
    assert lines == {number: str(number) for number in range(20)}


async def test_asking_for_an_exit_does_not_starve_who_waits_for_something_else(keeper: Keeper, tmp_path: Path) -> None:
    control = keeper.control
    os.mkfifo(tmp_path / "go")
    pid = await control.spawn(
        ["sh", "-c", f"read -r x < {tmp_path}/go; echo gone >/proc/self/fd/{{fd}}; sleep 1000"], announce=True
    )
    heard: list[str] = []

    async def listen() -> None:
        heard.append(await control.line(pid))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            await anyio.wait_all_tasks_blocked()
            (tmp_path / "go").write_text("\n")
            assert wait_for(lambda: select.select([control._connection], [], [], 5)[0])  # pyright: ignore  the moment matters
            assert control.exited(pid) is None
    assert heard == ["gone"]


async def leave_many_orphans(keeper: Keeper, directory: Path) -> int:
    """A program that ends with 3 after it left more processes behind than a socket holds messages; they have ended."""
    assert keeper.guardian
    guardian = keeper.guardian.pid
    forks = "i=0; while [ $i -lt 600 ]; do (true &); i=$((i+1)); done; touch done; exit 3"
    pid = await keeper.control.spawn(["sh", "-c", forks], directory=directory)
    wait_for((directory / "done").exists, 30)
    wait_for(lambda: not descendants(guardian))
    return pid


@pytest.mark.requires("desktop.launch-told")
async def test_the_end_of_a_program_is_told_though_it_left_hundreds_of_others_behind(
    keeper: Keeper, tmp_path: Path
) -> None:
    pid = await leave_many_orphans(keeper, tmp_path)
    with anyio.fail_after(30):
        assert await keeper.control.ended(pid) == 3


@pytest.mark.requires("desktop.launch-told")
async def test_who_came_by_the_second_door_can_start_programs_after_hundreds_of_others_ended(
    keeper: Keeper, tmp_path: Path
) -> None:
    await keeper.control.listen(tmp_path / "door")
    other = attach(tmp_path / "door")
    await other.spawn(["true"])
    await leave_many_orphans(keeper, tmp_path)
    pid = await other.spawn(["sh", "-c", "exit 5"])
    with anyio.fail_after(30):
        assert await other.ended(pid) == 5
    other.close()


async def test_the_last_wish_of_a_client_is_carried_out_unless_it_is_withdrawn(keeper: Keeper, tmp_path: Path) -> None:
    await keeper.control.listen(tmp_path / "door")
    for name in ("lost", "withdrawn"):
        client = attach(tmp_path / "door")
        await client.when_lost(["sh", "-c", 'echo "$WISH" > "$0"', str(tmp_path / name)], {"WISH": name})
        if name == "withdrawn":
            await client.when_lost(())
        client.close()
    await keeper.control.spawn(["true"])
    assert wait_for(lambda: (tmp_path / "lost").exists() and (tmp_path / "lost").read_text()) == "lost\n"
    assert not (tmp_path / "withdrawn").exists()


async def spawn_answered(control: Control, guardian: socket.socket, answer: str) -> int:
    """The pid that spawning gave where the guardian answered with this."""
    pids: list[int] = []

    async def spawn() -> None:
        pids.append(await control.spawn(["true"]))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(spawn)
            await anyio.wait_all_tasks_blocked()
            guardian.send(answer.encode())
    return pids[0]


async def test_a_program_that_got_the_number_of_one_that_ended_runs_until_it_ends_itself() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        control = Control(ours)
        ended = '{"event": "exit", "pid": 77, "code": -9}\n'
        pid = await spawn_answered(control, theirs, '{"id": 1, "pid": 77}\n' + ended)
        assert control.exited(pid) == -signal.SIGKILL
        again = await spawn_answered(control, theirs, '{"id": 2, "pid": 77}\n')
        assert again == pid
        assert control.exited(again) is None
        theirs.send(ended.replace("-9", "4").encode())
        assert control.exited(again) == 4
        control.close()


async def test_a_killed_guardian_is_a_gone_desktop(keeper: Keeper) -> None:
    assert keeper.guardian
    os.kill(keeper.guardian.pid, signal.SIGKILL)
    wait_until_ended([keeper.guardian.pid])
    with pytest.raises(DesktopGone):
        await keeper.control.spawn(["true"])


async def test_closing_ends_what_ignores_sigterm_and_removes_the_directories(keeper: Keeper, tmp_path: Path) -> None:
    (tmp_path / "kept/deep").mkdir(parents=True)
    pid_file = tmp_path / "detached"
    await keeper.control.spawn(["sh", str(HERE / "detached.sh"), str(pid_file)])
    wait_for(pid_file.exists)
    await keeper.close()
    assert not command_line(int(pid_file.read_text()))
    assert not (tmp_path / "kept").exists()
    await keeper.close()


async def test_the_two_keepers_can_be_told_apart(keeper: Keeper) -> None:
    assert keeper.guardian
    assert keeper.watcher
    guardian, watcher = keeper.guardian.pid, keeper.watcher.pid
    wait_for(lambda: command_line(guardian).startswith("deskhand-guardian test"))
    wait_for(lambda: command_line(watcher).startswith("deskhand-watcher test"))


async def test_the_keepers_hold_none_of_our_descriptors(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)
    keeper = start_keeper("test", f"{tmp_path}", ())
    try:
        await keeper.ready()
        os.close(write_end)
        with anyio.fail_after(30):
            await anyio.wait_readable(read_end)
        assert os.read(read_end, 1) == b""
    finally:
        os.close(read_end)
        await keeper.close()


def mount_alive(at: Path, elsewhere: Path) -> None:
    """Shows a folder of somebody else there, as a program that mounts a share or a disk image does."""
    try:
        subprocess.run(["mount", "--bind", str(elsewhere), str(at)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"not run: nothing can be mounted here: {error}")


def mount_dead(at: Path, elsewhere: Path) -> None:
    """Mounts a file system whose program is gone, as the document portal leaves it when it is killed."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        with Path("/dev/fuse").open("r+b", buffering=0) as device:
            options = f"fd={device.fileno()},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
            if libc.mount(b"portal", bytes(at), b"fuse", 0, options.encode()) != 0:
                pytest.skip(f"not run: nothing can be mounted here: {os.strerror(ctypes.get_errno())}")
    except OSError as error:
        pytest.skip(f"not run: no file system of a program can be had here: {error}")


@pytest.fixture(params=[mount_alive, mount_dead])
def mounted(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder of a desktop in which something is mounted, deep down, at a place with a blank in its name."""
    kept, elsewhere = tmp_path / "kept", tmp_path / "elsewhere"
    at = kept / "run" / "a share"
    for folder in (at, elsewhere):
        folder.mkdir(parents=True)
    (elsewhere / "letter.txt").write_text("not the desktop's")
    (kept / "run" / "settings").write_text("the desktop's")
    request.param(at, elsewhere)
    yield kept
    subprocess.run(["umount", "--lazy", str(at)], check=False, capture_output=True)


@pytest.mark.requires("desktop.nothing-left")
@pytest.mark.parametrize("killed", [False, True])
def test_what_was_mounted_is_detached_and_nothing_is_removed_through_it(
    mounted: Path, tmp_path: Path, *, killed: bool
) -> None:
    async def end_it() -> None:
        if killed:  # nobody but us is left to do it
            await end_desktop(f"{tmp_path}", [mounted], [])
            return
        keeper = start_keeper("test", f"{tmp_path}", (mounted,))
        await keeper.ready()
        await keeper.close()

    assert mounted_below(str(mounted)) == [str(mounted / "run" / "a share")]
    anyio.run(end_it)
    assert mounted_below(str(mounted)) == []
    assert not mounted.exists()
    assert (tmp_path / "elsewhere" / "letter.txt").read_text() == "not the desktop's"
