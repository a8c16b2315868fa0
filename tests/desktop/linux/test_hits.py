"""What is at a point, and whether a click there is one on the target, of an application in memory."""

from collections.abc import Mapping

import pytest

from deskhand.core.errors import ActionRefused, ApplicationUnresponsive, TargetCovered
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Body, Call, Reply
from deskhand.desktop.linux.atspi.hit_test import Hits
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.roles import ENTRY, FRAME, LABEL, PANEL, PUSH_BUTTON
from desktop.linux.test_untrue_answers import BUS, Peer, member, told

DIALOG = 16
Told = Mapping[str, tuple[int, str, str]]
"""Of each object its role, its name and what it stands in."""


def hits_in(objects: Told, at_point: str, silent: str = "") -> Hits:
    """Return a hit test of an application; `silent`: what it never answers."""

    def answer(call: Call) -> Reply:
        if member(call) == silent:
            return ApplicationUnresponsive("no answer")
        if member(call) == "GetAccessibleAtPoint":
            return [[BUS, at_point]]
        if call.path not in objects:
            return ActionRefused("nothing there")
        role, name, above = objects[call.path]
        answers: dict[str, Body] = {"GetRole": [role], "Name": [name], "Parent": [[BUS, above]]}
        return told(answers)(call)

    peer = Peer(answer)
    return Hits(peer, Telling(peer))


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize(
    ("over", "taken"),
    [
        ({"/words": (LABEL, "Email", "/page")}, True),
        ({"/words": (LABEL, "Email", "/row"), "/row": (PANEL, "", "/page")}, True),
        ({"/words": (LABEL, "Email", "/other"), "/other": (PUSH_BUTTON, "Email", "/page")}, False),
        ({"/words": (LABEL, "Email", "/dialog"), "/dialog": (DIALOG, "Ask", "/page")}, False),
    ],
)
async def test_words_on_another_button_or_in_a_dialog_over_a_target_are_no_label_of_it(over: Told, taken: bool) -> None:
    page: Told = {"/field": (ENTRY, "Email", "/page"), "/page": (PANEL, "", "/frame"), "/frame": (FRAME, "", "/")}
    hits = hits_in({**page, **over}, "/words")
    line = [Ref(BUS, path) for path in page]
    target = TargetInfo(TargetKind.CONTROL, "Email", Role.TEXTBOX)
    ask = calls.accessible_at_point(line[-1], 5, 5)
    if taken:
        assert await hits.require_told(line, target, ask, late=False, in_page=False) == Ref(BUS, "/words")
    else:
        with pytest.raises(TargetCovered):
            await hits.require_told(line, target, ask, late=False, in_page=False)


@pytest.mark.requires("act.refusals")
@pytest.mark.parametrize("silent", ["GetAccessibleAtPoint", "Parent"])
async def test_a_click_is_refused_where_the_program_does_not_answer_what_is_at_its_point(silent: str) -> None:
    page: Told = {"/field": (ENTRY, "Email", "/page"), "/page": (PANEL, "", "/frame"), "/frame": (FRAME, "", "/")}
    hits = hits_in(page, "/page", silent)
    line = [Ref(BUS, "/field"), Ref(BUS, "/frame")]
    target = TargetInfo(TargetKind.CONTROL, "Email", Role.TEXTBOX)
    with pytest.raises(ApplicationUnresponsive):
        await hits.require_told(line, target, calls.accessible_at_point(line[-1], 5, 5), late=False, in_page=False)
