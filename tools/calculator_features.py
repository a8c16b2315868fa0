"""Run the published features of GNOME Calculator, of its four modes, on our steps of behave: `FOLDER` has the files.

They are those of the repository fedora-desktop-tests/gnome-calculator (commit 45572e44), in its folder `features`.
Their calculator steps are in `calculator_steps.py`; expected results and messages are the published ones.
"""

import os
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
_MODES: Final = ("basic", "advanced", "financial", "programming")


def main(arguments: list[str]) -> int:
    """Run them and print what behave prints; return its exit code. Raises: FileNotFoundError for a missing feature."""
    parser = ArgumentParser(prog="tools.calculator_features", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="of behave, after --")
    chosen = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="deskhand-features-") as temporary:
        features = Path(temporary, "features")
        (features / "steps").mkdir(parents=True)
        for mode in _MODES:
            shutil.copy(chosen.folder / f"{mode}_mode.feature", features)
        shutil.copy(ROOT / "tools/calculator_steps.py", features / "steps")
        (features / "environment.py").write_text("from deskhand.testing.behave.hooks import *\n")
        command = (sys.executable, "-m", "behave", "--format", "progress2", *chosen.options)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        return subprocess.run(command, cwd=temporary, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
