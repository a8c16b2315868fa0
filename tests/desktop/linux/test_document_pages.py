"""Pages of a document that are visible, with extents that put them elsewhere."""

import pytest

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.coordinates import keep_to_views
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.atspi.roles import DOCUMENT_FRAME, FRAME, PAGE, SCROLL_PANE, SHOWING
from deskhand.desktop.linux.toolkits.gtk3.hooks import Gtk3

VIEW = Rect(5, 51, 590, 605)


@pytest.mark.requires("observe.scrolled-away")
@pytest.mark.parametrize(
    ("state", "told", "wanted"),
    [
        (SHOWING, Rect(19, 6297, 568, 7072), VIEW),
        (SHOWING, Rect(19, -6479, 568, -5704), VIEW),
        (SHOWING, Rect(19, 60, 568, 835), Rect(19, 60, 568, 605)),
        (0, Rect(19, 6297, 568, 7072), NOWHERE),
    ],
    ids=["below", "above", "in view", "not visible"],
)
def test_a_page_of_gtk_3_that_is_visible_has_a_place_in_its_view(state: int, told: Rect, wanted: Rect) -> None:
    refs = [Ref(":1.9", f"/{number}") for number in range(4)]
    kinds = [(FRAME, SHOWING, VIEW), (SCROLL_PANE, SHOWING, VIEW), (DOCUMENT_FRAME, SHOWING, VIEW), (PAGE, state, told)]
    nodes = {
        ref: Node(ref, above, state, role=role, rect=rect)
        for ref, above, (role, state, rect) in zip(refs, [None, *refs], kinds, strict=False)
    }
    toolkit = Gtk3()
    assert toolkit.place(Walk(nodes)) == frozenset()
    keep_to_views(nodes, toolkit)
    assert nodes[refs[3]].rect == wanted
