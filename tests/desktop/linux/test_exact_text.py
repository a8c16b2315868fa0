"""Texts of LibreOffice, run by run: deleted words and marks of controls are left out, whatever the units."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply
from deskhand.desktop.linux.atspi.roles import CONTENT_CONTROLS, TRACKED_CHANGES
from deskhand.desktop.linux.toolkits.libreoffice.exact_text import exact_texts

pytestmark = pytest.mark.requires("typing.exact")

REF = Ref(":1.1", "/a/text")
KINDS = ("", "insertion", "deletion")


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.text("ab😀é ", min_size=1, max_size=4)), max_size=8))
async def test_what_is_deleted_is_left_out_and_nothing_else(pieces: list[tuple[str, str]]) -> None:
    runs, at = list[tuple[int, int, str]](), 0
    for kind, text in pieces:
        runs.append((at, at := at + len(text.encode("utf-16-le")) // 2, kind))

    async def ask(asked: Sequence[Call]) -> list[Reply]:
        def reply(call: Call) -> Reply:
            start, end, kind = next(run for run in runs if run[0] <= call.body[0] < run[1])
            return [{"text-tracked-change": kind} if kind else {}, start, end]

        return [reply(call) for call in asked]

    exact = (await exact_texts({REF: "".join(text for _, text in pieces)}, ask))[REF]
    assert exact.text == "".join(text for kind, text in pieces if kind != "deletion")
    assert bool(exact.states & TRACKED_CHANGES) is any(kind for kind, _ in pieces)


async def test_marks_are_left_out_and_reported() -> None:
    async def ask(asked: Sequence[Call]) -> list[Reply]:
        return [[{}, 0, 99] for _ in asked]

    exact = (await exact_texts({REF: "Date: \ufffc1.12.\u0001 end"}, ask))[REF]
    assert (exact.text, exact.states) == ("Date: 1.12. end", CONTENT_CONTROLS)
