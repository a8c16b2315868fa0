"""Names of windows from callers, and windows and controls as JSON (contract 6)."""

from collections.abc import Mapping
from typing import Final

from deskhand.core.errors import UsageError
from deskhand.core.json import JsonObject
from deskhand.core.patterns import matches_name
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop

_LONGEST_TITLE: Final = 300


async def chosen_window(desktop: Desktop, choice: str) -> TargetInfo:
    """Return the window of that id, title, title pattern or part of a title; empty: the active one, otherwise the front
    one.

    Raises: UsageError (none, or several).
    """
    windows = await desktop.windows()
    if not choice:
        active = [window for window in windows if "active" in window.states]
        found = (active or list(windows))[:1]
    else:
        found = _called(choice, windows)
    titles = tuple(f"{window.handle} {title_of(window)}" for window in windows)
    if not found:
        what = f"no window {choice!r} is open" if choice else "no window is open"
        raise UsageError(
            what, fix=f"open are: {'; '.join(titles)}" if titles else "open one: deskhand launch -- COMMAND"
        )
    if len(found) > 1:
        called = tuple(title for title, window in zip(titles, windows, strict=True) if window in found)
        raise UsageError(f"{len(found)} windows are called {choice!r}", fix=f"give its id: {'; '.join(called)}")
    return found[0]


def _called(choice: str, windows: tuple[TargetInfo, ...]) -> list[TargetInfo]:
    """Return the windows of that id; otherwise of that title or pattern; otherwise with that part in their title."""
    try:
        by_title = [window for window in windows if matches_name(choice, window.name)]
    except ValueError as error:
        raise UsageError(f"the window: {error}", fix="correct the regular expression, or give a title") from error
    by_id = [window for window in windows if window.handle == choice]
    return by_id or by_title or [window for window in windows if choice in window.name]


def window_json(window: TargetInfo) -> JsonObject:
    """Return a window as in contract 6; `rect` in physical screen pixels; `unsaved` true, or null where unknown."""
    return {
        "id": window.handle,
        "title": window.name,
        "application": window.application,
        "pid": window.pid,
        "rect": [*window.rect.to_list()],
        "active": "active" in window.states,
        "unsaved": window.unsaved or None,
    }


def title_of(window: TargetInfo) -> str:
    return quoted(window.name, _LONGEST_TITLE)


def control_json(control: TargetInfo, ids: Mapping[str, str]) -> JsonObject:
    """Return a control as in contract 6; `ids` by handles, for the parent's id."""
    return {
        "id": control.id,
        "parent": ids.get(control.parent),
        "role": control.type.value,
        "raw_role": control.raw_role,
        "name": control.name,
        "value": control.value,
        "states": [*sorted(control.states)],
        "rect": [*control.rect.to_list()],
        "actions": [*control.actions],
    }
