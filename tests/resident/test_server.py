"""The resident server of a desktop: command lines that it carries out for other processes, and its end in mid-call."""

import fcntl
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

import pytest

from cli.driver import finish, start
from desktop.linux.holding import open_to_viewers
from desktop.linux.somebody import Somebody
from resident.served import Up
from support import FULL, ROOT, wait_for, wait_until_ended

pytestmark = pytest.mark.desktop

_CALLS: Final = 10_000 if FULL else 50
_HELD: Final = ("act", "hold_keys", "keys={SHIFT}", "seconds=30", "--json")


@contextmanager
def holding_a_key(up: Up) -> Generator["subprocess.Popen[str]"]:
    """A client whose action goes on: the server holds a key down for it."""
    client = start(*_HELD, env=up.env)
    try:
        wait_for(up.keys_down)
        yield client
    finally:
        finish(client)


@pytest.mark.full("the others take the same way", but=["arguments1", "arguments6", "arguments9"])
@pytest.mark.requires("resident.same")
@pytest.mark.parametrize(
    "arguments",
    [
        ("windows", "--json"),
        ("observe", "--json"),
        ("observe", "--role", "button"),
        ("verify", "--role", "button", "--name", "Press me"),
        ("verify", "--file", "state.json", "--json"),
        ("act", "find_controls", "text=Press"),
        ("act", "invoke", "id=99999", "--json"),
        ("act", "invoke"),
        ("act", "nothing"),
        ("windows", "--nonsense"),
        ("observe", "--window", "nothing"),
    ],
)
def test_a_command_line_ends_as_it_does_without_a_server(up: Up, arguments: tuple[str, ...]) -> None:
    up.server()
    served = finish(started_in(up.folder, up.env, arguments))
    alone = finish(started_in(up.folder, {**up.env, "DESKHAND_RESIDENT": "off"}, arguments))
    assert (served.code, served.err) == (alone.code, alone.err)
    assert without_times(served.out) == without_times(alone.out)


def started_in(folder: Path, env: dict[str, str], arguments: tuple[str, ...]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "deskhand", *arguments],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def without_times(out: str) -> str:
    return out.partition('"timing_s"')[0]


@pytest.mark.requires("resident.thin")
def test_the_process_of_a_served_command_loads_neither_the_parser_nor_the_desktop(up: Up) -> None:
    up.server()
    alone = up("windows", PYTHONPROFILEIMPORTTIME="1", DESKHAND_RESIDENT="off").err
    served = up("windows", PYTHONPROFILEIMPORTTIME="1").err
    assert "typer" in alone
    loaded = [name for name in ("typer", "anyio", "pydantic", "deskhand.desktop") if f" {name}\n" in served]
    assert loaded == []


@pytest.mark.requires("resident.same")
def test_ids_of_a_served_observation_are_those_of_a_process_of_its_own(up: Up) -> None:
    up.server()
    alone = up("observe", "--name", "Press me", "--json", DESKHAND_RESIDENT="off").items("controls")[0]["id"]
    served = up("observe", "--name", "Press me", "--json").items("controls")[0]["id"]
    assert served == alone
    before = up.state["pressed"]
    done = up("act", "invoke", f"id={served}")
    assert (done.code, done.out.split()[0]) == (0, "confirmed"), done.err
    assert up.state["pressed"] == int(str(before)) + 1


@pytest.mark.requires("resident.stopped")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_client_cancels_its_action(up: Up, number: signal.Signals) -> None:
    up.server()
    with holding_a_key(up) as client:
        client.send_signal(number)
        done = finish(client)
    assert (done.code, done.item("error", "type")) == (6, "Cancelled"), done.err
    assert up.keys_down() == 0


@pytest.mark.requires("resident.stopped")
def test_deskhand_stop_stops_the_client_and_not_the_server(up: Up) -> None:
    server = up.server()
    with holding_a_key(up) as client:
        assert up("stop", client.pid).code == 0
        assert finish(client).code == 6
    assert (up.keys_down(), up.servers) == (0, [server])


@pytest.mark.requires("resident.stopped")
def test_the_end_of_a_client_ends_its_action(up: Up) -> None:
    server = up.server()
    with holding_a_key(up) as client:
        client.kill()
        wait_for(lambda: up.keys_down() == 0)
    assert up("act", "wait", "seconds=0.1").code == 0
    assert up.servers == [server]


@pytest.mark.requires("resident.killed")
def test_a_server_that_is_killed_in_mid_action_leaves_nothing_pressed_and_its_client_says_what_is_not_known(
    up: Up,
) -> None:
    server = up.server()
    with holding_a_key(up) as client:
        os.kill(server, signal.SIGKILL)
        done = finish(client)
    assert done.code != 0
    assert (done.item("error", "type"), done.item("effect")) == ("ServerLost", "unverifiable")
    assert (done.item("delivered"), done.item("retry_safe")) == (True, False)
    wait_for(lambda: up.keys_down() == 0)
    assert up("windows").code == 0
    assert up.server() != server


@pytest.mark.requires("resident.killed")
def test_a_server_that_does_not_answer_is_done_without(up: Up) -> None:
    server = up.server()
    os.kill(server, signal.SIGSTOP)
    try:
        done = up("windows", "--json")
    finally:
        os.kill(server, signal.SIGCONT)
    assert (done.code, len(done.rows)) == (0, 1)
    assert "does not answer" in done.err


def _has_socket(pid: int) -> bool:
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed meanwhile
            if "socket" in str(each.readlink()):
                return True
    return False


@pytest.mark.requires("resident.stopped")
def test_a_client_that_is_interrupted_before_its_server_answers_was_cancelled(up: Up) -> None:
    server = up.server()
    os.kill(server, signal.SIGSTOP)
    try:
        client = start("act", "wait", "seconds=1", "--json", env=up.env)
        wait_for(lambda: _has_socket(client.pid))
        client.send_signal(signal.SIGINT)
        done = finish(client)
    finally:
        os.kill(server, signal.SIGCONT)
    assert (done.code, done.item("error", "type"), done.item("delivered")) == (6, "Cancelled", False)
    assert "Traceback" not in done.err


@pytest.mark.requires("resident.replaced")
def test_a_server_of_another_build_is_replaced_with_a_sentence(up: Up, tmp_path: Path) -> None:
    server = up.server()
    shutil.copytree(ROOT / "src/deskhand", tmp_path / "deskhand", ignore=shutil.ignore_patterns("__pycache__"))
    done = up("windows", "--json", PYTHONPATH=str(tmp_path))
    assert (done.code, len(done.rows)) == (0, 1)
    assert "another build" in done.err
    wait_until_ended([server])
    assert str(tmp_path) in Path(f"/proc/{up.server(PYTHONPATH=str(tmp_path))}/environ").read_text()

    (tmp_path / "deskhand/core/errors.py").touch()
    wait_for(lambda: "another build" in up("windows", PYTHONPATH=str(tmp_path)).err)
    up.server()


@pytest.mark.requires("resident.apart")
def test_a_client_of_other_user_folders_is_not_served(up: Up, tmp_path: Path) -> None:
    up.server()
    registry = str(up.entry.parent)
    done = up("windows", "--json", HOME=str(tmp_path), XDG_STATE_HOME="", DESKHAND_DESKTOPS=registry)
    assert (done.code, len(done.rows)) == (0, 1)
    assert "other user folders" in done.err


@pytest.mark.full("test_named_desktop has our verbs within a desktop")
@pytest.mark.requires("resident.apart")
def test_a_shell_of_the_desktops_own_programs_does_without_a_server_and_says_nothing(up: Up) -> None:
    server = up.server()
    own = json.loads(up("desktop", "env", up.entry.stem, "--json").out)["env"]
    for verb in ("windows", "observe"):
        done = up(verb, "--json", **own)
        assert (done.code, done.err) == (0, "")
    assert up.servers == [server]


@pytest.mark.full("test_desktop_vnc has the user of a viewer")
@pytest.mark.requires("resident.apart", "viewer.pause")
def test_while_a_viewer_is_open_the_server_waits_for_its_user_unless_a_client_has_other_rules(up: Up) -> None:
    up.server()
    display = json.loads(up.entry.read_text())["display"]
    with open_to_viewers(display):
        person = Somebody(display)

        def waited(**env: str) -> str:
            person.move(3, 3)
            person.move(4, 4)
            done = up("act", "hover", "x=0.5", "y=0.5", "--json", **env)
            assert done.code in {0, 1}, done.err
            return done.err

        wait_for(lambda: "waiting: the user moved the pointer" in waited())
        assert "other settings: done without it" in waited(DESKHAND_SYSTEM__PERSON_QUIET_S="0.1")
        person.close()
    wait_for(lambda: not up("act", "hover", "x=0.4", "y=0.5", "--json").err)


@pytest.mark.requires("resident.apart")
def test_a_question_to_one_user_holds_up_nobody_else(up: Up, tmp_path: Path) -> None:
    up.server()
    rules = "policy: 1\nrules:\n- {name: ask, match: {tool: invoke}, decision: confirm, reason: test}\n"
    (tmp_path / "rules.yaml").write_text(rules)
    env = {**up.env, "DESKHAND_POLICY__FILES": f"[{tmp_path}/rules.yaml]"}
    button = up("observe", "--name", "Press me", "--json").items("controls")[0]["id"]
    before = int(str(up.state["pressed"]))
    ours, theirs = pty.openpty()
    asking = subprocess.Popen(
        [sys.executable, "-m", "deskhand", "act", "invoke", f"id={button}"],
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    while b"approve?" not in shown:
        shown += os.read(ours, 4096)
    assert up("act", "invoke", f"id={button}").code == 0
    assert up.state["pressed"] == before + 1
    os.write(ours, b"y\n")
    while b"confirmed" not in shown:
        shown += os.read(ours, 4096)
    assert asking.wait(10) == 0
    os.close(ours)
    assert up.state["pressed"] == before + 2


@pytest.mark.requires("resident.apart")
def test_what_is_typed_at_the_shell_is_no_answer_of_a_client_in_the_background(up: Up, tmp_path: Path) -> None:
    up.server()
    rules = "policy: 1\nrules:\n- {name: ask, match: {tool: invoke}, decision: confirm, reason: test}\n"
    (tmp_path / "rules.yaml").write_text(rules)
    button = up("observe", "--name", "Press me", "--json").items("controls")[0]["id"]
    before = int(str(up.state["pressed"]))
    env = {**up.env, "DESKHAND_POLICY__FILES": f"[{tmp_path}/rules.yaml]", "PS1": "ready> "}
    shell, terminal = pty.fork()
    if shell == 0:
        os.execvpe("/bin/sh", ["/bin/sh", "-i"], env)  # noqa: S606 - a shell is what has jobs
    command = f"{sys.executable} -m deskhand act invoke id={button}"
    for typed, shown in (
        (f"{command}\n", "approve?"),
        ("\x1a", "ready>"),
        ("y\n", "not found"),
        ("kill %1; fg\n", "nothing was sent"),
        (f"{command} &\n", "foreground"),
        ("y\n", "not found"),
        ("fg\n", "approve?"),
        ("y\n", "confirmed"),
    ):
        read_until(shown, terminal, typed)
    os.close(terminal)
    os.waitpid(shell, 0)
    assert up.state["pressed"] == before + 1


def read_until(shown: str, terminal: int, typed: str) -> None:
    os.write(terminal, typed.encode())
    text = ""
    while shown not in text:
        assert select.select([terminal], [], [], 20)[0], text
        text += os.read(terminal, 4096).decode(errors="replace")


@pytest.mark.requires("resident.stopped")
def test_the_end_of_a_client_ends_its_wait_for_steps(up: Up) -> None:
    server = up.server()
    threads = used(server)[1]
    source, sink = os.pipe()
    with os.fdopen(source) as unwritten, os.fdopen(sink, "w") as steps:
        client = subprocess.Popen(
            [sys.executable, "-m", "deskhand", "act", "--batch", "-"], env=up.env, stdin=unwritten, text=True
        )
        wait_for(lambda: used(server)[0] and is_reading(server, unwritten.fileno()))
        client.kill()
        client.wait()
        wait_for(lambda: not is_reading(server, unwritten.fileno()))
        steps.write("text of the next command")
    assert used(server)[1] <= threads + 1


@pytest.mark.requires("resident.apart")
def test_a_client_whose_output_waits_for_its_reader_holds_up_nobody_else(up: Up) -> None:
    server = up.server()
    source, sink = os.pipe()
    fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, 4096)
    with os.fdopen(source) as unread, os.fdopen(sink, "w") as full:
        watch = [sys.executable, "-m", "deskhand", "observe", "--watch", "--json"]
        client = subprocess.Popen(watch, env=up.env, stdin=subprocess.DEVNULL, stdout=full)
        wait_for(lambda: bool(select.select([unread], [], [], 0)[0]))
        assert up("act", "wait", "seconds=0.1").err == ""
        client.kill()
        client.wait()
        done = up("windows")
        assert (done.code, done.err, up.servers) == (0, "", [server])


def is_reading(server: int, pipe: int) -> bool:
    """True if a process has another end of the pipe open."""
    ours = os.fstat(pipe)
    return any(
        target.exists() and os.path.samestat(target.stat(), ours) for target in Path(f"/proc/{server}/fd").iterdir()
    )


@pytest.mark.requires("resident.same")
def test_a_picture_has_the_permissions_that_the_client_gives_to_its_files(up: Up, tmp_path: Path) -> None:
    up.server()
    for umask in (0o077, 0o022):
        take = [sys.executable, "-m", "deskhand", "screenshot", "-o", "picture.png"]
        done = subprocess.run(take, env=up.env, cwd=tmp_path, umask=umask, check=True, capture_output=True)
        assert (done.stderr, (tmp_path / "picture.png").stat().st_mode & 0o777) == (b"", 0o666 & ~umask)


@pytest.mark.requires("resident.same")
@pytest.mark.parametrize("server", ["on", "off"])
def test_a_folder_that_was_deleted_stops_no_command(up: Up, tmp_path: Path, server: str) -> None:
    up.server()
    folder = tmp_path / "deleted"
    folder.mkdir()
    program = "import os, sys; os.rmdir(os.getcwd()); from deskhand.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "windows"],
        env={**up.env, "DESKHAND_RESIDENT": server},
        cwd=folder,
        check=False,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.full("the others take the same way", but=["arguments0"])
@pytest.mark.requires("resident.small")
@pytest.mark.parametrize("arguments", [("observe", "--json"), ("act", "nothing")])
def test_a_client_whose_output_nobody_takes_is_the_only_one_that_notices(up: Up, arguments: tuple[str, ...]) -> None:
    server = up.server()
    before = used(server)[0]
    source, sink = os.pipe()
    os.close(source)
    with os.fdopen(sink, "w") as gone, Path("/dev/full").open("w") as full:
        for taker in (gone, gone, full):
            served = command(arguments, up.env, taker)
            assert served == command(arguments, {**up.env, "DESKHAND_RESIDENT": "off"}, taker)
    assert up.server() == server
    assert used(server)[0] <= before + 1


def command(arguments: tuple[str, ...], env: dict[str, str], output: TextIO) -> int:
    argv = [sys.executable, "-m", "deskhand", *arguments]
    return subprocess.call(argv, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=30)


@pytest.mark.requires("resident.small")
def test_many_clients_one_after_the_other_leave_nothing_behind(up: Up) -> None:
    server = up.server()
    for _ in range(5):
        assert up("windows").code == 0
    before = used(server)
    for _ in range(_CALLS):
        assert up("windows").code == 0
    after = used(server)
    assert after[0] <= before[0] + 1, "file descriptors"
    assert after[1] <= before[1] + 1, "threads"
    assert after[2] - before[2] < 8 * 2**20, "memory"


def used(pid: int) -> tuple[int, int, int]:
    """The file descriptors, threads, and bytes of memory of a process."""
    process = Path(f"/proc/{pid}")
    pages = int((process / "statm").read_text().split()[1])
    return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir())), pages * 4096
