"""The one control that has the keyboard, of those that report the focus."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.draft_controls import Draft, ancestors, focused, is_inside, unfocus

_SEVERAL: Final = 2
_VIEWS: Final = frozenset({Role.LIST, Role.TREE, Role.TABLE})
_ITEMS: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.ROW, Role.CELL})


def leave_one_focus(drafts: Mapping[Ref, Draft]) -> None:
    """Leave the state "focused" to the control that receives keys.

    That is the innermost one. The following report the focus as well: a page, and what last had it in the page, while
    the bar or a dialog of its browser has it; the current item of a list without the focus; all tabs while the one in
    front has it; a button that passes the keyboard on to a text.
    """
    reporting = focused(drafts)
    if len(reporting) < _SEVERAL:
        return
    around = {above for ref in reporting for above in ancestors(ref, drafts)}
    having = [ref for ref in reporting if ref not in around]
    having = _preferred(having, lambda ref: not drafts[ref].node.in_page)
    having = _preferred(having, lambda ref: is_inside(ref, drafts, Role.DIALOG, Role.WINDOW))
    if len(having) > 1:
        having = [ref for ref in having if not _is_idle(ref, drafts)]
    if any(drafts[ref].role is Role.TEXTBOX for ref in having):
        having = [ref for ref in having if drafts[ref].role is not Role.BUTTON]
    unfocus(drafts, set(reporting) - set(having))


def _preferred(refs: Sequence[Ref], is_rather: Callable[[Ref], bool]) -> list[Ref]:
    """Return those that a test prefers, all if there are none."""
    return [ref for ref in refs if is_rather(ref)] or [*refs]


def _is_idle(item: Ref, drafts: Mapping[Ref, Draft]) -> bool:
    """True for a tab that is not in front, and for an item of a list without the focus."""
    if drafts[item].role is Role.TAB:
        return "selected" not in drafts[item].states
    container = next((drafts[ref] for ref in ancestors(item, drafts) if drafts[ref].role in _VIEWS), None)
    return drafts[item].role in _ITEMS and container is not None and "focused" not in container.states
