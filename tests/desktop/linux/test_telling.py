"""Where web pages are asked so that they tell what they show."""

import pytest

from deskhand.core.geometry import Point, Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.nodes import Node
from deskhand.desktop.linux.atspi.roles import DOCUMENT_WEB, PUSH_BUTTON
from deskhand.desktop.linux.atspi.telling import have_told, points_in

pytestmark = pytest.mark.requires("desktop.reobservation")

EDGES = (Point(997, 400), Point(3, 797))


def node(name: str, parent: str, role: int, rect: Rect) -> Node:
    return Node(Ref(":1.1", name), Ref(":1.1", parent) if parent else None, 0, role=role, rect=rect)


def points_of(*nodes: Node) -> dict[str, tuple[Point, ...]]:
    return {ref.path: points for ref, points in points_in({each.ref: each for each in nodes}).items()}


def test_a_page_is_asked_at_its_edges_and_last_in_the_smallest_parts_of_its_halves() -> None:
    page = node("/page", "/frame", DOCUMENT_WEB, Rect(0, 0, 1000, 800))
    large = node("/large", "/page", PUSH_BUTTON, Rect(0, 100, 200, 200))
    small = node("/small", "/page", PUSH_BUTTON, Rect(300, 100, 320, 110))
    low = node("/low", "/page", PUSH_BUTTON, Rect(0, 600, 100, 700))
    assert points_of(page, large, small, low) == {"/page": (*EDGES, Point(50, 650), Point(310, 105))}


def test_a_page_in_a_page_is_asked_at_points_that_it_shows() -> None:
    page = node("/page", "/frame", DOCUMENT_WEB, Rect(0, 0, 1000, 800))
    inner = node("/inner", "/page", DOCUMENT_WEB, Rect(0, 700, 400, 1100))
    shown = node("/shown", "/inner", PUSH_BUTTON, Rect(0, 690, 100, 720))
    cut = node("/cut", "/inner", PUSH_BUTTON, Rect(0, 790, 100, 830))
    outside = node("/outside", "/inner", PUSH_BUTTON, Rect(0, 900, 10, 910))
    points = points_of(page, inner, shown, cut, outside)
    assert points["/inner"] == (Point(50, 710), Point(50, 795))
    assert points["/page"][:2] == EDGES


def test_of_parts_that_are_as_small_the_uppermost_and_the_lowest_are_asked_at() -> None:
    page = node("/page", "/frame", DOCUMENT_WEB, Rect(0, 0, 1000, 800))
    rows = [node(f"/row{top}", "/page", PUSH_BUTTON, Rect(0, top, 100, top + 20)) for top in range(0, 800, 40)]
    assert set(points_of(page, *rows)["/page"][2:]) == {Point(50, 10), Point(50, 770)}


def test_a_page_that_does_not_show_is_asked_nothing() -> None:
    hidden = node("/page", "/frame", DOCUMENT_WEB, Rect(0, 0, 0, 0))
    assert have_told(points_in({hidden.ref: hidden})) == []
