"""The import contracts of this project, held against small packages that keep or break them."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
ROOT = Path(__file__).resolve().parents[2]
HOUSE = {
    "core/errors.py": "",
    "config/load.py": "import yaml\nimport pydantic_settings\nimport deskhand.core.errors",
    "desktop/protocols/desktop.py": "import deskhand.core.errors",
    "desktop/fake.py": "import deskhand.desktop.protocols.desktop\nimport PIL",
    "desktop/linux/atspi.py": "import dbus_fast.aio\nimport deskhand.desktop.protocols.desktop",
    "desktop/linux/toolkits/gtk4.py": "import deskhand.desktop.linux.atspi",
    "desktop/linux/toolkits/qt.py": "import deskhand.desktop.linux.atspi",
    "desktop/linux/wiring.py": "import deskhand.desktop.linux.toolkits.qt",
    "desktop/linux/x11.py": "import Xlib\nimport mss\nimport isal",
    "desktop/linux/runtime/virtual_desktop.py": "import deskhand.desktop.linux.runtime.x_server",
    "desktop/linux/runtime/x_server.py": "import deskhand.desktop.linux.x11",
    "desktop/linux/runtime/attach.py": "import deskhand.desktop.linux.default_display_server",
    "desktop/linux/opening.py": "import deskhand.desktop.linux.default_display_server",
    "desktop/linux/live.py": "import deskhand.desktop.linux.default_display_server",
    "desktop/linux/release.py": "import deskhand.desktop.linux.default_display_server",
    "desktop/linux/viewing.py": "import deskhand.desktop.linux.default_display_server",
    "desktop/linux/default_display_server.py": "import deskhand.desktop.linux.x11",
    "desktop/backends.py": "import deskhand.desktop.linux.default_display_server",
    "perception/labels.py": "import PIL.Image",
    "models/playbook.py": "import yaml",
    "memory/board.py": "",
    "store/journal.py": "import PIL",
    "commands/tools.py": "import deskhand.desktop.protocols.desktop",
    "prompts/render.py": "import jinja2",
    "policy/rules.py": "import yaml",
    "notify/webhook.py": "import httpx2",
    "states/host.py": "",
    "pipeline/app.py": "import deskhand.commands.tools",
    "agents/host.py": "import deskhand.states.host",
    "session/build.py": "import deskhand.desktop.backends\nimport deskhand.agents.host",
    "operator/agent.py": "import deskhand.agent_parts\nimport anthropic",
    "scripting/desktop.py": "",
    "agent_parts.py": "import deskhand.pipeline.app",
    "certify/trial.py": "import deskhand.session.build\nimport deskhand.desktop.fake",
    "report/page.py": "import jinja2\nimport deskhand.store.journal",
    "commands/mcp_client/servers.py": "import mcp\nimport httpx2",
    "serve/http.py": "import mcp.server\nimport uvicorn\nimport starlette",
    "telemetry/spans.py": "import opentelemetry.trace\nimport deskhand.commands.tools",
    "fleet/cluster.py": "import ray\nimport deskhand.session.build",
    "testing/behave/steps.py": "import behave\nimport deskhand.scripting.desktop",
    "cli/demo.py": "import typer\nimport rich\nimport deskhand.session.build",
}
"""The rooms of the finished house, each with what it may import."""


def broken_contracts(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Names of the contracts that a package of these files breaks."""
    package = folder / "src" / "deskhand"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
        for room in (path.parent, *path.parent.parents):
            if room.is_relative_to(package):
                (room / "__init__.py").touch()
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lint = "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports_command as c; c()"
    done = subprocess.run(
        (sys.executable, "-P", "-c", lint, "--no-cache"),
        cwd=folder, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    return re.findall(r"^(.+?) BROKEN", done.stdout, flags=re.MULTILINE)


@pytest.mark.requires("build.contracts")
def test_the_finished_house_keeps_every_contract(tmp_path: Path) -> None:
    assert broken_contracts(tmp_path, HOUSE) == []


@pytest.mark.requires("build.contracts")
@pytest.mark.parametrize(
    ("name", "text", "contract"),
    [
        ("core/errors.py", "import deskhand.config.load", "A room imports only rooms on lower rows"),
        ("memory/board.py", "import deskhand.store.journal", "A room imports only rooms on lower rows"),
        ("cellar/box.py", "", "A room imports only rooms on lower rows"),
        ("core/a.py", "import deskhand.core.b", "No two neighbours import each other in a circle"),
        (
            "desktop/linux/atspi.py",
            "import deskhand.desktop.linux.toolkits.qt",
            "Toolkits are reached through their hooks",
        ),
        ("desktop/linux/observe.py", "import deskhand.desktop.linux.toolkits.qt", "Toolkits are reached through their"),
        (
            "desktop/linux/toolkits/qt.py",
            "import deskhand.desktop.linux.toolkits.gtk4",
            "Toolkits do not know each other",
        ),
        ("desktop/fake.py", "import deskhand.desktop.linux.x11", "Desktop backends do not know each other"),
        (
            "desktop/linux/x11.py",
            "def f():\n    import deskhand.desktop.fake",
            "Desktop backends do not know each other",
        ),
        ("desktop/linux/atspi.py", "import deskhand.desktop.linux.x11", "Display servers are named by"),
        ("desktop/linux/wiring.py", "import deskhand.desktop.linux.x11", "Display servers are named by"),
        (
            "desktop/linux/atspi.py",
            "import deskhand.desktop.linux.default_display_server",
            "The default server is chosen",
        ),
        ("session/build.py", "import deskhand.desktop.linux.x11", "Only desktop.backends names a backend"),
        ("cli/demo.py", "def f():\n    import deskhand.desktop.linux", "Only desktop.backends names a backend"),
        ("desktop/identity.py", "import deskhand.desktop.linux.x11", "Only desktop.backends names a backend"),
        ("desktop/fake.py", "import mss", "The Linux desktop libraries stay in desktop.linux"),
        ("commands/tools.py", "import Xlib.display", "The Linux desktop libraries stay in desktop.linux"),
        ("desktop/linux/x11.py", "import uiautomation", "The Windows desktop libraries stay in desktop.windows"),
        ("agents/host.py", "from PIL import Image", "Pixels are touched where"),
        ("session/build.py", "import yaml", "YAML is read where"),
        ("operator/agent.py", "import deskhand.session.build", "The operator is made of public names alone"),
        ("policy/rules.py", "import pydantic_settings", "YAML is read where"),
        ("agents/host.py", "import jinja2", "Templates are rendered by prompts and report"),
        ("session/build.py", "import typer", "Only the command line knows"),
        ("cli/demo.py", "import mcp.server", "MCP is spoken by"),
        ("notify/program.py", "import httpx2", "What asks servers of its own stays where it asks them"),
        ("cli/demo.py", "def f():\n    import ray", "Ray stays in fleet"),
        ("cli/demo.py", "import behave", "Test runners stay in testing"),
        ("pipeline/app.py", "import opentelemetry", "OpenTelemetry stays in telemetry"),
        ("commands/mcp_client/servers.py", "import starlette", "Only what serves knows a web server"),
    ],
)
def test_a_forbidden_import_breaks_the_contract_that_forbids_it(
    tmp_path: Path, name: str, text: str, contract: str
) -> None:
    broken = broken_contracts(tmp_path, {**HOUSE, "core/b.py": "import deskhand.core.a", "core/a.py": "", name: text})
    assert [words for words in broken if words.startswith(contract)]
