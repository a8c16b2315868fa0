"""Texts that were read from a picture are evidence where they cannot be two readings of one text."""

import pytest

from deskhand.commands.call import Focus
from deskhand.commands.effects.diff import Difference
from deskhand.commands.effects.window_diff import difference
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation, Truncation
from deskhand.core.roles import Role
from deskhand.core.target import Sighting, TargetInfo, TargetKind, Trait

WINDOW = TargetInfo(TargetKind.WINDOW, "Words", Role.WINDOW, Rect(0, 0, 400, 300), handle="w")
PLACE = Rect(10, 10, 90, 22)


def text(name: str, place: Rect = PLACE, handle: str = "read:1") -> TargetInfo:
    return TargetInfo(
        TargetKind.CONTROL,
        name,
        Role.TEXT,
        place,
        handle=handle,
        sighting=Sighting("w", WINDOW.rect, b""),
        traits=frozenset({Trait.READ_FROM_PICTURE}),
    )


def seen(*controls: TargetInfo, from_picture: bool = True) -> Observation:
    lacking = Truncation("it draws its content itself")
    return Observation(WINDOW, controls, None, 0.0, truncated=lacking, from_picture=from_picture)


def between(then: Observation, now: Observation) -> Difference:
    return difference(then, now, None, Focus.NOBODY)


@pytest.mark.requires("pictures.clicks")
@pytest.mark.parametrize(
    ("then", "now"),
    [("Item 16", "litem 16"), ("Open", "0pen"), ("OK", "[OK]"), ("Save as", "Save as_"), ("Total 1", "Total l")],
)
def test_another_reading_of_a_text_is_no_change(then: str, now: str) -> None:
    assert between(seen(text(then)), seen(text(now))).sign() is None


@pytest.mark.parametrize(("then", "now"), [("Counted 1 times", "Counted 2 times"), ("Play", "Pause"), ("9", "10")])
def test_another_text_is_a_change_and_is_said_to_be_read(then: str, now: str) -> None:
    sign = between(seen(text(then)), seen(text(now))).sign()
    assert sign is not None
    assert sign.message == f'text "{then}" is now called "{now}", as read from the picture'


def test_a_text_that_came_or_went_counts_also_in_a_window_without_a_tree() -> None:
    few, more = seen(text("Name")), seen(text("Name"), text("Saved", Rect(10, 40, 90, 52), "read:2"))
    assert [each.name for each in between(few, more).added] == ["Saved"]
    assert [each.name for each in between(more, few).removed] == ["Saved"]


def test_a_stroke_such_as_a_caret_is_no_text_that_came() -> None:
    assert between(seen(), seen(text("|l"))).sign() is None


def test_a_place_that_was_read_otherwise_is_no_move() -> None:
    assert between(seen(text("Name")), seen(text("Name", Rect(6, 6, 94, 26)))).sign() is None


def test_where_one_picture_was_not_read_no_text_counts() -> None:
    assert between(seen(from_picture=False), seen(text("Saved"))).sign() is None
