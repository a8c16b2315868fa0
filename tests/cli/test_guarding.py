"""A person at a real desktop, and `deskhand stop`, as the commands meet them."""

import json
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from cli.driver import Finished, deskhand, environment, finish, processes_with, read_until, start
from desktop.linux.fixture import PROGRAM
from desktop.linux.somebody import Somebody
from support import wait_for, wait_until_ended

pytestmark = pytest.mark.desktop

_STARTS_S: Final = 60.0
BOOK = """\
playbook: 1
name: typing
host:
  - {on: {role: window, name: Fixture}, status: ASSIGN, agent: typist, subtask: Type}
  - {status: FINISH, result: typed}
agents:
  typist:
    - {tool: keyboard_input, on: {role: textbox, name: Name}, args: {keys: "TEXT"}}
    - {status: FINISH}
"""


@dataclass(frozen=True)
class Up:
    display: str
    env: dict[str, str]
    state: Path

    def __call__(self, *arguments: object) -> Finished:
        return deskhand(*arguments, env=self.env)

    def start(self, *arguments: object) -> "subprocess.Popen[str]":
        return start(*arguments, env=self.env)

    @property
    def name(self) -> str:
        return str(json.loads(self.state.read_text(encoding="utf-8"))["name"])

    def is_held(self) -> bool:
        return "held by" in self("desktop", "list").out


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("guarded")
    env = environment(
        XDG_STATE_HOME=str(folder / "state"),
        HOME=str(folder),
        DESKHAND_SYSTEM__PERSON="pause",
        DESKHAND_SYSTEM__PERSON_QUIET_S="0.3",
        DESKHAND_SYSTEM__STOP_KEY="ctrl+f12",
    )
    started = deskhand("desktop", "start", "guarded", "--json", env=env)
    it = Up(str(started.item("display")), env, folder / "state.json")
    assert it("launch", "--desktop", "guarded", "--", "/usr/bin/python3", PROGRAM, it.state).code == 0
    yield it
    it("desktop", "stop", "--all")
    wait_until_ended(processes_with(str(folder / "state")))


@pytest.fixture
def person(up: Up) -> Iterator[Somebody]:
    somebody = Somebody(up.display)
    yield somebody
    somebody.close()


@pytest.mark.full("test_person has a person while we type; test_act what is told")
@pytest.mark.requires("guard.person", "guard.released")
def test_an_action_that_a_person_stops_says_what_was_sent(up: Up, person: Somebody) -> None:
    shown = up("observe", "--window", "Fixture", "--name", "Name", "--role", "textbox", "--json").items("controls")
    acting = up.start("act", "keyboard_input", f"keys={'a' * 20_000}", f"id={shown[0]['id']}", "name=Name", "--json")
    wait_for(lambda: up.name.count("a") > 20, _STARTS_S)
    person.move(300, 300)
    done = finish(acting)
    assert (done.code, done.item("status"), done.item("effect")) == (1, "failure", "partial")
    assert done.item("error", "type") == "PersonActs"
    assert "keys had been sent: the user moved the pointer" in str(done.item("error", "message"))
    assert (done.item("delivered"), done.item("retry_safe")) == (True, False)


@pytest.mark.requires("guard.stop", "guard.one-holder", "guard.told", "guard.pause")
def test_a_session_that_waits_for_a_person_holds_the_desktop_and_is_stopped_from_elsewhere(
    up: Up, person: Somebody, tmp_path: Path
) -> None:
    book = tmp_path / "typing.yaml"
    book.write_text(BOOK.replace("TEXT", "b" * 20_000))
    running = up.start("run", "type", "--playbook", book, "--desktop", "guarded", "--out", tmp_path / "out", "--json")
    wait_for(lambda: up.name.count("b") > 20, _STARTS_S)
    with person.holding("Shift_R"):
        said = read_until(running, "waiting")
        assert "the user pressed a key" in said
        busy = up("act", "click_on_coordinates", "x=0.5", "y=0.5", "--json")
        assert (busy.code, busy.item("error", "type")) == (2, "DesktopBusy")
        assert f"(process {running.pid})" in str(busy.item("error", "message"))
        assert up("windows", "--json").code == 0
        stopped = up("stop", "--json")
    done = finish(running)
    assert (done.code, done.item("outcome")) == (6, "cancelled")
    assert stopped.json == {"stopped": [done.item("session_id")], "left": []}
    assert not up.is_held()


@pytest.mark.requires("guard.stop-key")
def test_the_stop_key_ends_a_server(up: Up, person: Somebody) -> None:
    serving = up.start("mcp", "--desktop", "guarded", "--http", "127.0.0.1:0")
    assert serving.stderr
    assert "serving guarded" in serving.stderr.readline()
    person.key("Control_L", "F12")
    done = finish(serving)
    assert done.code == 6
    assert "the user pressed ctrl+f12" in done.err


@pytest.mark.full("test_act has what is told of a cancelled action")
@pytest.mark.requires("cli.act-cancelled")
def test_an_action_that_is_cancelled_says_that_something_was_sent(up: Up) -> None:
    shown = up("observe", "--window", "Fixture", "--name", "Name", "--role", "textbox", "--json").items("controls")
    acting = up.start("act", "keyboard_input", f"keys={'c' * 20_000}", f"id={shown[0]['id']}", "name=Name", "--json")
    wait_for(lambda: up.name.count("c") > 20, _STARTS_S)
    acting.send_signal(signal.SIGTERM)  # what `deskhand stop` sends
    done = finish(acting)
    assert (done.code, done.item("status"), done.item("effect")) == (6, "failure", "unverifiable")
    assert (done.item("error", "type"), done.item("delivered"), done.item("retry_safe")) == ("Cancelled", True, False)
    assert up.name.count("c") < 20_000
