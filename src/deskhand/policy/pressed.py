"""The controls that an action may press beside its target: at its point, or by its keys (decision 0117)."""

import re
from collections.abc import Iterator, Sequence

from deskhand.core.command import PRESSING_KEYS, Command
from deskhand.core.geometry import WindowPoint
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait

_INVOKE = "invoke"
_TAB = "{TAB}"
_ENTER = re.compile(r"\{(?:KP_)?ENTER\}")
_MOVES_AND_PRESSES = re.compile(rf"\{{TAB\}}(?:\{{VK_\w+\}})*(?:{PRESSING_KEYS.pattern})")
_FORM = re.compile(rf"{Role.FORM}[#:]")
_PRESSED = frozenset({Role.BUTTON, Role.LINK, Role.MENUITEM})
_MENU_ITEMS = frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO})
_ACTIVATED = _MENU_ITEMS | {
    Role.CELL,
    Role.GENERIC,
    Role.IMAGE,
    Role.LABEL,
    Role.LISTITEM,
    Role.ROW,
    Role.TAB,
    Role.TEXT,
    Role.TREEITEM,
}
"""Roles that a click may merely select; what they do they do once they are activated."""


def at_point(command: Command, seen: Observation) -> list[TargetInfo]:
    """Return all controls at the point of a command that a press may meet, or the items of the open menu there, which
    is in front of them.
    """
    x, y = (command.parameters.get(axis, command.parameters.get(f"start_{axis}")) for axis in "xy")
    if not isinstance(x, int | float) or not isinstance(y, int | float):
        return []
    point = WindowPoint(x, y).on(seen.window.rect)
    shown = (each for each in seen.controls if each.states & {"showing", "visible"} and each.rect.contains(point))
    met = [each for each in shown if each.type in _PRESSED | _MENU_ITEMS or acts_as(command, each)]
    return [each for each in met if each.type in _MENU_ITEMS] or met


def by_keys(command: Command, seen: Observation, target: TargetInfo | None) -> Iterator[TargetInfo]:
    """Yield the controls that keys may press: the one with the keyboard, or any where a Tab gives the keyboard to
    another right before; by Enter also the default button.
    """
    keys = command.parameters.get("keys")
    if not isinstance(keys, str) or not PRESSING_KEYS.search(keys):
        return
    focused = [each for each in seen.controls if "focused" in each.states]
    if target is None:
        met = seen.controls if _MOVES_AND_PRESSES.search(keys) else focused
        yield from (each for each in met if each.type in _PRESSED or acts_as(command, each))
    if _ENTER.search(keys):
        yield from _defaults(seen, focused if target is None else [target], in_any_form=_TAB in keys)


def _defaults(seen: Observation, takers: Sequence[TargetInfo], *, in_any_form: bool) -> Iterator[TargetInfo]:
    """Yield the default buttons, unless a button or a text of several lines takes the key; in a page, of its form."""
    if any(each.type in _PRESSED or "multi_line" in each.states for each in takers):
        return
    forms = {_form_of(each) for each in takers}
    defaults = (each for each in seen.controls if "default" in each.states and each.type is Role.BUTTON)
    yield from (each for each in defaults if in_any_form or not forms or _form_of(each) in forms)


def _form_of(control: TargetInfo) -> tuple[str, ...]:
    """Return the path of the form around a control; empty for none."""
    path = control.fingerprint.path if control.fingerprint else ()
    return next((path[: end + 1] for end in reversed(range(len(path))) if _FORM.match(path[end])), ())


def acts_as(command: Command, control: TargetInfo) -> str:
    """Return `button` for an item, a tab or the like that the command activates, not merely selects; else nothing."""
    if control.type not in _ACTIVATED or Trait.OF_SHEET in control.traits:
        return ""
    given = command.parameters
    count, keys = given.get("count"), given.get("keys")
    twice = given.get("double") is True or (isinstance(count, int) and count > 1)
    by_key = isinstance(keys, str) and PRESSING_KEYS.search(keys) is not None
    return Role.BUTTON if command.tool_name == _INVOKE or twice or by_key else ""
