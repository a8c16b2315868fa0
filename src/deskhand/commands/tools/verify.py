"""Verification of an expectation: it holds, fails, or is not known (contract 4.2)."""

from functools import partial
from pathlib import Path
from typing import Final, Self

import anyio
from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, data
from deskhand.commands.techniques.file_contents import search
from deskhand.commands.techniques.screen_checks import (
    Check,
    Statement,
    control_is_gone,
    control_shows,
    require_states,
    wait_for_statement,
    window_is_open,
    without_window,
)
from deskhand.commands.window_lookup import front_window
from deskhand.core.errors import ApplicationGone, FileOutOfBounds
from deskhand.core.file_stamp import Stamp, size_of, stamp_of
from deskhand.core.ports import CheckResult, Satisfaction
from deskhand.core.replies import OF_RESULT, Expectation
from deskhand.core.target import TargetInfo
from deskhand.core.text import is_text, quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.snapshots.comparison import compare

VERIFY_S: Final = 5.0
_MOST_BYTES: Final = 16 * 1024 * 1024


class Wanted(Expectation):
    """`shows` and `gone` mean a control by role, name and value, within others; `/…/` is a regular expression.

    `states`: of the control that `shows`, such as "checked", "not enabled". `contains`: a text in the `file`.
    """

    file: str = Field(default="", description="path of a file that exists and is not empty")
    states: list[str] = Field(default_factory=list, description='of what shows: "checked", "not enabled", …')
    contains: str = Field(default="", description="text in the file")

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        """Raises: ValueError."""
        require_states(self.states)
        defects = {
            "states need a control: give shows": self.states and self.shows is None,
            "contains needs a file: give file": self.contains and not self.file,
            f"contains has characters that no text has: {self.contains!r}": not is_text(self.contains),
            f"{', '.join(OF_RESULT)} belong to an action's result, which is not checked here": self.of_result,
            "nothing is expected: give window, file, gone, shows or like": not (
                self.window or self.file or self.gone or self.shows or self.like
            ),
        }
        if defect := next((message for message, found in defects.items() if found), None):
            raise ValueError(defect)
        return self


class Verify(Arguments):
    """`wait_s`: timeout until it holds. `file_before`, for the program itself: the file's stamp (time in ns, size,
    inode) before the action that has to write it, None if it did not exist; left out: an old file will do.
    """

    expect: Wanted
    wait_s: float = Field(default=VERIFY_S, ge=0, le=60)
    file_before: SkipJsonSchema[tuple[int, int, int] | None] = None

    @property
    def must_be_written(self) -> bool:
        return "file_before" in self.model_fields_set

    def is_old(self, file: Path) -> bool:
        """True for a file that has to be written and is unchanged."""
        before = Stamp(*self.file_before) if self.file_before else None
        return self.must_be_written and stamp_of(file) == before


async def verify(tools: ToolContext, call: Call, arguments: Verify) -> ToolOutcome:
    """Checks whether an expectation holds, within a timeout; parts that cannot be read are unknown."""
    # First of all: the duration of later checks would reveal whether a file exists.
    for path in filter(None, (arguments.expect.file, arguments.expect.like)):
        _within(Path(path), tools.folders)
    end = anyio.current_time() + arguments.wait_s
    checks: list[CheckResult] = []
    for name, look in _checks(tools, call, arguments):
        seen = await wait_for_statement(tools.desktop, look, max(0.0, end - anyio.current_time()))
        checks.append(CheckResult(name, seen.holds is True, seen.detail, known=seen.holds is not None))
    return ToolOutcome(checks)


def _checks(tools: ToolContext, call: Call, arguments: Verify) -> list[tuple[str, Check]]:
    """Each part of the expectation, with its check."""
    desktop, wanted = tools.desktop, arguments.expect
    parts: list[tuple[str, Check]] = []
    if wanted.window:
        parts.append(("window", partial(window_is_open, desktop, wanted.window)))
    if wanted.file:
        parts.append(("file", partial(_file, arguments, tools.folders)))
    if wanted.gone is not None:
        parts.append(("gone", partial(control_is_gone, desktop, call.need_window(), wanted.gone)))
    if wanted.shows is not None:
        parts.append(("shows", partial(control_shows, desktop, call.need_window(), wanted.shows, tuple(wanted.states))))
    if wanted.like:
        parts.append(("like", partial(_like, desktop, call.need_window(), Path(wanted.like))))
    return parts


async def _like(desktop: Desktop, root: TargetInfo, path: Path) -> Statement:
    """Raises: ConfigurationError."""
    try:
        window = await front_window(desktop, root)
    except ApplicationGone as error:
        return await without_window(desktop, root, error, holds=False)
    compared = await compare(desktop, window, path)
    holds = {Satisfaction.SATISFIED: True, Satisfaction.UNSATISFIED: False, Satisfaction.UNKNOWN: None}
    return Statement(holds[compared.verdict], compared.detail)


async def _file(arguments: Verify, folders: tuple[Path, ...] | None) -> Statement:
    """Raises: FileOutOfBounds, also if a link was changed meanwhile to lead out of the folders."""
    path = Path(arguments.expect.file)
    real = _within(path, folders)
    if size_of(real) and arguments.is_old(real):
        return Statement(False, f"{path.name} is there, and was not written since the action began")
    return _file_now(path, real, arguments.expect.contains)


def _within(path: Path, folders: tuple[Path, ...] | None) -> Path:
    """The file's real path. Raises: FileOutOfBounds."""
    if folders is None:
        return path
    try:
        real = path.resolve()
        if any(real.is_relative_to(folder.resolve()) for folder in folders):
            return real
    except (OSError, RuntimeError, ValueError):
        pass  # a circle of links, or no valid path: outside of all folders
    known = ", ".join(map(str, folders))
    raise FileOutOfBounds(
        f"{path} was not read: it is not in {known or 'any folder, as none may be read'}",
        fix="Ask for a file in there, or have the server started with --files FOLDER.",
    )


def _file_now(path: Path, real: Path, contains: str) -> Statement:
    size = size_of(real)
    if not size:
        return Statement(False, f"{path} is not there, or empty")
    if not contains:
        return Statement(True, f"{path.name}: {size} bytes")
    if size > _MOST_BYTES:
        return Statement(None, f"{path.name}: {size} bytes are too many to look through")
    try:
        found = search(contains, real.read_bytes())
    except OSError as error:
        return Statement(None, f"{path} cannot be read: {error.strerror or error}")
    if found.holds is None:
        return Statement(None, f"{path.name} was not searched: {found.why}")
    where = f"{'is' if found.holds else 'is not'} in {found.where}"
    return Statement(found.holds, f"{path.name}: {quoted(contains)} {where}")


TOOLS = (data(Verify, verify, deadline_s=70.0),)
