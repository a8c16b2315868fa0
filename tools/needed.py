"""What a measurement needs of the system, said in one sentence where it is missing."""

import sys
from pathlib import Path
from typing import Final

PYATSPI: Final = Path("/usr/lib/python3/dist-packages/pyatspi/__init__.py")


def end_without(package: str, file: Path) -> None:
    """Ends the program with exit code 2 where this file of a system package is missing."""
    if not file.exists():
        sys.stderr.write(
            f"what is measured here is compared with {package}, which is missing: apt-get install {package}\n"
        )
        sys.exit(2)
