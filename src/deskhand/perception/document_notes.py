"""Selected paragraphs and the page of a document, each on one line."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.perception.carets import MOST_SELECTED

_NUMBER: Final = re.compile(r"\d+")


def with_document_notes(targets: Sequence[TargetInfo]) -> tuple[list[TargetInfo], dict[str, str]]:
    """Return the controls, and a note for each document with several selected paragraphs, by its handle.

    Those paragraphs have no state or text of their own for it. A part of a status bar that repeats the document's page
    is left out.
    """
    documents = {each.handle: each for each in targets if each.type is Role.DOCUMENT}
    inside = dict(zip(documents, documents, strict=True))
    selected: dict[str, list[TargetInfo]] = {}
    for each in targets:
        if document := inside.get(each.parent):
            inside.setdefault(each.handle, document)
            if each.caret and each.caret.selected:
                selected.setdefault(document, []).append(each)
    notes = {document: _selection(texts) for document, texts in selected.items() if len(texts) > 1}
    folded = {text.handle for document in notes for text in selected[document]}
    pages = {_numbers(each.note.partition(":")[0]) for each in documents.values() if each.note}
    shown = [each for each in targets if not (pages and _repeats_page(each, pages))]
    return [_unselected(each) if each.handle in folded else each for each in shown], notes


def _selection(texts: Sequence[TargetInfo]) -> str:
    whole = "\n".join(text.caret.selected for text in texts if text.caret)
    return f"selected in view: {len(texts)} paragraphs, {quoted(whole, MOST_SELECTED)}"


def _repeats_page(target: TargetInfo, pages: set[tuple[int, ...]]) -> bool:
    """True for a label such as `Page 2 of 10`, in any language."""
    if (
        target.type is not Role.LABEL
        or target.fingerprint is None
        or Role.STATUS not in target.fingerprint.roles_around
    ):
        return False
    return _numbers(target.value or target.name) in pages


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBER.findall(text))


def _unselected(text: TargetInfo) -> TargetInfo:
    return replace(text, states=text.states - {"selected"}, caret=None)
