"""Items of which Swing makes another object for each look can be told, cleared and acted on."""

from pathlib import Path

import pytest

from deskhand.core.errors import ElementStale
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Application
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.items import name_items_by_place
from deskhand.desktop.linux.atspi.nodes import Node
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from support import ROOT

TABLE = Ref(":1.1", "/table")
LABEL = 29
COUNT = 8
PATIENCE_S = 10.0


def item(path: str, index: int, parent: Ref = TABLE) -> Node:
    return Node(Ref(":1.1", path), parent, 0, LABEL, index=index)


@pytest.mark.requires("identity.by-place")
def test_a_handle_that_is_a_place_says_which_and_means_no_object() -> None:
    handle = calls.item_of(TABLE, 7).handle
    assert calls.parse_item(handle) == (TABLE, 7)
    assert calls.parse_handle(handle) is None
    assert calls.parse_cell(handle) is None
    assert [calls.parse_item(other) for other in (TABLE.handle, calls.cell_of(TABLE, 1, 2).handle)] == [None, None]


@pytest.mark.requires("identity.by-place")
def test_an_item_goes_by_its_place_wherever_it_is_named() -> None:
    table = Node(TABLE, None, 0, 55, children=[Ref(":1.1", "/new1"), Ref(":1.1", "/own")])
    own = item("/own", -1)
    below = Node(Ref(":1.1", "/below"), Ref(":1.1", "/new1"), 0, LABEL, labelled_by=[Ref(":1.1", "/new1")])
    named = name_items_by_place({node.ref: node for node in (table, item("/new1", 0), own, below)})
    first = calls.item_of(TABLE, 0)
    assert list(named) == [TABLE, first, own.ref, below.ref]
    assert named[TABLE].children == [first, own.ref]
    assert (named[below.ref].parent, named[below.ref].labelled_by) == (first, [first])
    assert all(ref == node.ref for ref, node in named.items())


@pytest.mark.requires("identity.by-place")
def test_of_two_that_say_the_same_place_one_has_it() -> None:
    named = name_items_by_place({node.ref: node for node in (item("/a", 3), item("/b", 3))})
    assert list(named) == [calls.item_of(TABLE, 3), Ref(":1.1", "/b")]


async def _items(desktop: LinuxDesktop, window: TargetInfo, role: Role) -> list[TargetInfo]:
    return [control for control in (await desktop.observe(window, picture=False)).controls if control.type is role]


@pytest.mark.desktop
@pytest.mark.requires("identity.by-place")
@pytest.mark.parametrize(("kind", "role"), [("table", Role.CELL), ("list", Role.LISTITEM)])
async def test_what_was_seen_in_a_view_of_swing_is_there_again_and_acted_on(
    kind: str, role: Role, tmp_path: Path
) -> None:
    if not BRIDGE.exists():
        pytest.skip(f"not run: {BRIDGE} is missing")
    file = tmp_path / "state.json"
    argv = (*JAVA, str(ROOT / "tests/apps/RowsSwing.java"), kind, str(COUNT), str(file))
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("rows", argv, window="^Rows$"))
        seen = await _items(desktop, window, role)
        again = await _items(desktop, window, role)
        assert [one.handle for one in seen] == [one.handle for one in again]
        assert len({one.handle for one in seen}) == len(seen) >= COUNT
        third = next(one for one in seen if one.name == "Row 3")
        now = await desktop.resolve(third)
        assert (now.handle, now.name, now.rect) == (third.handle, third.name, third.rect)
        await desktop.select(now)

        async def selected() -> bool | None:
            shown = await _items(desktop, window, role)
            return True if any(one.name == "Row 3" and "selected" in one.states for one in shown) else None

        assert await desktop.wait_until(selected, deadline_s=PATIENCE_S)
        moved = TargetInfo(now.kind, "Row 4", now.type, rect=Rect(0, 0, 1, 1), handle=now.handle)
        with pytest.raises(ElementStale):
            await desktop.select(moved)
