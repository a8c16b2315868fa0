"""A session that is killed in the middle on a real desktop, and the command that goes on with it (ADR 0119)."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from cli.driver import deskhand, environment, finish, processes_with, start
from deskhand.core.events import SessionResumed
from deskhand.store.journal import read_events
from desktop.linux.fixture import PROGRAM
from support import wait_for, wait_until_ended

BOOK = """\
playbook: 1
name: halfway
host:
  - {on: {role: window, name: Fixture}, status: ASSIGN, agent: fixture, subtask: Fill and press}
  - {status: FINISH, result: It is done}
agents:
  fixture:
    - {tool: set_edit_text, on: {role: textbox, name: Name}, args: {text: Ada}}
    - {tool: wait_for, args: {title: Gate, seconds: 60}}
    - {tool: invoke, on: {role: button, name: Press me}}
    - {status: FINISH}
"""
GATE = """\
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
Gtk.Window(title="Gate").show_all()
Gtk.main()
"""
_STARTS_S = 30.0


@pytest.mark.desktop
@pytest.mark.requires("resume.once", "resume.refused", "resume.told")
def test_a_killed_run_is_resumed_on_the_same_desktop_and_presses_once(tmp_path: Path) -> None:
    env = environment(XDG_STATE_HOME=str(tmp_path / "state"), HOME=str(tmp_path))
    state, out, book = tmp_path / "state.json", tmp_path / "out", tmp_path / "halfway.yaml"
    book.write_text(BOOK)
    try:
        assert deskhand("desktop", "start", "half", env=env).code == 0
        launch = deskhand("launch", "--desktop", "half", "--", "/usr/bin/python3", PROGRAM, state, env=env)
        assert launch.code == 0, launch.err
        running = start(
            "run",
            "Do it",
            "--playbook",
            book,
            "--desktop",
            "half",
            "--out",
            out,
            "--json",
            "--confirm",
            "never",
            env=env,
        )
        wait_for(lambda: json.loads(state.read_text())["name"] == "Ada", _STARTS_S)
        refused = deskhand("resume", out, "--json", env=env)
        assert (refused.code, refused.item("error", "type")) == (2, "StoreBusy")
        assert f"Process {running.pid} already holds" in refused.err
        assert not (out / "report.html").exists()
        _kill(running)
        assert deskhand("launch", "--desktop", "half", "--", "/usr/bin/python3", "-c", GATE, env=env).code == 0
        resumed = deskhand("resume", out, "--json", env=env)
        assert (resumed.code, resumed.item("outcome")) == (0, "success"), resumed.err
        assert json.loads(state.read_text())["pressed"] == 1
        assert json.loads(state.read_text())["name"] == "Ada"
        [told] = [event for event in read_events(out / "log") if isinstance(event, SessionResumed)]
        assert resumed.items("resumptions") == [{"step": told.step, "unknown": [], "windows": []}]
        again = deskhand("resume", out, "--json", env=env)
        assert (again.code, again.item("error", "type")) == (2, "UsageError")
    finally:
        deskhand("desktop", "stop", "--all", env=env)
        wait_until_ended(processes_with(str(tmp_path / "state")))


def _kill(process: "subprocess.Popen[str]") -> None:
    """End a process as no signal handler can help."""
    assert process.poll() is None, "it ended before it was killed"
    process.send_signal(signal.SIGKILL)
    finish(process)
