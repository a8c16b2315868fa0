"""Statements about what a desktop shows, each true, false or not known, and the wait for one (contract 4.2)."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import anyio

from deskhand.commands.control_kinds import CHECK_UNKNOWN, RESULT_UNKNOWN
from deskhand.commands.techniques.shown_value import reading, showing, shown_text
from deskhand.commands.window_lookup import front_window, listed
from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, CaptureFailed, ElementStale
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.patterns import matches_name, matches_title
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.core.target import COVERED, MINIMIZED, TargetInfo, Trait
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import ProgramState, Until
from deskhand.models.selectors import describe, find_all, picked

_NOT: Final = "not "
_OFFSCREEN: Final = "offscreen"
"""State of a table of a text document on a page out of view, which is listed only after a search."""

_UNLISTED: Final = "other_pages_unlisted"
"""State of a document whose tables out of view were not searched."""

UNREADABLE: Final = (ApplicationUnresponsive, CaptureFailed, ElementStale)
STATES: Final = frozenset(
    {
        *("busy", "checked", "collapsed", "editable", "enabled", "expanded", "focused", "indeterminate"),
        *("invalid_entry", "modal", "pressed", "read_only", "required", "selected"),
    }
)


def require_states(states: Sequence[str]) -> None:
    """Raises: ValueError for a state that does not exist, with the list of all."""
    unknown = next((state for state in states if state.removeprefix(_NOT) not in STATES), None)
    if unknown is not None:
        raise ValueError(f"there is no state {unknown!r}; there are: {', '.join(sorted(STATES))}")


@dataclass(frozen=True, slots=True)
class Statement:
    """The result of one check; `holds` None: not known. `found`: the control that makes it true, in `seen`.

    `is_final`: it stays so, since the program of the window has ended.
    """

    holds: bool | None
    detail: str
    found: TargetInfo | None = None
    seen: Observation | None = None
    is_final: bool = False


Check = Callable[[], Awaitable[Statement]]


async def wait_for_statement(desktop: Desktop, look: Check, deadline_s: float) -> Statement:
    """The first check that holds or is final, else the last one that ended in time."""
    end = anyio.current_time() + deadline_s
    seen = [await look()]

    async def is_over() -> bool | None:
        seen.append(await look())
        return True if seen[-1].holds or seen[-1].is_final else None

    left_s = end - anyio.current_time()
    if not (seen[0].holds or seen[0].is_final) and left_s > 0:
        with anyio.move_on_after(left_s):  # a check of a program that does not answer takes longer
            await desktop.wait_until(is_over, deadline_s=left_s)
    return seen[-1]


async def window_is_open(desktop: Desktop, title: str, role: str = "") -> Statement:
    """Check that a window of that title is open; `role`: window or dialog, empty: either."""
    windows = await desktop.windows()
    fitting = (window for window in windows if not role or window.type == role)
    found = next((window for window in fitting if matches_title(title, window.name)), None)
    if found is not None:
        return Statement(True, f'"{found.name}" is open', found)
    titles = ", ".join(f'"{window.name}"' for window in windows)
    return Statement(False, f"no {role or 'window'} is called {quoted(title)}; open are: {titles or 'none'}")


async def control_is_gone(desktop: Desktop, root: TargetInfo, selector: Selector) -> Statement:
    """Check that no such control is visible in the front window of an application."""
    try:
        seen, found = await _found(desktop, root, selector)
    except ApplicationGone as error:
        return await without_window(desktop, root, error, holds=True)
    except UNREADABLE as error:
        return Statement(None, error.message)
    if found:
        if unknown := all_covered(found):
            return unknown
        shown = next((control for control in found if _OFFSCREEN not in control.states), None)
        message = f"{shown.describe} shows" if shown else f"{found[0].describe} is on another page"
        return _without_result(found, selector) or Statement(False, message)
    if _is_table(selector) and any(_UNLISTED in control.states for control in seen.controls):
        message = "and other pages of the document were not searched: find_controls with role=table does"
        return Statement(None, f"{describe(selector)} is not in view, {message}")
    return await _not_found(desktop, seen, selector, holds=True)


async def without_window(desktop: Desktop, root: TargetInfo, error: ApplicationGone, *, holds: bool) -> Statement:
    """The result for a window that does not answer: it holds if the window is gone; it may be starting, or closing.

    A window that is gone may come back while its program runs.
    """
    if await listed(desktop, root):
        return Statement(None, error.message)
    if (await desktop.program(root)).state is ProgramState.RUNS:
        return Statement(holds, f'the window "{root.name}" is gone')
    return Statement(holds, f'the window "{root.name}" is gone, and its program has ended', is_final=True)


async def control_shows(desktop: Desktop, root: TargetInfo, selector: Selector, states: tuple[str, ...]) -> Statement:
    """Check that such a control is visible in the front window of an application, in these states."""
    try:
        if states:
            await desktop.settle(root, until=Until.FINAL_STATES)
        seen, found = await _found(desktop, root, selector)
    except ApplicationGone as error:
        return await without_window(desktop, root, error, holds=False)
    except UNREADABLE as error:
        return Statement(None, error.message)
    if not found:
        return await _not_found(desktop, seen, selector, holds=False)
    if unknown := all_covered(found):
        return unknown
    found = [control for control in found if COVERED not in control.states]
    if (unknown := _without_result(found, selector)) is not None:
        return unknown
    screens = [screen.rect for screen in await desktop.screens()]
    in_view = [control for control in found if _OFFSCREEN not in control.states]
    on_screen = [control for control in in_view if control.rect.empty or _is_on(control.rect, screens)]
    return (
        _as_wanted(seen, on_screen, states)
        if on_screen
        else Statement(False, f"{found[0].describe} lies off the screen")
    )


def all_covered(found: Sequence[TargetInfo]) -> Statement | None:
    """Not known: texts of pictures that other windows cover now may have changed."""
    if not all(COVERED in control.states for control in found):
        return None
    return Statement(None, f"{found[0].describe} was read before another window covered it")


def _is_table(selector: Selector) -> bool:
    return bool(selector.role) and matches_name(selector.role, Role.TABLE)


def _as_wanted(seen: Observation, found: Sequence[TargetInfo], states: tuple[str, ...]) -> Statement:
    """The result for the state of these visible controls."""
    fitting = [control for control in found if all(_is_in(control, state) for state in states)]
    if fitting:
        message = f" and is {', '.join(states)}" if states else ""
        return Statement(True, f"{fitting[0].describe} shows{message}", fitting[0], seen)
    wrong = next(state for state in states if not _is_in(found[0], state))
    if message := not_exposed(found[0], wrong):
        return Statement(None, f"{found[0].describe} shows and does not report whether it {message}")
    return Statement(False, f"{found[0].describe} shows and is not as wanted: {wrong}")


def not_exposed(control: TargetInfo, state: str) -> str:
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


def _without_result(found: Sequence[TargetInfo], selector: Selector) -> Statement | None:
    """Not known: the text of a cell with a formula may be outdated if its result is not exposed."""
    unexposed = next((control for control in found if RESULT_UNKNOWN in control.states), None)
    if not selector.value or unexposed is None:
        return None
    return Statement(None, f"{unexposed.describe} has a formula whose result is not exposed")


def _is_on(rect: Rect, screens: Sequence[Rect]) -> bool:
    return any(not rect.intersection(screen).empty for screen in screens)


def _is_in(control: TargetInfo, state: str) -> bool:
    return not not_exposed(control, state) and (state.removeprefix(_NOT) in control.states) is not state.startswith(
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


async def _not_found(desktop: Desktop, seen: Observation, selector: Selector, *, holds: bool) -> Statement:
    """A control that was not found does not exist, unless the observation was truncated."""
    others = _with_any_value(selector, seen) if selector.value else ()
    if others and (selector.name or selector.role):
        if (unknown := _without_result(others, selector)) is not None:
            return unknown
        control, text = await _first_text(desktop, seen, others)
        if text is None or len(others) == 1:
            return Statement(None if text is None else holds, reading(control, text))
    where = f'among {len(seen.controls)} controls of "{seen.window.name}"'
    if why := may_lack(seen):
        return Statement(None, f"{describe(selector)} is not {where}, {why}")
    return Statement(holds, f"{describe(selector)} {'is gone: it ' if holds else ''}is not {where}")


def may_lack(seen: Observation) -> str:
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
