"""`deskhand mcp` on a real desktop, as a coding agent starts it: over stdin and stdout."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from cli.driver import PROGRAM as DESKHAND
from cli.driver import Finished, deskhand, environment, processes_with
from desktop.linux.fixture import PROGRAM
from serve.clients import DEADLINE_S, connected, ids, over_http, refused, told
from support import wait_until_ended

pytestmark = pytest.mark.desktop

ABOVE = """import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title="Above")
window.add(Gtk.Button(label="Above all"))
window.maximize()
window.show_all()
Gtk.main()
"""


@dataclass(frozen=True)
class Up:
    env: dict[str, str]
    state: Path

    def __call__(self, *arguments: object) -> Finished:
        return deskhand(*arguments, env=self.env)

    def alone(self, *arguments: object) -> Finished:
        """Done by a process of its own, without the desktop's server."""
        return deskhand(*arguments, env={**self.env, "DESKHAND_RESIDENT": "off"})

    @property
    def server(self) -> StdioServerParameters:
        command, *arguments = map(str, (*DESKHAND, "mcp", "--desktop", "served"))
        return StdioServerParameters(command=command, args=arguments, env=self.env)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    env = environment(XDG_STATE_HOME=str(tmp_path / "state"), HOME=str(tmp_path))
    state = tmp_path / "state.json"
    it = Up(env, state)
    assert it("desktop", "start", "served").code == 0
    done = it("launch", "--desktop", "served", "--json", "--", "/usr/bin/python3", PROGRAM, state)
    assert done.code == 0, done.err
    yield it
    it("desktop", "stop", "--all")
    wait_until_ended(processes_with(str(tmp_path / "state")))


@pytest.mark.requires("mcp.stdio", "mcp.ids", "mcp.held")
async def test_a_coding_agent_drives_an_application(up: Up) -> None:
    async with connected(up.server, "auto") as client:
        of = await ids(client, window="Fixture")
        field, press = of("Name"), of("Press me")
        await told(client, "set_edit_text", id=field, name="Name", text="Ünï ✓")
        assert "confirmed" in await told(client, "invoke", id=press, name="Press me")
        assert "Ünï ✓" in await told(client, "texts", id=field)
        state = json.loads(up.state.read_text(encoding="utf-8"))
        assert (state["name"], state["pressed"]) == ("Ünï ✓", 1)
        shown = await client.call_tool("observe_window", {"screenshot": "labelled"})
        assert isinstance(shown.content[1], types.ImageContent)
        busy = up.alone("act", "wait", "seconds=0.1", "--desktop", "served", "--json")
        assert (busy.code, busy.item("error", "type")) == (2, "DesktopBusy")
        assert re.search(r"deskhand mcp.*\(process \d+\)", busy.err)
    assert up.alone("act", "wait", "seconds=0.1", "--desktop", "served").code == 0


FORM = """
- {tool: set_edit_text, on: {role: textbox, name: Name}, args: {text: Ünï ✓}, expect: {effect: confirmed}}
- {tool: set_value, on: {role: checkbox, name: Check me}, args: {value: true}}
- {tool: select_item, on: {role: list, name: Fruit}, args: {item: Plum}}
- {tool: invoke, on: {role: menu, name: File}}
- {tool: invoke, on: {name: Open dialog...}, expect: {window: Question}}
- {tool: invoke, on: {role: button, name: OK}, expect: {gone: {role: dialog}}}
- {tool: invoke, on: {role: button, name: Press me}, expect: {shows: {name: Pressed 1 times}}}
"""


@pytest.mark.full("test_act_steps and test_run_steps have the same in memory")
@pytest.mark.requires("cli.act-batch", "mcp.steps", "mcp.since")
async def test_a_form_is_filled_by_one_command_and_by_one_call_of_a_client(up: Up, tmp_path: Path) -> None:
    def state() -> dict[str, object]:
        return json.loads(up.state.read_text(encoding="utf-8"))

    (tmp_path / "form.yaml").write_text(FORM, encoding="utf-8")
    done = up("act", "--batch", tmp_path / "form.yaml", "--window", "Fixture", "--desktop", "served", "--json")
    assert (done.code, done.item("status")) == (0, "success"), done.out + done.err
    wanted = {"name": "Ünï ✓", "checked": True, "selected": "Plum", "dialog": False, "pressed": 1}
    assert {key: state()[key] for key in wanted} == wanted
    async with connected(up.server, "auto") as client:
        of = await ids(client, window="Fixture")
        press = {"tool": "invoke", "args": {"id": of("Press me"), "name": "Press me"}}
        field = {"tool": "set_edit_text", "on": {"name": "Name"}, "args": {"text": "Bob"}}
        delete = {"tool": "invoke", "on": {"role": "button", "name": "Nothing of this name"}}
        answer = await refused(client, "run_steps", steps=[press, field, delete, press])
        assert re.findall(r"^\d [a-z_]+: [a-z_ ]+", answer, re.MULTILINE) == [
            *("1 invoke: confirmed by accessibility", "2 set_edit_text: confirmed by accessibility"),
            *("3 invoke: refused", "4 invoke: not run"),
        ]
        assert "Pressed 2 times" in answer
        assert "Plum" not in answer, "it did not change"
        assert "nothing changed" in await told(client, "observe_window", window="Fixture", since="latest")
    assert (state()["name"], state()["pressed"]) == ("Bob", 2)


@pytest.mark.full("test_other_clients has a desktop in memory that is gone and back")
@pytest.mark.requires("mcp.held", "mcp.again", "mcp.picture")
async def test_two_servers_of_a_desktop_survive_its_restart(up: Up) -> None:
    async with connected(up.server, "auto") as second:
        async with connected(up.server, "auto") as other:
            assert "Press me" in await told(other, "observe_window")
            first = await shown_windows(second)
            launched = up("launch", "--desktop", "served", "--json", "--", "/usr/bin/python3", "-c", ABOVE)
            assert launched.code == 0, launched.err
            covered = await told(second, "observe_window", window=first[0], screenshot="labelled")
            assert 'in front of it, and in the picture: window "Above"' in covered
            front = (await shown_windows(second))[0]
            assert "in front of it" not in await told(second, "observe_window", window=front, screenshot="plain")
            assert up("desktop", "stop", "served").code == 0
            assert "DesktopGone" in await refused(second, "keyboard_input", keys="a", window=first[0])
            assert up("desktop", "start", "served").code == 0
            assert await told(other, "get_desktop_app_target_info")
        assert "[]" in await told(second, "get_desktop_app_target_info")


async def shown_windows(client: Client) -> list[str]:
    """Ids of the windows, the front one first."""
    return re.findall(r'"id": "([^"]+)"', await told(client, "get_desktop_app_target_info"))


@pytest.mark.full("test_http has the token, and test_stdio the end by a signal")
@pytest.mark.requires("mcp.http", "mcp.ends")
async def test_over_http_the_token_is_told_once_and_a_signal_ends_it(up: Up) -> None:
    command = [*DESKHAND, "mcp", "--desktop", "served", "--http", "127.0.0.1:0"]
    async with await anyio.open_process(command, env=up.env, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        with anyio.fail_after(DEADLINE_S):
            said = ""
            while said.count("\n") < 2:
                said += (await process.stderr.receive()).decode()
            address = re.search(r"http://127\.0\.0\.1:\d+/mcp", said)
            token = re.search(r"Bearer (\S+)", said)
            assert address
            assert token
            async with over_http(address[0], "legacy", token=token[1]) as client:
                assert "Press me" in await told(client, "observe_window", window="Fixture")
                process.send_signal(signal.SIGTERM)
                assert await process.wait() == 6
            assert [part async for part in process.stdout] == []
