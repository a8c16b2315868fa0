"""Waiting for a text, a control, a window or a picture (contract 4.2)."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar, Final, Literal, Self

import anyio
from pydantic import Field, model_validator

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import APP, HOST, Arguments, Region, data
from deskhand.commands.techniques.picture_changes import QUIET_S, wait_for_change
from deskhand.commands.techniques.screen_checks import (
    UNREADABLE,
    Statement,
    all_covered,
    control_is_gone,
    control_shows,
    may_lack,
    require_states,
    wait_for_statement,
    window_is_open,
    without_window,
)
from deskhand.commands.techniques.window_texts import texts_of_window
from deskhand.commands.window_lookup import front_window, observe_front
from deskhand.core.errors import ApplicationGone, WaitTimedOut
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.core.patterns import compile_pattern, is_pattern
from deskhand.core.replies import Selector
from deskhand.core.target import COVERED, TargetInfo, TargetKind
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.perception.control_search import Sought

_WINDOWS: Final = ("", "window", "dialog")


class WaitFor(Arguments):
    rare: ClassVar = frozenset({"picture", "region", "value"})
    decided: ClassVar = frozenset({"role", "state", "title"})

    text: str = Field(default="", description="words in view, in the same case, or /a pattern/i")
    role: str = Field(default="", description="role of a control; with title: window or dialog")
    name: str = Field(default="", description="name of a control, or /a pattern/")
    value: str = Field(default="", description="text or number of that control, or /a pattern/")
    state: str = Field(default="", description='of that control, such as "enabled", "not checked"')
    title: str = Field(default="", description="title of a window, a part of it, or /a pattern/")
    picture: Literal["", "changed", "quiet"] = Field(default="", description="of the window: changed, or quiet")
    region: Region | None = Field(default=None, description="with picture: a part of the window, from 0 to 1 of it")
    gone: bool = Field(default=False, description="until it is there no longer")
    seconds: float = Field(default=10.0, ge=0, le=60, description="how long to wait at most")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        """Raises: ValueError."""
        defects = {
            "wait for one thing: text, a control (role, name, value, state), title, or picture": self._things != 1,
            "with title, role is window or dialog": self.title and self.role not in _WINDOWS,
            "state needs role or name of a control": self.state and not (self.role or self.name),
            "a control that is gone has no state": self.state and self.gone,
            "region belongs to picture": self.region and not self.picture,
            "a picture is never gone": self.picture and self.gone,
        }
        if defect := next((message for message, found in defects.items() if found), None):
            raise ValueError(defect)
        require_states([self.state] if self.state else [])
        Sought(self.role, self.name, self.text, self.region)
        for pattern in filter(is_pattern, (self.title, self.value)):
            compile_pattern(pattern)
        return self

    @property
    def _things(self) -> int:
        """The number of things that are waited for."""
        of_control = (self.name, self.value, self.state, "" if self.title else self.role)
        return sum(map(bool, (self.text, any(of_control), self.title, self.picture)))


async def wait_for(tools: ToolContext, call: Call, arguments: WaitFor) -> ToolOutcome:
    """Waits until a text, a control (role, name, state) or a window (title) is there; or is gone."""
    began = anyio.current_time()
    if arguments.picture:
        await _wait_for_picture(tools.desktop, call, arguments)
        message = f"the picture is {arguments.picture} after {anyio.current_time() - began:.1f} s"
        return ToolOutcome({"picture": arguments.picture}, evidence=message)
    statement = await wait_for_statement(tools.desktop, _check(tools.desktop, call, arguments), arguments.seconds)
    if statement.is_final and not statement.holds:
        raise ApplicationGone(statement.detail, fix="launch it again")
    if not statement.holds:
        known = "" if statement.holds is False else "it is not known: "
        raise WaitTimedOut(
            f"after {arguments.seconds:g} s {known}{statement.detail}",
            fix="find out what holds it up, or wait for something else",
        )
    return ToolOutcome(await _found(tools, call, statement), evidence=statement.detail)


def _check(desktop: Desktop, call: Call, wanted: WaitFor) -> Callable[[], Awaitable[Statement]]:
    if wanted.title:
        return partial(_window, desktop, wanted)
    root = call.need_window()
    if wanted.text:
        return partial(_text, desktop, root, wanted)
    selector = Selector(role=wanted.role, name=wanted.name, value=wanted.value)
    if wanted.gone:
        return partial(control_is_gone, desktop, root, selector)
    return partial(control_shows, desktop, root, selector, (wanted.state,) if wanted.state else ())


async def _window(desktop: Desktop, wanted: WaitFor) -> Statement:
    is_open = await window_is_open(desktop, wanted.title, wanted.role)
    if not wanted.gone:
        return is_open
    detail = f"{is_open.detail}{'' if is_open.holds else ', so it is gone'}"
    return Statement(not is_open.holds, detail)


async def _text(desktop: Desktop, root: TargetInfo, wanted: WaitFor) -> Statement:
    sought = Sought(text=wanted.text)
    try:
        seen = await observe_front(desktop, root)
        texts = await texts_of_window(desktop, seen)
    except ApplicationGone as error:
        return await without_window(desktop, root, error, holds=wanted.gone)
    except UNREADABLE as error:
        return Statement(None, error.message)
    fitting = [control for control, text in texts if sought.is_in(text)]
    if fitting and (unknown := all_covered(fitting)):
        return unknown
    found = next((control for control in fitting if COVERED not in control.states), None)
    if found is not None:
        return Statement(not wanted.gone, f"{found.describe} shows {quoted(wanted.text)}", found, seen)
    where = f'among {len(seen.controls)} controls of "{seen.window.name}"'
    if why := may_lack(seen):
        return Statement(None, f"{quoted(wanted.text)} is not {where}, {why}")
    return Statement(wanted.gone, f"{quoted(wanted.text)} is not {where}")


async def _found(tools: ToolContext, call: Call, statement: Statement) -> JsonObject:
    """The finding as data; a control with its id where the caller has one."""
    found, seen = statement.found, statement.seen
    if found is None:
        return {}
    if found.kind is TargetKind.WINDOW and seen is None:
        return {"window": found.name, "application": found.application}
    known = call.command.seen.controls if call.command.seen else ()
    if tools.label is not None and seen is not None:
        known = await tools.label(call.need_window(), seen)
    label = next((each.id for each in known if each.handle == found.handle), "")
    return {"id": label, "role": found.type.value, "name": found.name, "value": found.value}


async def _wait_for_picture(desktop: Desktop, call: Call, wanted: WaitFor) -> None:
    """Wait until the picture of the front window, or of a part of it, has changed since it was observed, or is quiet.

    Raises: WaitTimedOut; as `front_window` and `screenshot`.
    """
    window = await front_window(desktop, call.need_window())
    place = _place(window.rect, wanted.region)
    end = anyio.current_time() + wanted.seconds
    if wanted.picture == "changed":
        seen = call.command.seen
        before = seen.picture if seen is not None and seen.picture is not None and wanted.region is None else None
        if not await wait_for_change(desktop, place, wanted.seconds, before):
            raise WaitTimedOut(f"the picture did not change within {wanted.seconds:g} s", fix="wait for something else")
        return
    while await wait_for_change(desktop, place, QUIET_S):
        if anyio.current_time() >= end:
            message = f"the picture still changed after {wanted.seconds:g} s"
            raise WaitTimedOut(message, fix="give a region that does not move, or go on")


def _place(window: Rect, region: Region | None) -> Rect:
    if region is None:
        return window
    left, top, right, bottom = region
    return Rect(
        window.left + round(left * window.width),
        window.top + round(top * window.height),
        window.left + round(right * window.width),
        window.top + round(bottom * window.height),
    )


TOOLS = (data(WaitFor, wait_for, audience=APP | HOST, deadline_s=70.0),)
