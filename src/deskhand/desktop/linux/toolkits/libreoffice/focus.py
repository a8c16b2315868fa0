"""The control of LibreOffice that has the keyboard, of those that report the focus."""

from collections.abc import Collection, Mapping
from typing import Final

from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.draft_controls import Draft, ancestors, focused, is_inside, unfocus
from deskhand.desktop.linux.atspi.roles import DOCUMENT_SPREADSHEET

_WRITTEN_IN: Final = frozenset({Role.CELL, Role.PARAGRAPH})


def leave_focus_to_document(drafts: Mapping[Ref, Draft]) -> None:
    """Remove the focus from controls that report it while a cell or paragraph of a document has the keyboard.

    These are shapes and form controls of the document, unless they are selected, buttons once they were clicked, and,
    beside a cell, the paragraph of the input line: while that is typed into, the table does not report the focus. If
    the cell is out of view its table alone reports it. While a form control has it no paragraph reports it, and nothing
    distinguishes those that do. A comment is inside the paragraph that it is about, which continues to report it.
    While an element of an open list has the keyboard, nothing outside of that has.
    """
    # upstream: not reported
    # seen in: 7.4.7, 25.2
    reporting = set(focused(drafts))
    if dropped := {ref for ref in reporting if is_inside(ref, drafts, Role.WINDOW)}:
        unfocus(drafts, reporting - dropped)
        return
    inside = {ref for ref in reporting if is_inside(ref, drafts, Role.DOCUMENT)}
    sheets = {ref for ref in inside if _is_sheet(drafts[ref], drafts)}
    having = sheets | {ref for ref in inside if drafts[ref].role in _WRITTEN_IN}
    if not having:
        return
    around = {above for ref in having for above in ancestors(ref, drafts)}
    unfocus(drafts, _with_role(around & having, drafts, Role.PARAGRAPH))
    in_cell = bool(sheets or _with_role(having, drafts, Role.CELL))
    left = {Role.BUTTON, Role.PARAGRAPH} if in_cell else {Role.BUTTON}
    others = (inside | _with_role(reporting, drafts, *left)) - having - around
    unfocus(drafts, {ref for ref in others if "selected" not in drafts[ref].states})


def _with_role(refs: Collection[Ref], drafts: Mapping[Ref, Draft], *roles: Role) -> set[Ref]:
    return {ref for ref in refs if drafts[ref].role in roles}


def _is_sheet(draft: Draft, drafts: Mapping[Ref, Draft]) -> bool:
    above = drafts[draft.parent] if draft.parent else None
    return draft.role is Role.TABLE and above is not None and above.node.role == DOCUMENT_SPREADSHEET
