"""Verification of an expectation: it holds, fails, or is not known (contract 4.2)."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Self

import anyio
from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, data
from deskhand.commands.control_kinds import CHECK_UNKNOWN, RESULT_UNKNOWN
from deskhand.commands.techniques.file_contents import search
from deskhand.commands.techniques.shown_value import reading, showing, shown_text
from deskhand.commands.window_lookup import front_window, listed
from deskhand.core.errors import (
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    ElementStale,
    FileOutOfBounds,
)
from deskhand.core.file_stamp import Stamp, size_of, stamp_of
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.patterns import matches_name, matches_title
from deskhand.core.ports import CheckResult
from deskhand.core.replies import OF_RESULT, Expectation, Selector
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo, Trait
from deskhand.core.text import is_text, quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Until
from deskhand.models.selectors import describe, find_all, picked

VERIFY_S: Final = 5.0
_MOST_BYTES: Final = 16 * 1024 * 1024
_NOT: Final = "not "
_OFFSCREEN: Final = "offscreen"
"""State of a table of a text document on a page out of view, which is listed only after a search."""

_UNLISTED: Final = "other_pages_unlisted"
"""State of a document whose tables out of view were not searched."""

_UNREADABLE: Final = (ApplicationUnresponsive, CaptureFailed, ElementStale)
_STATES: Final = frozenset(
    {
        *("busy", "checked", "collapsed", "editable", "enabled", "expanded", "focused", "indeterminate"),
        *("invalid_entry", "modal", "pressed", "read_only", "required", "selected"),
    }
)


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
        unknown = [state for state in self.states if state.removeprefix(_NOT) not in _STATES]
        defects = {
            f"there is no state {', '.join(map(repr, unknown[:1]))}; there are: {', '.join(sorted(_STATES))}": unknown,
            "states need a control: give shows": self.states and self.shows is None,
            "contains needs a file: give file": self.contains and not self.file,
            f"contains has characters that no text has: {self.contains!r}": not is_text(self.contains),
            f"{', '.join(OF_RESULT)} belong to an action's result, which is not checked here": self.of_result,
            "nothing is expected: give window, file, gone or shows": not (
                self.window or self.file or self.gone or self.shows
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


@dataclass(frozen=True, slots=True)
class _Seen:
    """The result of one check; `holds` None: not known."""

    holds: bool | None
    detail: str


_Check = Callable[[], Awaitable[_Seen]]


async def verify(tools: ToolContext, call: Call, arguments: Verify) -> ToolOutcome:
    """Checks whether an expectation holds, within a timeout; parts that cannot be read are unknown."""
    # First of all: the duration of later checks would reveal whether a file exists.
    if arguments.expect.file:
        _within(Path(arguments.expect.file), tools.folders)
    end = anyio.current_time() + arguments.wait_s
    checks: list[CheckResult] = []
    for name, look in _checks(tools, call, arguments):
        seen = await _wait(tools.desktop, look, max(0.0, end - anyio.current_time()))
        checks.append(CheckResult(name, seen.holds is True, seen.detail, known=seen.holds is not None))
    return ToolOutcome(checks)


async def _wait(desktop: Desktop, look: _Check, deadline_s: float) -> _Seen:
    """The first check that holds, else the last one."""
    seen = [await look()]

    async def holds() -> bool | None:
        seen.append(await look())
        return True if seen[-1].holds else None

    if not seen[0].holds and deadline_s:
        await desktop.wait_until(holds, deadline_s=deadline_s)
    return seen[-1]


def _checks(tools: ToolContext, call: Call, arguments: Verify) -> list[tuple[str, _Check]]:
    """Each part of the expectation, with its check."""
    desktop, wanted = tools.desktop, arguments.expect
    parts: list[tuple[str, _Check]] = []
    if wanted.window:
        parts.append(("window", partial(_window, desktop, wanted.window)))
    if wanted.file:
        parts.append(("file", partial(_file, arguments, tools.folders)))
    if wanted.gone is not None:
        parts.append(("gone", partial(_gone, desktop, call.need_window(), wanted.gone)))
    if wanted.shows is not None:
        parts.append(("shows", partial(_shows, desktop, call.need_window(), wanted.shows, tuple(wanted.states))))
    return parts


async def _window(desktop: Desktop, title: str) -> _Seen:
    windows = await desktop.windows()
    found = next((window for window in windows if matches_title(title, window.name)), None)
    if found is not None:
        return _Seen(True, f'"{found.name}" is open')
    titles = ", ".join(f'"{window.name}"' for window in windows)
    return _Seen(False, f"no window is called {quoted(title)}; open are: {titles or 'none'}")


async def _file(arguments: Verify, folders: tuple[Path, ...] | None) -> _Seen:
    """Raises: FileOutOfBounds, also if a link was changed meanwhile to lead out of the folders."""
    path = Path(arguments.expect.file)
    real = _within(path, folders)
    if size_of(real) and arguments.is_old(real):
        return _Seen(False, f"{path.name} is there, and was not written since the action began")
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


def _file_now(path: Path, real: Path, contains: str) -> _Seen:
    size = size_of(real)
    if not size:
        return _Seen(False, f"{path} is not there, or empty")
    if not contains:
        return _Seen(True, f"{path.name}: {size} bytes")
    if size > _MOST_BYTES:
        return _Seen(None, f"{path.name}: {size} bytes are too many to look through")
    try:
        found = search(contains, real.read_bytes())
    except OSError as error:
        return _Seen(None, f"{path} cannot be read: {error.strerror or error}")
    if found.holds is None:
        return _Seen(None, f"{path.name} was not searched: {found.why}")
    where = f"{'is' if found.holds else 'is not'} in {found.where}"
    return _Seen(found.holds, f"{path.name}: {quoted(contains)} {where}")


async def _gone(desktop: Desktop, root: TargetInfo, selector: Selector) -> _Seen:
    try:
        seen, found = await _found(desktop, root, selector)
    except ApplicationGone as error:
        return await _without_window(desktop, root, error, holds=True)
    except _UNREADABLE as error:
        return _Seen(None, error.message)
    if found:
        shown = next((control for control in found if _OFFSCREEN not in control.states), None)
        message = f"{shown.describe} shows" if shown else f"{found[0].describe} is on another page"
        return _without_result(found, selector) or _Seen(False, message)
    if _is_table(selector) and any(_UNLISTED in control.states for control in seen.controls):
        message = "and other pages of the document were not searched: find_controls with role=table does"
        return _Seen(None, f"{describe(selector)} is not in view, {message}")
    return await _not_found(desktop, seen, selector, holds=True)


async def _without_window(desktop: Desktop, root: TargetInfo, error: ApplicationGone, *, holds: bool) -> _Seen:
    """The result for a window that does not answer: it holds if the window is gone; it may be starting, or closing."""
    if await listed(desktop, root):
        return _Seen(None, error.message)
    return _Seen(holds, "the window is gone")


async def _shows(desktop: Desktop, root: TargetInfo, selector: Selector, states: tuple[str, ...]) -> _Seen:
    try:
        if states:
            await desktop.settle(root, until=Until.FINAL_STATES)
        seen, found = await _found(desktop, root, selector)
    except ApplicationGone as error:
        return await _without_window(desktop, root, error, holds=False)
    except _UNREADABLE as error:
        return _Seen(None, error.message)
    if not found:
        return await _not_found(desktop, seen, selector, holds=False)
    if (unknown := _without_result(found, selector)) is not None:
        return unknown
    screens = [screen.rect for screen in await desktop.screens()]
    in_view = [control for control in found if _OFFSCREEN not in control.states]
    on_screen = [control for control in in_view if control.rect.empty or _is_on(control.rect, screens)]
    return _as_wanted(on_screen, states) if on_screen else _Seen(False, f"{found[0].describe} lies off the screen")


def _is_table(selector: Selector) -> bool:
    return bool(selector.role) and matches_name(selector.role, Role.TABLE)


def _as_wanted(found: Sequence[TargetInfo], states: tuple[str, ...]) -> _Seen:
    """The result for the state of these visible controls."""
    fitting = [control for control in found if all(_is_in(control, state) for state in states)]
    if fitting:
        message = f" and is {', '.join(states)}" if states else ""
        return _Seen(True, f"{fitting[0].describe} shows{message}")
    wrong = next(state for state in states if not _is_in(found[0], state))
    if message := _not_exposed(found[0], wrong):
        return _Seen(None, f"{found[0].describe} shows and does not report whether it {message}")
    return _Seen(False, f"{found[0].describe} shows and is not as wanted: {wrong}")


def _not_exposed(control: TargetInfo, state: str) -> str:
    """The requested state that a control does not expose; empty if it does.

    Menu items of GTK 3 without `checked` may be check items; LibreOffice's sidebar has plain buttons that are drawn as
    pressed; a custom field around a text of GTK 4 never reports the keyboard focus.
    """
    is_plain = Trait.CHECK_NOT_EXPOSED in control.traits
    match state.removeprefix(_NOT):
        case "checked" if CHECK_UNKNOWN in control.states or (is_plain and "checked" not in control.states):
            return "is checked"
        case "focused" if "editable" in control.states and not {"focusable", "focused"} & control.states:
            return "has the keyboard"
        case _:
            return ""


def _without_result(found: Sequence[TargetInfo], selector: Selector) -> _Seen | None:
    """Not known: the text of a cell with a formula may be outdated if its result is not exposed."""
    unexposed = next((control for control in found if RESULT_UNKNOWN in control.states), None)
    if not selector.value or unexposed is None:
        return None
    return _Seen(None, f"{unexposed.describe} has a formula whose result is not exposed")


def _is_on(rect: Rect, screens: Sequence[Rect]) -> bool:
    return any(not rect.intersection(screen).empty for screen in screens)


def _is_in(control: TargetInfo, state: str) -> bool:
    return not _not_exposed(control, state) and (state.removeprefix(_NOT) in control.states) is not state.startswith(
        _NOT
    )


async def _found(desktop: Desktop, root: TargetInfo, selector: Selector) -> tuple[Observation, list[TargetInfo]]:
    """The observation, and the controls in it that match.

    `nth` counts all that match the selector, usable or not.
    Raises: as observing; CaptureFailed (it is minimized, or truncated, so that `nth` cannot be counted).
    """
    window = await front_window(desktop, root)
    seen = await desktop.observe(window, picture=False)
    if MINIMIZED in seen.window.states:
        raise CaptureFailed(f'"{seen.window.name}" is minimized: nothing of it is on the screen')
    matches = (*_as_window(selector, window, seen), *find_all(selector, seen.controls, seen.window))
    if not matches and selector.value:
        matches = tuple(await showing(desktop, seen, _with_any_value(selector, seen), selector.value))
    found = picked(selector.nth, matches)
    if found and selector.nth is not None and seen.truncated:
        raise CaptureFailed(f"which one is {describe(selector)} cannot be decided: {seen.truncated.message}")
    return seen, [*found]


def _as_window(selector: Selector, window: TargetInfo, seen: Observation) -> tuple[TargetInfo, ...]:
    """The front window, if the selector means a dialog or window with its title or a part of it."""
    if not re.fullmatch(r"dialog|window", selector.role):
        return ()
    of_title = not selector.name or matches_title(selector.name, window.name)
    return find_all(selector.model_copy(update={"name": ""}), [window], seen.window) if of_title else ()


def _with_any_value(selector: Selector, seen: Observation) -> tuple[TargetInfo, ...]:
    return find_all(selector.model_copy(update={"value": ""}), seen.controls, seen.window)


async def _not_found(desktop: Desktop, seen: Observation, selector: Selector, *, holds: bool) -> _Seen:
    """A control that was not found does not exist, unless the observation was truncated."""
    others = _with_any_value(selector, seen) if selector.value else ()
    if others and (selector.name or selector.role):
        if (unknown := _without_result(others, selector)) is not None:
            return unknown
        control, text = await _first_text(desktop, seen, others)
        if text is None or len(others) == 1:
            return _Seen(None if text is None else holds, reading(control, text))
    where = f'among {len(seen.controls)} controls of "{seen.window.name}"'
    if lacking := _lacking(seen):
        return _Seen(None, f"{describe(selector)} is not {where}, {lacking}")
    return _Seen(holds, f"{describe(selector)} {'is gone: it ' if holds else ''}is not {where}")


def _lacking(seen: Observation) -> str:
    """Return why an observation may lack a control; empty if it has all."""
    if seen.truncated:
        return f"and not all was read: {seen.truncated.reason}"
    texts = [control for control in seen.controls if control.name or control.value]
    is_read = seen.from_picture and all(Trait.READ_FROM_PICTURE in control.traits for control in texts)
    return "whose texts were read from the picture alone" if is_read else ""


async def _first_text(
    desktop: Desktop, seen: Observation, controls: Sequence[TargetInfo]
) -> tuple[TargetInfo, str | None]:
    """The first of the controls that exposes a text, with it; None with the first control if none does."""
    for control in controls:
        if (text := await shown_text(desktop, seen, control)) is not None:
            return control, text
    return controls[0], None


TOOLS = (data(Verify, verify, deadline_s=70.0),)
