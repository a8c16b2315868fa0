"""The message that an action answers: the texts of a dialog that only asks, with more than one button."""

import re
from typing import Final

from deskhand.core.command import Command
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import ITEMS, Fingerprint, TargetInfo

_DIALOGS: Final = frozenset({Role.ALERT, Role.DIALOG})
_ANSWERS: Final = re.compile(r"^[^{]|\}[^{]|\{ENTER\}")
"""Keys that can press a button: characters, alone or with a modifier, and Enter."""


def message_of(command: Command, target: TargetInfo | None) -> str:
    """Return the message whose button is pressed, or whose window gets the keys; empty for none.

    One with a single button informs and asks nothing.
    """
    seen = command.seen
    buttons = _buttons(seen) if seen is not None else []
    texts = next((texts for answer in _answers(command, target, buttons) if (texts := _message(answer, seen))), ())
    alike = sum(1 for button in buttons if texts and _message(button, seen) == texts)
    return "" if alike == 1 else "\n".join(texts)


def _buttons(seen: Observation) -> list[TargetInfo]:
    return [control for control in seen.controls if control.type is Role.BUTTON]


def _answers(command: Command, target: TargetInfo | None, buttons: list[TargetInfo]) -> list[TargetInfo]:
    """Return the buttons that the action may press; of keys without a target, those of a dialog with the keyboard."""
    if target is not None:
        return [target] if target.type is Role.BUTTON else []
    seen = command.seen
    if seen is None or not _ANSWERS.search(str(command.parameters.get("keys", ""))):
        return []
    return [button for button in buttons if seen.window.type is Role.DIALOG or "focused" in button.states]


def _message(button: TargetInfo, seen: Observation | None) -> tuple[str, ...]:
    """Return the texts of the dialog around a button; of a dialog with a window of its own, the title first."""
    print_ = button.fingerprint
    if print_ is None or not print_.record or ITEMS.intersection(print_.roles_around):
        return ()
    if _is_dialog(print_, seen):
        return (print_.window, *print_.record) if print_.window else print_.record
    return print_.record if _DIALOGS.intersection(print_.roles_around) else ()


def _is_dialog(print_: Fingerprint, seen: Observation | None) -> bool:
    """Return whether its window is a dialog, or not known to be none."""
    return seen is None or seen.window.handle != print_.owner or seen.window.type is Role.DIALOG
