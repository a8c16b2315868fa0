"""Whether what was expected holds: yes, no, or nobody can say (contract 4.2)."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Self

import anyio
from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from deskhand.commands.catalogue import Arguments, Call, ToolContext, ToolOutcome, data
from deskhand.commands.expectation import RESULT_UNTOLD, UNTOLD
from deskhand.commands.techniques.file_contents import look_for
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
from deskhand.core.patterns import matches_name
from deskhand.core.ports import CheckResult
from deskhand.core.replies import Expectation, Selector
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
"""The state of a table of a text document that is on a page out of view, listed once it was looked for."""

_UNLISTED: Final = "other_pages_unlisted"
"""That of a document of which those were not."""

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
    contains: str = Field(default="", description="text that stands in the file")

    @model_validator(mode="after")
    def _can_be_looked_at(self) -> Self:
        """Raises: ValueError."""
        unknown = [state for state in self.states if state.removeprefix(_NOT) not in _STATES]
        if unknown:
            raise ValueError(f"there is no state {unknown[0]!r}; there are: {', '.join(sorted(_STATES))}")
        if self.states and self.shows is None:
            raise ValueError("states are those of a control: say which one shows")
        if self.contains and not self.file:
            raise ValueError("contains is a text in a file: say which file")
        if not is_text(self.contains):
            raise ValueError(f"contains has characters that stand in no text: {self.contains!r}")
        if self.effect or self.rows or self.columns:
            raise ValueError("effect, rows and columns are of an action's result, which is not looked at here")
        if not (self.window or self.file or self.gone or self.shows):
            raise ValueError("nothing is expected: give window, file, gone or shows")
        return self


class Verify(Arguments):
    """`wait_s`: so long it may take until it holds. `file_before`, for the program itself: how the file stood (time in
    ns, size, inode) when the action began that has to write it, None for one that was not there; left out: it may be an
    old one.
    """

    expect: Wanted
    wait_s: float = Field(default=VERIFY_S, ge=0, le=60)
    file_before: SkipJsonSchema[tuple[int, int, int] | None] = None

    @property
    def must_be_written(self) -> bool:
        return "file_before" in self.model_fields_set

    def is_old(self, file: Path) -> bool:
        """Whether a file is as it stood before, where it has to be written."""
        before = Stamp(*self.file_before) if self.file_before else None
        return self.must_be_written and stamp_of(file) == before


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a look gave; `holds` None: it could not be looked."""

    holds: bool | None
    detail: str


_Look = Callable[[], Awaitable[_Seen]]


async def verify(tools: ToolContext, call: Call, arguments: Verify) -> ToolOutcome:
    """Looks whether what is expected holds, waiting for it a bounded time; what could not be looked at is unknown."""
    # Before anything else: also how long the rest takes would tell.
    if arguments.expect.file:
        _within(Path(arguments.expect.file), tools.folders)
    end = anyio.current_time() + arguments.wait_s
    checks: list[CheckResult] = []
    for name, look in _looks(tools, call, arguments):
        seen = await _waited(tools.desktop, look, max(0.0, end - anyio.current_time()))
        checks.append(CheckResult(name, seen.holds is True, seen.detail, known=seen.holds is not None))
    return ToolOutcome(checks)


async def _waited(desktop: Desktop, look: _Look, deadline_s: float) -> _Seen:
    """The first look in which it holds, else the last one."""
    seen = [await look()]

    async def holds() -> bool | None:
        seen.append(await look())
        return True if seen[-1].holds else None

    if not seen[0].holds and deadline_s:
        await desktop.wait_until(holds, deadline_s=deadline_s)
    return seen[-1]


def _looks(tools: ToolContext, call: Call, arguments: Verify) -> list[tuple[str, _Look]]:
    """Each part of what is expected, with the look that answers it."""
    desktop, wanted = tools.desktop, arguments.expect
    looks: list[tuple[str, _Look]] = []
    if wanted.window:
        looks.append(("window", partial(_window, desktop, wanted.window)))
    if wanted.file:
        looks.append(("file", partial(_file, arguments, tools.folders)))
    if wanted.gone is not None:
        looks.append(("gone", partial(_gone, desktop, call.need_window(), wanted.gone)))
    if wanted.shows is not None:
        looks.append(("shows", partial(_shows, desktop, call.need_window(), wanted.shows, tuple(wanted.states))))
    return looks


async def _window(desktop: Desktop, title: str) -> _Seen:
    windows = await desktop.windows()
    found = next((window for window in windows if matches_name(title, window.name)), None)
    if found is not None:
        return _Seen(True, f'"{found.name}" is open')
    titles = ", ".join(f'"{window.name}"' for window in windows)
    return _Seen(False, f"no window is called {quoted(title)}; open are: {titles or 'none'}")


async def _file(arguments: Verify, folders: tuple[Path, ...] | None) -> _Seen:
    """Raises: FileOutOfBounds, also where a link came to lead out of the folders meanwhile."""
    path = Path(arguments.expect.file)
    real = _within(path, folders)
    if size_of(real) and arguments.is_old(real):
        return _Seen(False, f"{path.name} is there, and was not written since the action began")
    return _file_now(path, real, arguments.expect.contains)


def _within(path: Path, folders: tuple[Path, ...] | None) -> Path:
    """Where the file really is, links followed. Raises: FileOutOfBounds."""
    if folders is None:
        return path
    try:
        real = path.resolve()
        if any(real.is_relative_to(folder.resolve()) for folder in folders):
            return real
    except (OSError, RuntimeError, ValueError):
        pass  # a circle of links, or no path at all: not within any folder
    known = ", ".join(map(str, folders))
    raise FileOutOfBounds(
        f"{path} was not looked at: it is not in {known or 'any folder, as none may be looked into'}",
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
        found = look_for(contains, real.read_bytes())
    except OSError as error:
        return _Seen(None, f"{path} cannot be read: {error.strerror or error}")
    if found.holds is None:
        return _Seen(None, f"{path.name} was not looked through: {found.why}")
    where = f"{'in' if found.holds else 'nowhere in'} {found.where}"
    return _Seen(found.holds, f"{path.name}: {quoted(contains)} stands {where}")


async def _gone(desktop: Desktop, root: TargetInfo, selector: Selector) -> _Seen:
    try:
        seen, found = await _found(desktop, root, selector)
    except ApplicationGone as error:
        return await _without_window(desktop, root, error, holds=True)
    except _UNREADABLE as error:
        return _Seen(None, error.message)
    if found:
        shown = next((control for control in found if _OFFSCREEN not in control.states), None)
        told = f"{shown.describe} shows" if shown else f"{found[0].describe} is on another page"
        return _without_result(found, selector) or _Seen(False, told)
    if _is_table(selector) and any(_UNLISTED in control.states for control in seen.controls):
        told = "and those on other pages of the document were not looked for: find_controls with role=table does"
        return _Seen(None, f"{describe(selector)} is not in view, {told}")
    return _not_found(seen, selector, holds=True)


async def _without_window(desktop: Desktop, root: TargetInfo, error: ApplicationGone, *, holds: bool) -> _Seen:
    """What it means that nothing answers to a window: that it is gone, if it is; it may be starting, or closing."""
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
        return _not_found(seen, selector, holds=False)
    if (unknown := _without_result(found, selector)) is not None:
        return unknown
    screens = [screen.rect for screen in await desktop.screens()]
    in_view = [control for control in found if _OFFSCREEN not in control.states]
    on_screen = [control for control in in_view if control.rect.empty or _is_on(control.rect, screens)]
    return _as_wanted(on_screen, states) if on_screen else _Seen(False, f"{found[0].describe} lies off the screen")


def _is_table(selector: Selector) -> bool:
    return bool(selector.role) and matches_name(selector.role, Role.TABLE)


def _as_wanted(found: Sequence[TargetInfo], states: tuple[str, ...]) -> _Seen:
    """Whether one of these, which show, is in these states."""
    fitting = [control for control in found if all(_is_in(control, state) for state in states)]
    if fitting:
        told = f" and is {', '.join(states)}" if states else ""
        return _Seen(True, f"{fitting[0].describe} shows{told}")
    wrong = next(state for state in states if not _is_in(found[0], state))
    if told := _untold(found[0], wrong):
        return _Seen(None, f"{found[0].describe} shows and does not tell whether it {told}")
    return _Seen(False, f"{found[0].describe} shows and is not as wanted: {wrong}")


def _untold(control: TargetInfo, state: str) -> str:
    """What a control does not tell of itself that is asked for; empty where it does.

    Of items of menus that do not say that they are checked GTK 3 knows no others; LibreOffice's sidebar has plain
    buttons that are drawn as if pressed; a field that somebody built around a text of GTK 4 never says that it has the
    keyboard.
    """
    is_plain = Trait.CHECK_NOT_EXPOSED in control.traits
    match state.removeprefix(_NOT):
        case "checked" if UNTOLD in control.states or (is_plain and "checked" not in control.states):
            return "is checked"
        case "focused" if "editable" in control.states and not {"focusable", "focused"} & control.states:
            return "has the keyboard"
        case _:
            return ""


def _without_result(found: Sequence[TargetInfo], selector: Selector) -> _Seen | None:
    """Of a cell whose formula comes to nothing that is told, the text may be an old one."""
    untold = next((control for control in found if RESULT_UNTOLD in control.states), None)
    if not selector.value or untold is None:
        return None
    return _Seen(None, f"{untold.describe} has a formula whose result is not told")


def _is_on(rect: Rect, screens: Sequence[Rect]) -> bool:
    return any(not rect.intersection(screen).empty for screen in screens)


def _is_in(control: TargetInfo, state: str) -> bool:
    return not _untold(control, state) and (state.removeprefix(_NOT) in control.states) is not state.startswith(_NOT)


async def _found(desktop: Desktop, root: TargetInfo, selector: Selector) -> tuple[Observation, list[TargetInfo]]:
    """What shows, and those of it that are meant.

    `nth` counts all that answer to the selector, usable or not.
    Raises: what looking raises; CaptureFailed (it is minimized, or not whole, so that `nth` cannot be counted).
    """
    window = await front_window(desktop, root)
    seen = await desktop.observe(window, picture=False)
    if MINIMIZED in seen.window.states:
        raise CaptureFailed(f'"{seen.window.name}" is minimized: nothing of it is on the screen')
    dialogs = [window] if re.fullmatch(r"dialog|window", selector.role) else []
    found = picked(selector.nth, find_all(selector, [*dialogs, *seen.controls], seen.window))
    if found and selector.nth is not None and seen.truncated:
        raise CaptureFailed(f"which one is {describe(selector)} nobody can say: {seen.truncated.message}")
    return seen, [*found]


def _not_found(seen: Observation, selector: Selector, *, holds: bool) -> _Seen:
    """What was not found shows nowhere, but for where not everything could be read."""
    where = f'among {len(seen.controls)} controls of "{seen.window.name}"'
    if seen.truncated:
        return _Seen(None, f"{describe(selector)} is not {where}, and not all was read: {seen.truncated.reason}")
    anywhere = selector.model_copy(update={"value": ""})
    valueless = find_all(anywhere, seen.controls, seen.window) if selector.value else ()
    if (unknown := _without_result(valueless, selector)) is not None:
        return unknown
    return _Seen(holds, f"{describe(selector)} {'is gone: it ' if holds else ''}is not {where}")


TOOLS = (data(Verify, verify, deadline_s=70.0),)
