"""The demo's task by the windows alone, and with what LibreOffice's own interface does in one step, in turns.

`bench_routes.py [N]`: steps of the session and seconds, medians of N runs each. The second playbook is the packaged one
with `save_document` in place of the keys and the file dialog; charts have no tool of their own.
"""

import json
import os
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path
from statistics import median
from typing import Any, Final

from deskhand.cli.demo import REQUEST

_PLAYBOOK: Final = "models/playbooks/writer-table-to-calc-chart.yaml"
_SAMPLE: Final = "samples/report.odt"
_BY_DIALOG: Final = (
    '    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}{VK_SHIFT}s"}, status: SCREENSHOT}\n'
    '    - {tool: choose_file, args: {path: "${output}", create: true}, expect: {file: "${output}"}}\n'
)
_BY_INTERFACE: Final = '    - {tool: save_document, args: {path: "${output}"}, expect: {file: "${output}"}}\n'


def run(playbook: str, folder: Path, *, interface: bool) -> dict[str, Any]:  # Any: JSON
    """One session of the task; its report as JSON."""
    folder.mkdir()
    (folder / "task.yaml").write_text(playbook, encoding="utf-8")
    sample = Path(str(resources.files("deskhand") / _SAMPLE))
    argv = (sys.executable, "-m", "deskhand", "run", REQUEST, "--playbook", folder / "task.yaml", "--file", sample)
    output = folder / "sales.ods"
    environment = {**os.environ, "DESKHAND_SYSTEM__APPLICATION_INTERFACE": str(interface).lower()}
    options = ("--param", f"output={output}", "--out", folder / "out", "--json")
    done = subprocess.run([*argv, *options], env=environment, stdout=subprocess.PIPE, check=True)
    if not output.is_file():
        raise SystemExit(f"{output} was not written")
    return json.loads(done.stdout)


def main() -> None:
    times = int(sys.argv[1]) if sys.argv[1:] else 5
    by_windows = (resources.files("deskhand") / _PLAYBOOK).read_text(encoding="utf-8")
    if _BY_DIALOG not in by_windows:
        raise SystemExit("the packaged playbook saves in another way by now")
    by_interface = by_windows.replace(_BY_DIALOG, _BY_INTERFACE)
    found: dict[str, list[tuple[int, float]]] = {"windows": [], "interface": []}
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(times):
            for name, playbook in (("windows", by_windows), ("interface", by_interface)):
                done = run(playbook, Path(scratch, f"{name}{number}"), interface=name == "interface")
                found[name].append((done["steps"], done["wall_s"]))
    for name, runs in found.items():
        print(f"{name:9}  steps {median(steps for steps, _ in runs):g}  {median(wall for _, wall in runs):.1f} s")
    ratio = median(wall for _, wall in found["interface"]) / median(wall for _, wall in found["windows"])
    print(f"interface to windows: {ratio:.2f} of the seconds, {times} runs each")


if __name__ == "__main__":
    main()
