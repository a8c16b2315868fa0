"""The text of a message box."""

from typing import Final

from deskhand.core.errors import DeskhandError
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop

ANSWER: Final = "answer it first: it stays in front until then"

_FEW: Final = 12
"""Controls of a message; other dialogs have more."""


async def text_of(desktop: Desktop, alert: TargetInfo) -> str:
    """Its texts, as a sentence that names it."""
    try:
        seen = await desktop.observe(alert, picture=False)
    except DeskhandError:
        return f"{name_of(alert)} appeared, and cannot be read: {ANSWER}"
    labels = [c.name or c.value for c in seen.controls if c.type in {Role.LABEL, Role.TEXT} and (c.name or c.value)]
    if len(seen.controls) > _FEW:  # a dialog with fields
        return f"{name_of(alert)} is open"
    return f"{name_of(alert)} shows: {' '.join(labels) or '(nothing)'} ({ANSWER})"


def name_of(window: TargetInfo) -> str:
    return window.describe if window.name else f"a {window.type} without a title"
