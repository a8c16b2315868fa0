"""What `doctor` learns of this machine."""

import os
import subprocess
import sys

from deskhand.desktop.backends import requirements
from support import ROOT


def test_a_missing_program_is_named_with_the_command_that_brings_it() -> None:
    missing = {found.id: found for found in requirements(search_path="/nonexistent")}
    assert not missing["x_server"].ok
    assert missing["x_server"].required
    assert missing["x_server"].fix.endswith("apt-get install --yes --no-install-recommends xvfb")
    assert "libreoffice-calc" in missing["libreoffice"].fix


def test_what_is_here_needs_no_fix() -> None:
    assert all(not found.fix for found in requirements() if found.ok)
    assert all(found.fix for found in requirements() if not found.ok)


def test_probing_imports_nothing_heavy() -> None:
    heavy = "{'dbus_fast', 'Xlib', 'mss', 'PIL', 'pydantic_ai'}"
    program = (
        "import sys; from deskhand.desktop.backends import requirements; requirements(); "
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=20
    )
    assert done.stdout.strip() == "[]"
