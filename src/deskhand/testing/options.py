"""Options and settings of the plug-in of pytest."""

import re
import tempfile
from pathlib import Path
from typing import Final, Literal, cast

import pytest

_REPEAT: Final = "--deskhand-repeat"
_VIDEO: Final = "--deskhand-video"
_OUT: Final = "--deskhand-out"
_UPDATE: Final = "--deskhand-update-references"
_SIZE: Final = re.compile(r"(\d+)x(\d+)")
_LONGEST: Final = 60
"""Characters of a folder's name."""


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("deskhand", "tests of desktop programs (Deskhand)")
    group.addoption(_REPEAT, type=int, default=1, metavar="N", help="Run each test on a desktop N times.")
    group.addoption(
        _VIDEO,
        nargs="?",
        const="failed",
        choices=("failed", "all"),
        help="Record a video of each test on a desktop; keep those of failed ones, or all.",
    )
    group.addoption(_OUT, metavar="DIR", help="Folder for the records, in place of pytest's own.")
    group.addoption(_UPDATE, action="store_true", help="Write the references of expect(window).to_match(…) anew.")
    parser.addini("deskhand_app", "application of the fixture `app`")
    parser.addini("deskhand_size", "size of the private desktops in pixels", default="1920x1080")
    parser.addini("deskhand_timeout", "longest wait for a control or an expectation, in seconds", default="10")


def repetitions(config: pytest.Config) -> int:
    """Return how often each test runs."""
    return int(config.getoption(_REPEAT) or 1)


def filmed(config: pytest.Config) -> Literal["", "failed", "all"]:
    """Return which tests keep their video."""
    return config.getoption(_VIDEO) or ""


def updates_references(config: pytest.Config) -> bool:
    """Return whether references are written anew."""
    return bool(config.getoption(_UPDATE))


def application(config: pytest.Config) -> str:
    """Return the application of the fixture `app`; empty if none is set."""
    return str(config.getini("deskhand_app"))


def size(config: pytest.Config) -> tuple[int, int]:
    """Return width and height of the desktops in pixels. Raises: UsageError of pytest."""
    text = str(config.getini("deskhand_size"))
    found = _SIZE.fullmatch(text)
    if found is None:
        raise pytest.UsageError(f"deskhand_size = {text!r} is no size: write it as 1920x1080")
    return int(found[1]), int(found[2])


def timeout_s(config: pytest.Config) -> float:
    """Return the longest wait in seconds. Raises: UsageError of pytest."""
    text = str(config.getini("deskhand_timeout"))
    try:
        return float(text)
    except ValueError as error:
        raise pytest.UsageError(f"deskhand_timeout = {text!r} is no number of seconds") from error


def record_folder(config: pytest.Config, test: str) -> Path:
    """Make the folder of a test's record: in that of `--deskhand-out`, or in pytest's own, of which it keeps three.

    Raises: OSError.
    """
    name = re.sub(r"\W+", "-", test).strip("-")[:_LONGEST]
    given = config.getoption(_OUT)
    if given is None:
        # Tests that are no functions have no fixtures, and pytest has no other name for its folders.
        folders = cast("pytest.TempPathFactory", vars(config)["_tmp_path_factory"])
        return folders.mktemp(f"deskhand-{name}-")
    parent = Path(str(given)).absolute()
    parent.mkdir(parents=True, exist_ok=True)
    try:
        (parent / name).mkdir()
    except FileExistsError:
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
    return parent / name
