"""Runs the conformance suite `cua-auto-harness` against Deskhand: `conformance_adapter.py JOB OUT REPS [CASE…]`.

For the suite's own environment, `.venv-conformance`. JOB is a JSON file: the command that serves a desktop's tools
over MCP, the desktop's environment, and a folder for scratch files. Each operation of the suite is one call of a tool
as any client makes it, or one for each direction of a wheel; the suite observes the desktop by programs of its own.
"""

import base64
import json
import socket
import subprocess
import sys
from pathlib import Path

from autoharness.adapters import SutExecutionError
from autoharness.backend import Adapter, GenericProbeAdapter
from autoharness.cli import _packaged
from autoharness.contracts import load_catalog
from autoharness.driver import run_catalog

WINDOW = "autoharness-probe"
SCRATCH = "/tmp/autoharness_"
MODIFIERS = ("ctrl", "shift", "alt", "super")
KEYS = {"menu": "APPS", "caps_lock": "CAPSLOCK"}


class Client:
    """A client of an MCP server over stdin and stdout, one call at a time."""

    def __init__(self, command):
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._last = 0
        information = {"name": "conformance", "version": "1"}
        self._ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=information)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool, **arguments):
        """The content of a result, and whether it is an error."""
        result = self._ask("tools/call", name=tool, arguments=arguments)
        return result["content"], result.get("isError", False)

    def close(self):
        self._server.stdin.close()
        self._server.wait(30)

    def _ask(self, method, **parameters):
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": parameters})
        for line in self._server.stdout:
            message = json.loads(line)
            if message.get("id") == self._last:
                if "error" in message:
                    raise SutExecutionError(str(message["error"]))
                return message["result"]
        raise SutExecutionError("the server ended")

    def _send(self, message):
        self._server.stdin.write(json.dumps(message) + "\n")
        self._server.stdin.flush()


class Deskhand(Adapter):
    """Deskhand's tools, as a client of its MCP server has them."""

    supports_raw_tap = True

    def __init__(self, job):
        self._job = job
        self.guest_display = job["environment"]["DISPLAY"]
        self._client = None
        self._size = None

    def boot(self):
        self._client = Client(self._job["serve"])

    def teardown(self):
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def exec(self, cmd, timeout=120):
        cmd = cmd.replace(SCRATCH, f"{self._job['folder']}/autoharness_")
        done = subprocess.run(  # noqa: S602 - the suite gives shell lines
            cmd,
            shell=True,
            env=self._job["environment"],
            timeout=timeout,
            check=False,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return done.returncode, done.stdout

    def screenshot(self, dst_path):
        content, _ = self._client.call("capture_desktop_screenshot")
        (picture,) = (each for each in content if each["type"] == "image")
        Path(dst_path).write_bytes(base64.b64decode(picture["data"]))

    def inject(self, action):
        getattr(self, f"_{action.kind}")(action)

    def _click(self, action):
        hold = "+".join(action.modifiers)
        point = self._point(action.x, action.y)
        self._act("click_on_coordinates", **point, button=action.button, count=action.count, hold=hold)

    def _button_press(self, action):
        self._act("hold_button", **self._point(action.x, action.y), button=action.button)

    def _button_release(self, action):
        self._act("let_go", **self._point(action.x, action.y), what="button")

    def _move(self, action):
        self._act("hover", **self._point(action.x, action.y))

    def _drag(self, action):
        start, *via, end = (self._point(*each) for each in action.path)
        ends = {f"{which}_{axis}": point[axis] for which, point in (("start", start), ("end", end)) for axis in "xy"}
        self._act("drag_on_coordinates", **ends, via=via, button=action.button, hold="+".join(action.modifiers))

    def _scroll(self, action):
        for notches, sideways in ((-action.dy_ticks, False), (action.dx_ticks, True)):
            if notches:
                point, hold = self._point(action.x, action.y), "+".join(action.modifiers)
                self._act("wheel_mouse_input", wheel_dist=notches, **point, sideways=sideways, hold=hold)

    def _key_chord(self, action):
        *modifiers, key = action.keys
        named = len(key) > 1
        self._act(
            "keyboard_input", keys="".join(f"{{{each}}}" for each in modifiers) + (_braced(key) if named else key)
        )

    def _type_text(self, action):
        self._act("keyboard_input", keys=action.text, literal=True)

    def _point(self, x, y):
        """A pixel as a part of the window, which fills the screen."""
        width, height = self._job["size"]
        return {"x": (x + 0.5) / width, "y": (y + 0.5) / height}

    def _act(self, tool, **arguments):
        content, failed = self._client.call(tool, window=WINDOW, **arguments)
        if failed:
            raise SutExecutionError(" ".join(each.get("text", "") for each in content))


def _braced(key):
    return f"{{{KEYS.get(key, key)}}}"


def _free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def main():
    job, out, reps, *cases = sys.argv[1:]
    entries = load_catalog(_packaged("catalogs", "runner"))
    entries = [each for each in entries if not cases or any(case in each.id for case in cases)]
    deskhand = Deskhand(json.loads(Path(job).read_text(encoding="utf-8")))
    suite = GenericProbeAdapter(deskhand, probe_port=_free_port(), raw_port=_free_port(), name="deskhand")
    run_catalog(suite, entries, Path(out), reps_override=int(reps))


if __name__ == "__main__":
    main()
