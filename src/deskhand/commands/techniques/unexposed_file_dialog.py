"""A file dialog that exposes no content: the path is typed, and the window it belongs to proves the choice."""

from pathlib import Path
from typing import Final

from deskhand.commands.call import ToolOutcome
from deskhand.commands.effects.message_box import name_of
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionRefused, ApplicationGone, ApplicationUnresponsive
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_CLOSED_S: Final = 3.0
_NAMED_S: Final = 2.0
_TYPED_QUIET_S: Final = 0.1
_LEAVE_COMPLETION: Final = (Chord("left"), Chord("end"))
"""Closes the list of completions, which would take the next key; the text stays."""
_OPEN: Final = Chord("o", ("alt",))
"""Enter closes the dialog of Chromium without a choice."""
# upstream: not reported
# seen in: Chromium 156, GTK 3.24

BY_HAND: Final = "type the path with keyboard_input, click the button by coordinates, then read the window"


def exposes_nothing(seen: Observation) -> bool:
    """True if its application exposes nothing of a window; texts may be read from its picture."""
    is_read = all(Trait.READ_FROM_PICTURE in control.traits for control in seen.controls)
    return is_read and seen.truncated is not None


async def open_by_keys(desktop: Desktop, root: TargetInfo, dialog: TargetInfo, path: Path) -> ToolOutcome:
    """Type the path of an existing file and press the button for opening; confirmed if a control of `root`, the window
    that the dialog belongs to, names the file afterwards and did not before.
    """
    before = await _naming(desktop, root, path)
    await desktop.activate(dialog)
    await desktop.press([Chord("space" if character == " " else character) for character in str(path)])
    await desktop.settle(dialog, quiet_s=_TYPED_QUIET_S)
    await desktop.press(_LEAVE_COMPLETION)
    await desktop.settle(dialog)
    await desktop.press([_OPEN])

    async def closed() -> bool | None:
        return all(window.handle != dialog.handle for window in await desktop.windows()) or None

    async def named() -> str | None:
        return next((text for text in await _naming(desktop, root, path) if text not in before), None)

    if not await desktop.wait_until(closed, deadline_s=_CLOSED_S):
        told = f"{name_of(dialog)} exposes no content, and was still open after the path and Alt+O: click its button"
        return ToolOutcome(None, Effect.PARTIAL, Route.SYNTHETIC_INPUT, told, retry_safe=False)
    text = await desktop.wait_until(named, deadline_s=_NAMED_S)
    if text is None:
        told = f"the dialog is gone; nothing new in {name_of(root)} names {path.name}"
        return ToolOutcome(None, Effect.UNVERIFIABLE, Route.SYNTHETIC_INPUT, told, retry_safe=False)
    told = f"the dialog is gone, and {name_of(root)} shows {text}"
    return ToolOutcome({"path": str(path)}, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, told, retry_safe=False)


def refusal_to_save(dialog: TargetInfo) -> ActionRefused:
    """The refusal to name a new file: a completed name could not be noticed."""
    return ActionRefused(f"{name_of(dialog)} exposes no content, so a new name in it cannot be checked", fix=BY_HAND)


async def _naming(desktop: Desktop, root: TargetInfo, path: Path) -> frozenset[str]:
    """The controls of a window that name a file."""
    try:
        seen = await desktop.observe(root, picture=False)
    except (ApplicationGone, ApplicationUnresponsive):
        return frozenset()
    named = (control for control in seen.controls if path.name in control.name or path.name in control.value)
    return frozenset(control.describe for control in named)
