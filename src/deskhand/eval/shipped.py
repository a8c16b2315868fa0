"""Suites by path, and the suites that are shipped with Deskhand, by name."""

from pathlib import Path
from typing import Final

from deskhand.config.yaml_values import suggestion
from deskhand.core.errors import UsageError
from deskhand.eval.folders import SUITE_NAME, read_suite
from deskhand.eval.miniwob.suite import NAME as MINIWOB
from deskhand.eval.miniwob.suite import miniwob_suite
from deskhand.eval.suite import Suite

_SHIPPED: Final = Path(__file__).with_name("suites")


def shipped_suites() -> list[str]:
    """Names of the shipped suites; MiniWoB++ needs the package of its pages."""
    return sorted([*(path.parent.name for path in _SHIPPED.glob(f"*/{SUITE_NAME}")), MINIWOB])


def find_suite(name: str) -> Suite:
    """The suite in a folder, else the shipped one of this name. Raises: UsageError."""
    path = Path(name)
    if path.exists() or path.name != name:
        return read_suite(path)
    if name not in (known := shipped_suites()):
        raise UsageError(
            f"there is no folder {name}, and no suite of this name is shipped{suggestion(name, known)}",
            fix="give the folder of a suite; deskhand eval lists those that are shipped",
        )
    return shipped_suite(name)


def shipped_suite(name: str) -> Suite:
    """A suite that is shipped. Raises: MissingRequirement for one whose package is not installed."""
    if name == MINIWOB:
        return miniwob_suite()
    return read_suite(_SHIPPED / name)
