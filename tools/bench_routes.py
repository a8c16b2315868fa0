"""LibreOffice by its windows alone, and by its own interface, in turns: its tools, and the demo's task.

`bench_routes.py [N]`: steps of the session and seconds, medians of N runs each. The second playbook is the packaged one
with `save_document` in place of the keys and the file dialog; charts have no tool of their own. A tool is one step.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any, Final

import anyio

from deskhand.cli.demo import REQUEST
from deskhand.core.command import Effect
from deskhand.core.json import JsonValue
from tests.desktop.linux.deceiving import Tools
from tests.desktop.linux.office import office_desktop, opened
from tests.desktop.linux.test_office import CALC, WRITER
from tests.desktop.linux.test_sheet_ranges import Lines
from tests.documents import Text, write_odt
from tests.spreadsheets import write_ods

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


_TOOLS: Final[tuple[tuple[str, Mapping[str, JsonValue]], ...]] = (
    ("sort_range", {"range": "A1:C6", "by": [{"column": "Units"}, {"column": "A"}], "header": True}),
    ("format_range", {"range": "B2:B6", "bold": True, "number_format": "0.00"}),
    ("remove_duplicates", {"range": "A1:C6", "header": True}),
    ("replace_text", {"pairs": [{"find": "Bonn", "replace": "Rome"}, {"find": "Rome", "replace": "Bonn"}]}),
    ("export_pdf", {}),
    ("insert_table", {"rows": [["Town", "Units"], ["Bonn", "1"], ["Rome", "2"]], "after": "Figures"}),
)


async def tools_of(folder: Path, times: int) -> dict[tuple[str, bool], list[float]]:
    """Seconds of each tool by route: True is the own interface. Raises: SystemExit if one is not confirmed."""
    found: dict[tuple[str, bool], list[float]] = {}
    async with office_desktop(folder) as desktop:
        for number in range(times):
            for interface in (False, True):
                scratch = folder / f"{number}{interface}"
                scratch.mkdir()
                sheet, text = write_ods(scratch / "list.ods", Lines()), write_odt(scratch / "text.odt", Text("Figures"))
                async with opened(desktop, CALC, sheet) as cells, opened(desktop, WRITER, text) as page:
                    for name, given in _TOOLS:
                        arguments = {**given, **({"path": str(scratch / "a.pdf")} if name == "export_pdf" else {})}
                        window = page if name == "insert_table" else cells
                        began = monotonic()
                        done = await Tools(desktop, own_interface=interface).run(window, name, None, **arguments)
                        found.setdefault((name, interface), []).append(monotonic() - began)
                        if done.effect is not Effect.CONFIRMED:
                            raise SystemExit(f"{name}: {done.effect}: {done.evidence}")
    return found


def print_tools(times: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        found = anyio.run(tools_of, Path(scratch), times)
    for name, _ in _TOOLS:
        windows, interface = (median(found[name, route]) for route in (False, True))
        print(f"{name:18}  windows {windows:4.1f} s   interface {interface:4.1f} s")


def main() -> None:
    times = int(sys.argv[1]) if sys.argv[1:] else 5
    by_windows = (resources.files("deskhand") / _PLAYBOOK).read_text(encoding="utf-8")
    if _BY_DIALOG not in by_windows:
        raise SystemExit("the packaged playbook saves in another way by now")
    by_interface = by_windows.replace(_BY_DIALOG, _BY_INTERFACE)
    print_tools(times)
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
