"""Data collection, which changes nothing (contract 4.2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import APP, Arguments, Region, TargetArguments, data
from deskhand.commands.control_kinds import TRACKED_CHANGES
from deskhand.commands.techniques.found_texts import found_texts
from deskhand.commands.window_lookup import front_window, observe_front
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import MINIMIZED, TargetInfo, Trait
from deskhand.desktop.protocols.windows import AT_REST_QUIET_S, Quiet, Until, minimized_failure, windows_over
from deskhand.perception.control_search import Sought
from deskhand.perception.control_search import find_controls as seek
from deskhand.perception.same_names import words_for_found
from deskhand.perception.ui_tree import FIELDS, node_of, tree_of

_LONGEST_S: Final = 300.0


class NoArguments(Arguments):
    """Takes nothing."""


_FIELDS: Final = ("id", "type", *FIELDS)


class Fields(Arguments):
    """`field_list`: the fields of each control, in this order; empty: all of them."""

    field_list: list[str] = Field(default=[], description=f"some of {', '.join(_FIELDS)}")

    @field_validator("field_list")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        if unknown := [name for name in names if name not in _FIELDS]:
            raise ValueError(f"a control has no {unknown[0]}; it has {', '.join(_FIELDS)}")
        return names


class Screens(Arguments):
    all_screens: Literal[True] = Field(default=True, description="the picture always has all screens")


class Observe(Arguments):
    """`fresh`: wait for a longer quiet period first. `picture`: take a picture of the window too."""

    fresh: bool = False
    final: bool = Field(
        default=False, description="wait until states and values in toolbars and status bar are final (LibreOffice)"
    )
    picture: bool = True
    alone: bool = Field(default=False, description="the window itself, also behind a dialog of its own")


class Passing(Arguments):
    seconds: float = Field(ge=0, le=_LONGEST_S)


class Texts(TargetArguments):
    decided: ClassVar = frozenset({"start"})

    start: int = Field(default=0, ge=0, description="characters to leave out at the beginning")


_ALONE_S: Final = 1.0
_FRESH_QUIET_S: Final = 0.1
_FINAL_S: Final = 2.0
_OTHER_PAGES_S: Final = 10.0
"""Timeout: searching a text of hundreds of pages takes seconds."""


_FIND_S: Final = 75.0
"""Timeout: a text of seventy pages is scrolled through, and back."""


class Find(Arguments):
    """Every given part has to match; `/…/` is a regular expression."""

    decided: ClassVar = frozenset({"region", "role"})

    role: str = Field(default="", description="role as in observations, such as button")
    name: str = Field(default="", description="its name, or /a pattern/")
    text: str = Field(default="", description="words that it shows, in the same case, or /a pattern/i")
    region: Region | None = Field(default=None, description="a part of the window, from 0 to 1 of it")
    show: int = Field(default=0, ge=0, description="number of the hit in a document to scroll to")

    @model_validator(mode="after")
    def _can_be_sought(self) -> Self:
        if not self.sought().means_text and self.show:
            raise ValueError("show needs text, without name and region")
        return self

    def sought(self) -> Sought:
        """Raises: ValueError."""
        return Sought(self.role, self.name, self.text, self.region)


async def observe_window(tools: ToolContext, call: Call, arguments: Observe) -> ToolOutcome:
    """The front window of the application: its picture and controls of one moment, once it is quiet."""
    desktop = tools.desktop
    root = call.need_window()
    if arguments.alone:
        await desktop.settle(root, quiet_s=AT_REST_QUIET_S, deadline_s=_ALONE_S)
        return ToolOutcome(await desktop.observe(root, picture=arguments.picture))
    quiet_s = _FRESH_QUIET_S if arguments.fresh else (await desktop.activity(root)).look_after_s
    settled = await desktop.settle(root, quiet_s=quiet_s, deadline_s=3.0)
    if arguments.final:
        front = await front_window(desktop, root)
        await desktop.settle(front, until=Until.FINAL_STATES, deadline_s=_FINAL_S)
    seen = await observe_front(desktop, root, picture=arguments.picture)
    return ToolOutcome(seen if settled.reason is Quiet.SETTLED else replace(seen, unsettled=settled.summary))


async def get_desktop_app_info(tools: ToolContext, call: Call, arguments: NoArguments) -> ToolOutcome:  # noqa: ARG001
    """The open windows as plain data."""
    windows = await tools.desktop.windows()
    return ToolOutcome([{"title": w.name, "application": w.application, "pid": w.pid} for w in windows])


async def get_desktop_app_target_info(tools: ToolContext, call: Call, arguments: NoArguments) -> ToolOutcome:  # noqa: ARG001
    """The open windows as targets, front first."""
    return ToolOutcome(await tools.desktop.windows())


async def get_app_window_info(tools: ToolContext, call: Call, arguments: NoArguments) -> ToolOutcome:  # noqa: ARG001
    """The front window of the application."""
    return ToolOutcome(await front_window(tools.desktop, call.need_window()))


async def get_app_window_controls_target_info(tools: ToolContext, call: Call, arguments: Fields) -> ToolOutcome:
    """The controls of the front window, as targets; with `field_list` as plain data."""
    if arguments.field_list:
        return await get_app_window_controls_info(tools, call, arguments)
    return ToolOutcome((await _front_controls(tools, call)).controls)


async def get_app_window_controls_info(tools: ToolContext, call: Call, arguments: Fields) -> ToolOutcome:
    """The controls of the front window as plain data, with the ids of the caller's observation."""
    seen = await _front_controls(tools, call)
    known = {c.handle: c.id for c in (call.command.seen.controls if call.command.seen else ())}
    wanted = arguments.field_list or _FIELDS
    rows = ({"id": known.get(c.handle, c.id), "type": c.type.value, **node_of(c)} for c in seen.controls)
    return ToolOutcome([{name: row[name] for name in wanted} for row in rows])


async def get_ui_tree(tools: ToolContext, call: Call, arguments: NoArguments) -> ToolOutcome:  # noqa: ARG001
    """The front window with its controls below each other, as plain data."""
    return ToolOutcome(tree_of(await _front_controls(tools, call)))


async def _front_controls(tools: ToolContext, call: Call) -> Observation:
    window = await front_window(tools.desktop, call.need_window())
    return await tools.desktop.observe(window, picture=False)


async def capture_window_screenshot(tools: ToolContext, call: Call, arguments: NoArguments) -> ToolOutcome:  # noqa: ARG001
    """The picture of the front window, including anything that covers a part of it."""
    window = await front_window(tools.desktop, call.need_window())
    if MINIMIZED in window.states:
        raise minimized_failure(window)
    picture = await tools.desktop.screenshot(window.rect)
    over = windows_over(window, await tools.desktop.windows())
    message = f"in front of it, and in the picture: {', '.join(each.describe for each in over)}" if over else ""
    return ToolOutcome(picture, evidence=message)


async def capture_desktop_screenshot(tools: ToolContext, call: Call, arguments: Screens) -> ToolOutcome:  # noqa: ARG001
    """The picture of the whole desktop."""
    return ToolOutcome(await tools.desktop.screenshot())


async def get_pointer_position(tools: ToolContext, call: Call, arguments: NoArguments) -> ToolOutcome:  # noqa: ARG001
    """The point of the screen that the pointer is at."""
    return ToolOutcome(await tools.desktop.pointer())


async def let_time_pass(tools: ToolContext, call: Call, arguments: Passing) -> ToolOutcome:  # noqa: ARG001
    """Waits for a time, whatever happens."""

    async def never() -> bool | None:
        return None

    await tools.desktop.wait_until(never, deadline_s=arguments.seconds)
    return ToolOutcome({"seconds": arguments.seconds})


async def find_controls(tools: ToolContext, call: Call, arguments: Find) -> ToolOutcome:
    """Finds controls, listed or not; a text, or role=table, also on other pages of a document."""
    root = call.need_window()
    window = await front_window(tools.desktop, root)
    sought = arguments.sought()
    if sought.means_tables:
        seen = await tools.desktop.observe(window, picture=False, other_pages=True, deadline_s=_OTHER_PAGES_S)
    else:
        seen = await tools.desktop.observe(window, picture=False)
    hits = await found_texts(tools, seen, sought, show=arguments.show)
    seen = hits.seen
    before = call.command.seen.controls if call.command.seen else ()
    labelled = await tools.label(root, seen) if tools.label else before
    found = seek(sought, (*seen.controls, *_boxes(before)), window)
    known = {c.handle: c.id for c in labelled}
    controls: list[JsonValue] = [*hits.rows(found, known, words_for_found(found, seen.controls))]
    lacks = tools.label is not None and any(not known.get(c.handle) for c in found)
    message = [f"these are in {window.describe} in front: look in it, {window.handle}, for their ids"] if lacks else []
    is_other = window.handle != root.handle and not lacks
    message += [f"only {window.describe}, which is in front, was searched"] if is_other else []
    message += [hits.message] if hits.message else []
    message += [seen.truncated.message] if seen.truncated and seen.truncated.message not in hits.message else []
    return ToolOutcome(controls, evidence="; ".join(message))


def _boxes(controls: Sequence[TargetInfo]) -> list[TargetInfo]:
    """The controls that a vision server saw; texts are read from the picture at each observation."""
    return [c for c in controls if c.sighting and Trait.READ_FROM_PICTURE not in c.traits]


async def texts(tools: ToolContext, call: Call, arguments: Texts) -> ToolOutcome:
    """Reads the whole text of a control, from character `start` on."""
    target, start = call.need_target(), arguments.start
    text = await tools.desktop.read_text(target)
    note = "it has tracked changes: deleted words are left out" if TRACKED_CHANGES in target.states else ""
    if not start:
        return ToolOutcome({"text": text}, evidence=note)
    if start > len(text):
        raise ActionRefused(
            f"{target.describe} has {len(text)} characters, none of which follows the first {start}",
            fix="read it from its beginning",
        )
    return ToolOutcome({"text": text[start:], "start": start}, evidence=note)


TOOLS = (
    data(Observe, observe_window),
    data(NoArguments, get_desktop_app_info),
    data(NoArguments, get_desktop_app_target_info),
    data(NoArguments, get_app_window_info),
    data(Fields, get_app_window_controls_target_info),
    data(Fields, get_app_window_controls_info),
    data(NoArguments, get_ui_tree),
    data(NoArguments, capture_window_screenshot),
    data(Screens, capture_desktop_screenshot),
    data(NoArguments, get_pointer_position),
    data(Passing, let_time_pass, deadline_s=_LONGEST_S + 20.0),
    data(Find, find_controls, audience=APP, deadline_s=_FIND_S),
    data(Texts, texts, audience=APP),
)
