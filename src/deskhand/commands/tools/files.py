"""The file dialog (SPEC 4.2)."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import Field

from deskhand.commands.catalogue import Arguments, Call, ToolContext, ToolOutcome, action
from deskhand.commands.tools.look import front_window, size_of
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionRefused, DeskhandError, ElementNotFound
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.base import Desktop

_WRITTEN_S: Final = 15.0
_CONFIRMING: Final = re.compile(r"save|open|ok|export", re.IGNORECASE)


class ChooseFile(Arguments):
    """`path` is absolute; `create` true: a file that is to be written and must not exist yet."""

    path: str = Field(description="absolute path of the file")
    create: bool = Field(default=False, description="the file is to be written and must not exist yet")


async def choose_file(tools: ToolContext, call: Call, arguments: ChooseFile) -> ToolOutcome:
    """Gives the open file dialog a path and confirms it; done when the dialog is gone and the file is there."""
    desktop, path = tools.desktop, Path(arguments.path)
    _check_path(path, create=arguments.create)
    root = call.need_window()
    dialog = await front_window(desktop, root)
    if dialog.type is not Role.DIALOG:
        raise ElementNotFound("no file dialog is open", fix="open one first")
    if dialog.handle == root.handle:
        root = _owner(await desktop.windows(), dialog)
    seen = await desktop.observe(dialog, picture=False)
    field, button = _field(seen), _button(seen)
    tools.delivered = True
    await desktop.set_text(field, str(path))
    if await desktop.read_text(field) != str(path):
        raise ActionRefused(f"the field of {dialog.describe} does not take the path {str(path)!r}")
    await desktop.do_action(button)
    ended = await desktop.wait_until(
        lambda: _ended(desktop, root, dialog, path, arguments.create), deadline_s=_WRITTEN_S
    )
    if ended is None or ended.startswith("!"):
        told = ended[1:] if ended else f"{path.name} was not there in {_WRITTEN_S:g} s"
        return ToolOutcome(None, Effect.PARTIAL, Route.ACCESSIBILITY, told, retry_safe=False)
    return ToolOutcome({"path": str(path)}, Effect.CONFIRMED, Route.ACCESSIBILITY, ended, retry_safe=False)


def _owner(windows: Sequence[TargetInfo], dialog: TargetInfo) -> TargetInfo:
    """The window that a dialog belongs to; itself where that is not known."""
    others = [window for window in windows if window.pid == dialog.pid and window.type is not Role.DIALOG]
    owner = next((window for window in windows if window.handle == dialog.parent), None)
    return owner or (others[0] if len(others) == 1 else dialog)


def _check_path(path: Path, *, create: bool) -> None:
    if not path.is_absolute():
        raise ActionRefused(f"{str(path)!r} is not an absolute path", fix="begin it with /")
    if create and path.exists():
        raise ActionRefused(f"{path} exists already", fix="choose another name")
    if not create and not path.exists():
        raise ActionRefused(f"{path} does not exist", fix="create=true lets it name a new file, in a dialog that saves")


def _field(seen: Observation) -> TargetInfo:
    """The field for the name: the focused one of several."""
    fields = [c for c in seen.controls if c.type is Role.TEXTBOX and {"enabled", "editable"} <= c.states]
    if not fields:
        raise ElementNotFound(f'"{seen.window.name}" has no field for a file name')
    return next((c for c in fields if "focused" in c.states), fields[0])


def _button(seen: Observation) -> TargetInfo:
    buttons = [c for c in seen.controls if c.type is Role.BUTTON and _CONFIRMING.fullmatch(comparable_name(c.name))]
    if not buttons:
        raise ElementNotFound(f'"{seen.window.name}" has no button that confirms')
    return buttons[-1]


async def _ended(desktop: Desktop, root: TargetInfo, dialog: TargetInfo, path: Path, create: bool) -> str | None:
    """How it ended: what proves it, or what an alert says (marked by `!`); None while it goes on."""
    windows = await desktop.windows()
    alert = next(
        (w for w in windows if w.type is Role.DIALOG and w.pid == root.pid and w.handle != dialog.handle), None
    )
    if alert is not None:
        return f"!{await _words(desktop, alert)}"
    if any(w.handle == dialog.handle for w in windows):
        return None
    if not create:
        return f"the dialog is gone; {path.name} was chosen"
    size = size_of(path)
    if root.handle == dialog.handle:
        return f"{path.name}: {size} bytes" if size else None
    title = next((w.name for w in windows if w.handle == root.handle), "")
    return f"{path.name}: {size} bytes, and the window is named after it" if size and path.name in title else None


async def _words(desktop: Desktop, alert: TargetInfo) -> str:
    """What a message box says."""
    try:
        seen = await desktop.observe(alert, picture=False)
    except DeskhandError:
        return f'the dialog "{alert.name}" appeared'
    labels = [c.name or c.value for c in seen.controls if c.type in {Role.LABEL, Role.TEXT} and (c.name or c.value)]
    return f'"{alert.name}": {" ".join(labels)}'.strip()


TOOLS = (action(ChooseFile, choose_file, effect_class=EffectClass.CREATE_FILE, deadline_s=30.0),)
