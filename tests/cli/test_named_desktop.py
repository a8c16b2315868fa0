"""A desktop that stays up, and the verbs that look at it, each a process of its own."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.driver import Finished, deskhand, environment, finish, processes_with, start
from deskhand.desktop.linux.runtime.guardian import descendants
from desktop.linux.fixture import PROGRAM
from desktop.linux.holding import held
from support import command_line, wait_for, wait_until_ended

pytestmark = pytest.mark.desktop

SYSTEM_PYTHON = "/usr/bin/python3"
NAME = "shop"
SHELL = f"{shlex.quote(sys.executable)} -m deskhand"


@dataclass(frozen=True)
class Up:
    """A desktop that is up, and what finds it."""

    name: str
    display: str
    env: dict[str, str]
    folder: Path

    def __call__(self, *arguments: object) -> Finished:
        return deskhand(*arguments, env=self.env)


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """Started through a pipe: `cat` ends only when nobody holds its other end."""
    folder = tmp_path_factory.mktemp("desktop")
    env = environment(XDG_STATE_HOME=str(folder / "state"), HOME=str(folder))
    line = f"{SHELL} desktop start {NAME} --size 1024x768 --json | cat"
    told = subprocess.run(["sh", "-c", line], env=env, capture_output=True, text=True, check=True, timeout=30).stdout
    started = Finished(0, told, "")
    yield Up(str(started.item("name")), str(started.item("display")), env, folder)
    deskhand("desktop", "stop", "--all", env=env)
    wait_until_ended(processes_with(str(folder / "state")))


@pytest.fixture(scope="module")
def window(up: Up) -> str:
    """The title of a window that was launched on it."""
    done = up("launch", "--json", "--", SYSTEM_PYTHON, PROGRAM, up.folder / "state.json")
    assert done.code == 0, done.err
    assert set(done.json) == {"id", "title", "application", "pid", "rect", "active", "unsaved"}
    return str(done.item("title"))


@pytest.mark.requires("cli.desktop-verbs")
def test_starting_it_again_returns_the_same_one(up: Up) -> None:
    done = up("desktop", "start", up.name, "--json")
    assert done.code == 0
    assert set(done.json) == {"name", "display", "env"}
    assert done.item("display") == up.display
    assert done.item("env", "DESKHAND_DESKTOP") == up.name


def test_it_is_listed(up: Up) -> None:
    assert up("desktop", "list").out == f"{up.name} {up.display}\n"
    assert up("desktop", "list", "--json").items("desktops") == [
        {"name": up.name, "display": up.display, "held_by": None, "notice": None}
    ]
    with held(up.display, "session 7") as holder:
        assert f"held by session 7 (process {holder.pid})" in up("desktop", "list").out


@pytest.mark.full("26 s; test_named has what ended and what to do")
@pytest.mark.requires("desktop.end-told")
def test_a_desktop_of_which_a_part_died_is_told_by_every_verb_with_what_to_do(up: Up) -> None:
    env = {**up.env, "XDG_STATE_HOME": str(up.folder / "other state")}
    directory = Path(str(deskhand("desktop", "start", "brief", "--json", env=env).item("env", "HOME"))).parent
    (entry,) = (up.folder / "other state").rglob("brief.json")
    assert directory.is_relative_to(entry.parent)
    guardian = json.loads(entry.read_text())["keepers"][0]["pid"]
    bus = next(pid for pid in descendants(guardian) if "at-spi2/accessibility.conf" in command_line(pid))
    os.kill(bus, signal.SIGKILL)
    wait_until_ended([bus])
    done = deskhand("windows", env=env)
    assert done.code == 4
    assert "a part of desktop 'brief' is gone" in done.err
    assert "deskhand desktop stop brief" in done.err

    server = json.loads(entry.read_text())["programs"][0]["pid"]
    os.kill(server, signal.SIGKILL)
    wait_until_ended([server])
    verbs = (
        ["windows"],
        ["observe"],
        ["act", "wait", "seconds=0"],
        ["launch", "--", "true"],
        ["screenshot", "-o", "x.png"],
    )
    for verb in (*verbs, ["windows", "--desktop", "brief"], ["desktop", "env", "brief"]):
        done = deskhand(*verb, env=env)
        assert (verb, done.code) == (verb, 2)
        assert "its X server, Xvfb, ended" in done.err
        assert "fix: deskhand desktop start brief" in done.err
    listed = deskhand("desktop", "list", "--json", env=env)
    assert listed.items("ended") == [{"name": "brief", "why": "its X server, Xvfb, ended"}]

    stopped = deskhand("desktop", "stop", "brief", "--json", env=env)
    assert (stopped.code, stopped.json) == (0, {"stopped": []}), stopped.err
    assert "brief had already ended, with its programs: its X server, Xvfb, ended" in stopped.err
    assert deskhand("desktop", "list", "--json", env=env).items("ended") == []
    again = deskhand("desktop", "stop", "brief", env=env)
    assert (again.code, "no desktop named 'brief' is up" in again.err) == (2, True)


@pytest.mark.requires("cli.desktop-env")
def test_a_shell_with_its_exports_starts_programs_on_it(up: Up) -> None:
    state = up.folder / "another state.json"
    program = f"{SYSTEM_PYTHON} {PROGRAM} {shlex.quote(str(state))} >/dev/null"
    line = f'eval "$({SHELL} desktop env {up.name})"; {program} & echo "$DISPLAY $HOME $!"'
    told = subprocess.run(
        ["sh", "-c", line],
        env=up.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
        timeout=30,
    ).stdout
    display, home, pid = told.split()
    assert display == up.display
    assert str(up.folder) in home
    found = wait_for(lambda: [row for row in up("windows", "--json").rows if row["pid"] == int(pid)])
    seen = wait_for(lambda: up("observe", "--window", found[0]["id"], "--json").items("controls"))
    assert "button" in {str(control["role"]) for control in seen}
    subprocess.run(["kill", pid], check=True)
    wait_until_ended([int(pid)])


@pytest.mark.requires("cli.desktop-env", "cli.which-desktop")
def test_our_own_verbs_find_it_from_within(up: Up, window: str) -> None:
    line = f'eval "$({SHELL} desktop env {up.name})" && {SHELL} windows'
    env = {**up.env, "PYTHONPATH": up.env["PYTHONPATH"]}
    told = subprocess.run(["sh", "-c", line], env=env, capture_output=True, text=True, check=True, timeout=30).stdout
    assert window in told


def test_a_shell_on_it_still_finds_its_own_programs(up: Up) -> None:
    env = {**up.env, "PATH": f"/only/here:{up.env['PATH']}", "TERM": "shell-256color"}
    line = f'eval "$({SHELL} desktop env {up.name})"; echo "$PATH $TERM"'
    told = subprocess.run(["sh", "-c", line], env=env, capture_output=True, text=True, check=True, timeout=30).stdout
    path, terminal = told.split()
    assert path.endswith(env["PATH"])
    assert Path(path.split(":")[0]).is_relative_to(up.folder)
    assert terminal == "shell-256color"


@pytest.mark.requires("cli.windows-and-launch", "cli.which-desktop")
def test_a_launched_window_is_listed(up: Up, window: str) -> None:
    (row,) = [row for row in up("windows", "--json").rows if row["title"] == window]
    assert set(row) == {"id", "title", "application", "pid", "rect", "active", "unsaved"}
    assert row["active"] is True


@pytest.mark.requires("cli.windows-and-launch")
def test_a_program_that_fails_is_told_with_its_last_words(up: Up) -> None:
    done = up("launch", "--json", "--", "sh", "-c", "echo out of luck >&2; exit 3")
    assert done.code == 1
    assert "out of luck" in str(done.item("error", "message"))


@pytest.mark.requires("cli.observe")
def test_observing_lists_the_controls_flat_and_in_reading_order(up: Up, window: str) -> None:
    done = up("observe", "--window", window, "--json")
    keys = {"window", "controls", "text", "tokens", "truncated", "provisional", "unsettled", "untold", "timing_s"}
    assert set(done.json) == keys
    controls = done.items("controls")
    keys = {"id", "parent", "role", "raw_role", "name", "value", "states", "rect", "actions"}
    assert all(set(control) == keys for control in controls)
    first = int(str(controls[0]["id"]))
    assert [control["id"] for control in controls] == [str(first + number) for number in range(len(controls))]
    ids: set[object] = {None}
    for control in controls:
        assert control["parent"] in ids, "a parent stands before its children"
        ids.add(control["id"])
    assert done.item("text") == up("observe", "--window", window).out.removesuffix("\n")


@pytest.mark.requires("cli.screenshot", "desktop.screens")
@pytest.mark.parametrize("options", [[], ["--window", "Fixture"], ["--annotated"]])
def test_a_picture_is_written_as_png(up: Up, window: str, tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "picture.png"
    done = up("screenshot", *options, "-o", path, "--json")
    assert done.code == 0, done.err
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [screen["rect"] for screen in done.items("screens")] == [[0, 0, 1024, 768]]
    assert done.item("unchecked") == []


def test_a_window_that_is_not_there_is_told_with_those_that_are(up: Up, window: str) -> None:
    done = up("observe", "--window", "nosuch", "--json")
    assert done.code == 2
    assert window in str(done.item("error", "fix"))


@pytest.mark.full("an action on a busy desktop is tried in another test")
@pytest.mark.requires("cli.exit-codes")
def test_a_desktop_that_another_session_holds_is_busy(up: Up, tmp_path: Path) -> None:
    playbook = tmp_path / "nothing.yaml"
    playbook.write_text("playbook: 1\nname: nothing\nhost: [{status: FINISH, result: done}]\nagents: {}\n")
    with held(up.display):
        busy = up("run", "x", "--playbook", playbook, "--desktop", up.name, "--out", tmp_path / "a", "--json")
    assert busy.code == 2, busy.err
    assert busy.item("error", "type") == "DesktopBusy"
    assert "held by a test" in str(busy.item("error", "message"))
    free = up("run", "x", "--playbook", playbook, "--desktop", up.name, "--out", tmp_path / "b", "--json")
    assert free.code == 0, free.err


@pytest.mark.requires("cli.doctor")
def test_the_doctor_tries_a_desktop_and_leaves_nothing(up: Up) -> None:
    done = up("doctor", "--json")
    assert done.code == 0, done.out
    checks = done.items("checks")
    assert all(set(check) == {"id", "ok", "required", "detail", "fix"} for check in checks)
    assert checks[-1]["id"] == "desktop"
    assert checks[-1]["ok"] is True


@pytest.mark.full("our verbs within the desktop are tried in another test")
@pytest.mark.requires("cli.ids-stay")
def test_ids_are_the_same_to_a_shell_that_was_brought_to_the_desktop(up: Up, window: str) -> None:
    env = up("desktop", "env", up.name, "--json")
    brought = {
        **up.env,
        **{name: str(env.item("env", name)) for name in ("HOME", "XDG_STATE_HOME", "DESKHAND_DESKTOPS")},
    }
    assert brought["HOME"] != up.env["HOME"]
    shown = deskhand("observe", "--window", window, "--json", env=brought).items("controls")
    again = up("observe", "--window", window, "--json").items("controls")
    assert [(each["id"], each["name"]) for each in again] == [(each["id"], each["name"]) for each in shown]
    assert up("screenshot", "--annotated", "-o", up.folder / "ids.png").code == 0
    assert len(set(up.folder.rglob("deskhand/seen/*"))) == len(
        set(up.folder.rglob("desktops/*/home/.local/state/deskhand/seen/*"))
    )


@pytest.mark.requires("cli.desktop-verbs")
def test_stopping_it_leaves_nothing(up: Up) -> None:
    other = up("desktop", "start", "other")
    assert other.code == 0, other.err
    assert "several desktops are up" in up("windows").err
    assert up("launch", "--desktop", "other", "--", SYSTEM_PYTHON, PROGRAM, up.folder / "other.json").code == 0
    kept = set(up.folder.rglob("deskhand/seen/*"))
    assert up("observe", "--desktop", "other").code == 0
    assert set(up.folder.rglob("deskhand/seen/*")) > kept
    done = up("desktop", "stop", "other", "--json")
    assert set(up.folder.rglob("deskhand/seen/*")) == kept
    assert done.json == {"stopped": ["other"]}
    assert not processes_with(f"{up.folder}/state/deskhand/desktops/other-")
    assert up("desktop", "stop", "other").code == 2


@pytest.mark.requires("cli.watch")
def test_watching_goes_on_until_it_is_stopped(up: Up, window: str) -> None:
    watching = start(
        *("observe", "--desktop", NAME, "--window", window, "--watch", "--json", "--role", "checkbox"), env=up.env
    )
    assert watching.stdout
    first = json.loads(watching.stdout.readline())
    assert watching.poll() is None
    watching.send_signal(signal.SIGINT)
    ended = finish(watching)
    assert [control["name"] for control in first["controls"]] == ["Check me"]
    assert ended.code == 6
    assert [json.loads(line)["error"]["type"] for line in ended.out.splitlines()] == ["Cancelled"]


@pytest.mark.requires("cli.act")
def test_act_does_what_observe_showed_in_another_process(up: Up, window: str) -> None:
    seen = up("observe", "--window", window, "--json")
    button = next(control for control in seen.items("controls") if control["role"] == "button")
    done = up("act", "click_input", f"id={button['id']}", f"name={button['name']}", "--window", window, "--json")
    assert done.json.keys() == {
        "status", "effect", "route", "evidence", "error", "delivered", "retry_safe", "result",
    }  # fmt: skip
    assert done.item("delivered") is True
    refused = up("act", "click_input", f"id={button['id']}", "name=another", "--window", window, "--json")
    assert (refused.code, refused.item("effect"), refused.item("delivered")) == (1, "refused", False)
    with held(up.display):
        refused = up("act", "click_input", f"id={button['id']}", "--window", window, "--json")
    assert (refused.code, refused.item("error", "type")) == (2, "DesktopBusy")


@pytest.mark.full("one tool from a process of its own is tried in another test")
@pytest.mark.long
@pytest.mark.requires("cli.act")
def test_each_tool_does_its_work_from_a_process_of_its_own_on_the_ids_of_one_observation(up: Up, window: str) -> None:
    state = up.folder / "state.json"
    seen = up("observe", "--window", window, "--json")
    ids = {str(control["name"]): f"id={control['id']}" for control in seen.items("controls")}
    told = next(control["rect"] for control in seen.items("controls") if control["name"] == "Press me")
    left, top, right, bottom = (float(edge) for edge in json.loads(json.dumps(told)))
    window_left, window_top, window_right, window_bottom = (
        float(edge) for edge in json.loads(json.dumps(seen.item("window", "rect")))
    )
    x = ((left + right) / 2 - window_left) / (window_right - window_left)
    y = ((top + bottom) / 2 - window_top) / (window_bottom - window_top)
    pressed = json.loads(state.read_text())["pressed"]
    for tool, arguments, key, value in (
        ("invoke", (ids["Press me"],), "pressed", pressed + 1),
        ("click_on_coordinates", (f"x={x}", f"y={y}"), "pressed", pressed + 2),
        ("drag_on_coordinates", (f"start_x={x}", f"start_y={y}", f"end_x={x}", f"end_y={y}"), "pressed", pressed + 3),
        ("set_value", (ids["Check me"], "value=true"), "checked", True),
        ("set_value", (ids["Count"], "value=7"), "count", 7.0),
        ("set_edit_text", (ids["Name"], "text=Ada"), "name", "Ada"),
        ("keyboard_input", (ids["Name"], "keys={END}!"), "name", "Ada!"),
        ("select_item", (ids["Pear"],), "selected", "Pear"),
    ):
        done = up("act", tool, *arguments, "--window", window, "--json")
        assert done.item("delivered") is True, (tool, done.out, done.err)
        wait_for(lambda key=key, value=value: json.loads(state.read_text())[key] == value)
    for tool, arguments in (("wheel_mouse_input", ("wheel_dist=-1",)), ("read_table", (ids["Grid"],))):
        done = up("act", tool, *arguments, "--window", window, "--json")
        assert done.item("error") is None, (tool, done.out)
